"""A Hub on loopback: speaks what `huggingface_hub` and `datasets` ask of it, counts what is uploaded, fails as told.

    with standing_in(folder) as hub:            # hub.url is what HF_ENDPOINT should be
        hub.fault("me/mine", "PUT /lfs", status=503)
        ...
        assert hub.repository("me/mine").n_commits == 1

The state is on disk, an object a file and a JSON file a repository; the server outlives the clients that are killed.
Tokens: `hf_writer` may do all, `hf_reader` only read; any other is unknown. Private repositories are hidden from those
who bring none. Call sequences: formats.md 6.1, tried against huggingface_hub 2.4.
"""

import base64
import hashlib
import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

WRITER, READER = "hf_writer", "hf_reader"
PAGE = 50  # entries of a tree in one answer: fewer than the Hub's, so that every test turns pages
CUT, SILENT = "cut", "silent"


@dataclass
class Fault:
    """What is to go wrong: requests `METHOD /path` that match `where`, `times` times after `skip` others.

    `status` answers instead of doing (or, with `after`, when it is done); CUT closes the connection in the middle of
    the request's body, SILENT closes it without an answer. `action` is called at that moment.
    """

    repository: str
    where: str
    status: int | str | None = None
    times: int = 1
    skip: int = 0
    after: bool = False
    headers: dict = field(default_factory=dict)
    body: bytes = b"<html>busy</html>"
    action: Callable[[], object] = lambda: None


class HubStandIn(ThreadingHTTPServer):
    """The server and what it knows of every repository."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, folder):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.folder, self.lock = Path(folder), threading.RLock()
        self.faults, self.requests, self.n_active = [], [], 0
        self.uploads, self.bytes_taken, self.inline = Counter(), Counter(), Counter()
        self.folder.mkdir(parents=True, exist_ok=True)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def repository(self, name):
        return Repository(self, name)

    def fault(self, repository, where, status=None, **options):
        with self.lock:
            self.faults.append(Fault(repository, where, status, **options))

    def next_fault(self, request):
        with self.lock:
            for fault in self.faults:
                if re.search(fault.where, request) and fault.repository in request and fault.times:
                    if fault.skip:
                        fault.skip -= 1
                        continue
                    fault.times -= 1
                    return fault
        return None

    def settle(self):
        """Wait until nothing is being done for anybody: for a client that was killed, say."""
        while self.n_active:
            time.sleep(0.005)

    def heal(self):
        """Forget the faults that have not happened; return how many those are."""
        with self.lock:
            n_left = sum(fault.times for fault in self.faults)
            self.faults.clear()
            return n_left

    def asked(self, repository, where):
        """List the requests about a repository that match."""
        return [request for request in self.requests if repository in request and re.search(where, request)]

    def handle_error(self, request, client_address):
        """A client that was killed is no news."""


class Repository:
    """A repository on disk: visibility, commits (all their files), branches and tags."""

    def __init__(self, server, name):
        self.server, self.name = server, name
        self.path = server.folder / f"{name.replace('/', '--')}.json"
        self.objects = self.path.with_suffix(".objects")

    @property
    def exists(self):
        return self.path.exists()

    def read(self):
        return json.loads(self.path.read_text())

    def write(self, data):
        beside = self.path.with_suffix(".new")
        beside.write_text(json.dumps(data))
        beside.replace(self.path)

    def create(self, private):
        attributes = b"*.parquet filter=lfs diff=lfs merge=lfs -text\n"
        data = {"private": private, "branches": {}, "tags": {}, "commits": {}}
        self.objects.mkdir(exist_ok=True)
        self.write(data)
        self.commit({".gitattributes": attributes}, title="initial commit")

    def resolve(self, revision):
        data = self.read()
        for names in (data["branches"], data["tags"]):
            if revision in names:
                return names[revision]
        return revision if revision in data["commits"] else None

    def files(self, revision="main"):
        return self.read()["commits"][self.resolve(revision)]["files"]

    def content(self, path, revision="main"):
        return (self.objects / self.files(revision)[path]["sha256"]).read_bytes()

    @property
    def n_commits(self):
        """Commits on main beside the first, which every repository begins with."""
        return len(self.history()) - 1

    def history(self, revision="main"):
        data, commit = self.read(), self.resolve(revision)
        commits = []
        while commit is not None:
            commits.append((commit, data["commits"][commit]))
            commit = data["commits"][commit]["parent"]
        return commits

    def commit(self, contents, deleted=(), title="another writer", branch="main", lfs=None):
        """Commit contents (bytes by path) and LFS pointers (path: (sha256, size)); return the new head."""
        with self.server.lock:
            data = self.read()
            parent = data["branches"].get(branch)
            files = dict(data["commits"][parent]["files"]) if parent else {}
            for path in deleted:
                del files[path]
            for path, content in contents.items():
                sha256 = hashlib.sha256(content).hexdigest()
                (self.objects / sha256).write_bytes(content)
                files[path] = {"lfs": False, "oid": _git(content), "sha256": sha256, "size": len(content)}
            for path, (sha256, size) in (lfs or {}).items():
                pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{sha256}\nsize {size}\n".encode()
                files[path] = {"lfs": True, "oid": _git(pointer), "sha256": sha256, "size": size}
            head = hashlib.sha1(json.dumps([parent, title, files], sort_keys=True).encode()).hexdigest()
            data["commits"][head] = {"parent": parent, "title": title, "files": files}
            data["branches"][branch] = head
            self.write(data)
            return head


def _git(content):
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


class _RefusedError(Exception):
    """An answer other than 200, to be given at once."""

    def __init__(self, status, message, code=None, content=None):
        self.status, self.message, self.code, self.content = status, message, code, content or {}


class _CutError(Exception):
    """The connection ends here."""


ROUTES = [
    ("POST", r"/api/repos/create", "create_repository"),
    ("POST", r"/api/validate-yaml", "validate_yaml"),
    ("GET", r"/api/datasets/(?P<repo>[^/]+/[^/]+)", "info"),
    ("GET", r"/api/datasets/(?P<repo>[^/]+/[^/]+)/revision/(?P<rev>[^/]+)", "info"),
    ("GET", r"/api/datasets/(?P<repo>[^/]+/[^/]+)/tree/(?P<rev>[^/]+)(?:/(?P<path>.*))?", "tree"),
    ("GET", r"/api/datasets/(?P<repo>[^/]+/[^/]+)/commits/(?P<rev>[^/]+)", "commits"),
    ("GET", r"/api/datasets/(?P<repo>[^/]+/[^/]+)/refs", "refs"),
    ("POST", r"/api/datasets/(?P<repo>[^/]+/[^/]+)/paths-info/(?P<rev>[^/]+)", "paths_info"),
    ("POST", r"/api/datasets/(?P<repo>[^/]+/[^/]+)/preupload/(?P<rev>[^/]+)", "preupload"),
    ("GET", r"/api/datasets/(?P<repo>[^/]+/[^/]+)/xet-write-token/(?P<rev>[^/]+)", "xet_token"),
    ("POST", r"/api/datasets/(?P<repo>[^/]+/[^/]+)/commit/(?P<rev>[^/]+)", "commit"),
    ("POST", r"/api/datasets/(?P<repo>[^/]+/[^/]+)/branch/(?P<rev>[^/]+)", "branch"),
    ("POST", r"/api/datasets/(?P<repo>[^/]+/[^/]+)/tag/(?P<rev>[^/]+)", "tag"),
    ("POST", r"/datasets/(?P<repo>[^/]+/[^/]+)\.git/info/lfs/objects/batch", "lfs_batch"),
    ("PUT", r"/lfs/(?P<repo>[^/]+/[^/]+)/(?P<oid>[0-9a-f]{64})", "lfs_put"),
    ("POST", r"/verify/(?P<repo>[^/]+/[^/]+)", "lfs_verify"),
    ("GET|HEAD", r"/datasets/(?P<repo>[^/]+/[^/]+)/resolve/(?P<rev>[^/]+)/(?P<path>.+)", "resolve_file"),
]
WRITES = {"create_repository", "preupload", "xet_token", "commit", "branch", "tag", "lfs_batch", "lfs_verify"}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: HubStandIn

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer_request()

    do_HEAD = do_POST = do_PUT = do_GET  # noqa: N815

    # --- what every request goes through ---

    def answer_request(self):
        with self.server.lock:
            self.server.n_active += 1
        try:
            self.send(*self.outcome())
        except _CutError:
            self.close_connection = True
            self.connection.close()
        finally:
            with self.server.lock:
                self.server.n_active -= 1

    def outcome(self):
        """Do what is asked, or what was told to go wrong; return status, headers and content."""
        self.parts = urlsplit(self.path)
        request = f"{self.command} {unquote(self.parts.path)}"
        fault = self.fault = self.server.next_fault(request)
        cut = fault is not None and fault.status == CUT
        self.body = b"" if self.command in ("GET", "HEAD") else self.read_body(half=cut)
        with self.server.lock:
            self.server.requests.append(request)
        try:
            if fault is None:
                return self.act()
            if fault.after:
                done = self.act()
            fault.action()
            if fault.status in (CUT, SILENT):
                raise _CutError
            if fault.status is not None:
                return fault.status, {"Content-Type": "text/html", **fault.headers}, fault.body
            return done if fault.after else self.act()
        except _RefusedError as refused:
            headers = {"X-Error-Message": refused.message} | ({"X-Error-Code": refused.code} if refused.code else {})
            return refused.status, headers, {"error": refused.message, **refused.content}

    def send(self, status, headers, content):
        payload = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name, value)
        if "Content-Length" not in headers:
            self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(payload)

    def read_body(self, half):
        """Read the body, or half of it; it comes with its length, or in chunks."""
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            portions = []
            while size := int(self.rfile.readline() or b"0", 16):
                portions.append(self.rfile.read(size))
                self.rfile.readline()
                if half:
                    return b"".join(portions)
            self.rfile.readline()
            return b"".join(portions)
        length = int(self.headers.get("Content-Length") or 0)
        wanted = length // 2 if half else length
        content = self.rfile.read(wanted)
        if len(content) < wanted:  # the client is dead
            raise _CutError
        return content

    def act(self):
        path = self.parts.path
        for methods, pattern, name in ROUTES:
            found = re.fullmatch(pattern, path)
            if found and self.command in methods.split("|"):
                matched = {key: unquote(value or "") for key, value in found.groupdict().items()}
                self.repo = self.server.repository(matched.pop("repo")) if "repo" in matched else None
                self.check_access(name)
                return getattr(self, name)(**matched)
        raise _RefusedError(404, f"no such route: {self.command} {path}")

    def check_access(self, name):
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if name == "lfs_put":  # its address is signed
            return
        if token and token not in (WRITER, READER):
            raise _RefusedError(401, f"Invalid credentials in Authorization header: {token}")
        if name in WRITES and token != WRITER:
            raise _RefusedError(403 if token else 401, f"no right to write with {token or 'no token'}")
        if self.repo is not None:
            if not self.repo.exists:
                raise _RefusedError(404 if token else 401, "Repository not found", "RepoNotFound")
            if self.repo.read()["private"] and not token:
                raise _RefusedError(401, "Repository not found", "RepoNotFound")

    def commit_of(self, revision):
        commit = self.repo.resolve(revision)
        if commit is None:
            raise _RefusedError(404, f"Invalid rev id: {revision}", "RevisionNotFound")
        return commit

    # --- one method a route ---

    def create_repository(self):
        wanted = json.loads(self.body)
        assert wanted["type"] == "dataset"
        name = f"{wanted['organization'] or 'me'}/{wanted['name']}"
        if name.startswith("forbidden/"):
            raise _RefusedError(403, f"You don't have the rights to create a dataset under {name.split('/')[0]}")
        repo, url = self.server.repository(name), f"{self.server.url}/datasets/{name}"
        if repo.exists:
            raise _RefusedError(409, "You already created this dataset repo", content={"url": url})
        repo.create(wanted.get("visibility") == "private" or wanted.get("private", False))
        return 200, {}, {"url": url}

    def validate_yaml(self):
        errors = [] if json.loads(self.body)["content"].startswith("---\n") else [{"message": "no YAML head"}]
        return 400 if errors else 200, {}, {"errors": errors, "warnings": []}

    def info(self, rev="main"):
        commit, data = self.commit_of(rev), self.repo.read()
        siblings = [{"rfilename": path} for path in data["commits"][commit]["files"]]
        about = {"id": self.repo.name, "sha": commit, "private": data["private"], "siblings": siblings, "tags": []}
        return 200, {}, about

    def tree(self, rev, path=""):
        query = parse_qs(self.parts.query)
        files = self.repo.read()["commits"][self.commit_of(rev)]["files"]
        below = f"{path.rstrip('/')}/" if path else ""
        recursive = query.get("recursive", ["false"])[0].lower() in ("true", "1")
        entries = {}
        for name, file in sorted(files.items()):
            if not name.startswith(below):
                continue
            folder, _, _ = name[len(below) :].partition("/")
            if "/" in name[len(below) :]:
                entries[below + folder] = {"type": "directory", "path": below + folder, "oid": "0" * 40, "size": 0}
            if recursive or "/" not in name[len(below) :]:
                entries[name] = self.entry(name, file)
        if path and not entries:
            raise _RefusedError(404, f"{path} does not exist on {rev}", "EntryNotFound")
        at = int(query.get("cursor", ["0"])[0])
        more = {**{key: value[0] for key, value in query.items()}, "cursor": at + PAGE}
        link = f"{self.server.url}{self.parts.path}?{'&'.join(f'{key}={value}' for key, value in more.items())}"
        headers = {"Link": f'<{link}>; rel="next"'} if at + PAGE < len(entries) else {}
        return 200, headers, list(entries.values())[at : at + PAGE]

    def entry(self, name, file):
        apart = {"lfs": {"oid": file["sha256"], "size": file["size"], "pointerSize": 134}} if file["lfs"] else {}
        return {"type": "file", "path": name, "oid": file["oid"], "size": file["size"], **apart}

    def paths_info(self, rev):
        files = self.repo.read()["commits"][self.commit_of(rev)]["files"]
        wanted = parse_qs(self.body.decode()).get("paths", [])
        if self.headers.get("Content-Type", "").startswith("application/json"):
            wanted = json.loads(self.body)["paths"]
        return 200, {}, [self.entry(name, files[name]) for name in wanted if name in files]

    def commits(self, rev):
        self.commit_of(rev)
        about = {"authors": [{"user": "me"}], "date": "2026-01-01T00:00:00.000Z", "message": ""}
        return 200, {}, [{"id": oid, "title": commit["title"], **about} for oid, commit in self.repo.history(rev)]

    def refs(self):
        data = self.repo.read()
        listed = {
            kind: [
                {"name": name, "ref": f"refs/{kind}/{name}", "targetCommit": oid} for name, oid in data[kind].items()
            ]
            for kind in ("branches", "tags")
        }
        return 200, {}, {**listed, "converts": []}

    def preupload(self, rev):
        files = self.repo.read()["commits"][self.commit_of(rev)]["files"]
        asked = json.loads(self.body)["files"]
        assert len(asked) <= 256
        return 200, {}, {"files": [self.upload_mode(file, files.get(file["path"])) for file in asked]}

    def upload_mode(self, file, there):
        base64.b64decode(file["sample"], validate=True)
        apart = file["path"].endswith(".parquet") or file["size"] > 10_000_000
        oid = there and (there["sha256"] if there["lfs"] else there["oid"])
        mode = "lfs" if apart else "regular"
        return {"path": file["path"], "uploadMode": mode, "shouldIgnore": False, **({"oid": oid} if oid else {})}

    def xet_token(self, rev):
        self.commit_of(rev)
        folder = self.server.folder / "xet"
        folder.mkdir(exist_ok=True)
        address, token, until = f"local://{folder}", "xet", 4_000_000_000
        headers = {"X-Xet-Cas-Url": address, "X-Xet-Access-Token": token, "X-Xet-Token-Expiration": str(until)}
        return 200, headers, {"casUrl": address, "accessToken": token, "exp": until}

    def lfs_batch(self):
        asked = json.loads(self.body)
        assert asked["operation"] == "upload" and asked["hash_algo"] == "sha256"
        chosen = "xet" if "xet" in asked.get("transfers", ()) else "basic"  # clients before 1.22 let the server choose
        return 200, {}, {"transfer": chosen, "objects": [self.lfs_object(item) for item in asked["objects"]]}

    def lfs_object(self, item):
        if (self.repo.objects / item["oid"]).exists():
            return item
        upload = {"href": f"{self.server.url}/lfs/{self.repo.name}/{item['oid']}?signature=secret"}
        verify = {"href": f"{self.server.url}/verify/{self.repo.name}"}
        return {**item, "actions": {"upload": upload, "verify": verify}}

    def lfs_put(self, oid):
        if hashlib.sha256(self.body).hexdigest() != oid:
            raise _RefusedError(400, "the content is not what its digest says")
        beside = self.server.folder / f"{oid}.{threading.get_ident()}"
        beside.write_bytes(self.body)
        beside.replace(self.repo.objects / oid)
        with self.server.lock:
            self.server.uploads[self.repo.name, oid] += 1
            self.server.bytes_taken[self.repo.name] += len(self.body)
        return 200, {}, b""

    def lfs_verify(self):
        item = json.loads(self.body)
        if (self.repo.objects / item["oid"]).stat().st_size != item["size"]:
            raise _RefusedError(422, "the object is not of that size")
        return 200, {}, {}

    def commit(self, rev):
        header, *items = [json.loads(line) for line in self.body.splitlines()]
        contents, deleted, lfs = {}, [], {}
        for item in items:
            value = item["value"]
            if item["key"] == "file":
                contents[value["path"]] = base64.b64decode(value["content"])
            elif item["key"] == "lfsFile":
                lfs[value["path"]] = (value["oid"], value["size"])
            else:
                assert item["key"] == "deletedFile"
                deleted.append(value["path"])
        with self.server.lock:
            head = self.commit_of(rev)
            if header["value"].get("parentCommit", head) != head:
                raise _RefusedError(412, "A commit has happened since. Please refresh and try again.")
            missing = [oid for oid, _ in lfs.values() if not self.has(oid)]
            if missing or not set(deleted) <= set(self.repo.files(rev)):
                raise _RefusedError(400, "an LFS object was never uploaded, or a deleted file is not there")
            oid = self.repo.commit(contents, deleted, header["value"]["summary"], rev, lfs)
            for path, content in contents.items():
                self.server.inline[self.repo.name, path, hashlib.sha256(content).hexdigest()] += 1
        url = f"{self.server.url}/datasets/{self.repo.name}/commit/{oid}"
        return 200, {}, {"success": True, "commitOid": oid, "commitUrl": url}

    def has(self, oid):
        return (self.repo.objects / oid).exists() or (self.server.folder / "xet").exists()

    def branch(self, rev):
        start = self.commit_of(json.loads(self.body or b"{}").get("startingPoint", "main"))
        with self.server.lock:
            data = self.repo.read()
            if rev in data["branches"]:
                raise _RefusedError(409, "Reference already exists")
            data["branches"][rev] = start
            self.repo.write(data)
        return 200, {}, {}

    def tag(self, rev):
        name = json.loads(self.body)["tag"]
        with self.server.lock:
            commit, data = self.commit_of(rev), self.repo.read()
            if name in data["tags"]:
                raise _RefusedError(409, "Tag reference exists already")
            data["tags"][name] = commit
            self.repo.write(data)
        return 200, {}, {}

    def resolve_file(self, rev, path):
        commit = self.commit_of(rev)
        file = self.repo.read()["commits"][commit]["files"].get(path)
        if file is None:
            raise _RefusedError(404, f"{path} does not exist on {rev}", "EntryNotFound")
        content = (self.repo.objects / file["sha256"]).read_bytes()
        oid = file["sha256"] if file["lfs"] else file["oid"]
        headers = {"ETag": f'"{oid}"', "X-Repo-Commit": commit, "Accept-Ranges": "bytes"}
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if asked:
            start, end = int(asked[1]), int(asked[2] or len(content) - 1)
            headers["Content-Range"] = f"bytes {start}-{min(end, len(content) - 1)}/{len(content)}"
            content = content[start : end + 1]
        if self.command == "HEAD":
            headers["Content-Length"] = str(len(content))
        return 206 if asked else 200, {"Content-Type": "application/octet-stream", **headers}, content


@contextmanager
def standing_in(folder):
    """Run the stand-in until the block ends."""
    server = HubStandIn(folder)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
