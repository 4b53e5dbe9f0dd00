"""The commands of `griot`, one module per group.

These modules are imported at every start, so a command imports what it needs when it runs.
structlog and httpx import rich if it is installed, which costs megabytes and a tenth of the start;
so structlog is imported here, with rich blocked, before anything that logs.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any


@contextmanager
def without_rich() -> Generator[None]:
    """Make imports of rich fail while the context is open, unless it is imported already."""
    modules: dict[str, Any] = sys.modules
    is_blocked = modules.setdefault("rich", None) is None
    try:
        yield
    finally:
        if is_blocked:
            modules.pop("rich", None)


with without_rich():
    importlib.import_module("structlog")
