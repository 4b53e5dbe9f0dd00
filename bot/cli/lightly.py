"""Without rich, where nobody looks at a terminal: structlog and httpx import it if it is there,
which takes some MB of a process and a tenth of its start.

To be imported before anything else that logs.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any


@contextmanager
def without_rich() -> Generator[None]:
    """While the context is open an import of rich fails, unless it is there already."""
    modules: dict[str, Any] = sys.modules
    is_blocked = modules.setdefault("rich", None) is None
    try:
        yield
    finally:
        if is_blocked:
            modules.pop("rich", None)


with without_rich():
    importlib.import_module("structlog")
