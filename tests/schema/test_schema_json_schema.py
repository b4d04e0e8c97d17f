"""The JSON Schema for editors says what the models say."""

import json

from worldforge.schema.document import read_document
from worldforge.schema.spec import WorldSpec
from worldforge.schema.spec_json_schema import json_schema
from worldforge.schema.spec_sources import shipped_specs

SCHEMA = json_schema()


def resolved(schema):
    for branch in (schema, *schema.get("anyOf", [])):
        if "$ref" in branch:
            return SCHEMA["$defs"][branch["$ref"].rsplit("/", 1)[1]]
    return schema


def unknown_keys(value, schema):
    """Yield every key of a spec that its schema does not know."""
    schema = resolved(schema)
    if isinstance(value, list):
        for item in value:
            yield from unknown_keys(item, schema.get("items", {}))
    elif isinstance(value, dict) and "properties" in schema and "patternProperties" not in schema:
        assert schema["additionalProperties"] is False
        for key, inner in value.items():
            yield from unknown_keys(inner, schema["properties"][key]) if key in schema["properties"] else [key]
    elif isinstance(value, dict):
        inner = schema.get("additionalProperties") or next(iter(schema.get("patternProperties", {}).values()), {})
        for item in value.values():
            yield from unknown_keys(item, inner if isinstance(inner, dict) else {})


def test_it_knows_every_key_of_the_shipped_specs():
    for path in shipped_specs().values():
        document, _ = read_document(path.read_text("utf-8"), path.name)
        assert list(unknown_keys(document.data, SCHEMA)) == []


def test_it_refuses_keys_that_the_models_refuse():
    spec = {"name": "x", "types": {"a": {"cuont": 3, "attributes": {"b": {"genrator": "x"}}}}, "colour": 1}
    assert list(unknown_keys(spec, SCHEMA)) == ["cuont", "genrator", "colour"]


def test_it_is_json_with_a_title_and_extends():
    assert json.loads(json.dumps(SCHEMA)) == SCHEMA
    assert SCHEMA["title"] == "world.yaml"
    assert set(SCHEMA["properties"]) == {"extends", *WorldSpec.model_fields}


def test_a_spec_that_extends_may_leave_out_anything():
    assert not any("required" in section for section in (SCHEMA, *SCHEMA["$defs"].values()))
