"""See what a phrasebook has and lacks, and let a model write more for it.

    book_coverage(load_spec("transport"))                               ->  counts by type, relation and column
    write_phrases(load_spec("transport"), "vllm:Qwen/Qwen3-8B")         ->  transport.en.additions.yaml, for review

The book itself is never edited.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from worldforge.builders.pages.prose.prose_requests import writer_of
from worldforge.builders.phrasebooks.coverage import LEAST_FORMS, BookCoverage, book_of, coverage_of
from worldforge.builders.phrasebooks.extend_book import BookExtension, extend_book
from worldforge.core.errors import InputError
from worldforge.core.files import check_writable, output_path
from worldforge.core.progress import Progress
from worldforge.schema.spec import WorldSpec
from worldforge.schema.spec_section import Language

if TYPE_CHECKING:
    from worldforge.models.model import Model
    from worldforge.models.model_address import ModelAddress

_ELSEWHERE = "write them elsewhere with `-o FILE`"


def book_coverage(
    spec: WorldSpec, language: str | None = None, least: int = LEAST_FORMS, code_from: Path | None = None
) -> list[BookCoverage]:
    """Count what a spec's phrasebooks have, in one language or in all of the spec's.

    Raises InputError for a language that the spec is not in.
    """
    languages = spec.languages if language is None else [_language(spec, language)]
    return [coverage_of(spec, book_of(spec, one), least, code_from) for one in languages]


def write_phrases(
    spec: WorldSpec,
    model: ModelAddress | Model | str,
    out: Path | None = None,
    *,
    language: str | None = None,
    least: int = LEAST_FORMS,
    code_from: Path | None = None,
    progress: Progress | None = None,
) -> BookExtension:
    """Ask a model for entries that a phrasebook lacks, check them, and write them to a file for review.

    `out` is NAME.LANGUAGE.additions.yaml in the current folder by default; entries that it has of an earlier run stay.
    Raises InputError for what cannot be used, ModelUnavailableError where the model is gone: what was written stays.
    """
    chosen = spec.languages[0] if language is None else _language(spec, language)
    path = output_path(out or f"{spec.phrases or spec.name}.{chosen}.additions.yaml")
    check_writable(path.absolute().parent, _ELSEWHERE)
    return extend_book(spec, chosen, writer_of(model), path, least, code_from, progress)


def _language(spec: WorldSpec, language: str) -> Language:
    found = next((one for one in spec.languages if one == language), None)
    if found is None:
        raise InputError(f"{spec.name} is not in language `{language}`", f"it is in {', '.join(spec.languages)}")
    return found
