"""Views: the content of an observation, decided by code, changed by controls, then rendered as text.

A view holds all that an observation may disclose, and nothing more. It declares its excerpts, which state facts and may
be reworded, so that other packages need no code for a particular environment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

_TYPES: dict[str, type[ToolView]] = {}


@dataclass(frozen=True, slots=True)
class FactInText:
    """The characters [start, end) of a text that are the value of a fact, named by its id: `club/0031#founded`."""

    fact: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A text that a view shows verbatim, and the facts that it states.

    Of a page of the world it is the characters from `start` on: `page` is the page's row, and the world's mentions say
    what stands there. `plain` says that it is a snippet of the page's plain text, without marks, between ellipses. Any
    other text (`page` -1) names its `facts` itself.

    A model that rewords it copies its lines of structure (headings, tables, lists) and keeps all its facts; a snippet
    is a line that hints, and may leave facts out.
    """

    text: str
    page: int = -1
    start: int = 0
    plain: bool = False
    facts: tuple[FactInText, ...] = ()


@dataclass(frozen=True, slots=True)
class ViewItem:
    """A search result or a record: its query, its key (address, id), its number from 1.

    Either `text` is what it says, of which `excerpt` begins at `excerpt_start`, or `cells` are its values by name.
    """

    group: int
    key: str
    number: int
    text: str = ""
    excerpt: Excerpt | None = None
    excerpt_start: int = 0
    cells: Mapping[str, Any] | None = None


class ToolView:
    """The base of all views, which are frozen dataclasses; its defaults suit a text that is copied.

    `form` says how a text of this view that is out of form is still read: as prose, as a list of results with
    addresses, or as data. `is_worded` is false for errors and notes, which no model words.
    """

    __slots__ = ()
    kind: ClassVar[str] = ""
    form: ClassVar[Literal["text", "results", "data"]] = "text"
    is_worded: ClassVar[bool] = True

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.kind:
            _TYPES[cls.kind] = cls

    @property
    def error_code(self) -> str:
        """What went wrong with the call; empty where nothing did, or only a part."""
        return ""

    @property
    def excerpts(self) -> tuple[Excerpt, ...]:
        """The texts that it shows verbatim, with their facts."""
        return ()

    def with_excerpts(self, texts: Sequence[str]) -> Self:
        """Show `texts` in the place of its excerpts."""
        return self

    @property
    def items(self) -> tuple[ViewItem, ...]:
        """The items of a list, in order; empty where it is no list."""
        return ()

    @property
    def remarks(self) -> tuple[str | tuple[str, str], ...] | None:
        """What it says beside its items: texts, and pairs of a sort and a value. None: the whole text."""
        return None

    @property
    def phrases(self) -> tuple[str, ...]:
        """Texts that an observation has to show word for word: a notice, the message of a part that failed."""
        return tuple(one for one in self.remarks or () if isinstance(one, str))

    def first_items(self, share: float) -> Self:
        """Keep only the first share of the items of a list, at least one."""
        return self

    def with_failures(self, numbers: tuple[int, ...], failures: tuple[Failure, ...]) -> Self:
        """Show that items of a batch, by their numbers in the request, failed."""
        return self

    def aged(self, days: int) -> Self:
        """Mark it as a copy that is so many days old."""
        return self


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed item of a batch: its name, the error's name, and a message."""

    item: str
    error: str
    message: str


@dataclass(frozen=True, slots=True)
class ErrorView(ToolView):
    """A call that failed as a whole. `error` names why (`page_not_found`, `rate_limited`), `message` says it."""

    is_worded: ClassVar[bool] = False

    error: str
    message: str

    @property
    def error_code(self) -> str:
        """The error's name."""
        return self.error


@dataclass(frozen=True, slots=True)
class TextView(ToolView):
    """A text that states facts: the view that most tools of most environments need. `error` names what went wrong."""

    kind: ClassVar[str] = "text"

    text: str
    facts: tuple[FactInText, ...] = ()
    error: str = ""

    @property
    def error_code(self) -> str:
        """The error's name; empty where nothing went wrong."""
        return self.error

    @property
    def excerpts(self) -> tuple[Excerpt, ...]:
        """The whole text."""
        return (Excerpt(self.text, facts=self.facts),)

    def with_excerpts(self, texts: Sequence[str]) -> Self:
        """Show another text; which facts it states is no longer known."""
        (text,) = texts
        return self if text == self.text else type(self)(text, (), self.error)


def view_types() -> dict[str, type[ToolView]]:
    """Return the types of views that are known in this process, by kind."""
    return dict(_TYPES)
