"""Speed of the database environment, beside bare DuckDB answering the same queries over the same tables in one run.

    python -m benchmarks.database [--records 100000] [--sessions 1000]

Prints calls a CPU second, latencies and ratios: whole tool calls, JSON in and out, against rows fetched and no more.
Then what sessions cost: opened, and with a change of their own. Tables are the benchmark of populating's, a computed
column of each sort added.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from benchmarks.populate import spec as spec_of
from benchmarks.search import report
from worldforge.builders.populate.populate_stage import populate
from worldforge.core.progress import Progress
from worldforge.environments.database.environment import DatabaseEnvironment
from worldforge.environments.session import ToolSession
from worldforge.models.chat import ToolCall
from worldforge.schema.spec import WorldSpec
from worldforge.world.world import World

Arguments = dict[str, Any]
DERIVED = {
    "clubs": {"over": "club.town", "sql": "count(*)"},
    "seats": {"over": "club.town", "sql": "sum(capacity)"},
    "crowding": {"sql": "population / area"},
}


def world_of(n_records: int) -> World:
    """Make a world of three tables in memory, without pages."""
    written = spec_of(n_records).model_dump(exclude_none=True)
    written["types"]["town"]["derived"] = DERIVED
    spec = WorldSpec.model_validate(written)
    world = World(Path("bench"), {"name": "bench"})
    world.__dict__["spec"] = spec  # what opening a folder would have read
    world.__dict__["_tables"] = {
        f"entities/{name}.parquet": table for name, table in populate(spec, Progress()).items()
    }
    return world


def calls(n_records: int, n_calls: int, draw: random.Random) -> dict[str, list[tuple[str, Arguments, str, list[Any]]]]:
    """Draw calls of each sort: tool, arguments, and the SQL of a bare query with its values."""
    n_players, n_clubs = n_records * 6 // 10, n_records * 3 // 10
    sorts: dict[str, list[tuple[str, Arguments, str, list[Any]]]] = {"get 1": [], "get 20": [], "list": [], "find": []}
    for _ in range(n_calls):
        for n_ids, sort in ((1, "get 1"), (20, "get 20")):
            ids = [f"player/{row:04d}" for row in draw.sample(range(n_players), n_ids)]
            marks = ", ".join("?" * n_ids)
            sql = f"SELECT * FROM player WHERE id IN ({marks})"
            sorts[sort].append(("get_records", {"table": "player", "ids": ids}, sql, ids))
        year = draw.randrange(1900, 2000)
        filters = [{"column": "founded", "comparison": ">", "value": year}]
        given = {"table": "club", "filters": filters, "order_by": "capacity", "descending": True}
        sql = "SELECT * FROM club WHERE founded > ? ORDER BY capacity DESC NULLS LAST, id LIMIT 20"
        sorts["list"].append(("list_records", given, sql, [year]))
        town = f"town/{draw.randrange(n_clubs // 3):04d}"
        given = {"table": "player", "filters": [{"column": "birthplace", "comparison": "=", "value": town}]}
        sorts["find"].append(
            ("list_records", given, "SELECT * FROM player WHERE birthplace = ? ORDER BY id LIMIT 20", [town])
        )
    return sorts


def step(session: ToolSession, name: str, arguments: Arguments) -> Any:
    """Make one call, without an event loop's own cost; return what it brings."""
    try:
        session.step(ToolCall("1", name, json.dumps(arguments))).send(None)
    except StopIteration as done:
        assert not done.value.error, done.value.text
        return json.loads(done.value.text)
    raise AssertionError("a call waited")


def measure_reading(environment: DatabaseEnvironment, bare: duckdb.DuckDBPyConnection, n_records: int) -> None:
    """Make each sort of call, on a session that changed nothing and on one that changed those tables."""
    fresh, changed = environment.session(), environment.session()
    for table in ("club", "player"):
        step(changed, "update_records", {"table": table, "ids": [f"{table}/0000"], "changes": {"name": "Changed"}})
    for sort, drawn in calls(n_records, 300, random.Random(1)).items():
        floor = report(f"{sort}: bare DuckDB", lambda item: bare.execute(item[2], item[3]).fetchall(), drawn)
        ours = report(f"{sort}: a session", lambda item: step(fresh, item[0], item[1]), drawn)
        after = report(f"{sort}: a session with changes", lambda item: step(changed, item[0], item[1]), drawn)
        print(f"{'':46} {ours / floor:9.2f} of bare, {after / floor:.2f} with changes")


def measure_writing(environment: DatabaseEnvironment, n_records: int) -> None:
    """Change, create and delete, computed columns following."""
    session = environment.session()
    rows = range(100)
    clubs = [f"club/{row:04d}" for row in rows]
    update = {"table": "club", "changes": {"colours": "red"}}
    report("update a column nothing reads", lambda id_: step(session, "update_records", update | {"ids": [id_]}), clubs)
    moved = {"table": "club", "changes": {"capacity": 77}}
    report("update a column summed up", lambda id_: step(session, "update_records", moved | {"ids": [id_]}), clubs)
    made = {"town": "town/0000", "capacity": 5}
    created = [f"club/{n_records * 3 // 10 + row:04d}" for row in rows]
    create = {"table": "club"}
    report("create", lambda id_: step(session, "create_records", create | {"records": [made | {"name": id_}]}), created)
    report("delete", lambda id_: step(session, "delete_records", create | {"ids": [id_]}), created)


def measure_sessions(environment: DatabaseEnvironment, n_sessions: int) -> None:
    """Open sessions and keep them; then let each change a record."""
    before, begun = resident_kb(), time.process_time()
    sessions = [environment.session() for _ in range(n_sessions)]
    opened, memory = (time.process_time() - begun) / n_sessions, (resident_kb() - before) / n_sessions
    print(f"a session {opened * 1e6:.1f} CPU µs, {memory:.1f} kB")
    before, begun = resident_kb(), time.process_time()
    for number, session in enumerate(sessions):
        given = {"table": "club", "ids": [f"club/{number % 1000:04d}"], "changes": {"colours": "red"}}
        step(session, "update_records", given)
    changed, memory = (time.process_time() - begun) / n_sessions, (resident_kb() - before) / n_sessions
    print(f"its first change {changed * 1e3:.2f} CPU ms, {memory:.0f} kB")


def resident_kb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4.096


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--sessions", type=int, default=1_000)
    chosen = parser.parse_args()
    world = world_of(chosen.records)
    begun = time.process_time()
    environment = DatabaseEnvironment(world)
    print(f"{chosen.records:,} records; opened in {time.process_time() - begun:.2f} CPU s")
    bare = duckdb.connect(":memory:", config={"threads": 1})
    for name, table in world.tables().items():
        bare.register("incoming", pa.table(table))
        bare.execute(f"CREATE TABLE {name} AS SELECT * FROM incoming")
    measure_reading(environment, bare, chosen.records)
    measure_writing(environment, chosen.records)
    measure_sessions(environment, chosen.sessions)


if __name__ == "__main__":
    main()
