"""Chinese questions: phrases stand before what they are of; numbers are compared and counted by what a label ends in.

The form of an answer follows the Chinese questions of the WideSearch benchmark.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from generators.questions.grammar import Grammar, Templates
from worldforge.world.computed_cells import Measure
from worldforge.world.question_labels import ColumnLabels
from worldforge.world.task_terms import Operator

_TIMES = ("year", "date")
_WHETHER = ("是否", "有无", "能否")
_LACKS = "无"
_IS = ("为{value}", "是{value}")
_SINCE = re.compile(r"自\{value\}|从\{value\}|\{value\}(?:起|以来|开始)")
_DENIED_VERBS = ("位于", "属于", "在", "是")
_VALUE = "{value}"
_PLACED = "所在"
_WHOSE = {_PLACED: ("位于",), "所属": ("属于",)}
_NO_PLACE, _AMONG = "联赛", ("在",)
_HAS_BEEN = re.compile(r"(?<=\{time\})曾|过(?=\{other\})")
_TIME = re.compile(r"\{value\}(?:以|之)[前后]")
_VERB = re.compile("属于|位于|[是为在]")
_ADDS_UP = ("数", "人口", "人次")


class ChineseGrammar(Grammar):
    """Chinese. `compared` gives words for more, less, most, least, falling, rising, by what a label ends in."""

    described_first: bool = True
    compared: tuple[tuple[Templates, Templates], ...]
    measure_words_by_ending: Mapping[str, Templates]
    measures_of_times: Mapping[str, str]

    def phrases_of(self, column: ColumnLabels, operator: Operator) -> Templates:
        """Return the phrases of a column.

        What is asked of another comes first, so that all can see what is whose, and `以甲城为城镇` nobody says.
        """
        if operator in ("highest", "lowest"):
            most = {"number": ("{most}", "{least}")}.get(column.sort, ("最晚", "最早"))
            return (f"{{label}}{most[operator == 'lowest']}",) if column.sort in ("number", *_TIMES) else ()
        owner, verbs = _whose(column)
        if verbs and operator in ("=", "!="):
            if operator == "!=":
                verbs = _AMONG if verbs == _WHOSE[_PLACED] else verbs
            return tuple(f"{owner}{'不' if operator == '!=' else ''}{verb}{{value}}" for verb in verbs)
        named = column.typed or "." in column.path
        sort = "text" if named and operator == "=" else column.sort
        return self.phrases.get(sort, {}).get(operator, ())

    def phrased(self, text: str, operator: Operator, sort: str, *, one: bool, person: bool) -> str:
        """Make a phrasebook's attributive one for an operator, without its 的; empty where it cannot be."""
        phrase = text.removesuffix("的")
        if phrase == _VALUE and sort not in _TIMES:
            return ""  # `甲队且打前锋` nobody says
        if operator == "!=":
            return self._denied(phrase)
        if operator == "between":
            ranged = "{value}" in phrase and not _SINCE.search(phrase)
            return phrase.replace("{value}", "{value}至{upper}") + "（含首尾）" if ranged else ""
        return phrase

    def _denied(self, phrase: str) -> str:
        if phrase.endswith(_IS):
            return phrase[: -len(_IS[0])] + "不是{value}"
        return f"{'不' if phrase.startswith(_DENIED_VERBS) else '不是'}{phrase}"

    def book_phrases(self, column: ColumnLabels, operator: Operator, *, one: bool) -> Templates:
        """Return the templates that a phrasebook has for a condition on a column.

        What is another entity's is said of that by its label: `词曲作者出生于甲城`, not `词曲作者的出生地是甲城`.
        """
        if not column.through or column.phrases is None:
            return super().book_phrases(column, operator, one=one)
        owner = column.label.rpartition("的")[0]
        if not owner or operator not in ("=", "!="):
            return ()
        return tuple(f"{owner}{own}" for own in self._of_own(column.phrases, operator, column.sort, one=True))

    def value_phrases(self, column: ColumnLabels, operator: Operator, *, one: bool) -> Mapping[str, Templates]:
        """Return a phrasebook's templates for single values of a column, by value."""
        return {} if column.through else super().value_phrases(column, operator, one=one)

    def stands_before(self, superlative: str) -> bool:
        """Return whether a superlative can stand before a noun."""
        return superlative.endswith("的")

    def is_clause(self, text: str) -> bool:
        """Return whether a condition comes after others: none does."""
        return False

    def form(self, text: str) -> int:
        """Return 0: conditions do not differ in form."""
        return 0

    def begins(self, text: str) -> Sequence[int]:
        """Return the length of the verb that the condition starts with, if it has one."""
        verb = _VERB.match(text)
        return [verb.end()] if verb and verb.end() < len(text) else []

    def ends(self, text: str) -> Sequence[int]:
        """Return no offset: what follows the values is repeated."""
        return []

    def weight(self, text: str) -> int:
        """Return how late a condition comes: they stay in their order."""
        return 0

    def joins_directly(self, before: str, text: str) -> bool:
        """Return whether a condition may follow another without a joint: none may."""
        return False

    def describing(self, template: str, column: ColumnLabels) -> str:
        """Return the template of a condition that describes an entity: `出生地位于…`, not `出生地所在省份是…`."""
        owner, verbs = _whose(column)
        is_placed = verbs in (_WHOSE[_PLACED], _AMONG)
        return template.replace("{label}是", f"{owner}{verbs[0]}") if is_placed else template

    def narrowed(self, text: str) -> str:
        """Write a condition on rows of a relation behind, or before, what is said of them."""
        return text if self.precedes(text) else f"且{text}"

    def narrowed_plainly(self, text: str) -> str:
        """Write such a condition so that nobody takes it for one of what is asked for."""
        return text if self.precedes(text) else f"（{text}）"

    def in_past(self, link: str) -> str:
        """Return what is said of a relation as it is said of a time: `2018年时执掌{other}`."""
        return _HAS_BEEN.sub("", link)

    def precedes(self, text: str) -> bool:
        """Return whether a condition on rows of a relation stands before what is said of them: a time."""
        return bool(_TIME.fullmatch(text))

    def elided(self, before: str, text: str) -> int:
        """Return how many characters a condition can lose behind another: none."""
        return 0

    def inflected(self, label: str) -> Mapping[str, str]:
        """Return how numbers that a label names are compared, and by which measure word what it names is counted."""
        compared = next(words for ends, words in self.compared if label.endswith(ends))
        measure = next((word for word, ends in self.measure_words_by_ending.items() if label.endswith(ends)), "个")
        slots = ("more", "less", "most", "least", "falling", "rising")
        return dict(zip(slots, compared, strict=True)) | {"measure": measure}

    def inflected_type(self, label: str, the: str) -> Mapping[str, str]:
        """Return the words that agree with the name of a type; the measure word is that of `这家`, if it is known."""
        words = self.inflected(label)
        return {**words, "measure": the[1:]} if the.startswith("这") and len(the) > 1 else words

    def best(self, column: ColumnLabels) -> tuple[str, str]:
        """Return the words for a ranking by a column, from the top and from the bottom."""
        if column.sort in _TIMES:
            return "从晚到早", "从早到晚"
        words = self.inflected(column.label)
        return (words["falling"], words["rising"]) if column.sort == "number" else ("", "")

    def bound(self, column: ColumnLabels, operator: Operator) -> str:
        """Return the template of how much, in a row of a relation."""
        return f"且{self.phrases_of(column, operator)[-1]}"

    def in_sentence(self, label: str) -> str:
        """Write a label in the midst of a sentence."""
        return label

    def whether(self, label: str) -> str:
        """Name a column of yes and no in a sentence: `有无海滩`, `是否无障碍通行`."""
        if label.startswith(_WHETHER):
            return label
        return f"{_WHETHER[0] if label.startswith(_LACKS) else _WHETHER[1]}{label}"

    def enumerated(self, labels: Sequence[str]) -> str:
        """Name columns in a sentence."""
        return "、".join(labels)

    def columns_in_sentence(self, labels: Sequence[str]) -> str:
        """Name columns of entities in a sentence, those that say whether something holds at last."""
        plain = [label for label in labels if not label.startswith(_WHETHER)]
        last = [label for label in labels if label.startswith(_WHETHER)]
        return "，以及".join(self.enumerated(part) for part in (plain, last) if part)

    def is_named_in_sentence(self, label: str) -> bool:
        """Return whether a sentence can name a column: not `出生城市的人口（万人）`, nor `线路所属车辆段所在城镇`."""
        return "的" not in label and "（" not in label and sum(map(label.count, _WHOSE)) < 2

    def measured(self, column: ColumnLabels, measure: Measure) -> str:
        """Name a computed column: `容量平均值`, `最晚的成立年份`."""
        if any(word in column.label for word in self.said_already):
            return ""
        words = self.measures_of_times if column.sort in _TIMES else self.measures
        return words[measure.name].format(label=column.label)

    def one_group(self, group: str) -> str:
        """Name one group."""
        return group

    def adds_up(self, label: str) -> bool:
        """Return whether what a label names may be summed: numbers of things."""
        return label.endswith(_ADDS_UP)

    def rounded(self, columns: Sequence[tuple[str, int]]) -> str:
        """Write to how many decimals columns are rounded."""
        phrases = [f"{label}四舍五入到{self.numbers[n]}位小数" for label, n in columns]
        return f"{'，'.join(phrases)}，其他数字不要取整。"

    def settled(self, rule: str, sites: Sequence[Sequence[str]]) -> str:
        """Write the rule by which conflicts between pages are settled."""
        levels = ["、".join(name or self.answer.own_sites for name in level) for level in sites]
        return self.answer.settled[rule].format(sites="；其次是".join(levels))


def _whose(column: ColumnLabels) -> tuple[str, Templates]:
    """Split the label of a path into its owner and the verbs that fit: `出生地所在省份` gives `出生地` and `位于`.

    The owner is empty for a label such as `所在省份` (`位于甲省`). A prefix that repeats the joint is dropped:
    `所属车辆段所属公司` gives `车辆段` (`车辆段属于甲公司`). Labels of other forms give an empty owner and no verbs.
    """
    for joint, verbs in _WHOSE.items() if "." in column.path else ():
        owner, found, rest = column.label.rpartition(joint)
        if found and not any(other in rest for other in _WHOSE):
            return owner.removeprefix(joint), _AMONG if rest.endswith(_NO_PLACE) else verbs
    return "", ()
