"""Whose turn it is: hosts, the pages of a host, what is followed at all."""
