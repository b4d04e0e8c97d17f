"""Fine-tuning on whole trajectories, for plain readers and `datasets` before 4.7: structs, and JSON in strings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from worldforge.datasets.conversations import HEAD, TAIL, UNLEARNT, build_table, carry_columns, read_learnable
from worldforge.datasets.view import DatasetView, ExportContext
from worldforge.rollouts.messages import MESSAGE


def _tables(portions: Iterable[pa.Table], context: ExportContext) -> Iterator[pa.Table]:
    for table in portions:
        rows, conversations = read_learnable(table)
        kept = carry_columns(table, rows, context, "tools")
        said = table["messages"].take(pa.array(rows, pa.int64())).to_pylist()
        own = {
            "messages": [one[: len(cut.messages)] for one, cut in zip(said, conversations, strict=True)],
            "loss_mask": [list(conversation.learnt) for conversation in conversations],
            "n_unlearnt": [conversation.n_unlearnt for conversation in conversations],
        }
        yield build_table(VIEW.schema, kept, own, context)


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
