"""A world's web behind search tools: queries and pages in, results and parts of pages out."""
