"""What trainers call: a row of a task in, tools on its world's web and the reward of an answer out. Trains nothing."""
