"""What is done to observations on purpose: typed, seeded, recorded, and never touching the gold."""
