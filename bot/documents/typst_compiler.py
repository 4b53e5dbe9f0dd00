"""Typst with the fonts of its wheel: pages, pictures and MathML from source code."""

from __future__ import annotations

from typing import Any, Final

import typst

_EPOCH: Final = 0
"""In place of the time of compilation: the same source makes the same file."""


def open_compiler(folder: str = ".") -> typst.Compiler:
    """Open a compiler that reads only what is in `folder` and fetches no package."""
    fonts = typst.Fonts(include_system_fonts=False)
    return typst.Compiler(
        root=folder, font_paths=fonts, package_path=folder, package_cache_path=folder
    )


def compile_page(compiler: typst.Compiler, source: str, **options: Any) -> bytes | None:
    """Compile `source` to one file; None if Typst refuses it.

    Args:
        options: of `typst.Compiler.compile`; `format` is `pdf` unless it is given.
    """
    try:
        page = compiler.compile(
            source.encode(), **({"format": "pdf", "timestamp": _EPOCH} | options)
        )
    except typst.TypstError:
        return None
    return page if isinstance(page, bytes) else None
