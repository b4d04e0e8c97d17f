"""The command as a user types it."""

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from warm_commands import Server, server

# Hundreds of interpreters are started: each would compile the project anew, in a second, were it not kept.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

AT_FIRST = dict(os.environ)
_FIRST = ("PYTHON", "PATH", "HOME", "TZ", "LANG", "LC_", "TMPDIR")  # what interpreters and imports read
_LEFT = ("PYTHONWARNINGS", "PYTHONBREAKPOINT")  # what vLLM and Ray leave in this process: no command does by them
_LATE = ("WORLDFORGE", "OPENAI_", "HF_", "MY_")  # read after imports
_ENGINES = "VLLM_"  # read when an engine begins


def worldforge(*arguments, cwd=None, env=None, code=0):
    """Run the command; check its exit code (None: any) and that no traceback reached the user.

    What is wrong with what the user gave is told before anything is done, and an audit that fails changes nothing: so
    this process can be told it. All else has a process of its own, which has imported what it needs (`warm_commands`)
    unless the environment says what is read before that.
    """
    run = _here if code in (2, 3) and not env else _runner(env or {})
    done = run([*map(str, arguments)], cwd, env or {})
    assert "Traceback" not in done.stderr, done.stderr
    assert code in (None, done.returncode), f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


def killed(*arguments, after_s):
    """Run the command and kill it, `after_s` seconds after it began to work: what it imports is there by then."""
    return server().run([*map(str, arguments)], None, dict(os.environ), after_s).returncode == -signal.SIGKILL


def started(script, *arguments, cwd=None):
    """Begin a script in a process that has imported what commands need; return it as `warm_commands.Started`."""
    return server().start(arguments, cwd, dict(os.environ), script)


def _runner(env):
    if any(name.startswith(_ENGINES) for name in env):
        return _with_engine
    return _warm if _read_late(env) else _apart


def _read_late(env):
    """Whether what a command is told by its environment is read after imports; what libraries left behind is not it."""
    here = {**os.environ, **env}
    changed = [name for name in {*here, *AT_FIRST} - {*_LEFT} if here.get(name) != AT_FIRST.get(name)]
    return all(name.startswith(_LATE) for name in env) and not any(name.startswith(_FIRST) for name in changed)


def _warm(arguments, cwd, env):
    return server().run(arguments, cwd, {**os.environ, **env})


def _with_engine(arguments, cwd, env):
    engines = Server("forking_engines")
    try:
        return engines.run(arguments, cwd, {**os.environ, **env})
    finally:
        engines.end()


def _apart(arguments, cwd, env):
    return subprocess.run(
        [sys.executable, "-m", "worldforge.cli.main", *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, **env},
        check=False,
    )


def _here(arguments, cwd, _env):
    from worldforge.cli.main import run

    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(cwd or "."),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            code = run(arguments)
        except SystemExit as end:
            code = end.code
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


def digest(world):
    """The digest in a world's manifest."""
    return json.loads((Path(world) / "world.json").read_text())["digest"]
