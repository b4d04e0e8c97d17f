"""Pages worded by a real engine with random weights: a forced form keeps its slots, the check keeps rubbish out."""

import asyncio

import pytest
from command import worldforge
from prose_writers import asked, small_spec

from worldforge.builders.pages.prose.paragraphs import SLOT
from worldforge.entry_points.build_world import build
from worldforge.models.scripted_model import ScriptedModel


@pytest.mark.xdist_group("vllm")
def test_random_weights_leave_a_world_that_holds(tiny_engine, tmp_path):
    forced = []

    async def reply(request):
        """Ask the engine, which runs in a loop of its own."""
        future = asyncio.run_coroutine_threadsafe(tiny_engine.model.reply(request), tiny_engine.loop)
        answered = await asyncio.wrap_future(future)
        if request.structure is not None:
            forced.append((asked(request), answered.text))
        return answered

    only = ("scale=0.02", "tasks.list.count=1", "pages.prose=templates", "pages.town_article.prose=model")
    built = build(small_spec(*only), tmp_path / "world", model=ScriptedModel(reply, "tiny"))
    prose = built.counts["prose"]
    assert prose["paragraphs"] == prose["reworded"] + prose["as_templates"] > 1
    assert prose["completion_tokens"] > prose["paragraphs"] and prose["models"] == ["tiny"]
    assert forced and all(SLOT.findall(draft) == SLOT.findall(paragraph) for paragraph, draft in forced)
    worldforge("audit", built.folder)
    assert build(small_spec(*only), tmp_path / "world", fresh=True).digest == built.digest
