"""Read and decide mathematical statements; nothing here depends on tables, channels or models."""
