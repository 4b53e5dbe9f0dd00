"""Checks of the settings, and of what providers say about them."""
