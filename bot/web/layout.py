"""What our pages share: the frame of HTML, styles, the logo, and how a policy names them."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass
from html import escape
from pathlib import Path
from string import Template
from typing import Final

FOLDER: Final = Path(__file__).parent / "pages"
_COMMENTS_AND_INDENTATION: Final = re.compile(r"/\*.*?\*/\n?|^[ \t]+", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Style:
    css: str
    source: str
    """What names it in a Content-Security-Policy."""


def read_style(*names: str) -> Style:
    """The style of these files, one after the other."""
    css = _COMMENTS_AND_INDENTATION.sub("", "".join(read_text(name) for name in names))
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    return Style(css, f"'sha256-{digest}'")


def read_template(name: str) -> Template:
    return Template(read_text(name))


def read_text(name: str) -> str:
    return (FOLDER / name).read_text()


LOGO: Final = (
    read_text("site/icon.svg")
    .replace(' xmlns="http://www.w3.org/2000/svg"', ' aria-hidden="true" class="logo"')
    .strip()
)
"""The logo as an element of HTML; it says nothing to who listens."""
_PAGE: Final = read_template("page.html")
_UNLISTED: Final = '<meta name="robots" content="noindex, nofollow">\n'


def write_page(
    language: str, name: str, style: Style, body: str, script: str = "", *, listed: bool = False
) -> str:
    """
    Args:
        name: the title, as text.
        body: HTML.
        script: the element that loads it; empty: there is none.
        listed: search engines may list it.
    """
    return _PAGE.substitute(
        language=language,
        name=escape(name),
        style=style.css,
        body=body,
        script=script,
        robots="" if listed else _UNLISTED,
    )
