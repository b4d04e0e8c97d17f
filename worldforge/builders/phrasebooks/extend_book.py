"""Ask a model for what a phrasebook lacks, many columns at once; check entries, and write the good ones for review."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from worldforge.builders.pages.prose.prose_requests import Writer
from worldforge.builders.phrasebooks.additions import Additions, read_additions, with_additions, write_additions
from worldforge.builders.phrasebooks.coverage import LEAST_FORMS, BookCoverage, book_of, coverage_of
from worldforge.builders.phrasebooks.entry_check import EntryChecker, folded
from worldforge.builders.phrasebooks.entry_requests import EntryPrompts, WantedEntries, read_entries, wanted_of
from worldforge.core.progress import Progress
from worldforge.core.run_async import gather_or_cancel, run_sync
from worldforge.models.model import Model, ModelError, ModelUnavailableError, OutageDetector
from worldforge.models.request_meter import RequestMeter, reporting
from worldforge.schema.spec import WorldSpec
from worldforge.schema.spec_section import Language

_UNDER_WAY = 64  # columns asked for at once
NO_REPLY, UNREADABLE = "no reply", "unreadable reply"


@dataclass(frozen=True, slots=True)
class BookExtension:
    """What a model added to a book: to which file, for how many columns, and what was refused and why.

    `lacking` is what the book still lacks with all additions.
    """

    file: Path
    language: Language
    n_wanted: int
    """Columns that the model was asked for."""
    added: Mapping[str, int]
    """Entries by column (`club.founded`)."""
    refused: Mapping[str, int]
    """Entries and replies by reason."""
    lacking: BookCoverage

    @property
    def n_added(self) -> int:
        """How many entries were added."""
        return sum(self.added.values())


@dataclass
class _Work:
    checker: EntryChecker
    additions: Additions
    new: list[tuple[str, str, str, str]] = field(default_factory=list)
    added: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    model: str = ""


def extend_book(
    spec: WorldSpec,
    language: Language,
    writer: Writer,
    out: Path,
    least: int = LEAST_FORMS,
    code_from: Path | None = None,
    progress: Progress | None = None,
) -> BookExtension:
    """Ask a model for what the spec's book of a language lacks, and write the good entries to `out`.

    What `out` has of an earlier run is kept, and counts. Nothing is written where no entry is good. Raises InputError
    where another file stands at `out`; ModelUnavailableError where the model is gone, after writing what there is.
    """
    earlier = read_additions(out, language)
    book = book_of(spec, language)
    whole = with_additions(book, spec, earlier)
    coverage = coverage_of(spec, whole, least, code_from)
    wanted = [one for column in coverage.lacking if (one := wanted_of(column, spec, whole))]
    work = _Work(EntryChecker(spec, whole, code_from), {key: [*own] for key, own in earlier.items()})
    if wanted:
        prompts = EntryPrompts(spec, whole, work.checker)
        try:
            run_sync(_ask(work, prompts, wanted, writer, progress or Progress()))
        finally:
            _compare(work, EntryChecker(spec, with_additions(book, spec, work.additions), code_from))
            if work.added:
                write_additions(out, spec, book, work.additions, work.model)
    left = coverage_of(spec, with_additions(book, spec, work.additions), least, code_from)
    return BookExtension(out, language, len(wanted), dict(work.added), dict(work.refused.most_common()), left)


def _compare(work: _Work, checker: EntryChecker) -> None:
    """Take back what could be taken for another fact now that other columns have new entries too.

    `checker` knows all of them.
    """
    for table, column, kind, text in work.new:
        if reason := checker.misreading(table, column, kind, text, known=True):
            work.additions[table, column, kind].remove(text)
            work.added[f"{table}.{column}"] -= 1
            work.refused[reason] += 1
    work.added = +work.added


async def _ask(
    work: _Work, prompts: EntryPrompts, wanted: Sequence[WantedEntries], writer: Writer, progress: Progress
) -> None:
    """Ask for all columns, `_UNDER_WAY` at once."""
    meter, outage = RequestMeter(), OutageDetector()
    left: Iterator[WantedEntries] = iter(wanted)

    async def ask_on(model: Model) -> None:
        for one in left:
            request = prompts.request(one, writer.sampling, thinking=writer.thinking)
            try:
                reply = await model.reply(request)
            except ModelUnavailableError:
                raise
            except ModelError as error:
                outage.failed(error)
                work.refused[NO_REPLY] += 1
            else:
                outage.answered()
                _take(work, one, reply.text)
            shown.advance()

    async with reporting(meter, progress) as shown:
        shown.start("phrases", len(wanted))
        shown.note("loading the model")
        async with writer.open() as opened:
            shown.note("")
            model = meter.over(opened)
            work.model = model.name
            await gather_or_cancel([asyncio.create_task(ask_on(model)) for _ in range(min(_UNDER_WAY, len(wanted)))])
            outage.check()


def _take(work: _Work, wanted: WantedEntries, reply: str) -> None:
    """Check the entries of a reply, and keep those that are good: of each kind as many as there are, each once."""
    found = list(read_entries(reply, wanted.kinds))
    if not found:
        work.refused[UNREADABLE] += 1
    given: set[tuple[str, str]] = set()
    for kind, text in found:
        reason = work.checker.refusal(wanted.table, wanted.column, kind, text)
        if not reason and isinstance(text, str):
            if (kind, folded(text)) not in given:
                given.add((kind, folded(text)))
                work.additions.setdefault((wanted.table, wanted.column, kind), []).append(text)
                work.new.append((wanted.table, wanted.column, kind, text))
                work.added[f"{wanted.table}.{wanted.column}"] += 1
                continue
            reason = "known"
        work.refused[reason] += 1
