"""Arguments and options that several verbs share."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

if TYPE_CHECKING:
    from worldforge.schema.problems import Problem
    from worldforge.schema.spec import WorldSpec

Command = TypeVar("Command", bound=Callable[..., Any])


def spec_options(command: Command) -> Command:
    """Add SPEC, `--set` and `--allow-code`."""
    for decorate in (
        click.option("--allow-code", is_flag=True, help="Let the spec import Python code that lies beside it."),
        click.option(
            "--set",
            "overrides",
            multiple=True,
            metavar="A.B=C",
            help="Override a value of the spec; may be repeated.",
        ),
        click.argument("spec"),
    ):
        command = decorate(command)
    return command


def world_argument(command: Command) -> Command:
    """Add WORLD, the folder of a built world."""
    return click.argument("world", type=click.Path(path_type=Path))(command)


def trajectories_option(command: Command) -> Command:
    """Add `--trajectories`: where the runs of WORLD are."""
    text = "Where the runs are: the `--out` of `rollout`. Default: WORLD/trajectories."
    return click.option("--trajectories", metavar="FOLDER", type=click.Path(path_type=Path), help=text)(command)


def json_option(command: Command) -> Command:
    """Add `--json`: data on stdout for machines."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON on stdout.")(command)


def out_option(command: Command) -> Command:
    """Add `-o`: where the world goes."""
    text = "The world's folder. Default: output/<name>."
    return click.option("-o", "--out", type=click.Path(path_type=Path), help=text)(command)


def engine_options(command: Command) -> Command:
    """Add `--engine` and `--workers`: who does the work. The command is handed the `Engine` of that, as `engine`."""

    @functools.wraps(command)
    def handed(*arguments: Any, engine: str, workers: int | None, **named: Any) -> Any:
        if engine == "local":
            from worldforge.core.local_pool import LocalEngine

            return command(*arguments, engine=LocalEngine(workers or 1, _tell), **named)
        from worldforge.core.ray_pool import RayEngine

        with RayEngine(workers, _tell) as cluster:
            return command(*arguments, engine=cluster, **named)

    text = "`local`: processes of this machine. `ray`: the cluster at $RAY_ADDRESS, or one begun here."
    engine = click.option(
        "--engine", type=click.Choice(["local", "ray"]), default="local", show_default=True, help=text
    )
    text = "How many workers. Default: 1; with Ray, as many as there is room for."
    return cast(Command, engine(click.option("--workers", type=click.IntRange(1, 1024), help=text)(handed)))


def _tell(text: str) -> None:
    click.echo(text, err=True)


def prose_model_option(command: Command) -> Command:
    """Add `--model`: who words pages where the spec says so. An address comes from who types it, never from a spec."""
    text = "Address of the model that words pages of `prose: model`: vllm:Qwen/Qwen3-8B."
    return click.option("--model", metavar="ADDRESS", help=text)(command)


def embedder_option(command: Command) -> Command:
    """Add `--embedder`: where the model is that searches by vectors. It goes to the environment, for workers' sake."""
    text = "Address of the model of a world's vectors: vllm:Qwen/Qwen3-Embedding-0.6B. Default: $WORLDFORGE_EMBEDDER."
    return click.option("--embedder", metavar="ADDRESS", help=text, expose_value=False, callback=_embedder)(command)


def _embedder(_context: click.Context, _option: click.Parameter, address: str | None) -> None:
    if address is not None:
        from worldforge.models.embedding import VARIABLE, embedder_address

        os.environ[VARIABLE] = address
        embedder_address()  # refused at once where it cannot be, whether it will be asked or not


def own_environment_option(command: Command) -> Command:
    """Add `--allow-code`: environments and tools of one's own may be imported from the current folder."""
    text = "Let environments and tools of yours, `module:Class`, be imported from the current folder."
    return click.option("--allow-code", is_flag=True, help=text, expose_value=False, callback=_allow_code)(command)


def _allow_code(_context: click.Context, _option: click.Parameter, allowed: bool) -> None:
    from worldforge.environments.registry import allow_code

    allow_code(Path() if allowed else None)


def fresh_option(command: Command) -> Command:
    """Add `--fresh`: begin anew."""
    return click.option("--fresh", is_flag=True, help="Do everything again, whatever is there.")(command)


def read_spec(
    spec: str,
    overrides: Sequence[str],
    allow_code: bool,
    on_warning: Callable[[Problem], None] | None = None,
) -> tuple[WorldSpec, Path | None]:
    """Load what `spec_options` brought, the environment's settings included; `on_warning` is told what is hardly meant.

    Also returns the folder that the spec's own code may be imported from: None where the user did not allow it.
    """
    from worldforge.schema.spec_loader import load_foreign_spec, load_spec

    if spec.startswith("hf://"):
        text = _spec_on_hub(spec, allow_code)
        return load_foreign_spec(text, spec, overrides, os.environ, on_warning), None
    path = Path(spec)
    code_from = (path if path.is_dir() else path.parent) if allow_code else None
    return load_spec(spec, overrides, code_from, os.environ, on_warning), code_from


def _spec_on_hub(address: str, allow_code: bool) -> str:
    """Fetch the spec of a dataset on the Hub, `hf://owner/name[@revision]`; code is never taken from there."""
    from worldforge.core.errors import InputError
    from worldforge.datasets.hub_client import fetch_text
    from worldforge.schema.yaml_tree import MAX_CHARACTERS

    if allow_code:
        raise InputError("code is never taken from the Hub", "download the dataset, read its code, and build its spec")
    return fetch_text(address, "spec/spec.yaml", 4 * MAX_CHARACTERS)
