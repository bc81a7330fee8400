"""Reading pages: the tag index, and what is read along it."""
