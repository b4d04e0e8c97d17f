"""A rescore that is killed: `killed_rescore.py WORLD WHERE N` dies at the N-th time it comes to WHERE."""

import os
import signal
import sys

import worldforge.entry_points.rescore_runs as rescore_module
from worldforge.core import files
from worldforge.rollouts import journal, ledger, run
from worldforge.world.world import open_world

PLACES = {"append": (journal, "append"), "replace": (files, "replace"), "remove": (files, "remove"),
          "settle": (ledger, "write_text"), "record": (run, "write_json")}  # fmt: skip


def deadly(function, n_left):
    def called(*arguments, **options):
        nonlocal n_left
        n_left -= 1
        if n_left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*arguments, **options)

    return called


if __name__ == "__main__":
    folder, where, n = sys.argv[1:]
    module, name = PLACES[where]
    setattr(module, name, deadly(getattr(module, name), int(n)))
    rescore_module.rescore(open_world(folder))
