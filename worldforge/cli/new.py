"""`worldforge new`: a folder with a world.yaml to edit."""

from __future__ import annotations

import re
from pathlib import Path

import click

from worldforge.cli.show import say


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--from", "source", default="quickstart", show_default=True, help="The shipped spec to begin with.")
def command(folder: Path, source: str) -> None:
    """Make FOLDER with a world.yaml of your own to edit."""
    from worldforge.core.errors import InputError
    from worldforge.core.files import local, write_text
    from worldforge.schema.spec_loader import shipped_specs

    specs = shipped_specs()
    if source not in specs:
        raise InputError(f"no shipped spec is called `{source}`", f"there is {', '.join(specs)}")
    path = local(folder) / "world.yaml"
    if path.exists():
        raise InputError(f"{path} exists already", "choose another folder")
    name = re.sub(r"[^a-z0-9_-]+", "-", folder.resolve().name.lower()).strip("-_")[:64] or "mine"
    text = specs[source].read_text(encoding="utf-8")
    write_text(path, _renamed(text, name))
    say(f"{path} is a copy of `{source}`: edit it, then")
    say(f"  worldforge validate {folder}\n  worldforge preview {folder}\n  worldforge build {folder}")


def _renamed(text: str, name: str) -> str:
    """Give a spec another name, and a title after it; what describes the other world is left out."""
    title = re.sub(r"[_-]+", " ", name).strip().capitalize()
    text = re.sub(r"(?m)^name: .*$", f"name: {name}", text, count=1)
    text = re.sub(r"(?m)^title: .*$", f"title: '{title}'", text, count=1)
    return re.sub(r"(?m)^description: .*\n(?:[ \t]+.*\n)*", "", text, count=1)
