"""An embedding model: texts go in, vectors of length 1 come out. Where it runs is said by the environment.

    WORLDFORGE_EMBEDDER=vllm:Qwen/Qwen3-Embedding-0.6B
    WORLDFORGE_EMBEDDER=openai:Qwen/Qwen3-Embedding-0.6B@http://127.0.0.1:8000/v1

Worker processes and trainers inherit it; a spec, which may come from a stranger, names a model and no address.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import numpy as np
import numpy.typing as npt

from worldforge.core.errors import InputError
from worldforge.core.redaction import first_line
from worldforge.models.model import ModelUnavailableError
from worldforge.models.model_address import ModelAddress
from worldforge.models.model_weights import weights_revision
from worldforge.models.openai_server import NOT_INSTALLED, RETRIES, TIMEOUT_S, server_key
from worldforge.models.vllm_loading import LOUDER, engine_arguments, loaded_engine, prepare_vllm

VARIABLE = "WORLDFORGE_EMBEDDER"
Vectors = npt.NDArray[np.float32]
"""A row a text."""
_CONCURRENCY = 8
_TEXTS = 32  # in one request
_NOT_FOR_VECTORS = ("chat_template", "tool_parser", "reasoning_parser")

_opening = threading.Lock()
_opened: dict[ModelAddress, Embedder] = {}
_until_exit = ExitStack()
atexit.register(_until_exit.close)


class NoEmbedderError(InputError):
    """Texts are to be embedded, and nobody has said where the model is; or it is another one."""


@dataclass(frozen=True, slots=True)
class Embedder:
    """A model that embeds. Several threads may ask at once.

    `revision` says which weights: a commit on the Hub, or the digest of a folder's files; empty where that cannot be
    told. `ask` gives numbers for texts, unchecked. Raises ModelUnavailableError.
    """

    name: str
    revision: str
    ask: Callable[[Sequence[str]], npt.ArrayLike]

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of `texts` (at least one), float32 of shape (texts, dimension), each of length 1.

        A text that is longer than the model's context is cut. Raises ModelUnavailableError.
        """
        try:
            vectors = np.asarray(self.ask(texts), np.float32)
            lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        except ValueError as error:
            raise ModelUnavailableError(f"{self.name}: what it says are no vectors: {error}") from error
        if len(vectors) != len(texts) or not np.isfinite(vectors).all() or not (lengths > 0).all():
            raise ModelUnavailableError(f"{self.name}: {len(texts)} vectors are due, and what it says are none")
        unit: Vectors = vectors / lengths
        return unit


def embedder_address() -> ModelAddress | None:
    """Return the address that the environment gives; None for none. Raises InputError for one that cannot be."""
    text = os.environ.get(VARIABLE, "").strip()
    if not text:
        return None
    address = ModelAddress.parse(text)
    if address != address.engine or address.backend == "scripted":
        raise InputError(
            f"model `{address}`: a model that embeds does not write",
            "give vllm:MODEL or openai:MODEL@URL, without settings of how tokens are drawn",
        )
    return address


def embeds_in_process() -> bool:
    """Say whether the model would be loaded by each process that needs it."""
    address = embedder_address()
    return address is not None and address.backend == "vllm"


def check_embedder(name: str) -> ModelAddress:
    """Return the address of the model called `name`. Raises NoEmbedderError where there is none, or another's."""
    address = embedder_address()
    if address is None:
        raise NoEmbedderError(
            f"the search of this world is by vectors of `{name}`, and that model is not at hand",
            f"say where it is, by `--embedder` or {VARIABLE}: vllm:{name}, or openai:{name}@http://HOST:8000/v1",
        )
    if address.model_name != name:
        raise NoEmbedderError(
            f"the search of this world is by vectors of `{name}`, and the model given is `{address.model_name}`",
            "vectors of two models cannot be compared: give the one that the world names",
        )
    return address


def embedder_of(name: str) -> Embedder:
    """Return the model called `name`, opened once a process. Raises NoEmbedderError; InputError if it does not open."""
    address = check_embedder(name)
    with _opening:
        if address not in _opened:
            opened = _engine(address) if address.backend == "vllm" else _server(address)
            _opened[address] = _until_exit.enter_context(opened)
        return _opened[address]


@contextmanager
def _engine(address: ModelAddress) -> Iterator[Embedder]:
    """Load vLLM's pooling engine. Pooling and length are the model's own (its sentence-transformers files)."""
    prepare_vllm()
    from vllm import LLM

    arguments = engine_arguments(address, _NOT_FOR_VECTORS)
    one_at_a_time = threading.Lock()
    with loaded_engine(address, lambda: LLM(address.model, runner="pooling", **arguments)) as engine:

        def ask(texts: Sequence[str]) -> list[Any]:
            whole = {"truncate_prompt_tokens": -1}
            try:
                with one_at_a_time:
                    outputs = engine.embed(list(texts), use_tqdm=False, tokenization_kwargs=whole)
            except Exception as error:
                words = f"{address.model_name}: vLLM gives no vectors: {first_line(error)}"
                raise ModelUnavailableError(words, LOUDER) from error
            return [output.outputs.embedding for output in outputs]

        revision = weights_revision(address.model, address.settings.engine_args.get("revision"))
        try:
            yield Embedder(address.model_name, revision, ask)
        finally:
            engine.llm_engine.engine_core.shutdown()


@contextmanager
def _server(address: ModelAddress) -> Iterator[Embedder]:
    """Connect to servers with the OpenAI API (`/v1/embeddings`), which are asked in turn, `_TEXTS` texts a request."""
    try:
        from openai import APIError, OpenAI
    except ImportError as error:
        raise InputError(*NOT_INSTALLED) from error
    name, settings, key = address.model_name, address.settings, server_key(address)
    # vLLM and SGLang refuse what is too long unless they are told to cut it; OpenAI knows no such word.
    extra = {"truncate_prompt_tokens": -1} if address.endpoints else {}
    retries = RETRIES if settings.retries is None else settings.retries
    options: dict[str, Any] = {"api_key": key, "timeout": settings.timeout_s or TIMEOUT_S, "max_retries": retries}

    def ask_one(texts: list[str], client: OpenAI) -> list[list[float]]:
        try:
            response = client.embeddings.create(model=name, input=texts, encoding_format="float", extra_body=extra)
            return [one.embedding for one in sorted(response.data, key=lambda one: one.index)]
        except (APIError, ValueError, TypeError, AttributeError) as error:
            line = first_line(error.__cause__ or error).replace(key, "…")
            raise ModelUnavailableError(
                f"{name}: the server at {client.base_url} gives no vectors: {line}",
                "see that it serves an embedding model by that name",
            ) from error

    with ExitStack() as stack:
        urls = address.endpoints or (None,)
        clients = [stack.enter_context(OpenAI(base_url=url, **options)) for url in urls]
        threads = stack.enter_context(ThreadPoolExecutor(settings.concurrency or _CONCURRENCY))

        def ask(texts: Sequence[str]) -> list[list[float]]:
            batches = [list(texts[first : first + _TEXTS]) for first in range(0, len(texts), _TEXTS)]
            return [row for rows in threads.map(ask_one, batches, cycle(clients)) for row in rows]

        yield Embedder(name, "", ask)  # servers do not tell which weights they have
