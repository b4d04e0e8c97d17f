"""English frames for the families of tasks: how several people would ask for each.

Each persona has its own openings: `plain` asks, a `journalist` checks a story, an `analyst` fills a table, a
`hobbyist` is curious, and `terse` wastes no word. Slots: {plural}, {label}, {conditions}; of rankings {n}, {best} and
{by}.
"""

from __future__ import annotations

Bank = dict[str, tuple[str, ...]]

FILTERS: Bank = {
    "plain": (
        "List all {plural} {conditions}.",
        "Please find every {label} {conditions}.",
    ),
    "journalist": (
        "I am checking a story and must not miss one: which {plural} are there {conditions}?",
        "For an article I need the complete list of {plural} {conditions}.",
    ),
    "analyst": (
        "Build a dataset of the {plural} {conditions}.",
        "Our table is to hold each {label} {conditions}; leave none out.",
    ),
    "hobbyist": (
        "I collect notes on {plural}. Could you find me all the {plural} {conditions}?",
        "Just out of curiosity: what are all the {plural} {conditions}?",
    ),
    "terse": (
        "Wanted: all {plural} {conditions}.",
        "{plural} {conditions}: the full list, please.",
    ),
}
RANKINGS: Bank = {
    "plain": (
        "Of the {plural} {conditions}, list the {n} with the {best} {by}.",
        "Which {n} have the {best} {by} among the {plural} {conditions}?",
    ),
    "journalist": (
        "For a ranking in our paper I need the {n} with the {best} {by} out of all {plural} {conditions}.",
        "Our readers ask who comes first: take all {plural} {conditions}, and name the {n} with the {best} {by}.",
    ),
    "analyst": (
        "Sort the {plural} {conditions} by {by} and keep the {n} with the {best}.",
        "Restrict the {plural} to those {conditions}; report the {n} with the {best} {by}.",
    ),
    "hobbyist": (
        "I wonder which {n} of the {plural} {conditions} stand out: those with the {best} {by}, I mean.",
        "My friends and I argue about {plural} {conditions}. Which {n} have the {best} {by}?",
    ),
    "terse": (
        "Top {n}, {best} {by} first: {plural} {conditions}.",
        "{plural} {conditions}: the {n} with the {best} {by}.",
    ),
}
FRAMES: dict[str, Bank] = {"filter": FILTERS, "ranking": RANKINGS}
"""The openings of each family, by persona."""
BEST = {"year": ("latest", "earliest"), "date": ("latest", "earliest"), "number": ("highest", "lowest")}
"""What the first of a ranking has, from the top and from the bottom."""
NUMBERS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
"""Numbers in words, as far as they are written so."""
