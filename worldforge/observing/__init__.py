"""Turns progress reports into log events and Prometheus metrics. Knows nothing of the work."""
