"""What each command does, callable from Python: one module a command, named after it; `worldforge.cli` calls them."""
