"""The demo's page of three phones."""
