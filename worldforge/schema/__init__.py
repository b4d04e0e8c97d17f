"""Takes a world.yaml, gives a checked `WorldSpec`, or every problem at once. Knows nothing of how values are made."""
