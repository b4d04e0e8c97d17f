"""Services outside this machine: the login of the Hub (never shown, never sent), and the Ray cluster that is named."""

from __future__ import annotations

import os
import socket
from dataclasses import replace
from urllib.parse import urlsplit

from worldforge.core.redaction import redacted
from worldforge.doctor import packages
from worldforge.doctor.check import CheckResult

_TIMEOUT_S = 3.0
_RAY_PORT = 6379
_LOCAL = ("", "local", "auto")


def check_hub_token() -> CheckResult:
    """Look whether there is a token for the Hub."""
    from worldforge.datasets.hub_client import has_token

    if has_token():
        return CheckResult("ok", "there is a token", details={"token": True})
    return CheckResult("note", "no token", "to push datasets: `hf auth login`, or set HF_TOKEN", {"token": False})


def check_ray_cluster() -> CheckResult:
    """Look whether Ray is installed, and whether something answers where RAY_ADDRESS points."""
    address = os.environ.get("RAY_ADDRESS", "").strip()
    shown = redacted(address)
    details = {"address": shown}
    installed = packages.check_extra("ray")
    if installed.state != "ok":
        named = f"; RAY_ADDRESS names {shown}, which was not tried" if address not in _LOCAL else ""
        return replace(installed, found=installed.found + named, details=installed.details | details)
    if address in _LOCAL:
        return CheckResult("ok", f"{installed.found}; RAY_ADDRESS names no cluster", details=details)
    try:
        parts = urlsplit(address if "://" in address else f"ray://{address}")
        host, port = parts.hostname or "", parts.port or _RAY_PORT
        with socket.create_connection((host, port), timeout=_TIMEOUT_S):
            return CheckResult("ok", f"{shown} answers", details=details)
    except (OSError, ValueError) as error:
        do = "start the cluster (`ray start --head`), correct RAY_ADDRESS, or unset it"
        return CheckResult("broken", f"{shown} does not answer: {error}", do, details)
