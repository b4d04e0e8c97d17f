"""Takes a spec, gives a world, one file a stage. Knows nothing of datasets."""
