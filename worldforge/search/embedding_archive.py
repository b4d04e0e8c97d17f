"""Vectors of texts, kept beside the world: embeddings.sqlite, one entry a text, pages' passages and queries alike.

An entry is found by the model's name and the text. So a build that was killed goes on where it stood, one whose pages
have changed embeds what is new, and who asks what has been asked before needs no model and gets the same results.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from worldforge.core.errors import InputError
from worldforge.core.files import value_digest
from worldforge.core.store_server import open_store
from worldforge.models.embedding import NoEmbedderError, embedder_of

FILE = "embeddings.sqlite"
_ALIKE = 0.98
"""Cosine of a text's vector and the same text's by the same weights, in the crudest of arithmetics."""

Halves = npt.NDArray[np.float16]


class EmbeddingArchive:
    """Vectors by the model called `model`, which is opened when one is wanting. One object serves one thread.

    `known` is a text with its vector, by which another model of the same name is detected. In a folder that cannot be
    written to, nothing is kept.
    """

    def __init__(self, path: Path, model: str, known: tuple[str, Halves] | None = None) -> None:
        self.model = model
        self._store = open_store(path) if os.access(path.parent, os.W_OK) else None
        self._known, self._is_checked = known, False

    @property
    def revision(self) -> str:
        """The revision of the weights behind the vectors; empty where it is unknown."""
        return (self._store.get(f"revision of {self.model}") if self._store is not None else None) or ""

    def vectors(self, texts: Sequence[str]) -> Halves:
        """Return the vectors of `texts` (at least one), float16 of shape (texts, dimension).

        Raises NoEmbedderError where some must be made and the model is not to be had, or its weights are others.
        """
        keys = [value_digest([self.model, text]) for text in texts]
        kept = self._store.get_many(dict.fromkeys(keys)) if self._store is not None else {}
        found = {key: self._decode(key, text) for key, text in kept.items()}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        for key, text in zip(keys, texts, strict=True):
            if self._known is None and key in found:
                self._known = (text, found[key])
        if missing:
            made = self._embed(list(missing.values()))
            found |= self._store_all(dict(zip(missing, made, strict=True)))
        rows = [found[key] for key in keys]
        if len({len(row) for row in rows}) > 1:
            raise self._other_model("their dimensions differ")
        return np.array(rows, np.float16)

    def close(self) -> None:
        """Let go of the file."""
        if self._store is not None:
            self._store.close()

    def _embed(self, texts: list[str]) -> Halves:
        embedder = embedder_of(self.model)
        probe = [] if self._known is None or self._is_checked else [self._known]
        vectors = embedder.embed([*texts, *(text for text, _ in probe)])
        for (_, before), now in zip(probe, vectors[len(texts) :], strict=True):
            self._check_model(before, now)
        self._is_checked = self._known is not None
        if self._store is not None and embedder.revision:
            self._store.put(f"revision of {self.model}", embedder.revision)
        return vectors[: len(texts)].astype(np.float16)

    def _check_model(self, before: Halves, now: npt.NDArray[np.float32]) -> None:
        if len(before) != len(now):
            raise self._other_model(f"vectors had {len(before)} numbers, and have {len(now)}")
        if not (cosine := float(before.astype(np.float32) @ now)) >= _ALIKE:
            raise self._other_model(f"of the same text it gives another vector (cosine {cosine:.2f})")

    def _other_model(self, reason: str) -> NoEmbedderError:
        where = f"; or move {self._store.path} away, and build again with `--fresh`" if self._store is not None else ""
        return NoEmbedderError(
            f"`{self.model}` is not the model that this world's vectors are by: {reason}",
            f"give the model with the weights it was built with{where}",
        )

    def _store_all(self, vectors: Mapping[str, Halves]) -> dict[str, Halves]:
        """Store vectors, unless another process has; return those that are stored."""
        if self._store is None:
            return dict(vectors)
        texts = {key: base64.b64encode(vector.astype("<f2").tobytes()).decode() for key, vector in vectors.items()}
        return {key: self._decode(key, text) for key, text in self._store.put_many(texts).items()}

    def _decode(self, key: str, text: str) -> Halves:
        try:
            vector = np.frombuffer(base64.b64decode(text, validate=True), "<f2").astype(np.float16)
        except ValueError:
            vector = np.empty(0, np.float16)
        if not len(vector) or not np.isfinite(vector).all():
            assert self._store is not None
            raise InputError(f"{self._store.path} holds no vector under {key}", "move the file away, and build again")
        return vector
