"""Asks a model for the paragraphs that the archive lacks: many at once, each as soon as there is room for it.

A draft that will not do is refused and asked for again, a bounded number of times; then the paragraph stays as its
templates have it. What came of each is put into the archive at once, so that a build that is killed has lost nothing
but what was under way. A model that answers no request at all ends the build, and leaves no entry.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from worldforge.builders.pages.prose import draft_check
from worldforge.builders.pages.prose.archive import ArchiveEntry, find, keep
from worldforge.builders.pages.prose.prose_prompt import request_for
from worldforge.builders.pages.prose.prose_rewrite import ProseRewriter, WantedParagraph
from worldforge.core.errors import InputError
from worldforge.core.files import value_digest
from worldforge.core.progress import Progress
from worldforge.core.run_async import gather_or_cancel, run_sync
from worldforge.core.store import TextStore, store_exists
from worldforge.core.store_server import open_store
from worldforge.models.chat import Sampling, Usage
from worldforge.models.model import Model, ModelError, ModelUnavailableError, OutageDetector, identity_of
from worldforge.models.request_meter import RequestMeter, reporting

if TYPE_CHECKING:
    from worldforge.models.model_address import ModelAddress

TRIES = 3
_UNDER_WAY = 256  # paragraphs asked for at once: enough to fill an engine's batch


@dataclass(frozen=True, slots=True)
class Writer:
    """A model that words pages: how it is opened (in the event loop that then uses it), and how it draws tokens."""

    open: Callable[[], AbstractAsyncContextManager[Model]]
    sampling: Sampling = Sampling()  # noqa: RUF009  frozen
    thinking: bool = False


def writer_of(model: ModelAddress | Model | str) -> Writer:
    """Return the writer that a model is, open already or at an address. Raises InputError for what is no address."""
    from worldforge.models.model_address import ModelAddress
    from worldforge.models.model_pool import open_model

    address = ModelAddress.parse(model) if isinstance(model, str) else model
    if isinstance(address, ModelAddress):
        return Writer(lambda: open_model(address), address.sampling, address.thinking or False)
    return Writer(lambda: nullcontext(address))


def complete(
    prose: ProseRewriter,
    wanted: Callable[[], Iterable[WantedParagraph | None]],
    writer: Writer | None,
    progress: Progress,
) -> None:
    """See to it that the archive has all that `wanted` gives; the model is opened only where words are missing.

    What was refused is tried again where the model, the check or the number of drafts is another.

    Raises InputError where something is and there is no writer, ModelUnavailableError where the model is gone or
    answers nothing.
    """
    asked = (one for one in wanted() if one is not None)
    if writer is None:
        _refuse_missing(prose, asked)
        return
    with open_store(prose.path) as store:
        n_missing = sum(_lacks_words(store, one) for one in asked)
    if n_missing:
        asked = (one for one in wanted() if one is not None)
        run_sync(_write(prose, asked, n_missing, writer, progress))


def _refuse_missing(prose: ProseRewriter, asked: Iterator[WantedParagraph]) -> None:
    total = missing = 0
    if store_exists(prose.path):
        with open_store(prose.path) as store:
            for one in asked:
                total, missing = total + 1, missing + (find(store, one.key) is None)
    else:
        total = missing = sum(1 for _ in asked)
    if missing:
        raise InputError(
            f"{missing:,} of {total:,} paragraphs are to be worded by a model, and are not in {prose.path}",
            "name a model: `--model vllm:Qwen/Qwen3-8B`; or put that file of an earlier build there; "
            "or `--set pages.prose=templates`",
        )


async def _write(
    prose: ProseRewriter, asked: Iterator[WantedParagraph], n_missing: int, writer: Writer, progress: Progress
) -> None:
    """Word what is asked for and not in the archive yet, `_UNDER_WAY` paragraphs at once."""
    meter = RequestMeter()
    turn = asyncio.Lock()
    outage = OutageDetector()
    unanswered: list[
        tuple[str, ArchiveEntry]
    ] = []  # kept once the model has answered something: it fails at these alone

    async def work(model: Model, store: TextStore) -> None:
        while True:
            async with turn:
                one = await asyncio.to_thread(next, asked, None)  # it may have to compose pages first
            if one is None:
                return
            before = find(store, one.key)
            if before is not None and before.words is not None:
                continue
            if before is None or before.tried != _tried(model):
                unanswered.append((one.key, await word(model, writer, prose, one, outage)))
                while outage.alive and unanswered:
                    keep(store, *unanswered.pop())
            shown.advance()

    async with reporting(meter, progress) as shown:
        with open_store(prose.path) as store:
            shown.start("pages: prose", n_missing)
            shown.note("loading the model")
            async with writer.open() as opened:
                shown.note("")
                model = meter.over(opened)
                await gather_or_cancel([asyncio.create_task(work(model, store)) for _ in range(_UNDER_WAY)])
                outage.check()


def _lacks_words(store: TextStore, one: WantedParagraph) -> bool:
    entry = find(store, one.key)
    return entry is None or entry.words is None


def _tried(model: Model) -> str:
    return value_digest([identity_of(model), draft_check.VERSION, TRIES])


async def word(
    model: Model, writer: Writer, prose: ProseRewriter, one: WantedParagraph, outage: OutageDetector
) -> ArchiveEntry:
    """Ask for one paragraph until a draft will do, or `TRIES` have been refused. Raises ModelUnavailableError."""
    refused: list[str] = []
    usage = Usage()
    seed = int(one.key[:8], 16) >> 1  # of its own, and small enough for any engine
    for attempt in range(TRIES):
        request = request_for(
            one.paragraph, one.sort, writer.sampling, seed=seed, attempt=attempt, thinking=writer.thinking
        )
        try:
            reply = await model.reply(request)
        except ModelUnavailableError:
            raise
        except ModelError as error:
            outage.failed(error)
            refused.append("no reply")
            continue
        outage.answered()
        usage += reply.usage
        draft = reply.text.strip()
        reason = prose.checker.refusal(one.paragraph, draft)
        if reason is None:
            return _entry(draft, refused, model, usage)
        refused.append(reason)
    return _entry(None, refused, model, usage)


def _entry(words: str | None, refused: Iterable[str], model: Model, usage: Usage) -> ArchiveEntry:
    return ArchiveEntry(
        words=words,
        refused=tuple(refused),
        by=model.name,
        tried=_tried(model),
        prompt_tokens=usage.prompt,
        completion_tokens=usage.completion,
    )
