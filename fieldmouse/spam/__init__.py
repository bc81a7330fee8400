"""Spam detection: parked domains, redirects in pages, redirect farms, and spam scores of texts."""
