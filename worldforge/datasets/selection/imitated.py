"""What views whose rows are imitated take where nobody says which outcomes: trajectories that succeeded.

for_imitation(Selection(best_of=2))                     # Selection(success=True, best_of=2)
for_imitation(Selection(accept=0.8))                    # as it is: it says which outcomes are good enough
"""

from __future__ import annotations

from worldforge.datasets.selection.selection_settings import Selection
from worldforge.datasets.selection.where_condition import compile_where
from worldforge.rollouts.scores import FRACTIONS, SUCCESSES


def for_imitation(selection: Selection) -> Selection:
    """Return the selection for views that are imitated: as given where it names outcomes, else successes alone."""
    return selection if names_outcomes(selection) else selection.model_copy(update={"success": True})


def names_outcomes(selection: Selection) -> bool:
    """Say whether a selection says by itself which outcomes it takes: by success, by a score, or any."""
    asked = selection.any_outcome or selection.success is not None or selection.accept is not None
    return asked or not selection.item_f1.is_open or bool(_read(selection) & {*SUCCESSES, *FRACTIONS})


def _read(selection: Selection) -> set[str]:
    return set(compile_where(selection.where).columns) if selection.where else set()
