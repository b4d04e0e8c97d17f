"""Prompts as tokens: each message tokenised once, and a conversation with a model in the very tokens that it wrote.

A tokenizer cuts text at its added tokens (`<|im_start|>`, `<think>` …) before it does anything else, so the tokens of a
prompt are those of its pieces, one after another. A prompt that begins with an earlier one and its reply begins with
the same tokens, so that an engine's prefix cache holds. Knows no engine.
"""

from __future__ import annotations

import hashlib
import re
from array import array
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

_PROBE = " Where's Kalo?\n\n  7 km—über 東 "
_PIECES = 16_384  # pieces of prompts that are kept
_REPLIES = 2_048  # conversations until a reply that are kept: some tens of megabytes


class PromptTokens:
    """Turns the text of prompts into tokens. `marks` are the added tokens at which the tokenizer cuts, with their ids.

    Without marks every prompt is tokenised whole.
    """

    def __init__(self, encode: Callable[[str], Sequence[int]], marks: Mapping[str, int]) -> None:
        longest_first = sorted(marks, key=len, reverse=True)
        self._cut = re.compile(f"({'|'.join(map(re.escape, longest_first))})") if marks else None
        self._marks, self._mark_ids = dict(marks), frozenset(marks.values())
        self._encode = lru_cache(_PIECES)(lambda piece: tuple(encode(piece)))
        self._written: OrderedDict[bytes, array[int]] = OrderedDict()

    def ids(self, text: str) -> list[int]:
        """Return the tokens of a whole prompt."""
        ids: list[int] = []
        digest = _digest("")
        for piece in self._pieces(text):
            if piece in self._marks:
                if (written := self._written.get(digest.digest())) is not None:
                    ids = list(written)
                ids.append(self._marks[piece])
            else:
                ids += self._encode(piece)
            digest.update(_bytes(piece))
        return ids

    def remember(self, prompt: str, prompt_ids: Sequence[int], text: str, ids: Sequence[int]) -> None:
        """Keep what was written after a prompt: `text`, and the tokens that it was written in, without an end token.

        Nothing is kept where the text does not show each added token that was written.
        """
        shown = [self._marks[piece] for piece in self._pieces(text) if piece in self._marks]
        if shown != [identity for identity in ids if identity in self._mark_ids]:
            return
        self._written[_digest(prompt + text).digest()] = array("i", [*prompt_ids, *ids])
        if len(self._written) > _REPLIES:
            self._written.popitem(last=False)

    def _pieces(self, text: str) -> Iterator[str]:
        return (piece for piece in (self._cut.split(text) if self._cut else [text]) if piece)


def prompt_tokens(tokenizer: Any) -> PromptTokens:
    """Cut prompts at the tokenizer's added tokens (transformers' interface), if its tokens are then the same."""

    def encode(text: str) -> list[int]:
        return list(tokenizer.encode(text, add_special_tokens=False))

    added = getattr(tokenizer, "added_tokens_decoder", {})
    marks = {token.content: identity for identity, token in added.items() if token.content}
    tokens = PromptTokens(encode, marks)
    probe = "".join(f"{mark}{_PROBE}" for mark in marks)
    return tokens if tokens.ids(probe) == encode(probe) else PromptTokens(encode, {})


def _digest(text: str) -> Any:
    return hashlib.blake2b(_bytes(text), digest_size=16)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
