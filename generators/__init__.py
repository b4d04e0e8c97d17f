"""What fictions are made of: plain functions on whole columns, one folder a kind. Knows no spec and no disk."""
