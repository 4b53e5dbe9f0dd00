"""Compile what a running Griot imports, and only that: the image's user may write no bytecode, and
that of every module of every library would take 200 MB.
"""

from __future__ import annotations

import importlib
import pkgutil

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
    "twilio.rest.api.v2010.account.message",
    "xlsxwriter",
)
"""What is imported when it is first used."""


def main() -> None:
    for name in _OURS:
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(package.__path__, f"{name}."):
            if "__main__" not in module.name and ".migrations" not in module.name:
                importlib.import_module(module.name)
    for name in _LATE:
        importlib.import_module(name)


if __name__ == "__main__":
    main()
