"""Tokens a second through the models room, beside a bare script that drives the same vLLM engine.

    python -m benchmarks.models --conversations 64 --turns 8

Both hold the same conversations with one engine, by turns: every conversation on its own clock, as many tokens written
at most each turn. The bare script appends to each conversation's tokens by hand, without a chat template, a parser or a
message: it is the ceiling. The model is tiny and random, so that what a request costs besides the model weighs as much
as it ever can.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "2")

from tiny_model import make_tiny_model

from worldforge.models.chat import Message, Request, Sampling
from worldforge.models.model_address import ModelAddress
from worldforge.models.model_pool import open_model

SYSTEM = "You search a web of pages, and answer with a table. " * 12
OBSERVATION = "[{turn}] https://kalo.example/{turn}\nTitle: Town {turn}\nSnippet: founded in {year}, a harbour. " * 8
_NAMES = itertools.count()


def observation(conversation: int, turn: int) -> str:
    return OBSERVATION.format(turn=f"{conversation}-{turn}", year=1000 + conversation + turn)


async def through_models(model: Any, conversation: int, n_turns: int, n_tokens: int, seed: int) -> int:
    """Hold one conversation as an agent does; return how many tokens were written."""
    messages: tuple[Message, ...] = (Message("system", SYSTEM),)
    written = 0
    for turn in range(n_turns):
        messages += (Message("user", f"{seed}: {observation(conversation, turn)}"),)
        reply = await model.reply(Request(messages, sampling=Sampling(1.0, 1.0, 0, max_tokens=n_tokens)))
        written += reply.usage.completion
        messages += (Message("assistant", reply.text),)
    return written


async def bare(engine: Any, tokenizer: Any, conversation: int, n_turns: int, n_tokens: int, seed: int) -> int:
    """Hold the same conversation with the engine itself; return how many tokens were written."""
    from vllm import SamplingParams
    from vllm.sampling_params import RequestOutputKind

    parameters = SamplingParams(
        temperature=1.0, top_p=1.0, top_k=0, max_tokens=n_tokens, output_kind=RequestOutputKind.FINAL_ONLY
    )
    ids = list(tokenizer.encode(f"<|im_start|>system\n{SYSTEM}<|im_end|>\n", add_special_tokens=False))
    written = 0
    for turn in range(n_turns):
        asked = f"<|im_start|>user\n{seed}: {observation(conversation, turn)}<|im_end|>\n<|im_start|>assistant\n"
        ids += tokenizer.encode(asked, add_special_tokens=False)
        prompt = {"type": "token", "prompt_token_ids": list(ids)}
        async for output in engine.generate(prompt, parameters, f"bare-{next(_NAMES)}"):
            last = output
        wrote = list(last.outputs[0].token_ids)
        written += len(wrote)
        ids += wrote if last.outputs[0].finish_reason == "length" else wrote[:-1]
        ids += tokenizer.encode("<|im_end|>\n", add_special_tokens=False)
    return written


async def rate(n: int, converse: Callable[[int], Awaitable[int]]) -> tuple[float, float]:
    """Hold `n` conversations at once; return tokens a second, and CPU seconds of this process a thousand tokens."""
    start, cpu = time.perf_counter(), time.process_time()
    written = sum(await asyncio.gather(*(converse(number) for number in range(n))))
    return written / (time.perf_counter() - start), (time.process_time() - cpu) / written * 1e3


async def measure(chosen: argparse.Namespace, folder: Path) -> None:
    address = ModelAddress.parse(f"vllm:{folder}?enforce_eager=true&max_num_seqs=256&tool_parser=hermes")
    async with open_model(address) as model:
        engine: Any = model._engine  # type: ignore[attr-defined]
        tokenizer = engine.get_tokenizer()
        n, turns, tokens = chosen.conversations, chosen.turns, chosen.tokens
        ways: dict[str, Callable[[int, int], Awaitable[int]]] = {
            "bare": lambda number, seed: bare(engine, tokenizer, number, turns, tokens, seed),
            "models": lambda number, seed: through_models(model, number, turns, tokens, seed),
        }
        found: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
        for seed in range(chosen.rounds + 1):
            for name, way in ways.items():
                await engine.reset_prefix_cache()
                once = await rate(n, lambda number, way=way, seed=seed: way(number, seed))
                if seed:  # the first round warms up
                    found[name].append(once)
                    print(f"{name:8} {once[0]:8,.0f} tokens/s   {once[1] * 1e3:6.0f} CPU ms a 1,000 tokens", flush=True)
        ratios = [ours[0] / theirs[0] for ours, theirs in zip(found["models"], found["bare"], strict=True)]
        print(f"models beside bare, tokens/s: {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--conversations", type=int, default=64)
    parser.add_argument("--turns", type=int, default=8)
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(chosen, make_tiny_model(Path(folder) / "tiny", context_tokens=16_384)))


if __name__ == "__main__":
    main()
