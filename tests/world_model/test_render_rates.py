from worldforge.environments.session import Observation
from worldforge.world_model.rates import Counts, Rates, counts_of

SEEN = [
    Observation("engine"),
    Observation("a", source="model", verdict="clean", refused=("leaking", "malformed"), n_drafts=3, prompt_tokens=300,
                completion_tokens=30, seconds=1.5),
    Observation("a", source="model", verdict="clean", stored=True),
    Observation("b", source="fallback", verdict="contradicting", refused=("hallucinated",), n_drafts=2, prompt_tokens=100,
                completion_tokens=10, seconds=0.5),
    Observation("c", source="fallback", verdict="unavailable"),
]  # fmt: skip


def test_drafts_are_counted_once_by_verdict_and_observations_by_how_they_came_about():
    counts = counts_of(SEEN)
    assert dict(counts.verdicts) == {
        "clean": 1, "leaking": 1, "malformed": 1, "contradicting": 1, "hallucinated": 1, "unavailable": 1,
    }  # fmt: skip
    assert counts.rates() == Rates(
        leaking=1 / 5,
        contradicting=1 / 5,
        hallucinated=1 / 5,
        refused_otherwise=1 / 5,
        fallback=2 / 4,
        stored=1 / 4,
        drafts_per_rendering=5 / 4,
        prompt_tokens_per_step=80.0,
        completion_tokens_per_step=8.0,
        seconds_per_step=0.4,
    )


def test_counts_add_up_however_they_are_grouped():
    parts = [counts_of(SEEN[:2]), counts_of(SEEN[2:]), counts_of([])]
    assert sum(parts, Counts()) == counts_of(SEEN)
    assert counts_of([]).rates() == Rates(*[0.0] * 10)
