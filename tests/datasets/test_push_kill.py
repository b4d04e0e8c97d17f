"""Twenty kills, at moments drawn by chance: between requests, in the middle of an upload, after a commit has landed.

Each is followed by the same command. In the end the repository holds the dataset, whole and once.
"""

import random

from hub_datasets import make_dataset
from hub_stand_in import CUT, SILENT

N_KILLS = 20
MOMENTS = ({}, {"status": SILENT, "after": True}, {"status": CUT})


def test_twenty_kills_leave_a_repository_that_is_complete_and_whose_files_came_once(hub, tmp_path):
    chance = random.Random(20)
    kills, versions = 0, 0
    while kills < N_KILLS:
        versions += 1
        folder = make_dataset(tmp_path / f"v{versions}", n_shards=150, rows_per_shard=1, run=f"v{versions}")
        kills += push_with_kills(hub, folder, N_KILLS - kills, chance)
        assert hub.holds(folder)
    assert set(hub.uploads.values()) == {1}, "something came twice"
    assert hub.repository.n_commits == versions, "something was committed twice"


def push_with_kills(hub, folder, most, chance):
    """Push until it is done, killing the client after some requests of each attempt; return how often that was."""
    kills = 0
    while True:
        running = hub.start("push", folder, "--to", hub.name)
        if kills < most:
            hub.fault(".", skip=chance.randrange(2, 90), action=running.kill, **chance.choice(MOMENTS))
        done = running.wait()
        hub.server.heal()
        hub.server.settle()
        if done is not None:
            assert done.code == 0, done.err
            return kills
        kills += 1
