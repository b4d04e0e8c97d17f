"""All views, in the order in which a dataset's card shows them."""

from __future__ import annotations

from collections.abc import Sequence

from worldforge.core.errors import InputError
from worldforge.core.spelling import did_you_mean
from worldforge.datasets.views.dpo import DPO
from worldforge.datasets.views.rl_nemo_gym import RL_NEMO_GYM
from worldforge.datasets.views.rl_skyrl import RL_SKYRL
from worldforge.datasets.views.rl_trl import RL_TRL
from worldforge.datasets.views.rl_verl import RL_VERL
from worldforge.datasets.views.sft import SFT, SFT_SHAREGPT, SFT_STR
from worldforge.datasets.views.steps import STEPS
from worldforge.datasets.views.traces import TRACES
from worldforge.datasets.views.trajectories import TRAJECTORIES
from worldforge.datasets.views.view import View
from worldforge.datasets.views.widesearch import WIDESEARCH
from worldforge.datasets.views.world_model import WORLD_MODEL
from worldforge.datasets.views.world_tables import ENTITIES, MENTIONS, PAGES, TASKS

VIEWS: tuple[View, ...] = (
    TRAJECTORIES,
    SFT,
    SFT_STR,
    SFT_SHAREGPT,
    DPO,
    RL_VERL,
    RL_TRL,
    RL_SKYRL,
    RL_NEMO_GYM,
    WORLD_MODEL,
    STEPS,
    WIDESEARCH,
    TRACES,
    PAGES,
    ENTITIES,
    MENTIONS,
    TASKS,
)
ALL = "all"


def views_named(names: Sequence[str]) -> list[View]:
    """Return the views of these names, each once, in the order of `VIEWS`; `all` stands for every one.

    Raises InputError for a name that no view has, and where there is none.
    """
    known = {view.name: view for view in VIEWS}
    for name in names:
        if name != ALL and name not in known:
            raise InputError(f"unknown view `{name}`", did_you_mean(name, [*known, ALL]))
    if not names:
        raise InputError("no view is named", "`--view sft`, or `--view all`")
    return [view for view in VIEWS if ALL in names or view.name in names]
