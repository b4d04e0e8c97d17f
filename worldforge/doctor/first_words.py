"""Starts vLLM on a tiny random model in this process, lets it write some tokens, and tells how long that took.

python -m worldforge.doctor.first_words FOLDER          ->  FOLDER/told.json
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from pathlib import Path

TOLD = "told.json"
_N_TOKENS = 8


async def _speak(folder: Path) -> dict[str, float]:
    from worldforge.models.chat import Message, Request, Sampling
    from worldforge.models.model_address import ModelAddress
    from worldforge.models.model_pool import open_model

    began = time.perf_counter()
    async with open_model(ModelAddress.parse(f"vllm:{folder}?enforce_eager=true&max_model_len=256")) as model:
        started = time.perf_counter()
        reply = await model.reply(
            Request((Message("user", "Are you there?"),), sampling=Sampling(max_tokens=_N_TOKENS))
        )
        replied = time.perf_counter()
    if not reply.usage.completion:
        raise RuntimeError("the engine started, and wrote no token")
    return {"start_s": started - began, "reply_s": replied - started, "n_tokens": reply.usage.completion}


def main(folder: Path) -> None:
    """Make the model, start the engine, and write down what came of it: seconds, or why it failed."""
    from worldforge.doctor.tiny_model import make_tiny_model

    try:
        os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "1")
        began = time.perf_counter()
        make_tiny_model(folder / "model")
        made_s = time.perf_counter() - began
        told: dict[str, object] = {"model_s": made_s, **asyncio.run(_speak(folder / "model"))}
    except Exception as error:  # noqa: BLE001 - told to the process that asked
        told = {"error": f"{type(error).__name__}: {' '.join(str(error).split())}"}
    (folder / TOLD).write_text(json.dumps(told), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
