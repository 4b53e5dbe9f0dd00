"""Make exercises with computed keys; nothing here depends on tables, channels or models."""
