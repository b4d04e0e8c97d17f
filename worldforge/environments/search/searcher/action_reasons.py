"""Why a searcher searches, opens pages, or looks for a name in them, as occasions of `thoughts.yaml`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from worldforge.environments.search.searcher.answer import AnswerWriter
from worldforge.environments.search.searcher.beliefs import Beliefs
from worldforge.environments.search.searcher.leads import Lead, Leads
from worldforge.environments.search.searcher.reporting import Reporter
from worldforge.environments.search.searcher.thoughts import Occasion, quoted
from worldforge.world.task import Task


class ActionReasons:
    """Gives the reasons of one episode, whose questions and thoughts are in `language`."""

    def __init__(self, beliefs: Beliefs, leads: Leads, reporter: Reporter, language: str) -> None:
        self._beliefs, self._leads, self._reporter, self._language = beliefs, leads, reporter, language

    def to_search(self, about: Mapping[str, str], *, first: bool, again: bool) -> list[Occasion]:
        """Say why queries are made, each with the entity it is about, or none.

        `first` says that none was made before, `again` that pages on all these entities were looked for before.
        """
        words = [_quoted_query(query) for query, entity in about.items() if not entity]
        entities = [entity for entity in about.values() if entity]
        why: list[Occasion] = []
        if words and first:
            why = [self._reporter.asked(), ("begin", {"words": words})]
        elif words:
            why = [("search_more", {"words": words})]
        if words and entities:
            return [*why, ("search_too", {"names": self._names(entities)})]
        return [*why, self._to_search_for(entities, again=again)] if entities else why

    def _to_search_for(self, entities: Sequence[str], *, again: bool) -> Occasion:
        label, occasion = self._reporter.wanted(entities), "search_again" if again else "search_on"
        if label:
            occasion = "search_check" if self._reporter.doubts(entities) else f"{occasion}_for"
        return occasion, {"names": self._names(entities), "label": label}

    def to_open(self, leads: Sequence[Lead]) -> list[Occasion]:
        """Say why pages are opened, those together that have the same reason."""
        groups: dict[tuple[str, str], list[Lead]] = {}
        for lead in leads:
            groups.setdefault(self._reason(lead), []).append(lead)
        (occasion, words), first = next(iter(groups.items()))
        told = self.titles(first)
        rest = [lead for group in list(groups.values())[1:] for lead in group]
        titles = [title for title in self.titles(rest) if title not in told]
        why: list[Occasion] = [self._to_open_these(occasion, words, first)]
        return [*why, ("open_too", {"titles": titles})] if titles else why

    def _to_open_these(self, occasion: str, words: str, leads: Sequence[Lead]) -> Occasion:
        if occasion == "open_on":
            entities = [lead.about for lead in leads]
            label = self._reporter.wanted(entities)
            if label:
                occasion = "open_check" if self._reporter.doubts(entities) else "open_for"
            return occasion, {"names": self._names(entities), "label": label}
        if occasion == "open_part":
            return "open_part", {"places": self._places(leads)}
        return occasion, {"titles": self.titles(leads), "words": words}

    def to_find(self, leads: Sequence[Lead]) -> list[Occasion]:
        """Say of whom something is looked for, and in which pages."""
        return [("find", {"places": self._places(leads)})]

    def to_answer(self, task: Task, answer: AnswerWriter, found: Sequence[str]) -> list[Occasion]:
        """Say what the answer makes of the candidates that fit: who comes first, or which of its groups is largest."""
        shape, n = task.shape, self._reporter.number(len(found))
        groups = answer.divided(found, path) if (path := shape.group or shape.within) and not shape.owners else {}
        if shape.group and len(groups) > 1:
            name, members = max(groups.items(), key=lambda one: len(one[1]))
            n_groups, n_members = self._reporter.number(len(groups)), self._reporter.number(len(members))
            slots = {"n": n, "label": self._reporter.label_at(path), "groups": n_groups, "members": n_members}
            return [("grouped", {**slots, "name": name, "kinds": self._reporter.kinds})]
        ranked = max(groups.values(), key=len, default=[]) if shape.within else found
        first = answer.first(ranked) if shape.limit and len(ranked) > 1 else []
        value = self._reporter.value_at(first[0], shape.order) if first else ""
        if not value:
            return []
        names = [self._beliefs.names[entity] for entity in first]
        slots = {"kinds": self._reporter.kinds, "label": self._reporter.label_at(shape.order), "name": names[0]}
        slots |= {"value": value, "n": self._reporter.number(len(ranked))}
        if shape.within:
            group = next(name for name, own in groups.items() if own is ranked)
            return [("ranked_each", {**slots, "group": group, "others": self._reporter.label_at(shape.within)})]
        return [("ranked", slots)]

    def titles(self, leads: Sequence[Lead]) -> list[str]:
        """Quote the titles of pages, each once."""
        return list(dict.fromkeys(quoted(self._leads.title(lead), self._language) for lead in leads))

    def _reason(self, lead: Lead) -> tuple[str, str]:
        """Return why a page is opened: the occasion, and the words that led to it."""
        name = self._beliefs.names.get(lead.about, "")
        if name and name == lead.title:
            return "open_on", ""
        if name and lead.named:
            return "open_part", ""
        if lead.part > 1 or self._leads.has_read(lead):
            return "open_next", ""
        if lead.query:
            is_list = self._leads.words.names_several(lead.title)
            return ("open_list" if is_list else "open_result"), _quoted_query(lead.query)
        if lead.linked_from:
            return "open_link", quoted(lead.linked_from, self._language)
        return "open_page", ""

    def _names(self, entities: Iterable[str]) -> list[str]:
        return list(dict.fromkeys(self._beliefs.names[entity] for entity in entities))

    def _places(self, leads: Sequence[Lead]) -> list[str]:
        titles: dict[str, list[Lead]] = {}
        for lead in leads:
            titles.setdefault(self._beliefs.names[lead.about], []).append(lead)
        return [self._reporter.place(name, self.titles(own)) for name, own in titles.items()]


def _quoted_query(text: str) -> str:
    return f"“{text}”"
