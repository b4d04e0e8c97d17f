"""Ask a model for entries of a phrasebook, and read what it answers: one request a column.

A reply is text by a stranger: a JSON object somewhere in it, by kind of entry a list of texts. What cannot be read is
counted as refused, and never raises.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from worldforge.builders.phrasebooks.coverage import (
    FORM_KINDS,
    FORMS,
    VALUES,
    ColumnCoverage,
    phrases_of_column,
)
from worldforge.builders.phrasebooks.entry_check import EntryChecker, slot_of
from worldforge.models.chat import Message, ReplyStructure, Request, Sampling
from worldforge.schema.phrasebook import Book, expanded
from worldforge.schema.spec import WorldSpec
from worldforge.schema.table_columns import ColumnInfo
from worldforge.schema.translations import label_of, labels_in_language, options_in

MOST_PER_KIND = 40
"""Entries of one kind that are read from a reply."""
_OF_WORDED = ("sentences", "talk")
_MORE = 1.5  # times as many are asked for as are missing: some are refused
_MAX_ENTRIES = 16
_SHOWN = 4  # entries of a kind that are shown as they are in the book
_MOST_OPTIONS = 12
_MOST_OTHERS = 24
_TOKENS = 400  # written at most, and for each entry:
_TOKENS_PER_ENTRY = 60
_LONGEST_REPLY = 200_000  # characters
_MOST_OBJECTS = 64  # places at which a JSON object is looked for


@dataclass(frozen=True, slots=True)
class WantedEntries:
    """What a model is asked for one column: how many entries of each kind."""

    table: str
    column: str
    kinds: Mapping[str, int]


def wanted_of(coverage: ColumnCoverage, spec: WorldSpec, book: Book) -> WantedEntries | None:
    """Return what a model can add to a column; None where it lacks nothing, or wordings of its values first.

    Of a column with such wordings, conditions by value are left to a person, and so is where else a wording fits.
    """
    if VALUES in coverage.lacks or not coverage.lacks:
        return None
    is_worded = slot_of(phrases_of_column(book, coverage.table, coverage.column)) == "worded"
    left_out = {FORMS, "which"} if is_worded else {FORMS}
    kinds = {kind: n for kind, n in coverage.lacks.items() if kind not in left_out}
    forms = coverage.lacks.get(FORMS, 0)
    among = ("sentences",) if coverage.table in spec.relations else _OF_WORDED if is_worded else FORM_KINDS
    kinds |= {kind: -(-forms // len(among)) for kind in among if forms}
    return WantedEntries(coverage.table, coverage.column, kinds) if kinds else None


class EntryPrompts:
    """Words the requests for one book."""

    def __init__(self, spec: WorldSpec, book: Book, checker: EntryChecker) -> None:
        self._spec, self._book, self._checker = labels_in_language(spec, book.language), book, checker
        self._options = options_in(spec, book.language)

    def request(self, wanted: WantedEntries, sampling: Sampling, *, thinking: bool) -> Request:
        """Return the request for the entries of one column."""
        counts = {kind: min(_MAX_ENTRIES, max(2, round(_MORE * n))) for kind, n in wanted.kinds.items()}
        rules = self._checker.rules
        most = _TOKENS + _TOKENS_PER_ENTRY * sum(counts.values())
        return Request(
            messages=(Message("system", rules.system), Message("user", self._user_prompt(wanted, counts))),
            tool_choice="none",
            sampling=replace(sampling, max_tokens=max(sampling.max_tokens, most) if thinking else most),
            structure=ReplyStructure("json_schema", _schema(counts)),
            thinking=thinking,
        )

    def _user_prompt(self, wanted: WantedEntries, counts: Mapping[str, int]) -> str:
        spec, rules, table = self._spec, self._checker.rules, wanted.table
        columns = self._checker.columns[table]
        column = columns[wanted.column]
        phrases = phrases_of_column(self._book, table, wanted.column)
        is_type = table in spec.types
        slot = f"{{{slot_of(phrases)}}}"
        slots = (rules.slots_of_type if is_type else rules.slots_of_row).format(slot=slot, it="{it}", its="{its}")
        if not is_type:
            title = spec.relations[table].title or table.replace("_", " ")
            slots = f"{rules.of_row.format(title=title)} {slots}"
        if slot == "{worded}":
            wordings = [one for texts in phrases.values.values() for text in texts for one in expanded(text)]
            slots += "\n" + rules.worded.format(slot=slot, options=" / ".join(wordings))
        others = [one.label for key, one in columns.items() if key != wanted.column][:_MOST_OTHERS]
        ending = "_worded" if slot == "{worded}" else "" if is_type else "_of_row"
        kinds = {kind: f"{kind}{ending}" for kind in counts}
        wanted_texts = [
            self._wanted(kind, n, rules.kinds.get(kinds[kind], rules.kinds[kind]), getattr(phrases, kind), slot)
            for kind, n in counts.items()
        ]
        return rules.asked.format(
            world=spec.title or spec.name,
            noun=label_of(spec, table) if is_type else (spec.relations[table].title or table.replace("_", " ")),
            nouns=self._nouns(table),
            label=column.label,
            unit=rules.the_unit.format(unit=column.unit) if column.unit else "",
            value=self._value(column),
            among=self._among(table, column),
            others=rules.joint.join(others) or rules.the_others_none,
            slots=slots,
            wanted="\n".join(wanted_texts),
        )

    def _wanted(self, kind: str, n: int, what: str, entries: Sequence[str] | Mapping[str, Any], slot: str) -> str:
        rules, what = self._checker.rules, what.replace("{value}", slot)
        shown = entries[:_SHOWN] if isinstance(entries, list) else []
        if shown:
            what += rules.such_as.format(entries=json.dumps([expanded(one)[0] for one in shown], ensure_ascii=False))
        return rules.wanted.format(kind=kind, n=n, what=what)

    def _nouns(self, table: str) -> str:
        own = self._book.types.get(table)
        nouns = [expanded(noun)[0] for noun in own.nouns] if own is not None else []
        return self._checker.rules.the_nouns.format(nouns=self._checker.rules.joint.join(nouns)) if nouns else ""

    def _value(self, column: ColumnInfo) -> str:
        values = self._checker.rules.values
        if column.references in self._spec.types:
            return values["reference"].format(type=label_of(self._spec, column.references or ""))
        return values[column.kind]

    def _among(self, table: str, column: ColumnInfo) -> str:
        drawn = self._spec.types[table].attributes if table in self._spec.types else self._spec.relations[table].columns
        options = drawn[column.name].params.get("options") if column.name in drawn else None
        if not isinstance(options, list) or not options:
            return ""
        shown = self._checker.rules.joint.join(self._options.get(str(one), str(one)) for one in options[:_MOST_OPTIONS])
        return self._checker.rules.among.format(options=shown)


def _schema(counts: Mapping[str, int]) -> dict[str, Any]:
    """Return the JSON schema of a reply."""
    texts = {"type": "string", "minLength": 1, "maxLength": 300}
    return {
        "type": "object",
        "properties": {
            kind: {"type": "array", "items": texts, "minItems": 1, "maxItems": n} for kind, n in counts.items()
        },
        "required": list(counts),
        "additionalProperties": False,
    }


def read_entries(text: str, kinds: Mapping[str, int]) -> Iterator[tuple[str, object]]:
    """Yield the entries of a reply with their kinds; nothing where it has none of the `kinds`.

    Whatever stands around the JSON object is passed over, and so are other keys.
    """
    text = text[:_LONGEST_REPLY]
    found = _object(text.rpartition("</think>")[2], kinds) or _object(text, kinds)
    for kind in kinds:
        entries = found.get(kind)
        if isinstance(entries, str):
            yield kind, entries
        elif isinstance(entries, list):
            yield from ((kind, entry) for entry in entries[:MOST_PER_KIND])


def _object(text: str, kinds: Mapping[str, int]) -> dict[str, Any]:
    """Return the first JSON object in a text that has one of `kinds`; an empty one where there is none."""
    decoder, at = json.JSONDecoder(), -1
    for _ in range(_MOST_OBJECTS):
        at = text.find("{", at + 1)
        if at < 0:
            break
        try:
            found, _ = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict) and not found.keys().isdisjoint(kinds):
            return found
    return {}
