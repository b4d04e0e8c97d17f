"""Takes tasks, an agent and an environment, gives trajectories: many at once, resumable. Knows nothing of trainers."""
