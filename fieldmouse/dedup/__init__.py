"""Copies among pages, exact and near."""
