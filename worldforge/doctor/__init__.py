"""Takes this machine, gives what works, what is missing and what to do about it; changes nothing."""
