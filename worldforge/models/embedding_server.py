"""An embedding model at a server with the OpenAI API (`/v1/embeddings`): `vllm serve`, SGLang, a hosted one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np

from worldforge.core.errors import InputError
from worldforge.models.embedding import Embedder, Vectors, normalized
from worldforge.models.model import ModelUnavailableError, first_line
from worldforge.models.model_address import ModelAddress
from worldforge.models.openai_server import RETRIES, TIMEOUT_S, server_key

if TYPE_CHECKING:
    from openai import OpenAI

_CONCURRENCY = 8
_TEXTS = 32  # in one request


@contextmanager
def open_embedding_server(address: ModelAddress) -> Iterator[Embedder]:
    """Open a client. Raises InputError where the package or the key is wanting."""
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
