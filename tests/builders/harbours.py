"""A small world set by hand: odd names, every kind of value, missing cells, a relation. Its tables follow its spec."""

import datetime

import numpy as np
import pyarrow as pa

from worldforge.schema.spec import WorldSpec
from worldforge.world.stable_ids import entity_ids

N_ISLES, N_HARBOURS, N_SHIPS, N_CALLS = 5, 40, 150, 300
ODD_NAMES = ["Nørrehavn", "漢港", "Port 𝒳", "Nord Havn", "Nord-Havn", "Łęg² Quay", "!!!", "Ärn"]
PAGES = {
    "isle_article": {"generator": "pages.encyclopedia", "about": "isle"},
    "harbour_article": {"generator": "pages.encyclopedia", "about": "harbour", "share": 0.8},
    "ship_article": {"generator": "pages.encyclopedia", "about": "ship", "completeness": 0.7},
    "harbour_site": {
        "generator": "pages.official",
        "about": "harbour",
        "states": ["depth", "isle", "open", "calls_at"],
    },
    "ship_news": {"generator": "pages.news", "about": "ship", "states": ["launched", "length"], "site": "gazette"},
    "harbours": {"generator": "pages.directory", "about": "harbour", "by": "isle", "states": ["depth"], "page_size": 4},
    "ships": {"generator": "pages.directory", "about": "ship", "by": "home.isle", "completeness": 0.5, "page_size": 7},
    "fleet": {"generator": "pages.statistics", "about": "ship", "states": ["length", "crew"], "page_size": 40},
    "ship_forum": {"generator": "pages.forum", "about": "ship", "share": 0.3, "completeness": 0.6},
}


def harbour_spec(pages=PAGES, **changes):
    """The spec: `changes` go in at the top."""
    return WorldSpec.model_validate(
        {
            "name": "harbours",
            "seed": 5,
            "types": {
                "isle": {
                    "count": N_ISLES,
                    "name": {"generator": "names.region"},
                    "attributes": {"area": {"generator": "values.number", "unit": "km²"}},
                },
                "harbour": {
                    "count": N_HARBOURS,
                    "name": {"generator": "names.town"},
                    "attributes": {
                        "isle": {"references": "isle"},
                        "depth": {"generator": "values.number", "unit": "m"},
                        "open": {"generator": "values.boolean", "label": "open in winter"},
                    },
                },
                "ship": {
                    "count": N_SHIPS,
                    "label": "old ship",
                    "name": {"generator": "names.venue"},
                    "attributes": {
                        "home": {"references": "harbour", "label": "home port"},
                        "launched": {"generator": "values.date"},
                        "built": {"generator": "values.year"},
                        "length": {"generator": "values.integer", "unit": "m"},
                        "crew": {"generator": "values.integer", "label": "sailors"},
                        "rig": {
                            "generator": "values.choice",
                            "sentences": ["Rigged as {value}, {subject} is known to all.", "It is a {value}."],
                        },
                    },
                },
            },
            "relations": {
                "calls_at": {
                    "source": "ship",
                    "target": "harbour",
                    "title": "Ports of call",
                    "per_source": {"low": 0, "high": 9},
                    "columns": {"from": {"generator": "values.year"}, "cargo": {"generator": "values.integer"}},
                }
            },
            "sites": {"gazette": {"title": "The Gazette of the Isles"}},
            "pages": pages,
            **changes,
        }
    )


def harbour_tables():
    """The tables: cells are missing in about one of seven rows, the references among them."""
    chance = np.random.default_rng(3)

    def some(values, kind):
        return pa.array(values, kind, mask=chance.random(len(values)) < 0.15)

    def pick(table, n, of):
        return entity_ids(table, chance.integers(0, of, n)).to_pylist()

    areas = np.round(chance.random(N_ISLES) * 9e4, 2)
    days = [datetime.date(1800, 1, 1) + datetime.timedelta(int(d)) for d in chance.integers(0, 80_000, N_SHIPS)]
    return {
        "isle": _table(
            "isle",
            [f"Isle {i}" for i in range(N_ISLES)],
            area=some(areas, "float64"),
        ),
        "harbour": _table(
            "harbour",
            ODD_NAMES + [f"Port {i}" for i in range(N_HARBOURS - len(ODD_NAMES))],
            isle=some(pick("isle", N_HARBOURS, N_ISLES), "string"),
            depth=some(np.round(chance.random(N_HARBOURS) * 90, 1), "float64"),
            open=some(chance.random(N_HARBOURS) < 0.5, "bool"),
        ),
        "ship": _table(
            "ship",
            [f"{'Lady' if i % 3 else 'Señora'} {i}" for i in range(N_SHIPS)],
            home=some(pick("harbour", N_SHIPS, N_HARBOURS), "string"),
            launched=some(days, "date32"),
            built=some(chance.integers(1800, 2020, N_SHIPS), "int32"),
            length=some(chance.integers(5, 4000, N_SHIPS), "int64"),
            crew=some(chance.integers(0, 3, N_SHIPS), "int64"),
            rig=some(chance.choice(["brig", "schooner²", "yawl"], N_SHIPS).tolist(), "string"),
        ),
        "calls_at": pa.table(
            {
                "id": entity_ids("calls_at", np.arange(N_CALLS)),
                "source": pick("ship", N_CALLS, N_SHIPS),
                "target": pick("harbour", N_CALLS, N_HARBOURS),
                "from": some(chance.integers(1900, 2020, N_CALLS), "int32"),
                "cargo": some(chance.integers(0, 90_000, N_CALLS), "int64"),
            }
        ),
    }


def _table(name, names, **columns):
    aliases = pa.array([[]] * len(names), pa.list_(pa.string()))
    return pa.table({"id": entity_ids(name, np.arange(len(names))), "name": names, "aliases": aliases, **columns})
