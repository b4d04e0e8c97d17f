"""The command line: parse arguments, call the library, print. The only package that prints."""
