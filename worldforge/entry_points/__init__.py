"""What commands do, callable from Python: build, play, score, export, push. Knows no command line."""
