"""What a world model is shown of a session: all of it, for as long as that fits."""

from __future__ import annotations

from dataclasses import replace

from worldforge.models.chat import Message
from worldforge.models.model import Model

_MESSAGE_TOKENS = 8  # that a chat template puts around a message, from above
_NOTICE_TOKENS = 16  # of the words that say what is left out, from above


class History:
    """The turns of a session, as the prompt of the next one.

    Where they do not fit, the oldest are left out, at once so many that half of the room is free again: between two
    such cuts each prompt begins with the one before, as a prefix cache likes it.
    """

    def __init__(self, model: Model, system: Message, budget_tokens: int) -> None:
        """Begin with no turns; `budget_tokens` is for the prompt, the system prompt and the next action among it."""
        self._model, self._system = model, system
        self._room = budget_tokens - self._tokens(system) - _NOTICE_TOKENS
        self._turns: list[tuple[Message, Message]] = []
        self._sizes: list[int] = []
        self._n_shown_tokens = 0
        self._n_left_out = 0

    @property
    def n_turns(self) -> int:
        """How many turns there were."""
        return len(self._turns)

    def before(self, action: Message) -> tuple[Message, ...]:
        """Return the prompt for an action: the system prompt, the turns there is room for, the action."""
        needed = self._tokens(action)
        if self._n_shown_tokens + needed > self._room:
            self._leave_out(self._room // 2 - needed)
        shown = [message for turn in self._turns[self._n_left_out :] for message in turn]
        first, *others = [*shown, action]
        if self._n_left_out:
            first = replace(first, content=f"(Turns 1 to {self._n_left_out} are left out.)\n\n{first.content}")
        return (self._system, first, *others)

    def add(self, action: Message, observation: Message) -> None:
        """Keep a turn."""
        self._turns.append((action, observation))
        self._sizes.append(self._tokens(action) + self._tokens(observation))
        self._n_shown_tokens += self._sizes[-1]

    def _leave_out(self, most_tokens: int) -> None:
        while self._n_left_out < len(self._turns) and self._n_shown_tokens > most_tokens:
            self._n_shown_tokens -= self._sizes[self._n_left_out]
            self._n_left_out += 1

    def _tokens(self, message: Message) -> int:
        return self._model.count_tokens(message.content) + _MESSAGE_TOKENS
