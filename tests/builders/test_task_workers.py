"""Tasks judged by several processes: the same files as by one, and nothing left beside them."""

import shutil

from worldforge.builders.tasks.shortfall import shortfalls
from worldforge.builders.tasks.task_maker import DRAWS_IN_VAIN
from worldforge.builders.tasks.tasks_stage import pose_tasks
from worldforge.core.progress import Progress
from worldforge.schema.spec_loader import load_spec

MORE = "tasks.more={family: ranking, about: all, count: 24, rows: {low: 3, high: 9}, columns: {low: 2, high: 3}}"


class Counted(Progress):
    def __init__(self):
        self.kept = 0

    def advance(self, n=1):
        self.kept += n


def files(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_two_processes_pose_the_tasks_of_one_and_leave_nothing_beside_them(quickstart, tmp_path):
    spec = load_spec("quickstart", ["tasks.list.count=40", MORE])
    made = []
    for workers in (1, 2):
        world, progress = tmp_path / str(workers), Counted()
        shutil.copytree(quickstart, world, ignore=shutil.ignore_patterns("tasks.parquet", "set_aside.parquet", "wide*"))
        before = {*world.iterdir()}
        pose_tasks(spec, world, workers, progress)
        assert progress.kept == 64  # the fewest that are judged by two
        added = {path.name for path in {*world.iterdir()} - before}
        assert added == {"tasks.parquet", "set_aside.parquet", "widesearch"}
        made.append(files(world))
    assert made[0] == made[1]


def test_more_tasks_than_a_world_holds_end_soon_with_what_there_is_and_why(quickstart, tmp_path):
    few = "tasks={few: {family: list, about: [region], count: 100000, rows: {low: 3, high: 3}}}"
    all_of_them = "tasks.none={family: list, about: [region], count: 9, rows: {low: 9, high: 9}}"
    spec = load_spec("quickstart", ["tasks.list=null", few, all_of_them])
    world, progress = tmp_path / "world", Counted()
    shutil.copytree(quickstart, world, ignore=shutil.ignore_patterns("tasks.parquet", "set_aside.parquet", "wide*"))
    pose_tasks(spec, world, 2, progress)
    assert 0 < progress.kept < 1000
    first, second = shortfalls(spec, world)
    assert first.startswith(f"`few` has {progress.kept} of 100,000") and "set" in first
    assert second.startswith("`none` has 0 of 9") and "`rows`" in second
    assert DRAWS_IN_VAIN < 10_000
