"""The language of jobs.yaml as JSON Schema (draft 2020-12), for editors that complete and check while one types."""

from __future__ import annotations

from typing import Any

from worldforge.jobs.forms import VERBS
from worldforge.jobs.plan import JobsFile


def jobs_schema() -> dict[str, Any]:
    """Return the JSON Schema of a jobs.yaml: every key with its type, range, default and meaning."""
    schema = JobsFile.model_json_schema()
    step = {
        "description": "A command, or a command with its options.",
        "anyOf": [
            {"enum": list(VERBS)},
            {
                "type": "object",
                "minProperties": 1,
                "maxProperties": 1,
                "additionalProperties": False,
                "properties": {verb: {"type": ["object", "null"]} for verb in VERBS},
            },
        ],
    }
    schema["$defs"]["Job"]["properties"]["steps"]["items"] = step
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "jobs.yaml"}
