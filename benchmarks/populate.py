"""Populating: entities a CPU second, beside what drawing and placing the same number of cells costs at the least.

    python -m benchmarks.populate [100000]

The limit draws 64 Philox bits a cell and takes a ready text for each: no names, bounds, references, constraints or SQL.
Then each generator alone, in values a CPU second. Targets: 100,000 entities of 8 attributes in 1 CPU s; 1 M names/s.
"""

import importlib
import sys
import time
from collections.abc import Callable

import numpy as np
import pyarrow as pa

from worldforge.builders.populate.populate_stage import populate
from worldforge.core.chance import Stream
from worldforge.core.imports import load
from worldforge.core.progress import Progress
from worldforge.schema.spec import WorldSpec

N_NAMES = 1_000_000
PARAMS = {
    "values.integer": {"low": 1, "high": 10**6, "distribution": "log_uniform"},
    "values.number": {"low": 1, "high": 10**6, "decimals": 2},
    "values.year": {"low": 1140, "high": 2030},
    "values.date": {"low": "1992-01-01", "high": "2012-12-31", "distribution": "normal"},
    "values.choice": {"options": ["red", "green", "blue"], "weights": [1, 2, 3]},
}


def spec(n_entities: int) -> WorldSpec:
    """Three types, 8 attributes each: 1 in 10 a town, 3 a club, 6 a player; references, bounds, two constraints."""

    def attribute(generator: str, missing: float = 0.0, **params: object) -> dict[str, object]:
        return {"generator": generator, "params": params, "missing": missing}

    count = attribute("values.integer", low=1, high=9000, distribution="log_uniform")
    year = attribute("values.year", low=1140, high=1890)
    town = {
        "chartered": year,
        "population": count,
        "elevation": count,
        "area": attribute("values.number", low=1, high=900, decimals=1),
        "mayor": attribute("names.person"),
        "river": attribute("names.place", form="{} Water"),
        "trade": attribute("values.occupation", missing=0.2),
        "port": attribute("values.boolean"),
    }
    club = {
        "town": {"references": "town", "distribution": "zipf", "exponent": 0.8},
        "founded": attribute("values.year", low="= greatest(1868, town.chartered + 10)", high=2008),
        "stadium": attribute("names.venue"),
        "capacity": count,
        "titles": attribute("values.integer", low=0, high=14, distribution="geometric"),
        "colours": attribute("values.colour"),
        "owner": attribute("names.organisation", missing=0.3),
        "rival": {"references": "club", "capacity": 5},
    }
    player = {
        "born": attribute("values.date", low="1992-01-01", high="2012-12-31"),
        "birthplace": {"references": "town"},
        "club": {"references": "club", "capacity": 30},
        "height": attribute("values.integer", low=160, high=205, distribution="normal"),
        "caps": attribute("values.integer", low=0, high=110, distribution="geometric"),
        "goals": attribute("values.integer", low=0, high="= caps"),
        "position": attribute("values.choice", options=["goalkeeper", "defender", "midfielder", "forward"]),
        "agent": attribute("names.person", missing=0.5),
    }
    share = {"town": (1, "names.town", {}, town), "player": (6, "names.person", {}, player)}
    share["club"] = (3, "names.club", {"town": "= town.name"}, club)
    types = {
        name: {
            "count": n_entities * tenths // 10,
            "name": {"generator": generator, "params": params},
            "attributes": attributes,
        }
        for name, (tenths, generator, params, attributes) in share.items()
    }
    constraints = [
        {"on": "club", "sql": "capacity < town.population * 20", "redraw": "capacity"},
        {"on": "player", "sql": "goals <= caps"},
    ]
    return WorldSpec.model_validate({"name": "bench", "seed": 1, "types": types, "constraints": constraints})


def cpu_s(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def at_least(tables: dict[str, pa.Table]) -> None:
    """Draw bits for every cell that was drawn, and take a text for it."""
    texts = pa.array([f"some text {number}" for number in range(4096)])
    for name, table in tables.items():
        rows = np.arange(table.num_rows, dtype=np.int64)
        for column in table.column_names:
            if column not in ("id", "aliases"):
                texts.take(pa.array((Stream(1).child(name, column).bits(rows) >> np.uint64(52)).astype(np.int64)))


def main() -> None:
    n_entities = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    small = spec(1000)
    populate(small, Progress())  # imports and vocabularies
    tables = {}
    ours = cpu_s(lambda: tables.update(populate(spec(n_entities), Progress())))
    limit = cpu_s(lambda: at_least(tables))
    overhead = cpu_s(lambda: populate(small, Progress()))
    print(f"{n_entities:>11,} entities of 8 attributes  {ours:6.2f} CPU s  {n_entities / ours:>10,.0f} entities/CPU s")
    print(f"            the limit: bits and take    {limit:6.2f} CPU s  {limit / ours:10.2f} of it reached")
    print(f"            1,000 entities              {overhead:6.2f} CPU s")
    rows = np.arange(N_NAMES, dtype=np.int64)
    for kind in ("names", "values"):
        for name in shipped(kind):
            drawn = rows[:20_000] if name == "names.region" else rows
            draw = load(name)
            draw(Stream(2), rows[:10], **PARAMS.get(name, {}))
            seconds = cpu_s(lambda draw=draw, drawn=drawn, name=name: draw(Stream(2), drawn, **PARAMS.get(name, {})))
            print(f"{name:>22}  {len(drawn) / seconds / 1e6:6.1f} M/CPU s")


def shipped(kind: str) -> list[str]:
    """List the generators of a kind by name."""
    return [f"{kind}.{name}" for name in importlib.import_module(f"generators.{kind}").__all__]


if __name__ == "__main__":
    main()
