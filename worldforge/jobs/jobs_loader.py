"""Read a jobs.yaml and report all of its problems at once, each with its place and a hint.

A jobs.yaml may come from a stranger: reading it runs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldforge.core.errors import InputError
from worldforge.core.redaction import holds_secret
from worldforge.core.suggestions import did_you_mean
from worldforge.jobs.jobs_file import VERBS, Job, JobsFile
from worldforge.jobs.step_commands import EXAMPLE_VALUES, build_command, placeholders
from worldforge.schema.document import Document, KeyPath, read_document
from worldforge.schema.problems import Problem, SpecError
from worldforge.schema.shape_errors import validate_document
from worldforge.schema.spec_sources import find_spec, read_text

FILE_NAME = "jobs.yaml"
CheckArguments = Callable[[Sequence[str]], str]
"""Checks the arguments of `worldforge`, the verb first, by the command's own parser: the problem, or nothing."""


@dataclass(frozen=True, slots=True)
class JobsPlan:
    """A jobs.yaml as read: its path and its content."""

    path: Path
    file: JobsFile

    @property
    def root(self) -> Path:
        """The folder of the jobs.yaml, where commands run."""
        return self.path.parent

    @property
    def folder(self) -> Path:
        """The folder of runs and the ledger."""
        return self.root / self.file.folder

    def job(self, name: str) -> Job:
        """Return a job by name. Raises InputError if there is none."""
        if name not in self.file.jobs:
            raise InputError(f"{self.path} has no job `{name}`", did_you_mean(name, self.file.jobs))
        return self.file.jobs[name]


def read_jobs(path: Path, check: CheckArguments) -> JobsPlan:
    """Read a jobs.yaml, or that of a folder.

    Raises SpecError with all problems, or InputError if there is no such file.
    """
    path = path / FILE_NAME if path.is_dir() else path
    if not path.is_file():
        raise InputError(f"there is no {path}", "`worldforge jobs new` writes one; `--file` names another")
    document, problems = read_document(read_text(path), str(path))
    file, faults = validate_document(document, JobsFile)
    problems += [fault.problem for fault in faults]
    jobs = document.get(("jobs",))
    for name in jobs if isinstance(jobs, Mapping) else ():
        problems += _job_problems(document, ("jobs", name), path.parent, check)
    if file is None or problems:
        raise SpecError(sorted(problems, key=lambda problem: (problem.line, problem.column)))
    return JobsPlan(path, file)


def _job_problems(document: Document, at: KeyPath, root: Path, check: CheckArguments) -> Iterator[Problem]:
    """Yield what the shape of a job does not show: placeholders and specs that do not exist, steps that cannot run."""
    job = document.get(at)
    if not isinstance(job, Mapping):
        return  # reported as a wrong shape
    steps = job.get("steps")
    parts = {(*at, "spec"): job.get("spec"), (*at, "set"): job.get("set")}
    parts |= {(*at, "steps", n): step for n, step in enumerate(steps if isinstance(steps, list) else ())}
    for path, part in parts.items():
        unknown = [name for name in placeholders(part) if name not in EXAMPLE_VALUES]
        for name in unknown:
            hint = f"{did_you_mean(name, EXAMPLE_VALUES)}; `{{{{{name}}}}}` is the text `{{{name}}}`"
            yield document.problem(path, f"there is no placeholder `{{{name}}}`", hint, key=True)
        if path[-1] == "spec":
            yield from _spec_problems(document, path, part, root)
        elif path[-2] == "steps" and not unknown:
            yield from _step_problems(document, path, part, job, root, check)


def _step_problems(
    document: Document, path: KeyPath, step: Any, job: Mapping[str, Any], root: Path, check: CheckArguments
) -> Iterator[Problem]:
    verb, options = next(iter(step.items())) if isinstance(step, Mapping) and len(step) == 1 else (step, {})
    if not isinstance(verb, str) or not isinstance(options, Mapping):
        return  # reported as a wrong shape
    place = document.place((*path, verb), key=True)
    if verb not in VERBS:
        yield place.problem(path, f"`{verb}` cannot be a step", did_you_mean(verb, VERBS))
    elif message := _check_step(verb, options, job.get("spec"), check):
        yield place.problem((*path, verb), message, f"see `worldforge {verb} --help`")
    elif verb == "build":
        yield from _spec_problems(document, (*path, verb, "spec"), options.get("spec"), root)


def _check_step(verb: str, options: Mapping[str, Any], spec: Any, check: CheckArguments) -> str:
    """Return what is wrong with the options of a step; empty if nothing is."""
    for key, value in options.items():
        if verb == "build" and key == "set":
            if not isinstance(value, Mapping):
                return "`set` must be a mapping of paths to values"
        elif any(isinstance(item, Mapping | list) for item in (value if isinstance(value, list) else [value])):
            return f"`{key}` must be text, a number or a list of those"
    command = build_command(verb, {"spec": spec, **options} if verb == "build" else options, EXAMPLE_VALUES)
    for word in command:
        if "\0" in word:
            return "an option contains a character that no command can take"
        if "://" in word and holds_secret(word):
            return "an option contains a key or a password: name the variable that does, `?api_key_env=MY_KEY`"
    return check(command)


def _spec_problems(document: Document, path: KeyPath, spec: Any, root: Path) -> Iterator[Problem]:
    """Yield a problem if a spec does not exist. One with placeholders, or on the Hub, is looked up when it is used."""
    if not isinstance(spec, str) or "{" in spec or spec.startswith("hf://"):
        return
    try:
        find_spec(spec, root)
    except InputError as error:
        yield document.problem(path, error.message, error.hint)
