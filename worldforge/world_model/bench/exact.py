"""The exact scorer: a predicted observation against the truth, dimension by dimension, without a judge.

    scorer = ExactScorer(world)
    scored = scorer.score(truth, "[1] https://…")        # ExactScore(format=1.0, factuality=0.98, …)
    scored = with_consistency(all_scored)                # consistency is a matter of many

Each dimension is in [0, 1]; None where there is nothing to measure. Facts are those that the guard's lexicon finds in a
text: figures, dates, names, values, addresses, negations and bounds; in records, cells. They are aligned item by item.

| dimension | formula |
|---|---|
| `format` | 1 where the dialect reads the draft, else 0 |
| `factuality` | 1 - wrong / told: `wrong` facts stand where the truth has others, or nowhere in it |
| `completeness` | 1 - missing / disclosed: `missing` are facts of the truth that the draft tells nowhere |
| `ranking` | of the pairs of items that both have, the share in the truth's order by place and number: (tau + 1) / 2 |
| `controllability` | 1 - broken / demands of the controls, see `demands` |
| `consistency` | mean, over the facts told, of the share of other tellings of the same fact that say the same |

An error costs once: a wrong value is not missing as well, a fact that a control had hidden costs controllability alone.
Where the guard objects to what is said (`contradicting`, `leaking`, `hallucinated`) and no single fact is found to be
wrong, one is counted; so for `incomplete`. A prediction without an observation has 0 in all that could be measured.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from worldforge.environments.views import ErrorView
from worldforge.world.lexicon.lexicon import Lexicon
from worldforge.world.world import World
from worldforge.world_model.bench.alignment import Alignment, MatchedItems, align, match_items, rank_agreement
from worldforge.world_model.bench.claims import ClaimReader, ReadText
from worldforge.world_model.bench.consistency import Claim, Identities, Names, agreements
from worldforge.world_model.bench.demands import REST, ControlDemands, demands_of
from worldforge.world_model.bench.predict import Prediction
from worldforge.world_model.bench.transitions import Transition, Truth
from worldforge.world_model.guard import Guard, gold_of

VERSION = "exact-1"
"""Counts up when another score comes out than before."""

DIMENSIONS = ("format", "factuality", "consistency", "ranking", "completeness", "controllability")
_FALSE = ("contradicting", "leaking", "hallucinated")
_COUNTS = ("n_stated", "n_wrong", "n_disclosed", "n_missing", "n_demands", "n_broken")
SCORES = pa.schema(
    [
        *(("id", pa.int64()), ("sample", pa.int32())),
        *((name, pa.string()) for name in ("kind", "run", "trajectory", "task")),
        *(("turn", pa.int32()), ("controls", pa.list_(pa.string()))),
        *((name, pa.float64()) for name in DIMENSIONS),
        *((name, pa.int32()) for name in _COUNTS),
        *((name, pa.string()) for name in ("verdict", "reason", "finish")),
        *((name, pa.int32()) for name in ("prompt_tokens", "completion_tokens")),
        *(("seconds", pa.float64()), ("error", pa.string())),
    ]
)
"""One row a prediction. Scores are null where there is nothing to measure, and where a model did not answer."""


@dataclass(frozen=True, slots=True)
class ExactScore:
    """A prediction's scores, and the counts that they are made of. `verdict` and `reason` are the guard's."""

    format: float
    factuality: float
    consistency: float | None
    ranking: float | None
    completeness: float
    controllability: float | None
    n_stated: int
    n_wrong: int
    n_disclosed: int
    n_missing: int
    n_demands: int
    n_broken: int
    verdict: str
    reason: str
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True, slots=True)
class _Reference:
    """What a draft is held against: what the truth tells, what controls demand, what its facts are called."""

    read: ReadText
    demands: ControlDemands
    names: Names


class ExactScorer:
    """Scores predictions on the transitions of one world. What it has read of texts it remembers."""

    def __init__(self, world: World) -> None:
        lexicon = Lexicon.of_world(world)
        self._guard = Guard(lexicon, gold_of(world.tasks))
        self._reading = ClaimReader(lexicon)
        self._identities = Identities(world, self._reading)

    def score(self, truth: Truth, draft: str) -> ExactScore:
        """Score one predicted observation; an empty draft is none. Never raises, whatever the draft is.

        Consistency is left open: `with_consistency` fills it in.
        """
        scene = truth.scene
        verdict = self._guard.check(scene, draft)
        draft = verdict.text if verdict.kind == "clean" else draft
        parsed = scene.dialect.parse(scene.request, draft) if draft else None
        view = None if isinstance(parsed, ErrorView) else parsed
        measure = self._reference(truth, loose=view is None)
        read = self._reading.loosely(scene, draft) if view is None else self._reading.of_view(scene, view)
        match = match_items(measure.read.items, read.items)
        aligned = [(item.place, align(item.facts, other.facts)) for item, other in match.pairs]
        aligned.append((REST, align(measure.read.rest, read.rest)))
        count = _count_errors(measure.demands, match, aligned, read, draft)
        if not count[
            "broken"
        ]:  # the guard objects, and nothing was found: a figure under another column's name is such
            count["wrong"] = count["wrong"] or int(verdict.kind in _FALSE)
            count["missing"] = count["missing"] or int(verdict.kind == "incomplete")
        demands, n_stated, n_disclosed = measure.demands, read.n_facts, measure.read.n_facts
        scored = ExactScore(
            format=float(parsed is not None),
            factuality=_share(count["wrong"], n_stated),
            consistency=None,
            ranking=rank_agreement(match, read.items),
            completeness=_share(count["missing"], n_disclosed),
            controllability=_share(count["broken"], demands.n) if demands.n else None,
            n_stated=n_stated,
            n_wrong=count["wrong"],
            n_disclosed=n_disclosed,
            n_missing=count["missing"],
            n_demands=demands.n,
            n_broken=count["broken"],
            verdict=verdict.kind,
            reason=verdict.reason,
            claims=tuple(_claims(measure.names, match, aligned, measure.read)),
        )
        return scored if draft else _failed(scored, measure)

    def _reference(self, truth: Truth, *, loose: bool) -> _Reference:
        scene, brought = truth.scene, truth.view if truth.brought is None else truth.brought
        if loose:
            read = self._reading.loosely(scene, scene.text)
            before = self._reading.loosely(scene, scene.dialect.write(scene.request, brought))
        else:
            read, before = self._reading.of_view(scene, truth.view), self._reading.of_view(scene, brought)
        names = {} if loose and truth.view.form != "text" else self._identities.names(truth, read)
        return _Reference(read, demands_of(truth, before, read), names)


def with_consistency(scores: Sequence[ExactScore]) -> list[ExactScore]:
    """Fill in consistency, which is a matter of all predictions together."""
    shares = agreements([score.claims for score in scores])
    return [replace(score, consistency=share) for score, share in zip(scores, shares, strict=True)]


def _count_errors(
    demands: ControlDemands, match: MatchedItems, aligned: Sequence[tuple[str, Alignment]], read: ReadText, draft: str
) -> Counter[str]:
    """Count errors, each once: what concerns a demand of the controls is a demand broken, and no wrong fact."""
    count = Counter[str]()
    for place, alignment in aligned:
        revealed = (Counter(alignment.wrong) & demands.hidden.get(place, Counter())).total()
        left_out = (Counter(alignment.missing) & demands.planted.get(place, Counter())).total()
        count["wrong"] += len(alignment.wrong) - revealed
        count["missing"] += len(alignment.missing) - left_out
        count["broken"] += min(demands.n_facts(place), revealed + left_out)
    count["wrong"] += sum(len(item.facts) for item in match.extra)
    for item in match.lost:
        if item.place in demands.mixed_in:
            count["broken"] += 1
        else:
            count["missing"] += len(item.facts)
    count["broken"] += sum(
        len(other.snippet) > demands.most_characters.get(item.place, len(other.snippet)) for item, other in match.pairs
    )
    shown = Counter(item.block for item in read.items)
    count["broken"] += sum(shown[block] > most for block, most in demands.most_items.items())
    count["broken"] += sum(phrase not in draft for phrase in demands.phrases)
    return count


def _claims(
    names: Names, match: MatchedItems, aligned: Sequence[tuple[str, Alignment]], truth: ReadText
) -> Iterator[Claim]:
    facts = {item.place: item.facts for item, _ in match.pairs} | {REST: truth.rest}
    for place, alignment in aligned:
        for name, true, claimed in zip(names.get(place, ()), facts[place], alignment.matched, strict=False):
            if claimed is not None:
                yield f"{name} {true[0]} {true[1]}", claimed


def _failed(scored: ExactScore, measure: _Reference) -> ExactScore:
    """Score a prediction that holds no observation: 0 in all that could be measured."""
    ranked = any(one.block == other.block for one, other in pairwise(measure.read.items))
    return replace(
        scored,
        format=0.0,
        factuality=0.0,
        ranking=0.0 if ranked else None,
        completeness=0.0,
        controllability=0.0 if scored.n_demands else None,
        n_wrong=0,
        n_missing=scored.n_disclosed,
        n_broken=scored.n_demands,
        verdict="malformed",
        reason="no observation",
        claims=(),
    )


def _share(n_bad: int, n: int) -> float:
    return max(0.0, 1.0 - n_bad / max(1, n))


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of a dimension, and over how many predictions; None of none."""

    mean: float | None
    n: int


def score_table(
    transitions: Sequence[Transition], predictions: Sequence[Prediction], scores: Sequence[ExactScore | None]
) -> pa.Table:
    """Write predictions with their scores as a table of `SCORES`; a prediction that failed has none."""
    truths = {one.truth.id: one.truth for one in transitions}
    rows: list[dict[str, Any]] = []
    for prediction, scored in zip(predictions, scores, strict=True):
        truth = truths[int(prediction.id)]
        values = (
            {name: getattr(scored, name) for name in (*DIMENSIONS, *_COUNTS, "verdict", "reason")} if scored else {}
        )
        place = {name: getattr(truth, name) for name in ("run", "trajectory", "task", "turn")}
        place |= {"kind": truth.view.kind, "controls": list(truth.controls.names)}
        rows.append(values | asdict(prediction) | place)
    return pa.Table.from_pylist(rows, schema=SCORES)


def means(table: pa.Table) -> dict[str, Mean]:
    """Return the mean of each dimension over the rows that have it."""
    return {name: Mean(pc.mean(table[name]).as_py(), len(table) - table[name].null_count) for name in DIMENSIONS}


def verdicts(table: pa.Table) -> dict[str, int]:
    """Count the guard's verdicts, by name."""
    return dict(sorted(Counter(verdict for verdict in table["verdict"].to_pylist() if verdict is not None).items()))
