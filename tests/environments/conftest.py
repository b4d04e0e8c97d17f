import asyncio
import datetime
import json
from pathlib import Path
from typing import Any

import pytest
from pages_by_hand import write_by_hand

from worldforge.core.progress import Progress
from worldforge.environments.search.environment import SearchEnvironment
from worldforge.environments.session import Observation, ToolSession
from worldforge.models.chat import ToolCall
from worldforge.search.index_writer import write_index
from worldforge.world.world import World

LONG_TEXT = "# Clubs of Velmar\n\n" + "".join(f"| Club {n} | founded in {1800 + n} |\n" for n in range(600))
PAGES_OF_TEST = [
    ("Velmar", "# Velmar\n\nVelmar is a [town](https://wiki.example/town).\n", datetime.date(2024, 6, 18)),
    ("Clubs of Velmar", LONG_TEXT, None),
    *[(f"Ferry {n}", f"# Ferry {n}\n\nThe ferry of pier {n}.\n", datetime.date(2030, 1, 1)) for n in range(12)],
]


class Caller:
    """Calls the tools of one session, arguments given as names or as they stand."""

    def __init__(self, session: ToolSession) -> None:
        self.session = session

    def __call__(self, name: str, raw: str | None = None, **arguments: Any) -> Observation:
        text = json.dumps(arguments) if raw is None else raw
        return asyncio.run(self.session.step(ToolCall("1", name, text)))


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> SearchEnvironment:
    folder: Path = tmp_path_factory.mktemp("world")
    rows = [
        {
            "id": f"page/{number:06d}",
            "url": f"https://wiki.example/{number}",
            "site": "wiki",
            "kind": "article",
            "title": title,
            "language": "en",
            "published": published,
            "text": text,
        }
        for number, (title, text, published) in enumerate(PAGES_OF_TEST)
    ]
    write_by_hand(folder, rows)
    write_index(folder, folder / "index", Progress())
    return SearchEnvironment(World(folder, {}))


@pytest.fixture
def ask(environment: SearchEnvironment) -> Caller:
    return Caller(environment.session())
