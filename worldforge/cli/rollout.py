"""`worldforge rollout`: an agent searches, trajectories are written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from worldforge.cli.options import embedder_option, engine_options, json_option, own_environment_option, world_argument
from worldforge.cli.rank_options import describe_share, rank_options
from worldforge.cli.show import print_json, progress, say, seconds, table

if TYPE_CHECKING:
    from worldforge.core.rank_shards import Part
    from worldforge.core.worker_pool import Engine
    from worldforge.rollouts.estimate import RolloutEstimate
    from worldforge.rollouts.run import RunSummary
    from worldforge.rollouts.tally import Tally

_POSITIVE = click.IntRange(1)
_LIMIT = click.IntRange(0)
_SEED = click.IntRange(0, 2**63 - 1)


def steps_of(context: click.Context, option: click.Parameter, text: str | None) -> int | Literal["task"] | None:
    """Read what `--max-steps` takes: a number, or `task`."""
    if text is None or text == "task":
        return None if text is None else "task"
    if not (text.isascii() and text.isdecimal() and int(text) > 0):
        raise click.BadParameter(f"{text!r} is neither a number from 1 nor `task`", context, option)
    return int(text)


@click.command()
@world_argument
@click.option("--agent", help="Who searches: `oracle`, `noisy-oracle`, a model's address, `team:` and an address.")
@click.option(
    "--environment",
    default="search",
    show_default=True,
    help="Which tools: `search`, `database` (MCP tools over the world's tables), or yours: `module:Class`.",
)
@click.option(
    "--dialect",
    help="How tools are called: agentworld, widesearch, plain; `NAME+TOOL` adds a tool. Default: agentworld.",
)
@click.option("--world-model", help="Address of the model that words what tools bring. Default: the engine does.")
@click.option("--drafts", type=_POSITIVE, default=3, show_default=True, help="Drafts before the engine words it.")
@click.option("--controls", help="`mild`, `harsh`, `curriculum`, or a YAML file. Default: none.")
@click.option(
    "--trials", type=_POSITIVE, help="Episodes a task; more than a run has are added. Default: as the spec says."
)
@click.option("--first-trial", type=_LIMIT, default=0, show_default=True, help="The number of the first of them.")
@click.option("--seed", type=_SEED, default=0, show_default=True, help="What chance follows, beside the world's seed.")
@click.option("--limit", type=_POSITIVE, help="Play only the first tasks.")
@click.option(
    "--max-steps",
    callback=steps_of,
    metavar="N|task",
    help="Tool calls an episode may take; `task`: 50, or twice the oracle's if more. Default: as the spec says.",
)
@click.option("--max-tokens", type=_LIMIT, default=0, help="Tokens an agent may write in an episode. 0: no limit.")
@click.option("--context-tokens", type=_LIMIT, default=0, help="Tokens an agent holds in mind. 0: all its model can.")
@click.option("--concurrency", type=_POSITIVE, help="Episodes under way at once in one process.")
@click.option("--time-budget", type=click.FloatRange(0, min_open=True), help="Seconds; then no episode is begun.")
@click.option(
    "--token-budget", type=_POSITIVE, help="Tokens of all models; an episode begins while they are likely to last."
)
@click.option("--run", help="The run's name. Default: after the agent and the environment.")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    help="Where runs go, each into a folder of its name, and what models word. Default: WORLD/trajectories, WORLD.",
)
@click.option(
    "--resume",
    type=click.Choice(["auto", "never", "require"]),
    default="auto",
    show_default=True,
    help="Go on with a run of that name where there is one; never; or fail where there is none.",
)
@click.option("--retry-failed", is_flag=True, help="Play again the episodes that failed.")
@click.option("--dry-run", is_flag=True, help="Play nothing: say what is left, and what it takes by the last sample.")
@click.option(
    "--sample", type=_POSITIVE, help="Play so many of the episodes, spread over the run; say what the rest takes."
)
@own_environment_option
@engine_options
@rank_options
@embedder_option
@json_option
def command(
    world: Path,
    agent: str | None,
    environment: str,
    dialect: str | None,
    world_model: str | None,
    drafts: int,
    controls: str | None,
    trials: int | None,
    first_trial: int,
    seed: int,
    limit: int | None,
    max_steps: int | Literal["task"] | None,
    max_tokens: int,
    context_tokens: int,
    concurrency: int | None,
    time_budget: float | None,
    token_budget: int | None,
    run: str | None,
    out: Path | None,
    resume: Literal["auto", "never", "require"],
    retry_failed: bool,
    dry_run: bool,
    sample: int | None,
    engine: Engine,
    part: Part | None,
    as_json: bool,
) -> None:
    """Let an agent loose on the tasks of WORLD. Goes on where an earlier run of that name was stopped.

    A model's address is `vllm:NAME-OR-FOLDER`, `openai:NAME@URL`, or the name of a profile; see docs/models.md.
    """
    from dataclasses import asdict

    from worldforge.entry_points.rollout import estimate_rollout, rollout
    from worldforge.rollouts.environments import settings_from
    from worldforge.rollouts.sitting import Budget
    from worldforge.world.world import open_world

    if dry_run and sample is not None:
        raise click.UsageError("`--dry-run` plays nothing, `--sample` does: give one of them")
    budgets = {"--time-budget": time_budget, "--token-budget": token_budget}
    if (dry_run or sample) and any(budgets.values()):
        raise click.UsageError("an estimate is of a whole run: leave the budgets out")
    with progress() as shown:
        options: dict[str, Any] = {
            "agent": agent,
            "environment": settings_from(environment, dialect, controls, world_model, drafts),
            "trials": trials,
            "first_trial": first_trial,
            "seed": seed,
            "max_steps": max_steps,
            "max_tokens": max_tokens,
            "context_tokens": context_tokens,
            "concurrency": concurrency,
            "engine": engine,
            "limit": limit,
            "run": run,
            "out": out,
            "resume": resume,
            "retry_failed": retry_failed,
            "part": part,
            "progress": shown,
        }
        if dry_run or sample is not None:
            estimate = estimate_rollout(open_world(world), sample=sample or 0, **options)
        else:
            summary = rollout(open_world(world), budget=Budget(time_budget, token_budget), **options)
    if dry_run or sample is not None:
        print_json(asdict(estimate)) if as_json else describe_estimate(estimate)
        return
    if as_json:
        print_json(as_data(summary))
    else:
        describe(summary)
    if not describe_share(part):
        check_complete(summary)


def describe_estimate(estimate: RolloutEstimate) -> None:
    """Tell a person where a run stands, and what the rest of it takes."""
    n_played, sample = estimate.n_episodes - estimate.n_left, estimate.sample
    s = "s" if estimate.n_workers > 1 else ""
    say(f"{estimate.folder}: {n_played:,} of {estimate.n_episodes:,} episodes on record, {estimate.n_left:,} to play")
    say(f"{estimate.n_workers:,} worker{s}, at most {estimate.n_at_once:,} episodes at once")
    for what, address in (("agent", estimate.agent), ("world model", estimate.world_model)):
        if address:
            say(f"{what}: {address}")
    if sample is None or estimate.seconds is None:
        say("what they take is not known: `--sample 16` plays 16 of them and measures")
        return
    n, cached = sample.n_episodes, sample.cached_tokens / max(sample.prompt_tokens, 1)
    at_once = sample.seconds / max(sample.wall_s, 1e-9)
    say(f"measured: {n:,} episodes of {seconds(sample.seconds / n)}, {at_once:.1f} at once")
    say(
        f"each: {sample.prompt_tokens / n:,.0f} tokens read, {cached:.0%} of them from the prefix cache, "
        f"{sample.completion_tokens / n:,.0f} written"
    )
    least, most = estimate.seconds
    say(
        f"the rest: {estimate.prompt_tokens:,} tokens read, {estimate.completion_tokens:,} written, "
        f"{seconds(least)} to {seconds(most)}"
    )
    if estimate.gpu_hours is None:
        say("GPU hours are not known: `?gpus=8` in a server's address says how many GPUs it has")
    elif estimate.n_gpus:
        say(f"{estimate.gpu_hours[0]:,.2f} to {estimate.gpu_hours[1]:,.2f} GPU hours on {estimate.n_gpus:,} GPUs")


def check_complete(summary: RunSummary) -> None:
    """Raise PartialError where episodes failed, or were set aside: they are on record, with their reasons."""
    from worldforge.core.errors import PartialError
    from worldforge.rollouts.run import QUARANTINE
    from worldforge.rollouts.set_aside import SET_ASIDE

    aside = f"{summary.n_set_aside:,} episodes were set aside: the controls make them unsolvable"
    if summary.tally.n_failed:
        raise PartialError(
            f"{summary.tally.n_failed:,} of {summary.tally.n_episodes:,} episodes failed"
            + (f"; {aside}" if summary.n_set_aside else ""),
            f"{summary.folder / QUARANTINE} says why; `--retry-failed` plays them again",
        )
    if summary.n_set_aside:
        raise PartialError(
            aside,
            f"{summary.folder / SET_ASIDE} says which, and why; where too many are, lower the rates of the controls, "
            "or allow more calls with `--max-steps`",
        )


def as_data(summary: RunSummary) -> dict[str, object]:
    """Give a run as JSON values."""
    from dataclasses import asdict

    return asdict(summary)


def describe(summary: RunSummary) -> None:
    """Tell a person what came of a run."""
    config, counted = summary.config, summary.tally
    say(
        f"{config.agent}: {counted.n_episodes:,} episodes over {config.n_tasks:,} tasks, {counted.n_failed:,} failed, "
        f"{counted.n_tool_calls:,} tool calls, {counted.n_pages_opened:,} pages opened"
    )
    scores = counted.scores
    say(f"mean item F1 {scores['item_f1']:.3f}, row F1 {scores['row_f1']:.3f}, success {scores['success']:.3f}")
    say(f"mean coverage {scores['coverage']:.3f}, {scores['efficiency']:.2f} gold cells seen a tool call")
    if counted.n_completion_tokens:
        say(f"agent: {counted.n_prompt_tokens:,} tokens read, {counted.n_completion_tokens:,} written")
    if config.world_model:
        say(f"world model: {config.world_model}")
        say(table(["rate", "", ""], _rates(counted)))
        for reason, times in summary.unavailable.items():
            say(f"unavailable {times:,} times: {reason}")
    if counted.controls:
        touched = ", ".join(f"{name} {times:,}" for name, times in counted.controls.items())
        say(f"controls: {touched}; {counted.n_altered:,} facts shown wrong or out of date")
    say(f"{summary.folder}  ({summary.n_played:,} episodes played in {seconds(summary.wall_s)})")


def _rates(counted: Tally) -> list[list[str]]:
    """Lay out how observations were worded."""
    rates, wording = counted.rates, counted.wording
    drafts, rendered = f"of {wording.n_drafts:,} drafts", f"of {wording.n_rendered:,} observations"
    return [
        ["leaking", f"{rates.leaking:.1%}", drafts],
        ["contradicting", f"{rates.contradicting:.1%}", drafts],
        ["hallucinated", f"{rates.hallucinated:.1%}", drafts],
        ["refused otherwise", f"{rates.refused_otherwise:.1%}", drafts],
        ["fallback", f"{rates.fallback:.1%}", rendered],
        ["unavailable", f"{rates.unavailable:.1%}", rendered],
        ["from the store", f"{rates.stored:.1%}", rendered],
        ["tokens read", f"{rates.prompt_tokens_per_step:,.0f}", "a tool call"],
        ["tokens written", f"{rates.completion_tokens_per_step:,.0f}", "a tool call"],
        ["seconds of waiting", f"{rates.seconds_per_step:.2f}", "a tool call"],
    ]
