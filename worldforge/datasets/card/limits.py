"""What a dataset cannot do, and does on purpose, as far as its records tell."""

from __future__ import annotations

from collections.abc import Sequence

from worldforge.datasets.card.provenance import is_worded_by_model
from worldforge.rollouts.run import RunSummary
from worldforge.world.world import World

_INVENTED = (
    "Everything here is invented: people, places, hosts and figures. Nothing in it is a fact about the real world. "
    "Train on what agents say and do, not on what tools bring (`assistant_only_loss`, `loss`): a model that learns "
    "observations learns a fiction by heart."
)
_ORACLE = (
    "The agent `oracle` reads the plan of each task: it proves that the task can be solved with the tools, and shows a "
    "searcher who knows where to look. It does not show how to recover from a wrong turn."
)
_NOISY = "The agent `noisy-oracle` errs by chance, at rates it was given; its errors are not those of a model."
_ALTERED = "Controls had {n:,} facts shown otherwise than they are; `observations.altered` names them."
_TEMPLATES = "Pages are written from templates: their language is plainer and more regular than that of the real web."
_MODEL = "A model worded pages around facts that stay; a guard checked that no fact was lost or added."


def limits(world: World, runs: Sequence[RunSummary]) -> str:
    """List the limits of a dataset of `runs` on `world`."""
    agents = {run.config.agent.partition("@")[0] for run in runs}
    n_altered = sum(run.tally.n_altered for run in runs)
    told = [_INVENTED]
    told += [_ORACLE] if any(agent == "oracle" for agent in agents) else []
    told += [_NOISY] if any(agent.startswith("noisy-oracle") for agent in agents) else []
    told += [_ALTERED.format(n=n_altered)] if n_altered else []
    told.append(_MODEL if is_worded_by_model(world.spec) else _TEMPLATES)
    return "\n".join(["## Limits", "", *(f"- {line}" for line in told)])
