"""Fine-tuning on whole trajectories, for plain readers and `datasets` before 4.7: structs, and JSON in strings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa

from worldforge.datasets.conversations import HEAD, TAIL, UNLEARNT, assembled, carried, learnable_rows, whole
from worldforge.datasets.view import DatasetView, ExportContext
from worldforge.rollouts.messages import MESSAGE


def _tables(portions: Iterable[pa.Table], context: ExportContext) -> Iterator[pa.Table]:
    for table in portions:
        rows, conversations = learnable_rows(table)
        kept = carried(table, rows, context, "tools")
        lists = whole(table["messages"]).take(pa.array(rows, pa.int64()))
        own = {
            "messages": _first_of(lists, [len(conversation.messages) for conversation in conversations]),
            "loss_mask": [list(conversation.learnt) for conversation in conversations],
            "n_unlearnt": [conversation.n_unlearnt for conversation in conversations],
        }
        yield assembled(VIEW.schema, kept, own, context)


def _first_of(lists: pa.ListArray, lengths: Sequence[int]) -> pa.ListArray:
    """Return the first items of each list."""
    starts = lists.offsets.to_numpy()[:-1] - lists.offsets[0].as_py() if len(lists) else np.zeros(0, np.int64)
    indices = [np.arange(start, start + n) for start, n in zip(starts, lengths, strict=True)]
    offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int32)
    items = lists.flatten().take(pa.array(np.concatenate([np.zeros(0, np.int64), *indices])))
    return pa.ListArray.from_arrays(pa.array(offsets), items)


VIEW = DatasetView(
    name="sft_str",
    readers="any reader of structs and strings (datasets before 4.7)",
    takes="trajectories",
    columns=[
        *HEAD,
        (
            "messages",
            pa.list_(MESSAGE),
            "the conversation; arguments of calls are JSON strings, as the agent wrote them",
        ),
        ("tools", pa.string(), "the tools, a JSON list of OpenAI function schemas"),
        ("loss_mask", pa.list_(pa.bool_()), "for each message whether it is to be learnt"),
        UNLEARNT,
        *TAIL,
    ],
    tables=_tables,
    imitated=True,
    leaves_out="they have no turn that is to be learnt",
)
