"""The frontier: the queue of hosts, the pages of a host, scope and URL traps."""
