"""Count the tokens of conversations with a named tokenizer.

    open_tokenizer("Qwen/Qwen3-8B").count(table)          int32, one a row

With a chat template the conversation is counted as a trainer would see it: messages and tools as the template writes
them. Without one, its texts are: thoughts, words, calls, observations, a line end between them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from worldforge.core.errors import InputError
from worldforge.datasets.conversations import read_messages, write_message, written_tools
from worldforge.datasets.selection.selection_report import TokenizerRecord
from worldforge.models.chat import Message

COLUMNS = ("messages", "tools")
"""The columns that a count reads."""

N_TOKENS = pa.field("n_tokens", pa.int32())


class Tokenizer:
    """Counts tokens. `core` is a `tokenizers.Tokenizer`; `templated`, where there is one, has the chat template."""

    def __init__(self, name: str, core: Any, templated: Any = None) -> None:
        core.no_truncation()
        core.no_padding()
        self._core, self._templated = core, templated
        template = templated.chat_template if templated is not None else ""
        parts = [core.to_str(), template if isinstance(template, str) else json.dumps(template, sort_keys=True)]
        self.record = TokenizerRecord(
            name=_public(name),
            sha256=hashlib.sha256("\0".join(parts).encode()).hexdigest(),
            has_template=templated is not None,
        )

    def count(self, table: pa.Table) -> npt.NDArray[np.int32]:
        """Count the tokens of the conversation in each row of a table with `COLUMNS`."""
        conversations = read_messages(table["messages"])
        write = self._templated_text if self._templated is not None else _plain_text
        texts = [
            write(messages, tools) for messages, tools in zip(conversations, table["tools"].to_pylist(), strict=True)
        ]
        encoded = self._core.encode_batch_fast(texts, add_special_tokens=self._templated is None)
        return np.fromiter(map(len, encoded), np.int32, len(texts))

    def _templated_text(self, messages: Sequence[Message], tools: str) -> str:
        from jinja2 import TemplateError

        chat = [json.loads(write_message(message)) for message in messages]
        schemas = [json.loads(tool) for tool in written_tools(tools)] or None
        try:
            return str(self._templated.apply_chat_template(chat, tools=schemas, tokenize=False))
        except (TemplateError, TypeError) as error:
            raise InputError(
                f"the chat template of `{self.record.name}` cannot write a conversation: {error}",
                "name its tokenizer.json instead: texts are counted then, without a template",
            ) from error


def open_tokenizer(name: str) -> Tokenizer:
    """Open a tokenizer: a tokenizer.json, a folder that has one, a name on the Hub.

    Raises InputError where it cannot be read, and where the libraries that read it are not installed.
    """
    try:
        from tokenizers import Tokenizer as Core
        from transformers import AutoTokenizer
    except ImportError as error:
        raise InputError(
            f"tokens are counted with `{error.name}`, which is not installed", "install worldforge[tokens]"
        ) from error
    path = Path(name)
    try:
        if path.is_file():
            return Tokenizer(name, Core.from_file(str(path)))
        read = AutoTokenizer.from_pretrained(name, local_files_only=path.is_dir(), trust_remote_code=False)
        return Tokenizer(name, read.backend_tokenizer, read if read.chat_template else None)
    except Exception as error:  # `tokenizers` raises no narrower one
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(
            f"the tokenizer `{name}` cannot be read: {reason}", "name a tokenizer.json, a folder or a Hub name"
        ) from error


def _plain_text(messages: Sequence[Message], _tools: str) -> str:
    texts = []
    for message in messages:
        calls = [f"{call.name} {call.arguments}" for call in message.tool_calls]
        texts += [message.reasoning, message.content, *calls]
    return "\n".join(filter(None, texts))


def _public(name: str) -> str:
    """Return a name that says nothing of the machine: a path's last part, a Hub name as it is."""
    path = Path(name)
    if path.is_file():
        return f"{path.resolve().parent.name}/{path.name}"
    return path.resolve().name if path.exists() else name
