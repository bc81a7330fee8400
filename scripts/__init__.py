"""What `make` runs; nothing here is installed."""
