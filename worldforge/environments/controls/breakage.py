"""What faults do: errors in the place of answers, items missing from lists and batches, texts cut or broken."""

from __future__ import annotations

import json
from dataclasses import replace

from worldforge.environments.control import Finished
from worldforge.environments.controls.plan import ErrorKind
from worldforge.environments.requests import (
    CreateRequest,
    DeleteRequest,
    GetRequest,
    Request,
    SearchRequest,
    UpdateRequest,
)
from worldforge.environments.views import ErrorView, Failure, RecordsView, SearchView, View

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


def n_items(request: Request) -> int:
    """Return how many items a request is a batch of."""
    match request:
        case SearchRequest(queries):
            return len(queries)
        case GetRequest(_, ids) | DeleteRequest(_, ids):
            return len(ids)
        case UpdateRequest():
            return len(request.ids)
        case CreateRequest(_, records):
            return len(records)
    return 1


def without_items(request: Request, failing: tuple[int, ...]) -> tuple[Request, tuple[Failure, ...]]:
    """Take the failing items out of a batch of records, before anything is done: the rest, and the failures."""
    match request:
        case GetRequest(_, ids) | DeleteRequest(_, ids) | UpdateRequest(_, ids):
            left = tuple(id_ for number, id_ in enumerate(ids) if number not in failing)
            return replace(request, ids=left), tuple(_failure(ids[number]) for number in failing)
        case CreateRequest(_, records):
            kept = tuple(record for number, record in enumerate(records) if number not in failing)
            return replace(request, records=kept), tuple(_failure(f"records.{number}") for number in failing)
    return request, ()


def without_blocks(view: SearchView, failing: tuple[int, ...]) -> SearchView:
    """Let queries of a batch fail."""
    return SearchView(
        tuple(
            block._replace(results=(), more=False, error="server_error", message=_ITEM_FAILED)
            if number in failing
            else block
            for number, block in enumerate(view.blocks)
        )
    )


def first_items(view: View, share: float) -> View:
    """Return a list with only the first share of its items, at least one."""
    match view:
        case SearchView(blocks):
            kept = [block.results[: max(1, int(share * len(block.results)))] for block in blocks]
            return SearchView(tuple(b._replace(results=results) for b, results in zip(blocks, kept, strict=True)))
        case RecordsView():
            return replace(view, records=view.records[: max(1, int(share * len(view.records)))])
    return view


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


def _failure(item: str) -> Failure:
    return Failure(item, "server_error", _ITEM_FAILED)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
