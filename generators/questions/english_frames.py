"""English frames for the families of tasks: how several people would ask for each.

Each persona has its own openings: `plain` asks, a `journalist` checks a story, an `analyst` fills a table, a
`hobbyist` is curious, and `terse` wastes no word. Slots: {plural}, {label}, {conditions}; of rankings {n}, {best} and
{by}; of two lists {first} and {second}; of lists to be completed {names}.
"""

from __future__ import annotations

from generators.questions.grammar_base import Bank

LISTS: Bank = {
    "plain": (
        "List all {plural} {conditions}.",
        "Find every {label} {conditions}.",
        "I need a complete list of the {plural} {conditions}.",
        "Which {plural} are there {conditions}? Please find all of them.",
        "Compile a table of all {plural} {conditions}.",
        "Please look up all {plural} {conditions}.",
        "I am putting together an overview of the {plural} {conditions}. Please find them all.",
        "Research the {plural} {conditions}, leaving none out.",
    ),
}
FILTERS: Bank = {
    "plain": (
        "List all {plural} {conditions}.",
        "Please find every {label} {conditions}.",
    ),
    "journalist": (
        "I am checking a story and must not miss one: which {plural} are there {conditions}?",
        "For an article I need the complete list of {plural} {conditions}.",
        "Before this goes to print, please check which {plural} there are {conditions}.",
    ),
    "analyst": (
        "Build a dataset of the {plural} {conditions}.",
        "Our table is to hold each {label} {conditions}; leave none out.",
        "The sample is all {plural} {conditions}. Please collect it in full.",
    ),
    "hobbyist": (
        "I collect notes on {plural}. Could you find me all the {plural} {conditions}?",
        "Just out of curiosity: what are all the {plural} {conditions}?",
        "I want to read up on every {label} {conditions}. Which ones are there?",
    ),
    "terse": (
        "Wanted: all {plural} {conditions}.",
        "{plural} {conditions}: the full list, please.",
        "Need all {plural} {conditions}.",
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
UNIONS: Bank = {
    "plain": (
        "Make one list out of two: first, the {plural} {first}; second, the {plural} {second}. Each once.",
        "List the {plural} {first}, and add to them the {plural} {second}, each once.",
    ),
    "journalist": (
        "Two sources gave me the {plural} {first}, and the {plural} {second}; I want all that either of them has.",
    ),
    "analyst": ("Take the union of two sets: A, the {plural} {first}; B, the {plural} {second}.",),
    "hobbyist": (
        "I like two sorts of {plural}: those {first}, and also those {second}. Please find all of both sorts.",
    ),
    "terse": ("{plural} {first}; plus {plural} {second}. One list, no repeats.",),
}
INTERSECTIONS: Bank = {
    "plain": (
        "There are two lists: first, the {plural} {first}; second, the {plural} {second}. Which are on both?",
        "Compare the list of the {plural} {first} with the list of the {plural} {second}, and give me what they share.",
    ),
    "journalist": (
        "Two sources gave me two lists, the {plural} {first}, and the {plural} {second}; I want only what is on both.",
    ),
    "analyst": ("Take the intersection of two sets: A, the {plural} {first}; B, the {plural} {second}.",),
    "hobbyist": ("I follow the {plural} {first}, and my brother the {plural} {second}. Which do we both follow?",),
    "terse": ("{plural} {first}; also on the list of {plural} {second}. Only what is on both.",),
}
COMPLETIONS: Bank = {
    "plain": (
        "Complete a table of these {plural}: {names}.",
        "Please look up what is missing for the following {plural}: {names}.",
    ),
    "journalist": ("Before we print it I must fill the gaps in a table of these {plural}: {names}.",),
    "analyst": ("The rows of our table are given, the {plural} {names}; fill in the columns.",),
    "hobbyist": ("My notes name some {plural} but say nothing else of them: {names}. Could you look them up?",),
    "terse": ("{plural}: {names}. Fill in the rest.",),
}
FRAMES: dict[str, Bank] = {
    "list": {**FILTERS, **LISTS},
    "filter": FILTERS,
    "join": FILTERS,
    "described": FILTERS,
    "ranking": RANKINGS,
    "union": UNIONS,
    "intersection": INTERSECTIONS,
    "completion": COMPLETIONS,
}
"""The openings of each family, by persona."""
