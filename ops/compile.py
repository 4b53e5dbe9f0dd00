"""Compile what a running Griot imports, and only that: the image's user may write no bytecode, and
that of every module of every library would take 200 MB. Of some libraries the rest is DELETED:
`/opt/griot/bin/python compile.py /opt/griot`, twice, for only the second run would miss something.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import sys
from pathlib import Path

_OURS = ("bot", "adapters", "tools")
_LATE = (
    "PIL.Image",
    "aiosmtplib",
    "alembic.command",
    "asyncpg",
    "babel.dates",
    "ddgs",
    "docx",
    "mcp",
    "openpyxl",
    "phonenumbers.timezone",
    "pptx",
    "pypdfium2",
    "redis.asyncio",
    "sqlalchemy.ext.asyncio",
    "sqlmodel",
    "trafilatura",
    "xlsxwriter",
)
"""What is imported when it is first used."""
_PARTLY_USED = (
    "google.api_core",
    "google.auth",
    "google.oauth2",
    "openai",  # its transport; the forms of requests and answers are ours
    "phonenumbers.carrierdata",
    "pyasn1_modules",
    "sqlalchemy.dialects",
    "sqlalchemy.testing",
)
"""Of these packages modules that were not imported are taken out."""


def main(prefix: str) -> None:
    """Compile what is left. Raises `SystemExit` in an environment that was not named."""
    if sys.prefix != prefix:
        sys.exit(f"This takes modules out of {sys.prefix}. Call it with that, if it is meant.")
    for name in _OURS:
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(package.__path__, f"{name}."):
            if "__main__" not in module.name and ".migrations" not in module.name:
                importlib.import_module(module.name)
    for name in _LATE:
        importlib.import_module(name)
    for name in _PARTLY_USED:
        _take_out_unused(name)


def _take_out_unused(package: str) -> None:
    used = {module.__file__ for module in list(sys.modules.values()) if hasattr(module, "__file__")}
    found = importlib.util.find_spec(package)
    for folder in (found and found.submodule_search_locations) or ():
        for source in Path(folder).rglob("*.py"):
            if str(source) not in used:
                source.unlink()


if __name__ == "__main__":
    main(sys.argv[1])
