"""Protocols between the layers, and the small values that cross them.

Implementations live in higher layers; the composition root puts them together.
"""
