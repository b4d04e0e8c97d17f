"""What a run's rows come to: counts, and the rates at which a world model was refused, fell back, was spared."""

import json

import pytest

from worldforge.environments.disclosure import Alteration
from worldforge.environments.session import Observation, Rendering
from worldforge.models.chat import ToolCall
from worldforge.rollouts.scores import COMPONENTS, FRACTIONS, SUCCESSES
from worldforge.rollouts.tally import count_rows, tally
from worldforge.rollouts.trajectory import observation_row
from worldforge.world_model.rates import Rates

ENGINE = Observation("engine", controls=("latency",), altered=(Alteration("club/0001#founded", "1901", "1911"),))


def worded(*rendering, **more):
    return Observation("a", rendering=Rendering("a", *rendering, **more))


MODEL = worded(
    "model", "clean", ("leaking", "malformed"), n_drafts=3, prompt_tokens=300, completion_tokens=30, seconds=1.5
)
STORED = worded("model", "clean", stored=True)
LATE = worded("model", "clean", stored=True, n_drafts=1)  # another process was first
FALLBACK = worded("fallback", "contradicting", ("hallucinated",), n_drafts=2)
GONE = worded("fallback", "unavailable")


def rows(*episodes, subs=()):
    def on_record(seen):
        return [observation_row(ToolCall(f"call_{n}", "web_search", "{}"), one) for n, one in enumerate(seen)]

    return [
        {
            "ending": "answered" if seen else "failed",
            "observations": on_record(seen),
            "sub_agents": [{"observations": on_record(sub)} for sub in subs],
            "n_tool_calls": len(seen),
            "n_tool_errors": 0,
            "n_pages_opened": 1,
            "n_prompt_tokens": 5,
            "n_completion_tokens": 2,
        }
        | dict.fromkeys((*FRACTIONS, *COMPONENTS), 0.5 if seen else 0.0)
        | dict.fromkeys(SUCCESSES, False)
        for seen in episodes
    ]


def counted_over(*shards):
    return tally(json.loads(json.dumps([count_rows(shard) for shard in shards])))


def test_drafts_are_counted_once_by_verdict_and_observations_by_how_they_came_about():
    counted = counted_over(rows([ENGINE, MODEL, STORED], [FALLBACK, GONE, LATE]))
    assert counted.wording.verdicts == {
        "clean": 2, "leaking": 1, "malformed": 1, "contradicting": 1, "hallucinated": 1, "unavailable": 1,
    }  # fmt: skip
    assert (counted.wording.n_observations, counted.wording.n_rendered, counted.wording.n_drafts) == (6, 5, 6)
    assert counted.rates == Rates(
        leaking=1 / 6,
        contradicting=1 / 6,
        hallucinated=1 / 6,
        refused_otherwise=1 / 6,
        fallback=1 / 5,
        unavailable=1 / 5,
        stored=2 / 5,
        drafts_per_rendering=6 / 5,
        prompt_tokens_per_step=50.0,
        completion_tokens_per_step=5.0,
        seconds_per_step=0.25,
    )


def test_counts_are_of_all_shards_and_of_sub_agents():
    counted = counted_over(rows([ENGINE], []), rows([MODEL], subs=[[FALLBACK], [STORED, ENGINE]]))
    assert (counted.n_episodes, counted.n_failed, counted.n_tool_calls, counted.n_altered) == (3, 1, 2, 2)
    assert counted.controls == {"latency": 2}
    assert (counted.wording.n_observations, counted.wording.n_rendered) == (5, 3)
    assert counted.scores["item_f1"] == counted.scores["coverage"] == pytest.approx(1 / 3)


def test_of_nothing_rates_are_zero():
    assert counted_over(rows([])).rates == Rates(*[0.0] * 11)
