"""What a world model is told: which domain it plays and by which rules, the session until now, what may be disclosed.

The system prompt is the same for all sessions with the same tools and controls. Of the turns before, action and
observation are shown; of this one the action, and the view as its dialect writes it. No task, no question, no gold.
A turn has the form published for Qwen-AgentWorld:

    ### Turn 1                                        **Environment Observation:**
    **Action:**                                       [1] https://…
    ```json
    {"name": "web_search", "arguments": {…}}
    ```

The left is a user's message, the right an assistant's. Two sections are ours and follow the action where there is
something to say: `**Instruction:**`, what a control asks for, and `**Disclosed:**`, all that the observation may tell.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from worldforge.environments.dialect import Domain, Example
from worldforge.environments.session import Scene
from worldforge.models.chat import Message, Sampling, ToolCall

HEADING = "**Environment Observation:**"
DISCLOSED = "**Disclosed:**"
INSTRUCTION = "**Instruction:**"
NEXT_TURN = "\n### Turn "
"""Where a model that goes on to play the agent as well is to be stopped."""

_HEADED = re.compile(rf"^[ \t]*{re.escape(HEADING)}[ \t]*", re.MULTILINE)
_FENCE = re.compile(r"^(`{3,})(.*)$", re.MULTILINE)
_THINK, _THOUGHT = "<think>", "</think>"
_OPEN, _CLOSE = "<predicted_observation>", "</predicted_observation>"
CONTEXT_TOKENS = 32_768
"""How many tokens a prompt and its reply may have where the model does not say."""
_MESSAGE_TOKENS = 8  # that a chat template puts around a message, from above
_NOTICE_TOKENS = 16  # of the words that say what is left out, from above
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


@dataclass(frozen=True, slots=True)
class Drafting:
    """How a model is asked: for at most `n_drafts` drafts, each with a seed of its own.

    `context_tokens` bound a prompt and its reply together; 0 for what the model takes. `thinking` None leaves it to the
    chat template.
    """

    sampling: Sampling = field(default_factory=Sampling)
    n_drafts: int = 3
    thinking: bool | None = None
    context_tokens: int = 0


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


def system_of(scene: Scene) -> str:
    """Write the system prompt for a scene's session."""
    return system_prompt(scene.dialect.domain, scene.tools, scene.instruction)


def write_action(turn: int, call: ToolCall, disclosed: str = "", instruction: str = "") -> str:
    """Write the user's message of a turn, counted from 1. Arguments that are no JSON object stand as a string."""
    action = json.dumps({"name": call.name, "arguments": _arguments(call.arguments)}, ensure_ascii=False)
    parts = [f"### Turn {turn}\n**Action:**\n```json\n{action}\n```"]
    if instruction:
        parts.append(f"{INSTRUCTION}\n{instruction}")
    if disclosed:
        parts.append(f"{DISCLOSED}\n{disclosed}")
    return "\n\n".join(parts).encode("utf-8", "replace").decode()


def write_observation(text: str) -> str:
    """Write the assistant's message of a turn."""
    return f"{HEADING}\n{text}"


def read_observation(text: str) -> str:
    """Take the observation out of a reply: without reasoning, tags, heading and a fence around it all.

    Empty where there is none: reasoning that does not end, a `<predicted_observation>` that does not close. Of several
    such blocks the last counts. Line ends around the observation are dropped.
    """
    rest = _after_reasoning(text)
    if _OPEN in rest:
        end = rest.rfind(_CLOSE)
        start = rest.rfind(_OPEN, 0, max(end, 0))
        if start < 0:
            return ""
        rest = rest[start + len(_OPEN) : end]
    if headed := _HEADED.search(rest):
        rest = rest[headed.end() :]
    return _without_fence(rest.strip("\r\n").rstrip()).strip("\r\n")


def _arguments(text: str) -> Any:
    """Return a call's arguments as the object they are, or the text itself where it is no object in plain JSON."""
    try:
        read = json.loads(text)
        json.dumps(read, allow_nan=False)
    except (ValueError, RecursionError):
        return text
    return read if isinstance(read, dict) else text


def _after_reasoning(text: str) -> str:
    """Drop what was thought. Where a chat template has written the opening tag, a reply has the closing one alone."""
    rest = text
    if _THOUGHT in rest and not rest.lstrip().startswith(_THINK):
        rest = rest.partition(_THOUGHT)[2]
    while rest.lstrip().startswith(_THINK):
        rest = rest.partition(_THOUGHT)[2]
    return rest


def _without_fence(text: str) -> str:
    """Drop a fence around all of `text`; two blocks one after the other are not one fence around both."""
    opening = _FENCE.match(text)
    last = text.rfind("\n") + 1
    if opening is None or not last or text[last:] != opening[1]:
        return text
    inner = text[opening.end() + 1 : last - 1] if last - 1 > opening.end() else ""
    mark = next((fence for fence in _FENCE.finditer(inner) if len(fence[1]) >= len(opening[1])), None)
    return text if mark is not None and not mark[2].strip() else inner


class History:
    """The turns of a session, as the prompt of the next one.

    Where they do not fit, the oldest are left out, at once so many that half of the room is free again: between two
    such cuts each prompt begins with the one before, as a prefix cache likes it.
    """

    def __init__(self, count_tokens: Callable[[str], int], system: Message, budget_tokens: int) -> None:
        """Begin with no turns; `budget_tokens` is for the prompt, the system prompt and the next action among it."""
        self._count_tokens, self._system = count_tokens, system
        self._room = budget_tokens - self._tokens(system) - _NOTICE_TOKENS
        self._turns: list[tuple[Message, Message, int]] = []  # those that are shown, with their tokens
        self._n_left_out = 0

    @property
    def n_turns(self) -> int:
        """How many turns there were."""
        return self._n_left_out + len(self._turns)

    def before(self, action: Message) -> tuple[Message, ...]:
        """Return the prompt for an action: the system prompt, the turns there is room for, the action."""
        needed, shown = self._tokens(action), sum(size for _, _, size in self._turns)
        if shown + needed > self._room:
            while self._turns and shown > self._room // 2 - needed:
                shown -= self._turns.pop(0)[2]
                self._n_left_out += 1
        first, *others = [*(message for turn in self._turns for message in turn[:2]), action]
        if self._n_left_out:
            first = replace(first, content=f"(Turns 1 to {self._n_left_out} are left out.)\n\n{first.content}")
        return (self._system, first, *others)

    def add(self, action: Message, observation: Message) -> None:
        """Keep a turn."""
        self._turns.append((action, observation, self._tokens(action) + self._tokens(observation)))

    def _tokens(self, message: Message) -> int:
        return self._count_tokens(message.content) + _MESSAGE_TOKENS


def session_prompt(
    count_tokens: Callable[[str], int], system: str, turns: Iterable[tuple[str, str]], action: str, budget_tokens: int
) -> tuple[Message, ...]:
    """Write the prompt for an action after the `turns` of a session: actions and observations, as they are written.

    The session is told again turn by turn, so that what is left out of it is the same for all prompts that follow.
    """
    history = History(count_tokens, Message("system", system), budget_tokens)
    for call, observed in turns:
        user = Message("user", call)
        history.before(user)
        history.add(user, Message("assistant", observed))
    return history.before(Message("user", action))


def scene_prompt(count_tokens: Callable[[str], int], scene: Scene, budget_tokens: int) -> tuple[Message, ...]:
    """Write the prompt for a scene."""
    turns = ((write_action(turn, call), write_observation(text)) for turn, (call, text) in enumerate(scene.history, 1))
    action = write_action(len(scene.history) + 1, scene.call, scene.text)
    return session_prompt(count_tokens, system_of(scene), turns, action, budget_tokens)
