"""Strikes at every stage of the work, at moments drawn by chance, and checks what the same command makes of it.

    python -m benchmarks.chaos [--rounds 100] [--seed N] [--only kill,disk] [--stages build,rollout] [--report FILE]

Commands are killed (all of a command's processes, itself alone, a worker), their disk filled, their files sealed,
damaged, the clock moved, the model's server or the Hub cut off. Then the same command is given again: what is there
in the end must be what an undisturbed run leaves, byte for byte, with nothing lost, doubled or left over; or it
refuses, naming the file. A round that finds a defect says how to repeat it: `--seed N --round K`.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks._chaos.command import Commands
from benchmarks._chaos.hub_server import Hub
from benchmarks._chaos.report import DEFECT, Round, table, write_report
from benchmarks._chaos.scene import DefectError, MissedError, Scene
from benchmarks._chaos.stages import Stages
from benchmarks._chaos.strikes import STRIKES, stages_of

_TRIES = 12  # of a strike that comes too late
_OWN_MOUNTS = "WORLDFORGE_CHAOS_MOUNTS"


def plan(strikes: Sequence[str], wanted: Sequence[str], rounds: int, seed: int) -> list[tuple[str, str]]:
    """Return the stage and strike of each round: all pairs, in an order drawn by chance, again and again."""
    pairs = [(stage, strike) for strike in strikes for stage in stages_of(strike) if _is_wanted(stage, wanted)]
    draw, drawn = random.Random(f"plan {seed}"), []
    while len(drawn) < rounds:
        draw.shuffle(pairs)
        drawn += pairs
    return drawn[:rounds]


def play(stages: Stages, number: int, stage: str, strike: str, seed: int) -> Round:
    """Play one round. A strike that comes too late is drawn anew."""
    started, story = time.monotonic(), ""
    for attempt in range(_TRIES):
        for left in stages.temporary.iterdir():
            shutil.rmtree(left, ignore_errors=True)
        scene = Scene(stages, stages[stage], random.Random(f"{seed} {number} {attempt}"))
        try:
            outcome = STRIKES[strike](scene)
        except MissedError:
            continue
        except DefectError as error:
            outcome, story = DEFECT, f": {error}"
        told = "; ".join(scene.story) + story
        return Round(number, stage, strike, outcome, round(time.monotonic() - started, 1), told, attempt)
    return Round(number, stage, strike, "missed", round(time.monotonic() - started, 1), "", _TRIES)


def main() -> int:
    arguments = _arguments()
    _take_own_mounts()
    strikes = arguments.only or list(STRIKES)
    drawn = plan(strikes, arguments.stages, max(arguments.rounds, arguments.round or 0), arguments.seed)
    numbers = [arguments.round] if arguments.round else range(1, len(drawn) + 1)
    started, played = time.monotonic(), []
    scratch = Path(tempfile.mkdtemp(prefix="chaos-", dir=arguments.scratch))
    scratch.chmod(0o755)
    temporary = scratch / "tmp"
    temporary.mkdir()
    temporary.chmod(0o1777)
    hub = Hub(scratch / "hub")
    commands = Commands(scratch, {"TMPDIR": str(temporary), "OPENAI_API_KEY": "none", **hub.env})
    try:
        stages = Stages(scratch, commands, temporary, hub)
        for number in numbers:
            one = play(stages, number, *drawn[number - 1], arguments.seed)
            played.append(one)
            print(f"{number:4} {one.stage:16} {one.strike:8} {one.outcome:14} {one.seconds:6.1f} s  {one.story}")
            if one.outcome == DEFECT:
                print(f"     to repeat: {_command(arguments)} --round {number}")
            sys.stdout.flush()
            if arguments.report:
                write_report(arguments.report, _command(arguments), time.monotonic() - started, _struck(played))
    finally:
        commands.close()
        shutil.rmtree(scratch, ignore_errors=True)
    print("\n" + table(_struck(played)))
    return int(any(one.outcome == DEFECT for one in played))


def _struck(played: Sequence[Round]) -> list[Round]:
    return [one for one in played if one.outcome != "missed"]


def _is_wanted(stage: str, wanted: Sequence[str]) -> bool:
    return not wanted or any(stage == name or stage.startswith(f"{name}.") for name in wanted)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--round", type=int, help="play this one alone, of the rounds that the other options give")
    parser.add_argument("--only", type=_names, default=[], help=f"strikes: {','.join(STRIKES)}")
    parser.add_argument("--stages", type=_list, default=[], help="build, build.pages, rollout … Default: all")
    parser.add_argument("--report", type=Path, help="write FILE.md and FILE.json")
    parser.add_argument("--scratch", type=Path, help="where worlds are built and struck; default: the temporary folder")
    arguments = parser.parse_args()
    try:
        for folder in (arguments.scratch, arguments.report and arguments.report.parent):
            if folder:
                folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        parser.error(str(error))
    known = list(dict.fromkeys(stage for strike in arguments.only or STRIKES for stage in stages_of(strike)))
    for name in arguments.stages:
        if not any(_is_wanted(stage, [name]) for stage in known):
            parser.error(f"no stage that can be struck so is called {name}; there is {', '.join(known)}")
    return arguments


def _list(text: str) -> list[str]:
    return text.split(",")


def _names(text: str) -> list[str]:
    names = _list(text)
    if unknown := [name for name in names if name not in STRIKES]:
        raise argparse.ArgumentTypeError(f"no strike is called {unknown[0]}; there is {', '.join(STRIKES)}")
    return names


def _command(arguments: argparse.Namespace) -> str:
    words = ["python -m benchmarks.chaos", f"--rounds {arguments.rounds}", f"--seed {arguments.seed}"]
    words += [f"--only {','.join(arguments.only)}"] if arguments.only else []
    words += [f"--stages {','.join(arguments.stages)}"] if arguments.stages else []
    return " ".join(words)


def _take_own_mounts() -> None:
    """Go on with mounts that nobody else sees, and that go with this process, where that can be had."""
    apart = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--mount"]
    if _OWN_MOUNTS in os.environ or shutil.which("unshare") is None:
        return
    os.environ[_OWN_MOUNTS] = "1"
    if subprocess.run([*apart, "true"], capture_output=True, check=False).returncode == 0:
        os.execvp(apart[0], [*apart, sys.executable, "-m", "benchmarks.chaos", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
