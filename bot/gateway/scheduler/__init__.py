"""Do what is due at a time of its own."""
