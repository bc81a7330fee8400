"""What leaves the archive: exports and figures."""
