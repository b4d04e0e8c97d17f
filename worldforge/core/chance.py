"""Keyed, counter-based chance: a draw is a function of seed, path and row number, and of nothing else.

    stream = Stream(seed=7).child("club", "founded")
    stream.uniform(np.arange(1000))        # row 31 gets the same number whoever asks, whenever, for whichever rows

Each path opens its own Philox4x64-10 stream (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011) under
a 128-bit key hashed from seed and path, so that streams are independent of one another. Row `r` owns the `r`-th 64-bit
word of its stream: one draw a row, turned into any distribution through its inverse. Adding rows, columns or types
therefore moves no other draw.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from numpy.random.bit_generator import ISeedSequence

Rows = npt.NDArray[np.int64]
Option = TypeVar("Option")
_WORDS = 4  # 64-bit words that one Philox counter value yields
_ROUNDS = 4  # rounds of the Feistel network: enough to be a pseudo-random permutation (Luby and Rackoff, 1988)


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream of chance, named by `seed` and `path`; draws are addressed by row number (int64, from 0)."""

    seed: int
    path: str = ""

    def child(self, *parts: object) -> Stream:
        """Return the stream one or more steps below this one: `Stream(7).child("club", "founded")`."""
        return Stream(self.seed, "/".join([self.path, *map(str, parts)]).lstrip("/"))

    def bits(self, rows: Rows) -> npt.NDArray[np.uint64]:
        """Draw 64 random bits for each of `rows`."""
        if len(rows) == 0:
            return np.empty(0, np.uint64)
        first, last = int(rows.min()), int(rows.max())
        start = first // _WORDS
        generator = self._generator()
        if start:
            generator.advance(start)  # by values of the counter
        words = generator.random_raw(last + 1 - start * _WORDS).astype(np.uint64, copy=False)
        return words[rows - start * _WORDS]

    def first_bits(self, n: int) -> npt.NDArray[np.uint64]:
        """Draw the bits of the rows before `n`, as `bits` does: sooner, where they are few."""
        return self._generator().random_raw(n)

    def uniform(self, rows: Rows) -> npt.NDArray[np.float64]:
        """Draw a number in [0, 1), of 53 random bits, for each of `rows`."""
        return (self.bits(rows) >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def first_uniform(self, n: int) -> npt.NDArray[np.float64]:
        """Draw the numbers of the rows before `n`, as `uniform` does: sooner, where they are few."""
        return np.random.Generator(self._generator()).random(n)

    def integers(self, rows: Rows, low: npt.ArrayLike, high: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Draw a whole number in [low, high], both included, for each of `rows`; bounds may be one a row."""
        lowest = np.asarray(low, np.int64)
        span = (np.asarray(high, np.int64) - lowest + 1).astype(np.float64)
        offset = np.minimum(np.floor(self.uniform(rows) * span), span - 1)
        return lowest + offset.astype(np.int64)

    def draws(self, rows: Rows) -> list[Draws]:
        """Return a sequence of draws for each of `rows`, for work that is done row by row."""
        return [Draws(seed) for seed in self.bits(rows).tolist()]

    def permutation(self, rows: Rows, size: int) -> npt.NDArray[np.int64]:
        """Give each row its own place in [0, size): a keyed bijection of [0, size), so no two rows share one.

        A Feistel network over the next even number of bits, walked until it falls inside (cycle walking, Black and
        Rogaway 2002). `rows` must lie in [0, size).
        """
        if len(rows) and (int(rows.min()) < 0 or int(rows.max()) >= size):
            raise ValueError(f"rows must lie in [0, {size})")
        half = max(1, (max(size - 1, 1).bit_length() + 1) // 2)
        keys = self.child("feistel").first_bits(_ROUNDS)
        places = _feistel(rows.astype(np.uint64), keys, half)
        outside = np.flatnonzero(places >= size)
        while len(outside):
            places[outside] = _feistel(places[outside], keys, half)
            outside = outside[places[outside] >= size]
        return places.astype(np.int64)

    def _generator(self) -> np.random.Philox:
        digest = hashlib.blake2b(f"{self.seed}\0{self.path}".encode(), digest_size=16).digest()
        key = _Key(np.frombuffer(digest, "<u8").astype(np.uint64))
        return np.random.Philox(key)  # type: ignore[arg-type]  # NumPy takes any ISeedSequence; its stubs do not say so


class _Key(ISeedSequence):
    """A key, given as a seed: `Philox(key=…)` asks the system for entropy first, which takes longer than all else."""

    def __init__(self, words: npt.NDArray[np.uint64]) -> None:
        self._words = words

    def generate_state(self, n_words: int, dtype: npt.DTypeLike = np.uint32) -> npt.NDArray[Any]:
        return self._words


class Draws:
    """Random draws for one item, one after the other. The sequence depends on `seed` alone.

    Only `random.Random.random` is used: Python keeps its sequence the same from version to version.
    """

    __slots__ = ("uniform",)

    def __init__(self, seed: int) -> None:
        self.uniform = random.Random(seed).random  # noqa: S311  worlds are no secrets
        """Draw a number in [0, 1)."""

    def chance(self, share: float) -> bool:
        """Return True with probability `share`."""
        return self.uniform() < share

    def integer(self, low: int, high: int) -> int:
        """Draw a whole number in [low, high], both included."""
        return low + int(self.uniform() * (high - low + 1))

    def pick(self, options: Sequence[Option]) -> Option:
        """Draw one of `options`, all with the same probability. Raises IndexError where there are none."""
        return options[int(self.uniform() * len(options))]

    def sampled(self, items: Sequence[Option], n: int) -> list[Option]:
        """Draw up to `n` different ones of the items, in a random order."""
        drawn = list(items)
        n, size = min(n, len(drawn)), len(drawn)
        for place in range(n):
            other = place + int(self.uniform() * (size - place))
            drawn[place], drawn[other] = drawn[other], drawn[place]
        return drawn[:n]

    def shuffled(self, items: Sequence[Option]) -> list[Option]:
        """Return the items in a random order (Fisher and Yates)."""
        drawn = list(items)
        for last in range(len(drawn) - 1, 0, -1):
            other = int(self.uniform() * (last + 1))
            drawn[last], drawn[other] = drawn[other], drawn[last]
        return drawn


def _feistel(values: npt.NDArray[np.uint64], keys: npt.NDArray[np.uint64], half: int) -> npt.NDArray[np.uint64]:
    bits, mask = np.uint64(half), np.uint64((1 << half) - 1)
    left, right = values >> bits, values & mask
    for key in keys:
        left, right = right, left ^ (_mix(right ^ key) & mask)
    return (left << bits) | right


def _mix(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Scramble 64 bits: the finaliser of SplitMix64 (Steele, Lea and Flood, 2014)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
