"""One round: a stage, chance of its own, and what every strike asks of the command that it has struck."""

from __future__ import annotations

import random
import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks._chaos.command import Commands, Done, Running
from benchmarks._chaos.files import differences, lies, partials
from benchmarks._chaos.stages import Stage, Stages

RESUMED, REFUSED = "clean resume", "clear refusal"
_SHOWN = 6  # differences that are told


class MissedError(Exception):
    """The command had ended before it was struck, or never came to what was struck."""


class DefectError(Exception):
    """What should hold does not; says what."""


@dataclass
class Scene:
    """A round of strikes at `stage` in the folder `folder`. `story` says what is done, for whoever repeats it."""

    stages: Stages
    stage: Stage
    draw: random.Random
    story: list[str] = field(default_factory=list)
    folder: Path = Path()
    arguments: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.folder, self.arguments = self.stages.scratch / "round", self.stage.arguments

    @property
    def commands(self) -> Commands:
        """What starts commands."""
        return self.stages.commands

    @property
    def log(self) -> Path:
        """Where a command puts down its calls that change files."""
        return self.stages.scratch / "calls.txt"

    def lay_out(self, base: Path | None = None) -> Path:
        """Put what the stage begins with into the folder."""
        for child in self.folder.iterdir() if self.folder.is_dir() else ():
            shutil.rmtree(child) if child.is_dir() else child.unlink()
        shutil.copytree(base or self.stage.before, self.folder, dirs_exist_ok=True)
        return self.folder

    def start(self, **more: object) -> Running:
        """Start the stage's command."""
        return self.commands.start(self.arguments, self.folder, **more)

    def tell(self, text: str) -> None:
        """Put down what is done."""
        self.story.append(text)

    def a_call(self) -> int:
        """Draw one of the stage's calls that change files, from 1."""
        return self.draw.randint(self.stage.first, self.stage.last)

    def until_a_moment(self, **more: object) -> Running:
        """Start the command, and let it run until a moment that is drawn evenly from the stage's time.

        The time is the undisturbed run's, told by its calls: a machine that is busy moves the moment with the work.
        """
        stage = self.stage
        begins = stage.moments[stage.first - 2] if stage.first > 1 else 0.0
        moment = self.draw.uniform(begins, stage.moments[stage.last - 1])
        call = sum(one <= moment for one in stage.moments)
        pause_s = moment - stage.moments[call - 1]
        self.tell(f"{pause_s:.3f} s after call {call} that changes files ({stage.calls[call - 1]})")
        self.log.unlink(missing_ok=True)
        running = self.start(hook={"log": str(self.log)}, **more)
        while not self.log.exists() or self.log.read_bytes().count(b"\n") < call:
            if running.is_over(0.002):
                self.finish(running)
                raise MissedError
        if pause_s and running.is_over(pause_s):
            self.finish(running)
            raise MissedError
        return running

    def finish(self, running: Running) -> Done:
        """Wait until a command has ended, and with it all that it had started."""
        done = running.wait()
        if done is None:
            raise DefectError(f"it hangs: not done within minutes; by then it had said:\n{_last(self.log)}")
        if left := running.orphans():
            raise DefectError(f"it left {len(left)} processes behind")
        if "Traceback" in done.err or "defect of WorldForge" in done.err:
            raise DefectError(f"it ended with {done.code} and\n{done.err}")
        return done

    def resumed(self, **more: object) -> str:
        """Run the same command once more and compare what is there with what nobody disturbed."""
        self.check_records()
        done = self.finish(self.start(**more))
        if done.code:
            raise DefectError(f"the same command again ended with {done.code}:\n{done.err}")
        self.check_same()
        return RESUMED

    def check_same(self) -> None:
        """Raise DefectError unless the folder is as the undisturbed stage leaves it, and nothing lies about."""
        if found := differences(self.stage.after, self.stages.held(self.folder)):
            raise DefectError("afterwards " + ", ".join(found[:_SHOWN]) + (" …" if len(found) > _SHOWN else ""))
        if left := sorted(path.name for path in self.stages.temporary.iterdir()):
            raise DefectError(f"{left} lie in the folder for temporary files")

    def check_records(self) -> None:
        """Raise DefectError where a record in the folder claims what is not so."""
        if found := lies(self.folder):
            raise DefectError("a record lies: " + ", ".join(found[:_SHOWN]))

    def check_told(self, done: Done, codes: set[int], *, about: str = "") -> None:
        """Raise DefectError unless the command ended with one message that speaks of `about` and names a file."""
        if done.code not in codes:
            raise DefectError(f"it ended with {done.code}, not {sorted(codes)}:\n{done.err}")
        if done.err.count("error:") != 1:
            raise DefectError(f"it did not end with one message:\n{done.err}")
        if about and about not in done.err:
            raise DefectError(f"its message does not name {about}:\n{done.err}")

    def check_nothing_half_written(self) -> None:
        """Raise DefectError where something half-written was left by a command that could have removed it."""
        if left := partials(self.folder):
            raise DefectError(f"it left {left[0]}")


def wait_until(holds: object, at_most_s: float) -> bool:
    """Wait until `holds()` is true; say whether it came to be."""
    assert callable(holds)
    deadline = time.monotonic() + at_most_s
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def _last(path: Path) -> str:
    return "\n".join(path.read_text().splitlines()[-3:]) if path.exists() else ""
