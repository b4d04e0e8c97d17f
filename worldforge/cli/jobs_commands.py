"""The commands `jobs …`: named chains of commands, run on demand or on a schedule, each run on record."""

from __future__ import annotations

import shlex
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from worldforge.cli.options import FLAG, PATH, POSITIVE, combined, json_option, option
from worldforge.cli.printing import print_json, print_rows, say
from worldforge.cli.verbs import command_of
from worldforge.core.errors import GateError, InputError, PartialError, WorldForgeError

if TYPE_CHECKING:
    from worldforge.jobs.job_ledger import JobLedger, JobRun
    from worldforge.jobs.jobs_file import JobsPlan
    from worldforge.jobs.run_execution import JobContext

_FOLLOW_S = 0.5
_SCHEDULERS = ("systemd", "cron", "slurm", "kubernetes", "ray")
_file_option = option("-f --file", "The jobs.yaml, or its folder.", PATH, default="jobs.yaml")
_permission_options = combined(
    option("--allow-commands", "Let hooks run the commands that jobs.yaml has.", FLAG),
    option("--allow-code", "Let specs import Python code, if their job says so.", FLAG),
)


@click.group("jobs")
def jobs_command() -> None:
    """Run named chains of commands: on demand, on a schedule, or from another scheduler. See docs/jobs.md."""


@jobs_command.command()
@click.argument("folder", type=PATH, default=".")
def new(folder: Path) -> None:
    """Write a jobs.yaml to edit into FOLDER."""
    from importlib.resources import files

    from worldforge.core.files import write_text

    path = folder / "jobs.yaml"
    if path.exists():
        raise InputError(f"{path} exists already", "choose another folder")
    write_text(path, files("worldforge.jobs").joinpath("example.yaml").read_text(encoding="utf-8"))
    say(f"{path}: edit it, then\n  worldforge jobs list\n  worldforge jobs run nightly\n  worldforge jobs serve")


@jobs_command.command("list")
@_file_option
@json_option
def list_(file: Path, as_json: bool) -> None:
    """List the jobs, and when each runs next."""
    data, rows = [], []
    for name, job in _plan(file).file.jobs.items():
        schedule, steps = job.schedule, [verb for step in job.steps for verb in step]
        times = islice(schedule.fire_times(datetime.now(UTC)), 3) if schedule is not None else ()
        local = [time.astimezone(job.zone) for time in times]
        cron, zone = (schedule.cron, str(schedule.timezone)) if schedule is not None else (None, None)
        about = {"job": name, "description": job.description, "steps": steps, "cron": cron, "timezone": zone}
        data.append(about | {"next": [time.isoformat() for time in local]})
        when = f"{cron} {zone}" if cron else "on demand"
        rows.append((name, " > ".join(steps), when, f"{local[0]:%Y-%m-%d %H:%M %Z}" if local else ""))
    print_rows(data, as_json, ("job", "steps", "schedule", "next"), rows)


@jobs_command.command()
@click.argument("name")
@_file_option
@_permission_options
@option("--scheduled", "For schedulers: run the newest fire time, if it is not on record.", FLAG)
@option("--due", "For cron, each hour: run what the schedule has due by now, if anything.", FLAG)
@option("--delayed", "With --scheduled or --due: wait up to the schedule's jitter first.", FLAG)
@option("--retry", "Resume the last run, which failed, in its folder.", FLAG)
@option("--dry-run", "Show the commands, and run none.", FLAG)
@json_option
def run(name: str, file: Path, dry_run: bool, as_json: bool, **options: bool) -> None:
    """Run job NAME now, or resume a run of it that was interrupted or lost."""
    from worldforge.core.redaction import redacted_arguments
    from worldforge.jobs.job_runner import JobRunner

    scheduled, due, delayed, retry = (options.pop(name) for name in ("scheduled", "due", "delayed", "retry"))
    if scheduled + due + retry > 1:
        raise InputError("`--scheduled`, `--due` and `--retry` exclude each other", "give one of them")
    with _context(file, **options) as context:
        runner = JobRunner(context)
        if dry_run:
            commands = [["worldforge", *redacted_arguments(words)] for words in runner.next_commands(name)]
            if as_json:
                print_json(commands)
            for words in () if as_json else commands:
                click.echo(shlex.join(words))
            return
        if scheduled or due:
            ended = runner.run_due(name, newest_is_due=scheduled, delayed=delayed)
        else:
            ended = runner.retry(name) if retry else runner.run_now(name)
    if as_json:
        print_json([run.as_data() for run in ended])
    _raise_worst(ended)


def _raise_worst(ended: list[JobRun]) -> None:
    """Raise the error whose exit code is the worst of some runs."""
    by_code = {run.exit_code: run for run in reversed(ended)}
    if 130 in by_code:
        raise KeyboardInterrupt
    for code, kind in {1: WorldForgeError, 2: InputError, 3: GateError, 4: PartialError}.items():
        if (run := by_code.get(code)) is not None:
            hint = f"see `worldforge jobs logs {shlex.quote(run.job)} {run.number}`"
            raise kind(f"{run.job}, run {run.number}: {run.state}: {run.message}", hint)


@jobs_command.command()
@_file_option
@_permission_options
def serve(file: Path, **allowed: bool) -> None:
    """Run every job on its schedule, until stopped. What was interrupted or lost before is resumed first."""
    from worldforge.jobs.job_server import JobServer

    with _context(file, timestamps=True, **allowed) as context:
        server = JobServer(context, check_arguments)
        context.log(f"serving {len(context.plan.file.jobs)} jobs of {context.plan.path}; stop with Ctrl-C or SIGTERM")
        server.serve()
        context.log("stopped")


@jobs_command.command()
@click.argument("name", required=False)
@_file_option
@json_option
def status(name: str | None, file: Path, as_json: bool) -> None:
    """Show what is running, where it is, and how the last runs ended."""
    from worldforge.jobs.job_status import job_status, removed_jobs

    with _ledger(file) as (plan, ledger):
        names = [name] if name is not None else [*plan.file.jobs, *removed_jobs(plan, ledger)]
        rows = [job_status(plan, ledger, each) for each in names]
    keys = ("job", "state", "where", "last", "last_ended", "next")
    header = ("job", "now", "where", "last run", "ended (UTC)", "next")
    print_rows(rows, as_json, header, [[row[key] for key in keys] for row in rows])


@jobs_command.command()
@click.argument("name")
@click.argument("number", type=POSITIVE, required=False)
@_file_option
@option("--follow", "Keep showing what is written, until the run has ended.", FLAG)
def logs(name: str, number: int | None, file: Path, follow: bool) -> None:
    """Show the log of job NAME's last run, or of run NUMBER."""
    from worldforge.core.redaction import without_secrets
    from worldforge.jobs.job_ledger import OPEN
    from worldforge.jobs.run_execution import LOG

    with _ledger(file) as (plan, ledger):
        found = ledger.last_started(name, number)
        if found is None or found.folder is None:
            plan.job(name)
            raise InputError(f"job `{name}` has no run {number}" if number else f"job `{name}` has not run yet")
        path = plan.root / found.folder / LOG
        if not path.is_file():
            raise InputError(f"{path} does not exist", "its folder was pruned" if found.pruned else "")
        with path.open(encoding="utf-8", errors="replace", newline="") as log:
            while True:
                is_open = ledger.run(found.id).state in OPEN
                for line in log:
                    click.echo(without_secrets(line), nl=False)
                if not (follow and is_open):
                    return
                time.sleep(_FOLLOW_S)


@jobs_command.command()
@click.argument("name", required=False)
@_file_option
@option("--limit", "The newest N. Default: 20 in a table, all with --json.", POSITIVE)
@json_option
def history(name: str | None, file: Path, limit: int | None, as_json: bool) -> None:
    """Show the runs on record, newest first: all, or those of job NAME."""
    with _ledger(file) as (plan, ledger):
        runs = ledger.runs(name, limit=limit if as_json else limit or 20)
        if name is not None and not runs:
            plan.job(name)
    header = ("job", "run", "trigger", "due (UTC)", "state", "step", "took", "tokens", "MB", "world", "message")
    rows = []
    for run in runs:
        due, progress = run.due[:16].replace("T", " "), run.progress
        step, took = f"{progress.step}/{len(progress.commands)}", f"{progress.active_s:.0f} s"
        use = (took, progress.tokens, round(progress.bytes / 1e6), (run.world_digest or "")[:16], run.message)
        rows.append((run.job, run.number or "", run.trigger, due, run.state, step, *use))
    print_rows([run.as_data() for run in runs], as_json, header, rows)


@jobs_command.command()
@click.argument("scheduler", type=click.Choice(_SCHEDULERS))
@click.argument("names", nargs=-1)
@_file_option
@_permission_options
@option("-o --out", "The folder to write into. Default: to stdout.", PATH)
@option("--image", "Kubernetes: the image, with WorldForge in it.")
@option("--claim", "Kubernetes: claim of the volume of jobs.yaml.", default="worldforge")
@option("--secret", "Kubernetes: the Secret with jobs' secrets.", default="worldforge")
@option("--secrets-file", "Slurm, systemd: a file of NAME=value lines.", PATH)
@option("--sbatch", "Slurm: a further option; repeatable.", multiple=True, metavar="OPTION")
def emit(scheduler: str, names: tuple[str, ...], file: Path, out: Path | None, **options: Any) -> None:
    """Write the files with which another SCHEDULER runs the jobs NAMES, or all that it can."""
    from worldforge.core.files import output_path, write_text
    from worldforge.jobs.emit_jobs import EmitOptions, emit_jobs
    from worldforge.jobs.jobs_file import Resources
    from worldforge.jobs.step_commands import Permissions

    plan = _plan(file)
    permissions = Permissions(options.pop("allow_commands"), options.pop("allow_code"))
    if options["secrets_file"] is not None:
        options["secrets_file"] = options["secrets_file"].absolute()
    files = emit_jobs(scheduler, plan, names, permissions, EmitOptions(**options))
    if scheduler in ("cron", "ray") and any(plan.job(n).resources != Resources() for n in names or plan.file.jobs):
        say(f"note: {scheduler} ignores what jobs need under `resources`: provide it yourself")
    for name, text in files.items():
        if out is None:
            click.echo(f"# {name}\n{text}" if len(files) > 1 else text, nl=len(files) > 1)
        else:
            write_text(output_path(out) / name, text)
            say(f"{out / name}")


def _plan(file: Path) -> JobsPlan:
    from worldforge.jobs.jobs_file import read_jobs

    return read_jobs(file, check_arguments)


@contextmanager
def _ledger(file: Path) -> Iterator[tuple[JobsPlan, JobLedger]]:
    from worldforge.jobs.job_ledger import JobLedger

    plan = _plan(file)
    with closing(JobLedger(plan.folder)) as ledger:
        yield plan, ledger


@contextmanager
def _context(file: Path, *, allow_commands: bool, allow_code: bool, timestamps: bool = False) -> Iterator[JobContext]:
    """Give what runs of a jobs.yaml need; signals stop them meanwhile."""
    from worldforge.jobs.run_execution import JobContext
    from worldforge.jobs.step_commands import Permissions
    from worldforge.jobs.step_process import stop_on_signals

    def log(text: str) -> None:
        say(f"{datetime.now().astimezone():%Y-%m-%d %H:%M:%S} {text}" if timestamps else text)

    stop = threading.Event()
    with _ledger(file) as (plan, ledger), stop_on_signals(stop):
        yield JobContext(plan, ledger, Permissions(allow_commands, allow_code), stop, log)


def check_arguments(arguments: Sequence[str]) -> str:
    """Return what the parser of a command says against its arguments, the verb first; empty if nothing."""
    verb, *words = arguments
    verb_command = command_of(verb)
    context = click.Context(verb_command, info_name=verb)
    try:
        given, _, order = verb_command.make_parser(context).parse_args(words)
        for param in verb_command.params:  # not `make_context`: callbacks have effects
            value = given.get(param.name or "")
            if param.name in given and not param.value_is_missing(value):
                param.type_cast_value(context, value)
            elif param.required:
                raise click.MissingParameter(ctx=context, param=param)
            if order.count(param) > 1 and not getattr(param, "multiple", True):
                raise click.BadParameter("it takes one value, not a list", context, param)
    except click.UsageError as error:
        return error.format_message().rstrip(".")
    return ""
