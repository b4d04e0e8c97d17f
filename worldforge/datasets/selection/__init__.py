"""Which trajectories go into a dataset, and in which order: `select` takes runs and a `Selection`, gives streams of rows.

    with select(sources_of(runs), Selection(success=True, best_of=1), world) as selected:
        for table in selected.tables(1_000):
            …
"""
