"""The guard: what a model wrote, against what the call may disclose. It lets pass what says the same, and nothing else.

    guard = Guard(Lexicon.of_world(world), gold_of(world.tasks))
    guard.check(scene, draft)        # Verdict("clean", text=…), or Verdict("hallucinated", "not in the source: 1912 …")

| verdict         | the draft                                                                                   |
|-----------------|---------------------------------------------------------------------------------------------|
| `clean`         | says what may be disclosed, in its form; `text` is what the agent is to read                |
| `malformed`     | is not in the dialect's form, or brings in characters, markup or length                     |
| `leaking`       | tells what this call does not disclose, and what is gold of a task                          |
| `contradicting` | puts another value, name or date where the world has one, or puts facts together anew       |
| `hallucinated`  | tells what nobody has said: a name, a figure, a host                                        |
| `incomplete`    | leaves out what had to be shown                                                             |
| `truncated`     | was cut by a limit of tokens (the renderer's finding)                                       |
| `unavailable`   | is none: the model did not answer (the renderer's finding)                                  |

Form first. A dialect reads the draft back; the view is then written again with the draft's prose in it, and must come
out as the draft, so that nothing can stand beside what was read. Only the view's excerpts may be reworded: a result's
snippet, and the prose of a page between its structured lines (headings, tables, lists, quotations, rules, lines in
italics, `key: value`), which are copied and keep their order. Then `prose` compares. Data stays the same JSON value.

Blanks are not the model's to choose: records are serialised anew, and runs of blanks elsewhere become what the source
has in that line, or one blank.

The words of a verdict on a bad draft are a judgement, made from what was added and what is missing; that it is bad is
none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from worldforge.environments.session import Scene
from worldforge.world.lexicon.lexicon import Lexicon
from worldforge.world.task import Task
from worldforge.world_model.prose import Fact, Objection, ProseReader, less

_STRUCTURED = re.compile(
    r"\s*(?:[#|>]|[-+*•·–—]\s|\d+[.)]\s|```|~~~|!\[|\[[^\]]*\]:)"  # headings, tables, quotations, lists, code, images
    r"|\s{4}|\s*<"
    r"|\s*[-=*_]{3,}\s*$"  # rules, and what makes a heading of the line above
    r"|\s*\*[^*].*\*\s*$"  # a line in italics: bylines, dates of revision
    r"|\W*\w+(?:[ '’/-]\w+){0,3}\W{0,3}:"  # `key: value`
    r"|.*:\W*$"  # an announcement of what follows
    r"|\s*(?:\[[^\]]*\]\([^)]*\)\W*)+$"  # links and nothing else
)
VERSION = 4
"""Counts up when another draft passes than before: what was stored under another version is not found again."""

VerdictKind = Literal[
    "clean", "malformed", "leaking", "contradicting", "hallucinated", "incomplete", "truncated", "unavailable"
]
_GROUPS = {
    "number": "figure", "unit": "figure", "bound": "figure", "date": "date", "name": "name", "value": "name",
    "word": "name", "address": "address", "negation": "negation",
}  # fmt: skip
_VALUES_BY_FORM = frozenset({"number", "unit", "date"})  # need nobody's knowledge to be a value


@dataclass(frozen=True, slots=True)
class Blocks:
    """`fixed` lines in order, blanks within them as one; `prose` before the first, between them and after the last.

    Each is paragraphs, a line a paragraph; empty where there is none.
    """

    fixed: tuple[str, ...]
    prose: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the guard says of a draft, with the reason; `text` is what the agent is to read where it is clean."""

    kind: VerdictKind
    reason: str = ""
    text: str = ""


class Guard:
    """Checks drafts against scenes. One serves all sessions of a process; what it has read of views it remembers."""

    def __init__(self, lexicon: Lexicon, protected: Iterable[str] = ()) -> None:
        """`protected` are cells of gold tables: a draft that tells one, where its view does not, is leaking."""
        self._lexicon = lexicon
        self._reader = ProseReader(lexicon)
        self._protected = frozenset(fact for cell in protected for fact in self._reader.facts(cell))
        self._blocks = lru_cache(maxsize=1024)(read_blocks)
        self._facts = lru_cache(maxsize=1024)(self._reader.facts)

    def check(self, scene: Scene, draft: str) -> Verdict:
        """Judge a draft. Never raises, whatever the draft is."""
        if draft == scene.text:
            return Verdict("clean", text=scene.text)
        tidy = _tidied(draft)
        if scene.view.form == "data":
            return self._data(scene, tidy)
        return self._prose(scene, tidy)

    def _data(self, scene: Scene, draft: str) -> Verdict:
        try:
            read = _read_json(draft)
            same = _canonical(read) == _canonical(_read_json(scene.text))
        except (ValueError, RecursionError):
            return self._unread(scene, draft)
        return Verdict("clean", text=_serialised(read)) if same else self._misshapen(scene, draft, "other records")

    def _prose(self, scene: Scene, draft: str) -> Verdict:
        """Judge a draft that may reword the excerpts of its view, and nothing else."""
        view, read = scene.view, scene.dialect.parse(scene.request, draft)
        if read is None or type(read) is not type(view):
            return self._unread(scene, draft)
        source, retold = view.excerpts, [excerpt.text for excerpt in read.excerpts]
        if len(source) != len(retold):
            return self._misshapen(scene, draft, "not the items that were to be shown")
        text = scene.dialect.write(scene.request, view.with_excerpts(retold))
        if _tidied(text) != draft:
            return self._misshapen(scene, draft, "other lines than those to be copied")
        for excerpt, reworded in zip(source, retold, strict=True):
            refused = (
                self._hint(excerpt.text, reworded)
                if excerpt.plain
                else self._whole(scene, draft, excerpt.text, reworded)
            )
            if refused is not None:
                return refused
        spaced = [spaced_like(excerpt.text, reworded) for excerpt, reworded in zip(source, retold, strict=True)]
        return Verdict("clean", text=scene.dialect.write(scene.request, view.with_excerpts(spaced)))

    def _hint(self, source: str, retold: str) -> Verdict | None:
        """Judge a line that may leave facts out; None where there is nothing to object to."""
        if not retold.strip() and source.strip():
            return Verdict("incomplete", "a snippet is empty")
        objection = self._reader.compare(source, retold, complete=False)
        return self._objected(objection) if objection else None

    def _whole(self, scene: Scene, draft: str, source: str, retold: str) -> Verdict | None:
        """Judge a text whose lines of structure are copied; None where there is nothing to object to."""
        before, after = self._blocks(source), self._blocks(retold)
        if before.fixed != after.fixed:
            return self._misshapen(scene, draft, "other lines than those to be copied")
        for own, reworded in zip(before.prose, after.prose, strict=True):
            if not own and reworded:
                return self._misshapen(scene, draft, f"prose where there is none: {reworded}")
            if objection := self._reader.compare(own, reworded, complete=True):
                return self._objected(objection)
        return None

    def _objected(self, objection: Objection) -> Verdict:
        if objection.form:
            return Verdict("malformed", objection.detail)
        if not objection.added:
            return Verdict("incomplete" if objection.missing else "contradicting", objection.detail)
        return Verdict(self._kind_of(objection.added, objection.missing), objection.detail)

    def _unread(self, scene: Scene, draft: str) -> Verdict:
        """Judge a draft that the dialect cannot read: malformed, if it tells nothing that is protected."""
        missing = [fact for fact in less(self._reader.facts(draft), self._facts(scene.text)) if fact in self._protected]
        if missing:
            return Verdict("leaking", f"not to be disclosed: {missing[0][1]}")
        return Verdict("malformed", "not in the dialect's form")

    def _misshapen(self, scene: Scene, draft: str, reason: str) -> Verdict:
        """Judge a draft whose structure is another: by the facts it adds, by those it lacks, or by its form."""
        source, retold = self._facts(scene.text), self._reader.facts(draft)
        added, missing = less(retold, source), less(source, retold)
        if added:
            return Verdict(self._kind_of(added, missing), f"{reason}; not to be disclosed: {added[0][1]}")
        if missing:
            return Verdict("incomplete", f"{reason}; missing: {missing[0][1]}")
        return Verdict("malformed", reason)

    def _kind_of(self, added: Sequence[Fact], missing: Sequence[Fact]) -> VerdictKind:
        """Say what adding facts amounts to. A figure in another's place is no leak: any figure is gold of some task."""
        if any(kind in ("negation", "bound") for kind, _ in added):
            return "contradicting"
        lost = {_GROUPS[kind] for kind, _ in missing}
        if any(fact in self._protected and not (fact[0] == "number" and "figure" in lost) for fact in added):
            return "leaking"
        known = (
            _GROUPS[kind] for kind, value in added if kind in _VALUES_BY_FORM or self._lexicon.knows((kind, value))
        )
        return "contradicting" if not lost.isdisjoint(known) else "hallucinated"


def read_blocks(text: str) -> Blocks:
    """Part a text's structured lines from its prose."""
    fixed: list[str] = []
    prose: list[list[str]] = [[]]
    ended = True
    for line in text.split("\n"):
        if not line.strip():
            ended = True
        elif _STRUCTURED.match(line):
            fixed.append(_evened(line))
            prose.append([])
            ended = True
        elif ended:
            prose[-1].append(line.strip())
            ended = False
        else:
            prose[-1][-1] += f" {line.strip()}"
    return Blocks(tuple(fixed), tuple("\n".join(paragraphs) for paragraphs in prose))


def spaced_like(source: str, draft: str) -> str:
    """Return `draft` with each run of blanks within a line as one, but for lines that `source` has: those as there."""
    own = {_evened(line): line for line in source.split("\n")}
    return "\n".join(own.get(line, line) for line in map(_evened, draft.split("\n")))


def _evened(line: str) -> str:
    """Write each run of blanks within a line as one; those before it tell how deep it stands."""
    return line[: len(line) - len(line.lstrip())] + " ".join(line.split())


def gold_of(tasks: Iterable[Task]) -> set[str]:
    """Return every cell of the gold tables of `tasks`."""
    return {cell for task in tasks for row in task.gold for cell in row}


def _tidied(text: str) -> str:
    """Drop what nobody sees: blanks at lines' ends, empty lines beyond one, those around it all."""
    return "\n".join(_unblanked(text.replace("\r\n", "\n").split("\n"))).strip("\n")


def _unblanked(lines: Iterable[str]) -> Iterator[str]:
    empty = False
    for line in lines:
        shown = line.rstrip(" \t")
        if shown or not empty:
            yield shown
        empty = not shown


def _read_json(text: str) -> Any:
    """Read JSON strictly: no key twice, no NaN. Raises ValueError where it is none."""
    return json.loads(text, object_pairs_hook=_object, parse_constant=_refuse)


def _canonical(value: Any) -> str:
    """Serialise a JSON value so that equal values are equal texts."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _serialised(value: Any) -> str:
    """Serialise a JSON value as the dialects do, its keys in their order."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a key comes twice")
    return made


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON value")
