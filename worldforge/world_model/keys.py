"""What an observation that a model words depends on, as one digest."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from worldforge.core.files import value_digest
from worldforge.environments.rendering import Scene
from worldforge.world_model import guard
from worldforge.world_model.prompt import Drafting, system_of


def scene_key(world: str, scene: Scene, model: str, drafting: Drafting) -> str:
    """Return the key of a scene's observation, in hexadecimal.

    In it are the world's digest, the dialect, what is asked (in its one form, however the call was written), the
    controls with their seed, what may be disclosed, the system prompt, the model's identity and how it is drawn from,
    and the guard's version. Neither session nor turn nor history: the same call is to bring the same text.
    """
    return value_digest(
        {
            "world": world,
            "dialect": scene.dialect.name,
            "request": _plain(scene.request),
            "controls": scene.controls,
            "view": _plain(scene.view),
            "system": system_of(scene),
            "model": model,
            "drafting": _plain(replace(drafting, context_tokens=0)),
            "guard": guard.VERSION,
        }
    )


def _plain(value: Any) -> Any:
    """Write a record as JSON values, under its type's name. Raises TypeError for what has no stable form."""
    if is_dataclass(value) and not isinstance(value, type):
        return {type(value).__name__: {field.name: _plain(getattr(value, field.name)) for field in fields(value)}}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):  # a named tuple
        return {type(value).__name__: _plain(value._asdict())}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, datetime.date):
        return value.isoformat()
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise TypeError(f"a {type(value).__name__} has no stable form")
