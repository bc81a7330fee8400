"""Measurements, side by side with peers; see docs/how-to/bench.md."""
