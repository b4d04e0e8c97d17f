"""Agents: observations give the next action. Must not know the gold; scripted agents follow an environment's plan."""
