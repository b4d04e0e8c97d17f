"""Entries for a phrasebook by a real engine with random weights: replies keep to the schema, and babble is refused."""

import asyncio
import json
from dataclasses import replace

import pytest

from worldforge.builders.phrasebooks.entry_requests import read_entries
from worldforge.entry_points.write_phrases import write_phrases
from worldforge.models.scripted_model import ScriptedModel
from worldforge.schema.spec_loader import load_spec

SPEC = """
name: posts
types:
  post:
    count: 9
    name: {generator: names.place, params: {culture: english}}
    attributes:
      opened: {generator: values.year, params: {low: 1850, high: 1990}, label: year of opening}
      clerks: {generator: values.integer, params: {low: 2, high: 90}, label: number of clerks}
"""


@pytest.mark.slow
@pytest.mark.xdist_group("vllm")
def test_random_weights_write_json_and_nothing_that_is_kept(tiny_engine, tmp_path):
    replies = []

    async def reply(request):
        """Ask the engine, which runs in a loop of its own."""
        request = replace(request, sampling=replace(request.sampling, seed=None))
        future = asyncio.run_coroutine_threadsafe(tiny_engine.model.reply(request), tiny_engine.loop)
        answered = await asyncio.wrap_future(future)
        replies.append((request.structure.form["properties"], answered))
        return answered

    (tmp_path / "world.yaml").write_text(SPEC)
    found = write_phrases(load_spec(tmp_path), ScriptedModel(reply, "tiny"), tmp_path / "more.yaml")
    assert found.n_wanted == len(replies) == 2 and found.n_added == 0 and not found.file.exists()
    whole = [(kinds, answered.text) for kinds, answered in replies if answered.finish == "stop"]
    for kinds, text in whole:
        assert set(json.loads(text)) == set(kinds)
        assert list(read_entries(text, dict.fromkeys(kinds, 1)))
    assert sum(found.refused.values()) >= 2
