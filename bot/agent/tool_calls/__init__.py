"""Recover tool calls that a model wrote as prose: take them out of its text and read them."""
