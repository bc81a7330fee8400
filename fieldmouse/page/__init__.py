"""Bytes in, facts out: the tag index and what is read from it."""
