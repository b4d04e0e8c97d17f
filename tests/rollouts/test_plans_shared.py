"""What is made ready for a task is made once, however many trials it has."""

from collections import Counter

from worldforge.agents.plan import Planner
from worldforge.rollout import rollout


def test_the_trials_of_a_task_share_its_plan(paper_world, monkeypatch):
    planned = Counter()
    plan = Planner.plan
    monkeypatch.setattr(Planner, "plan", lambda self, task: planned.update([task.id]) or plan(self, task))
    done = rollout(paper_world, run="shared", trials=3)
    assert done.tally.n_episodes == 3 * len(paper_world.tasks)
    assert planned == Counter(task.id for task in paper_world.tasks)
