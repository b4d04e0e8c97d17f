"""The command line: arguments become calls of the entry points. The only room that prints; one file a verb, imported when that verb is typed."""
