"""How much of a world's web has to be read: its wording, where its facts stand, and what reads no sentence reaches.

    python -m benchmarks.reading [sports food_zh …] [--other-seed 101] [--folder DIR] [--markdown docs/reading.md]

Builds each SPEC, the same with another seed, and a world of another schema in the same language; prints three tables.

labels        distinct labels of infoboxes, tables and lists an attribute that answers ask for: the median, and the
              share of attributes that have only one
skeletons     distinct sentences an attribute once values, names and figures are masked, of attributes that 30 sentences
              state: the median, the least, and the share of the ten commonest
seed, schema  share of the 5-word shingles (Chinese: 8 characters) of a page's masked prose that the world of another
              seed, and that of another schema, has: the mean over 300 pages; menus and lines of links are no prose
lengths       words (Chinese: characters) a page as shown; very long is over 2,500 (4,500)
prose         of the facts that tasks need, names apart: those that no table row, list item or `label: value` line
              states
long          those that only pages of over 1,500 words (2,500 characters) state
structured    those that a table row, list item or `label: value` line states
players       item F1 (`strict`, mean over tasks) of players that read no sentence: benchmarks/_reading/non_readers.py
"""

import argparse
import json
import statistics
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

from benchmarks._reading.harvest import WebPage
from benchmarks._reading.non_readers import Player, crawler, largest_table, scraper
from benchmarks._reading.record_answers import Question
from benchmarks._reading.report import BEGIN, Reading, put_into, tables
from benchmarks._reading.skeletons import Masker, count_skeletons, overlap, sampled
from benchmarks._reading.stated_facts import StatedWeb
from worldforge.core.errors import WorldForgeError
from worldforge.entry_points.build_world import build
from worldforge.schema.spec_loader import load_spec
from worldforge.scoring.benchmark_files import read_questions
from worldforge.scoring.strict_scorer import score_strict
from worldforge.search.search_index import open_index
from worldforge.world.world import World, open_world

OTHERS = ("finance", "sports")
"""What a world is compared with as one of another schema: the first that is not its own."""


def built(spec: str, folder: Path, scale: float, seed: int | None = None) -> World:
    """Build a world, or go on with what is there of it."""
    asked = [f"scale={scale:g}"] + ([f"seed={seed}"] if seed is not None else [])
    target = folder / "-".join([Path(spec).stem, f"{scale:g}", *([str(seed)] if seed is not None else [])])
    return open_world(build(load_spec(spec, asked), target).folder)


def other_schema(spec: str) -> str:
    """Return a shipped spec of another schema and the same language."""
    name = Path(spec).stem
    ending = "_zh" if name.endswith("_zh") else ""
    return next(one for one in OTHERS if one != name.removesuffix("_zh").removesuffix("_mixed")) + ending


def all_shingles(world: World) -> set[tuple[str, ...]]:
    """Return the shingles of all pages of a world."""
    web = StatedWeb(world)
    masker = Masker(web.names)
    return set().union(*(masker.shingles(page.text, page.facts, page.language) for page in web.pages))


def reached(world: World, player: Player) -> float:
    """Return the mean item F1 of a player over the tasks of a world."""
    golds = {question.task: question.gold for question in read_questions(world.path).values()}
    answers = {task.id: player(Question(task.wording, tuple(task.labels))) for task in world.tasks}
    return statistics.fmean(score_strict(answer, golds[name]).item_f1 for name, answer in answers.items())


def players(world: World) -> dict[str, Player]:
    """Return the players that read no sentence. They get the pages and the index, and nothing else of the world."""
    index = open_index(world.path / "index")
    rows = world.pages.select(["url", "title", "published", "text"]).to_pylist()
    pages = [WebPage(row["url"], row["title"], str(row["published"] or ""), row["text"]) for row in rows]
    asked = [Question(task.wording, tuple(task.labels)) for task in world.tasks]
    return {"largest_table": largest_table(index), "scraper": scraper(index), "crawler": crawler(pages, asked)}


def measured(spec: str, folder: Path, scale: float, other_seed: int) -> Reading:
    """Build what is compared, and measure one world."""
    world = built(spec, folder, scale)
    web = StatedWeb(world)
    masker = Masker(web.names)
    pages = [web.pages[place] for place in sampled(len(web.pages))]
    own = [masker.shingles(page.text, page.facts, page.language) for page in pages]
    another = built(spec, folder, scale, other_seed)
    foreign = built(other_schema(spec), folder, scale)
    return Reading(
        Path(spec).stem,
        web.language,
        len(web.pages),
        web.labels(),
        count_skeletons(
            sentence for page in web.pages for sentence in masker.sentences(page.text, page.facts, page.language)
        ),
        web.places(),
        web.lengths(),
        overlap(own, all_shingles(another)),
        overlap(own, all_shingles(foreign)),
        {name: reached(world, player) for name, player in players(world).items()},
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("specs", nargs="*", default=["quickstart"], metavar="SPEC")
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--other-seed", type=int, default=101)
    parser.add_argument("--folder", type=Path, help="where worlds are built and kept; default: a temporary folder")
    parser.add_argument("--markdown", type=Path, help=f"a file to write, or one that has a line `{BEGIN}`")
    parser.add_argument("--json", type=Path, help="a file for all figures")
    arguments = parser.parse_args()
    found, failed = list[Reading](), list[str]()
    with ExitStack() as stack:
        folder = arguments.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for spec in arguments.specs:
            try:
                found.append(measured(spec, folder, arguments.scale, arguments.other_seed))
            except WorldForgeError as error:
                print(f"{spec}: {error}", file=sys.stderr)
                failed.append(spec)
    text = tables(found, failed)
    print(text)
    if arguments.markdown:
        put_into(arguments.markdown, text)
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(one) for one in found], indent=1) + "\n")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
