"""A task in, a session out; a tool call in, an observation out. Knows nothing of who is calling."""
