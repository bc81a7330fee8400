"""Spam detection: parked domains, redirects in pages, and redirect farms."""
