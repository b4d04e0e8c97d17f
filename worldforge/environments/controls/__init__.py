"""Controls change observations on purpose: typed, seeded, recorded. They never touch the gold."""
