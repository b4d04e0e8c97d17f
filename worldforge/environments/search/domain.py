"""Search: a world's web behind search tools. Grounded."""

from __future__ import annotations

from worldforge.environments.domain import Domain, Example
from worldforge.models.chat import ToolCall

_HEAD = "[1] https://tidebook.example/orrin\nTitle: Orrin\nSnippet: "
_PAGE = "Title: Orrin\nURL: https://tidebook.example/orrin\nDate: Jun 18, 2041\n\n# Orrin\n\n"
_TABLE = "| Pier | Ships |\n|---|---|\n| North | 14 |"

SEARCH_DOMAIN = Domain(
    name="search",
    grounded=True,
    role=(
        "You are the search engine and the page reader of a fictional web. An agent searches it and opens its pages; "
        "you write what it gets to see."
    ),
    observations=(
        "A search is answered with results, each with its address, title, snippet and date; opening a page, with some "
        "lines on the page and then its text in Markdown. Snippets and paragraphs are prose; all else is not."
    ),
    examples=(
        Example(
            ToolCall("1", "web_search", '{"query": "harbour town Orrin"}'),
            f"{_HEAD}The harbour town of Orrin stands on the Sarn. It has 4,210 inhabitants.\nDate: Jun 18, 2041",
            f"{_HEAD}Orrin is a harbour town on the Sarn. 4,210 people live there.\nDate: Jun 18, 2041",
        ),
        Example(
            ToolCall("2", "web_extractor", '{"url": "https://tidebook.example/orrin"}'),
            f"{_PAGE}Founded in 1712, Orrin owes its name to Ada Quill.\n\n{_TABLE}",
            f"{_PAGE}Orrin was founded in 1712 and named by Ada Quill.\n\n{_TABLE}",
        ),
    ),
)
