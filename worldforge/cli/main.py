"""The command `worldforge`: run a command, and turn any error into one message and an exit code.

Exit codes: 0 done; 1 failed; 2 the user's input is wrong; 3 a quality gate did not hold; 4 done in part (some items set
aside); 130 interrupted, can be resumed.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from pathlib import Path

import click

from worldforge.cli import command_log
from worldforge.cli.options import PATH, option
from worldforge.cli.printing import say, styled
from worldforge.cli.verbs import Verbs
from worldforge.core.errors import WorldForgeError
from worldforge.core.redaction import without_secrets

_ROOM = "make room on that disk, then give the same command again: it goes on from here"
_RIGHTS = "see that it may be written to, then give the same command again: it goes on from here"
_PLACE = "something else stands there, such as a file or a link that leads nowhere: move it, or choose another place"
_INPUT = dict.fromkeys((errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ELOOP), _PLACE)
_INPUT[errno.ENAMETOOLONG] = "choose a shorter one"
_HINTS = _INPUT | dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), _ROOM)
_HINTS |= dict.fromkeys((errno.EROFS, errno.EACCES, errno.EPERM), _RIGHTS)


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="worldforge")
@option(
    "--log",
    "Append what happens as JSON lines to FILE, or to stderr. Default: $WORLDFORGE_LOG.",
    metavar="FILE|-",
    envvar="WORLDFORGE_LOG",
)
@option(
    "--metrics",
    "Serve Prometheus metrics at PORT of this machine alone, or HOST:PORT, or keep them in FILE.prom. "
    "Default: $WORLDFORGE_METRICS.",
    metavar="PORT|FILE",
    envvar="WORLDFORGE_METRICS",
)
@option("--models", "A YAML file of your own profiles of models, for addresses. Default: $WORLDFORGE_MODELS.", PATH)
@click.pass_context
def worldforge(context: click.Context, log: str | None, metrics: str | None, models: Path | None) -> None:
    """Invent worlds whose truth is known, let agents search them, take home datasets.

    Start with: worldforge run quickstart
    """
    if models is not None:
        os.environ["WORLDFORGE_MODELS"] = str(models.absolute())  # workers read it there
    if log or metrics:
        command_log.begin(context.invoked_subcommand or "", context.obj or [], log, metrics)


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
        command_log.end(code)
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
        command_log.failed(without_secrets(error.format_message()))
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        say("interrupted; the same command goes on from here")
        return 130
    except WorldForgeError as error:
        _print_error(str(error), len(getattr(error, "problems", ())))
        return error.exit_code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        _print_error(_system_message(error))
        return 2 if error.errno in _INPUT else 1
    except Exception as error:
        if os.environ.get("WORLDFORGE_DEBUG"):
            raise
        _print_error(
            f"{type(error).__name__}: {error}\n\nhint: this is a defect of WorldForge; WORLDFORGE_DEBUG=1 shows where"
        )
        return 1
    return 0


def _system_message(error: OSError) -> str:
    """Return the message of a system error: which file, why, and what to do where that is known."""
    if error.filename is None or error.strerror is None:
        return str(error)
    hint = _HINTS.get(error.errno or 0, "")
    return f"{os.fsdecode(error.filename)}: {error.strerror}" + (f"\n\nhint: {hint}" if hint else "")


def _print_error(message: str, n_problems: int = 0) -> None:
    """Write an error to stderr; problems have lines of their own that begin with their place, for editors."""
    message = without_secrets(message)
    error = styled("error:", fg="red", bold=True)
    count = f"{n_problems} problem{'s' * (n_problems != 1)}"
    click.echo(f"{message}\n\n{error} {count}" if n_problems else f"{error} {message}", err=True)
    command_log.failed(message)


if __name__ == "__main__":
    main()
