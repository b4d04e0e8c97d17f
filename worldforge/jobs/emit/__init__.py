"""Takes jobs, gives the files by which other schedulers run them: each calls `worldforge jobs run NAME --scheduled`."""
