"""Pages that a searcher has heard of, and what opening each is worth to it, as experience with its kin tells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

_RECENT = 0.3  # weight of the last page in an average
_LEAST_HIT = 0.15  # of a kind of page that has told nothing so far: the next one may
_VALUE = 1.5  # how telling a title is that has a value which the question names
_OTHERS = 0.5  # how telling a title is of a list of others, of whom columns are asked for
_PRIOR = 2  # pages that a title's words count for, beside those read of the same folder
_HOPE = 0.5  # how much less is hoped of a list for each part that told little
_HIT = 0.6  # share of what is open on an entity that a page about it is expected to tell
_NAMED = 0.4  # the same of a part of a page that was found to name it
_LIST = 3.0  # what an unknown list is expected to tell, by the words of its title
_NUMBERED = re.compile(r"\s*[(（][^()（）]*\d[^()（）]*[)）]\s*$")


@dataclass(slots=True)
class Lead:
    """A page heard of: its address, the words that led to it, and which part of it is to be read.

    `about` is the entity that it is on, as its title says, empty where it is on several or on none that is known.
    """

    url: str
    title: str
    part: int = 1
    about: str = ""
    named: bool = False
    """Whether the entity was found to be named in this part."""
    query: str = ""
    """The query whose results had it, if it was met there."""
    linked_from: str = ""
    """The title of the page that links to it, if it was met there."""

    @property
    def list(self) -> str:
        """The list that the page is one of: its address without what follows `?`."""
        return self.url.partition("?")[0]

    @property
    def host(self) -> str:
        """The host of its site."""
        return _folder_of(self.url).partition("/")[0]

    @property
    def folder(self) -> str:
        """The part of its site that it stands in."""
        return _folder_of(self.url)


@lru_cache(maxsize=65_536)
def _folder_of(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.netloc}/{parts.path.strip('/').partition('/')[0]}"


class Words:
    """A question's words with weights. A page's title is scored by which of them it contains.

    `kinds` are names of the type asked for, `plurals` those that mark a title as that of a list, `values` the values in
    conditions, `columns` labels, `others` names of the types that reference columns lead to (of museums, where a
    museum's director is a column).
    """

    def __init__(
        self,
        kinds: Iterable[str],
        values: Iterable[str],
        columns: Iterable[str],
        plurals: Iterable[str] = (),
        others: Iterable[str] = (),
    ) -> None:
        self._plurals = [word.lower() for word in plurals if word]
        self._groups = [
            (weight, [word.lower() for word in words if word])
            for weight, words in ((1.0, kinds), (_VALUE, values), (0.7, columns), (_OTHERS, others))
        ]

    def add_value(self, value: str) -> None:
        """Take the name of what leads to candidates as one of the question's values."""
        self._groups[1][1].append(value.lower())

    def names_several(self, title: str) -> bool:
        """Return whether a title has a plural of what is looked for: it may be a list."""
        return any(word in title.lower() for word in self._plurals)

    def relevance(self, title: str) -> float:
        """Return how well a title fits: 0 where it has no word of the question's."""
        lower = title.lower()
        return sum(weight for weight, words in self._groups if any(word in lower for word in words))


class Leads:
    """All pages heard of in one episode. `list_worth` is what an unknown list is expected to tell."""

    def __init__(self, words: Words) -> None:
        self.words, self.list_worth = words, _LIST
        self._lists: dict[tuple[str, int], Lead] = {}
        self._about: dict[str, dict[tuple[str, int], Lead]] = {}
        self._entities: dict[str, set[str]] = {}
        self._by_anchor: dict[str, dict[str, None]] = {}
        self._opened: set[tuple[str, int]] = set()
        self._closed: set[str] = set()
        self._heard: set[tuple[str, int]] = set()
        self._gains: dict[str, float] = {}
        self._n_parts: dict[str, int] = {}
        self._n_read: dict[str, int] = {}
        self._n_read_of: dict[str, int] = {}
        self._list_titles: dict[str, str] = {}
        self._numbered: set[str] = set()
        self._hits: dict[str, float] = {}
        self._relevance: dict[str, float] = {}
        self._origins: dict[str, tuple[str, str]] = {}

    def hear(
        self,
        url: str,
        title: str,
        about: str = "",
        part: int = 1,
        *,
        relevance: float = 0.0,
        named: bool = False,
        query: str = "",
        linked_from: str = "",
    ) -> None:
        """Note a page, with the words that led to it, where they stood, and how well it fits at least."""
        if query or linked_from:
            self._origins.setdefault(url, (query, linked_from))
        query, linked_from = self._origins.get(url, ("", ""))
        self._by_anchor.setdefault(title, {})[url] = None
        if about and part == 1:
            part = next((n for n in range(1, self._n_parts.get(url, 1) + 1) if (url, n) not in self._opened), 0)
        key = (url, part)
        if not part or key in self._opened:
            return
        if about:
            self._about.setdefault(about, {})[key] = Lead(url, title, part, about, named, query, linked_from)
            self._entities.setdefault(url, set()).add(about)
            self._lists.pop(key, None)
            self._heard.add(key)
        elif key not in self._heard and url.partition("?")[0] not in self._closed:
            self._heard.add(key)
            self._lists[key] = Lead(url, title, part, "", False, query, linked_from)
            self._relevance[url] = max(self._relevance.get(url, 0.0), relevance, self.words.relevance(title))

    def name(self, entity: str, name: str) -> None:
        """Note what an entity is called: pages whose links bear that name are about it."""
        for url in self._by_anchor.get(name, ()):
            self.hear(url, name, entity)

    def add_value(self, value: str) -> None:
        """Take the name of what leads to candidates as one of the question's values: titles that have it fit better."""
        self.words.add_value(value)
        for lead in self._lists.values():
            if value in lead.title:
                self._relevance[lead.url] = self._relevance.get(lead.url, 0.0) + _VALUE

    def drop(self, lead: Lead) -> None:
        """Hope for nothing more about an entity from a page that does not name it."""
        self._about.get(lead.about, {}).pop((lead.url, lead.part), None)

    def close(self, url: str) -> None:
        """Leave a list and all that it goes on with to somebody else."""
        closed = Lead(url, "").list
        self._closed.add(closed)
        self._lists = {key: lead for key, lead in self._lists.items() if lead.list != closed}

    def telling_titles(self) -> list[str]:
        """Return the titles of the lists that have told most, best first, without what numbers their pages."""
        best = sorted(self._numbered, key=lambda name: (-self._gains[name], name))
        return list(dict.fromkeys(self._list_titles[name] for name in best))

    def on(self, entity: str) -> list[Lead]:
        """Return the unopened pages on an entity."""
        return list(self._about.get(entity, {}).values())

    def lists(self) -> Iterator[tuple[float, Lead]]:
        """Yield the unopened pages that are on no known entity alone, with what each is expected to tell."""
        for lead in self._lists.values():
            yield self._expected(lead), lead

    def hit_rate(self, lead: Lead) -> float:
        """Return the share of what is open on an entity that pages of this part of a site have told."""
        rate = max(_LEAST_HIT, self._hits.get(lead.folder, _HIT))
        return max(rate, _NAMED) if lead.named else rate

    def title(self, lead: Lead) -> str:
        """Return what a page is called: by its own title where a part of it or of its list was read."""
        return self._list_titles.get(lead.list, lead.title) if self.has_read(lead) else lead.title

    def has_read(self, lead: Lead) -> bool:
        """Return whether another page of the same list was read."""
        return lead.list in self._gains

    def has_parts(self, url: str, n_parts: int) -> None:
        """Note of how many parts a page is."""
        self._n_parts[url] = n_parts

    def opened(self, lead: Lead, title: str, gain: float, share: float | None) -> None:
        """Note that a page was read: what it told, and of what was open on its entity which share."""
        key = (lead.url, lead.part)
        self._opened.add(key)
        self._lists.pop(key, None)
        for entity in self._entities.get(lead.url, ()):
            self._about[entity].pop(key, None)
        self._list_titles[lead.list] = _NUMBERED.sub("", title)
        if "?" in lead.url:
            self._numbered.add(lead.list)
        self._n_read[lead.folder] = self._n_read.get(lead.folder, 0) + 1
        self._n_read_of[lead.list] = self._n_read_of.get(lead.list, 0) + 1
        for name in (lead.list, lead.folder):
            self._gains[name] = self._mixed(self._gains.get(name), gain)
        if share is not None:
            self._hits[lead.folder] = self._mixed(self._hits.get(lead.folder, _HIT), share)

    def is_opened(self, url: str, part: int = 1) -> bool:
        """Return whether a part of a page was read."""
        return (url, part) in self._opened

    def _expected(self, lead: Lead) -> float:
        relevance, n = self._relevance.get(lead.url, 0.0), self._n_read.get(lead.folder, 0)
        if lead.list in self._gains:
            hoped = self.list_worth * relevance * _HOPE ** self._n_read_of[lead.list]
            return max(self._gains[lead.list], hoped)
        there = self._gains.get(lead.folder, 0.0) * min(1.0, 0.3 + 0.5 * relevance)
        return (_PRIOR * self.list_worth * relevance + n * there) / (_PRIOR + n)

    @staticmethod
    def _mixed(before: float | None, now: float) -> float:
        return now if before is None else before + _RECENT * (now - before)
