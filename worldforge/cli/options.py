"""Arguments and options that several commands share, and what they are turned into."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from worldforge.core.errors import InputError

if TYPE_CHECKING:
    from worldforge.schema.problems import Problem
    from worldforge.schema.spec import WorldSpec

Command = TypeVar("Command", bound=Callable[..., Any])
PATH = click.Path(path_type=Path)
POSITIVE = click.IntRange(1)
NOT_NEGATIVE = click.IntRange(0)
SEED = click.IntRange(0, 2**63 - 1)
RATIO = click.FloatRange(0, 1, min_open=True)
FLAG = click.UNPROCESSED
"""The type of an option that is given or not, and takes no value."""


def option(names: str, text: str, kind: Any = None, **settings: Any) -> Callable[[Command], Command]:
    """Return an option of click, with its help and its type; a default is shown in the help.

    `names` are separated by spaces: `--view views` is passed on as `views`.
    """
    settings |= {"is_flag": True} if kind is FLAG else {"type": kind}
    settings.setdefault("show_default", settings.get("default") not in (None, "", 0))
    return click.option(*names.split(), help=text, **settings)


def combined(*decorators: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Return one decorator that adds arguments and options in this order."""
    return lambda command: functools.reduce(lambda done, add: add(done), reversed(decorators), command)


def out_option(text: str) -> Callable[[Command], Command]:
    """Return `-o`, which names a file or folder to write."""
    return option("-o --out", text, PATH)


def _set_embedder(_context: click.Context, _option: click.Parameter, address: str | None) -> None:
    if address is not None:
        from worldforge.models.embedding import VARIABLE, embedder_address

        os.environ[VARIABLE] = address  # workers read it there
        embedder_address()  # raises InputError for a bad address


def _allow_code(_context: click.Context, _option: click.Parameter, allowed: bool) -> None:
    from worldforge.environments.registry import allow_code

    allow_code(Path() if allowed else None)


spec_options = combined(
    click.argument("spec"),
    option("--set overrides", "Override a value of the spec; may be repeated.", multiple=True, metavar="A.B=C"),
    option("--allow-code", "Let the spec import Python code that lies beside it.", FLAG),
)
world_argument = click.argument("world", type=PATH)
json_option = option("--json as_json", "Print JSON on stdout.", FLAG)
runs_options = combined(
    option("--run runs", "A run to take; may be repeated. Default: every finished one.", multiple=True),
    option(
        "--trajectories",
        "Where the runs are: the `--out` of `rollout`. Default: WORLD/trajectories.",
        PATH,
        metavar="FOLDER",
    ),
)
embedder_option = option(
    "--embedder",
    "Address of the model of a world's vectors: vllm:Qwen/Qwen3-Embedding-0.6B. Default: $WORLDFORGE_EMBEDDER.",
    metavar="ADDRESS",
    expose_value=False,
    callback=_set_embedder,
)
own_environment_option = option(
    "--allow-code",
    "Let environments and tools of yours, `module:Class`, be imported from the current folder.",
    FLAG,
    expose_value=False,
    callback=_allow_code,
)


def engine_options(command: Command) -> Command:
    """Add `--engine` and `--workers`; the command gets an `Engine` as `workers`."""

    @functools.wraps(command)
    def with_engine(*arguments: Any, engine: str, workers: int | None, **others: Any) -> Any:
        warn = functools.partial(click.echo, err=True)
        if engine == "local":
            from worldforge.core.local_pool import LocalEngine

            return command(*arguments, workers=LocalEngine(workers or 1, warn), **others)
        from worldforge.core.ray_pool import RayEngine

        with RayEngine(workers, warn) as cluster:
            return command(*arguments, workers=cluster, **others)

    text = "`local`: processes of this machine. `ray`: the cluster at $RAY_ADDRESS, or one begun here."
    add_options = combined(
        option("--engine", text, click.Choice(["local", "ray"]), default="local"),
        option(
            "--workers",
            "How many workers. Default: 1; with Ray, as many as there is room for.",
            click.IntRange(1, 1024),
        ),
    )
    return cast(Command, add_options(with_engine))


workers_option = option("--workers", "How many processes of this machine.", click.IntRange(1, 1024), default=1)

build_options = combined(
    spec_options,
    out_option("The world's folder. Default: output/<name>."),
    engine_options,
    option(
        "--model", "Address of the model that words pages of `prose: model`: vllm:Qwen/Qwen3-8B.", metavar="ADDRESS"
    ),
    embedder_option,
    option("--fresh", "Do everything again, whatever is there.", FLAG),
)


def read_spec(
    spec: str,
    overrides: Sequence[str],
    allow_code: bool,
    on_warning: Callable[[Problem], None] | None = None,
) -> tuple[WorldSpec, Path | None]:
    """Load the spec that `spec_options` name, with the settings of the environment; pass warnings to `on_warning`.

    Also returns the folder that the spec's own code may be imported from: None where the user did not allow it.
    """
    from worldforge.schema.spec_loader import load_foreign_spec, load_spec

    if spec.startswith("hf://"):
        text = _fetch_spec(spec, allow_code)
        return load_foreign_spec(text, spec, overrides, os.environ, on_warning), None
    path = Path(spec)
    code_from = (path if path.is_dir() else path.parent) if allow_code else None
    return load_spec(spec, overrides, code_from, os.environ, on_warning), code_from


def _fetch_spec(address: str, allow_code: bool) -> str:
    """Fetch the spec of a dataset on the Hub, `hf://owner/name[@revision]`; code is never taken from there."""
    from worldforge.datasets.hub_client import fetch_text
    from worldforge.schema.document import MAX_CHARACTERS

    if allow_code:
        raise InputError("code is never taken from the Hub", "download the dataset, read its code, and build its spec")
    return fetch_text(address, "spec/spec.yaml", 4 * MAX_CHARACTERS)
