"""Exact and near-duplicates among pages: MinHash sketches and the rules."""
