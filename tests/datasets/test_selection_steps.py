"""Which trajectories a selection takes, in which order, and that its report adds up."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shards_by_hand import WORLD, rows_of, trajectory, write_run

from worldforge.core.errors import InputError
from worldforge.datasets.selection.select_rows import select
from worldforge.datasets.selection.selection_settings import Bounds, Selection

ERRORS = '{"seed":3,"errors":{"rate":0.2}}'
GROWING = '{"schedule":{"from":{},"to":{"errors":{"rate":0.5},"stale":{"rate":0.2}},"over":1.0}}'


def ids(folder, selection, *runs, **more):
    sources = [write_run(folder, rows, f"run{number}") for number, rows in enumerate(runs)]
    with select(sources, Selection(**selection), WORLD, scratch=folder, **more) as selected:
        rows = rows_of(selected)
        check(selected, rows)
        return [(row["task"][-1], row["trial"]) for row in rows]


def check(selected, rows):
    """What holds of every selection: the report adds up, and groups are the same rows, task by task."""
    report = selected.report
    left = report.n_found
    for step in report.steps:
        assert step.n_removed >= 0 and step.n_left == left - step.n_removed
        left = step.n_left
    assert left == report.n_left == selected.n_rows == len(rows)
    groups = [table.to_pylist() for table in selected.groups()]
    assert [group[0]["task"] for group in groups] == sorted({row["task"] for row in rows})
    for group in groups:
        assert group == [row for row in rows if row["task"] == group[0]["task"]]


def eight(**by_trial):
    """Task 0 and task 1, four trials each; each keyword gives a column's values for the eight."""
    columns = [dict(zip(by_trial, values, strict=True)) for values in zip(*by_trial.values(), strict=True)]
    return [trajectory(number // 4, number % 4, **(columns[number] if columns else {})) for number in range(8)]


def test_by_default_everything_comes_as_it_was_played(tmp_path):
    runs = [[trajectory(task, trial) for task in range(3) for trial in range(9)], [trajectory(9, 0)]]
    found = ids(tmp_path, {}, *runs)
    assert found == [(str(task), trial) for task in range(3) for trial in range(9)] + [("9", 0)]


@pytest.mark.parametrize(
    ("selection", "taken"),
    [
        ({"success": True}, [0, 5]),
        ({"success": False}, [1, 2, 3, 4, 6, 7]),
        ({"clairvoyant": True}, [2, 6]),
        ({"clairvoyant": False}, [0, 1, 3, 4, 5, 7]),
        ({"where": "clairvoyant and item_f1 > 0.2"}, [2]),
        ({"item_f1": Bounds(min=0.5)}, [0, 1, 5]),
        ({"item_f1": Bounds(min=0.5, max=0.9)}, [1]),
        ({"coverage": Bounds(max=0.2)}, [3, 4, 6, 7]),
        ({"n_steps": Bounds(min=4, max=6)}, [3, 4, 5]),
        ({"n_tool_errors": Bounds(max=0)}, [0, 1, 2, 3, 4, 5, 6]),
        ({"endings": ["step_limit", "failed"]}, [2, 7]),
        ({"agents": ["other"]}, [6]),
        ({"controls": ["errors"]}, [3, 4]),
        ({"controls": ["stale"]}, [4]),
        ({"controls": ["none"]}, [0, 1, 2, 5, 6, 7]),
        ({"where": "item_f1 > 0.4 and not success or agent = 'other'"}, [1, 6]),
        ({"where": "run = 'run0' and task like '%-0001'"}, [4, 5, 6, 7]),
        ({"where": "pass_rate > 0.3"}, [4, 5, 6, 7]),
        ({"where": "n_cells = 6 and n_steps >= 7"}, [6, 7]),
        ({"where": "\"item_f1\" >= 1"}, [0, 5]),
        ({"pass_rate": Bounds(max=0.3)}, [0, 1, 2, 3]),
        ({"accept": 0.6}, [0, 1, 5]),
        ({"accept": 0.2, "accept_by": "coverage"}, [0, 1, 2, 4, 5]),
        ({"best_of": 1}, [0, 5]),
        ({"best_of": 2}, [0, 1, 4, 5]),
        ({"success": False, "best_of": 1}, [1, 4]),
        ({"limit": 3}, [0, 1, 2]),
        ({"order": "curriculum"}, [4, 5, 6, 7, 0, 1, 2, 3]),  # tasks of unknown cost: by pass rate
        ({"order": "curriculum", "curriculum_by": "pass_rate"}, [4, 5, 6, 7, 0, 1, 2, 3]),
        ({"order": "curriculum", "curriculum_by": "n_tool_calls"}, [7, 4, 5, 6, 0, 1, 2, 3]),
        ({"order": "curriculum", "limit": 2}, [4, 5]),
        ({"where": "n_steps > 99"}, []),
    ],
)  # fmt: skip
def test_each_option_takes_what_it_says(tmp_path, selection, taken):
    rows = eight(
        success=[True, False, False, False, False, True, False, False],
        clairvoyant=[number in (2, 6) for number in range(8)],
        item_f1=[1.0, 0.7, 0.3, 0.0, 0.2, 1.0, 0.1, 0.0],
        coverage=[1.0, 0.9, 0.3, 0.1, 0.2, 1.0, 0.1, 0.0],
        n_steps=[1, 2, 3, 4, 5, 6, 7, 8],
        n_tool_errors=[0, 0, 0, 0, 0, 0, 0, 2],
        n_tool_calls=[3, 3, 3, 3, 3, 3, 3, 1],
        ending=["answered", "answered", "step_limit", "answered", "answered", "answered", "answered", "failed"],
        agent=["hand", "hand", "hand", "hand", "hand", "hand", "other", "hand"],
        controls=["", "", "", ERRORS, GROWING, "", "", ""],
    )
    assert ids(tmp_path, selection, rows) == [(str(number // 4), number % 4) for number in taken]


def test_pass_rates_are_over_all_that_was_finished_before_any_filter(tmp_path):
    rows = eight(
        success=[True, False, False, False, True, True, True, False],
        ending=["answered"] * 7 + ["failed"],
    )
    source = write_run(tmp_path, rows)
    with select([source], Selection(success=False), WORLD) as selected:
        assert selected.pass_rates == {"task/list-0000": 0.25, "task/list-0001": 1.0}
        assert [(one.k, one.value, one.n_tasks) for one in selected.report.pass_at] == [
            (1, 0.625, 2),
            (2, pytest.approx((0.5 + 1) / 2), 2),
            (4, 1.0, 1),
        ]


def test_two_runs_may_hold_the_same_ids(tmp_path):
    first = [trajectory(0, trial, item_f1=0.5) for trial in range(2)]
    second = [trajectory(0, trial, item_f1=0.1 + 0.8 * trial) for trial in range(2)]
    assert ids(tmp_path, {}, first, second) == [("0", 0), ("0", 1)] * 2
    assert ids(tmp_path / "best", {"best_of": 1}, first, second) == [("0", 1)]
    assert ids(tmp_path / "tied", {"best_of": 1}, first, first) == [("0", 0)]


def test_chance_is_keyed(tmp_path):
    source = write_run(tmp_path, [trajectory(task, trial) for task in range(5) for trial in range(8)])

    def drawn(**selection):
        with select([source], Selection(**selection), WORLD) as selected:
            return [row["id"] for row in rows_of(selected)]

    for selection in ({"order": "shuffled"}, {"per_task": 2}):
        assert drawn(**selection) == drawn(**selection) != drawn(**selection, seed=1)
    assert sorted(drawn(order="shuffled")) == drawn()
    assert drawn(order="shuffled", limit=9) == drawn(order="shuffled")[:9]
    assert [name[:14] for name in drawn(per_task=2)] == [f"task/list-{n // 2:04d}" for n in range(10)]


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(
        st.tuples(st.integers(0, 3), st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.integers(1, 4), st.booleans()),
        min_size=1,
        max_size=40,
    ),
    best_of=st.integers(1, 3),
    order=st.sampled_from(["played", "curriculum", "shuffled"]),
    least=st.sampled_from([None, 0.25]),
)
def test_best_of_never_drops_the_best_of_a_task(tmp_path_factory, rows, best_of, order, least):
    folder = tmp_path_factory.mktemp("best")
    made = [
        trajectory(task, trial, item_f1=f1, coverage=f1, success=success, n_tool_calls=n_calls)
        for trial, (task, f1, n_calls, success) in enumerate(rows)
    ]
    source = write_run(folder, made, per_shard=5)
    selection = Selection(best_of=best_of, order=order, item_f1=Bounds(min=least))
    seen = []
    for _ in range(2):
        with select([source], selection, WORLD) as selected:
            kept = rows_of(selected)
            check(selected, kept)
            seen.append([row["id"] for row in kept])
    assert seen[0] == seen[1]
    for task in {row["task"] for row in made}:
        better = sorted((-row["item_f1"], row["n_tool_calls"], row["id"]) for row in made
                        if row["task"] == task and row["item_f1"] >= (least or 0))  # fmt: skip
        assert sorted(row["id"] for row in kept if row["task"] == task) == sorted(one[2] for one in better[:best_of])


@pytest.mark.parametrize(
    ("selection", "said"),
    [
        ({"where": "item_f > 0.5"}, "did you mean `item_f1`"),
        ({"where": "n_steps"}, "no condition"),
        ({"where": "messages is null"}, "a condition reads columns of one number or text each"),
        ({"where": "cast(agent as integer) > 3"}, "cannot be evaluated for some row"),
        ({"where": "name = 'x'"}, "there is no column `name`"),
        ({"where": "\"hand\" = agent"}, "text is written in single quotes"),
        ({"agents": ["hnd"]}, "did you mean `hand`"),
        ({"endings": ["answerd"]}, "did you mean `answered`"),
        ({"controls": ["error"]}, "did you mean `errors`"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said(tmp_path, selection, said):
    source = write_run(tmp_path, [trajectory()])
    with pytest.raises(InputError, match=said), select([source], Selection(**selection), WORLD, scratch=tmp_path):
        pass
    assert not list(tmp_path.glob("selection-*"))


@pytest.mark.parametrize(
    "where",
    [
        "1=1; drop table rows",
        "1=1) is not true; copy rows to '/tmp/out' --",
        "item_f1 > (select max(item_f1) from rows)",
        "agent in (select * from read_csv('/etc/passwd'))",
        "read_text('/etc/passwd') is not null",
        "content is not null or exists (from glob('/*'))",
        "getenv('HOME') = ''",
        "random() > 0.5",
        "current_timestamp > date '2020-01-01'",
        "\"rows\".agent = 'x'",
        "agent = 'x' /* and */",
        "place > 3",
        "item_f1 > 0.5 union select 1",
        "'/etc/passwd'",
        "$$x$$ = agent",
        "? = 1",
    ],
)
def test_a_hostile_condition_is_refused(tmp_path, where):
    source, selection = write_run(tmp_path, [trajectory()]), Selection(where=where)
    with pytest.raises(InputError, match="where"), select([source], selection, WORLD):
        pass


def test_a_selection_goes_through_json_and_back():
    selection = Selection(success=True, item_f1=Bounds(min=0.5), best_of=2, endings=["answered"])
    said = selection.as_data()
    assert said == {"success": True, "item_f1": {"min": 0.5}, "best_of": 2, "endings": ["answered"]}
    assert Selection.model_validate(said) == selection and Selection().as_data() == {}
