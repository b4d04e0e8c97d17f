"""Find environments and dialects by name: shipped ones, and users' by import string.

environment_named("search")                         SearchEnvironment
environment_named("my_module:MyEnvironment")        imported where that was allowed, see `allow_code`
dialect_named("plain+find_in_page")                 a dialect with a further tool
"""

from __future__ import annotations

import sys
from pathlib import Path

from worldforge.core.errors import InputError
from worldforge.core.imports import load
from worldforge.environments.dialect import Dialect, Domain
from worldforge.environments.environment import Environment
from worldforge.environments.extra_tools import tool_named
from worldforge.environments.shipped import DEFAULT, SHIPPED, shipped_class

_UNKNOWN = Domain(
    name="environment",
    grounded=True,
    role="You are the environment of an agent, which calls its tools; you write what they bring.",
    observations="A call is answered as the description of its tool says.",
)
_OWN: dict[str, type[Environment]] = {}
_ALLOWED: list[Path] = []


def allow_code(folder: Path | None) -> None:
    """Allow this process to import users' environments and tools from `folder`; None: not at all."""
    _ALLOWED[:] = [folder] if folder is not None else []


def register(environment: type[Environment]) -> str:
    """Register a user's environment in this process; return its name, `module:Class`."""
    reference = f"{environment.__module__}:{environment.__qualname__}"
    _OWN[reference] = environment
    return reference


def environment_named(name: str) -> type[Environment]:
    """Return an environment. Raises InputError where there is none, or where its code was not allowed."""
    if name in SHIPPED:
        found: type[Environment] = shipped_class(name)
        return found
    if name not in _OWN:
        if ":" not in name:
            raise InputError(
                f"there is no environment `{name}`", f"there are {', '.join(SHIPPED)}, or yours: `module:Class`"
            )
        module, _, class_name = name.partition(":")
        imported = getattr(sys.modules.get(module), class_name, None)  # what is imported already needs no permission
        own = imported or load(name, _ALLOWED[0] if _ALLOWED else None)
        if not (isinstance(own, type) and issubclass(own, Environment)):
            raise InputError(f"`{name}` is no environment", "it is to be a class that extends `Environment`")
        _OWN[name] = own
    return _OWN[name]


def name_of(environment: type[Environment]) -> str:
    """Return the name by which `environment_named` finds an environment again."""
    reference = f"{environment.__module__}:{environment.__qualname__}"
    shipped = next((name for name, place in SHIPPED.items() if place == reference), None)
    return shipped or register(environment)


def dialect_of(environment: type[Environment], name: str = "") -> Dialect:
    """Return a dialect of an environment, its default for an empty name; `NAME+TOOL` has a further tool.

    Raises InputError where there is none.
    """
    base, *tools = name.split("+")
    dialect = environment.dialects.get(base or next(iter(environment.dialects)))
    if dialect is None:
        known = ", ".join(environment.dialects)
        raise InputError(f"the {environment.name} environment has no dialect `{base}`", f"it has {known}")
    if not tools:
        return dialect
    added = [tool_named(tool, environment.extra_tools, _ALLOWED[0] if _ALLOWED else None) for tool in tools]
    return dialect.with_tools("+".join([dialect.name, *tools]), added)


def environment_speaking(dialect: str) -> type[Environment]:
    """Return the environment that has a dialect. Raises InputError where none has."""
    base = dialect.partition("+")[0]
    known: dict[str, type[Environment]] = {}
    for name in (*SHIPPED, *_OWN):
        known |= dict.fromkeys(environment_named(name).dialects, environment_named(name))
        if base in known:
            return known[base]
    raise InputError(f"there is no dialect `{base}`", f"the dialects are {', '.join(known)}")


def dialect_named(name: str = "") -> Dialect:
    """Return the dialect called `name` of any environment; without a name the default environment's default.

    Raises InputError where there is none.
    """
    return dialect_of(environment_speaking(name) if name else environment_named(DEFAULT), name)


def shipped_domains() -> list[Domain]:
    """Return the domains that the shipped environments ground, each once."""
    dialects = [dialect for name in SHIPPED for dialect in environment_named(name).dialects.values()]
    return list({dialect.domain.name: dialect.domain for dialect in dialects}.values())


def domain_of_run(name: str) -> Domain:
    """Return the world model's domain in a run's environment; a general one for an unknown environment.

    Raises InputError where it is code of one's own that was not allowed.
    """
    if name.partition("/")[0] not in SHIPPED and ":" not in name:
        return _UNKNOWN
    return environment_of_run(name)[1].domain


def environment_of_run(name: str) -> tuple[type[Environment], Dialect]:
    """Return environment and dialect of a run, named `search/plain`. Raises InputError where there is no such."""
    kind, _, dialect = name.partition("/")
    environment = environment_named(kind)
    return environment, dialect_of(environment, dialect)
