"""`find_in_page`: the lines of a page that hold some words, each with the part of the page that it stands in.

Title: Velmar
URL: https://sarnipedia.example/wiki/velmar
Found: 2 lines with "founded"

[1] part 1: Velmar was founded in 1712.
[2] part 2: | Velmar Rovers | founded 1911 |
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, ClassVar, Self

from pydantic import Field

from worldforge.environments.arguments import echo, one_line
from worldforge.environments.extra_tools import ExtraTool
from worldforge.environments.requests import SessionBackend
from worldforge.environments.search.views import page_parts
from worldforge.environments.search.web_backend import SearchBackend
from worldforge.environments.views import ErrorView, Excerpt, ToolView

_MOST_LINES = 20
MOST_CHARACTERS = 300  # of a line; of a longer one, what stands around the words
_HEAD = re.compile(r"Title: (.*)\nURL: (.*)\nFound: (\d+) lines? with \"(.*)\"(?:, of which \d+ are shown)?")
_LINE = re.compile(r"\[(\d+)\] part (\d+): (.*)")


@dataclass(frozen=True, slots=True)
class FoundLine:
    """A line, or what is shown of it, and the part of the page that it is in; `start` is its place in the page."""

    part: int
    text: str
    start: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class FoundView(ToolView):
    """The first lines of a page that hold some words; `n_found` lines do. `row` is the page's, and is not shown."""

    kind: ClassVar[str] = "found"

    title: str
    url: str
    words: str
    n_found: int
    lines: tuple[FoundLine, ...]
    row: int = field(default=-1, compare=False)

    @property
    def error_code(self) -> str:
        """`nothing_found` where no line holds the words."""
        return "" if self.lines else "nothing_found"

    @property
    def excerpts(self) -> tuple[Excerpt, ...]:
        """The lines."""
        return tuple(Excerpt(line.text, self.row, line.start) for line in self.lines)

    def with_excerpts(self, texts: Sequence[str]) -> Self:
        """Show other lines."""
        lines = (replace(line, text=text) for line, text in zip(self.lines, texts, strict=True))
        return replace(self, lines=tuple(lines))


@dataclass(frozen=True, slots=True)
class FindInPage(ExtraTool):
    """Find words in a page: brings the lines that hold them, and the part of the page that each is in."""

    tool: ClassVar[str] = "find_in_page"
    kind: ClassVar[str] = "find"
    controls: ClassVar[frozenset[str]] = frozenset({"truncation", "malformed", "withheld", "wrong_facts"})

    url: Annotated[str, Field(description="The address of the page, as search results and links give it.")]
    words: Annotated[
        str, Field(min_length=1, description="The words, as they stand one after the other; case does not count.")
    ]

    def answer(self, backend: SessionBackend) -> ToolView:
        """Search the whole page."""
        assert isinstance(backend, SearchBackend), "the tool is one of search dialects"
        page = backend.index.page(self.url)
        if page is None:
            return ErrorView("page_not_found", f"Error: 404, no page at {echo(self.url)}.")
        found = list(_found(page.text, self.words))
        lines = tuple(found[:_MOST_LINES])
        return FoundView(page.title, page.url, one_line(self.words), len(found), lines, page.page)

    def write(self, view: ToolView) -> str:
        """Write the lines, numbered, below a head."""
        assert isinstance(view, FoundView)
        shown = f", of which {len(view.lines)} are shown" if len(view.lines) < view.n_found else ""
        lines = "line" if view.n_found == 1 else "lines"
        head = (
            f"Title: {one_line(view.title)}\nURL: {one_line(view.url)}\n"
            f'Found: {view.n_found} {lines} with "{view.words}"{shown}'
        )
        numbered = [f"[{number}] part {line.part}: {line.text}" for number, line in enumerate(view.lines, 1)]
        return "\n\n".join([head, *(["\n".join(numbered)] if numbered else [])])

    def parse(self, text: str) -> ToolView | None:
        """Read the lines back."""
        head, _, body = text.partition("\n\n")
        header = _HEAD.fullmatch(head)
        numbered = [_LINE.fullmatch(line) for line in body.split("\n")] if body else []
        if header is None:
            return None
        lines = tuple(FoundLine(int(line[2]), line[3]) for line in numbered if line is not None)
        view = FoundView(header[1], header[2], header[4], int(header[3]), lines)
        return view if self.write(view) == text else None


TOOL = FindInPage


def _found(text: str, words: str) -> Iterator[FoundLine]:
    """Give the lines that hold the words, in order."""
    pattern = re.compile(r"\s+".join(map(re.escape, words.split())) or re.escape(words), re.IGNORECASE)
    parts = page_parts(text)
    at = 0
    for line in text.splitlines(keepends=True):
        kept = line.rstrip("\r\n")
        match = pattern.search(kept)
        if match:
            first = max(0, match.start() - MOST_CHARACTERS // 2) if len(kept) > MOST_CHARACTERS else 0
            start = at + first
            part = next(number for number, (_, end) in enumerate(parts, 1) if start < end)
            yield FoundLine(part, kept[first : first + MOST_CHARACTERS], start)
        at += len(line)
