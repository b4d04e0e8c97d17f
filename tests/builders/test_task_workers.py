"""Tasks judged by several processes: the same files as by one, and nothing left beside them."""

import shutil

from worldforge.builders.tasks.stage import pose_tasks
from worldforge.core.engine import LocalEngine
from worldforge.core.progress import Silent
from worldforge.schema.load import load_spec

MORE = "tasks.more={family: ranking, about: all, count: 30, rows: {low: 3, high: 9}, columns: {low: 2, high: 3}}"


class Counted(Silent):
    def __init__(self):
        self.kept = 0

    def advance(self, n=1):
        self.kept += n


def files(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_two_processes_pose_the_tasks_of_one_and_leave_nothing_beside_them(quickstart, tmp_path):
    spec = load_spec("quickstart", ["tasks.list.count=50", MORE])
    made = []
    for workers in (1, 2):
        world, progress = tmp_path / str(workers), Counted()
        shutil.copytree(quickstart, world, ignore=shutil.ignore_patterns("tasks.parquet", "set_aside.parquet", "wide*"))
        before = {*world.iterdir()}
        pose_tasks(spec, world, LocalEngine(workers), progress)
        assert progress.kept == 80
        added = {path.name for path in {*world.iterdir()} - before}
        assert added == {"tasks.parquet", "set_aside.parquet", "widesearch"}
        made.append(files(world))
    assert made[0] == made[1]
