"""Keep secrets out of logs, records of commands and messages.

Removed are the values of environment variables with secret names, and passwords and keys in the addresses that other
variables hold; the values of options, headers and keys with such names; passwords in addresses; and well-known forms of
tokens. Names stay, so that the reader sees what was given.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import quote

HIDDEN = "…"
_LEAST = 8  # characters of a variable's value below which it may be any word
_NOUNS = (
    r"token|secret|password|passwd|passphrase|pwd|api[_-]?key|access[_-]?key|private[_-]?key|authorization|credentials?"
)
_SECRET = rf"[\w-]*(?:{_NOUNS})"
_NAME = re.compile(_SECRET, re.IGNORECASE)
_VARIABLE = re.compile(rf"{_SECRET}|\w+_(?:key|pat|pass|auth)", re.IGNORECASE)
_NOT_SECRET = ("PWD", "OLDPWD")
"""The shell's working folder, which is no password."""
_VALUE = r"(?:(bearer|basic)(?:\s+|%20|\+))?([^\s,;&\"'}}]+)"
_ASSIGNMENT = re.compile(rf"(?i)\b({_SECRET})([\"']?\s*[=:]\s*[\"']?){_VALUE}")
_OPTION = re.compile(rf"(?i)(?<!\S)(--?{_SECRET})(\s+){_VALUE}")
_IN_QUERY = re.compile(r"(?i)([?&](?:key|sig|signature|auth))(=)()([^\s&\"'#]+)")
_SCHEME = re.compile(r"(?i)\b(bearer)(\s+)()((?=\S*\d)[\w.~+/-]{8,}=*)")
_IN_ADDRESS = re.compile(r"(?<=://)(?:[^/\s@\"']+|[^\s:/@\"']+:[^\s\"'<>]*)(?=@)")
_TOKEN_FORM = re.compile(
    r"\b(?:hf_[A-Za-z0-9]{16,}|sk-[\w-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|AKIA[0-9A-Z]{16}|eyJ[\w-]{10,}\.[\w-]+\.[\w-]+)"
)
_BY_NAME = (_ASSIGNMENT, _OPTION, _IN_QUERY, _SCHEME)


def secrets_of(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the secrets in an environment, the longest first: one may be a part of another."""
    values = {form for name, value in environment.items() for one in _secrets_in(name, value) for form in _forms(one)}
    return tuple(sorted(values, key=len, reverse=True))


def redacted(text: str, secrets: Iterable[str] = ()) -> str:
    """Return `text` without secrets, those of `secrets` among them."""
    for secret in secrets:
        text = text.replace(secret, HIDDEN)
    text = _IN_ADDRESS.sub(HIDDEN, text)
    text = _TOKEN_FORM.sub(HIDDEN, text)
    for pattern in _BY_NAME:
        text = pattern.sub(rf"\1\g<2>{HIDDEN}", text)
    return text


def without_secrets(text: str) -> str:
    """Return `text` without secrets, those that this process' environment holds among them."""
    return redacted(text, secrets_of(os.environ))


def first_line(error: BaseException) -> str:
    """Return the first line of an error that says something, or else its kind; without secrets."""
    lines = (line.strip() for line in without_secrets(str(error)).splitlines())
    return next((line for line in lines if line), type(error).__name__)[:500]


def holds_secret(text: str) -> bool:
    """Say whether there is a secret in an address or the like."""
    return without_secrets(text) != text


def redacted_arguments(arguments: Iterable[str]) -> list[str]:
    """Return the arguments of a command without secrets: `--token VALUE` is two of them."""
    secrets, safe, hide_next = secrets_of(os.environ), list[str](), False
    for argument in arguments:
        safe.append(HIDDEN if hide_next else redacted(argument, secrets))
        hide_next = argument.startswith("-") and _NAME.fullmatch(argument.lstrip("-")) is not None
    return safe


def _secrets_in(name: str, value: str) -> Iterator[str]:
    """Yield the secrets in a variable: its whole value if its name is secret, else those of the addresses in it."""
    if _VARIABLE.fullmatch(name) and name not in _NOT_SECRET:
        yield value
    if "://" in value:
        yield from (found[0].rpartition(":")[2] for found in _IN_ADDRESS.finditer(value))
        yield from (found[4] for pattern in (_ASSIGNMENT, _IN_QUERY) for found in pattern.finditer(value))


def _forms(secret: str) -> set[str]:
    """Return how a secret may be written: as it is, within JSON, within an address."""
    forms = {secret, json.dumps(secret)[1:-1], quote(secret, safe="")}
    return {form for form in forms if len(secret) >= _LEAST}
