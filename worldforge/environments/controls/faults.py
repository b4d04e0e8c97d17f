"""Draw the faults of a call, from its session, its request and how often it was made before; and carry them out."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from worldforge.core.chance import Stream
from worldforge.environments.controls.control_plan import ControlPlan, ErrorKind, FaultControl
from worldforge.environments.requests import ToolRequest
from worldforge.environments.views import ErrorView, Failure

CUT_OFF = "… [response truncated: connection closed]"
_MESSAGES: dict[ErrorKind, str] = {
    "rate_limited": "Error: 429 Too Many Requests. Wait a moment and try again.",
    "server_error": "Error: 500 Internal Server Error. Try again.",
    "timeout": "Error: the request timed out. Try again.",
}
_ITEM_FAILED = "Error: 503 Service Unavailable for this one of the batch. Try again."
_ERROR, _WHICH, _LATENCY, _SECONDS, _PARTIAL, _ITEMS, _MALFORMED, _FLAW, _CUT, _LENGTH, _STALE, _AGE = range(12)
_ITEM = 100  # where in the stream the items of a batch begin


class Finished(NamedTuple):
    """A text after controls: cut, garbled or unchanged. Its first `n_kept` characters are intact."""

    text: str
    n_kept: int
    error: str = ""


@dataclass(frozen=True, slots=True)
class Faults:
    """The faults of one call; None: this fault does not occur.

    `partial`, `truncated` are the shares kept, `malformed` the place of the flaw as a share of the text, `stale_days`
    the age of the page's copy, `failing` the items of a batch that fail.
    """

    error: ErrorKind | None = None
    latency_s: float | None = None
    partial: float | None = None
    malformed: float | None = None
    truncated: float | None = None
    stale_days: int | None = None
    failing: tuple[int, ...] = ()

    @property
    def any(self) -> bool:
        """Whether the answer differs from the true one; latency does not count."""
        return bool(self.failing) or any(
            fault is not None for fault in (self.error, self.partial, self.malformed, self.truncated, self.stale_days)
        )


class Attempts:
    """Counts a session's requests and their faults."""

    def __init__(self) -> None:
        self._made: dict[str, int] = {}
        self._in_a_row: dict[str, int] = {}
        self._served: set[str] = set()

    def draw(self, plan: ControlPlan, stream: Stream, request: str, n_items: int) -> Faults:
        """Draw the faults of a request, identified by its text, with so many items; count the attempt."""
        number = self._made.get(request, 0)
        drawn = _draw(plan, stream.child(request, number), self._in_a_row.get(request, 0), n_items)
        if request in self._served and drawn.stale_days is not None:  # once up to date, it stays so
            drawn = replace(drawn, stale_days=None)
        self._made[request] = number + 1
        self._in_a_row[request] = self._in_a_row.get(request, 0) + 1 if drawn.any else 0
        if not drawn.any:
            self._served.add(request)
        return drawn


def _draw(plan: ControlPlan, stream: Stream, in_a_row: int, n_items: int) -> Faults:
    draws = stream.first_uniform(12).tolist()

    def hits(fault: FaultControl, draw: float) -> bool:
        return draw < fault.rate and in_a_row < fault.most_in_a_row

    latency_s = plan.latency.seconds.at(draws[_SECONDS]) if draws[_LATENCY] < plan.latency.rate else None
    if hits(plan.errors, draws[_ERROR]):
        kinds = plan.errors.kinds
        error = kinds[int(draws[_WHICH] * len(kinds))]
        return Faults(error, plan.errors.timeout_s if error == "timeout" else latency_s)
    malformed = draws[_FLAW] if hits(plan.malformed, draws[_MALFORMED]) else None
    cut = malformed is None and hits(plan.truncation, draws[_CUT])
    return Faults(
        latency_s=round(latency_s, 3) if latency_s is not None else None,
        partial=plan.partial.kept.at(draws[_ITEMS]) if hits(plan.partial, draws[_PARTIAL]) else None,
        malformed=malformed,
        truncated=plan.truncation.kept.at(draws[_LENGTH]) if cut else None,
        stale_days=round(plan.stale.days.at(draws[_AGE])) if hits(plan.stale, draws[_STALE]) else None,
        failing=_failing(plan, stream, in_a_row, n_items),
    )


def _failing(plan: ControlPlan, stream: Stream, in_a_row: int, n_items: int) -> tuple[int, ...]:
    """Draw which items of a batch fail: never all of them, and not the only one."""
    if n_items < 2 or plan.batch.rate == 0 or in_a_row >= plan.batch.most_in_a_row:
        return ()
    draws = stream.uniform(np.arange(_ITEM, _ITEM + n_items))
    draws[int(draws.argmax())] = 1.0
    return tuple(np.flatnonzero(draws < plan.batch.rate).tolist())


def error_view(error: ErrorKind) -> ErrorView:
    """Return the view of a call that fails as a whole."""
    return ErrorView(error, _MESSAGES[error])


def failures_of(request: ToolRequest, failing: tuple[int, ...]) -> tuple[Failure, ...]:
    """Describe the failing items of a batch."""
    return tuple(Failure(request.items[number], "server_error", _ITEM_FAILED) for number in failing)


def cut_off(text: str, share: float) -> Finished:
    """Cut a text after a share of it, and say so."""
    n_kept = int(share * len(text))
    return Finished(text[:n_kept] + CUT_OFF, n_kept, "truncated")


def broken_json(text: str, share: float) -> Finished:
    """Break a text: JSON loses a mark, about `share` of the way in; other text comes in JSON that breaks off."""
    if not _is_json(text):
        n_kept = int((0.2 + 0.6 * share) * len(text))
        quoted = json.dumps({"result": text[:n_kept]}, ensure_ascii=False)
        return Finished(quoted.removesuffix('"}'), n_kept, "malformed_response")
    first = int(share * len(text))
    for place in [*range(first, len(text)), *range(first)]:
        broken = text[:place] + text[place + 1 :]
        if text[place] in ",:{}[]" and not _is_json(broken):
            return Finished(broken, len(text), "malformed_response")
    return Finished(f"{text},", len(text), "malformed_response")


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
