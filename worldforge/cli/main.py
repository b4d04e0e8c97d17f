"""The command `worldforge`: finds the verb, and turns whatever goes wrong into one message and an exit code.

Exit codes: 0 done; 1 failed; 2 the user's input is wrong; 3 a quality gate did not hold; 4 done in part (some items set
aside); 130 interrupted, can be resumed.
"""

from __future__ import annotations

import errno
import importlib
import io
import os
import sys
from pathlib import Path

import click

from worldforge.cli.show import styled
from worldforge.core.errors import WorldForgeError
from worldforge.core.redaction import without_secrets

VERBS = (
    "new", "schemas", "validate", "schema", "plan", "preview", "build", "audit", "search", "explain",
    "rollout", "rescore", "score", "bench", "export", "push", "run", "jobs", "doctor",
)  # fmt: skip
_ROOM = "make room on that disk, then give the same command again: it goes on from here"
_RIGHTS = "see that it may be written to, then give the same command again: it goes on from here"
_PLACE = "something else stands there, such as a file or a link that leads nowhere: move it, or choose another place"
_INPUT = {
    errno.EEXIST: _PLACE, errno.ENOTDIR: _PLACE, errno.EISDIR: _PLACE, errno.ELOOP: _PLACE,
    errno.ENAMETOOLONG: "choose a shorter one",
}  # fmt: skip
_HINTS = _INPUT | {
    errno.ENOSPC: _ROOM, errno.EDQUOT: _ROOM, errno.EFBIG: _ROOM,
    errno.EROFS: _RIGHTS, errno.EACCES: _RIGHTS, errno.EPERM: _RIGHTS,
}  # fmt: skip


class Verbs(click.Group):
    """A group whose commands live in a module each, imported when they are needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the verbs in the order in which they are used."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the verb's module and return its command."""
        if cmd_name not in VERBS:
            return None
        command = importlib.import_module(f"worldforge.cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="worldforge")
@click.option(
    "--log",
    metavar="FILE|-",
    envvar="WORLDFORGE_LOG",
    help="Append what happens as JSON lines to FILE, or to stderr. Default: $WORLDFORGE_LOG.",
)
@click.option(
    "--metrics",
    metavar="PORT|FILE",
    envvar="WORLDFORGE_METRICS",
    help="Serve Prometheus metrics at PORT of this machine alone, or HOST:PORT, or keep them in FILE.prom. "
    "Default: $WORLDFORGE_METRICS.",
)
@click.option(
    "--models",
    type=click.Path(path_type=Path),
    help="A YAML file of your own profiles of models, for addresses. Default: $WORLDFORGE_MODELS.",
)
@click.pass_context
def worldforge(context: click.Context, log: str | None, metrics: str | None, models: Path | None) -> None:
    """Invent worlds whose truth is known, let agents search them, take home datasets.

    Start with: worldforge run quickstart
    """
    if models is not None:
        os.environ["WORLDFORGE_MODELS"] = str(models.absolute())  # for workers' sake
    if log or metrics:
        from worldforge.cli import observed

        observed.begin(context.invoked_subcommand or "", context.obj or [], log, metrics)


def main() -> None:
    """Run the command line and exit with its code. No process that it begins imports from the current folder."""
    os.environ.setdefault("PYTHONSAFEPATH", "worldforge")  # any text will do; hooks tell by it whose it is
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run the command line with `arguments`; return its exit code. No traceback reaches the user."""
    code = 1
    try:
        code = _run(arguments)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
        raise
    finally:
        if seen := sys.modules.get("worldforge.cli.observed"):
            seen.end(code)
    return code


def _run(arguments: list[str]) -> int:
    try:
        worldforge.main(arguments, prog_name="worldforge", standalone_mode=False, obj=arguments)
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except click.ClickException as error:
        shown = io.StringIO()
        error.show(shown)
        click.echo(without_secrets(shown.getvalue()), err=True, nl=False)
        _told(without_secrets(error.format_message()))
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted; the same command goes on from here", err=True)
        return 130
    except WorldForgeError as error:
        _tell(_in_words(error, arguments), len(getattr(error, "problems", ())))
        return error.exit_code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        _tell(_of_system(error))
        return 2 if error.errno in _INPUT else 1
    except Exception as error:
        if os.environ.get("WORLDFORGE_DEBUG"):
            raise
        _tell(
            f"{type(error).__name__}: {error}\n\nhint: this is a defect of WorldForge; WORLDFORGE_DEBUG=1 shows where"
        )
        return 1
    return 0


def _in_words(error: WorldForgeError, arguments: list[str]) -> str:
    """Say what went wrong; where ranks are wanting, with the commands that fill the gaps."""
    gaps = getattr(error, "gaps", ())
    if not gaps:
        return str(error)
    from worldforge.cli.rank_options import commands_that_fill

    return f"{error.message}\n\nhint: {commands_that_fill(gaps, arguments)}"


def _of_system(error: OSError) -> str:
    """Say what the system refused: which file, why, and what to do where that is known."""
    if error.filename is None or error.strerror is None:
        return str(error)
    hint = _HINTS.get(error.errno or 0, "")
    return f"{os.fsdecode(error.filename)}: {error.strerror}" + (f"\n\nhint: {hint}" if hint else "")


def _tell(message: str, n_problems: int = 0) -> None:
    """Write an error to stderr; problems stand in lines of their own that open with their place, for editors."""
    message = without_secrets(message)
    error = styled("error:", fg="red", bold=True)
    told = (
        f"{message}\n\n{error} {n_problems} {'problem' if n_problems == 1 else 'problems'}"
        if n_problems
        else f"{error} {message}"
    )
    click.echo(told, err=True)
    _told(message)


def _told(message: str) -> None:
    if seen := sys.modules.get("worldforge.cli.observed"):
        seen.failed(message)


if __name__ == "__main__":
    main()
