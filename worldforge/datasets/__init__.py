"""Takes trajectories, gives Parquet shards and a dataset card. Knows nothing of agents."""
