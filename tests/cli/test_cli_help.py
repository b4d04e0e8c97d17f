"""Every command explains itself, stands in the docs, and asking for help imports nothing heavy."""

import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from worldforge.cli.main import worldforge
from worldforge.cli.verbs import VERBS

ROOT = Path(__file__).parent.parent.parent
HEAVY = ("pyarrow", "duckdb", "networkx", "tantivy", "numpy", "pandas", "datasets", "sqlglot", "pydantic", "scipy")


@pytest.mark.parametrize("verb", VERBS)
def test_every_command_has_help_and_is_in_the_docs(verb):
    command = worldforge.get_command(click.Context(worldforge), verb)
    assert command.help
    for parameter in command.params:
        assert isinstance(parameter, click.Argument) or parameter.help, f"{verb} {parameter.name} has no help"
    assert f"`worldforge {verb}" in (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    shown = CliRunner().invoke(worldforge, [verb, "--help"])
    assert shown.exit_code == 0 and "Usage" in shown.output


def test_help_imports_nothing_heavy():
    script = (
        "import sys; from worldforge.cli.main import run; code = run(['--help']);"
        f"print([name for name in {HEAVY!r} if name in sys.modules]); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.rstrip().endswith("[]"), done.stdout


def test_a_wrong_verb_is_the_users_mistake():
    done = subprocess.run(
        [sys.executable, "-m", "worldforge.cli.main", "biuld"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2 and "biuld" in done.stderr and "Traceback" not in done.stderr
