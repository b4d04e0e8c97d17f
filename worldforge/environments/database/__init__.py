"""The database environment: list, get, create, update and delete records; each session has its own changes."""
