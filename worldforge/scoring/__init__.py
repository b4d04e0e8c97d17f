"""Scores an answer's text against a gold table with WideSearch's metrics. Knows nothing of agents."""
