"""Check the settings, and what providers say about them."""
