"""Keeps secrets out of what is written for others to read: logs, records of commands.

Taken out are the values of environment variables whose names say that they hold a secret, what is given to an option or
a key of such a name, passwords in addresses, and what has the form of a well-known token. Names are kept, so that one
sees what was given.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping

HIDDEN = "…"
_LEAST = 8  # characters of a variable's value below which it may be any word
_SECRET = r"(?:[\w-]*[_-])?(?:token|secret|password|passwd|api[_-]?key|access[_-]?key|authorization)"
_NAME = re.compile(_SECRET, re.IGNORECASE)
_GIVEN = re.compile(rf"(?i)\b({_SECRET})(\s*[=:]\s*)(?:(bearer|basic)\s+)?([^\s,;&\"'}}]+)")
_IN_ADDRESS = re.compile(r"(?<=://)[^/\s@]+(?=@)")
_SHAPED = re.compile(
    r"\b(?:hf_[A-Za-z0-9]{16,}|sk-[\w-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|AKIA[0-9A-Z]{16}|eyJ[\w-]{10,}\.[\w-]+\.[\w-]+)"
)


def secrets_of(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the secrets that stand in an environment, the longest first: one may be a part of another."""
    values = {value for name, value in environment.items() if len(value) >= _LEAST and _NAME.fullmatch(name)}
    return tuple(sorted(values, key=len, reverse=True))


def redacted(text: str, secrets: Iterable[str] = ()) -> str:
    """Return `text` without secrets, those of `secrets` among them."""
    for secret in secrets:
        text = text.replace(secret, HIDDEN)
    text = _IN_ADDRESS.sub(HIDDEN, text)
    text = _SHAPED.sub(HIDDEN, text)
    return _GIVEN.sub(rf"\1\g<2>{HIDDEN}", text)


def redacted_arguments(arguments: Iterable[str]) -> list[str]:
    """Return the arguments of a command without secrets: `--token VALUE` is two of them."""
    secrets, safe, due = secrets_of(os.environ), list[str](), False
    for argument in arguments:
        safe.append(HIDDEN if due else redacted(argument, secrets))
        due = argument.startswith("-") and _NAME.fullmatch(argument.lstrip("-")) is not None
    return safe
