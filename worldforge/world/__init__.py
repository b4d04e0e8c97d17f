"""The artefact: a world's folder as Arrow tables, as DuckDB, as a networkx graph. Knows nothing of how it was made."""
