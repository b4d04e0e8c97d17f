"""Write the reference pages of the documentation from the code. MkDocs runs it as a hook; tests call `pages()`."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

import worldforge
from worldforge.cli.main import worldforge as root
from worldforge.cli.verbs import VERBS
from worldforge.core.errors import WorldForgeError
from worldforge.core.imports import load, shipped
from worldforge.datasets.view import load_views
from worldforge.environments.controls.control_plan import ControlPlan
from worldforge.jobs.jobs_file import jobs_json_schema
from worldforge.schema.phrasebook import Book
from worldforge.schema.spec_json_schema import json_schema

NOTE = "*This page is generated from the code.*"


def on_files(files: Any, config: Any) -> Any:
    """Add the reference pages to the site (a MkDocs hook)."""
    from mkdocs.structure.files import File

    for name, text in pages().items():
        files.append(File.generated(config, f"reference/{name}.md", content=text))
    return files


def pages() -> dict[str, str]:
    """Return the Markdown of every reference page, by name."""
    written = {
        "spec": ("Keys of world.yaml", _schema(json_schema(), "world.yaml")),
        "phrasebook": ("Keys of a phrasebook", _schema(Book.model_json_schema(), "Book")),
        "jobs": ("Keys of jobs.yaml", _schema(jobs_json_schema(), "jobs.yaml")),
        "controls": ("Controls", _schema(ControlPlan.model_json_schema(), "ControlPlan")),
        "generators": ("Shipped generators", _generators()),
        "commands": ("Commands", _commands()),
        "views": ("Dataset views", _views()),
        "columns": ("Columns", _columns()),
        "python": ("Python", _python()),
        "errors": ("Errors and exit codes", _errors()),
    }
    return {name: "\n".join([f"# {title}\n", NOTE + "\n", *lines]) + "\n" for name, (title, lines) in written.items()}


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> list[str]:
    lines = [_row(head), _row(("---",) * len(head)), *map(_row, rows)]
    return [*lines, ""] if len(lines) > 2 else []


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |"


def _schema(schema: dict[str, Any], title: str) -> Iterator[str]:
    """Write one table for the top of a JSON schema and one for each section that it refers to."""
    sections = ({} if "$ref" in schema else {title: schema}) | schema.get("$defs", {})
    for name, section in sections.items():
        keys = section.get("properties", {})
        yield f"## {name}\n"
        yield _prose(section.get("description", "")) + "\n"
        yield from _table(
            ("key", "type", "default", "meaning"),
            ((f"`{key}`", _type(value), _default(value), _meaning(value, schema)) for key, value in keys.items()),
        )


def _type(value: dict[str, Any]) -> str:
    """Name the type of a JSON schema node, with a link to the section that it refers to."""
    if reference := value.get("$ref"):
        name = reference.rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "enum" in value or "const" in value:
        return ", ".join(f"`{one}`" for one in value.get("enum", [value.get("const")]))
    if parts := value.get("anyOf") or value.get("oneOf"):
        return " or ".join(dict.fromkeys(_type(part) for part in parts if part.get("type") != "null"))
    if value.get("type") == "array":
        return f"list of {_type(value.get('items', {}))}"
    if value.get("type") == "object":
        inner = value.get("additionalProperties") or next(iter(value.get("patternProperties", {}).values()), None)
        return f"mapping to {_type(inner)}" if isinstance(inner, dict) else "mapping"
    kinds = value.get("type", "any value")
    return f"{' or '.join(kinds) if isinstance(kinds, list) else kinds}{_range(value)}"


def _range(value: dict[str, Any]) -> str:
    signs = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
    bounds = [f"{sign} {value[key]:,}" for key, sign in signs.items() if key in value]
    return f" {', '.join(bounds)}" if bounds else ""


def _default(value: dict[str, Any]) -> str:
    default = value.get("default")
    return "" if default in (None, "", {}, []) or isinstance(default, dict) else f"`{default}`"


def _meaning(value: dict[str, Any], schema: dict[str, Any]) -> str:
    """Return a key's description, else that of the section it refers to."""
    if "description" in value:
        return _prose(value["description"])
    references = [part.get("$ref", "") for part in (value, *value.get("anyOf", ()))]
    targets = [schema.get("$defs", {}).get(reference.rpartition("/")[2], {}) for reference in references]
    return _prose(next((target["description"] for target in targets if "description" in target), ""))


def _prose(text: str) -> str:
    """Put a description into one line, and escape `<` outside code, which Markdown would read as HTML."""
    return re.sub(r"`[^`]*`|<", lambda found: found[0].replace("<", "&lt;", found[0] == "<"), " ".join(text.split()))


def _generators() -> Iterator[str]:
    for kind in ("names", "values", "pages", "questions"):
        yield f"## {kind}\n"
        yield from _table(
            ("generator", "parameters", "gives"),
            (
                (f"`{name}`", ", ".join(_parameters(load(name))), _first_line(load(name)))
                for name in shipped()
                if name.startswith(f"{kind}.")
            ),
        )


def _parameters(function: Any) -> Iterator[str]:
    for one in list(inspect.signature(function).parameters.values())[2:]:
        given = "" if one.default is inspect.Parameter.empty else f" = {one.default!r}"
        yield f"`{one.name}{given}`"


def _first_line(thing: Any) -> str:
    return _prose((inspect.getdoc(thing) or "").partition("\n\n")[0])


def _commands() -> Iterator[str]:
    context = click.Context(root)
    yield "## worldforge\n"
    yield from _options(root)
    for verb in VERBS:
        yield from _command(verb, root.get_command(context, verb))


def _command(path: str, command: Any) -> Iterator[str]:
    """Write a command, its arguments and options, and the commands below it."""
    arguments = [one.make_metavar(click.Context(command)) for one in command.params if isinstance(one, click.Argument)]
    yield f"## worldforge {path}\n"
    yield f"    {' '.join(['worldforge', path, '[OPTIONS]', *arguments])}\n"
    yield _prose((command.help or "").replace("\b", "")) + "\n"
    yield from _options(command)
    for name, below in getattr(command, "commands", {}).items():
        yield from _command(f"{path} {name}", below)


def _options(command: click.Command) -> list[str]:
    options = [one for one in command.params if isinstance(one, click.Option)]
    return _table(
        ("option", "takes", "meaning"), ((_flags(one), _takes(one), _prose(one.help or "")) for one in options)
    )


def _flags(option: click.Option) -> str:
    return ", ".join(f"`{flag}`" for flag in [*option.opts, *option.secondary_opts])


def _takes(option: click.Option) -> str:
    if option.is_flag:
        return ""
    if isinstance(option.type, click.Choice):
        return ", ".join(f"`{one}`" for one in option.type.choices)
    return option.make_metavar(click.Context(root))


def _views() -> Iterator[str]:
    yield "Export one with `worldforge export WORLD --view NAME`, all with `--view all`.\n"
    yield from _table(
        ("view", "readers", "made from", "columns"),
        (
            (
                f"`{one.name}`",
                one.readers,
                one.takes,
                f"[{len(one.columns)}](columns.md#{one.name})" if one.columns else "",
            )
            for one in load_views(["all"])
        ),
    )


def _columns() -> Iterator[str]:
    for view in load_views(["all"]):
        if view.columns:
            yield f"## {view.name}\n"
            yield from _table(
                ("column", "type", "meaning"),
                ((f"`{name}`", f"`{kind}`"[:60], _prose(meaning)) for name, kind, meaning in view.columns),
            )


def _python() -> Iterator[str]:
    yield "The public names of the package `worldforge`. Everything else may change without notice.\n"
    for name in worldforge.__all__:
        thing = getattr(worldforge, name)
        yield f"## {name}\n\n```text\n{name}{_signature(thing)}\n```\n"
        yield inspect.getdoc(thing) or ""
        members = [(member, getattr(thing, member)) for member in sorted(_members(thing))]
        yield ""
        yield from _table(
            ("member", "gives"),
            ((f"`{member}`", _first_line(value)) for member, value in members if member[0] != "_" and value.__doc__),
        )


def _members(thing: Any) -> set[str]:
    """Name what a class of our own, or one that it extends, defines."""
    classes = [one for one in getattr(thing, "__mro__", ()) if one.__module__.startswith("worldforge")]
    return {name for one in classes for name in vars(one) if hasattr(thing, name)}


def _signature(function: Any) -> str:
    """Write a signature, one parameter a line."""
    parameters = inspect.signature(function, eval_str=False)
    written = [re.sub(r": '([^']*)'", r": \1", str(one)) for one in parameters.parameters.values()]
    returned = parameters.return_annotation
    return f"({''.join(f'{chr(10)}    {one},' for one in written)}\n)" + (f" -> {returned}" if returned else "")


def _errors() -> Iterator[str]:
    yield "A failed command prints one message with a hint to stderr and ends with the exit code of its error.\n"
    codes = {0: "done", 1: "failed", 2: "the input is wrong", 3: "a quality gate did not hold", 4: "done in part"}
    codes[130] = "interrupted; the same command continues"
    yield from _table(("exit code", "meaning"), ((f"`{code}`", text) for code, text in codes.items()))
    yield from _table(
        ("error", "is a", "exit code", "raised when"),
        (
            (f"`{one.__module__}.{one.__name__}`", f"`{one.__base__.__name__}`", f"`{one.exit_code}`", _first_line(one))
            for one in errors()
        ),
    )


def errors() -> list[type[WorldForgeError]]:
    """Return every class of error that a person can meet, parents first."""
    home = Path(worldforge.__file__).parent
    for path in home.glob("**/*.py"):
        if re.search(r"^class \w+Error\(", path.read_text(encoding="utf-8"), re.MULTILINE):
            importlib.import_module(".".join(path.relative_to(home.parent).with_suffix("").parts))
    found: list[type[WorldForgeError]] = [WorldForgeError]
    for one in found:
        found.extend(one.__subclasses__())
    return found
