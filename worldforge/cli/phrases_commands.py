"""The command on phrasebooks: `phrases`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from worldforge.cli.options import NOT_NEGATIVE, json_option, option, out_option, read_spec, spec_options
from worldforge.cli.printing import heading, print_summary, progress, say, table
from worldforge.core.errors import InputError, PartialError

if TYPE_CHECKING:
    from worldforge.builders.phrasebooks.coverage import BookCoverage, ColumnCoverage
    from worldforge.builders.phrasebooks.extend_book import BookExtension

_MOST_LISTED = 12


@click.command("phrases")
@spec_options
@option("--language", "The language of the book. Default: all of SPEC's; with `--model`, its first.")
@option("--least", "How many sentence forms a column is to have. Default: 12.", NOT_NEGATIVE)
@option("--model", "Ask the model at this address for what is missing: vllm:Qwen/Qwen3-8B, openai:…", metavar="ADDRESS")
@out_option("Where its entries go. Default: NAME.LANGUAGE.additions.yaml.")
@json_option
def phrases_command(
    spec: str,
    overrides: tuple[str, ...],
    allow_code: bool,
    model: str | None,
    out: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Count what SPEC's phrasebook has for each type, relation and column, and what it lacks.

    With a model, ask it for what is missing, check every entry, and write the good ones to a file for review. The book
    is not changed.
    """
    from worldforge.entry_points.write_phrases import book_coverage, write_phrases

    if out is not None and model is None:
        raise InputError("`-o` names the file for a model's entries", "name a model as well: `--model ADDRESS`")
    loaded, code_from = read_spec(spec, overrides, allow_code)
    options = {key: value for key, value in options.items() if value is not None}
    if model is None:
        print_summary(book_coverage(loaded, **options, code_from=code_from), as_json, _describe_books)
        return
    with progress() as shown:
        found = write_phrases(loaded, model, out, **options, code_from=code_from, progress=shown)
    print_summary(found, as_json, _describe_extension)
    if found.lacking.lacking:
        raise PartialError(
            f"{_columns(len(found.lacking.lacking))} still without all that {loaded.name} needs",
            "the same command asks again for what is missing; `worldforge phrases SPEC` lists what the book has",
        )


def _describe_books(found: list[BookCoverage]) -> None:
    click.echo("\n\n".join("\n\n".join(_book_tables(one)) for one in found))
    for one in found:
        if not one.found:
            say(f"there is no phrasebook in language `{one.language}`")


def _book_tables(found: BookCoverage) -> list[str]:
    tables = [f"{heading(f'language {found.language}')}: {found.voices} voices, {found.documents} documents"]
    for one in found.tables:
        counts = ", ".join(f"{n} {what}" for what, n in one.counts.items())
        rows = [
            (c.column, c.forms, c.entries, c.labels, c.asks, c.which, c.over, c.under, _lacks(c)) for c in one.columns
        ]
        header = ("column", "forms", "entries", "labels", "asks", "which", "over", "under", "missing")
        tables.append("\n".join([f"{heading(one.table)}: {counts}", *([table(header, rows)] if rows else [])]))
    return tables


def _lacks(column: ColumnCoverage) -> str:
    return ", ".join(f"{n} {kind}" for kind, n in column.lacks.items())


def _describe_extension(found: BookExtension) -> None:
    if not found.n_wanted:
        say("nothing is missing that a model can add")
        return
    refused = ", ".join(f"{reason} {n:,}" for reason, n in found.refused.items()) or "none"
    say(f"{found.n_added:,} entries for {len(found.added):,} of {_columns(found.n_wanted)} (refused: {refused})")
    for column in found.lacking.lacking[:_MOST_LISTED]:
        say(f"still missing: {column.table}.{column.column}: {_lacks(column)}")
    if len(found.lacking.lacking) > _MOST_LISTED:
        say(f"… and {len(found.lacking.lacking) - _MOST_LISTED:,} more")
    if found.n_added:
        say(f"{found.file}: review it, then copy what is good into the book")


def _columns(n: int) -> str:
    return f"{n:,} column{'s' * (n != 1)}"
