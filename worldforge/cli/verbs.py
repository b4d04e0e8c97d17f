"""The commands by verb, in the order in which they are used; each is imported when it is needed."""

from __future__ import annotations

import importlib

import click

VERBS = {
    "new": "spec", "schemas": "spec", "validate": "spec", "schema": "spec", "plan": "spec", "preview": "spec",
    "phrases": "phrases",
    "build": "world", "audit": "world", "search": "world", "explain": "world",
    "rollout": "rollout", "rescore": "rollout", "score": "score", "bench": "bench",
    "export": "dataset", "push": "dataset", "run": "run", "jobs": "jobs", "doctor": "doctor",
}  # fmt: skip
"""Which module holds a verb's command: `spec` is `spec_commands`."""


class Verbs(click.Group):
    """A group whose commands are imported when they are needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the verbs."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command of a verb."""
        return command_of(cmd_name) if cmd_name in VERBS else None


def command_of(verb: str) -> click.Command:
    """Import the command of a verb."""
    module = importlib.import_module(f"worldforge.cli.{VERBS[verb]}_commands")
    command: click.Command = getattr(module, f"{verb}_command")
    return command
