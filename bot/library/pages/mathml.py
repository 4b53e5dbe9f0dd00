"""Formulas for browsers: Typst writes them as MathML Core (https://www.w3.org/TR/mathml-core/)."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from html import escape
from pathlib import Path
from typing import Final

import typst

from bot.library.typesetting import PREAMBLE, Untypesettable, to_typst

_OWN = (Path(__file__).parent / "templates" / "mathml.typ").read_text()
_BODY = re.compile(r"<math\b[^>]*>(.*)</math>", re.DOTALL)
_INNER = re.compile(r"<(/?)math\b[^>]*>")
_EMPTY: Final = '<mtable class="multiline-equation"></mtable>'
_LETTER = re.compile(r"<mi>([\U0001D434-\U0001D467\U0001D6E2-\U0001D71B\u210e])</mi>")
"""Italic letters, which a browser makes itself of plain ones: they are in every font."""
_WORDS_END = re.compile(r"(?<=<mtext>) | (?=</mtext>)")
"""A space that a browser would drop."""
_LEFT_OUT: Final = "was ignored during"


class Formulas:
    """Turns formulas into MathML, each by itself, so that a bad one harms no other."""

    def __init__(self) -> None:
        self.to_html = cache(self._to_html)

    def _to_html(self, latex: str, *, displayed: bool) -> str:
        """The formula as an element; as it was typed if it cannot be shown otherwise."""
        body = self._set(latex, displayed=displayed)
        if not body:
            typed = f'<code class="tex">{escape(latex)}</code>'
            return f'<div class="block">{typed}</div>' if displayed else typed
        kind = ' display="block"' if displayed else ""
        found = f'<math{kind} alttext="{escape(" ".join(latex.split()))}">{body}</math>'
        return f'<div class="block">{found}</div>' if displayed else found

    def _set(self, latex: str, *, displayed: bool) -> str:
        """What stands within `<math>`; "" if Typst cannot show all of it so."""
        try:
            source = to_typst(latex)
        except Untypesettable:
            return ""
        gap = " " if displayed else ""
        try:
            page, warnings = _compiler().compile_with_warnings(
                f"{PREAMBLE}{_OWN}${gap}{source}{gap}$".encode(), format="html"
            )
        except typst.TypstError:
            return ""
        if not isinstance(page, bytes) or any(_LEFT_OUT in each.message for each in warnings):
            return ""
        found = _BODY.search(page.decode())
        return _simplify(found[1]) if found else ""


@cache
def _compiler() -> typst.Compiler:
    fonts = typst.Fonts(include_system_fonts=False)
    return typst.Compiler(root=".", font_paths=fonts, package_path=".", package_cache_path=".")


def _simplify(body: str) -> str:
    body = _INNER.sub(r"<\1mrow>", body).replace(_EMPTY, "<mrow></mrow>")
    body = _WORDS_END.sub("\u00a0", body)
    return _LETTER.sub(lambda found: f"<mi>{unicodedata.normalize('NFKC', found[1])}</mi>", body)
