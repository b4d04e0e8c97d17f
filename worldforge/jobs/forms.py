"""What a verb takes, as jobs need to know it: its argument, its options. The command line says so (`cli/jobs.py`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from worldforge.core.redaction import holds_secret
from worldforge.core.spelling import did_you_mean

VERBS = ("build", "audit", "rollout", "rescore", "score", "export", "push")
"""The verbs that can be steps of a job. Each goes on where it stood when it is run again, and takes `--json`."""
OWN_KEYS = ("set", "spec", "allow_code")
"""What a step `build` takes beside its options, in place of the job's own."""
_KINDS = {"set": dict, "allow_code": bool}
_SAID = {str: "text", dict: "a mapping of paths to values", bool: "`true` or `false`"}


@dataclass(frozen=True, slots=True)
class OptionForm:
    """An option: how it is written, and `refusal`, which says what is wrong with a value (empty: nothing)."""

    flag: str
    is_flag: bool
    multiple: bool
    refusal: Callable[[str], str]


@dataclass(frozen=True, slots=True)
class VerbForm:
    """A verb: the name of its argument (`world`), its options by key (`max_steps`), and those it cannot do without."""

    argument: str
    options: Mapping[str, OptionForm]
    required: tuple[str, ...]


Forms = Mapping[str, VerbForm]


def defaults_of(verb: str, form: VerbForm) -> dict[str, str]:
    """Return what a verb is given where its step does not say it: the world of the run."""
    given = {} if verb in ("build", "score") else {form.argument: "{world}"}
    return given | {"build": {"out": "{world}"}, "score": {"tasks": "{world}"}}.get(verb, {})


def key_of(key: str) -> str:
    """Return the key of an option as forms have it, however it is written: `max-steps` is `max_steps`."""
    return key.replace("-", "_")


def written(option: OptionForm, value: Any) -> list[str]:
    """Write an option with its value as arguments; one that is false is left out."""
    if option.is_flag:
        return [option.flag] if value else []
    return [f"{option.flag}={text(item)}" for item in (value if isinstance(value, list) else [value])]


def text(value: Any) -> str:
    """Write a scalar as the command line takes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def faults_of(verb: str, given: Mapping[str, Any], form: VerbForm) -> Iterator[tuple[str, str, str]]:
    """Give what is wrong with a step's options: the key (empty: the step itself), what, and a hint."""
    known = [*form.options, form.argument] if verb != "build" else [*form.options, *OWN_KEYS]
    keys = {key_of(key) for key in given}
    for key, value in given.items():
        name = key_of(key)
        option = form.options.get(name)
        if name not in known or (name in OWN_KEYS and verb != "build"):
            yield key, f"`worldforge {verb}` takes no `{key}`", did_you_mean(name, known)
        elif option is not None and (said := _refusal(option, value)):
            yield key, said, f"see `worldforge {verb} --help`"
        elif option is None and not isinstance(value, kind := _KINDS.get(name, str)):
            yield key, f"must be {_SAID[kind]}", ""
    for name in form.required:
        if name not in keys and name not in defaults_of(verb, form):
            yield "", f"`worldforge {verb}` needs `{name}`", f"see `worldforge {verb} --help`"


def _refusal(option: OptionForm, value: Any) -> str:
    if option.is_flag:
        return "" if isinstance(value, bool) else "must be `true` or `false`"
    if isinstance(value, list) and not option.multiple:
        return "takes one value, not a list"
    for item in value if isinstance(value, list) else [value]:
        if not isinstance(item, str | int | float) or isinstance(item, bool):
            return "must be text or a number"
        if "\0" in str(item):
            return "holds a character that no command can take"
        if "://" in str(item) and holds_secret(str(item)):
            return "must not hold a key or a password: name the environment variable that does, `?api_key_env=MY_KEY`"
        if said := option.refusal(text(item)):
            return said
    return ""
