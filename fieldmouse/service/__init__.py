"""Long-running processes: a crawl, the refresh daemon, its scheduler and its workers."""
