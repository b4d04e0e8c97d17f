"""The command line: one module a command, imported when that command is typed. The only package that prints."""
