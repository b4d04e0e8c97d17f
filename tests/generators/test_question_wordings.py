"""Wordings of list tasks: verbs agree with what they are about."""

import re

import pytest

from generators.questions.english import OPENINGS, list_all
from worldforge.core.chance import Stream

CONDITIONS = [
    ("town", "reference", "=", "Velmar"),
    ("harbour", "boolean", "=", "yes"),
    ("length", "number", ">", "7 km"),
]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_one_has_and_several_have(condition):
    wordings = [list_all(Stream(seed), "ship", "ships", [condition], ["Name", "Crew"]) for seed in range(200)]
    every = [wording for wording in wordings if wording.startswith("Find every ship ")]
    assert every and len({wording.partition(" ship")[0] for wording in wordings}) == len(OPENINGS)
    for wording in wordings:
        verbs = set(re.findall(r"that (\w+)", wording.partition("\n")[0]))
        assert verbs <= ({"has", "is"} if wording in every else {"have", "are"}), wording
