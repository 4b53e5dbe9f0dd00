"""One script a contender: the same turn, the same protocol, each in the venv it needs."""
