"""What LaTeX's names stand for in Office Math, beside the symbols that are the same everywhere."""

from __future__ import annotations

from typing import Final

from bot.library.typesetting.notation import SYMBOLS

LARGE: Final = frozenset(
    {
        *("sum", "prod", "coprod", "int", "iint", "iiint", "oint"),
        *("bigcup", "bigcap", "bigoplus", "bigotimes", "bigvee", "bigwedge"),
    }
)
"""Symbols that have a body."""

ACCENTS: Final = {
    "vec": "\u20d7",
    "overrightarrow": "\u20d7",
    "overleftarrow": "\u20d6",
    "hat": "\u0302",
    "widehat": "\u0302",
    "check": "\u030c",
    "tilde": "\u0303",
    "widetilde": "\u0303",
    "breve": "\u0306",
    "acute": "\u0301",
    "grave": "\u0300",
    "dot": "\u0307",
    "ddot": "\u0308",
    "dddot": "\u20db",
    "mathring": "\u030a",
}
"""Combining characters."""

STYLES: Final = {
    "mathbb": "double-struck",
    "mathds": "double-struck",
    "mathcal": "script",
    "mathscr": "script",
    "cal": "script",
    "mathfrak": "fraktur",
    "mathsf": "sans-serif",
    "sf": "sans-serif",
    "mathtt": "monospace",
    "tt": "monospace",
    "mathrm": "p",
    "mathup": "p",
    "rm": "p",
    "mathbf": "b",
    "bf": "b",
    "boldsymbol": "bi",
    "bm": "bi",
    "pmb": "bi",
    "mathit": "",
    "mathnormal": "",
    "it": "",
}
"""Styles of `omml.run`."""

BRACES: Final = {"underbrace": ("⏟", "bot", "_"), "overbrace": ("⏞", "top", "^")}
"""Character, where it stands, and the mark that a note is written after."""

SPACES: Final = {
    ",": "\u2009",
    ":": "\u2005",
    ">": "\u2005",
    ";": "\u2004",
    " ": "\u00a0",
    "space": "\u00a0",
    "enspace": "\u2002",
    "!": "",
    "quad": "\u2003",
    "qquad": "\u2003\u2003",
    "hfill": "\u2003",
}

BRACKETS: Final = {
    ".": "",
    "<": "⟨",
    ">": "⟩",
    **{char: char for char in "()[]|/"},
    **{f"\\{name}": char for name, char in SYMBOLS.items() if char in "{}[]()|‖⟨⟩⌊⌋⌈⌉\\↑↓↕"},
}
"""How brackets are written, and what they are."""
