"""Takes what a `Progress` is told, gives events and metrics; knows nothing of the work behind it."""
