"""A memory: notes under keys that an agent keeps during one session."""

from __future__ import annotations

import json

from worldforge.environments.session import Observation
from worldforge.environments.tools import DictMemory


class Memory:
    """The notes of one session, in the order in which they were added."""

    def __init__(self) -> None:
        self._notes: dict[str, str] = {}

    def answer(self, asked: DictMemory) -> Observation:
        """Do what a call of `dict_memory` asks, and say what came of it."""
        match asked.action:
            case "add" if asked.key in self._notes:
                return Observation(f"Error: the key `{asked.key}` exists already; use `update`.", "key_exists")
            case "update" | "retrieve" | "remove" if asked.key not in self._notes:
                return Observation(f"Error: there is no key `{asked.key}`.", "key_not_found")
            case "add" | "update":
                self._notes[asked.key] = asked.value
                return Observation(f"Stored under `{asked.key}`.")
            case "retrieve":
                return Observation(self._notes[asked.key])
            case "remove":
                del self._notes[asked.key]
                return Observation(f"Removed `{asked.key}`.")
            case "remove_all":
                return self._remove_all()
            case "retrieve_all":
                return Observation(json.dumps(self._notes, ensure_ascii=False, indent=1))

    def _remove_all(self) -> Observation:
        n_notes = len(self._notes)
        self._notes.clear()
        return Observation(f"Removed {n_notes} notes." if n_notes != 1 else "Removed 1 note.")
