"""The system prompt of a world model: what it plays, by which rules, which calls it answers, and in which form.

system_prompt(SEARCH, session.tools, instruction="Now and then a search fails.")
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from worldforge.environments.domain import Domain, Example
from worldforge.world_model.turns import DISCLOSED, INSTRUCTION, write_action, write_observation

_ACTIONS = """\
Each user message is one action: a call of one of these tools, as a JSON object with `name` and `arguments`.

"""
_GROUNDED = f"""\
The world is fictional. Nothing of what you know about the real world holds in it. All that exists for a call is what \
its user message lists under `{DISCLOSED}`; where that says that nothing was found, or that something failed, so do you.

- Keep the form of what is disclosed, line for line: the same fields, in the same order, and as many items.
- Copy exactly: tables, headings, lists, addresses, numbers, dates, names, labels, identifiers, JSON, error messages.
- Reword prose sentences only. Each sentence keeps all its facts, and they keep their order.
- Add nothing: no fact, no item, no address, no remark. Leave nothing out.
- You are not told what the agent is after, and do not help it."""
_UNGROUNDED = """\
You make this environment up, as it would really behave, beginning from the initial state if one is given.

- Stay consistent: what an action has changed stays changed, what an observation has shown stays so, and an action \
that only looks changes nothing.
- Answer the action as it is, not as it may be meant. One that is wrong, impossible or out of place fails as it would \
in a real environment, with that environment's words.
- You are not told what the agent is after, and do not help it: no hints, no explanations, no remarks.
- Write the observation and nothing else: no further turn, no action."""


def system_prompt(
    domain: Domain, tools: Sequence[Mapping[str, Any]], instruction: str = "", initial_state: str = ""
) -> str:
    """Write the system prompt of a world model.

    `tools` are OpenAI function schemas, `instruction` says which controls are at work in all of the session,
    `initial_state` what the environment is like before the first action. Sessions that share all four share a prefix.
    """
    sections = {
        "Role": domain.role,
        "Rules": _GROUNDED if domain.grounded else _UNGROUNDED,
        "Actions": _ACTIONS + "\n".join(json.dumps(tool, ensure_ascii=False) for tool in tools),
        "Observations": f"{domain.observations}\n\nBegin each reply with `{write_observation('').strip()}` on a line.",
        "Examples": "\n\n".join(_example(number, example) for number, example in enumerate(domain.examples, 1)),
        "Initial state": initial_state,
        "Instruction": instruction and f"{instruction}\nWhere a turn has its own `{INSTRUCTION}`, follow that as well.",
    }
    return "\n\n".join(f"# {title}\n\n{text}" for title, text in sections.items() if text)


def unaided(domain: Domain) -> Domain:
    """Return a domain as one that nothing is disclosed to: a model has to make up, or know, what calls bring."""
    examples = tuple(replace(example, disclosed="") for example in domain.examples)
    return replace(domain, grounded=False, examples=examples)


def _example(number: int, example: Example) -> str:
    return f"{write_action(number, example.call, example.disclosed)}\n\n{write_observation(example.observation)}"
