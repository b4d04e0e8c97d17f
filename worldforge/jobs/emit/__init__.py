"""Takes jobs, gives the files by which other schedulers run them: `worldforge jobs run NAME`, or steps by rank."""
