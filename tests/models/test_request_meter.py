"""What models do is told while they are asked: each second, with what a stage may come to."""

import asyncio

from model_notes import Notes, Slow

from worldforge.models import request_meter
from worldforge.models.chat import Message, Request, Usage
from worldforge.models.request_meter import ModelLoad, RequestMeter, describe_load, reporting


def report(monkeypatch, n, seconds=0.3):
    """Ask `n` times at once in a stage of `n` items, told of ten times a second."""
    monkeypatch.setattr(request_meter, "EVERY_S", 0.1)
    meter, notes = RequestMeter(), Notes()

    async def run():
        async with reporting(meter, notes) as shown:
            shown.start("ask", n)
            model = meter.over(Slow(lambda request: "fine", seconds))

            async def ask():
                await model.reply(Request((Message("user", "hello"),)))
                shown.advance()

            await asyncio.gather(*(ask() for _ in range(n)))

    asyncio.run(run())
    return notes


def test_requests_are_told_before_the_first_is_answered(monkeypatch):
    notes = report(monkeypatch, 5)
    assert any(not done and "2 requests running, 3 waiting" in text for done, text in notes.notes)


def test_counts_end_where_the_models_do(monkeypatch):
    counts = report(monkeypatch, 5).counts
    assert counts["requests", ""] == 5 and counts["model_tokens", "prompt"] == 500
    assert counts["under_way", "running"] == counts["under_way", "waiting"] == 0


def test_what_a_stage_may_come_to_follows_from_what_is_done():
    load = ModelLoad(4, Usage(2_000, 500, 100), n_running=1)
    words = ", ".join(describe_load(load, 10.0, done=4, total=40))
    assert "2.0k of about 20.0k tokens read" in words and "100 of about 1.0k written" in words
    assert "25% from the prefix cache" in words and "10 tokens/s" in words


def test_models_that_were_not_asked_are_not_told_of():
    assert describe_load(ModelLoad(), 10.0) == []
