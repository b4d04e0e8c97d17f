"""A model: a chat request goes in, a reply comes out. Many requests may be under way at once; none waits for another.

async with open_model(ModelAddress.parse("vllm:Qwen/Qwen3-8B")) as model:
    reply = await model.reply(Request((Message("user", "Hello"),)))
"""

from __future__ import annotations

from typing import Protocol

from worldforge.core.errors import WorldForgeError
from worldforge.models.chat import Reply, Request


class ModelError(WorldForgeError):
    """A model could not answer a request: the prompt is too long, a reply does not parse."""


class ModelUnavailableError(ModelError):
    """A model answers nothing at all for the time being: its server is gone, its engine has died.

    What was done before is kept, and the same command goes on from there: exit code 4.
    """

    exit_code = 4


class Model(Protocol):
    """Answers chat requests. How they are batched is the model's own business."""

    @property
    def name(self) -> str:
        """What the model is called, as records name it: never a key or a password."""

    @property
    def context_tokens(self) -> int:
        """How many tokens a prompt and its reply may have together; 0 where that is not known."""

    async def reply(self, request: Request) -> Reply:
        """Answer one request. Raises ModelError where it cannot, ModelUnavailableError where it could answer no
        other request either, after such retries as make sense."""

    def count_tokens(self, text: str) -> int:
        """Return how many tokens `text` has, or a careful estimate (from above) where no tokenizer is at hand."""


def identity_of(model: Model) -> str:
    """Return what stores of replies know a model by: its `identity`, or its name where it has none."""
    return str(getattr(model, "identity", model.name))


MOST_FAILED = 16
"""Requests that may fail before a model that has answered none counts as unavailable."""


class OutageDetector:
    """Tells a model that answers no request from one that fails at single requests, such as too long a prompt.

    Call `failed` for each request that raised a ModelError, and `answered` for each that did not.
    """

    def __init__(self) -> None:
        self.alive = False
        self._n_failed = 0
        self._error: ModelError | None = None

    def answered(self) -> None:
        """Note that the model has answered a request."""
        self.alive = True

    def failed(self, error: ModelError) -> None:
        """Count a failed request. Raises ModelUnavailableError after `MOST_FAILED` of them, if none was answered."""
        self._n_failed, self._error = self._n_failed + 1, error
        if self._n_failed >= MOST_FAILED:
            self.check()

    def check(self) -> None:
        """Raise ModelUnavailableError, with the last reason, where requests failed and none was answered."""
        error, n = self._error, self._n_failed
        if error is not None and not self.alive:
            s = "s" if n > 1 else ""
            raise ModelUnavailableError(f"none of {n} request{s} was answered: {error.message}", error.hint) from error
