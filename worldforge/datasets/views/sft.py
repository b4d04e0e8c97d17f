"""Fine-tuning on whole trajectories: messages and tools as list<JSON>, arguments as objects.

Conversations end with the last turn that is to be learnt; a trajectory without one is left out. What tools bring is
never to be learnt: a model that did would learn a fiction by heart.
"""

from __future__ import annotations

import pyarrow as pa

from worldforge.datasets.conversations import (
    MESSAGES,
    Columns,
    LabelledConversation,
    Rows,
    json_lists,
    json_tools,
    read_learnable,
    trajectory_view,
    write_message,
)
from worldforge.datasets.view import ExportContext


def _rows(table: pa.Table, _context: ExportContext) -> tuple[Rows, Columns]:
    rows, conversations = read_learnable(table)
    return rows, {
        "messages": json_lists([_written(conversation) for conversation in conversations]),
        "tools": json_tools(table, rows),
        "n_unlearnt": [conversation.n_unlearnt for conversation in conversations],
    }


def _written(conversation: LabelledConversation) -> list[str]:
    return [
        write_message(message, learnt if message.role == "assistant" else None)
        for message, learnt in zip(conversation.messages, conversation.learnt, strict=True)
    ]


VIEW = trajectory_view(
    "sft",
    "TRL, Axolotl, ms-swift, prime-rl (datasets 4.7 or newer)",
    {"messages": MESSAGES, "tools": MESSAGES, "n_unlearnt": pa.int32()},
    _rows,
    imitated=True,
    leaves_out="they have no turn that is to be learnt",
)
