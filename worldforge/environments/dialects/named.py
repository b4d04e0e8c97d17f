"""Dialects by name."""

from __future__ import annotations

from collections.abc import Mapping

from worldforge.core.errors import InputError
from worldforge.environments.dialects.agentworld import AGENT_WORLD
from worldforge.environments.dialects.dialect import Dialect
from worldforge.environments.dialects.mcp import MCP
from worldforge.environments.dialects.plain import PLAIN
from worldforge.environments.dialects.widesearch import WIDE_SEARCH

SEARCH_DIALECTS: Mapping[str, Dialect] = {dialect.name: dialect for dialect in (AGENT_WORLD, WIDE_SEARCH, PLAIN)}
"""Dialects of the search environment."""
DIALECTS: Mapping[str, Dialect] = {**SEARCH_DIALECTS, MCP.name: MCP}


def dialect_named(name: str) -> Dialect:
    """Return the dialect called `name`. Raises InputError where there is none."""
    dialect = DIALECTS.get(name)
    if dialect is None:
        raise InputError(f"there is no dialect `{name}`", f"the dialects are {', '.join(DIALECTS)}")
    return dialect
