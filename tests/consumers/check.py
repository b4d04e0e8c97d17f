"""Loads a dataset in the trainers and libraries that it is for, each in an environment of its own: `make consumers`.

    python tests/consumers/check.py                     all of them
    python tests/consumers/check.py verl axolotl        some
    python tests/consumers/check.py --write             and put the table into docs/consumers.md
    python tests/consumers/check.py --lock verl         fix the versions of what an environment holds

Each script runs a consumer's own code over the dataset, and says what it ran. Environments are kept in `.venvs/`, and
made again when their requirements change. It ends with 1 where a consumer failed. One that cannot be installed here is
told as not run, with the reason: that is no failure.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
REQUIREMENTS = ROOT / "requirements" / "consumers"
DOCUMENT = ROOT / "docs" / "consumers.md"
BEGIN, END = "<!-- table: written by `make consumers` -->", "<!-- end of table -->"
TIMEOUT_S = 900


@dataclass(frozen=True)
class Consumer:
    """A script, and where it runs: without `requirements` in the environment that runs this."""

    name: str
    script: Path
    requirements: Path | None = None
    needs_worldforge: bool = False


NOISY = "noisy-searcher?misread=0.05&forget=0.05&give_up=0&malformed=0.05"


def _own(name: str, script: str, environment: str | None = None, needs_worldforge: bool = False) -> Consumer:
    requirements = REQUIREMENTS / f"{environment or name}.txt"
    return Consumer(name, HERE / "scripts" / script, requirements, needs_worldforge)


CONSUMERS = (
    Consumer("suite", HERE / "scripts" / "of_the_suite.py"),
    _own("datasets_4_0", "datasets_by_name.py"),
    Consumer("datasets", HERE / "scripts" / "datasets_by_name.py"),
    _own("hub_oldest", "hub_oldest.py", needs_worldforge=True),
    _own("axolotl", "axolotl_sft.py"),
    _own("ms_swift", "ms_swift_sft.py"),
    _own("llama_factory", "llama_factory_sft.py"),
    _own("verl", "verl_rows.py", needs_worldforge=True),
    _own("skyrl_gym", "skyrl_gym_env.py", needs_worldforge=True),
    _own("verifiers", "verifiers_eval.py", needs_worldforge=True),
    _own("nemo_gym", "nemo_gym_lines.py", "verifiers", needs_worldforge=True),
)


@dataclass(frozen=True)
class Row:
    """A line of the table. A failure's `result` is its first line; `details` is all that there is to read."""

    consumer: str
    version: str
    view: str
    what: str
    result: str
    failed: bool = False
    details: str = ""


class NotInstalledError(Exception):
    """An environment cannot be made on this machine; the text says why."""


def main(arguments: Sequence[str] | None = None, consumers: Sequence[Consumer] = CONSUMERS) -> int:
    asked = _asked(arguments, consumers)
    chosen = [one for one in consumers if not asked.names or one.name in asked.names]
    if asked.lock:
        for one in chosen:
            _lock(one)
        return 0
    with tempfile.TemporaryDirectory(prefix="consumers-") as folder:
        world = asked.world or _make_world(Path(folder) / "quickstart")
        model = _make_model(Path(folder) / "tiny")
        rows = [row for one in chosen for row in _checked(one, world, model, asked.environments)]
    print("\n" + "\n".join(_table(rows)))
    failed = [row for row in rows if row.failed]
    for row in failed:
        print(f"\n{row.consumer} failed:\n{row.details}", file=sys.stderr)
    if asked.write:
        _write(rows)
    return 1 if failed else 0


def _asked(arguments: Sequence[str] | None, consumers: Sequence[Consumer]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(one.name for one in consumers)}")
    parser.add_argument("--world", type=Path, help="a world with a dataset of every view; otherwise one is built")
    parser.add_argument("--environments", type=Path, default=ROOT / ".venvs", help="where environments are kept")
    parser.add_argument("--write", action="store_true", help=f"put the table into {DOCUMENT.relative_to(ROOT)}")
    parser.add_argument("--lock", action="store_true", help="run nothing; fix versions, by `uv` beside this Python")
    asked = parser.parse_args(arguments)
    unknown = sorted(set(asked.names) - {one.name for one in consumers})
    if unknown:
        parser.error(f"no consumer is called {', '.join(unknown)}")
    if asked.write and asked.names:
        parser.error("--write is for the whole table: name no consumer")
    if asked.world and not (asked.world / "datasets" / "manifest.json").exists():
        parser.error(f"{asked.world} has no dataset: `worldforge export {asked.world} --view all --any-outcome`")
    return asked


def _make_world(folder: Path) -> Path:
    """Build the quickstart world, with trajectories of oracle and noisy searcher and a dataset of every view."""
    for words in (
        ["run", "quickstart", "--set", "rollouts.agent=oracle", "--out", folder],
        ["rollout", folder, "--agent", NOISY, "--max-steps", "50", "--trials", "3"],
        ["export", folder, "--view", "all", "--any-outcome"],
    ):
        print(f"worldforge {' '.join(map(str, words))}", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "worldforge.cli.main", *map(str, words)], cwd=ROOT, check=True)
    return folder


def _make_model(folder: Path) -> Path:
    """Make the tiny model of the tests: consumers want its tokenizer, and some its configuration."""
    code = "import sys, tiny_model; tiny_model.make_tiny_model(sys.argv[1], context_tokens=32_768)"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "tests")}
    subprocess.run([sys.executable, "-c", code, str(folder)], env=environment, check=True)
    return folder


def _checked(consumer: Consumer, world: Path, model: Path, environments: Path) -> list[Row]:
    print(f"== {consumer.name}", file=sys.stderr, flush=True)
    try:
        python = _python(consumer, environments)
    except NotInstalledError as error:
        reason = f"not run: {str(error).strip().splitlines()[-1]}"
        return [Row(consumer.name, "", "", consumer.script.name, reason, details=str(error))]
    rows = _run(consumer, python, world, model)
    for row in rows:
        print(f"{row.view}: {row.what}: {row.result}", file=sys.stderr)
    return rows


def _python(consumer: Consumer, environments: Path) -> str:
    """Return the Python that the script runs in; make its environment where there is none of those requirements.

    Raises NotInstalledError where that cannot be done.
    """
    if consumer.requirements is None:
        return sys.executable
    folder = environments / consumer.requirements.stem
    python, installed = folder / "bin" / "python", folder / "requirements.txt"
    what = ["--requirement", consumer.requirements, *(["--editable", ROOT] if consumer.needs_worldforge else [])]
    wanted = "\n".join([consumer.requirements.read_text(encoding="utf-8"), *map(str, what[2:])])
    if installed.exists() and installed.read_text(encoding="utf-8") == wanted:
        return str(python)
    installed.unlink(missing_ok=True)
    # Without dependencies: whole trees hold what was built for GPUs. The lists name all that is needed.
    install = ["install", "--quiet", "--no-deps", "--disable-pip-version-check", *what]
    for command in (
        [sys.executable, "-m", "venv", "--clear", "--without-pip", folder],
        [sys.executable, "-m", "pip", "--python", python, *install],
    ):
        done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
        if done.returncode:
            raise NotInstalledError(done.stderr or f"{command[2]} ended with {done.returncode}")
    installed.write_text(wanted, encoding="utf-8")
    return str(python)


def _run(consumer: Consumer, python: str, world: Path, model: Path) -> list[Row]:
    given = {"--dataset": world / "datasets", "--world": world, "--model": model}
    words = [str(word) for option in given.items() for word in option]
    try:
        done = subprocess.run(
            [python, str(consumer.script), *words],
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT_S,
            env=_surroundings(model.parent / "caches" / consumer.name),
        )
    except subprocess.TimeoutExpired:
        return [_failure(consumer, f"it took more than {TIMEOUT_S} s")]
    rows = [Row(**json.loads(line)) for line in done.stdout.splitlines() if line.startswith('{"consumer": ')]
    if done.returncode:
        return [*rows, _failure(consumer, done.stderr.strip() or f"it ended with {done.returncode}")]
    return rows or [_failure(consumer, "it said nothing of what it ran")]


def _surroundings(folder: Path) -> dict[str, str]:
    """Return the variables that a script runs with: no hub is asked, and caches are its own, in `folder`.

    `datasets` takes two local folders of one name and card for the same dataset, and reads the other's cache.
    """
    variables = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    variables |= {"HF_HUB_OFFLINE": "1", "HF_HOME": str(folder / "hf"), "MODELSCOPE_CACHE": str(folder / "modelscope")}
    return variables


def _failure(consumer: Consumer, details: str) -> Row:
    return Row(consumer.name, "", "", consumer.script.name, f"FAILED: {details.splitlines()[-1]}", True, details)


def _table(rows: Sequence[Row]) -> list[str]:
    head = ["| consumer | version | view | what was run | result |", "|---|---|---|---|---|"]
    cells = ([row.consumer, row.version, row.view, row.what, row.result] for row in rows)
    return head + [f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in cells]


def _write(rows: Sequence[Row]) -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    DOCUMENT.write_text("\n".join([before + BEGIN, "", *_table(rows), "", END + after]), encoding="utf-8")


def _lock(consumer: Consumer) -> None:
    """Fix the versions of all that an environment holds; the project's own needs among it, where it is installed."""
    if consumer.requirements is None:
        return
    project = [ROOT / "pyproject.toml"] if consumer.needs_worldforge else []
    fixed: list[str | Path] = ["--python-version", "3.11", "--no-header", "--no-annotate", "--quiet"]
    fixed += ["--override", REQUIREMENTS / "left_out.txt", "--find-links", os.environ.get("PIP_FIND_LINKS", "")]
    files = [*project, consumer.requirements.with_suffix(".in"), "--output-file", consumer.requirements]
    uv = Path(sys.executable).with_name("uv")
    subprocess.run([*map(str, (uv, "pip", "compile", *fixed, *files))], cwd=ROOT, check=True)


if __name__ == "__main__":
    sys.exit(main())
