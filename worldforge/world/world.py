"""A world on disk, opened: `open_world("output/mine")`. Files are read when they are asked for, and once."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from worldforge.core.errors import InputError
from worldforge.core.files import file_digest, typed_url, value_digest
from worldforge.core.folder_cache import (
    InputFolder,
    cached_folder,
    folder_of_file_url,
    reopen,
    url_reader,
)
from worldforge.schema.spec import WorldSpec
from worldforge.world.entity_names import OtherNames, Titles, other_names
from worldforge.world.stable_ids import entity_id
from worldforge.world.table_files import AUTHORITY_FILE, read_parquet
from worldforge.world.task import Task, tasks_from_table

if TYPE_CHECKING:
    import duckdb
    import networkx as nx

    from worldforge.world.graph_arrays import ArrayGraph
    from worldforge.world.parquet_reader import Table as Rows

FORMAT = 6
"""Which files a world has and which columns they hold; it counts on when either changes."""
MANIFEST = "world.json"
SPEC = "spec.yaml"
AUDIT = "audit.json"
LARGEST_GRAPH = 500_000
"""Nodes, and edges, of the largest networkx graph that is built unless its limit is lifted."""
KEYS = ("format", "name", "title", "seed", "scale", "digest", "counts", "files", "versions")
"""What every manifest says."""


@dataclass(frozen=True)
class World:
    """A whole world: `path` is its folder, `manifest` its world.json, `url` where it was fetched from, if anywhere."""

    path: Path
    manifest: dict[str, Any]
    url: str | None = None

    def __reduce__(self) -> tuple[object, ...]:
        """Travel to another process without what was read, but for the spec: to read it takes as long as to play.

        On another machine it is opened where that has its copy (`input_folder`).
        """
        spec = self.__dict__.get("spec")
        arguments = (type(self), self.path, self.manifest, self.url)
        return reopen, arguments, {"spec": spec} if spec is not None else {}

    @property
    def input_folder(self) -> InputFolder:
        """What workers on other machines fetch to read this world."""
        files = {MANIFEST: file_digest(self.path / MANIFEST)}
        files |= {name: entry["sha256"] for name, entry in self.manifest["files"].items()}
        return InputFolder(self.path, self.digest, files, self.url)

    @property
    def name(self) -> str:
        """The world's name, as its spec gives it."""
        return str(self.manifest["name"])

    @property
    def digest(self) -> str:
        """What identifies the world's content: a SHA-256 over its files' digests."""
        return str(self.manifest["digest"])

    @cached_property
    def spec(self) -> WorldSpec:
        """The resolved spec the world was built from."""
        from worldforge.schema.resolved_spec import read_resolved

        return read_resolved(self.path / SPEC)

    def entities(self, type_name: str) -> pa.Table:
        """Return the table of a type: id, name, aliases, then one typed column an attribute."""
        if type_name not in self.spec.types:
            raise InputError(f"{self.name} has no type `{type_name}`", f"it has {', '.join(self.spec.types)}")
        return self._table(f"entities/{type_name}.parquet")

    def relation(self, name: str) -> pa.Table:
        """Return the table of a relation: id, source, target, then its columns."""
        if name not in self.spec.relations:
            raise InputError(f"{self.name} has no relation `{name}`", f"it has {', '.join(self.spec.relations)}")
        return self._table(f"relations/{name}.parquet")

    @property
    def pages(self) -> pa.Table:
        """The pages, ordered by id: see `table_files.PAGES`."""
        return self._table("pages.parquet")

    @property
    def mentions(self) -> pa.Table:
        """The facts that pages state, ordered by page and start: see `table_files.MENTIONS`."""
        return self._table("mentions.parquet")

    @property
    def authority(self) -> pa.Table:
        """How much weight each page carries, ordered by page: see `table_files.AUTHORITY`."""
        return self._table(AUTHORITY_FILE)

    @property
    def links(self) -> pa.Table:
        """The links between pages: see `table_files.LINKS`."""
        return self._table("links.parquet")

    def stored(self, name: str) -> Rows:
        """Open a Parquet file to be read in parts, unless it has been read: `mentions.parquet`."""
        from worldforge.world.parquet_reader import ParquetReader

        read = self.__dict__.get("_tables", {})
        return read[name] if name in read else ParquetReader(self.path / name)

    @cached_property
    def tasks(self) -> list[Task]:
        """The tasks that were kept, ordered by id."""
        return tasks_from_table(self._table("tasks.parquet"))

    def task(self, id_: str) -> Task:
        """Return a task. Raises InputError where there is none with that id."""
        if id_ not in self._tasks_by_id:
            raise InputError(f"the world has no task `{id_}`", "list them with `[task.id for task in world.tasks]`")
        return self._tasks_by_id[id_]

    @cached_property
    def _tasks_by_id(self) -> dict[str, Task]:
        return {task.id: task for task in self.tasks}

    @cached_property
    def other_names(self) -> OtherNames:
        """For each name of an entity that has aliases, those aliases."""
        return other_names(self.spec, (self.entities(name) for name in self.spec.types))

    @cached_property
    def titles(self) -> Titles:
        """Titles of articles on entities that share their names."""
        return Titles(self.spec, self.tables())

    def tables(self) -> dict[str, pa.Table]:
        """Return every table of entities and of relations, by name."""
        entities = {name: self.entities(name) for name in self.spec.types}
        return entities | {name: self.relation(name) for name in self.spec.relations}

    def database(self) -> duckdb.DuckDBPyConnection:
        """Open the tables in a new in-memory DuckDB: `world.database().sql("SELECT … FROM club")`.

        What sites say of figures that tasks ask for is there too, as columns such as `capacity@herald`.
        """
        from worldforge.world.database import connect
        from worldforge.world.site_figures import with_site_figures

        return connect(with_site_figures(self.tables(), self.path))

    def graph(self, types: list[str] | None = None, limit: int | None = LARGEST_GRAPH) -> nx.MultiDiGraph:
        """Build the networkx graph of the whole world, or of the given types and what links them.

        Raises InputError where it has more than `limit` nodes or edges: networkx takes some 2 kB for each. Then ask
        for a `neighbourhood` or a `sample`, or say `limit=None`.
        """
        from worldforge.world.subgraphs import build_graph, check_size

        entities = {name: self.entities(name) for name in (self.spec.types if types is None else types)}
        relations = {name: self.relation(name) for name in self.spec.relations}
        if limit is not None:
            check_size(self.spec, entities, relations, limit)
        return build_graph(self.spec, entities, relations)

    def neighbourhood(
        self, of: Task | str | Iterable[str], hops: int = 1, limit: int | None = LARGEST_GRAPH
    ) -> nx.MultiDiGraph:
        """Build the networkx graph of what lies around entities, by id, or around those that a task is about.

        It has the entities that at most `hops` references or relation rows, whichever way they point, part from them,
        and all that links these. Raises InputError for an id that is none, and beyond `limit` entities.
        """
        from worldforge.world.subgraphs import edges_of, ids_of_task, ids_within_hops

        named = ids_of_task(of) if isinstance(of, Task) else [of] if isinstance(of, str) else list(of)
        ids = [entity for id_ in named for entity in self._entities_at(id_, required=not isinstance(of, Task))]
        return self._graph_of(ids_within_hops(edges_of(self.spec, self.tables()), ids, hops, limit))

    def sample(self, n_nodes: int, seed: int = 0) -> nx.MultiDiGraph:
        """Build the networkx graph of `n_nodes` entities that hang together, drawn by `seed`, and of their links."""
        from worldforge.world.subgraphs import snowball_sample

        return self._graph_of(snowball_sample(self.spec, self.tables(), n_nodes, seed))

    @cached_property
    def arrays(self) -> ArrayGraph:
        """The whole world as a graph in arrays, however large it is."""
        from worldforge.world.graph_arrays import ArrayGraph

        tables = self.tables()
        return ArrayGraph(
            self.spec, {n: tables[n] for n in self.spec.types}, {n: tables[n] for n in self.spec.relations}
        )

    def _graph_of(self, ids: pa.Array) -> nx.MultiDiGraph:
        from worldforge.world.subgraphs import build_graph, tables_of_part

        return build_graph(self.spec, *tables_of_part(self.spec, self.tables(), ids))

    def _entities_at(self, id_: str, *, required: bool) -> list[str]:
        """Return an entity's id, or the ends of a relation's row, by id; a task's conditions may name neither."""
        table, _, digits = id_.partition("/")
        rows = self.tables().get(table, ())
        row = int(digits) if digits.isdecimal() else len(rows)
        if row < len(rows) and id_ == entity_id(table, row):
            return [id_] if table in self.spec.types else [rows[end][row].as_py() for end in ("source", "target")]
        if required:
            raise InputError(f"{self.name} has no entity `{id_}`", "write an id as `club/0031`")
        return []

    def check_whole(self, *parts: str) -> None:
        """Read every file, or those below `parts`, and raise InputError where one is not as the manifest lists it.

        Damage that happens to be readable would come out as results that are wrong, or as a panic of the index.
        """
        digests = {name: entry["sha256"] for name, entry in self.manifest["files"].items()}
        again = f"`worldforge build {self.path / SPEC} --out {self.path}` makes it anew"
        if digests and value_digest(digests) != self.digest:
            raise InputError(f"{self.path / MANIFEST} is not as it was written", again)
        digests = {name: digests[name] for name in digests if not parts or name.startswith(parts)}
        paths = [self.path / name for name in digests]
        with ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as threads:  # hashing lets go of the interpreter
            found = threads.map(lambda path: file_digest(path) if path.is_file() else "", paths)
            for path, digest, now in zip(paths, digests.values(), found, strict=True):
                if now != digest:
                    state = "is not as it was built" if now else "is missing"
                    raise InputError(f"{path} {state}", again)

    def _table(self, name: str) -> pa.Table:
        tables = self.__dict__.setdefault("_tables", {})
        if name not in tables:
            tables[name] = read_parquet(self.path / name)
        return tables[name]


def open_world(path: str | Path) -> World:
    """Open the world in folder `path`, or at an fsspec URL: `s3://bucket/world`, `hf://datasets/me/world`.

    From a URL it is fetched into the cache (`core.folder_cache`) unless it is there; `file://` is opened in place.
    Raises InputError where there is none, where its build did not finish, and where another version built it.
    """
    url = typed_url(path)
    folder = Path(path) if url is None else folder_of_file_url(url)
    if folder is None:
        assert url is not None
        return _fetched(url)
    try:
        content = (folder / MANIFEST).read_bytes()
    except FileNotFoundError as error:
        state = "its build did not finish" if (folder / SPEC).exists() else "no world is there"
        raise InputError(f"{folder} has no {MANIFEST}: {state}", "run `worldforge build SPEC`") from error
    except OSError as error:
        raise InputError(f"{folder / MANIFEST} cannot be read: {error}", "run `worldforge build SPEC`") from error
    return World(folder, _checked_manifest(content, str(folder), folder / SPEC), url)


def _fetched(url: str) -> World:
    """Open the world at a URL. Raises InputError."""
    read = url_reader(url)
    try:
        content = b"".join(read(MANIFEST))
        manifest = _checked_manifest(content, url, SPEC)
        world = World(Path(url), manifest, url)
        files = {name: entry["sha256"] for name, entry in manifest["files"].items()}
        files[MANIFEST] = sha256(content).hexdigest()
        return replace(world, path=cached_folder(InputFolder(Path(url), world.digest, files, url), read))
    except FileNotFoundError as error:
        raise InputError(f"{url} is not a whole world: {error}", f"upload the folder that has {MANIFEST}") from error


def _checked_manifest(content: bytes, place: str, spec: str | Path) -> dict[str, Any]:
    """Read a world.json. Raises InputError where it is none of this version."""
    try:
        manifest = json.loads(content)
    except ValueError as error:
        raise InputError(f"{place}/{MANIFEST} cannot be read: {error}", "run `worldforge build SPEC`") from error
    missing = [key for key in KEYS if not isinstance(manifest, dict) or key not in manifest]
    if missing:
        raise InputError(f"{place}/{MANIFEST} lacks `{missing[0]}`", "run `worldforge build SPEC`")
    if manifest["format"] != FORMAT:
        message = f"{place} is a world of format {manifest['format']}; this version reads format {FORMAT}"
        raise InputError(message, f"build it again: `worldforge build {spec} --out {place}`")
    checked: dict[str, Any] = manifest
    return checked
