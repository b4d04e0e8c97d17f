"""Takes jobs, gives the files with which other schedulers run them."""
