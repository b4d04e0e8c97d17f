"""Takes an answer's text and a gold table, gives WideSearch's metrics. Knows nothing of how the answer came about."""
