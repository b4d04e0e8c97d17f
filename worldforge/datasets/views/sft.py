"""Fine-tuning on whole trajectories: messages and tools as list<JSON>, arguments as objects.

Conversations end with the last turn that is to be learnt; a trajectory without one is left out. What tools bring is
never to be learnt: a model that did would learn a fiction by heart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from worldforge.datasets.conversations import (
    HEAD,
    MESSAGES,
    TAIL,
    UNLEARNT,
    LabelledConversation,
    build_table,
    carry_columns,
    json_lists,
    read_learnable,
    write_message,
    written_tools,
)
from worldforge.datasets.view import REPOSITORY, DatasetView, ExportContext, Snippet

_TRL = f'''\
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer


def parted(row):
    """Learn turns from the first that follows the last one with `loss: false`; what comes before is read alone."""
    learnt = [message.get("loss") for message in row["messages"]]
    start = learnt.index(True, len(learnt) - learnt[::-1].index(False) if False in learnt else 0)
    return {{"prompt": row["messages"][:start], "completion": row["messages"][start:]}}


rows = load_dataset("{REPOSITORY}", "sft", split="train")
train = rows.map(parted, remove_columns=["messages"])
arguments = SFTConfig(assistant_only_loss=True)  # what tools bring is never learnt
SFTTrainer(model="Qwen/Qwen3-0.6B", args=arguments, train_dataset=train).train()
'''
_AXOLOTL = f"""\
datasets:
  - path: {REPOSITORY}
    name: sft
    type: chat_template
    field_messages: messages
    field_tools: tools
    message_field_training: loss
    roles_to_train: [assistant]
    train_on_eos: turn
"""


def _tables(portions: Iterable[pa.Table], context: ExportContext) -> Iterator[pa.Table]:
    for table in portions:
        rows, conversations = read_learnable(table)
        kept = carry_columns(table, rows, context, "tools")
        own = {
            "messages": json_lists([_written(conversation) for conversation in conversations]),
            "tools": json_lists([written_tools(tools) for tools in kept["tools"].to_pylist()]),
            "n_unlearnt": [conversation.n_unlearnt for conversation in conversations],
        }
        yield build_table(VIEW.schema, kept, own, context)


def _written(conversation: LabelledConversation) -> list[str]:
    return [
        write_message(message, learnt if message.role == "assistant" else None)
        for message, learnt in zip(conversation.messages, conversation.learnt, strict=True)
    ]


VIEW = DatasetView(
    name="sft",
    readers="TRL, Axolotl, ms-swift, prime-rl (datasets 4.7 or newer)",
    takes="trajectories",
    columns=[
        *HEAD,
        (
            "messages",
            MESSAGES,
            "the conversation, an object a message; `loss` says which assistant's turns are to be learnt",
        ),
        ("tools", MESSAGES, "the tools, an OpenAI function schema each"),
        UNLEARNT,
        *TAIL,
    ],
    tables=_tables,
    imitated=True,
    leaves_out="they have no turn that is to be learnt",
    loading=(
        Snippet("TRL", "python", _TRL),
        Snippet("Axolotl", "yaml", _AXOLOTL),
        Snippet("ms-swift", "shell", f"swift sft --use_hf true --dataset {REPOSITORY}:sft --model Qwen/Qwen3-0.6B"),
    ),
)
