"""The shipped families of tasks, one file each: `family: ranking` in a spec is `ranking.py`, its `FAMILY`."""
