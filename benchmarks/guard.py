"""The guard on drafts with planted errors, and on honest ones: what passes, what is refused, how long it takes.

    python -m benchmarks.guard --world output/quickstart --drafts 10000

Builds the quickstart world where none is given. Ends with 1 where a planted error passes, or one clean draft in a
hundred is refused.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from worldforge.environments.search.environment import SearchEnvironment
from worldforge.world.lexicon.lexicon import Lexicon
from worldforge.world.world import World, open_world
from worldforge.world_model.guard import Guard, gold_of

# the same drafts as the tests judge
sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "world_model"))
from drafts import Planter, retold, scenes_of

N_SCENES = 1_000


def measure(world: World, n_drafts: int, show: int) -> bool:
    """Judge drafts; print what came of them; tell whether the guard is as good as it has to be."""
    start = time.perf_counter()
    lexicon = Lexicon.of_world(world)
    guard = Guard(lexicon, gold_of(world.tasks))
    print(f"lexicon and guard of {world.manifest['counts']['entities']} in {time.perf_counter() - start:.2f} s")
    draw = random.Random(1)
    scenes = scenes_of(world, SearchEnvironment(world), N_SCENES, draw)
    planter = Planter(world, lexicon)
    refused = passed = 0
    for _ in range(n_drafts):
        scene = draw.choice(scenes)
        verdict = guard.check(scene, retold(scene, draw))
        refused += verdict.kind != "clean"
        if verdict.kind != "clean" and show > 0:
            show -= 1
            print("refused:", verdict.kind, verdict.reason)
    print(f"clean drafts refused: {refused} of {n_drafts:,} ({refused / n_drafts:.2%})")
    for kind in Planter.KINDS:
        verdicts: Counter[str] = Counter()
        while verdicts.total() < n_drafts // len(Planter.KINDS):
            scene = draw.choice(scenes)
            draft = retold(scene, draw) if draw.random() < 0.5 else scene.text
            if (bad := planter.planted(kind, scene, draft, draw)) is not None:
                verdict = guard.check(scene, bad)
                verdicts[verdict.kind] += 1
                if verdict.kind == "clean" and show > 0:
                    show -= 1
                    print("PASSED:", kind, *(line for line in bad.split("\n") if line not in scene.text.split("\n")))
        passed += verdicts["clean"]
        print(f"planted {kind:7} {dict(verdicts.most_common())}")
    print(f"planted errors passed: {passed}")
    measure_speed(guard, scenes, draw)
    return passed == 0 and refused < n_drafts / 100


def measure_speed(guard: Guard, scenes: list, draw: random.Random) -> None:
    """Print how long a draft takes to be judged, where its view has been seen before."""
    drafts = [(scene, retold(scene, draw)) for scene in scenes]
    size = sum(len(draft) for _, draft in drafts) / len(drafts)
    start = time.process_time()
    for scene, draft in drafts:
        guard.check(scene, draft)
    cold = time.process_time() - start
    drafts = [(scene, retold(scene, draw)) for scene in scenes]
    start = time.process_time()
    for scene, draft in drafts:
        guard.check(scene, draft)
    warm = time.process_time() - start
    for name, seconds in (("new drafts", cold), ("new drafts, views seen twice", warm)):
        print(f"{name:28} {seconds / len(drafts) * 1e6:6.0f} CPU µs an observation of {size:,.0f} characters")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--world", type=Path)
    parser.add_argument("--drafts", type=int, default=10_000)
    parser.add_argument("--show", type=int, default=0, help="how many misjudged drafts to print")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = chosen.world
        if path is None:
            path = Path(folder) / "quickstart"
            command = [sys.executable, "-m", "worldforge.cli.main", "build", "quickstart", "--out", str(path)]
            subprocess.run(command, check=True, capture_output=True)
        return 0 if measure(open_world(path), chosen.drafts, chosen.show) else 1


if __name__ == "__main__":
    sys.exit(main())
