"""A world's tables behind tools: list, get, create, update, delete, with changes that are a session's own."""
