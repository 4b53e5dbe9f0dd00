"""Prompts in files, by language, and the module that joins them."""
