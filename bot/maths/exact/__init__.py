"""Compute with expressions: exactly in this process, or with sympy in one of its own."""
