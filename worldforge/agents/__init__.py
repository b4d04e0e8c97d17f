"""Takes observations, gives the next action. Knows nothing of answers, the oracle excepted, and it says so."""
