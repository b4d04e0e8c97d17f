"""What is struck: every stage as a command, the folder it begins with, and what is there when it is done."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from benchmarks._chaos.command import Commands, Done
from benchmarks._chaos.files import held
from benchmarks._chaos.hub_server import REPOSITORY, Hub
from benchmarks._chaos.model_server import ModelServer

SPEC = ("quickstart", "--set", "scale=0.15", "--set", "tasks.list.count=4")
BUILD = ("build", *SPEC, "--out", "w")
TRIALS = 33  # of 4 tasks: 132 episodes, two shards
PARTS = ("populate", "pages", "index", "tasks", "audit")
_LOG = "calls.txt"


@dataclass(frozen=True, slots=True)
class Stage:
    """A command that is struck while it does one thing.

    `before` is the folder that it begins with, `after` what is there when nobody struck. `calls` lists the calls that
    change files, `moments` when each was made, in seconds after the first; those from `first` to `last` (counted from
    1) belong to the stage.
    """

    name: str
    arguments: tuple[str, ...]
    before: Path
    after: dict[str, str]
    calls: tuple[str, ...]
    first: int
    last: int
    moments: tuple[float, ...]


class Stages:
    """Prepares stages in the folder `scratch`, each when it is first asked for, from those before it."""

    def __init__(self, scratch: Path, commands: Commands, temporary: Path, hub: Hub) -> None:
        self.scratch, self.commands, self.temporary, self.hub = scratch, commands, temporary, hub
        self.model = ModelServer()
        self._ready: dict[str, Stage] = {}
        self._bases: dict[str, Path] = {}
        self._undisturbed: dict[tuple[str, tuple[str, ...]], tuple[dict[str, str], list[str]]] = {}

    def __getitem__(self, name: str) -> Stage:
        if name not in self._ready:
            self._ready[name] = self._prepared(name)
        return self._ready[name]

    def fresh(self, base: Path, name: str = "round") -> Path:
        """Return a folder that holds what `base` does."""
        folder = self.scratch / name
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(base, folder)
        return folder

    def base(self, name: str) -> Path:
        """Return a folder that stages begin with. Not to be changed."""
        if name not in self._bases:
            folder = self.scratch / f"base-{name}"
            if name == "nothing":
                folder.mkdir()
            else:
                getattr(self, f"_make_{name}")(folder)
            self._bases[name] = folder
        return self._bases[name]

    def held(self, folder: Path) -> dict[str, str]:
        """Return what `folder` holds; of a run by models, what was done, and not how long that took."""
        found = held(folder)
        if (folder / "w/trajectories/model/run.json").exists():
            told = self.commands.call("benchmarks._chaos.prepare:rows", "w", "model", cwd=folder)
            found = {name: "" if "/model/" in name or name.endswith(".sqlite") else found[name] for name in found}
            found |= {f"episode {place}: {name}": digest for place, (name, digest) in enumerate(told)}
        return found

    def _prepared(self, name: str) -> Stage:
        base, arguments, _ = NAMES[name]
        arguments = tuple(one.format(port=self.model.port) for one in arguments)
        before = self.base(base)
        if (base, arguments) not in self._undisturbed:
            folder = self.fresh(before)
            log = self.scratch / _LOG
            self._run(arguments, folder, hook={"log": str(log)})
            self._undisturbed[base, arguments] = self.held(folder), log.read_text().splitlines()
        after, logged = self._undisturbed[base, arguments]
        told = [line.split(" ", 1) for line in logged]
        calls = tuple(call for _, call in told)
        moments = tuple(float(time) - float(told[0][0]) for time, _ in told)
        part = name.removeprefix("build.")
        first, last = self._span(calls, part) if part in PARTS else (1, len(calls))
        return Stage(name, arguments, before, after, calls, first, last, moments)

    def _span(self, calls: tuple[str, ...], part: str) -> tuple[int, int]:
        """Return which calls of a build from nothing belong to one of its stages: up to its record, and that synced."""
        records = [n for n, call in enumerate(calls, 1) if call.startswith("os.rename w/.build/")]
        ends = [n + 1 for n in records]
        assert len(ends) == len(PARTS), ends
        place = PARTS.index(part)
        return (ends[place - 1] + 1 if place else 1), (ends[place] if place + 1 < len(PARTS) else len(calls))

    def _run(self, arguments: tuple[str, ...], folder: Path, **more: object) -> Done:
        done = self.commands.run(arguments, folder, **more)
        if done is None or done.code:
            raise RuntimeError(f"{' '.join(arguments)} fails though nobody strikes: {done}")
        return done

    def _make_world(self, folder: Path) -> None:
        folder.mkdir()
        self._run(BUILD, folder)

    def _make_played(self, folder: Path) -> None:
        shutil.copytree(self.base("world"), folder)
        self._run(NAMES["rollout"][1], folder)

    def _make_answered(self, folder: Path) -> None:
        shutil.copytree(self.base("played"), folder)
        self.commands.call("benchmarks._chaos.prepare:answers", "w", "oracle", "answers.jsonl", cwd=folder)

    def _make_older(self, folder: Path) -> None:
        shutil.copytree(self.base("played"), folder)
        self.commands.call("benchmarks._chaos.prepare:age", "w", "oracle", cwd=folder)

    def _make_ranked(self, folder: Path) -> None:
        """Let both ranks play their shares."""
        shutil.copytree(self.base("world"), folder)
        for rank in range(2):
            self._run((*_ROLLOUT, *_share(rank)), folder)

    def _make_planned(self, folder: Path) -> None:
        folder.mkdir()
        (folder / "jobs.yaml").write_text(_JOBS)

    def _make_exported(self, folder: Path) -> None:
        shutil.copytree(self.base("played"), folder)
        self._run((*EXPORT, "--limit", "30"), folder)


def _share(rank: int) -> tuple[str, ...]:
    return ("--rank", str(rank), "--of", "2")


_JOBS = """\
folder: jobs
jobs:
  small:
    spec: quickstart
    set: {scale: 0.15, tasks.list.count: 4}
    steps: [build, {rollout: {agent: oracle, trials: 2}}]
    retries: {times: 2, wait: 0}
"""
_MANY_PAGES = Path(__file__).with_name("many_pages.yaml")  # as many as workers are started for
_SCORE = ("score", "answers.jsonl", "--tasks", "w")
EXPORT = ("export", "w", "--view", "sft", "--view", "trajectories")
_ROLLOUT = ("rollout", "w", "--agent", "oracle", "--trials", str(TRIALS), "--concurrency", "4")
_MODEL = (
    *("rollout", "w", "--run", "model", "--trials", "6", "--concurrency", "4"),
    *("--agent", "openai:agent@http://127.0.0.1:{port}/v1?retries=1&timeout_s=1"),
    *("--world-model", "openai:world@http://127.0.0.1:{port}/v1?retries=1&timeout_s=1"),
)

NAMES: dict[str, tuple[str, tuple[str, ...], bool]] = {
    **{f"build.{part}": ("nothing", BUILD, False) for part in PARTS},
    "build.workers": ("nothing", ("build", str(_MANY_PAGES), "--out", "w", "--workers", "2"), True),
    "build.again": ("exported", (*BUILD, "--set", "seed=7"), False),
    "rollout": ("world", _ROLLOUT, False),
    "rollout.workers": ("world", (*_ROLLOUT, "--workers", "2"), True),
    "rollout.model": ("world", _MODEL, False),
    "score": ("answered", _SCORE, False),
    "rescore": ("older", ("rescore", "w"), False),
    "export": ("played", EXPORT, False),
    "export.again": ("exported", EXPORT, False),
    "push": ("exported", ("push", "w", "--to", REPOSITORY), False),
    "jobs": ("planned", ("jobs", "run", "small"), False),
    "rollout.rank": ("world", (*_ROLLOUT, *_share(1)), False),
    "rollout.merge": ("ranked", (*_ROLLOUT, "--merge"), False),
}
"""Every stage: the folder that it begins with, its command, whether that has worker processes."""
