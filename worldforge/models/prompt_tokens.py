"""Prompts as tokens, each message tokenised once, and what a model wrote kept as the very tokens that it wrote.

A tokenizer cuts text at its added tokens (`<|im_start|>`, `<think>` …) before it does anything else, so the tokens of a
prompt are those of its pieces, one after another. A piece that was written by the model, after exactly the same text,
is given back as it was written: a conversation that grows by appending then begins with the same tokens, and an
engine's prefix cache holds. Knows no engine.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from array import array
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

_PROBE = " Where's Kalo?\n\n  7 km—über 東 "
_PIECES = 16_384  # pieces of prompts, and as many of replies, that are kept: some tens of megabytes


@dataclass(frozen=True, slots=True)
class TokenizedPrompt:
    """A prompt's tokens; and where its text stops: its last piece, and the digest, if known, of all before that."""

    ids: list[int]
    last: str = ""
    before: Any = None


class PromptTokens:
    """Turns the text of prompts into tokens. `marks` are the added tokens at which the tokenizer cuts, with their ids.

    Without marks every prompt is tokenised whole.
    """

    def __init__(self, encode: Callable[[str], Sequence[int]], marks: Mapping[str, int]) -> None:
        longest_first = sorted(marks, key=len, reverse=True)
        self._cut = re.compile(f"({'|'.join(map(re.escape, longest_first))})").split if marks else _whole
        self._marks = dict(marks)
        self._names = {identity: mark for mark, identity in marks.items()}
        self._encode = lru_cache(_PIECES)(lambda piece: tuple(encode(piece)))
        self._written: OrderedDict[bytes, array[int]] = OrderedDict()

    def prompt(self, text: str) -> TokenizedPrompt:
        """Return the tokens of a whole prompt."""
        ids: list[int] = []
        digest = hashlib.blake2b(digest_size=16)
        before, last = digest.copy(), ""
        for piece in self._pieces(text):
            before, last = digest.copy(), piece
            digest.update(piece.encode("utf-8", "surrogatepass"))
            if piece in self._marks:
                ids.append(self._marks[piece])
            else:
                ids += self._written.get(digest.digest()) or self._encode(piece)
        if last in self._marks:
            before, last = digest, ""
        return TokenizedPrompt(ids, last, before)

    def remember(self, prompt: TokenizedPrompt, text: str, ids: Sequence[int]) -> None:
        """Keep what was written after `prompt`: `text`, and the tokens that it was written in, without an end token.

        Nothing is kept where the text does not show each added token that was written.
        """
        if prompt.before is None:
            return
        pieces = list(self._pieces(prompt.last + text))
        runs = self._runs(ids)
        if [piece for piece in pieces if piece in self._marks] != [run for run in runs if isinstance(run, str)]:
            return
        self._keep(prompt, pieces, runs)

    def _keep(self, prompt: TokenizedPrompt, pieces: Sequence[str], runs: Sequence[str | list[int]]) -> None:
        digest = prompt.before.copy()
        lead = list(self._encode(prompt.last)) if prompt.last else []
        if lead and (not runs or isinstance(runs[0], str)):
            runs = [[], *runs]
        if len(pieces) != len(runs):
            return
        for piece, run in zip(pieces, runs, strict=True):
            digest.update(piece.encode("utf-8", "surrogatepass"))
            if not isinstance(run, str):
                self._written[digest.digest()] = array("i", lead + run)
            lead = []
        while len(self._written) > _PIECES:
            self._written.popitem(last=False)

    def _pieces(self, text: str) -> Iterator[str]:
        return (piece for piece in self._cut(text) if piece)

    def _runs(self, ids: Sequence[int]) -> list[str | list[int]]:
        """Return marks by their text, and the tokens between them in runs."""
        names = self._names
        runs: list[str | list[int]] = []
        for is_mark, group in itertools.groupby(ids, names.__contains__):
            run = list(group)
            runs += [names[identity] for identity in run] if is_mark else [run]
        return runs


def encoder(tokenizer: Any) -> Callable[[str], list[int]]:
    """Return what turns a text into tokens, without any that a template adds (transformers' interface).

    Where its core is of the library `tokenizers` that is asked itself, and not for the place of each token in the text:
    a third less time.
    """
    core = getattr(tokenizer, "backend_tokenizer", None)
    if core is None:
        return lambda text: list(tokenizer.encode(text, add_special_tokens=False))

    def encode(text: str) -> list[int]:
        if core.truncation is not None:  # left so by whoever else has the tokenizer, who sets it as needed
            core.no_truncation()
        if core.padding is not None:
            core.no_padding()
        return list(core.encode_batch_fast([text], add_special_tokens=False)[0].ids)

    return encode


def prompt_tokens(tokenizer: Any) -> PromptTokens:
    """Cut prompts at the tokenizer's added tokens (transformers' interface), if its tokens are then the same."""
    encode = encoder(tokenizer)
    added = getattr(tokenizer, "added_tokens_decoder", {})
    marks = {token.content: identity for identity, token in added.items() if token.content}
    tokens = PromptTokens(encode, marks)
    probe = "".join(f"{mark}{_PROBE}" for mark in marks)
    return tokens if tokens.prompt(probe).ids == encode(probe) else PromptTokens(encode, {})


def _whole(text: str) -> list[str]:
    return [text]
