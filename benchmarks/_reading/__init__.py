"""What `benchmarks/reading.py` measures: the text of a world's pages, and scripted players that read no sentence."""
