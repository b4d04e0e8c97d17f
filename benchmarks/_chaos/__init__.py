"""What `benchmarks.chaos` is made of: commands that can be struck down at an exact place, stages, strikes, a report."""
