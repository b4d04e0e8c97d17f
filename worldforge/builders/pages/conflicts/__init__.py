"""Where pages say something else than the tables; takes an outline and the tables, knows nothing of texts."""
