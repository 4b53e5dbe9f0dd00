"""How much memory a value keeps, whatever the names of its parts are."""

from __future__ import annotations

import gc
import sys
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType

_SHARED = (type, ModuleType, CodeType, FunctionType, BuiltinFunctionType, MethodType)
"""What a value refers to and does not keep for itself."""


def measure_bytes(*values: object) -> int:
    """Sum up the sizes of the values and of everything that they refer to."""
    known: dict[int, object] = {}
    found = list(values)
    while found:
        value = found.pop()
        if id(value) not in known and not isinstance(value, _SHARED):
            known[id(value)] = value
            found += gc.get_referents(value)
    return sum(sys.getsizeof(value) for value in known.values())
