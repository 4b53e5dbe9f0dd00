"""Answer updates that need no model, each in one transaction."""
