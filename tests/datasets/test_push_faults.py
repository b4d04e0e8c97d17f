"""Pushes through a Hub that fails: busy, cut off, overtaken. What is there in the end is whole, and came once."""

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version

import hub_stand_in
import pytest
from command import worldforge
from hub_datasets import make_dataset
from hub_stand_in import CUT, SILENT

ENDPOINTS = {
    "repository": "GET /api/datasets/[^/]+/[^/]+$",
    "create": "POST /api/repos/create",
    "head": "GET .*/revision/main",
    "tree": "GET .*/tree/",
    "tags": "GET .*/refs",
    "preupload": "POST .*/preupload/",
    "batch": "POST .*/objects/batch",
    "put": "PUT /lfs/",
    "verify": "POST /verify/",
    "commit": "POST .*/commit/",
    "tag": "POST .*/tag/",
}
N_FILES = 7  # of the small dataset
PASSING = (429, 500, 502, 503, SILENT)
UPLOADS_HEED_RETRY_AFTER = tuple(map(int, version("huggingface-hub").split(".")[:2])) >= (1, 22)


def fail(hub, endpoint, status, **options):
    """Let an endpoint fail; the creation of repositories names none in its address."""
    repository = "" if endpoint == "create" else hub.name
    hub.server.fault(repository, ENDPOINTS[endpoint], status, **options)


@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_a_passing_fault_of_any_endpoint_is_survived(hub, small_dataset, endpoint):
    for status in PASSING:
        fail(hub, endpoint, status)
    done = hub.push(small_dataset, "--tag", "v1")
    assert hub.server.heal() == 0, "a fault was never met"
    assert hub.holds(small_dataset, "v1") and done["commit"] and hub.repository.n_commits == 1
    assert set(hub.uploads.values()) == {1}


@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_what_was_done_though_the_answer_was_a_fault_is_not_done_again(hub, small_dataset, endpoint):
    fail(hub, endpoint, 503, after=True)
    fail(hub, endpoint, SILENT, after=True, skip=0)
    hub.push(small_dataset, "--tag", "v1")
    assert hub.holds(small_dataset, "v1") and hub.repository.n_commits == 1
    counts = hub.uploads
    if endpoint == "put":  # the server had it, but the client could not know
        assert sum(counts.values()) <= len(counts) + 2
    else:
        assert set(counts.values()) == {1}


def test_the_card_is_checked_by_a_hub_that_is_busy(hub, small_dataset):
    hub.server.fault("", "POST /api/validate-yaml", 503)
    hub.server.fault("", "POST /api/validate-yaml", 500, body=b'{"error": "busy"}')
    hub.push(small_dataset)
    assert hub.holds(small_dataset) and hub.repository.n_commits == 1


def test_a_connection_that_breaks_in_the_middle_of_an_upload(hub, wide_dataset):
    for skip in (0, 3, 40, 90):
        hub.fault("PUT /lfs/", CUT, skip=skip)
    hub.push(wide_dataset)
    assert hub.server.heal() == 0
    assert hub.holds(wide_dataset) and set(hub.uploads.values()) == {1}


@pytest.mark.parametrize("headers", [{"Retry-After": "7"}, {"RateLimit": '"api";r=0;t=7'}])
@pytest.mark.parametrize("endpoint", ["repository", "put", "commit"])
def test_a_hub_that_asks_for_patience_is_given_as_much(hub, small_dataset, headers, endpoint):
    if endpoint == "put" and "Retry-After" in headers and not UPLOADS_HEED_RETRY_AFTER:
        pytest.skip("the library's own wait, which took no notice of it before 1.22")
    fail(hub, endpoint, 429, headers=headers)
    done = hub.run("push", small_dataset, "--to", hub.name)
    assert any(wait in (7, 8) for wait in done.waits), done.waits
    assert hub.holds(small_dataset)


@pytest.mark.parametrize("endpoint", ["head", "put", "commit"])
def test_a_hub_that_stays_away_is_an_error_and_the_same_command_goes_on(hub, small_dataset, endpoint):
    fail(hub, endpoint, 503, times=1000)
    refused = hub.push(small_dataset, code=1)
    assert "503" in refused.err and "run the same command again" in refused.err and "secret" not in refused.err
    hub.server.heal()
    hub.push(small_dataset)
    assert hub.holds(small_dataset) and set(hub.uploads.values()) == {1}


@pytest.mark.parametrize(("status", "code"), [(501, 1), (405, 2), (413, 2)])
@pytest.mark.parametrize("endpoint", ["repository", "preupload", "put", "commit", "tag"])
def test_a_permanent_error_is_told_at_once(hub, small_dataset, endpoint, status, code):
    fail(hub, endpoint, status, times=1000)
    refused = hub.run("push", small_dataset, "--to", hub.name, "--tag", "v1", code=code)
    assert str(status) in refused.err and refused.waits == [] and "same command again" not in refused.err
    n_asked = 1000 - hub.server.heal()
    assert n_asked <= len(hub.uploads) + N_FILES, "several files are uploaded at once, each of them once"


def test_a_signed_address_that_expired_is_replaced(hub, small_dataset):
    fail(hub, "put", 403)
    assert hub.run("push", small_dataset, "--to", hub.name).waits == [1]
    assert hub.holds(small_dataset)


def test_a_store_that_refuses_the_upload_is_asked_twice_at_most(hub, small_dataset):
    fail(hub, "put", 403, times=1000)
    assert hub.run("push", small_dataset, "--to", hub.name, code=2).waits == [1]


@pytest.mark.parametrize(("status", "code"), [(501, 1), (413, 2)])
def test_a_permanent_error_of_xet_is_told_at_once(hub, small_dataset, tmp_path, monkeypatch, status, code):
    with refusing(status) as (url, asked):

        def xet_token(handler, rev):
            headers = {"X-Xet-Cas-Url": url, "X-Xet-Access-Token": "xet", "X-Xet-Token-Expiration": "4000000000"}
            return 200, headers, {"casUrl": url, "accessToken": "xet", "exp": 4_000_000_000}

        monkeypatch.setattr(hub_stand_in._Handler, "xet_token", xet_token)
        env = {**hub.env, "HF_HOME": str(tmp_path / "home"), "HF_HUB_DISABLE_XET": ""}
        refused = worldforge("push", small_dataset, "--to", hub.name, env=env, code=code)
    assert str(status) in refused.stderr and len(asked) == len(set(asked)) > 0


@contextmanager
def refusing(status):
    """Run a server that answers every request by `status`; give its address, and the requests that it got."""
    asked = []

    class Refusing(BaseHTTPRequestHandler):
        def refuse(self):
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            asked.append(self.requestline)
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_GET = do_HEAD = do_POST = do_PUT = refuse  # noqa: N815  the library's names

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Refusing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}", asked
        server.shutdown()


def test_another_writer_is_not_overwritten(hub, wide_dataset):
    hub.fault("POST .*/commit/", action=lambda: hub.repository.commit({"notes.txt": b"theirs"}))
    refused = hub.push(wide_dataset, code=1)
    assert "another writer" in refused.err and hub.repository.n_commits == 1
    assert hub.repository.content("notes.txt") == b"theirs"
    hub.push(wide_dataset)
    assert hub.repository.content("notes.txt") == b"theirs" and hub.repository.n_commits == 2
    assert set(hub.uploads.values()) == {1}


def test_another_writer_who_comes_between_a_failed_commit_and_its_repetition(hub, small_dataset):
    hub.fault("POST .*/commit/", 503, action=lambda: hub.repository.commit({"notes.txt": b"theirs"}))
    refused = hub.push(small_dataset, code=1)
    assert "another writer" in refused.err and hub.repository.n_commits == 1


def test_another_writer_who_builds_upon_a_commit_that_seemed_to_fail(hub, small_dataset):
    hub.fault("POST .*/commit/", 503, after=True, action=lambda: hub.repository.commit({"notes.txt": b"theirs"}))
    hub.push(small_dataset)
    assert hub.repository.n_commits == 2 and hub.repository.content("notes.txt") == b"theirs"
    assert hub.push(small_dataset)["commit"] is None


def test_what_is_there_is_compared_with_what_was_meant(hub, small_dataset, tmp_path):
    """The server loses a file after the commit."""
    lost = make_dataset(tmp_path / "dataset", run="lost")
    path = "sft/train-00000-of-00002.parquet"
    hub.push(small_dataset)
    hub.fault("GET .*/revision/main", skip=1, action=lambda: hub.repository.commit({}, deleted=[path]))
    refused = hub.push(lost, code=1)
    assert path in refused.err and "does not hold what was pushed" in refused.err
    hub.push(lost)
    assert hub.holds(lost)


def test_a_card_that_the_hub_refuses(hub, small_dataset):
    hub.server.fault("", "POST /api/validate-yaml", 400, body=b'{"errors": [{"message": "no such licence"}]}')
    refused = hub.push(small_dataset, code=2)
    assert "no such licence" in refused.err


def test_offline_is_offline(hub, small_dataset):
    refused = worldforge("push", small_dataset, "--to", hub.name, env={**hub.env, "HF_HUB_OFFLINE": "1"}, code=2)
    assert "HF_HUB_OFFLINE" in refused.stderr
