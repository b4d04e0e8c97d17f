"""The searcher: a scripted agent that knows the question and what it has observed, and nothing else."""
