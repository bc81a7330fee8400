"""A small web of our own on loopback, and the whole pipeline run over it."""
