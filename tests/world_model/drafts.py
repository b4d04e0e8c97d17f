"""Drafts as a model might write them: honest ones in other words, and such with one planted error. All by seed.

The rules below reword the sentences that pages hold, and keep the order of their facts, as a model is told to.
"""

import asyncio
import json
import random
import re

from worldforge.environments.search.environment import SearchEnvironment
from worldforge.environments.session import Rendering, Scene
from worldforge.models.chat import ToolCall
from worldforge.world.lexicon.lexicon import FactSpan, Lexicon
from worldforge.world.lexicon.sentence_splitting import sentences
from worldforge.world.world import World

REWORDED = [
    (r"Records give the (.+) as (.+)\.", ["According to the records, the {0} is {1}.", "On record, the {0} is {1}."]),
    (r"The (.+) (?:is|are) put at (.+)\.", ["The {0} stands at {1}.", "For the {0}, {1} is what is given."]),
    (r"The (.+) of (.+) (is|are) (.+)\.", ["When it comes to the {0} of {1}, it {2} {3}.", "The {0} of {1} {2}: {3}."]),
    (r"The ([a-z ]+)'s (.+) (is|are) (.+)\.", ["The {1} of the {0} {2} {3}.", "This {0} has {3} as its {1}."]),
    (r"(.+) has (?:a total of )?([\d,]+) (.+)\.", ["{0} counts {1} {2}.", "{0} can look back on {1} {2}."]),
    (r"Records credit (.+) with (.+)\.", ["{0} is credited with {1}.", "On record, {0} has {1}."]),
    (r"There is a record of (.+)\.", ["On record: {0}.", "The records speak of {0}."]),
    (r"(.+) is the (.+) of (.+)\.", ["{0} serves as the {1} of {2}.", "{0} is what is named as the {1} of {2}."]),
    (
        r"For (.+), the registers say (.+)\.",
        ["As for the {0}, the registers have {1}.", "{1} is what registers say for {0}."],
    ),
    (
        r"(.+) is a (.+) whose (.+) is (.+)\.",
        ["{0} is a {1} and has {3} as its {2}.", "The {2} of {0}, a {1}, is {3}."],
    ),
    (r"(.+) is a (.+) with (.+) as (.+)\.", ["{0}, a {1}, has {2} as its {3}."]),
    (r"(.+), a (.+), has (.+) as (.+)\.", ["{0} is a {1} with {2} as its {3}.", "{0} is a {1}; its {3} is {2}."]),
    (r"Sources agree that (.+) was (.+) in (.+)\.", ["By all accounts, {0} was {1} in {2}."]),
    (r"(.+) was founded in (\d+)\.", ["{0} came to be founded in {1}.", "{0} has its founding in {1}."]),
    (r"Its history begins in (\d+)\.", ["The history of it begins in {0}.", "{0} is when its history begins."]),
    (r"(.+) received its charter in (\d+)\.", ["{0} was given its charter in {1}.", "{0} holds a charter from {1}."]),
    (r"(.+) has an? (.+) of ([\d,].*)\.", ["{0} comes to {2} in {1}.", "{0} shows a {1} of {2}."]),
    (r"As far as I know the (.+) (is|are) (.+)\.", ["To my knowledge, the {0} {1} {2}.", "I believe the {0} {1} {2}."]),
]
FREE = {
    "The main points can be told in a few lines.": "What matters most is quickly told.",
    "What follows has been checked against the registers.": "All that is said here was compared with the registers.",
    "Further sources are welcome on the discussion page.": "Readers are invited to bring more sources.",
    "Readers who know more are invited to add to this article.": "Additions by readers are welcome.",
    "We have checked what can be checked.": "Our desk went through all that could be verified.",
    "We will keep readers posted.": "Readers will hear more from us.",
    "Letters to the editor are welcome, as always.": "As ever, we are glad of letters.",
    "Happy to help.": "Glad to be of use.",
}
OPENERS = ["In short, ", "As it stands, ", "According to this page, ", "To put it briefly, "]
OPENED = re.compile(r"(The|There|It|Its|Records|Sources|Registers|Most|This|For) ")
HOSTS = ["www.real-football.example", "encyclopaedia.example", "www.sarnipedia.com", "old.fan-pages.net"]


def scenes_of(world: World, environment: SearchEnvironment, n: int, draw: random.Random) -> list[Scene]:
    """What a renderer is shown in `n` calls: pages opened, and searches for what stands in titles and tasks."""
    seen: list[Scene] = []

    class Watcher:
        async def render(self, scene: Scene) -> Rendering:
            seen.append(scene)
            return Rendering(scene.text)

    pages = world.pages.select(["url", "title"]).to_pylist()
    wordings = [task.wording for task in world.tasks]

    async def call_all() -> None:
        while len(seen) < n:
            page = draw.choice(pages)
            queries = [page["title"], draw.choice(wordings)][: draw.randint(1, 2)]
            name, given = draw.choice([("web_extractor", {"url": page["url"]}), ("web_search", {"queries": queries})])
            await environment.session(renderer=Watcher()).step(ToolCall("1", name, json.dumps(given)))

    asyncio.run(call_all())
    return seen[:n]


def retold(scene: Scene, draw: random.Random) -> str:
    """An honest draft: some sentences in other words, some without facts replaced, some last ones left out."""
    lines = scene.text.split("\n")
    for place, line in enumerate(lines):
        if line.startswith("Snippet: "):
            lines[place] = "Snippet: " + _retold_line(line.removeprefix("Snippet: "), draw, shorten=True)
        elif line[:1].isalpha() and not re.match(r"\w+( \w+)?:", line):
            lines[place] = _retold_line(line, draw, shorten=False)
    return "\n".join(lines)


def _retold_line(line: str, draw: random.Random, *, shorten: bool) -> str:
    told = [_retold_sentence(one, draw) for one in sentences(line)]
    if shorten and len(told) > 2 and draw.random() < 0.2:
        told.pop()
    return " ".join(told)


def _retold_sentence(sentence: str, draw: random.Random) -> str:
    if sentence in FREE:
        return draw.choice([sentence, FREE[sentence]])
    chance = draw.random()
    if chance < 0.3:
        return sentence
    if chance < 0.4 and OPENED.match(sentence):
        return draw.choice(OPENERS) + sentence[0].lower() + sentence[1:]
    for form, wordings in REWORDED:
        if match := re.fullmatch(form, sentence):
            said = draw.choice(wordings).format(*match.groups())
            return said[0].upper() + said[1:]
    return sentence


class Planter:
    """Plants one error of a kind into a draft."""

    KINDS = ("number", "value", "swap", "host", "gold")

    def __init__(self, world: World, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self.columns = [
            sorted({str(value) for value in column.to_pylist() if value})
            for table in world.tables().values()
            for name, column in zip(table.column_names, table.columns, strict=True)
            if str(column.type) == "string" and name not in ("id", "source", "target")
        ]
        self.gold = sorted({cell for task in world.tasks for row in task.gold for cell in row})

    def planted(self, kind: str, scene: Scene, draft: str, draw: random.Random) -> str | None:
        """The draft with an error in it, or None where there is no place for one."""
        found = self.lexicon.found(draft)
        match kind:
            case "number":
                return self._number(draft, [one for one in found if one.kind in ("number", "date")], draw)
            case "value":
                return self._value(draft, [one for one in found if one.kind in ("name", "value")], draw)
            case "swap":
                return _swap(draft, found, draw)
            case "host":
                return _host(draft, found, draw)
            case _:
                return self._gold(scene, draft, draw)

    def _number(self, draft: str, found: list[FactSpan], draw: random.Random) -> str | None:
        if not found:
            return None
        one = draw.choice(found)
        digits = [at for at in range(one.start, one.end) if draft[at].isdecimal()]
        if not digits:
            return f"{draft[: one.start]}{draw.choice(['nine', '417', '3'])}{draft[one.end :]}"
        at = draw.choice(digits)
        other = draw.choice([digit for digit in "123456789" if digit != draft[at]])
        return draft[:at] + other + draft[at + 1 :]

    def _value(self, draft: str, found: list[FactSpan], draw: random.Random) -> str | None:
        draw.shuffle(found)
        for one in found:
            written = draft[one.start : one.end]
            held = [column for column in self.columns if written in column and len(column) > 1]
            if held:
                other = draw.choice([value for value in draw.choice(held) if value != written])
                return draft[: one.start] + other + draft[one.end :]
        return None

    def _gold(self, scene: Scene, draft: str, draw: random.Random) -> str | None:
        told = {(one.kind, one.canonical) for one in self.lexicon.found(scene.text)}
        cells = [
            cell
            for cell in draw.sample(self.gold, 40)
            if not {(one.kind, one.canonical) for one in self.lexicon.found(cell)} <= told
        ]
        if not cells:
            return None
        cell = draw.choice(cells)
        places = [at.end() for at in re.finditer(r"[a-z]{3}(?=[ .,])", draft)]
        said = draw.choice([" ({})", ", like {},", " and {}", ". See {}", ". {} is one", " {}", "\n\n{}", ". It is {}"])
        at = draw.choice([*places, len(draft)])
        return draft[:at] + said.format(cell) + draft[at:]


def _swap(draft: str, found: list[FactSpan], draw: random.Random) -> str | None:
    """Two facts of one kind change places: each is another entity's, or another column's."""
    kind = draw.choice(["number", "name", "value", "date"])
    some = [one for one in found if one.kind == kind]
    pairs = [(a, b) for a in some for b in some if a.end <= b.start and a.canonical != b.canonical]
    if not pairs:
        return None
    first, second = draw.choice(pairs)
    a, b = draft[first.start : first.end], draft[second.start : second.end]
    return draft[: first.start] + b + draft[first.end : second.start] + a + draft[second.end :]


def _host(draft: str, found: list[FactSpan], draw: random.Random) -> str | None:
    host = draw.choice(HOSTS)
    linked = [one for one in found if one.kind == "address"]
    if linked and draw.random() < 0.6:
        one = draw.choice(linked)
        written = draft[one.start : one.end]
        return draft[: one.start] + re.sub(r"(://)[^/]+", rf"\g<1>{host}", written) + draft[one.end :]
    ends = [at.start() for at in re.finditer(r"\.(?= |\n|$)", draft)]
    at = draw.choice([*ends, len(draft)])
    return (
        draft[:at] + draw.choice([" (see {})", ". More at https://{}/wiki", ". Source: {}"]).format(host) + draft[at:]
    )
