"""The shipped dataset views, one file each: `VIEW` in `<name>.py` is the view `<name>`."""
