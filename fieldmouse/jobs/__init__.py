"""Batch work over the store: clean, dedup, review spam, train, classify, import, export, compact."""
