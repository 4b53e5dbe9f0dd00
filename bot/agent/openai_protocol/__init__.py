"""Requests to OpenAI-compatible endpoints as bytes, and their streams as answers."""
