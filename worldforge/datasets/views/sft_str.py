"""Fine-tuning on whole trajectories, for plain readers and `datasets` before 4.7: structs, and JSON in strings."""

from __future__ import annotations

import pyarrow as pa

from worldforge.datasets.conversations import Columns, Rows, read_learnable, trajectory_view
from worldforge.datasets.view import ExportContext
from worldforge.rollouts.trajectory import MESSAGE


def _rows(table: pa.Table, _context: ExportContext) -> tuple[Rows, Columns]:
    rows, conversations = read_learnable(table)
    written = table["messages"].take(pa.array(rows, pa.int64())).to_pylist()
    return rows, {
        "messages": [one[: len(cut.messages)] for one, cut in zip(written, conversations, strict=True)],
        "loss_mask": [list(conversation.learnt) for conversation in conversations],
        "n_unlearnt": [conversation.n_unlearnt for conversation in conversations],
    }


VIEW = trajectory_view(
    "sft_str",
    "any reader of structs and strings (datasets before 4.7)",
    {
        "messages": pa.list_(MESSAGE),
        "tools": pa.string(),
        "loss_mask": pa.list_(pa.bool_()),
        "n_unlearnt": pa.int32(),
    },
    _rows,
    imitated=True,
    leaves_out="they have no turn that is to be learnt",
)
