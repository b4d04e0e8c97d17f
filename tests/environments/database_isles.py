"""Three regions, six towns and their twins, computed columns of every sort: by hand, no test waits for a build."""

import asyncio
import datetime
import json

import pyarrow as pa

from worldforge.environments.database.environment import DatabaseEnvironment
from worldforge.environments.session import ToolSession
from worldforge.models.chat import ToolCall
from worldforge.schema.resolved_spec import write_resolved
from worldforge.schema.spec import WorldSpec
from worldforge.world.table_files import write_parquet
from worldforge.world.world import World

_DRAWN = {"generator": "values.integer"}
SPEC = {
    "name": "isles",
    "types": {
        "region": {
            "count": 3,
            "name": {"generator": "names.region"},
            "attributes": {"area": _DRAWN, "part_of": {"references": "region"}},
            "derived": {
                "towns": {"over": "town.region", "sql": "count(*)"},
                "people": {"over": "town.region", "sql": "sum(population)"},
                "largest": {"over": "town.region", "sql": "max(population)", "where": "not capital"},
            },
        },
        "town": {
            "count": 6,
            "name": {"generator": "names.town"},
            "attributes": {
                "region": {"references": "region"},
                "population": _DRAWN | {"label": "inhabitants", "unit": "people"},
                "chartered": _DRAWN,
                "opened": _DRAWN,
                "capital": _DRAWN,
            },
            "derived": {"age": {"sql": "2031 - chartered"}, "share": {"sql": "population / region.people"}},
        },
    },
    "relations": {
        "twinned": {
            "source": "town",
            "target": "town",
            "per_source": {"low": 0, "high": 2},
            "columns": {"since": _DRAWN},
        }
    },
}
REGIONS = [("Sarn", 12.5, 3, 600, 300), ("Velm", 40.0, 3, 1500, 500), ("Ost", None, 0, 0, None)]
TOWNS = [
    # name, region, population, chartered, opened, capital
    ("Arbel", 0, 100, 1200, "1990-01-01", False),
    ("Brask", 0, 200, 1300, None, True),
    ("Corvo", 0, 300, 1250, "2001-06-30", False),
    ("Dunmar", 1, 400, 1200, "1990-01-01", False),
    ("Étain", 1, 500, None, "2015-12-31", False),
    ("Fell", 1, 600, 1400, None, True),
]
TWINNED = [(0, 3, 1950), (0, 4, 1960), (2, 5, None)]
PEOPLE = {0: 600, 1: 1500}


def region(row: int) -> dict[str, object]:
    name, area, towns, people, largest = REGIONS[row]
    given = {"id": f"region/{row:04d}", "name": name, "aliases": [f"Land of {name}"]}
    return given | {"area": area, "part_of": None, "towns": towns, "people": people, "largest": largest}


def town(row: int) -> dict[str, object]:
    name, where, population, chartered, opened, capital = TOWNS[row]
    given = {"id": f"town/{row:04d}", "name": name, "aliases": [], "region": f"region/{where:04d}"}
    drawn = {"population": population, "chartered": chartered, "opened": opened, "capital": capital}
    age = None if chartered is None else 2031 - chartered
    return given | drawn | {"age": age, "share": round(population / PEOPLE[where], 6)}


def twinned(row: int) -> dict[str, object]:
    source, target, since = TWINNED[row]
    ends = {"source": f"town/{source:04d}", "target": f"town/{target:04d}"}
    return {"id": f"twinned/{row:04d}", **ends, "since": since}


RECORDS = {
    "region": [region(row) for row in range(3)],
    "town": [town(row) for row in range(6)],
    "twinned": [twinned(row) for row in range(3)],
}
_TYPES = {
    "aliases": pa.list_(pa.string()),
    "area": pa.float64(),
    "share": pa.float64(),
    "chartered": pa.int32(),
    "since": pa.int32(),
    "opened": pa.date32(),
    "capital": pa.bool_(),
} | {name: pa.int64() for name in ("towns", "people", "largest", "population", "age")}


def write_isles(folder) -> World:
    """Write the world's tables and spec, as a build leaves them."""
    spec = WorldSpec.model_validate(SPEC)
    (folder / "spec.yaml").write_text(write_resolved(spec), encoding="utf-8")
    for name, records in RECORDS.items():
        schema = pa.schema([(column, _TYPES.get(column, pa.string())) for column in records[0]])
        rows = [record | _dated(record) for record in records]
        place = folder / ("relations" if name == "twinned" else "entities") / f"{name}.parquet"
        place.parent.mkdir(exist_ok=True)
        write_parquet(place, [pa.Table.from_pylist(rows, schema)], schema)
    return World(folder, {"name": "isles"})


def _dated(record: dict[str, object]) -> dict[str, object]:
    opened = record.get("opened")
    return {"opened": datetime.date.fromisoformat(str(opened))} if opened else {}


class Client:
    """Calls the tools of one session, and reads their JSON."""

    def __init__(self, environment: DatabaseEnvironment | ToolSession) -> None:
        self.session = environment if isinstance(environment, ToolSession) else environment.session()
        self.error = ""

    def __call__(self, name: str, raw: str | None = None, **arguments):
        text = json.dumps(arguments) if raw is None else raw
        seen = asyncio.run(self.session.step(ToolCall("1", name, text)))
        content = json.loads(seen.text)
        assert content.get("isError", False) == bool(seen.error)
        self.error = seen.error
        return content

    def all(self, table: str, **how) -> list[dict[str, object]]:
        """Walk a list to its end."""
        records, cursor = [], ""
        for _ in range(2000):
            page = self("list_records", table=table, cursor=cursor, **how)
            records += page["records"]
            cursor = page["next_cursor"]
            if cursor is None:
                return records
        raise AssertionError("a walk has no end")
