"""English questions: phrases, and the form of an answer, which follows the WideSearch benchmark.

That is one Markdown table in a block fenced as `markdown`, its columns named in order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from generators.questions.english_frames import FRAMES
from generators.questions.grammar_base import Grammar
from worldforge.core.english import article, head, is_plural, is_superlative
from worldforge.world.question_labels import ColumnLabels
from worldforge.world.task_terms import Operator
from worldforge.world.value_text import MONTHS

COLUMNS = (
    "For each, give {columns}.",
    "I would like to know {columns} for each of them.",
    "Each row should state {columns}.",
    "Next to each, please note {columns}.",
)
FORM = (
    "Answer with one Markdown table and nothing else, in a block that opens with ```markdown and closes with ```. "
    "One row for each {label}; the columns, named exactly so and in this order, are: {labels}. {order} "
    "{rounding} Write dates as 2024-06-18."
)
IN_ORDER = "Order the rows so that the {best} {by} comes first: their order counts."
IN_ANY_ORDER = "The order of the rows does not matter."
SETTLED = {
    "date": "Where pages disagree, go by the page published last.",
    "authority": "Where pages disagree, go by the first of these that has the value, and among equals by the page "
    "published last: {sites}.",
    "majority": "Where pages disagree, go by what most pages say.",
}
"""How a question says what to do where pages disagree, by the rule of the world."""
OWN_SITES = "official sites"
_EQUAL = ("whose {label} {be} {value}", "with {value} as {label}")
_NAMED = ("whose {label} {be} {value}", "that {have} {value} as {their}{label}", "with {value} as {label}")
_NOT_EQUAL = ("whose {label} {be} not {value}", "with any {label} but {value}")
_FROM_TO = (
    "whose {label} {be} no earlier than {value} and no later than {upper}",
    "with {a}{label} from {value} to {upper} inclusive",
)
PHRASES: dict[tuple[str, str], tuple[str, ...]] = {
    ("reference", "="): _NAMED,
    ("reference", "!="): _NOT_EQUAL,
    ("text", "="): _NAMED,
    ("text", "!="): _NOT_EQUAL,
    ("boolean", "="): ("whose entry for {label} is {value}", "that {are} listed with {value} under {label}"),
    ("year", "="): _EQUAL,
    ("year", ">"): ("whose {label} {be} later than {value}", "with {a}{label} after {value}"),
    ("year", "<"): ("whose {label} {be} earlier than {value}", "with {a}{label} before {value}"),
    ("year", "between"): _FROM_TO,
    ("date", "="): _EQUAL,
    ("date", ">"): ("whose {label} {be} after {value}", "with {a}{label} after {value}"),
    ("date", "<"): ("whose {label} {be} before {value}", "with {a}{label} before {value}"),
    ("date", "between"): _FROM_TO,
    ("number", "="): ("whose {label} {be} {value}", "with {a}{label} of {value}"),
    ("number", ">"): (
        "whose {label} {be} above {value}",
        "whose {label} {exceed} {value}",
        "with {a}{label} of more than {value}",
    ),
    ("number", "<"): (
        "whose {label} {be} below {value}",
        "whose {label} {stay} under {value}",
        "with {a}{label} of less than {value}",
    ),
    ("number", "between"): (
        "whose {label} {be} at least {value} and at most {upper}",
        "with {a}{label} from {value} to {upper} inclusive",
    ),
}
_OF_ANOTHER: dict[str, tuple[str, ...]] = {
    "=": ("whose {label} {be} {value}", "whose {owner} {has} {value} as {owned}"),
    "!=": ("whose {label} {be} not {value}",),
}
"""Of what belongs to another: `home town's region`."""
_COUNTED: dict[str, tuple[str, ...]] = {
    "=": ("whose {label} is {value}", "with exactly {value} {counted}", "that {have} exactly {value} {counted}"),
    ">": (
        "whose {label} is above {value}",
        "with more than {value} {counted}",
        "that {have} more than {value} {counted}",
    ),
    "<": (
        "whose {label} is below {value}",
        "with fewer than {value} {counted}",
        "that {have} fewer than {value} {counted}",
    ),
    "between": (
        "whose {label} is at least {value} and at most {upper}",
        "with at least {value} and at most {upper} {counted}",
    ),
    "highest": ("with the most {counted}", "with the highest {label}"),
    "lowest": ("with the fewest {counted}", "with the lowest {label}"),
}
"""Of numbers of things: `number of towns`."""
_RANKED: dict[str, tuple[str, ...]] = {"=": ("whose {label} {be} {value}",)}
"""Of places in an order, which nobody has `a place of` in."""
_PLACES = ("place", "rank", "ranking", "position")
_OF, _NUMBER_OF = "'s ", "number of "
BEST = {"year": ("latest", "earliest"), "date": ("latest", "earliest"), "number": ("highest", "lowest")}
"""What the first of a ranking has, from the top and from the bottom."""
NUMBERS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
"""Numbers in words, as far as they are written so."""
_WITHOUT_ARTICLE = ("total", "first", "last", "best", "most", "its", "their", "the", "whether")
_ONE = {"have": "has", "are": "is", "their": ""}
_SEVERAL = {"have": "have", "are": "are", "their": "their "}
_FIGURES = r"-?\d[\d,]*(?:\.\d+)?(?![\d]|[.,]\d)"
_EITHER = (("either {parts}", " or "),)
_REFERRED = (
    "that {are} the {title} of at least one {label} {inner}",
    "named as {title} by at least one {label} {inner}",
)


def settled(rule: str, sites: Sequence[Sequence[str]]) -> str:
    """Say the rule by which pages that disagree are settled: `date`, `authority` or `majority`.

    `sites` are names of sites that count alike, those that count most first; an empty name stands for entities' own.
    """
    named = [_enumerated([name or OWN_SITES for name in level]) for level in sites]
    return SETTLED[rule].format(sites="; then ".join(named))


def _column_words(columns: Sequence[str]) -> str:
    """Name an answer's columns in a sentence, the key first: `the name, the founding year and the home town`."""
    return _enumerated(["the name", *(f"the {name[:1].lower()}{name[1:]}" for name in columns[1:])])


def _phrases(column: ColumnLabels, operator: Operator) -> tuple[str, ...]:
    """Give the phrases of a column: by what its label says that it is, else by its sort."""
    phrases: tuple[str, ...] = PHRASES.get((column.sort, operator), ())
    if "." in column.path:
        return _OF_ANOTHER.get(operator, phrases)
    if column.sort == "number":
        if column.label.startswith(_NUMBER_OF):
            return _COUNTED.get(operator, phrases)
        if column.label.startswith(_PLACES) and operator in _RANKED:
            return _RANKED[operator]
    if operator in ("highest", "lowest"):
        best = _best(column)[operator == "lowest"]
        return (f"with the {best} {{label}}",) if best else ()
    if is_plural(column.label):  # `with shares of more than …` nobody says
        return tuple(phrase for phrase in phrases if "{a}" not in phrase)
    return phrases


def _best(column: ColumnLabels) -> tuple[str, str]:
    """Say what the first of a ranking by a column has, from the top and from the bottom."""
    if column.sort == "number" and is_plural(column.label):
        return ("most", "fewest")
    return BEST.get(column.sort, ("", ""))


def _inflected(label: str) -> Mapping[str, str]:
    """Give the words that go with a label: its verbs and its article, what it counts, whose it is."""
    owner, _, owned = label.rpartition(_OF)
    verbs = ("are", "exceed", "stay") if is_plural(label) else ("is", "exceeds", "stays")
    return dict(zip(("be", "exceed", "stay"), verbs, strict=True)) | {
        "a": _article(label),
        "counted": label.removeprefix(_NUMBER_OF),
        "owner": owner,
        "owned": owned,
        "has": "have" if is_plural(owner) else "has",
    }


def _article(label: str) -> str:
    """Write the indefinite article that a label takes; none where it begins with, or is, what stands without one."""
    first = label.partition(" ")[0].lower()
    if head(label).endswith("ing") or first in _WITHOUT_ARTICLE or is_superlative(label):
        return ""
    return f"{article(label)} "


def _enumerated(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


ENGLISH = Grammar(
    frames=FRAMES,
    columns=COLUMNS,
    column_words=_column_words,
    form=FORM,
    in_order=IN_ORDER,
    in_any_order=IN_ANY_ORDER,
    listed=", ",
    between_names="; ",
    gap=" ",
    numbers=NUMBERS,
    number=r"\w+",
    values={"year": r"-?\d+(?!\d)", "number": _FIGURES, "date": rf"\d{{1,2}} (?:{'|'.join(MONTHS)}) -?\d+(?!\d)"},
    closers=(" and ", " or ", ", ", ";", ".", "?", ":", ")", " as ", " under ", " at some "),
    phrases=_phrases,
    inflected=_inflected,
    best=_best,
    one=_ONE,
    several=_SEVERAL,
    joint=" and ",
    joint_of_exceptions=" and those ",
    either={False: _EITHER, True: _EITHER},
    whole={
        (True, False): ("{terms}",),
        (True, True): ("{terms}, except those {exceptions}",),
        (False, True): ("other than those {exceptions}",),
    },
    under=(
        "with {entry} under “{title}”{time}{much}",
        "that {have} {entry} listed under “{title}”{time}{much}",
    ),
    an_entry="an entry",
    at_a_time=(" as of {low}",),
    in_a_time=(" at some time from {low} to {high}",),
    bound=lambda _, operator: f" and {{label}} of {'more' if operator == '>' else 'less'} than {{value}}",
    referred={False: _REFERRED, True: _REFERRED},
    described={
        False: ("whose {label} {be} the {about} {inner}", " and "),
        True: ("whose {label} {be} the {about} both {inner}", " and "),
    },
)
