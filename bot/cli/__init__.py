"""The commands of `griot`, one module a group.

Modules here are imported at every start, so what a command needs it imports when it runs. structlog
and httpx import rich where it is installed, which costs megabytes and a tenth of the start; so
structlog is imported here, before anything that logs, without it.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any


@contextmanager
def without_rich() -> Generator[None]:
    """Let imports of rich fail while the context is open, unless it is imported already."""
    modules: dict[str, Any] = sys.modules
    is_blocked = modules.setdefault("rich", None) is None
    try:
        yield
    finally:
        if is_blocked:
            modules.pop("rich", None)


with without_rich():
    importlib.import_module("structlog")
