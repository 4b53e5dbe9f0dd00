"""Office Math in short."""

from __future__ import annotations

from typing import Any

M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"


def sketch(element: Any) -> str:
    """The tree in short: `f(num(1)den(2))`; runs as their text, properties left out."""
    name = element.tag.removeprefix(M)
    if name == "r":
        return "".join(element.itertext())
    inner = "".join(sketch(child) for child in element if not child.tag.endswith("Pr"))
    return inner if name == "oMath" else f"{name}({inner})"
