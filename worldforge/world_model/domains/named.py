"""Domains by name: the seven that Qwen-AgentWorld was trained on."""

from __future__ import annotations

from collections.abc import Mapping

from worldforge.core.errors import InputError
from worldforge.environments.database.domain import MCP_DOMAIN
from worldforge.environments.domain import Domain
from worldforge.environments.search.domain import SEARCH_DOMAIN
from worldforge.world_model.domains.android import ANDROID
from worldforge.world_model.domains.desktop import OS
from worldforge.world_model.domains.swe import SWE
from worldforge.world_model.domains.terminal import TERMINAL
from worldforge.world_model.domains.web import WEB

DOMAINS: Mapping[str, Domain] = {
    domain.name: domain for domain in (SEARCH_DOMAIN, MCP_DOMAIN, TERMINAL, SWE, WEB, ANDROID, OS)
}


def domain_named(name: str) -> Domain:
    """Return the domain called `name`. Raises InputError where there is none."""
    domain = DOMAINS.get(name)
    if domain is None:
        raise InputError(f"there is no domain `{name}`", f"the domains are {', '.join(DOMAINS)}")
    return domain
