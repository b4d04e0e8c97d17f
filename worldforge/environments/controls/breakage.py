"""What faults do: errors in the place of answers, items of batches that fail, texts cut or broken."""

from __future__ import annotations

import json

from worldforge.environments.control import Finished
from worldforge.environments.controls.plan import ErrorKind
from worldforge.environments.requests import ToolRequest
from worldforge.environments.views import ErrorView, Failure

CUT_OFF = "… [response truncated: connection closed]"
_SAID: dict[ErrorKind, str] = {
    "rate_limited": "Error: 429 Too Many Requests. Wait a moment and try again.",
    "server_error": "Error: 500 Internal Server Error. Try again.",
    "timeout": "Error: the request timed out. Try again.",
}
_ITEM_FAILED = "Error: 503 Service Unavailable for this one of the batch. Try again."


def error_view(error: ErrorKind) -> ErrorView:
    """Return what a call that fails as a whole brings."""
    return ErrorView(error, _SAID[error])


def failures_of(request: ToolRequest, failing: tuple[int, ...]) -> tuple[Failure, ...]:
    """Say of the failing items of a batch that they failed."""
    return tuple(Failure(request.items[number], "server_error", _ITEM_FAILED) for number in failing)


def cut_off(text: str, share: float) -> Finished:
    """Cut a text after a share of it, and say so."""
    n_kept = int(share * len(text))
    return Finished(text[:n_kept] + CUT_OFF, n_kept, "truncated")


def broken_json(text: str, share: float) -> Finished:
    """Break a text: JSON loses a mark, about `share` of the way in; other text comes in JSON that breaks off."""
    try:
        json.loads(text)
    except ValueError:
        n_kept = int((0.2 + 0.6 * share) * len(text))
        quoted = json.dumps({"result": text[:n_kept]}, ensure_ascii=False)
        return Finished(quoted.removesuffix('"}'), n_kept, "malformed_response")
    for place in [*range(int(share * len(text)), len(text)), *range(int(share * len(text)))]:
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
