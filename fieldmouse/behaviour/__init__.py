"""What readers do with pages, and what it says about their changes (LEADS D1.3, section 3)."""
