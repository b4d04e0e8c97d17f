"""Who plays what: whole tasks to a worker, and what is made ready for a task is made once."""

from collections import Counter
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis.strategies import integers, lists

from worldforge.agents.evidence_plan import Planner
from worldforge.entry_points.rollout import rollout
from worldforge.rollouts.trials import Trial
from worldforge.rollouts.workers import dealt


@dataclass(frozen=True)
class Named:
    id: str
    n_tool_calls: int = 1


def trials(*sizes):
    tasks = [Named(f"task/{number}") for number, size in enumerate(sizes) for _ in range(size)]
    return [Trial(index, task, 0) for index, task in enumerate(tasks)]


def shares(played, workers):
    order = dealt(played, workers)
    assert sorted(trial.index for trial in order) == [trial.index for trial in played]
    return [{trial.task.id for trial in order[first::workers]} for first in range(workers)]


def test_a_task_is_one_workers_as_long_as_there_is_one_for_each():
    one, other = shares(trials(*[8] * 6), 2)
    assert len(one) == len(other) == 3 and not one & other
    first, second, third = shares(trials(*[4] * 5), 3)
    assert first & second & third == {"task/3", "task/4"}, "what is left is shared, so that nobody waits"
    assert [len(order) for order in shares(trials(9), 3)] == [1, 1, 1]
    assert dealt(trials(1, 1, 1, 1), 2) == trials(1, 1, 1, 1)


@given(calls=lists(integers(0, 50), min_size=2, max_size=60), workers=integers(2, 5), n_trials=integers(1, 3))
def test_workers_have_as_much_to_do_as_each_other(calls, workers, n_trials):
    tasks = [Named(f"task/{number}", of) for number, of in enumerate(calls[: len(calls) // workers * workers])]
    played = [Trial(number, task, 0) for number, task in enumerate(task for task in tasks for _ in range(n_trials))]
    order = dealt(played, workers)
    assert sorted(trial.index for trial in order) == [trial.index for trial in played]
    loads = [sum(trial.task.n_tool_calls for trial in order[first::workers]) for first in range(workers)]
    assert max(loads) - min(loads) <= n_trials * max(calls), "no more apart than by one task"


def test_who_writes_all_down_plays_less():
    played = [Trial(number, Named(f"task/{number}", 5 + 7 * number % 31), 0) for number in range(200)]
    order = dealt(played, 2, 0.08)
    less, more = (sum(trial.task.n_tool_calls for trial in order[first::2]) for first in (0, 1))
    assert less + 0.08 * (less + more) == pytest.approx(more, rel=0.02)


def test_the_trials_of_a_task_share_its_plan(paper_world, monkeypatch):
    planned = Counter()
    plan = Planner.plan
    monkeypatch.setattr(Planner, "plan", lambda self, task: planned.update([task.id]) or plan(self, task))
    done = rollout(paper_world, run="shared", trials=3)
    assert done.tally.n_episodes == 3 * len(paper_world.tasks)
    assert planned == Counter(task.id for task in paper_world.tasks)
