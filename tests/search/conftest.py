import datetime
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from pages_by_hand import write_by_hand

from worldforge.core.progress import Progress
from worldforge.search import index_writer
from worldforge.search.rerank import RankingSettings
from worldforge.search.search_index import SearchIndex, open_index

Page = dict[str, Any]


@pytest.fixture(scope="session")
def build_index(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., SearchIndex]:
    """Index pages given as dicts, what they leave out filled in; the index lies in its own folder."""

    def build(pages: Sequence[Page], **options: Any) -> SearchIndex:
        return open_index(build_folder(tmp_path_factory.mktemp("world"), pages, **options))

    return build


def build_folder(world: Path, pages: Sequence[Page], search: Page | None = None, seed: int = 0, **options: Any) -> Path:
    rows = [_filled(number, page) for number, page in enumerate(pages)]
    write_by_hand(world, rows)
    ranking = RankingSettings.of(as_of="2031-06-30", seed=seed, **(search or {}))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index_writer, "SHARD_BYTES", options.pop("shard_bytes", index_writer.SHARD_BYTES))
        index_writer.write_index(world, world / "index", Progress(), ranking, **options)
    return world / "index"


@pytest.fixture
def index_folder(tmp_path: Path) -> Callable[..., Path]:
    """Index pages into the folder `<name>/index` below a temporary one."""

    def build(name: str, pages: Sequence[Page], **options: Any) -> Path:
        return build_folder(tmp_path / name, pages, **options)

    return build


def _filled(number: int, page: Page) -> Page:
    given = {
        "id": f"page/{number:06d}",
        "url": f"https://wiki.example/{number}",
        "site": "wiki",
        "kind": "article",
        "title": f"Page {number}",
        "language": "en",
        "published": datetime.date(2030, 1, 1),
        "text": "",
    }
    return given | page
