"""What our pages share: the frame of HTML, styles, and how a policy names them."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from html import escape
from pathlib import Path
from string import Template

_FOLDER = Path(__file__).parent / "pages"


@dataclass(frozen=True, slots=True)
class Style:
    css: str
    source: str
    """What names it in a Content-Security-Policy."""


def read_style(*names: str) -> Style:
    """The style of these files, one after the other."""
    css = "".join(read_text(name) for name in names)
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    return Style(css, f"'sha256-{digest}'")


def read_template(name: str) -> Template:
    return Template(read_text(name))


def read_text(name: str) -> str:
    return (_FOLDER / name).read_text()


_PAGE = read_template("page.html")


def write_page(language: str, name: str, style: Style, body: str, script: str = "") -> str:
    """
    Args:
        name: the title, as text.
        body: HTML.
        script: the element that loads it; empty: there is none.
    """
    return _PAGE.substitute(
        language=language, name=escape(name), style=style.css, body=body, script=script
    )
