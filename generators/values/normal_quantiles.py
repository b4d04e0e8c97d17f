"""The inverse of the standard normal distribution, as columns."""

from __future__ import annotations

import numpy as np

from generators.values.draw_bounds import Reals

_MIDDLE = (
    (2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457, 13731.693765509461125,
     1971.5909503065514427, 133.14166789178437745, 3.387132872796366608),
    (5226.495278852854561, 28729.085735721942674, 39307.89580009271061, 21213.794301586595867, 5394.1960214247511077,
     687.1870074920579083, 42.313330701600911252, 1.0),
)  # fmt: skip
_OUTSIDE = (
    (7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177, 1.27045825245236838258,
     3.64784832476320460504, 5.7694972214606914055, 4.6303378461565452959, 1.42343711074968357734),
    (1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966, 0.14810397642748007459,
     0.68976733498510000455, 1.6763848301838038494, 2.05319162663775882187, 1.0),
)  # fmt: skip


def deviations(share: Reals) -> Reals:
    """Return how many standard deviations from the mean as much as `share` of the distribution lies below.

    Wichura, "Algorithm AS 241: the percentage points of the normal distribution" (1988), to some 1e-16, for shares from
    2e-11 to 1 - 2e-11: the tails beyond are left out. scipy has the same, and takes longer to import than worlds to
    draw from it.
    """
    from_middle = share - 0.5
    square = 0.180625 - from_middle * from_middle
    found: Reals = np.polyval(_MIDDLE[0], square) * from_middle / np.polyval(_MIDDLE[1], square)
    outside = np.flatnonzero(np.abs(from_middle) > 0.425)
    tail = share[outside]
    root = np.sqrt(-np.log(np.minimum(tail, 1 - tail))) - 1.6
    found[outside] = np.copysign(np.polyval(_OUTSIDE[0], root) / np.polyval(_OUTSIDE[1], root), from_middle[outside])
    return found
