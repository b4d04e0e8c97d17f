"""Speed of rollouts: beside a bare script that steps the same vLLM engine over the same conversations, and scripted.

    python -m benchmarks.rollout [--tasks 24] [--concurrency 24] [--rounds 3]

A tiny random model writes the words of an agent at the quickstart world's tasks; since it knows no tools, a search of
the world is put after each of its first turns. Every prompt that reached the engine is kept, with its sampling. The
bare script then sends the same prompts to the same engine, one conversation's in turn, and does nothing else. Each
reply is WRITTEN tokens, the likeliest each time: both write the same, and find as much of it in the prefix cache when
it stands in the next prompt. That cache is emptied before each run; rollout and script alternate.
"""

import argparse
import asyncio
import json
import resource
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.tiny_model import make_tiny_model
from worldforge.entry_points.build_world import build
from worldforge.models.chat import Reply, Request, ToolCall
from worldforge.models.model_address import ModelAddress
from worldforge.models.model_pool import open_model
from worldforge.models.request_meter import RequestMeter
from worldforge.rollouts.agents import agent_named
from worldforge.rollouts.config import RunConfig
from worldforge.rollouts.environments import EnvironmentSettings, settings_from
from worldforge.rollouts.episode_player import RolloutSetup, open_player
from worldforge.rollouts.factories import TaskMentions
from worldforge.rollouts.run_monitor import EpisodeUsage
from worldforge.rollouts.trials import Trial, trials_of
from worldforge.schema.spec_loader import load_spec
from worldforge.world.world import World, open_world

WRITTEN = 64
TURNS = 4  # of ten search results each: some 1,500 tokens of the tiny model's


class Led:
    """A model whose words are the engine's, and whose tool calls are written here: TURNS of them, then an answer."""

    def __init__(self, model: Any, words: list[str]) -> None:
        self._model, self._words = model, words

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    async def reply(self, request: Request) -> Reply:
        """Let the engine write, and put a call or an answer in place of what it wrote."""
        reply = await self._model.reply(replace(request, tools=(), structure=None))
        turn = sum(message.role == "assistant" for message in request.messages)
        if turn >= TURNS:
            return replace(reply, text="| Town |\n| --- |\n| none |", tool_calls=(), finish="stop")
        words = self._words[hash(request.messages[1].content) % len(self._words) - turn]
        call = ToolCall(f"call_{turn}", "web_search", json.dumps({"query": words}))
        return replace(reply, tool_calls=(call,), finish="tool_calls")


class Kept:
    """An engine that keeps what it is asked to generate, by the player that asked, and writes on to the limit."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine
        self.asked: dict[int, list[tuple[Any, Any, dict[str, Any]]]] = defaultdict(list)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    async def generate(self, prompt: Any, parameters: Any, request: str, **rest: Any) -> AsyncIterator[Any]:
        """Keep the request, and pass it on."""
        parameters.ignore_eos = True
        self.asked[id(asyncio.current_task())].append((prompt, parameters, rest))
        async for output in self._engine.generate(prompt, parameters, request, **rest):
            yield output


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tasks", type=int, default=24)
    parser.add_argument("--concurrency", type=int, default=24)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        build(load_spec("quickstart", []), folder / "world")
        world = open_world(folder / "world")
        scripted(world, 4)
        address = tiny_address(folder)
        asyncio.run(beside_bare(world, address, arguments.tasks, arguments.concurrency, arguments.rounds))


def tiny_address(folder: Path) -> str:
    """Make a tiny random model in `folder`; return its address."""
    settings = f"enforce_eager=true&tool_parser=hermes&max_tokens={WRITTEN}&temperature=0"
    return f"vllm:{make_tiny_model(folder / 'tiny')}?{settings}"


def scripted(world: World, trials: int) -> None:
    """Print the rates of scripted agents, the engine wording what they see."""
    for agent, controls in (("oracle", None), ("oracle", "harsh"), ("noisy-searcher", "mild")):
        environment = settings_from("search", None, controls, None, 1)
        setup = setup_of(world, agent, environment, trials, 16)
        started = time.process_time()
        usage = asyncio.run(play(setup, trials_of(world.tasks, trials)))
        rate = usage.n_tool_calls / (time.process_time() - started)
        print(f"{agent}, controls {controls or 'none'}: {rate:,.0f} tool calls a CPU s, scoring and rows among them")


async def beside_bare(world: World, address: str, tasks: int, concurrency: int, rounds: int) -> float:
    """Print tokens a second of rollouts and of the bare script, run by turns on one engine; return their median ratio.

    `address` is that of a model that this process opens: `tiny_address` gives one.
    """
    async with open_model(ModelAddress.parse(address)) as model:
        engine = model._engine  # type: ignore[attr-defined]
        led = Led(model, world.entities("town")["name"].to_pylist())
        setup = setup_of(world, address, EnvironmentSettings(), 1, concurrency, {address: led})
        episodes = trials_of(world.tasks[:tasks], 1)
        await rolled(setup, episodes[:4])  # warms the engine and its grammars
        ratios = []
        for _ in range(rounds):
            model._engine = kept = Kept(engine)  # type: ignore[attr-defined]
            await engine.reset_prefix_cache()
            ours, ours_cpu, n_turns, n_written = await rolled(setup, episodes)
            model._engine = engine  # type: ignore[attr-defined]
            await engine.reset_prefix_cache()
            bare, bare_cpu, n_bare = await replayed(engine, kept)
            ratios.append(ours / bare)
            print(
                f"rollout {ours:,.0f} tokens/s ({ours_cpu:.1f} CPU s of this process), bare {bare:,.0f} "
                f"({bare_cpu:.1f}): {ours / bare:.2f}   {n_turns:,} requests, {n_written:,} and {n_bare:,} tokens"
            )
        print(f"median ratio {statistics.median(ratios):.2f} (target 0.90)")
    return statistics.median(ratios)


async def play(setup: RolloutSetup, trials: list[Trial]) -> EpisodeUsage:
    """Play trials as a worker does, but for what it writes; return what they took."""
    total, slots = EpisodeUsage(), asyncio.Semaphore(setup.concurrency)
    mentions = TaskMentions(setup.world, [trial.task for trial in trials])
    async with open_player(setup, mentions, lambda _words: None, RequestMeter()) as play_trial:

        async def play_one(trial: Trial) -> None:
            async with slots:
                total.add((await play_trial(trial)).usage)

        await asyncio.gather(*map(play_one, trials))
    return total


async def rolled(setup: RolloutSetup, episodes: list[Trial]) -> tuple[float, float, int, int]:
    """Play; return tokens written a second, CPU seconds here, requests made, tokens written."""
    wall, cpu = time.perf_counter(), own_cpu_s()
    usage = await play(setup, episodes)
    rate = usage.completion_tokens / (time.perf_counter() - wall)
    return rate, own_cpu_s() - cpu, usage.n_tool_calls + usage.n_episodes, usage.completion_tokens


async def replayed(engine: Any, kept: Kept) -> tuple[float, float, int]:
    """Send what was kept again, each player's prompts in turn; return what `rolled` does of them."""
    wall, cpu = time.perf_counter(), own_cpu_s()

    async def one(number: int, asked: list[tuple[Any, Any, dict[str, Any]]]) -> int:
        n_tokens = 0
        for turn, (prompt, parameters, rest) in enumerate(asked):
            async for output in engine.generate(prompt, parameters, f"bare-{number}-{turn}", **rest):
                last = output
            n_tokens += len(last.outputs[0].token_ids)
        return n_tokens

    written = await asyncio.gather(*(one(number, asked) for number, asked in enumerate(kept.asked.values())))
    return sum(written) / (time.perf_counter() - wall), own_cpu_s() - cpu, sum(written)


def own_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def setup_of(
    world: World,
    agent: str,
    environment: EnvironmentSettings,
    trials: int,
    concurrency: int,
    given: dict[str, Any] | None = None,
) -> RolloutSetup:
    agents = agent_named(agent, environment)
    config = RunConfig(
        world=world.name,
        world_digest=world.digest,
        world_seed=world.spec.seed,
        agent=agents.name,
        environment=environment.name,
        world_model="",
        controls=environment.controls,
        system_prompt=agents.system_prompt(environment.tools, world.spec.languages[0]),
        n_tasks=len(world.tasks),
        trials=trials,
        max_steps=12 if given else 50,
    )
    return RolloutSetup(world, agents, environment, config, concurrency, given or {})


if __name__ == "__main__":
    main()
