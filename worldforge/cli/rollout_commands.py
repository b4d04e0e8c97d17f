"""Commands on runs: `rollout` and `rescore`; and the options of a rollout that is split among ranks."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from worldforge.cli.options import (
    FLAG,
    NOT_NEGATIVE,
    POSITIVE,
    SEED,
    combined,
    embedder_option,
    engine_options,
    json_option,
    option,
    out_option,
    own_environment_option,
    runs_options,
    world_argument,
)
from worldforge.cli.printing import list_unfinished, print_summary, progress, say, seconds, table
from worldforge.core.errors import InputError, PartialError
from worldforge.environments.shipped import DEFAULT
from worldforge.rollouts.rank_shards import Merge, Part, RankShard

if TYPE_CHECKING:
    from worldforge.core.progress import Progress
    from worldforge.core.worker_pool import Engine
    from worldforge.entry_points.rescore_runs import RescoreSummary
    from worldforge.rollouts.estimate import RolloutEstimate
    from worldforge.rollouts.run import RunSummary


_MOST_WORDS = 10  # that drafts were refused for are listed
_MEANS = ("item_f1", "row_f1", "success", "coverage")


def _parse_max_steps(context: click.Context, option: click.Parameter, text: str | None) -> int | Literal["task"] | None:
    """Parse a number of steps, or `task`."""
    if text is None or text == "task":
        return None if text is None else "task"
    if not (text.isascii() and text.isdecimal() and int(text) > 0):
        raise click.BadParameter(f"{text!r} is neither a number from 1 nor `task`", context, option)
    return int(text)


_episode_options = combined(
    option("--agent", "Who searches: `oracle`, `noisy-searcher`, a model's address, `team:` and an address."),
    option(
        "--thoughts-model",
        "Address of the model that words a scripted agent's thoughts anew. Default: they stay as they are.",
        default="",
        metavar="ADDRESS",
    ),
    option(
        "--environment",
        "Which tools: `search`, `database` (MCP tools over the world's tables), or yours: `module:Class`.",
        default=DEFAULT,
    ),
    option(
        "--dialect",
        "How tools are called: agentworld, widesearch, plain; `NAME+TOOL` adds a tool. Default: agentworld.",
    ),
    option("--world-model", "Address of the model that words what tools bring. Default: the engine does."),
    option("--drafts", "Drafts before the engine words it.", POSITIVE, default=3),
    option("--controls", "`mild`, `harsh`, `curriculum`, or a YAML file. Default: none."),
    option("--trials", "Episodes a task; more than a run has are added. Default: as the spec says.", POSITIVE),
    option("--first-trial", "The number of the first of them.", NOT_NEGATIVE, default=0),
    option("--seed", "What chance follows, beside the world's seed.", SEED, default=0),
    option("--limit", "Play only the first tasks.", POSITIVE),
    option(
        "--max-steps",
        "Tool calls an episode may take; `task`: 50, or twice the oracle's if more. Default: as the spec says.",
        callback=_parse_max_steps,
        metavar="N|task",
    ),
    option("--max-tokens", "Tokens an agent may write in an episode. 0: no limit.", NOT_NEGATIVE, default=0),
    option("--context-tokens", "Tokens an agent holds in mind. 0: all its model can.", NOT_NEGATIVE, default=0),
)
_run_options = combined(
    option("--concurrency", "Episodes under way at once in one process.", POSITIVE),
    option("--time-budget", "Seconds; then no episode is begun.", click.FloatRange(0, min_open=True)),
    option("--token-budget", "Tokens of all models; an episode begins while they are likely to last.", POSITIVE),
    option("--run", "The run's name. Default: after the agent and the environment."),
    out_option(
        "Where runs go, each into a folder of its name, and what models word. Default: WORLD/trajectories, WORLD."
    ),
    option(
        "--shards",
        "Where workers write the shards: s3://…, gs://…, hf://…, file://… Default: the run's folder.",
        default="",
        metavar="URL",
    ),
    option(
        "--resume",
        "Go on with a run of that name where there is one; never; or fail where there is none.",
        click.Choice(["auto", "never", "require"]),
        default="auto",
    ),
    option("--retry-failed", "Play again the episodes that failed.", FLAG),
    option("--dry-run", "Play nothing: say what is left, and what it takes by the last sample.", FLAG),
    option("--sample", "Play so many of the episodes, spread over the run; say what the rest takes.", POSITIVE),
    own_environment_option,
    engine_options,
    option("--rank", "Do the share of rank R alone, from 0; with --of.", NOT_NEGATIVE, metavar="R"),
    option("--of", "How many ranks the work is split among.", click.IntRange(1, 1_000_000), metavar="N"),
    option("--merge", "Put together what all ranks have done; refuses gaps.", FLAG),
    embedder_option,
)


@click.command("rollout")
@world_argument
@_episode_options
@_run_options
@json_option
def rollout_command(world: Path, dry_run: bool, sample: int | None, as_json: bool, **options: Any) -> None:
    """Let an agent loose on the tasks of WORLD. Goes on where an earlier run of that name was stopped.

    A model's address is `vllm:NAME-OR-FOLDER`, `openai:NAME@URL`, or the name of a profile; with `--engine ray` also
    `ray:NAME?replicas=N`, which Ray serves meanwhile. See docs/models.md.
    """
    from worldforge.entry_points.play_run import estimate_rollout, rollout
    from worldforge.rollouts.environments import settings_from
    from worldforge.rollouts.run_monitor import Budget
    from worldforge.world.world import open_world

    budget = Budget(options.pop("time_budget"), options.pop("token_budget"))
    if dry_run and sample is not None:
        raise click.UsageError("`--dry-run` plays nothing, `--sample` does: give one of them")
    if (dry_run or sample) and budget != Budget():
        raise click.UsageError("an estimate is of a whole run: leave the budgets out")
    part = _part(*(options.pop(name) for name in ("rank", "of", "merge")))
    with progress() as shown, ExitStack() as deployments:
        for name in ("agent", "world_model", "thoughts_model"):
            options[name] = _deployed(options[name], options["workers"], shown, deployments)
        setting = (options.pop(name) for name in ("environment", "dialect", "controls", "world_model", "drafts"))
        options |= {"environment": settings_from(*setting), "part": part}
        if dry_run or sample is not None:
            estimate = estimate_rollout(open_world(world), sample=sample or 0, progress=shown, **options)
        else:
            summary = rollout(open_world(world), budget=budget, progress=shown, **options)
    if dry_run or sample is not None:
        print_summary(estimate, as_json, _describe_estimate)
        return
    print_summary(summary, as_json, describe_run)
    if options["thoughts_model"] and not as_json:
        _describe_thoughts(options["out"] or world)
    if isinstance(part, RankShard):
        say(f"{part} is whole; when all are: the same command with `--merge` in place of `--rank {part.rank}`")
    else:
        _check_all_played(summary)


def _deployed(address: str | None, workers: Engine, shown: Progress, deployments: ExitStack) -> str | None:
    """Serve a model that is at a `ray:` address until `deployments` ends; return where it then is."""
    team, _, rest = (address or "").rpartition("ray:")
    if team not in ("", "team:") or not (address or "").startswith(f"{team}ray:"):
        return address
    if workers.name != "ray":
        raise InputError(f"model `{address}` is to be served by Ray", "add `--engine ray`")
    from worldforge.models.ray_deployment import deployed

    shown.note(f"{workers.workers} workers; starting {rest} on Ray")
    return team + deployments.enter_context(deployed(f"ray:{rest}"))


def _describe_estimate(estimate: RolloutEstimate) -> None:
    """Print where a run stands, and what the rest of it takes."""
    n_played, sample = estimate.n_episodes - estimate.n_left, estimate.sample
    say(f"{estimate.folder}: {n_played:,} of {estimate.n_episodes:,} episodes on record, {estimate.n_left:,} to play")
    workers = f"{estimate.n_workers:,} worker{'s' * (estimate.n_workers > 1)}"
    say(f"{workers}, at most {estimate.n_at_once:,} episodes at once")
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


def _check_all_played(summary: RunSummary) -> None:
    """Raise PartialError where episodes failed, or were set aside: they are on record, with their reasons."""
    from worldforge.rollouts.run import QUARANTINE
    from worldforge.rollouts.trials import SET_ASIDE

    aside = f"{summary.n_set_aside:,} episodes were set aside: they cannot be solved in this run"
    if n_failed := summary.tally.n_failed:
        message = f"{n_failed:,} of {summary.tally.n_episodes:,} episodes failed"
        hint = f"{summary.folder / QUARANTINE} says why; `--retry-failed` plays them again"
        raise PartialError(f"{message}; {aside}" if summary.n_set_aside else message, hint)
    if summary.n_set_aside:
        hint = "lower the rates of the controls, or allow more calls with `--max-steps`"
        raise PartialError(aside, f"{summary.folder / SET_ASIDE} says which, and why; where too many are, {hint}")


def describe_run(summary: RunSummary) -> None:
    """Print what came of a run."""
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
        say(f"{counted.wording.n_drafts:,} drafts of {counted.wording.n_rendered:,} observations")
        rates = asdict(counted.rates).items()
        say(table(("rate", ""), [(name.replace("_", " "), f"{rate:,.3f}") for name, rate in rates]))
        for reason, times in summary.unavailable.items():
            say(f"unavailable {times:,} times: {reason}")
    if counted.controls:
        touched = ", ".join(f"{name} {times:,}" for name, times in counted.controls.items())
        say(f"controls: {touched}; {counted.n_altered:,} facts shown wrong or out of date")
    say(f"{summary.folder}  ({summary.n_played:,} episodes played in {seconds(summary.wall_s)})")


def _describe_thoughts(folder: Path) -> None:
    """Print what came of all thoughts that models have worded for the runs of a world."""
    from worldforge.core.store import Store
    from worldforge.rewording.reworder import tally
    from worldforge.rollouts.agents import THOUGHTS

    if not (folder / THOUGHTS).exists():  # a rank keeps its own until the merge
        return
    with Store(folder / THOUGHTS) as store:
        counted = tally(store)
    say(f"thoughts: {counted.worded:,} worded by a model, {counted.kept:,} left as they were, in {folder / THOUGHTS}")
    if counted.reasons:
        say(f"drafts refused: {', '.join(f'{reason} {n:,}' for reason, n in counted.reasons.most_common())}")
    if counted.words:
        words = ", ".join(f"`{word}` {n:,}" for word, n in counted.words.most_common(_MOST_WORDS))
        say(f"words that came in, or got lost (-): {words}")


def _part(rank: int | None, of: int | None, merge: bool) -> Part | None:
    """Return the part of a run that the options name: the share of a rank, a merge of all, or None for all of it."""
    if merge and rank is not None:
        raise InputError("`--rank` and `--merge` exclude each other", "merge when all ranks have finished")
    if merge:
        return Merge(of)
    if rank is not None and of is not None:
        return RankShard(rank, of)
    if rank is not None or of is not None:
        given, wanting = ("--of", "--rank") if rank is None else ("--rank", "--of")
        raise InputError(f"`{given}` needs `{wanting}` beside it", "`--rank 0 --of 4` is the first of four shares")
    return None


@click.command("rescore")
@world_argument
@runs_options
@own_environment_option
@json_option
def rescore_command(world: Path, runs: tuple[str, ...], trajectories: Path | None, as_json: bool) -> None:
    """Compute scores and reward components of the trajectories of WORLD anew, in place. Nothing is played again."""
    from worldforge.entry_points.rescore_runs import rescore
    from worldforge.world.world import open_world

    with progress() as shown:
        done = rescore(open_world(world), runs=list(runs) or None, trajectories=trajectories, progress=shown)
    print_summary(done, as_json, _describe_rescored)
    list_unfinished(world, runs, trajectories)


def _describe_rescored(summaries: list[RescoreSummary]) -> None:
    """Print what changed in each run, and what its scores now are."""
    for summary in summaries:
        run, scores = summary.run, summary.run.tally.scores
        changed = f"{summary.n_changed:,} of {summary.n_shards:,} shards changed"
        say(f"{run.run}: {run.tally.n_episodes:,} trajectories, {changed}")
        means = [
            f"{name.replace('_', ' ')} {scores[name]:.3f}" for name in ("item_f1", "row_f1", "success", "coverage")
        ]
        say(f"  mean {', '.join(means)}")
