"""English questions: phrases, and the form of an answer, which follows the WideSearch benchmark.

That is one Markdown table in a block fenced as `markdown`, its columns named in order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from generators.questions.english_frames import FRAMES
from generators.questions.grammar import Grammar
from worldforge.world.saying import SaidColumn
from worldforge.world.terms import Operator
from worldforge.world.values import MONTHS

OPENINGS = (
    "List all {plural} {conditions}.",
    "Find every {label} {conditions}.",
    "I need a complete list of the {plural} {conditions}.",
    "Which {plural} are there {conditions}? Please find all of them.",
    "Compile a table of all {plural} {conditions}.",
    "Please look up all {plural} {conditions}.",
    "I am putting together an overview of the {plural} {conditions}. Please find them all.",
    "Research the {plural} {conditions}, leaving none out.",
)
COLUMNS = (
    "For each, give {columns}.",
    "I would like to know {columns} for each of them.",
    "Each row should state {columns}.",
    "Next to each, please note {columns}.",
)
FORM = (
    "Answer with one Markdown table and nothing else, in a block that opens with ```markdown and closes with ```. "
    "One row for each {label}; the columns, named exactly so and in this order, are: {labels}. "
    "Give numbers without rounding."
)
SETTLED = {
    "date": "Where pages disagree, go by the page published last.",
    "authority": "Where pages disagree, go by the first of these that has the value, and among equals by the page "
    "published last: {sites}.",
    "majority": "Where pages disagree, go by what most pages say.",
}
"""How a question says what to do where pages disagree, by the rule of the world."""
OWN_SITES = "official sites"
_EQUAL = ("whose {label} {be} {value}", "with {value} as {label}")
_NOT_EQUAL = ("whose {label} {be} not {value}", "with any {label} but {value}")
_FROM_TO = (
    "whose {label} {be} no earlier than {value} and no later than {upper}",
    "with {label} from {value} to {upper} inclusive",
)
PHRASES: dict[tuple[str, str], tuple[str, ...]] = {
    ("reference", "="): (
        "whose {label} {be} {value}",
        "that {have} {value} as {label}",
        "with {value} as {label}",
    ),
    ("text", "="): ("whose {label} {be} {value}", "with {value} as {label}", "that {have} {value} as {label}"),
    ("boolean", "="): ("whose entry for {label} is {value}", "that {are} listed with {value} under {label}"),
    ("year", ">"): ("whose {label} {be} later than {value}", "with {label} after {value}"),
    ("year", "<"): ("whose {label} {be} earlier than {value}", "with {label} before {value}"),
    ("date", ">"): ("whose {label} {be} after {value}", "with {label} later than {value}"),
    ("date", "<"): ("whose {label} {be} before {value}", "with {label} earlier than {value}"),
    ("number", ">"): (
        "whose {label} {be} above {value}",
        "with {label} of more than {value}",
        "whose {label} {exceed} {value}",
    ),
    ("number", "<"): (
        "whose {label} {be} below {value}",
        "with {label} of less than {value}",
        "whose {label} {stay} under {value}",
    ),
    ("reference", "!="): _NOT_EQUAL,
    ("text", "!="): _NOT_EQUAL,
    ("year", "="): _EQUAL,
    ("date", "="): _EQUAL,
    ("number", "="): _EQUAL,
    ("year", "between"): _FROM_TO,
    ("date", "between"): _FROM_TO,
    ("number", "between"): (
        "whose {label} {be} at least {value} and at most {upper}",
        "with {label} from {value} to {upper} inclusive",
    ),
}
BEST = {"year": ("latest", "earliest"), "date": ("latest", "earliest"), "number": ("highest", "lowest")}
"""What the first of a ranking has, from the top and from the bottom."""
NUMBERS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
"""Numbers in words, as far as they are written so."""
_HEADS = (" of ", " a ", " in ", " per ", " for ")
_ONE, _SEVERAL = {"have": "has", "are": "is"}, {"have": "have", "are": "are"}
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


def _phrases(column: SaidColumn, operator: Operator) -> tuple[str, ...]:
    if operator in ("highest", "lowest"):
        return (f"with the {BEST[column.sort][operator == 'lowest']} {{label}}",) if column.sort in BEST else ()
    return PHRASES.get((column.sort, operator), ())


def _inflected(label: str) -> Mapping[str, str]:
    """Give the verbs that go with what a label names: it is, or they are."""
    head = min((label.partition(join)[0] for join in _HEADS), key=len)
    if head.endswith("s") and not head.endswith("ss"):
        return {"be": "are", "exceed": "exceed", "stay": "stay"}
    return {"be": "is", "exceed": "exceeds", "stay": "stays"}


def _enumerated(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


ENGLISH = Grammar(
    frames={"list": {"plain": OPENINGS}, **FRAMES},
    columns=COLUMNS,
    column_words=_column_words,
    form=FORM,
    listed=", ",
    between_names="; ",
    gap=" ",
    numbers=NUMBERS,
    number=r"\w+",
    values={"year": r"-?\d+(?!\d)", "number": _FIGURES, "date": rf"\d{{1,2}} (?:{'|'.join(MONTHS)}) -?\d+(?!\d)"},
    closers=(" and ", " or ", ", ", ";", ".", "?", ":", ")", " as ", " under ", " at some "),
    phrases=_phrases,
    inflected=_inflected,
    best=lambda column: BEST.get(column.sort, ("", "")),
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
