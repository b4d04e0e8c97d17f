"""The dialects of the search environment: names and arguments of tools as three agents' papers and code have them.

- `agentworld`: `web_search`, `web_extractor`, `dict_memory`, as Qwen-AgentWorld's report (arXiv 2606.24597) gives them.
- `widesearch`: `search_global` and `text_browser_view`, as in ByteDance-Seed/WideSearch. Its agents keep no notes. Two
  arguments are taken that change nothing here: snippets have one length, and a world's web one language.
- `plain`: `search` and `visit`, as most open search agents have them (WebDancer, WebSailor, Tongyi DeepResearch:
  Alibaba-NLP/DeepResearch), with results in Qwen-AgentWorld's form.

Where the originals have a model sum a page up, the page is shown. `page` and `part` are ours: no original can go on
in a long list or page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from worldforge.environments.arguments import ToolArguments
from worldforge.environments.dialect import ERROR, Dialect, Domain, Example, arguments_of
from worldforge.environments.requests import ToolRequest
from worldforge.environments.search.requests import RESULTS_PER_QUERY, NoteRequest, OpenRequest, SearchRequest
from worldforge.environments.search.text_form import (
    LABELLED,
    NUMBERED,
    ResultForm,
    format_page,
    format_results,
    parse_page,
    parse_results,
)
from worldforge.environments.search.views import NoteView, PageView, SearchView
from worldforge.environments.views import ErrorView, ToolView
from worldforge.models.chat import ToolCall

MOST_QUERIES = 5
"""In one call, where a dialect takes several."""
DEEPEST_RESULT = 1_000
_OPERATORS = 'May hold "an exact phrase", site:host for pages of one site, -word for pages without a word.'
_URL = "The address of the page, as search results and links give it."

_Words = Annotated[str, Field(min_length=1)]
_ResultsPage = Annotated[int, Field(ge=1, le=100, description="Which page of the results to show, from 1.")]
_PagePart = Annotated[int, Field(description="Which part of a long page to read, from 1.")]


class WebSearch(ToolArguments):
    """Search the web. Each query brings up to ten results: address, title, a snippet of the page, date."""

    query: str = Field("", description=f"What to look for, in words. {_OPERATORS}")
    queries: list[_Words] = Field(
        default_factory=list,
        max_length=MOST_QUERIES,
        description=f"Several queries at once, at most {MOST_QUERIES}, in place of `query`.",
    )
    page: _ResultsPage = 1

    @model_validator(mode="after")
    def _one_way(self) -> WebSearch:
        if bool(self.query) == bool(self.queries):
            raise ValueError("give either `query` or `queries`")
        return self

    def request(self) -> SearchRequest:
        """Ask for the queries, however they were given."""
        return SearchRequest(tuple(self.queries or [self.query]), self.page)


class WebExtractor(ToolArguments):
    """Open a page and read it as Markdown. A long page comes in parts; its first lines say how many there are."""

    url: str = Field(description=_URL)
    part: _PagePart = 1

    def request(self) -> OpenRequest:
        """Ask for the page."""
        return OpenRequest(self.url, self.part)


class DictMemory(ToolArguments):
    """Keep notes under keys for the length of this task."""

    action: Literal["add", "update", "retrieve", "retrieve_all", "remove", "remove_all"] = Field(
        description="`add` a new key, `update` or `remove` or `retrieve` one that exists, or act on all of them."
    )
    key: str = Field(
        "", max_length=200, description="The note's key; for all actions but `retrieve_all` and `remove_all`."
    )
    value: str = Field("", description="The note; for `add` and `update`.")

    @model_validator(mode="after")
    def _complete(self) -> DictMemory:
        needed = {"add": {"key", "value"}, "update": {"key", "value"}, "retrieve": {"key"}, "remove": {"key"}}
        missing = sorted(needed.get(self.action, set()) - self.model_fields_set)
        if missing:
            raise ValueError(f"`{self.action}` needs `{'` and `'.join(missing)}`")
        return self

    def request(self) -> NoteRequest:
        """Ask for something to be done with the notes."""
        return NoteRequest(self.action, self.key, self.value)


class SearchGlobal(ToolArguments):
    """Search the web with one short, clear query: what is complex needs several searches. Brings a list of pages."""

    query: _Words = Field(description="What to look for, in words.")
    count: int = Field(
        RESULTS_PER_QUERY, ge=1, le=200, description="How many results a page of them shows; 10 if left out."
    )
    summary_type: Literal["short", "long"] = Field(
        "short", description="Kept for compatibility: snippets have one length."
    )
    use_english: bool = Field(False, description="Kept for compatibility: this web is in one language.")
    page: _ResultsPage = 1

    @model_validator(mode="after")
    def _within_reach(self) -> SearchGlobal:
        if self.page > 1 and self.page * self.count > DEEPEST_RESULT:
            raise ValueError(f"no more than the first {DEEPEST_RESULT} results of a query can be shown")
        return self

    def request(self) -> SearchRequest:
        """Ask for the query."""
        return SearchRequest((self.query,), self.page, self.count)


class TextBrowserView(ToolArguments):
    """Open a page that a search, a page or the task names, and read its text. A long page comes in parts."""

    url: str = Field(description="The address of the page, in full; it begins with http.")
    description: str = Field("", description="What you want to know from the page.")
    part: _PagePart = 1

    def request(self) -> OpenRequest:
        """Ask for the page."""
        return OpenRequest(self.url, self.part)


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


class PlainSearch(ToolArguments):
    """Search the web. Each query brings up to ten results: address, title, a snippet of the page, date."""

    query: Annotated[list[_Words], BeforeValidator(_as_list)] = Field(
        min_length=1,
        max_length=MOST_QUERIES,
        description=f"The queries, in words: at most {MOST_QUERIES}. {_OPERATORS}",
    )
    page: _ResultsPage = 1

    def request(self) -> SearchRequest:
        """Ask for the queries."""
        return SearchRequest(tuple(self.query), self.page)


class PlainVisit(ToolArguments):
    """Open a page and read its text. A long page comes in parts. For several pages, make several calls."""

    url: str = Field(description=_URL)
    goal: str = Field("", description="What you want to know from the page.")
    part: _PagePart = 1

    def request(self) -> OpenRequest:
        """Ask for the page."""
        return OpenRequest(self.url, self.part)


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


class SearchDialect(Dialect):
    """A dialect whose tools search, open a page and, as a third, keep notes.

    `ask_search` writes a search as the arguments of calls, without the page of results.
    """

    def __init__(
        self,
        name: str,
        types: Mapping[str, type[ToolArguments]],
        form: ResultForm,
        ask_search: Callable[[SearchRequest], list[dict[str, Any]]],
    ) -> None:
        super().__init__(name, SEARCH_DOMAIN, types)
        self.form, self._ask_search = form, ask_search

    def ask(self, request: ToolRequest) -> list[tuple[str, dict[str, Any]]]:
        """Ask for searches, pages and notes. Raises ValueError for all else."""
        search, visit, *note = self.types
        match request:
            case SearchRequest(page=page):
                later = {"page": page} if page > 1 else {}
                return [(search, {**arguments, **later}) for arguments in self._ask_search(request)]
            case OpenRequest():
                return [(visit, arguments_of(request))]
            case NoteRequest() if note[:1] == ["dict_memory"]:
                return [("dict_memory", arguments_of(request))]
        return super().ask(request)

    def write(self, request: ToolRequest, view: ToolView) -> str:
        """Write a view as text. Raises ValueError for records of a database, which no search brings."""
        match view:
            case SearchView():
                return format_results(view, self.form)
            case PageView():
                return format_page(view)
            case NoteView(text):
                return text
            case ErrorView(_, message):
                return message
        return super().write(request, view)

    def parse(self, request: ToolRequest, text: str) -> ToolView | None:
        """Parse what `write` wrote; None where a text is not that to the last character.

        The names of errors and rows of the world are in no text: they come back empty, or -1.
        """
        match request:
            case _ if text.startswith(ERROR):
                return ErrorView("", text)
            case SearchRequest():
                return parse_results(request, text, self.form)
            case OpenRequest():
                return parse_page(text)
            case NoteRequest():
                return NoteView(text)
        return super().parse(request, text)


def _batches(queries: tuple[str, ...]) -> list[list[str]]:
    return [list(queries[first : first + MOST_QUERIES]) for first in range(0, len(queries), MOST_QUERIES)]


def _one_by_one(request: SearchRequest) -> list[dict[str, Any]]:
    count = {"count": request.size} if request.size != RESULTS_PER_QUERY else {}
    return [{"query": query, **count} for query in request.queries]


AGENT_WORLD = SearchDialect(
    "agentworld",
    {"web_search": WebSearch, "web_extractor": WebExtractor, "dict_memory": DictMemory},
    NUMBERED,
    lambda request: [{"queries": batch} for batch in _batches(request.queries)],
)
WIDE_SEARCH = SearchDialect(
    "widesearch", {"search_global": SearchGlobal, "text_browser_view": TextBrowserView}, LABELLED, _one_by_one
)
PLAIN = SearchDialect(
    "plain",
    {"search": PlainSearch, "visit": PlainVisit},
    NUMBERED,
    lambda request: [{"query": batch} for batch in _batches(request.queries)],
)
SEARCH_DIALECTS: Mapping[str, Dialect] = {dialect.name: dialect for dialect in (AGENT_WORLD, WIDE_SEARCH, PLAIN)}
