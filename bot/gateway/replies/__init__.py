"""Updates that need no model, each answered in one transaction."""
