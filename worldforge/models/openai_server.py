"""Any server that speaks the OpenAI chat API: `vllm serve`, SGLang, a hosted one. Bounded, patient, and silent on keys.

The openai package keeps the connections, waits for a server that asks for time (Retry-After) or fails in passing, each
time longer, and gives up after `retries`. Then the server is asked for one token: a server that gives it has failed at
that one request, any other is unavailable.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from worldforge.core.errors import InputError
from worldforge.core.files import value_digest
from worldforge.core.redaction import first_line
from worldforge.models.chat import Finish, Message, Reply, Request, Sampling, ToolCall, Usage, to_openai
from worldforge.models.model import ModelError, ModelUnavailableError
from worldforge.models.model_address import ModelAddress

if TYPE_CHECKING:
    from openai import AsyncOpenAI

NOT_INSTALLED = ("the openai package is not installed", "pip install '.[openai]'")
CONCURRENCY = 64
TIMEOUT_S = 600.0
RETRIES = 5
CONNECTIONS = 1_000  # that the openai package has to a server at most
_CHECK_S = 10.0  # within this a server must say which models it has
_PROBE_S = 60.0  # within this a server must give one token that has failed at a request: others may be queued there
_KEY_ENV = "OPENAI_API_KEY"
_REQUEST_STATUSES = (400, 413, 422)  # statuses that say nothing about the next request
_FINISHES: dict[str | None, Finish] = {
    None: "stop", "stop": "stop", "length": "length", "tool_calls": "tool_calls", "function_call": "tool_calls"
}  # fmt: skip
_NEUTRAL = {"presence_penalty": 0.0, "repetition_penalty": 1.0, "top_k": 0, "min_p": 0.0, "stop": ()}
_BEYOND_OPENAI = ("top_k", "min_p", "repetition_penalty")  # of vLLM and SGLang
_WORD = re.compile(r"[A-Za-z]+|[^\x00-\x7f]|\s{2,}|[^\sA-Za-z]")
# What vLLM's server says of itself in the Prometheus text at `/metrics`, as vLLM 0.32 writes it
_CACHE = re.compile(r"^vllm:cache_config_info\{([^}]*)\}", re.MULTILINE)
_CPU_CACHE = re.compile(
    r'(kv_cache_memory|cpu_kvcache_space)_bytes="(?!None")'
    r'|(?=.*\bblock_size="128")(?=.*user_specified_block_size="False")'
)


@asynccontextmanager
async def open_endpoint(address: ModelAddress, url: str | None) -> AsyncIterator[ServerModel]:
    """Connect to one server, at `url`. Raises InputError where it is not there, refuses the key, or lacks the model."""
    try:
        from openai import AsyncOpenAI, DefaultAsyncHttpxClient
    except ImportError as error:
        raise InputError(*NOT_INSTALLED) from error
    settings, key = address.settings, server_key(address)
    errors = _ServerErrors(key)
    retries = 1 if len(address.endpoints) > 1 else RETRIES  # hardly any, where another server can take the request
    async with (
        DefaultAsyncHttpxClient(event_hooks={"response": [errors.record]}) as http,
        AsyncOpenAI(
            api_key=key,
            base_url=url,
            timeout=settings.timeout_s or TIMEOUT_S,
            max_retries=retries if settings.retries is None else settings.retries,
            http_client=http,
        ) as client,
    ):
        model = ServerModel(address, client, http, errors)
        await model.check_model()
        yield model


class _ServerErrors:
    """Keeps what a server said of its last error: one that dies says why in an answer that is then asked for again."""

    def __init__(self, key: str) -> None:
        self._key = key
        self.last = ""

    async def record(self, response: Any) -> None:
        """Take a response, as a hook of httpx."""
        if response.is_error and response.request.method == "POST":
            await response.aread()
            try:
                body = response.json()
            except ValueError:
                body = response.text
            error = body.get("error", body) if isinstance(body, dict) else body
            self.last = f"HTTP {response.status_code}: {self.words(error, response.reason_phrase)}"

    def words(self, error: Any, otherwise: str) -> str:
        """Return the first line of what an error says, without the key; `otherwise` where it says nothing."""
        message = error.get("message", error) if isinstance(error, dict) else error
        text = message if isinstance(message, str) else json.dumps(message)
        return first_line(Exception(text if message and text.strip() else otherwise)).replace(self._key, "…")


class ServerModel:
    """A model at one server."""

    def __init__(self, address: ModelAddress, client: AsyncOpenAI, http: Any, errors: _ServerErrors) -> None:
        self.name = address.model
        self.context_tokens = address.settings.max_model_len or 0
        self._client, self._http, self._errors = client, http, errors
        self._timeout_s = address.settings.timeout_s or TIMEOUT_S
        self._takes_seeds = True
        self._is_openai = not address.endpoints  # it knows nothing of what others have added to its API
        self._reasoning_key = "reasoning"
        self._identity = address.settings.identity
        self._loaded: tuple[str | None, ...] = ()  # what the server has loaded under that name, and what that adapts

    @property
    def url(self) -> str:
        """The server's base address."""
        return str(self._client.base_url)

    @property
    def identity(self) -> str:
        """A digest of the model's name, of what the server says to have loaded, and of the name given to the weights.

        Two servers that tell the same have the same identity, whatever their weights.
        """
        return value_digest([self.name, self._loaded, self._identity])

    async def check_model(self) -> None:
        """Ask which models there are, and how long a context they have. Raises InputError where no model can answer."""
        from openai import APIConnectionError, APIError, AuthenticationError, PermissionDeniedError

        client = self._client.with_options(timeout=_CHECK_S, max_retries=1)
        try:
            found = {model.id: model for model in (await client.models.list()).data}
        except APIConnectionError as error:
            raise InputError(
                f"no server answers at {self.url}: {first_line(error.__cause__ or error)}",
                "start one (vllm serve MODEL, see docs/models.md), or correct the address",
            ) from error
        except (AuthenticationError, PermissionDeniedError) as error:
            raise InputError(
                f"{self.url} refuses the key: {self._errors.words(error.body, str(error))}",
                "name the environment variable that holds it: ?api_key_env=MY_KEY",
            ) from error
        except (APIError, AttributeError, TypeError):
            return  # not every server lists its models
        context_lengths = {name: getattr(model, "max_model_len", None) for name, model in found.items()}
        lengths = {name: length for name, length in context_lengths.items() if isinstance(length, int)}
        # Servers that tell a context's length (vLLM, SGLang) list all they have; others answer to unlisted names too.
        if self.name not in found and lengths:
            raise InputError(f"{self.url} has no model called `{self.name}`", f"there are {', '.join(sorted(found))}")
        own = found.get(self.name)
        self._loaded = tuple(getattr(own, key, None) for key in ("root", "parent"))  # vLLM's words; SGLang has `root`
        self.context_tokens = self.context_tokens or lengths.get(self.name) or 0
        if any(getattr(model, "owned_by", "") == "vllm" for model in found.values()):
            self._takes_seeds = await self._runs_on_gpu()

    async def reply(self, request: Request) -> Reply:
        """Answer one request. Raises ModelError where it is refused, ModelUnavailableError where the server fails."""
        start = time.perf_counter()
        completion = await self._complete(request)
        self._errors.last = ""
        return self._read(completion, time.perf_counter() - start)

    async def _complete(self, request: Request) -> Any:
        from openai import APIConnectionError, APIError, APIStatusError

        try:
            return await self._client.chat.completions.create(**self._options(request))
        except APIConnectionError as error:
            before = f"; before that it said {self._errors.last}" if self._errors.last else ""
            raise await self._failure(f"{first_line(error)} ({self.url}){before}") from error
        except APIStatusError as error:
            reason = f"HTTP {error.status_code}: {self._errors.words(error.body, str(error))}"
            if error.status_code not in _REQUEST_STATUSES:
                raise await self._failure(reason) from error
            if request.sampling.seed is None or not self._takes_seeds or "seed" not in reason.lower():
                raise ModelError(f"{self.name}: {reason}") from error
        except (APIError, ValueError) as error:
            raise ModelError(f"{self.name}: the server's reply cannot be read: {first_line(error)}") from error
        self._takes_seeds = False
        return await self._complete(request)

    async def _failure(self, reason: str) -> ModelError:
        """Return the error of a request that failed after all retries: the model's, if the server answers no other."""
        kind = ModelError if await self._answers() else ModelUnavailableError
        return kind(f"{self.name}: {reason}")

    async def _answers(self) -> bool:
        """Say whether the server gives one token, or at least judges the request for it."""
        from openai import APIError

        client = self._client.with_options(timeout=min(_PROBE_S, self._timeout_s), max_retries=0)
        request = self._options(Request((Message("user", "Hello"),), sampling=Sampling(max_tokens=1)))
        try:
            await client.chat.completions.create(**request)
        except APIError as error:
            return getattr(error, "status_code", None) in _REQUEST_STATUSES
        return True

    def _options(self, request: Request) -> dict[str, Any]:
        """Write a request for the openai package; what vLLM and SGLang know besides OpenAI goes into `extra_body`."""
        sampling, structure = request.sampling, request.structure
        drawn = {name: value for name, value in asdict(sampling).items() if value != _NEUTRAL.get(name)}
        if not self._takes_seeds:
            drawn.pop("seed", None)
        more = {name: drawn.pop(name) for name in _BEYOND_OPENAI if name in drawn}
        if request.thinking is not None:
            more["chat_template_kwargs"] = {"enable_thinking": request.thinking}
        more = {} if self._is_openai else more
        options: dict[str, Any] = drawn | {
            "model": self.name,
            "messages": [to_openai(message, self._reasoning_key) for message in request.messages],
            "max_tokens": self._max_tokens(request),
        }
        if self._is_openai:
            options["max_completion_tokens"] = options.pop("max_tokens")
        if request.tools:
            options |= {"tools": [dict(tool) for tool in request.tools], "tool_choice": request.tool_choice}
        if structure is not None and structure.kind == "json_schema":
            schema = {"name": "reply", "schema": structure.form, "strict": True}
            options["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif structure is not None:
            more["structured_outputs"] = {structure.kind: structure.form}
        return options | {"extra_body": more}

    async def _runs_on_gpu(self) -> bool:
        """Say whether a vLLM server's engines are known to run on GPUs, by what it measures of itself.

        vLLM does not name its platform. A CPU is recognised by its cache: sized in bytes (by VLLM_CPU_KVCACHE_SPACE),
        or in blocks of 128 that nobody asked for. A GPU's server that has such a cache is taken for a CPU's, too.
        """
        url = f"{self.url.removesuffix('/').removesuffix('/v1')}/metrics"
        try:
            response = await self._http.get(url, timeout=_CHECK_S)
        except Exception:  # noqa: BLE001 - whatever keeps a server's metrics from us: it answers without them
            return False
        caches = _CACHE.findall(response.text) if response.is_success else []
        return bool(caches) and not any(map(_CPU_CACHE.search, caches))

    def _max_tokens(self, request: Request) -> int:
        """Leave room for the prompt, as servers demand; where none seems to be left, let the server judge."""
        texts = [text for message in request.messages for text in (message.content, message.reasoning)]
        texts += [call.arguments for message in request.messages for call in message.tool_calls]
        texts += [json.dumps(request.tools)] if request.tools else []
        n_calls = sum(len(message.tool_calls) for message in request.messages)
        room = self.context_tokens - sum(map(estimate_tokens, texts)) - 8 * len(request.messages) - 24 * n_calls
        return min(request.sampling.max_tokens, room) if room > 0 else request.sampling.max_tokens

    def _read(self, completion: Any, seconds: float) -> Reply:
        try:
            choice, counts = completion.choices[0], completion.usage
            message, text = choice.message, choice.message.content or ""
            calls = tuple(
                ToolCall(call.id or "", call.function.name or "", call.function.arguments or "")
                for call in message.tool_calls or ()
            )
            cached = getattr(getattr(counts, "prompt_tokens_details", None), "cached_tokens", None) or 0
            usage = Usage(counts.prompt_tokens or 0, cached, counts.completion_tokens or 0) if counts else Usage()
        except (AttributeError, IndexError, TypeError) as error:
            raise ModelError(f"{self.name}: the server's reply is not a chat completion") from error
        if choice.finish_reason not in _FINISHES:
            raise ModelError(f"{self.name}: the server broke the reply off: {choice.finish_reason}")
        return Reply(text, calls, self._reasoning(message), usage, _FINISHES[choice.finish_reason], seconds)

    def _reasoning(self, message: Any) -> str:
        """Return the reasoning, and remember what this server calls it, to call it so when it is given back."""
        for key in ("reasoning", "reasoning_content"):
            if isinstance(reasoning := getattr(message, key, None), str) and reasoning:
                self._reasoning_key = key
                return reasoning
        return ""


def server_key(address: ModelAddress) -> str:
    """Return the key that the environment holds for a server. Raises InputError where it lacks one that is due."""
    name = address.settings.api_key_env
    key = os.environ.get(name or _KEY_ENV, "")
    if key:
        return key
    if name:
        raise InputError(f"the environment variable {name}, which is to hold the key, is not set")
    if not address.endpoints:
        raise InputError(f"no key for the OpenAI API: {_KEY_ENV} is not set", "or name a server: openai:MODEL@http://…")
    return "none"  # most servers of one's own ask for no key, but the package does


@lru_cache(16_384)
def estimate_tokens(text: str) -> int:
    """Return about how many tokens a text has, rather more than fewer, where no tokenizer is at hand.

    Three letters are a token, each digit, sign and run of blanks is one, each letter beyond ASCII is two.
    """
    pieces = _WORD.findall(text)
    return sum(2 if ord(piece[0]) > 0x7F else (len(piece) + 2) // 3 if piece[0].isalpha() else 1 for piece in pieces)
