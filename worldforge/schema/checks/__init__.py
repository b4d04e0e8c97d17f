"""Takes a tree read from YAML, gives all that is wrong with it: one file a kind of question."""
