"""Keep a conversation within its context: old observations are replaced by a marker when it grows too long.

Many are replaced at once, so that an engine's prefix cache stays valid for as many turns as possible.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from worldforge.models.chat import Message

_AROUND = 16  # tokens that a chat template may write around a message, at most
_KEPT = 0.6  # share of the room that is left taken after a cut
_REASONING_GONE = "(what I thought here was removed to save space)"


@dataclass(slots=True)
class _Entry:
    """A message. `tokens` are counted where that matters; only an observation is `cuttable`."""

    message: Message
    cuttable: bool
    tokens: int | None = None


class Conversation:
    """The messages of one episode, within a budget of tokens.

    `count` counts the tokens of a text, `budget` is for a prompt and its reply together (0: no limit), `reply` what is
    kept for the reply, at most half of it. `besides` are tokens that a prompt has beside its messages: tools.
    """

    def __init__(self, count: Callable[[str], int], budget: int = 0, reply: int = 0, besides: int = 0) -> None:
        self._count = count
        self._budget, self._room = budget, budget - min(reply, budget // 2)
        self._entries: list[_Entry] = []
        self._known, self._n_known = besides, 0  # tokens of the first entries, and how many those are

    @property
    def messages(self) -> tuple[Message, ...]:
        """What a model is sent."""
        return tuple(entry.message for entry in self._entries)

    @property
    def fits(self) -> bool:
        """Whether the prompt leaves room for the reply."""
        return not self._room or self._tokens() <= self._room

    def left_for_reply(self, wanted: int) -> int:
        """Return how many of the `wanted` tokens are left for a reply."""
        return max(0, min(wanted, self._budget - self._tokens())) if self._budget else wanted

    def add(self, message: Message) -> None:
        """Append a message; two user messages in a row are joined, as chat templates require turns."""
        last = self._entries[-1] if self._entries else None
        if last is None or not last.message.role == message.role == "user":
            self._entries.append(_Entry(message, cuttable=False))
            return
        joined = replace(message, content=f"{last.message.content}\n\n{message.content}")
        self._entries[-1] = _Entry(joined, last.cuttable)

    def add_observed(self, messages: Sequence[Message]) -> None:
        """Append observations; one that is too long is cut, with a marker."""
        for message in messages:
            longest = self._room // max(4, 2 * len(messages))
            kept = self._shortened(message, longest) if self._room else message
            self._entries.append(_Entry(kept, cuttable=True))

    def counted(self, prompt_tokens: int) -> None:
        """Record the model's own count of the prompt's tokens so far (0: unknown)."""
        if prompt_tokens:
            self._known, self._n_known = prompt_tokens, len(self._entries)

    def make_room(self) -> None:
        """Shorten a prompt that is too long: rarely, and then by much.

        Old observations go first, then old thoughts, and the newest observations last of all.
        """
        if self.fits:
            return
        numbered = list(enumerate(self._entries))
        newest = max((n for n, entry in numbered if entry.message.role == "assistant"), default=0)
        observed = [n for n, entry in numbered if entry.cuttable]
        for n in observed:
            if n < newest and self._is_too_long():
                self._remove(n)
        for n, entry in numbered[:newest]:
            if len(entry.message.reasoning) > len(_REASONING_GONE) and self._is_too_long():
                self._replace(n, replace(entry.message, reasoning=_REASONING_GONE))
        for n in observed:
            if n > newest and not self.fits:
                self._remove(n)

    def _is_too_long(self) -> bool:
        return self._tokens() > _KEPT * self._room

    def _remove(self, n: int) -> None:
        message = self._entries[n].message
        marker = f"[removed to save space: {len(message.content):,} characters stood here]"
        if len(marker) < len(message.content):
            self._replace(n, replace(message, content=marker))
            self._entries[n].cuttable = False

    def _replace(self, n: int, message: Message) -> None:
        before = self._tokens_of(self._entries[n])
        self._entries[n] = entry = replace(self._entries[n], message=message, tokens=None)
        if n < self._n_known:
            self._known -= before - self._tokens_of(entry)

    def _tokens(self) -> int:
        return self._known + sum(map(self._tokens_of, self._entries[self._n_known :]))

    def _tokens_of(self, entry: _Entry) -> int:
        if entry.tokens is None:
            entry.tokens = self._count(_text(entry.message)) + _AROUND
        return entry.tokens

    def _shortened(self, message: Message, longest: int) -> Message:
        """Return the message, cut where it has more than `longest` tokens."""
        text, n_kept = message.content, len(message.content)
        while n_kept and (n_tokens := self._count(text[:n_kept])) > longest:
            n_kept = min(n_kept - 1, int(n_kept * longest / n_tokens))
        if n_kept == len(text):
            return message
        n_kept = text.rfind("\n", n_kept // 2, n_kept) + 1 or n_kept
        marker = f"[cut here: too long. These are the first {n_kept:,} of {len(text):,} characters.]"
        return replace(message, content=f"{text[:n_kept]}\n{marker}")


def _text(message: Message) -> str:
    calls = [part for call in message.tool_calls for part in (call.name, call.arguments)]
    return "\n".join([message.reasoning, message.content, *calls])
