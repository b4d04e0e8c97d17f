from jobs_by_script import place

__all__ = ["place"]
