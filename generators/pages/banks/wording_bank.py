"""What a language's bank holds: for each sort of page its wordings, and the words that pages always have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Texts = tuple[str, ...]
Sort = Literal["count", "amount", "year", "date", "event", "event_date", "preposition", "text", "name", "boolean"]
Sentences = Mapping[Sort, Texts]
"""Wordings for each sort of statement. Slots: `{subject}`, `{kind}` (what the subject is), `{label}`, `{a_label}` (with
its article), `{be}` (in the label's number), `{value}`."""


@dataclass(frozen=True, slots=True)
class Encyclopedia:
    """Wordings of articles. Leads have `{name}`, `{a_label}`, `{plural}`, and some `{reference}` and its `{value}`.

    `original` follows a name in a lead that is in another script than the name itself.
    """

    leads: Texts
    bare_leads: Texts
    other_names: Texts
    original: str
    headings: Texts
    openings: Texts
    closings: Texts
    sources: Texts
    footers: Texts
    see_also: str
    sources_heading: str


@dataclass(frozen=True, slots=True)
class Official:
    """Wordings of own sites."""

    welcomes: Texts
    missions: Texts
    about: Texts
    facts: Texts
    contacts: Texts
    footers: Texts
    contact: str
    fact: str
    kind: str
    title: str


@dataclass(frozen=True, slots=True)
class News:
    """Wordings of newspapers. `label` is what a lead calls the subject, `quoted` how a voice and its words stand."""

    headlines: Texts
    desks: Texts
    leads: Texts
    say: Texts
    quotes: Texts
    speakers: Texts
    closings: Texts
    byline: str
    label: str
    quoted: str


@dataclass(frozen=True, slots=True)
class Directory:
    """Wordings of directories."""

    openings: Texts
    footers: Texts
    bullets: Texts
    separators: Texts
    fact: str


@dataclass(frozen=True, slots=True)
class Disambiguation:
    """Wordings of pages of shared names: a line has `{name}` and `{a_label}`, a fact `{label}` and `{value}`."""

    openings: Texts
    footers: Texts
    line: str
    fact: str


@dataclass(frozen=True, slots=True)
class Statistics:
    """Wordings of statistics. `unit` is how a heading gives a column's unit; `grouped` opens tables with `merge`."""

    openings: Texts
    grouped: Texts
    notes: Texts
    unit: str


@dataclass(frozen=True, slots=True)
class Forum:
    """Wordings of threads, and what their writers are called by."""

    titles: Texts
    questions: Texts
    remarks: Texts
    asides: Texts
    moods: Texts
    creatures: Texts
    user: str
    post: str


@dataclass(frozen=True, slots=True)
class ContinuedBank:
    """Wordings of later parts of pages; `nothing` where a part holds no row that could be known."""

    openings: Texts
    nothing: Texts
    footers: Texts


@dataclass(frozen=True, slots=True)
class Bank:
    """All wordings of a language. `space` parts sentences, `page` says which of a list's pages one is."""

    plain: Sentences
    casual: Sentences
    encyclopedia: Encyclopedia
    official: Official
    news: News
    directory: Directory
    disambiguation: Disambiguation
    statistics: Statistics
    forum: Forum
    continued: ContinuedBank
    space: str
    page: str
