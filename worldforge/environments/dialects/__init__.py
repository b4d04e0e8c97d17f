"""A tool call in a dialect's words <-> what is asked for; a view <-> the text that shows it."""
