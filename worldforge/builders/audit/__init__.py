"""Re-checks a world from its files alone; takes a folder, gives findings. Shares no path with what built it."""
