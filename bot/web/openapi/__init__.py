"""`GET /api/v1/openapi.json`: what the HTTP API takes and gives, for programs to read."""
