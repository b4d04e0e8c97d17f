"""From a jobs.yaml to `JobsFile`: every problem at once, with its place and a hint.

    plan = read_jobs(Path("jobs.yaml"), forms)
    plan.file.jobs["nightly"], plan.root

A jobs.yaml may come from a stranger. Nothing in it is run when it is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldforge.core.errors import InputError
from worldforge.core.spelling import did_you_mean
from worldforge.jobs.commands import SAMPLE, filled
from worldforge.jobs.forms import VERBS, Forms, faults_of
from worldforge.jobs.plan import Job, JobsFile, checked_name
from worldforge.jobs.templates import unknown_names
from worldforge.schema.documents import Entry, Node, read_document
from worldforge.schema.documents import Path as Steps
from worldforge.schema.problems import Problem, SpecError
from worldforge.schema.sources import find_spec, read_text
from worldforge.schema.validation import find_faults_in

FILE_NAME = "jobs.yaml"


@dataclass(frozen=True, slots=True)
class JobsPlan:
    """A jobs.yaml as read: what it holds, and the file itself. Paths in it begin at `root`, the folder it lies in."""

    path: Path
    file: JobsFile

    @property
    def root(self) -> Path:
        """The folder of the jobs.yaml: commands run there."""
        return self.path.parent

    @property
    def folder(self) -> Path:
        """Where runs and the ledger go."""
        return self.root / self.file.folder

    def job(self, name: str) -> Job:
        """Return a job by name. Raises InputError where there is none."""
        if name not in self.file.jobs:
            raise InputError(f"{self.path} has no job `{name}`", did_you_mean(name, self.file.jobs))
        return self.file.jobs[name]


def read_jobs(path: Path, forms: Forms) -> JobsPlan:
    """Read a jobs.yaml, or that of a folder; `forms` say what the verbs take.

    Raises SpecError with every problem found; InputError where there is no such file.
    """
    path = path / FILE_NAME if path.is_dir() else path
    if not path.is_file():
        raise InputError(f"there is no {path}", "`worldforge jobs new` writes one; `--file` names another")
    tree, problems = read_document(read_text(path), str(path))
    if not isinstance(tree.content, Mapping):
        raise SpecError([*problems, tree.place.problem((), "a jobs.yaml is a mapping of keys to values", "`jobs: …`")])
    tree = _spelled_out(tree)
    file, faults = find_faults_in(tree, JobsFile)
    problems += [fault.problem for fault in faults]
    problems += _more_problems(tree, path.parent, forms, {fault.path for fault in faults})
    if file is None or problems:
        raise SpecError(sorted(problems, key=lambda problem: (problem.file, problem.line, problem.column)))
    return JobsPlan(path, file)


def _spelled_out(tree: Node) -> Node:
    """Write steps that are a word alone, or a verb without options, as a verb with none: `- build` is `- build: {}`."""
    jobs = tree.child("jobs")
    if jobs is None or not isinstance(jobs.content, Mapping):
        return tree
    return _with(tree, "jobs", Node(jobs.place, {n: _entry(e, _job(e.node)) for n, e in jobs.content.items()}))


def _job(job: Node) -> Node:
    steps = job.child("steps")
    if steps is None or not isinstance(steps.content, Sequence) or isinstance(steps.content, str):
        return job
    return _with(job, "steps", Node(steps.place, [_step(step) for step in steps.content]))


def _step(step: Node) -> Node:
    if isinstance(step.content, str):
        return Node(step.place, {step.content: Entry(step.place, Node(step.place, {}))})
    if isinstance(step.content, Mapping):
        given = {k: _entry(e, Node(e.node.place, {}) if e.is_null else e.node) for k, e in step.content.items()}
        return Node(step.place, given)
    return step


def _with(node: Node, key: str, child: Node) -> Node:
    assert isinstance(node.content, Mapping)
    return Node(node.place, {**node.content, key: _entry(node.content[key], child)})


def _entry(entry: Entry, node: Node) -> Entry:
    return Entry(entry.key_place, node)


def _more_problems(tree: Node, root: Path, forms: Forms, broken: set[Steps]) -> Iterator[Problem]:
    """Give what the shape alone does not show, in the parts whose shape is whole."""
    jobs = tree.child("jobs")
    for name, entry in jobs.content.items() if jobs is not None and isinstance(jobs.content, Mapping) else ():
        try:
            checked_name(name)
        except ValueError as error:
            yield entry.key_place.problem(("jobs", name[:20]), str(error))
        at: Steps = ("jobs", name)
        for number, step in enumerate(_items(tree.at((*at, "steps")))):
            yield from _step_problems(tree, (*at, "steps", number), step, forms)
        for key in ("spec", "set", "steps"):
            if not any(path[:3] == (*at, key) for path in broken):
                yield from _template_problems(tree, (*at, key))
        yield from _spec_problems(tree, at, root)


def _items(node: Node | None) -> Sequence[Node]:
    listed = node is not None and isinstance(node.content, Sequence) and not isinstance(node.content, str)
    return node.content if listed else ()  # type: ignore[union-attr, return-value]


def _step_problems(tree: Node, at: Steps, step: Node, forms: Forms) -> Iterator[Problem]:
    if not isinstance(step.content, Mapping):
        return
    if len(step.content) != 1:
        message = f"a step is one command with its options, not {len(step.content)}"
        yield step.place.problem(at, message, "put a `-` before each: `- rollout: {agent: oracle}`")
        return
    ((verb, entry),) = step.content.items()
    if verb not in forms:
        hint = did_you_mean(verb, VERBS)
        yield entry.key_place.problem(at, f"`{verb}` is no command that can be a step", hint)
        return
    options = entry.node
    if not isinstance(options.content, Mapping):
        return  # its shape is told of
    given = {key: _sampled(option.node.plain()) for key, option in options.content.items() if not option.is_null}
    for key, message, hint in faults_of(verb, given, forms[verb]):
        path = (*at, verb, *([key] if key else []))
        yield tree.key_place(path).problem(path, message, hint)
    own_spec = given.get("spec") if verb == "build" else None
    if verb == "build" and own_spec is None and tree.at((*at[:2], "spec")) is None:
        yield entry.key_place.problem((*at, verb), "`build` has no spec", "give the job one: `spec: quickstart`")


def _sampled(value: Any) -> Any:
    """Fill in a value's places with samples, so that it can be checked; one with an unknown place is told of apart."""
    try:
        return filled(value, SAMPLE)
    except KeyError:
        return value


def _template_problems(tree: Node, at: Steps) -> Iterator[Problem]:
    node = tree.at(at)
    if node is None:
        return
    if isinstance(node.content, str):
        for name in unknown_names(node.content, SAMPLE):
            hint = f"{did_you_mean(name, SAMPLE)}; `{{{{{name}}}}}` writes it as it is"
            yield node.place.problem(at, f"there is nothing to fill in for `{{{name}}}`", hint)
    elif isinstance(node.content, Mapping):
        for key in node.content:
            yield from _template_problems(tree, (*at, key))
    else:
        for number, _ in enumerate(_items(node)):
            yield from _template_problems(tree, (*at, number))


def _spec_problems(tree: Node, at: Steps, root: Path) -> Iterator[Problem]:
    """Give the specs that are not there. One with places to fill in, or of the Hub, is looked for when it is needed."""
    places = [
        (*at, "spec"),
        *((*at, "steps", n, "build", "spec") for n, _ in enumerate(_items(tree.at((*at, "steps"))))),
    ]
    for path in places:
        node = tree.at(path)
        if node is None or not isinstance(node.content, str) or "{" in node.content or node.content[:5] == "hf://":
            continue
        try:
            find_spec(node.content, root)
        except InputError as error:
            yield node.place.problem(path, error.message, error.hint)
