"""The search environment: queries and addresses in, results and parts of pages out."""
