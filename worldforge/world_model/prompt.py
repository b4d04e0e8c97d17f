"""What a language model is told of one call: its domain, the session until now, and what may be disclosed.

The system prompt is the same for all sessions with the same tools and controls. Of the turns before, action and
observation are shown; of this one the action, and the view as its dialect writes it. No task, no question, no gold.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from worldforge.environments.rendering import Scene
from worldforge.models.chat import Message, Reply, Request, Sampling
from worldforge.models.model import Model
from worldforge.world_model.history import History
from worldforge.world_model.system_prompt import system_prompt
from worldforge.world_model.turns import write_action, write_observation

CONTEXT_TOKENS = 32_768
"""How many tokens a prompt and its reply may have where the model does not say."""
_COUNTED = 16_384  # texts whose tokens are remembered


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


def system_of(scene: Scene) -> str:
    """Write the system prompt for a scene's session."""
    return system_prompt(scene.dialect.domain, scene.tools, scene.instruction)


class Prompts:
    """Writes prompts for one model, within what it takes."""

    def __init__(self, model: Model, budget_tokens: int) -> None:
        """`budget_tokens` are for a prompt, its system prompt among them."""
        self._model = _Counting(model)
        self._budget_tokens = budget_tokens

    def messages(self, scene: Scene) -> tuple[Message, ...]:
        """Write the prompt for a scene.

        The session is told again turn by turn, so that what is left out of it is the same for all prompts that follow.
        """
        history = History(self._model, Message("system", system_of(scene)), self._budget_tokens)
        for turn, (call, text) in enumerate(scene.history, 1):
            action = Message("user", write_action(turn, call))
            history.before(action)
            history.add(action, Message("assistant", write_observation(text)))
        return history.before(Message("user", write_action(len(scene.history) + 1, scene.call, scene.text)))


class _Counting:
    """A model that remembers how many tokens texts have: each is counted again with every turn that follows it."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.count_tokens = lru_cache(maxsize=_COUNTED)(model.count_tokens)

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def context_tokens(self) -> int:
        return self._model.context_tokens

    async def reply(self, request: Request) -> Reply:
        return await self._model.reply(request)
