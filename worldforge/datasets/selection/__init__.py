"""Which trajectories go into a dataset, and in which order: runs and a `Selection` become streams of rows.

with select(shards_of_runs(runs), Selection(success=True, best_of=1), world) as selected:
    for table in selected.tables(1_000):
        …
"""
