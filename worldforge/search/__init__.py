"""Pages in, an index out; a query in, ranked hits with snippets out. Knows nothing of agents."""
