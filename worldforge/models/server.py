"""Any server that speaks the OpenAI chat API: `vllm serve`, SGLang, a hosted one. Bounded, patient, and silent on keys.

The openai package keeps the connections, waits for a server that asks for time (Retry-After) or fails in passing, each
time longer, and gives up after `retries`.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from worldforge.core.errors import InputError
from worldforge.core.files import value_digest
from worldforge.models.address import ModelAddress
from worldforge.models.chat import Finish, Reply, Request, Sampling, ToolCall, Usage
from worldforge.models.messages import to_openai
from worldforge.models.model import Model, ModelError, ModelUnavailableError, first_line

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI

CONCURRENCY = 64
TIMEOUT_S = 600.0
RETRIES = 5
_GREETING_S = 10.0  # within this a server must say which models it has
_KEY_ENV = "OPENAI_API_KEY"
_OF_ONE_REQUEST = (400, 413, 422)  # statuses that say nothing about the next request
_FINISHES: dict[str | None, Finish] = {
    None: "stop", "stop": "stop", "length": "length", "tool_calls": "tool_calls", "function_call": "tool_calls"
}  # fmt: skip
_GPU_CACHE = re.compile(r'^vllm:cache_config_info\{.*\bnum_gpu_blocks="\d+"', re.MULTILINE)
_CPU_CACHE = re.compile(r'\b(?:kv_cache_memory_bytes|cpu_kvcache_space_bytes)="\d+"')
_WORD = re.compile(r"[A-Za-z]+|[^\x00-\x7f]|\s{2,}|[^\sA-Za-z]")


@asynccontextmanager
async def open_server(address: ModelAddress) -> AsyncIterator[Model]:
    """Connect to the server. Raises InputError where there is none, or it refuses the key, or lacks the model."""
    try:
        from openai import AsyncOpenAI
    except ImportError as error:
        raise InputError("the openai package is not installed", "pip install '.[openai]'") from error
    settings = address.settings
    key = server_key(address)
    async with AsyncOpenAI(
        api_key=key,
        base_url=address.base_url or None,
        timeout=settings.timeout_s or TIMEOUT_S,
        max_retries=RETRIES if settings.retries is None else settings.retries,
    ) as client:
        model = ServerModel(address, client, key)
        await model.greet()
        yield model


class ServerModel:
    """A model at a server. At most `concurrency` requests are under way there; the others wait here."""

    def __init__(self, address: ModelAddress, client: AsyncOpenAI, key: str) -> None:
        self.name = address.model
        self.context_tokens = address.settings.max_model_len or 0
        self._client = client
        self._key = key
        self._is_openai = not address.base_url  # it knows nothing of what others have added to its API
        self._turns = asyncio.Semaphore(address.settings.concurrency or CONCURRENCY)
        self._reasoning_key = "reasoning"
        self._takes_seeds = True
        self._identity = address.settings.identity
        self._loaded: tuple[str | None, ...] = ()  # what the server has loaded under that name, and what that adapts

    @property
    def identity(self) -> str:
        """A digest of the model's name, of what the server says to have loaded, and of the name given to the weights.

        Two servers that tell the same have the same identity, whatever their weights.
        """
        return value_digest([self.name, self._loaded, self._identity])

    async def greet(self) -> None:
        """Ask which models there are, and how long a context they have. Raises InputError where no model can answer."""
        from openai import APIConnectionError, APIError, AuthenticationError, PermissionDeniedError

        hurried = self._client.with_options(timeout=_GREETING_S, max_retries=1)
        try:
            found = {model.id: model for model in (await hurried.models.list()).data}
        except APIConnectionError as error:
            raise InputError(
                f"no server answers at {self._client.base_url}: {first_line(error.__cause__ or error)}",
                "start one (vllm serve MODEL, see docs/models.md), or correct the address",
            ) from error
        except (AuthenticationError, PermissionDeniedError) as error:
            raise InputError(
                f"{self._client.base_url} refuses the key: {self._said(error)}",
                "name the environment variable that holds it: ?api_key_env=MY_KEY",
            ) from error
        except (APIError, AttributeError, TypeError):
            return  # not every server lists its models
        self._check(found)
        if any(getattr(model, "owned_by", "") == "vllm" for model in found.values()):
            self._takes_seeds = await self._keeps_cache_on_gpu(hurried)

    async def _keeps_cache_on_gpu(self, client: AsyncOpenAI) -> bool:
        """Say whether vLLM's server runs on a GPU, as far as its metrics tell.

        On a CPU vLLM 0.32 dies of a request that has a seed and whose prompt comes in chunks ("CPU Generator does not
        use offset"). There it sets the size of its cache in bytes, which on a GPU only the person who starts it does.
        """
        from openai import OpenAIError

        address = str(client.base_url).rstrip("/").removesuffix("/v1") + "/metrics"
        try:
            metrics = await client.get(address, cast_to=str)
        except OpenAIError:
            return False
        return bool(_GPU_CACHE.search(metrics)) and not _CPU_CACHE.search(metrics)

    async def reply(self, request: Request) -> Reply:
        """Answer one request. Raises ModelError where it is refused, ModelUnavailableError where the server fails."""
        from openai import APIConnectionError, APIError, APIStatusError

        async with self._turns:
            start = time.perf_counter()
            try:
                completion = await self._complete(request)
            except APIConnectionError as error:
                raise ModelUnavailableError(f"{self.name}: {first_line(error)} ({self._client.base_url})") from error
            except APIStatusError as error:
                kind = ModelError if error.status_code in _OF_ONE_REQUEST else ModelUnavailableError
                raise kind(f"{self.name}: HTTP {error.status_code}: {self._said(error)}") from error
            except (APIError, ValueError) as error:
                raise ModelError(f"{self.name}: the server's reply cannot be read: {first_line(error)}") from error
            return self._read(completion, time.perf_counter() - start)

    async def _complete(self, request: Request) -> Any:
        """Send a request; where the server refuses it for its seed, once more without, and no seeds from then on."""
        from openai import BadRequestError, UnprocessableEntityError

        asked = self._asked(request)
        try:
            return await self._client.chat.completions.create(**asked)
        except (BadRequestError, UnprocessableEntityError) as error:
            if "seed" not in asked or not re.search(r"\bseed\b", str(error)):
                raise
            self._takes_seeds = False
            del asked["seed"]
            return await self._client.chat.completions.create(**asked)

    def count_tokens(self, text: str) -> int:
        """Return about how many tokens `text` has, rather more than fewer: no tokenizer is at hand."""
        return _estimate(text)

    def _asked(self, request: Request) -> dict[str, Any]:
        asked: dict[str, Any] = {
            "model": self.name,
            "messages": [to_openai(message, self._reasoning_key) for message in request.messages],
            **_drawing(request.sampling if self._takes_seeds else replace(request.sampling, seed=None)),
            "max_completion_tokens" if self._is_openai else "max_tokens": self._max_tokens(request),
        }
        if request.tools:
            asked |= {"tools": [dict(tool) for tool in request.tools], "tool_choice": request.tool_choice}
        more = {} if self._is_openai else _beyond_openai(request)
        if request.structure is not None and request.structure.kind == "json_schema":
            schema = {"name": "reply", "schema": request.structure.form, "strict": True}
            asked["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif request.structure is not None:
            more["structured_outputs"] = {request.structure.kind: request.structure.form}
        return asked | {"extra_body": more}

    def _max_tokens(self, request: Request) -> int:
        """Leave room for the prompt, as servers demand; where none seems to be left, let the server judge."""
        tools = _estimate(json.dumps(request.tools)) if request.tools else 0
        prompt = sum(_estimate(message.content) + _estimate(message.reasoning) + 8 for message in request.messages)
        calls = sum(_estimate(call.arguments) + 24 for message in request.messages for call in message.tool_calls)
        room = self.context_tokens - prompt - calls - tools
        return min(request.sampling.max_tokens, room) if room > 0 else request.sampling.max_tokens

    def _read(self, completion: Any, seconds: float) -> Reply:
        try:
            choice = completion.choices[0]
            message = choice.message
            calls = tuple(_call(call) for call in message.tool_calls or ())
            usage = _usage(completion.usage)
            text = message.content or ""
        except (AttributeError, IndexError, TypeError) as error:
            raise ModelError(f"{self.name}: the server's reply is not a chat completion") from error
        if choice.finish_reason not in _FINISHES:
            raise ModelError(f"{self.name}: the server broke the reply off: {choice.finish_reason}")
        finish = _FINISHES[choice.finish_reason]
        return Reply(text, calls, self._reasoning(message), usage, finish, seconds)

    def _reasoning(self, message: Any) -> str:
        """Return the reasoning, and remember what this server calls it, to call it so when it is given back."""
        for key in ("reasoning", "reasoning_content"):
            if isinstance(reasoning := getattr(message, key, None), str) and reasoning:
                self._reasoning_key = key
                return reasoning
        return ""

    def _check(self, found: dict[str, Any]) -> None:
        lengths = {name: getattr(model, "max_model_len", None) for name, model in found.items()}
        # Servers that tell a context's length (vLLM, SGLang) list all they have; others answer to unlisted names too.
        if self.name not in found and any(lengths.values()):
            raise InputError(
                f"{self._client.base_url} has no model called `{self.name}`", f"there are {', '.join(sorted(found))}"
            )
        own = found.get(self.name)
        self._loaded = tuple(getattr(own, key, None) for key in ("root", "parent"))  # vLLM's words; SGLang has `root`
        length = lengths.get(self.name)
        if not self.context_tokens and isinstance(length, int):
            self.context_tokens = length

    def _said(self, error: APIStatusError) -> str:
        body = error.body
        told = body.get("message") if isinstance(body, dict) else body
        line = first_line(Exception(told)) if isinstance(told, str) and told.strip() else first_line(error)
        return line.replace(self._key, "…")


def server_key(address: ModelAddress) -> str:
    """Return the key that the environment holds for a server. Raises InputError where it lacks one that is due."""
    name = address.settings.api_key_env
    key = os.environ.get(name or _KEY_ENV, "")
    if key:
        return key
    if name:
        raise InputError(f"the environment variable {name}, which is to hold the key, is not set")
    if not address.base_url:
        raise InputError(f"no key for the OpenAI API: {_KEY_ENV} is not set", "or name a server: openai:MODEL@http://…")
    return "none"  # most servers of one's own ask for no key, but the package does


def _drawing(sampling: Sampling) -> dict[str, Any]:
    drawing: dict[str, Any] = {"temperature": sampling.temperature, "top_p": sampling.top_p}
    if sampling.presence_penalty:
        drawing["presence_penalty"] = sampling.presence_penalty
    if sampling.stop:
        drawing["stop"] = list(sampling.stop)
    if sampling.seed is not None:
        drawing["seed"] = sampling.seed
    return drawing


def _beyond_openai(request: Request) -> dict[str, Any]:
    """Return what vLLM and SGLang know besides."""
    sampling = request.sampling
    more: dict[str, Any] = {}
    if sampling.top_k:
        more["top_k"] = sampling.top_k
    if sampling.min_p:
        more["min_p"] = sampling.min_p
    if sampling.repetition_penalty != 1.0:
        more["repetition_penalty"] = sampling.repetition_penalty
    if request.thinking is not None:
        more["chat_template_kwargs"] = {"enable_thinking": request.thinking}
    return more


def _call(call: Any) -> ToolCall:
    return ToolCall(call.id or "", call.function.name or "", call.function.arguments or "")


def _usage(usage: Any) -> Usage:
    if usage is None:
        return Usage()
    details = getattr(usage, "prompt_tokens_details", None)
    return Usage(usage.prompt_tokens or 0, getattr(details, "cached_tokens", None) or 0, usage.completion_tokens or 0)


@lru_cache(16_384)
def _estimate(text: str) -> int:
    """Count three letters a token, each digit, sign and run of blanks as one, each letter beyond ASCII as two."""
    pieces = _WORD.findall(text)
    return sum(2 if ord(piece[0]) > 0x7F else (len(piece) + 2) // 3 if piece[0].isalpha() else 1 for piece in pieces)
