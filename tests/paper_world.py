"""A world on paper: twelve clubs, a page each, seventy tasks. By hand, so that no test of it waits for a build."""

import datetime
import json
from pathlib import Path

import pyarrow as pa
import pytest
from pages_by_hand import write_by_hand

from worldforge.core.progress import Progress
from worldforge.schema.resolved_spec import write_resolved
from worldforge.schema.spec import WorldSpec
from worldforge.search.index_writer import write_index
from worldforge.world.table_files import MENTIONS, TASKS, write_parquet
from worldforge.world.task import Task, TaskColumn, tasks_to_table
from worldforge.world.world import FORMAT, KEYS, World, open_world

N_CLUBS, N_TASKS = 12, 70
TOWNS = ("Velmar", "Torvik", "Ostrand", "Quillen", "Harrow", "Merrin")
COLUMNS = (TaskColumn("name", "Club", "text", is_key=True), TaskColumn("founded", "Founded", "year"))
EVALUATION = {
    "unique_columns": ["club"],
    "required": ["club", "founded"],
    "eval_pipeline": {
        "club": {"preprocess": ["norm_str"], "metric": ["exact_match"]},
        "founded": {"preprocess": ["extract_number"], "metric": ["number_near"], "criterion": 0.0},
    },
}


@pytest.fixture(scope="session")
def paper_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("paper")
    pages, mentions = zip(*(_page(club) for club in range(N_CLUBS)), strict=True)
    write_by_hand(folder, pages)
    stated = [mention for of_page in mentions for mention in of_page]
    write_parquet(folder / "mentions.parquet", [pa.Table.from_pylist(stated, MENTIONS)], MENTIONS)
    write_parquet(
        folder / "tasks.parquet", [tasks_to_table([task_on_paper(number) for number in range(N_TASKS)])], TASKS
    )
    (folder / "entities").mkdir()
    write_parquet(folder / "entities" / "club.parquet", [_clubs()], _clubs().schema)
    write_index(folder, folder / "index", Progress())
    (folder / "spec.yaml").write_text(write_resolved(_spec()), encoding="utf-8")
    counts = {"entities": {"club": N_CLUBS}, "pages": N_CLUBS, "mentions": len(stated), "tasks": N_TASKS}
    told = {"format": FORMAT, "name": "paper", "digest": "d1" * 32, "counts": counts}
    manifest = {key: {} for key in KEYS} | told
    (folder / "world.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder


@pytest.fixture
def paper_world(paper_files: Path, tmp_path: Path) -> World:
    """The world on paper, in a folder of its own: runs and datasets may be written into it."""
    return linked(paper_files, tmp_path / "world")


def linked(files: Path, folder: Path) -> World:
    """The world in `files`, opened in a new folder that shares them."""
    folder.mkdir()
    for path in files.iterdir():
        (folder / path.name).symlink_to(path)
    return open_world(folder)


def _spec() -> WorldSpec:
    founded = {"generator": "values.year", "params": {"low": 1900, "high": 1950}}
    club = {"count": N_CLUBS, "name": {"generator": "names.club"}, "attributes": {"founded": founded}}
    spec = {"name": "paper", "title": "Clubs on paper", "seed": 7, "types": {"club": club}}
    return WorldSpec.model_validate(spec | {"export": {"rows_per_shard": 50}})


def _clubs() -> pa.Table:
    clubs = range(N_CLUBS)
    return pa.table(
        {
            "id": [f"club/{club:04d}" for club in clubs],
            "name": [_name(club) for club in clubs],
            "aliases": pa.array([[] for _ in clubs], pa.list_(pa.string())),
            "founded": pa.array([1901 + club for club in clubs], pa.int32()),
        }
    )


def _name(club: int) -> str:
    return f"{TOWNS[club % len(TOWNS)]} {('Rovers', 'City')[club // len(TOWNS)]}"


def _page(club: int) -> tuple[dict[str, object], list[dict[str, object]]]:
    name, year = _name(club), str(1901 + club)
    text = f"# {name}\n\n{name} was founded in {year}.\n"
    page = {
        "id": f"page/{club:06d}",
        "url": f"https://wiki.example/{name.lower().replace(' ', '-')}",
        "site": "wiki",
        "kind": "article",
        "title": name,
        "language": "en",
        "published": datetime.date(2030, 1, 1),
        "text": text,
    }
    return page, [_mention(club, "name", name, 2), _mention(club, "founded", year, text.rindex(year))]


def _mention(club: int, column: str, value: str, start: int) -> dict[str, object]:
    fact = f"club/{club:04d}#{column}"
    stands = {"start": start, "end": start + len(value), "stance": "current", "value": value}
    return {"page": f"page/{club:06d}", "fact": fact, **stands}


def task_on_paper(number: int) -> Task:
    """A question for three of the clubs."""
    clubs = sorted({number % N_CLUBS, (number * 5 + 1) % N_CLUBS, (number * 7 + 3) % N_CLUBS})
    return Task(
        id=f"task/list-{number:04d}",
        family="list",
        about="club",
        language="en",
        wording=f"List the clubs of table {number}, with the columns Club and Founded.",
        query="",
        conditions=(),
        columns=COLUMNS,
        evaluation=EVALUATION,
        gold=tuple((_name(club), str(1901 + club)) for club in clubs),
        facts=tuple((f"club/{club:04d}#name", f"club/{club:04d}#founded") for club in clubs),
        evidence=(),
    )
