"""Turns trajectories into Parquet shards and a dataset card. Knows nothing of agents."""
