"""Makes exercises with computed keys: nothing here knows a table, a channel or a model."""
