"""What the pages of a host have in common, told apart from what each of them says."""
