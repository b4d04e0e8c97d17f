"""The language of world.yaml as JSON Schema (draft 2020-12), for editors that complete and check while one types."""

from __future__ import annotations

from typing import Any

from worldforge.schema.spec import WorldSpec
from worldforge.schema.web_section import PROSE_SOURCES


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of a world.yaml: every key with its type, range, default and meaning.

    No key is required: a spec that extends another leaves out what it takes from there. What is missing is found once
    all is merged, by `load_spec`.
    """
    schema = WorldSpec.model_json_schema()
    for section in (schema, *schema["$defs"].values()):
        section.pop("required", None)
    schema["properties"] = {
        "extends": {
            "type": "string",
            "title": "Extends",
            "description": "The spec that this one builds upon: a shipped name, or a path relative to this file.",
        },
        **schema["properties"],
    }
    _add_prose(schema["properties"]["pages"])
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "world.yaml"}


def _add_prose(pages: dict[str, Any]) -> None:
    """Let `pages` have the key that is no kind of page."""
    kinds = pages.pop("patternProperties")
    pages["patternProperties"] = {f"^(?!prose$){name.removeprefix('^')}": kind for name, kind in kinds.items()}
    pages["properties"] = {
        "prose": {
            "enum": list(PROSE_SOURCES),
            "title": "Prose",
            "description": "What `prose` is for every kind of page that does not say it itself.",
        }
    }
