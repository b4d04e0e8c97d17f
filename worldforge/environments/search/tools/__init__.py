"""Tools that may be added to a search dialect, a module each: `agentworld+find_in_page`."""
