"""A call and what it may disclose in, an observation out: a model words it, a guard checks it. Knows no agents."""
