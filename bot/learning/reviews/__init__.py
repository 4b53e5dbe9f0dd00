"""Decide when a person is asked something again, and remind them of it."""
