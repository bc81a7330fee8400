"""Is this link worth a download: topics, evidence, learners, and the guide that a crawl asks."""
