"""An embedding model: texts go in, vectors of length 1 come out. Where it runs is said by the environment.

    WORLDFORGE_EMBEDDER=vllm:Qwen/Qwen3-Embedding-0.6B
    WORLDFORGE_EMBEDDER=openai:Qwen/Qwen3-Embedding-0.6B@http://127.0.0.1:8000/v1

Worker processes and trainers inherit it; a spec, which may come from a stranger, names a model and no address.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from worldforge.core.errors import InputError
from worldforge.models.model import ModelUnavailableError
from worldforge.models.model_address import ModelAddress

VARIABLE = "WORLDFORGE_EMBEDDER"
Vectors = npt.NDArray[np.float32]
"""A row a text."""


class NoEmbedderError(InputError):
    """Texts are to be embedded, and nobody has said where the model is; or it is another one."""


class Embedder(Protocol):
    """Turns texts into vectors. Several threads may ask at once."""

    @property
    def name(self) -> str:
        """What the model is called."""

    @property
    def revision(self) -> str:
        """Which weights: a commit on the Hub, or the SHA-256 of a folder's files; empty where that cannot be told."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of `texts` (at least one), float32 of shape (texts, dimension), each of length 1.

        A text that is longer than the model's context is cut. Raises ModelError, ModelUnavailableError.
        """


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


def normalized(rows: npt.ArrayLike, name: str, n_texts: int) -> Vectors:
    """Return vectors of length 1. Raises ModelUnavailableError where they are no such vectors."""
    try:
        vectors = np.asarray(rows, np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    except ValueError as error:
        raise ModelUnavailableError(f"{name}: what it says are no vectors: {error}") from error
    if len(vectors) != n_texts or not np.isfinite(vectors).all() or not (lengths > 0).all():
        raise ModelUnavailableError(f"{name}: {n_texts} vectors are due, and what it says are none")
    unit: Vectors = vectors / lengths
    return unit
