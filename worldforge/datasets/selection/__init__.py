"""Which trajectories go into a dataset, and in which order."""
