"""A world on one page of HTML: counts, audit, plots, some of its tasks. Takes an opened world and findings."""
