"""What is on record of each observation beside its text: who worded it, what was done to it, what it showed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from worldforge.environments.session import Observation
from worldforge.models.chat import ToolCall

_DISCLOSED = pa.struct([("page", pa.int32()), ("start", pa.int32()), ("end", pa.int32())])
_ALTERED = pa.struct([("fact", pa.string()), ("shown", pa.string()), ("true", pa.string())])
OBSERVATION = pa.struct(
    [
        ("tool_call_id", pa.string()),
        ("error", pa.string()),
        ("source", pa.string()),
        ("verdict", pa.string()),
        ("refused", pa.list_(pa.string())),
        ("stored", pa.bool_()),
        ("n_drafts", pa.int32()),
        ("prompt_tokens", pa.int32()),
        ("completion_tokens", pa.int32()),
        ("seconds", pa.float64()),
        ("latency_s", pa.float64()),
        ("controls", pa.list_(pa.string())),
        ("altered", pa.list_(_ALTERED)),
        ("disclosed", pa.list_(_DISCLOSED)),
        ("facts", pa.list_(pa.string())),
        ("gold_seen", pa.list_(pa.int32())),
    ]
)
"""One observation on record, fields as in `Observation` and `Rendering`; `seconds` is 0 without a model.

`gold_seen` are the gold cells whose values it showed (row * number of columns + column), see
`environments/coverage.py`; `facts` those that a view without pages names and that were shown.
"""


def observed(pairs: Iterable[tuple[ToolCall, Observation]]) -> list[dict[str, Any]]:
    """Write calls and what they brought as rows of `OBSERVATION`; which gold cells they showed is still to be said."""
    return [
        {
            "tool_call_id": call.id,
            "error": seen.error,
            **{name: value for name, value in seen.rendering._asdict().items() if name not in ("text", "failure")},
            "latency_s": seen.latency_s,
            "controls": list(seen.controls),
            "altered": [{"fact": was.fact, "shown": was.shown, "true": was.true} for was in seen.altered],
            "disclosed": [{"page": part.page, "start": part.start, "end": part.end} for part in seen.disclosed],
            "facts": list(seen.facts),
            "gold_seen": [],
        }
        for call, seen in pairs
    ]
