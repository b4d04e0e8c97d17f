"""Notes of a long search: rows of the answer as they become complete, to be read again before the answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from worldforge.environments.search.requests import NoteRequest
from worldforge.environments.search.searcher.answer import AnswerWriter
from worldforge.environments.search.searcher.beliefs import Beliefs
from worldforge.environments.search.searcher.open_questions import OpenQuestions

_CALLS = 40  # after so many calls without a note there is to be one, if some rows have become complete
_LEAST, _MOST = 4, 50  # entities of a new note


class DueNotes(NamedTuple):
    """What is to be written now: changes of notes that hold no longer, and a new one on `n_new` entities, or none."""

    changes: Sequence[NoteRequest]
    new: NoteRequest | None
    n_new: int


class Notebook:
    """The notes of one episode: each has a key, `key` with its number, and a table of what was complete by then.

    `labels` are what the columns of the table are called: of the entities, and of each path of the question's goal.
    """

    def __init__(
        self, answer: AnswerWriter, beliefs: Beliefs, questions: OpenQuestions, labels: Sequence[str], key: str
    ) -> None:
        self._answer, self._beliefs, self._questions = answer, beliefs, questions
        self._labels, self._key = labels, key
        self._noted: dict[str, tuple[list[str], str]] = {}
        self._n_written = 0
        self._next = _CALLS

    @property
    def has_notes(self) -> bool:
        """Whether there is a note."""
        return bool(self._noted)

    def due(self, n_calls: int) -> DueNotes | None:
        """Return what is to be written after so many calls in all; None where it is nothing."""
        if n_calls < self._next:
            return None
        self._next = n_calls + _CALLS
        due = DueNotes(self._changes(), *self._new_note())
        return due if due.changes or due.new else None

    def _changes(self) -> list[NoteRequest]:
        requests = []
        for key, (entities, text) in list(self._noted.items()):
            kept = [entity for entity in entities if self._is_complete(entity)]
            now = self._table(kept)
            if not kept:
                del self._noted[key]
                requests.append(NoteRequest("remove", key))
            elif now != text:
                self._noted[key] = kept, now
                requests.append(NoteRequest("update", key, now))
        return requests

    def _new_note(self) -> tuple[NoteRequest | None, int]:
        noted = {entity for entities, _ in self._noted.values() for entity in entities}
        new = [entity for entity in self._questions.own if entity not in noted and self._is_complete(entity)][:_MOST]
        if len(new) < _LEAST:
            return None, 0
        self._n_written += 1
        key, text = self._key.format(n=self._n_written), self._table(new)
        self._noted[key] = new, text
        return NoteRequest("add", key, text), len(new)

    def _is_complete(self, entity: str) -> bool:
        candidate = self._questions.own[entity]
        return candidate.holds is True and not candidate.wanted

    def _table(self, entities: Sequence[str]) -> str:
        """Write what is known of entities, a line each, below a line of labels."""
        paths = self._questions.goals[0].columns
        lines = [
            [self._beliefs.names[entity], *(self._answer.cell(row, path) for path in paths)]
            for entity in entities
            for row in self._questions.rows(entity)
        ]
        return "\n".join(" | ".join(line) for line in (self._labels, *lines))
