"""What a question asks, as far as words and figures give it away: values beside labels, comparisons, a ranking.

No grammar of questions is used: names and values that pages have, figures with words such as `above` before them, and
the labels nearest to them. Chinese is cut at its own joints.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from benchmarks._reading.cell_values import DATES, FIGURE, Value, date_of, figure_of, fold, read_value

_WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_WIDE_WORDS = "一二三四五六七八九十"
_AT_LEAST = re.compile(r"at least|no (?:earlier|less|fewer) than|not (?:before|below|under)|or (?:more|later)|since|≥"
                       r"|不少于|不低于|至少|不早于|及以上|起$")  # fmt: skip
_AT_MOST = re.compile(r"at most|no (?:later|more) than|not (?:after|above|over)|up to|or (?:less|fewer|earlier)|≤"
                      r"|不超过|至多|不晚于|不多于|及以下")  # fmt: skip
_MORE = re.compile(r"above|\bover\b|more|exceed|after|later|greater|higher|larger|bigger|longer|taller|younger|beyond|"
                   r"超过|高于|大于|多于|之后|晚于|以上|以后|后的?$|年后")  # fmt: skip
_LESS = re.compile(r"below|under|less|fewer|before|earlier|smaller|lower|shorter|older|cheaper|"
                   r"不到|低于|小于|少于|之前|早于|以下|以前|未满|前的?$|不足")  # fmt: skip
_JOINTS = re.compile(r"[,;.?!:]\s|\b(?:and|or|whose|that|which|who|with|except|but)\b|"
                     r"[，。？！；]|“(?=[^”]{0,30}(?:[为是]|超过|不到|[高低大小早晚多少]于))|"
                     r"且|或者?|并且|以及")  # fmt: skip
_NEGATION = re.compile(
    r"except|excluding|other than|\b(?:is|are|was|were|do|does|but|has|have) not\b|without|除了?|不包括|排除"
)
_EITHER = re.compile(r"\beither\b|要么|或者|满足其一")
_HIGH = r"highest|most|largest|biggest|latest|youngest|best|longest|tallest|newest|top"
_LOW = r"lowest|fewest|smallest|earliest|oldest|least|shortest|cheapest|first"
_COUNT = re.compile(rf"\b(?:{'|'.join(_WORDS[1:])})\b|(?<=\btop )\d+|(?<=\bfirst )\d+", re.IGNORECASE)
_RANKED = re.compile(rf"\b(?P<way>{_HIGH}|{_LOW})\b (?P<label>[^,.;:?]{{3,60}})", re.IGNORECASE)
_RANKED_WIDE = re.compile(
    rf"按(?P<label>[^，。]{{1,25}}?)从(?P<way>[高大多晚迟低小少早])到.{{1,40}}?前(?P<count>[{_WIDE_WORDS}两\d]+)"
)
GROUPED = re.compile(r"\bper\b|\bby\b|\bfor each\b|\bgroup|\bpivot\b|按|分组|汇总|各个|每个", re.IGNORECASE)
AGGREGATES = (
    ("sum", re.compile(r"^total (?:number of )?|^sum of |^总|合计|总和|总计|总数")),
    ("mean", re.compile(r"^(?:mean|average) (?:number of )?|平均(?:值)?")),
    ("max", re.compile(r"^(?:highest|latest|largest|maximum) (?:number of )?|最[高大多晚]值?的?")),
    ("min", re.compile(r"^(?:lowest|earliest|smallest|minimum) (?:number of )?|最[低小少早]值?的?")),
    ("count", re.compile(r"^(?:number|count) of |数$|数量$")),
)
_WIDE = re.compile(r"[㐀-鿿]")
_ENDING = re.compile(r"(?:ies|ing|ion|ed|es|s|e|y)$")
_HIDE = {ord(str(digit)): chr(0xE100 + digit) for digit in range(10)}
_SHOW = {0xE100 + digit: str(digit) for digit in range(10)}
_LONGEST_LABEL = 10
_PIECES = re.compile(r"[A-Za-z0-9']+|[^\w\s]|[㐀-鿿]|\w")
_STOP = frozenset(
    [
        *("a", "an", "and", "as", "at", "by", "for", "from", "had", "has", "have", "in", "is", "it", "its", "of", "on"),
        *("or", "over", "per", "than", "that", "the", "their", "them", "these", "this", "those", "to", "was", "were"),
        *("which", "who", "whose", "with", "year", "的", "为", "是", "了", "在"),
    ]
)


@dataclass(frozen=True, slots=True)
class Term:
    """A value that a question names, how it is compared, and the words around it."""

    clause: str
    operator: str  # =, <, <=, >, >=, between
    value: Value
    upper: Value | None = None
    negated: bool = False
    alternative: bool = False


@dataclass(frozen=True, slots=True)
class Ranking:
    """The first `count` by what `label` says."""

    count: int
    label: str
    highest: bool


@lru_cache(maxsize=1 << 16)
def stems(text: str) -> tuple[str, ...]:
    """Return the words of a label without their endings; of Chinese, its pairs of characters."""
    if _WIDE.search(text):
        own = re.sub(r"[^\w]", "", text)
        return tuple(own[place : place + 2] for place in range(max(1, len(own) - 1)))
    words = re.findall(r"[a-z0-9]+", text.lower())
    kept = [word for word in words if word not in _STOP] or words
    return tuple(_ENDING.sub("", word) if len(word) > 4 else word.rstrip("s") for word in kept)


def alike(one: str, other: str) -> float:
    """Return how far two labels have the same words: 1 for the same, 0 for none."""
    a, b = set(stems(one)), set(stems(other))
    return len(a & b) / max(1, len(a | b))


def share_in(label: str, text: str) -> float:
    """Return the share of a label's words that a text has."""
    if _WIDE.search(label):
        parts = Counter(label.split())
        return sum(_share_of_part(part, n, text) for part, n in parts.items()) / max(1, parts.total())
    words, found = Counter(stems(label)), Counter(stems(text))
    return (words & found).total() / max(1, words.total())


def _share_of_part(part: str, n: int, text: str) -> float:
    if found := text.count(part):
        return min(n, found)
    words, own = set(stems(part)), set(stems(text))
    return n * len(words & own) / max(1, len(words))


def ranking_in(text: str) -> tuple[Ranking | None, str]:
    """Return the ranking that a question asks for, and the question without it."""
    if found := _RANKED_WIDE.search(text):
        count = found["count"]
        number = int(count) if count.isdecimal() else _number(count)
        rest = text[: found.start()] + "，" + text[found.end() :]
        return Ranking(number, found["label"], found["way"] in "高大多晚迟"), rest
    for found in _RANKED.finditer(text):
        if counts := _COUNT.findall(text[: found.start()]):
            count = counts[-1].lower()
            number = int(count) if count.isdecimal() else _number(count)
            highest = re.fullmatch(_HIGH, found["way"], re.IGNORECASE) is not None
            return Ranking(number, found["label"], highest), text[: found.start()] + " , " + text[found.end() :]
    return None, text


def _number(word: str) -> int:
    if word in _WORDS:
        return _WORDS.index(word) + 1
    return 2 if word == "两" else _WIDE_WORDS.find(word[-1]) + 1 + 10 * (len(word) > 1)


def aggregate_of(label: str) -> tuple[str, str] | None:
    """Return how a column of a table of groups is computed, and what of."""
    bare = label.lower().strip()
    for name, pattern in AGGREGATES:
        if pattern.search(bare):
            return name, pattern.sub("", bare).strip()
    return None


def terms_in(text: str, vocabulary: Vocabulary, ignored: Iterable[str]) -> list[Term]:
    """Find what a question compares with what: names and values that pages have, and figures."""
    held: list[tuple[str, Value, Value | None]] = []

    def hold(operator: str, value: Value, upper: Value | None = None) -> str:
        held.append((operator, value, upper))
        return f" ⟨{len(held) - 1}⟩ "

    for label in sorted({label for label in ignored if re.search(r"\d", label)}, key=len, reverse=True):
        text = text.replace(label, label.translate(_HIDE))
    for name in vocabulary.found_in(text, ignored):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)" if name.isascii() else re.escape(name),
                      lambda _, name=name: hold("=", Value(name)), text, count=1)  # fmt: skip
    for pattern in DATES:
        text = pattern.sub(lambda found: hold("", Value(found[0], date=date_of(found))), text)
    text = re.sub(r"⟨(\d+)⟩", lambda found: f"⟨{_letters(found[1])}⟩", text)
    text = FIGURE.sub(
        lambda found: hold("", Value(found[0], figure_of(found), (found["unit"] or "").lower())) + _tail(found), text
    )
    text = re.sub(r"⟨([a-j]+)⟩", lambda found: f"⟨{_digits(found[1])}⟩", text)
    text = re.sub(
        r"(from|between|at least|no earlier than|不早于|至少|从|在)?\s*⟨(\d+)⟩\s*(?:年|月)?\s*(?:inclusive)?\s*"
        r"(to|and|and at most|and no later than|until|至|到|和|与|，?且?不晚于|，?且?不超过|，?且?至多)\s*⟨(\d+)⟩",
        lambda found: _joined(found, held, hold), text)  # fmt: skip
    return list(_terms(text, held))


def _tail(found: re.Match[str]) -> str:
    """Give a word back that is no unit: `17 goals` keeps `goals`."""
    return f" {found['unit']} " if found["unit"] and found["unit"] != "%" else ""


def _letters(digits: str) -> str:
    return digits.translate(str.maketrans("0123456789", "abcdefghij"))


def _digits(letters: str) -> str:
    return letters.translate(str.maketrans("abcdefghij", "0123456789"))


def _joined(found: re.Match[str], held: list, hold) -> str:  # noqa: ANN001
    """Make one range of two figures that stand beside each other."""
    low, high = held[int(found[2])], held[int(found[4])]
    if low[0] == "=" or high[0] == "=" or bool(low[1].date) != bool(high[1].date):
        return found[0]
    if not found[1] and found[3] in ("and", "和", "与"):
        return found[0]
    return hold("between", low[1], high[1])


def _terms(text: str, held: list[tuple[str, Value, Value | None]]) -> Iterable[Term]:
    joints = [0, *(found.start() for found in _JOINTS.finditer(text)), len(text)]
    negated = alternative = False
    heading = ""
    for start, end in pairwise(joints):
        clause = text[start:end]
        quoted = re.findall(r"“[^”]+”", clause)
        heading = quoted[-1] if quoted else heading if clause.startswith("and") else ""
        negated = (negated and not re.match(r"[.?。？]", clause)) or bool(_NEGATION.search(clause))
        alternative = alternative or bool(_EITHER.search(clause))
        marks = list(re.finditer(r"⟨(\d+)⟩", clause))
        for place, mark in enumerate(marks):
            operator, value, upper = held[int(mark[1])]
            before = clause[marks[place - 1].end() if place else 0 : mark.start()]
            after = clause[mark.end() : marks[place + 1].start() if place + 1 < len(marks) else len(clause)]
            around = clause if len(marks) == 1 else f"{before} {after}"
            bare = (re.sub(r"⟨\d+⟩", " ", around) + ("" if heading in around else f" {heading}")).translate(_SHOW)
            yield Term(bare, operator or compared(before, after), value, upper, negated, alternative)
        negated = negated and not re.search(r"[之以]外", clause)


def compared(before: str, after: str) -> str:
    """Return how a figure is compared, by the words before and after it."""
    wide = re.search(r"[㐀-鿿]", before + after)
    near = before[-40:] + " " + (after[:4] if wide else after[:10])
    if _AT_LEAST.search(near):
        return ">="
    if _AT_MOST.search(near):
        return "<="
    more = [found.start() for found in _MORE.finditer(near)]
    less = [found.start() for found in _LESS.finditer(near)]
    if more or less:
        return ">" if max(more, default=-1) > max(less, default=-1) else "<"
    return "="


class Vocabulary:
    """The values that pages have, to be found in questions."""

    def __init__(self, values: Iterable[str]) -> None:
        self._values = {fold(text) for text in set(values) if _telling(text)}
        self._most = max((len(_PIECES.findall(text)) for text in self._values), default=0)

    def found_in(self, text: str, ignored: Iterable[str] = ()) -> list[str]:
        """Return the values in a text as it writes them, the longest first; of overlapping ones the longer."""
        found, skipped = list[str](), {fold(label) for label in ignored}
        spans, place = [piece.span() for piece in _PIECES.finditer(text)], 0
        while place < len(spans):
            for size in range(min(max(self._most, _LONGEST_LABEL), len(spans) - place), 0, -1):
                written = text[spans[place][0] : spans[place + size - 1][1]]
                folded = fold(written)
                if written[-1] not in ".,;:" and (folded in skipped or folded in self._values):
                    found += [written] if folded not in skipped else []
                    place += size - 1
                    break
            place += 1
        return sorted(dict.fromkeys(found), key=len, reverse=True)


def _telling(text: str) -> bool:
    """Return whether a value says something where it stands in a question: neither a figure nor a common word."""
    if (
        read_value(text).figure is not None
        or read_value(text).date is not None
        or len(text) > 80
        or fold(text) in _STOP
        or (re.search(r"\d{3}", text) and len(text) < 9)
    ):
        return False
    return len(text) >= (3 if text.isascii() else 2) or text.lower() in ("yes", "no")
