"""Isolate processes by Linux system calls."""
