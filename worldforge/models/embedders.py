"""Opens embedding models: vLLM in this process, or a server with the OpenAI API (`/v1/embeddings`)."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np

from worldforge.core.errors import InputError
from worldforge.models.embedding import Embedder, Vectors, check_embedder, normalized
from worldforge.models.model import ModelUnavailableError, first_line
from worldforge.models.model_address import ModelAddress
from worldforge.models.model_weights import weights_revision
from worldforge.models.openai_server import RETRIES, TIMEOUT_S, server_key
from worldforge.models.vllm_loading import LOUDER, engine_arguments, loaded_engine, prepare_vllm

if TYPE_CHECKING:
    from openai import OpenAI

_CONCURRENCY = 8
_TEXTS = 32  # in one request
_NOT_FOR_VECTORS = ("chat_template", "tool_parser", "reasoning_parser")

_opening = threading.Lock()
_opened: dict[ModelAddress, Embedder] = {}
_until_exit = ExitStack()
atexit.register(_until_exit.close)


def embedder_of(name: str) -> Embedder:
    """Return the model called `name`, opened once a process. Raises NoEmbedderError; InputError if it does not open."""
    address = check_embedder(name)
    with _opening:
        if address not in _opened:
            _opened[address] = _until_exit.enter_context(_open_embedder(address))
        return _opened[address]


def _open_embedder(address: ModelAddress) -> AbstractContextManager[Embedder]:
    return _open_vllm_embedder(address) if address.backend == "vllm" else _open_embedding_server(address)


@contextmanager
def _open_vllm_embedder(address: ModelAddress) -> Iterator[Embedder]:
    prepare_vllm()
    from vllm import LLM

    arguments = engine_arguments(address, _NOT_FOR_VECTORS)
    with loaded_engine(address, lambda: LLM(address.model, runner="pooling", **arguments)) as engine:
        try:
            yield VllmEmbedder(address, engine)
        finally:
            engine.llm_engine.engine_core.shutdown()


class VllmEmbedder:
    """An embedding model in vLLM's engine, which batches what it is asked; an `embedding.Embedder`.

    Pooling and length are the model's own (its sentence-transformers files, else its last token).
    """

    def __init__(self, address: ModelAddress, engine: Any) -> None:
        self.name = address.model_name
        self.revision = weights_revision(address.model, address.settings.engine_args.get("revision"))
        self._engine = engine
        self._turn = threading.Lock()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of `texts`, each cut at the model's context. Raises ModelUnavailableError."""
        whole = {"truncate_prompt_tokens": -1}
        try:
            with self._turn:
                outputs = self._engine.embed(list(texts), use_tqdm=False, tokenization_kwargs=whole)
        except Exception as error:
            raise ModelUnavailableError(f"{self.name}: vLLM gives no vectors: {first_line(error)}", LOUDER) from error
        return normalized([output.outputs.embedding for output in outputs], self.name, len(texts))


@contextmanager
def _open_embedding_server(address: ModelAddress) -> Iterator[Embedder]:
    try:
        from openai import OpenAI
    except ImportError as error:
        raise InputError("the openai package is not installed", "pip install '.[openai]'") from error
    settings = address.settings
    retries = RETRIES if settings.retries is None else settings.retries
    key = server_key(address)
    timeout_s = settings.timeout_s or TIMEOUT_S
    with ExitStack() as stack:
        clients = [
            stack.enter_context(OpenAI(api_key=key, base_url=url, timeout=timeout_s, max_retries=retries))
            for url in address.endpoints or (None,)
        ]
        threads = stack.enter_context(ThreadPoolExecutor(settings.concurrency or _CONCURRENCY))
        yield ServerEmbedder(address, clients, threads, key)


class ServerEmbedder:
    """A model at servers that are asked in turn, `_TEXTS` texts a request; an `embedding.Embedder`."""

    revision = ""  # servers do not tell

    def __init__(self, address: ModelAddress, clients: Sequence[OpenAI], threads: ThreadPoolExecutor, key: str) -> None:
        self.name = address.model_name
        self._clients, self._threads, self._key = clients, threads, key
        # vLLM and SGLang refuse what is too long unless they are told to cut it; OpenAI knows no such word
        self._extra = {"truncate_prompt_tokens": -1} if address.endpoints else {}

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of `texts`. Raises ModelUnavailableError where the server does not give them."""
        batches = [list(texts[first : first + _TEXTS]) for first in range(0, len(texts), _TEXTS)]
        return np.concatenate(list(self._threads.map(self._ask, batches, cycle(self._clients))))

    def _ask(self, texts: list[str], client: OpenAI) -> Vectors:
        from openai import APIError

        try:
            said = client.embeddings.create(
                model=self.name, input=texts, encoding_format="float", extra_body=self._extra
            )
            rows = [one.embedding for one in sorted(said.data, key=lambda one: one.index)]
        except (APIError, ValueError, TypeError, AttributeError) as error:
            line = first_line(error.__cause__ or error).replace(self._key, "…")
            raise ModelUnavailableError(
                f"{self.name}: the server at {client.base_url} gives no vectors: {line}",
                "see that it serves an embedding model by that name",
            ) from error
        return normalized(rows, self.name, len(texts))
