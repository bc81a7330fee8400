"""Learners: one contract, the registry, classifiers over rows of numbers, and metrics."""
