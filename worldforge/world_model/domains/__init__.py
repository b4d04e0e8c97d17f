"""What a world model plays, one file a domain: its role, its tools, the form of its observations. Knows no session."""
