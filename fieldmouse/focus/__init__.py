"""Focused crawls: topics, evidence about links, link learners, and the guide that judges pages and links."""
