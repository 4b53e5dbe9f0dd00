"""Runs programs that parse or make what strangers sent, each in a child process of its own."""
