"""Asks a model to word slotted texts anew: drafted, checked, drafted again or given up, and kept for whoever asks next.

    reworder = Reworder(model, store, "thought")
    await reworder.reword(text, variant=3)        Reworded("The mayor of Orsk I do not know yet.", by_model=True, …)

A draft is kept with its slots, so that it serves every text that differs in these alone; `variant` tells apart
the wordings that such texts are given. The same text and variant have the same words in every session, process and run.
A model that does not answer leaves nothing behind, and the text as it was.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from worldforge.core.files import value_digest
from worldforge.core.store import BatchedStore, Store, TextStore
from worldforge.models.chat import Message, Request, Sampling, Usage
from worldforge.models.model import Model, ModelError, ModelUnavailableError, OutageDetector, identity_of
from worldforge.rewording import checker
from worldforge.rewording.checker import Refusal, check
from worldforge.rewording.slotted_text import CLOSE, OPEN, SlottedText
from worldforge.schema.document import read_document

PROMPT_VERSION = 1
"""Part of every key in the store: another prompt means other words."""
N_VARIANTS = 8
"""Wordings that texts with the same words around their slots are given."""
_FILE = Path(__file__).with_name("reword_prompts.yaml")
_PROMPTS: Mapping[str, Mapping[str, Mapping[str, str]]] = read_document(_FILE.read_text("utf-8"), _FILE.name)[0].data
_TOKENS, _PER_CHARACTER = 96, 1.5  # that a draft may have: these, and so many a character of the text
_SEED_DIGITS = 7  # hexadecimal, of a key: a seed that every engine takes
_MOST_SHOWN = 3
"""Other wordings of a sentence that a model is shown."""


class Reworded(NamedTuple):
    """A text as it came out. `refused` has why each draft was refused that was, `usage` what asking took."""

    text: str
    by_model: bool = False
    refused: tuple[Refusal, ...] = ()
    usage: Usage = Usage()


@dataclass
class RewordingTally:
    """What came of texts: how many a model worded, how many stayed as they were, and why drafts were refused."""

    worded: int = 0
    kept: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    words: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Asking:
    """How a model is asked: for at most `n_drafts` drafts, which draw tokens by `sampling`."""

    sampling: Sampling = field(default_factory=Sampling)
    n_drafts: int = 3
    thinking: bool = False


class Reworder:
    """Rewords texts of one kind, a key of `reword_prompts.yaml`. One serves all episodes of a process."""

    def __init__(self, model: Model, store: TextStore, kind: str, asking: Asking | None = None) -> None:
        self._model, self._store, self._kind = model, BatchedStore(store), kind
        self._asking, self._outage = asking or Asking(), OutageDetector()
        self._under_way: dict[str, asyncio.Future[None]] = {}

    async def reword(self, text: SlottedText, variant: int = 0) -> Reworded:
        """Word a text anew. Raises ModelUnavailableError where the model is gone, or has answered no request yet."""
        if not text.slots:
            return Reworded(str(text))
        key = self._key(text, variant % N_VARIANTS)
        while (kept := await self._store.get(key)) is None and key in self._under_way:
            await asyncio.shield(self._under_way[key])
        return self._filled(text, kept) if kept is not None else await self._anew(text, key)

    async def _anew(self, text: SlottedText, key: str) -> Reworded:
        future = self._under_way[key] = asyncio.get_running_loop().create_future()
        try:
            return await self._draft(text, key)
        finally:
            future.set_result(None)
            del self._under_way[key]

    async def _draft(self, text: SlottedText, key: str) -> Reworded:
        refused: list[tuple[str, Refusal]] = []
        usage, draft = Usage(), None
        while draft is None and len(refused) < self._asking.n_drafts:
            try:
                reply = await self._model.reply(self._request(text, key, len(refused)))
            except ModelUnavailableError:
                raise
            except ModelError as error:
                self._outage.failed(error)
                return Reworded(str(text), usage=usage)
            self._outage.answered()
            usage += reply.usage
            written = reply.text.strip()
            refusal = self._check(text, written)
            if refusal is None:
                draft = written
            else:
                refused.append((written, refusal))
        record = {"draft": draft, "refused": [[one, why.reason, *why.words] for one, why in refused]}
        kept = await self._store.put(key, json.dumps(record, ensure_ascii=False))
        return self._filled(text, kept)._replace(usage=usage)

    def _check(self, text: SlottedText, draft: str) -> Refusal | None:
        return check(text, draft, thinking=self._kind == "thought")

    def _filled(self, text: SlottedText, entry: str) -> Reworded:
        record = json.loads(entry)
        refused = tuple(Refusal(reason, tuple(words)) for _, reason, *words in record["refused"])
        draft = record["draft"]
        if draft is None or self._check(text, draft) is not None:  # the file may come from anywhere
            return Reworded(str(text), refused=refused)
        return Reworded(text.filled(draft), True, refused)

    def _request(self, text: SlottedText, key: str, attempt: int) -> Request:
        most = _TOKENS + round(_PER_CHARACTER * len(text.shown))
        seed = int(key[:_SEED_DIGITS], 16) + attempt
        sampling = replace(self._asking.sampling, seed=seed, max_tokens=most)
        return Request(
            prompt_of(text, self._kind), tool_choice="none", sampling=sampling, thinking=self._asking.thinking
        )

    def _key(self, text: SlottedText, variant: int) -> str:
        asked = [message.content for message in prompt_of(text, self._kind)]
        versions = [PROMPT_VERSION, checker.VERSION, identity_of(self._model), self._asking.n_drafts]
        return value_digest([*versions, repr(self._asking.sampling), self._asking.thinking, variant, asked])


def prompt_of(text: SlottedText, kind: str) -> tuple[Message, ...]:
    """Write what a model is asked of a text; the texts of slots are not among it."""
    words = _PROMPTS[text.language]
    roles = (f"{OPEN}{number}{CLOSE} {slot.role or slot.kind}" for number, slot in enumerate(text.slots, 1))
    other = [one for sentence in text.numbered for one in sentence.alternatives[:_MOST_SHOWN]]
    asked = words["asked"]["text"].format(text=text.shown, slots=", ".join(roles), other="\n".join(other) or "-")
    return Message("system", words["system"][kind]), Message("user", asked)


def tally(store: Store) -> RewordingTally:
    """Count what came of the texts in a store."""
    found = RewordingTally()
    for _, entry in store.items():
        record = json.loads(entry)
        found.worded += record["draft"] is not None
        found.kept += record["draft"] is None
        for _, reason, *words in record["refused"]:
            found.reasons[reason] += 1
            found.words.update(words)
    return found
