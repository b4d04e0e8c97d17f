"""What looks like a fact in a text: numbers, dates, addresses, known names and values, names that nobody knows."""
