"""Encode requests to OpenAI-compatible endpoints, and read their streams as answers."""
