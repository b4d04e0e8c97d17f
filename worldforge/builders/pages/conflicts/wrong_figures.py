"""A column of figures as whole steps: how it is rounded, what it was, how it is got wrong.

A figure is `base + n * step` in units of its last decimal, as the column's own values are: what is made of one is
rounded as they are, and has their decimals.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from worldforge.core.arrays import Integers
from worldforge.core.chance import Stream

Figures = npt.NDArray[np.float64]
_MOST_DECIMALS = 6  # as many as a table holds
_LARGEST = 2.0**52  # of figures in units of their last decimal: beyond it a float is no longer exact
_DRIFT = (0.5, 1.5)  # how much faster or slower than its column a figure has changed
_OFF = (0.03, 0.3)  # by which share of itself a figure is wrong
_SWAPS = 6  # pairs of digits looked at, from one drawn by chance


@dataclass(frozen=True, slots=True)
class Rounding:
    """How a column's figures look: their decimals, and in units of the last one their lowest, highest and step."""

    decimals: int
    lowest: float
    highest: float
    step: float


def rounding_of(values: Figures) -> Rounding | None:
    """Read off a column how it is rounded, its missing cells (NaN) left out; None where that cannot be said."""
    held = values[np.isfinite(values)]
    for decimals in range(_MOST_DECIMALS + 1):
        scaled = np.round(held * 10.0**decimals)
        if len(held) and np.abs(scaled).max() < _LARGEST and np.all(np.abs(scaled / 10.0**decimals - held) < 1e-9):
            steps = (scaled - scaled.min()).astype(np.int64)
            step = int(np.gcd.reduce(steps))
            return Rounding(decimals, float(scaled.min()), float(scaled.max()), float(max(step, 1)))
    return None


def former(values: Figures, rounding: Rounding, rate: float, years: Figures, stream: Stream, rows: Integers) -> Figures:
    """Return what figures were `years` ago, having grown by the share `rate` a year, some faster and some slower.

    One row's figures of several years are one history: `stream` gives a row its pace, whoever asks.
    """
    pace = _DRIFT[0] + (_DRIFT[1] - _DRIFT[0]) * stream.uniform(rows)
    old = _rounded(values * 10.0**rounding.decimals * (1 + rate) ** (-years * pace), rounding)
    kept = values * 10.0**rounding.decimals
    return np.where((kept > 0) & (old <= 0), values, old / 10.0**rounding.decimals)


def mistaken(values: Figures, rounding: Rounding, stream: Stream, rows: Integers) -> Figures:
    """Return a wrong figure for each: two of its digits change places, or it is off by 3 to 30 %."""
    whole = np.round(values * 10.0**rounding.decimals)
    off = _off(whole, rounding, stream, rows)
    swapped = _swapped(whole, rounding, stream.child("digit").bits(rows))
    chosen = np.where((stream.child("how").uniform(rows) < 0.5) & (swapped != whole), swapped, off)
    return chosen / 10.0**rounding.decimals


def _off(whole: Figures, rounding: Rounding, stream: Stream, rows: Integers) -> Figures:
    """Move figures by a share of themselves, one step at least; within the column's own bounds where it can be so."""
    share = _OFF[0] + (_OFF[1] - _OFF[0]) * stream.child("share").uniform(rows)
    by = np.maximum(np.round(np.abs(whole) * share / rounding.step), 1) * rounding.step
    sign = np.where(stream.child("sign").uniform(rows) < 0.5, -1.0, 1.0)
    out = (whole + sign * by < rounding.lowest) | (whole + sign * by > rounding.highest)
    sign = np.where(out, -sign, sign)
    below = (whole >= 0) & (whole + sign * by < 0)
    return whole + np.where(below, -sign, sign) * by


def _swapped(whole: Figures, rounding: Rounding, draws: npt.NDArray[np.uint64]) -> Figures:
    """Let two digits side by side change places; a figure stays where none gives another of its rounding."""
    figures = np.abs(whole).astype(np.int64)
    length = np.char.str_len(figures.astype(str)).astype(np.int64)
    pairs = np.maximum(length - 1, 1)
    swapped = figures.copy()
    for attempt in range(_SWAPS):
        place = 10 ** (((draws % np.uint64(1_000)).astype(np.int64) + attempt) % pairs)
        low, high = figures // place % 10, figures // (place * 10) % 10
        other = figures + (high - low) * place + (low - high) * place * 10
        signed = np.where(whole < 0, -other, other).astype(np.float64)
        fits = (low != high) & (other >= 10 ** (length - 1)) & ((signed - rounding.lowest) % rounding.step == 0)
        fits &= (signed >= rounding.lowest) & (signed <= rounding.highest) & (attempt < pairs)
        swapped = np.where((swapped == figures) & fits, other, swapped)
    return np.where(whole < 0, -swapped, swapped).astype(np.float64)


def _rounded(scaled: Figures, rounding: Rounding) -> Figures:
    return rounding.lowest + np.round((scaled - rounding.lowest) / rounding.step) * rounding.step
