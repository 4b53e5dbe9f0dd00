"""Immutable values that all layers exchange: updates, outgoing messages, transcripts, people."""
