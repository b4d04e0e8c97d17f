"""Takes a jobs.yaml, gives runs of commands at their times, on record, and schedulers' own files; and work to Ray.

Knows no worlds.
"""
