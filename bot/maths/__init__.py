"""Reads and decides mathematical statements: no table, no channel, no model is known here."""
