"""Templates: what the pages of a host have in common, separated from the content of each page."""
