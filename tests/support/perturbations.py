"""The same message set in another way, as chat models do: what is found in it must not depend on
that."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

_BLOCK: Final = ("|", "-", "#", "1.", ">", "`")
"""How blocks of Markdown begin that nothing may stand before."""
_FORMULA: Final = re.compile(r"(\$\$?[^$]*\$\$?)")


def perturb(text: str) -> Iterator[tuple[str, str]]:
    """Yield the text as it stands in each other setting that changes it, after the name of that."""
    for name, change in _CHANGES.items():
        if (changed := change(text)) != text:
            yield name, changed


def _lead(words: str) -> Callable[[str], str]:
    return lambda text: text if text.startswith(_BLOCK) else f"{words}{text}"


def _ask_after(text: str) -> str:
    end = "" if re.search(r"[.!?:|]\s*$", text) else "."
    return f"{text}{end} Tu as compris ?"


def _write_outside_formulas(pattern: str, written: str) -> Callable[[str], str]:
    def change(text: str) -> str:
        parts = _FORMULA.split(text)
        parts[::2] = (re.sub(pattern, written, each) for each in parts[::2])
        return "".join(parts)

    return change


_CHANGES: Final[Mapping[str, Callable[[str], str]]] = {
    "heading": lambda text: f"### Réponse\n\n{text}",
    "announcement": lambda text: f"Voici la réponse :\n\n{text}",
    "praise": _lead("Bravo ! "),
    "greeting": lambda text: f"Bonne question, Awa !\n\n{text}",
    "pointing hand": _lead("👉 "),
    "tick": _lead("✅ "),
    "smile": lambda text: re.sub(r"[.!]?$", r" 😊\g<0>", text, count=1),
    "party": lambda text: f"{text} 🎉",
    "question": _ask_after,
    "offer": lambda text: f"{text}\n\nSi tu veux, je te propose un autre exercice. 😊",
    "bold": lambda text: text if "*" in text or "\n" in text else f"**{text}**",
    "typographic apostrophes": lambda text: text.replace("'", "’"),
    "fractions in LaTeX": _write_outside_formulas(
        r"(?<![\w/.,√ ])(?<!\d )(\d{1,4})/(\d{1,4})(?![\w/]|[.,]\d)", r"$\\frac{\1}{\2}$"
    ),
    "percentages in LaTeX": _write_outside_formulas(r"(?<![\w.,])(\d+) ?%", r"$\1\\,\\%$"),
    "division by a colon": _write_outside_formulas(r"(?<=\d) ?÷ ?(?=\d)", " : "),
}
