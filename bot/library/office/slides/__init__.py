"""Slides: short points and tables, never more on one than fits."""
