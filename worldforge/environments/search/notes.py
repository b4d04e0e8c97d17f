"""Notes under keys that an agent keeps during one session."""

from __future__ import annotations

import json

from worldforge.environments.search.requests import NoteRequest
from worldforge.environments.search.views import NoteView


class Notes:
    """The notes of one session, in the order in which they were added."""

    def __init__(self) -> None:
        self._notes: dict[str, str] = {}

    @property
    def by_key(self) -> dict[str, str]:
        """A copy of the notes."""
        return dict(self._notes)

    def answer(self, asked: NoteRequest) -> NoteView:
        """Do what a call about notes asks, and say what came of it."""
        match asked.action:
            case "add" if asked.key in self._notes:
                return NoteView(f"Error: the key `{asked.key}` exists already; use `update`.", "key_exists")
            case "update" | "retrieve" | "remove" if asked.key not in self._notes:
                return NoteView(f"Error: there is no key `{asked.key}`.", "key_not_found")
            case "add" | "update":
                self._notes[asked.key] = asked.value
                return NoteView(f"Stored under `{asked.key}`.")
            case "retrieve":
                return NoteView(self._notes[asked.key])
            case "remove":
                del self._notes[asked.key]
                return NoteView(f"Removed `{asked.key}`.")
            case "remove_all":
                return self._remove_all()
            case "retrieve_all":
                return NoteView(json.dumps(self._notes, ensure_ascii=False, indent=1))

    def _remove_all(self) -> NoteView:
        n_notes = len(self._notes)
        self._notes.clear()
        return NoteView(f"Removed {n_notes} notes." if n_notes != 1 else "Removed 1 note.")
