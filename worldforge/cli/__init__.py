"""Words become calls of the spines. The only room that prints; one file a verb, imported when that verb is typed."""
