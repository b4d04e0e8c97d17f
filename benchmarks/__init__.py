"""Measures speed and memory, as ratios to a named peer or limit in the same run: `python -m benchmarks [NAME …]`."""
