"""Takes a jobs.yaml, gives runs of its commands on schedule and on record, and files for other schedulers.

Knows no worlds.
"""
