"""Immutable values that all layers speak in: updates, outgoing messages, transcripts, people."""
