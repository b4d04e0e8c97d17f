"""Environments: a task gives a session, a tool call gives an observation. Must not know who calls."""
