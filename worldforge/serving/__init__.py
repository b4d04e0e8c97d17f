"""Adapters for trainers: from a task's row to its tools, and from an answer to its reward. Trains nothing."""
