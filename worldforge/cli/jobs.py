"""`worldforge jobs`: named chains of commands, run when they are due and on record."""

from __future__ import annotations

import importlib
import shlex
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from worldforge.cli.options import json_option
from worldforge.cli.show import print_json, say, table

if TYPE_CHECKING:
    from worldforge.jobs.commands import Permits
    from worldforge.jobs.forms import Forms, OptionForm
    from worldforge.jobs.ledger import Ledger, Run
    from worldforge.jobs.reading import JobsPlan

Command = TypeVar("Command", bound=Callable[..., Any])
_FOLLOW_S = 0.5
SCHEDULERS = ("systemd", "cron", "slurm", "kubernetes", "ray")


@click.group()
def command() -> None:
    """Run named chains of commands: by hand, at their times, or from another scheduler. See docs/jobs.md."""


def file_option(command: Command) -> Command:
    """Add `--file`: the jobs.yaml."""
    text = "The jobs.yaml, or its folder."
    path = click.Path(path_type=Path)
    return click.option("-f", "--file", type=path, default="jobs.yaml", show_default=True, help=text)(command)


def permit_options(command: Command) -> Command:
    """Add `--allow-commands` and `--allow-code`."""
    for decorate in (
        click.option("--allow-code", is_flag=True, help="Let specs import Python code, where their job says so."),
        click.option("--allow-commands", is_flag=True, help="Let hooks run the commands that jobs.yaml gives them."),
    ):
        command = decorate(command)
    return command


@command.command()
@click.argument("folder", type=click.Path(path_type=Path), default=".")
def new(folder: Path) -> None:
    """Write a jobs.yaml to edit into FOLDER."""
    from importlib.resources import files

    from worldforge.core.errors import InputError
    from worldforge.core.files import write_text

    path = folder / "jobs.yaml"
    if path.exists():
        raise InputError(f"{path} exists already", "choose another folder")
    write_text(path, files("worldforge.jobs").joinpath("example.yaml").read_text(encoding="utf-8"))
    say(f"{path}: edit it, then\n  worldforge jobs list\n  worldforge jobs run nightly\n  worldforge jobs serve")


@command.command("list")
@file_option
@json_option
def list_(file: Path, as_json: bool) -> None:
    """List the jobs, and when each fires next."""
    from datetime import UTC, datetime
    from zoneinfo import ZoneInfo

    from worldforge.jobs.fires import next_fires

    plan = _plan(file)
    rows, data = [], []
    for name, job in plan.file.jobs.items():
        schedule, verbs = job.schedule, [verb for step in job.steps for verb in step]
        fires = next_fires(schedule, datetime.now(UTC), 3) if schedule is not None else []
        local = [fire.astimezone(ZoneInfo(schedule.timezone)) for fire in fires] if schedule is not None else []
        data.append({
            "job": name, "description": job.description, "steps": verbs,
            "cron": schedule.cron if schedule is not None else None,
            "timezone": schedule.timezone if schedule is not None else None,
            "next": [fire.isoformat() for fire in local],
        })  # fmt: skip
        when = f"{schedule.cron} {schedule.timezone}" if schedule is not None else "by hand"
        rows.append((name, " > ".join(verbs), when, f"{local[0]:%Y-%m-%d %H:%M %Z}" if local else ""))
    if as_json:
        print_json(data)
    else:
        click.echo(table(("job", "steps", "schedule", "next"), rows))


@command.command()
@click.argument("name")
@file_option
@permit_options
@click.option("--scheduled", is_flag=True, help="What schedulers call: the fire that is due, if it is not on record.")
@click.option("--due", is_flag=True, help="What cron calls each hour: what the schedule has due by now, if anything.")
@click.option("--delayed", is_flag=True, help="With --scheduled or --due: begin later by chance, within the jitter.")
@click.option("--retry", is_flag=True, help="Go on with the last run that failed, in its folder.")
@click.option("--dry-run", is_flag=True, help="Show the commands, and run none.")
@json_option
def run(
    name: str,
    file: Path,
    allow_commands: bool,
    allow_code: bool,
    scheduled: bool,
    due: bool,
    delayed: bool,
    retry: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Run job NAME now; a run of it that was interrupted or lost is gone on with instead."""
    from worldforge.core.redaction import redacted_arguments
    from worldforge.jobs.once import next_commands, run_due, run_now, run_retry

    plan, permits = _plan(file), _permits(allow_commands, allow_code)
    if dry_run:
        with _ledger(plan) as ledger:
            commands = next_commands(plan, ledger, name, _forms(), permits)
        if as_json:
            print_json([["worldforge", *redacted_arguments(command.arguments)] for command in commands])
        for command in () if as_json else commands:
            click.echo(shlex.join(["worldforge", *redacted_arguments(command.arguments)]))
        return
    from worldforge.core.errors import InputError
    from worldforge.jobs.running import Runner
    from worldforge.jobs.signals import stopped_by_signals

    if scheduled + due + retry > 1:
        raise InputError("`--scheduled`, `--due` and `--retry` do not go together", "give one of them")
    with _ledger(plan) as ledger, stopped_by_signals(threading.Event()) as stop:
        runner = Runner(plan, ledger, _forms(), permits, stop, say)
        once = run_retry if retry else run_now
        by_time = scheduled or due
        ended = run_due(runner, name, delayed=delayed, told=scheduled) if by_time else once(runner, name)
    if as_json:
        print_json([as_data(run) for run in ended])
    _end_as(ended)


def _end_as(ended: list[Run]) -> None:
    """End with the exit code of the worst of runs."""
    from worldforge.core.errors import GateError, InputError, PartialError, WorldForgeError

    for run in ended:
        if run.exit_code == 130:
            raise KeyboardInterrupt
    kinds = {1: WorldForgeError, 2: InputError, 3: GateError, 4: PartialError}
    for code, kind in kinds.items():
        for run in ended:
            if run.exit_code == code:
                hint = f"`worldforge jobs logs {shlex.quote(run.job)} {run.number}` says more"
                raise kind(f"{run.job}, run {run.number}: {run.state}: {run.message}", hint)


@command.command()
@file_option
@permit_options
def serve(file: Path, allow_commands: bool, allow_code: bool) -> None:
    """Run every job at its times, until stopped. What was interrupted or lost before is gone on with first."""
    from datetime import datetime

    from worldforge.jobs.serving import Server, Serving
    from worldforge.jobs.signals import stopped_by_signals

    plan = _plan(file)
    with _ledger(plan) as ledger, stopped_by_signals(threading.Event()) as stop:

        def tell(text: str) -> None:
            say(f"{datetime.now().astimezone():%Y-%m-%d %H:%M:%S} {text}")

        server = Server(plan, Serving(ledger, _forms(), _permits(allow_commands, allow_code), stop, tell))
        tell(f"serving {len(plan.file.jobs)} jobs of {plan.path}; Ctrl-C or SIGTERM ends it")
        server.serve()
        tell("stopped")


@command.command()
@click.argument("name", required=False)
@file_option
@json_option
def status(name: str | None, file: Path, as_json: bool) -> None:
    """Show what is under way, where it stands, and how the last runs ended."""
    from worldforge.jobs.standing import open_elsewhere, standing_of

    plan = _plan(file)
    with _ledger(plan) as ledger:
        names = [name] if name is not None else [*plan.file.jobs, *open_elsewhere(plan, ledger)]
        stands = [standing_of(plan, ledger, each) for each in names]
    if as_json:
        print_json(stands)
        return
    rows = [(s["job"], s["state"], s["where"], s["last"], s["last_ended"], s["next"]) for s in stands]
    click.echo(table(("job", "now", "where", "last run", "ended (UTC)", "next"), rows))


@command.command()
@click.argument("name")
@click.argument("number", type=click.IntRange(1), required=False)
@file_option
@click.option("--follow", is_flag=True, help="Go on showing what is written, until the run has ended.")
def logs(name: str, number: int | None, file: Path, follow: bool) -> None:
    """Show the log of job NAME's last run, or of run NUMBER."""
    from worldforge.core.errors import InputError
    from worldforge.core.redaction import without_secrets
    from worldforge.jobs.ledger import OPEN
    from worldforge.jobs.running import LOG

    plan = _plan(file)
    with _ledger(plan) as ledger:
        found = ledger.numbered(name, number) if number is not None else _last_begun(ledger, name)
        if found is None or found.folder is None:
            plan.job(name)
            raise InputError(f"job `{name}` has no run {number}" if number else f"job `{name}` has not run yet")
        path = plan.root / found.folder / LOG
        if not path.is_file():
            raise InputError(f"{path} is not there", "its folder was pruned" if found.pruned else "")
        with path.open(encoding="utf-8", errors="replace", newline="") as log:
            while True:
                is_open = ledger.run(found.id).state in OPEN
                for line in log:
                    click.echo(without_secrets(line), nl=False)
                if not (follow and is_open):
                    return
                time.sleep(_FOLLOW_S)


@command.command()
@click.argument("name", required=False)
@file_option
@click.option("--limit", type=click.IntRange(1), help="The newest so many. Default: 20 as a table, all as JSON.")
@json_option
def history(name: str | None, file: Path, limit: int | None, as_json: bool) -> None:
    """Show the runs on record, newest first: all, or those of job NAME."""
    plan = _plan(file)
    with _ledger(plan) as ledger:
        runs = ledger.runs(name, limit=limit if as_json else limit or 20)
    if name is not None and not runs:
        plan.job(name)
    if as_json:
        print_json([as_data(run) for run in runs])
        return
    header = ("job", "run", "why", "due (UTC)", "state", "step", "took", "tokens", "MB", "world", "message")
    click.echo(table(header, [_row(run) for run in runs]))


@command.command()
@click.argument("scheduler", type=click.Choice(SCHEDULERS))
@click.argument("names", nargs=-1)
@file_option
@permit_options
@click.option("-o", "--out", type=click.Path(path_type=Path), help="The folder to write into. Default: to stdout.")
@click.option(
    "--ranks", type=click.IntRange(1, 100_000), help="Slurm, Kubernetes: only builds and rollouts, by so many ranks."
)
@click.option("--image", help="Kubernetes: the image, with WorldForge in it.")
@click.option(
    "--world", help="Kubernetes, with --ranks: the world to be built or played, from the folder of jobs.yaml."
)
@click.option("--claim", default="worldforge", show_default=True, help="Kubernetes: claim of the volume of jobs.yaml.")
@click.option("--secret", default="worldforge", show_default=True, help="Kubernetes: the Secret with jobs' secrets.")
@click.option(
    "--secrets-file", type=click.Path(path_type=Path), help="Slurm, systemd: a file of NAME=value lines to be read."
)
@click.option("--sbatch", "directives", multiple=True, metavar="OPTION", help="Slurm: a further option; repeatable.")
def emit(
    scheduler: str,
    names: tuple[str, ...],
    file: Path,
    allow_commands: bool,
    allow_code: bool,
    out: Path | None,
    ranks: int | None,
    image: str | None,
    world: str | None,
    claim: str,
    secret: str,
    secrets_file: Path | None,
    directives: tuple[str, ...],
) -> None:
    """Write the files by which another SCHEDULER runs the jobs NAMES, or all that it can."""
    from worldforge.core.files import local, write_text
    from worldforge.jobs.emit.emitting import ranks_for, units_for
    from worldforge.jobs.emit.needs import Site
    from worldforge.jobs.plan import Resources

    site = Site(secret, secrets_file.absolute() if secrets_file is not None else None, directives)
    plan, permits = _plan(file), _permits(allow_commands, allow_code)
    if ranks is not None:
        units = ranks_for(scheduler, plan, names, _forms(), permits, ranks, image, claim, world, site)
    else:
        units = units_for(scheduler, plan, names, permits, image, claim, site)
    wanted = [plan.job(name) for name in names or plan.file.jobs]
    needing = any(job.resources != Resources() for job in wanted)
    if scheduler in ("cron", "ray") and needing:
        say(f"note: {scheduler} is not told what jobs need under `resources`: give it yourself")
    for unit in units:
        if out is None:
            click.echo(f"# {unit.name}\n{unit.text}" if len(units) > 1 else unit.text, nl=len(units) > 1)
        else:
            write_text(local(out) / unit.name, unit.text)
            say(f"{out / unit.name}")


def as_data(run: Run) -> dict[str, Any]:
    """Give a run as JSON values."""
    from dataclasses import asdict

    return asdict(run)


def _row(run: Run) -> tuple[Any, ...]:
    steps = f"{run.step}/{len(run.commands)}" if run.commands else ""
    digest = (run.world_digest or "")[:16]
    number, due = run.number or "", run.due[:16].replace("T", " ")
    took = f"{run.active_s:.0f} s" if run.active_s else ""
    return (
        run.job,
        number,
        run.why,
        due,
        run.state,
        steps,
        took,
        run.tokens,
        round(run.bytes / 1e6),
        digest,
        run.message,
    )


def _last_begun(ledger: Ledger, name: str) -> Run | None:
    return max((run for run in ledger.runs(name) if run.number), key=lambda run: run.number or 0, default=None)


def _plan(file: Path) -> JobsPlan:
    from worldforge.jobs.reading import read_jobs

    return read_jobs(file, _forms())


def _ledger(plan: JobsPlan) -> Any:
    from contextlib import closing

    from worldforge.jobs.ledger import FILE, Ledger

    return closing(Ledger(plan.folder / FILE))


def _permits(commands: bool, code: bool) -> Permits:
    from worldforge.jobs.commands import Permits

    return Permits(commands, code)


def _forms() -> Forms:
    """Say what each verb that can be a step takes, as its command does."""
    from worldforge.jobs.forms import VERBS, VerbForm

    forms = {}
    for verb in VERBS:
        params = importlib.import_module(f"worldforge.cli.{verb}").command.params
        options: dict[str, OptionForm] = {}
        required = []
        for param in params:
            if isinstance(param, click.Option):
                options |= _option_forms(param)
                required += [_key(param.opts)] if param.required else []
        (argument,) = (param.name for param in params if isinstance(param, click.Argument))
        options = {key: form for key, form in options.items() if key not in ("json", "set", "allow_code")}
        forms[verb] = VerbForm(argument, options, tuple(required + ([argument] if verb == "score" else [])))
    return forms


def _option_forms(option: click.Option) -> dict[str, OptionForm]:
    from worldforge.jobs.forms import OptionForm

    def refusal(value: str) -> str:
        try:
            option.type.convert(value, option, None)
        except click.BadParameter as error:
            return error.message.rstrip(".")
        return ""

    flags = [names for names in (option.opts, option.secondary_opts) if names]
    return {_key(names): OptionForm(_long(names), option.is_flag, option.multiple, refusal) for names in flags}


def _long(names: list[str]) -> str:
    return next(name for name in names if name.startswith("--"))


def _key(names: list[str]) -> str:
    return _long(names).removeprefix("--").replace("-", "_")
