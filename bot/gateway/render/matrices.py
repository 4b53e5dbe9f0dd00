"""Matrices, cases and aligned lines of LaTeX: `(a b; c d)`."""

from __future__ import annotations

from bot.gateway.render.symbols import words

_MATRICES = {
    "matrix": "()",
    "pmatrix": "()",
    "smallmatrix": "()",
    "array": "()",
    "bmatrix": "[]",
    "Bmatrix": "{}",
    "vmatrix": "||",
    "Vmatrix": "‖‖",
}
_LINES = words("aligned align align* gather gather* gathered split")


def lay_out(name: str, rows: list[list[str]]) -> str | None:
    """The cells of an environment on one line, or lines where it has lines; None if unknown."""
    if name in _LINES:
        return "\n".join("".join(row).strip() for row in rows)
    rows = [[cell.strip() for cell in row] for row in rows]
    if name == "cases":
        return "{ " + "; ".join(", ".join(cell.rstrip(",") for cell in row) for row in rows)
    if name not in _MATRICES:
        return None
    left, right = _MATRICES[name]
    gap = ", " if any(" " in cell for row in rows for cell in row) else " "
    return left + "; ".join(gap.join(row) for row in rows) + right
