"""How much of its wording a page shares with the next of its kind.

    python -m benchmarks.sameness [WORLD] [--kind player_article] [--pages 10000]

Without WORLD, a quickstart world is built with as many players. The median Jaccard similarity of the 5-word shingles of
pairs of pages drawn at random; tables, headings, lists and the targets of links are left out. Target: under 0.25.
"""

import argparse
import random
import re
import statistics
import tempfile
from pathlib import Path

from worldforge.entry_points.build_world import build
from worldforge.schema.spec_loader import load_spec
from worldforge.world.world import World, open_world

SHINGLE = 5  # words
PAIRS = 20_000
TARGET = 0.25
PROSE = re.compile(r"^(?!\||#|[-*] |\d+\. |```|\[).+", re.MULTILINE)
TARGETS = re.compile(r"\]\([^)]*\)")
# players, their articles and what those lead to: no tasks to speak of, no other pages about players
SMALL = ("tasks.list.count=1", "pages.player_news.share=0", "pages.club_news.share=0", "pages.club_forum.share=0")


def shingles(text: str) -> frozenset[tuple[str, ...]]:
    """Return the runs of five words of a page's paragraphs."""
    words = re.findall(r"\w+", TARGETS.sub("]", " ".join(PROSE.findall(text))).lower())
    return frozenset(tuple(words[start : start + SHINGLE]) for start in range(len(words) - SHINGLE + 1))


def jaccard(one: frozenset, other: frozenset) -> float:
    """Return the share of what two sets have in common of all they have."""
    return len(one & other) / max(1, len(one | other))


def similarities(world: World, kind: str, n_pairs: int = PAIRS) -> list[float]:
    """Return the similarities of pairs of pages of one kind, drawn at random, sorted."""
    table = world.pages.select(["kind", "text"]).to_pylist()
    pages = [shingles(page["text"]) for page in table if page["kind"] == kind]
    draw = random.Random(0)
    return sorted(jaccard(*draw.sample(pages, 2)) for _ in range(n_pairs))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("world", nargs="?", type=Path)
    parser.add_argument("--kind", default="player_article")
    parser.add_argument("--pages", type=int, default=10_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.world
        if folder is None:
            asked = [
                f"types.player.count={arguments.pages}",
                f"types.club.count={arguments.pages // 20}",
                "types.town.count=600",
            ]
            folder = build(load_spec("quickstart", [*asked, *SMALL]), Path(scratch) / "world").folder
        found = similarities(open_world(folder), arguments.kind)
    median, high = statistics.median(found), found[int(len(found) * 0.99)]
    print(f"{arguments.kind}: median {median:.3f}, 99 in 100 pairs under {high:.3f} (target: median under {TARGET})")


if __name__ == "__main__":
    main()
