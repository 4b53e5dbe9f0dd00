"""A turn: how it begins, what it records, how it ends, and what becomes of it if it fails."""
