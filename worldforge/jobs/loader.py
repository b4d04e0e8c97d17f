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
from worldforge.core.spelling import did_you_mean
from worldforge.jobs.jobs_file import VERBS, Job, JobsFile
from worldforge.jobs.step_commands import (
    EXAMPLE_VALUES,
    argument_key,
    fill,
    option_key,
    option_words,
    placeholders,
    step_defaults,
)
from worldforge.schema.problems import Problem, SpecError
from worldforge.schema.shape_errors import find_faults_in
from worldforge.schema.spec_sources import find_spec, read_text
from worldforge.schema.yaml_tree import Node, read_document
from worldforge.schema.yaml_tree import Path as KeyPath

FILE_NAME = "jobs.yaml"
CheckArguments = Callable[[str, Sequence[str], bool], str]
"""Checks arguments of a verb by the command's own parser, also for missing ones if asked: the problem, or nothing."""
_SETTINGS = {"set": (dict, "a mapping of paths to values"), "allow_code": (bool, "`true` or `false`")}


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
    tree, problems = read_document(read_text(path), str(path))
    file, faults = find_faults_in(tree, JobsFile)
    problems += [fault.problem for fault in faults]
    for name in _keys(tree.child("jobs")):
        problems += _job_problems(tree, ("jobs", name), path.parent, check)
    if file is None or problems:
        raise SpecError(sorted(problems, key=lambda problem: (problem.line, problem.column)))
    return JobsPlan(path, file)


def _keys(node: Node | None) -> list[Any]:
    """Return the keys of a mapping or the indices of a list; none of anything else."""
    if node is None or isinstance(node.content, str) or not isinstance(node.content, Mapping | Sequence):
        return []
    return list(node.content) if isinstance(node.content, Mapping) else list(range(len(node.content)))


def _job_problems(tree: Node, at: KeyPath, root: Path, check: CheckArguments) -> Iterator[Problem]:
    for key in ("spec", "set", "steps"):
        yield from _placeholder_problems(tree, (*at, key))
    yield from _spec_problems(tree, (*at, "spec"), root)
    for number in _keys(tree.at((*at, "steps"))):
        step_at = (*at, "steps", number)
        step = tree.at(step_at)
        assert step is not None
        if isinstance(step.content, str):
            yield from _step_problems(tree, step_at, step.content, {}, check)
        elif isinstance(step.content, Mapping) and len(step.content) == 1:
            ((verb, entry),) = step.content.items()
            if verb == "build":
                yield from _spec_problems(tree, (*step_at, verb, "spec"), root)
            if isinstance(entry.node.content, Mapping):
                yield from _step_problems(tree, step_at, verb, entry.node.plain(), check)


def _step_problems(
    tree: Node, at: KeyPath, verb: str, options: Mapping[str, Any], check: CheckArguments
) -> Iterator[Problem]:
    if verb not in VERBS:
        yield tree.key_place((*at, verb)).problem(at, f"`{verb}` cannot be a step", did_you_mean(verb, VERBS))
        return
    given = step_defaults(verb) | {option_key(key): value for key, value in options.items()}
    if verb == "build" and "spec" not in given and tree.at((*at[:2], "spec")) is not None:
        given["spec"] = "of the job"
    problems = {key: _option_problem(verb, option_key(key), value, check) for key, value in options.items()}
    problems = {key: message for key, message in problems.items() if message}
    if not problems:
        target = [str(given.pop(key)) for key in [argument_key(verb)] if key in given]
        words = [word for key, value in given.items() if key != "set" for word in option_words(key, value)]
        if message := check(verb, [*words, "--", *target], True):
            problems = {"": message}
    for key, message in problems.items():
        path = (*at, verb, *([key] if key else []))
        yield tree.key_place(path).problem(path, message, f"see `worldforge {verb} --help`")


def _option_problem(verb: str, key: str, value: Any, check: CheckArguments) -> str:
    """Return what is wrong with an option of a step; empty if nothing is."""
    kind, name = (str, "text") if key == argument_key(verb) else _SETTINGS.get(key, (object, ""))
    if not isinstance(value, kind):
        return f"must be {name}"
    if name:
        return ""
    for item in value if isinstance(value, list) else [value]:
        if not isinstance(item, str | int | float):
            return "must be text or a number"
        if "\0" in str(item):
            return "contains a character that no command can take"
        if "://" in str(item) and holds_secret(str(item)):
            return "must not contain a key or a password: name the variable that does, `?api_key_env=MY_KEY`"
    return check(verb, option_words(key, _fill_examples(value)), False)


def _fill_examples(value: Any) -> Any:
    try:
        return fill(value, EXAMPLE_VALUES)
    except KeyError:  # reported by _placeholder_problems
        return value


def _placeholder_problems(tree: Node, at: KeyPath) -> Iterator[Problem]:
    node = tree.at(at)
    for name in placeholders(node.content) if node is not None and isinstance(node.content, str) else ():
        if name not in EXAMPLE_VALUES:
            hint = f"{did_you_mean(name, EXAMPLE_VALUES)}; `{{{{{name}}}}}` is the text `{{{name}}}`"
            yield tree.value_place(at).problem(at, f"there is no placeholder `{{{name}}}`", hint)
    for key in _keys(node):
        yield from _placeholder_problems(tree, (*at, key))


def _spec_problems(tree: Node, at: KeyPath, root: Path) -> Iterator[Problem]:
    """Yield a problem if a spec does not exist. One with placeholders, or on the Hub, is looked up when it is used."""
    node = tree.at(at)
    if node is None or not isinstance(node.content, str) or "{" in node.content or node.content.startswith("hf://"):
        return
    try:
        find_spec(node.content, root)
    except InputError as error:
        yield node.place.problem(at, error.message, error.hint)
