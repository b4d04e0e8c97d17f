"""What a task says of itself is counted anew: a figure that was changed on file is found, whichever it is."""

import dataclasses

import pyarrow as pa

from worldforge.builders.audit.audit_tasks import check_claims
from worldforge.world.database import connect
from worldforge.world.evidence import Evidence
from worldforge.world.task import tasks_from_table, tasks_to_table


def claims(world, written, spec=None):
    return checked(spec or world.spec, world, written, tasks_from_table(written))


def checked(spec, world, written, tasks):
    return check_claims(spec, connect(world.tables()), Evidence(world.mentions), written, tasks)


COLUMNS = {
    "n_rows": 99,
    "n_columns": 9,
    "n_cells": 999,
    "n_conditions": 7,
    "best_page_share": 0.999,
    "distractor_ratio": 0.123456,
    "guess_f1": 0.5,
}


def test_every_figure_that_is_not_so_is_named(world):
    written = world._table("tasks.parquet")
    held = claims(world, written)
    assert (held.n_failed, held.n_checked) == (0, written.num_rows * len(COLUMNS))
    failures = []
    for names in (list(COLUMNS)[:4], list(COLUMNS)[4:]):
        rows = written.to_pylist()
        rows[3].update({name: COLUMNS[name] for name in names})
        finding = claims(world, pa.Table.from_pylist(rows, schema=written.schema))
        assert finding.n_failed == len(names)
        failures += finding.failures
    for failure, (name, value) in zip(failures, COLUMNS.items(), strict=True):
        assert failure.startswith(f"{world.tasks[3].id}: `{name}` is ")
        assert failure.endswith(f", and it says {value:.6g}")


def test_a_clue_that_is_enough_alone_is_named_where_the_spec_closes_it(world):
    gates = world.spec.gates.model_copy(update={"single_clue": False})
    spec = world.spec.model_copy(update={"gates": gates})
    task = next(task for task in world.tasks if len(task.conditions) == 1)
    doubled = dataclasses.replace(task, conditions=task.conditions * 2)
    again = checked(spec, world, tasks_to_table([task, doubled]), [task, doubled])
    assert again.failures[-1] == f"{task.id}: one of its conditions selects the answer alone"
