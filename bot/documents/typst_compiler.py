"""Compile Typst source code to pages, pictures and MathML, with the fonts of its wheel and ours."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final, Literal

import typst

_EPOCH: Final = 0
"""Fixed time of compilation, so that the same source makes the same file."""

_FONTS: Final = Path(__file__).with_name("fonts")


def open_compiler(folder: str = ".") -> typst.Compiler:
    """Open a compiler that reads only files in `folder` and fetches no package."""
    fonts = typst.Fonts(include_system_fonts=False, font_paths=[_FONTS])
    return typst.Compiler(
        root=folder, font_paths=fonts, package_path=folder, package_cache_path=folder
    )


@cache
def open_shared_compiler() -> typst.Compiler:
    """Return the one compiler of this process, since loading the fonts takes a while."""
    return open_compiler()


def compile_page(
    compiler: typst.Compiler,
    source: str,
    *,
    format: Literal["pdf", "png"] = "pdf",  # noqa: A002 (as Typst calls it)
    ppi: float | None = None,
    inputs: dict[str, str] | None = None,
) -> bytes | None:
    """Compile `source` to one file; None if Typst refuses it.

    Args:
        ppi: pixels per inch of a PNG.
        inputs: values that the source reads as `sys.inputs`.
    """
    try:
        page = compiler.compile(
            source.encode(), format=format, ppi=ppi, sys_inputs=inputs or {}, timestamp=_EPOCH
        )
    except typst.TypstError:
        return None
    return page if isinstance(page, bytes) else None
