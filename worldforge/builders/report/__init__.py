"""Writes a world's report: counts, audit, plots and some tasks on one page of HTML."""
