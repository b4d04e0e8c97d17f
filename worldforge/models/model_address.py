"""A model's address: which backend, which model, with which settings, in one line of text.

vllm:Qwen/Qwen3-8B                              in this process; a name on the Hub, or a folder
vllm:models/mine?max_model_len=32768&tool_parser=hermes&quantization=fp8
openai:Qwen/Qwen3-8B@http://127.0.0.1:8000/v1   any server that speaks the OpenAI chat API
openai:Qwen/Qwen3-8B@http://a:8000/v1,http://b:8000/v1   several servers of the same model
scripted:replies.jsonl                          replies from a file
qwen-agentworld                                 a named profile, see `profiles`
qwen3?max_model_len=8192                        a profile, with one setting changed
qwen3:models/mine                               a profile's settings for another model of its family
qwen3@http://127.0.0.1:8000/v1                  a profile's model and sampling, at a server
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

from worldforge.core.errors import InputError
from worldforge.core.redaction import holds_secret, without_secrets
from worldforge.core.suggestions import did_you_mean
from worldforge.models.address_settings import (
    BACKENDS,
    AddressSettings,
    Backend,
    SamplingSettings,
    parse_settings,
    without_misplaced_key,
    write_query,
    write_settings,
)
from worldforge.models.chat import Sampling
from worldforge.models.profiles import own_profiles, shipped_profiles

_SHAPE = re.compile(r"(?:(?P<head>[A-Za-z][\w.-]*):)?(?P<model>.*?)(?:@(?P<url>https?://.*))?", re.DOTALL)


_NOTHING_SET = AddressSettings()


@dataclass(frozen=True, slots=True)
class ModelAddress:
    """Where a model is, and how it is used. Hashable, pickles, and holds no secret: a key is named, never written.

    `endpoints` are the base addresses of servers of the model; none for the one that the openai package falls back on.
    """

    backend: Backend
    model: str
    endpoints: tuple[str, ...] = ()
    settings: AddressSettings = _NOTHING_SET

    @classmethod
    def parse(cls, text: str) -> ModelAddress:
        """Read an address. Raises InputError that says what is wrong with it, and what there is instead."""
        where = f"model `{_redact(text)}`"
        if holds_secret(text):
            raise InputError(f"{where}: an address must not hold a key or a password", _KEY_HINT)
        place, _, query = text.strip().partition("?")
        found = _SHAPE.fullmatch(place)
        if found is None or not place.isprintable():
            raise InputError(f"{where}: not an address", _forms())
        head, model, url = found["head"] or "", found["model"].strip(), found["url"] or ""
        if head in BACKENDS:
            backend = cast(Backend, head)
            return _plain(backend, model, url, parse_settings(query, backend, where), where)
        return _profiled(head, model, url, query, where)

    @property
    def sampling(self) -> Sampling:
        """How tokens are drawn for whoever does not say otherwise: `dataclasses.replace` it to change a part."""
        drawn = set(SamplingSettings.model_fields) - {"thinking"}
        return Sampling(**self.settings.model_dump(include=drawn, exclude_none=True))

    @property
    def thinking(self) -> bool | None:
        """Whether the model is to reason first; None leaves it to its chat template."""
        return self.settings.thinking

    @property
    def engine(self) -> ModelAddress:
        """The address without what a request carries: equal for all users of one engine, or of one client."""
        return replace(self, settings=self.settings.without_sampling())

    def shared_by(self, n_workers: int) -> ModelAddress:
        """Return the address for one of `n_workers` processes: its part of the limit of requests at once, if any.

        Raises InputError where they are more than the requests.
        """
        limit = self.settings.concurrency
        if limit is None or n_workers == 1:
            return self
        if limit < n_workers:
            raise InputError(
                f"model `{self}`: {limit} requests at once cannot be shared by {n_workers} workers",
                "raise `concurrency`, or take fewer workers",
            )
        return replace(self, settings=self.settings.model_copy(update={"concurrency": limit // n_workers}))

    @property
    def n_gpus(self) -> int:
        """How many GPUs this process is to have for it, where there are any: none for what runs elsewhere."""
        own = self.settings
        parallel = (own.tensor_parallel_size, own.pipeline_parallel_size, own.data_parallel_size)
        return math.prod(size or 1 for size in parallel) if self.backend == "vllm" else 0

    @property
    def identity(self) -> str:
        """What a model's words depend on: which model, and how it draws tokens; not where it runs, nor how fast."""
        of_words = {*SamplingSettings.model_fields, "identity", "chat_template"}
        query = write_query(self.settings.model_dump(include=of_words, exclude_none=True))
        return f"{self.model_name}{'?' if query else ''}{query}"

    @property
    def model_name(self) -> str:
        """The model's name on the Hub or at its server; of a folder given by its path, the folder's name alone."""
        is_path = self.model.startswith(("/", "./", "../", "~"))
        return Path(self.model).name if is_path else self.model

    def __str__(self) -> str:
        query = write_settings(self.settings)
        at = f"@{','.join(self.endpoints)}" if self.endpoints else ""
        return f"{self.backend}:{self.model}{at}{'?' if query else ''}{query}"


_NEXT_URL = re.compile(r",(?=https?://)")
_URL_HINT = "write it as http://host:port/v1, several as http://a:8000/v1,http://b:8000/v1"
_KEY_HINT = "put the key into an environment variable, and name that: ?api_key_env=MY_KEY"


def _forms() -> str:
    return (
        "write vllm:<name or folder>, openai:<name>@<http address>, scripted:<file.jsonl>, or a profile: "
        f"{', '.join(shipped_profiles())}"
    )


def _plain(backend: Backend, model: str, url: str, settings: AddressSettings, where: str) -> ModelAddress:
    if not model:
        raise InputError(f"{where}: no model is named", _forms())
    if url and backend != "openai":
        raise InputError(f"{where}: only an `openai:` model is at a web address", f"write openai:{model}@{url}")
    urls = _NEXT_URL.split(url) if url else []
    return ModelAddress(backend, model, tuple(dict.fromkeys(_checked_url(one, where) for one in urls)), settings)


def _profiled(head: str, model: str, url: str, query: str, where: str) -> ModelAddress:
    """Read `profile`, `profile:model`, either of them at a server."""
    name = head or model
    profile = _profile(name, "backend or profile" if head else "profile", where)
    backend: Backend = "openai" if url else profile.backend
    settings = parse_settings(query, backend, where).over(profile.settings, backend)
    found = _plain(backend, model if head else profile.model, url, settings, where)
    return found if url else replace(found, endpoints=profile.endpoints)


def _profile(name: str, what: str, where: str) -> ModelAddress:
    """Return the address that a profile stands for: one that is shipped, else one of the user's own."""
    shipped = shipped_profiles()
    if name in shipped:
        return ModelAddress.parse(shipped[name])
    own = own_profiles()
    if name not in own:
        names = [*BACKENDS, *shipped, *own]
        raise InputError(f"{where}: no {what} is called `{name}`", did_you_mean(name, names))
    if re.split("[?@:]", own[name])[0] in own:
        raise InputError(f"{where}: the address of profile `{name}` is another profile of the same file")
    return ModelAddress.parse(own[name])


def _checked_url(url: str, where: str) -> str:
    try:
        parts = urlsplit(url)
        _ = parts.port  # reads the port, and raises where it is none
    except ValueError:
        raise InputError(f"{where}: the server's web address cannot be read", _URL_HINT) from None
    if parts.username is not None or parts.password is not None:
        raise InputError(f"{where}: a web address must not hold a name or a key", _KEY_HINT)
    if not parts.hostname or parts.fragment or any(sign.isspace() or sign == "," for sign in url):
        raise InputError(f"{where}: the server's web address cannot be read", _URL_HINT)
    return url.rstrip("/")


def _redact(text: str) -> str:
    """Return the text, short and on one line, without what people put between `//` and `@`, and without keys."""
    hidden = without_secrets(without_misplaced_key(re.sub(r"//\S*:\S*@", "//…@", text)))
    return (hidden if hidden.isprintable() else ascii(hidden)[1:-1])[:200]
