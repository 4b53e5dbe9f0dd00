"""What may stand in a page for browsers: no script, no picture from elsewhere, no style of its own.

The page is written by us with all text escaped; this is the second lock, in case the first fails.
"""

from __future__ import annotations

from typing import Final

import nh3

_MATHS: Final = frozenset({
    "math", "mi", "mn", "mo", "mtext", "mspace", "mrow", "mfrac", "msqrt", "mroot", "msub", "msup",
    "msubsup", "munder", "mover", "munderover", "mmultiscripts", "mprescripts", "mtable", "mtr",
    "mtd",
})  # fmt: skip
_MATHS_ATTRIBUTES: Final = frozenset({
    "display", "alttext", "mathvariant", "stretchy", "form", "fence", "separator", "symmetric",
    "lspace", "rspace", "minsize", "maxsize", "linethickness", "accent", "accentunder",
    "displaystyle", "scriptlevel", "width",
})  # fmt: skip
_HEADINGS: Final = frozenset({"h2", "h3", "h4", "h5", "h6"})
_TEXT: Final = frozenset({
    "p", "br", "hr", "ul", "ol", "li", "blockquote", "aside", "pre", "code", "em", "strong", "s",
    "a", "div", "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "sup", "span",
    "figure", "figcaption", "section",
})  # fmt: skip
_SIDES: Final = frozenset({"right", "center", "wide"})
_CLASSES: Final = {
    "aside": {"definition", "example", "key", "remark", "note", "tip", "warning"},
    "p": {"label", "absent"},
    "figure": {"diagram"},
    "section": {"notes"},
    "ul": {"tasks"},
    "li": {"sub"},
    "code": {"tex"},
    "div": {"scroll", "block"},
    "td": _SIDES,
    "th": _SIDES,
    "mtable": {"cases", "aligned"},
    "mrow": {"boxed", "unseen", "cancelled", "overlined", "underlined", "ruled"},
}
_ANCHOR: Final = frozenset({"id"})
_CLEANER = nh3.Cleaner(
    tags=_MATHS | _HEADINGS | _TEXT,
    attributes={
        **dict.fromkeys(_MATHS, _MATHS_ATTRIBUTES),
        **dict.fromkeys(_HEADINGS, _ANCHOR),
        **dict.fromkeys(("sup", "span", "li"), _ANCHOR),
        "a": {"href", "aria-label"},
        "section": {"aria-label"},
        "ol": {"start"},
    },
    tag_attribute_values={
        **{tag: {"dir": {"rtl"}} for tag in {"p"} | _HEADINGS},
        **{tag: {"tabindex": {"0"}} for tag in ("pre", "div")},
    },
    allowed_classes=_CLASSES,
    url_schemes={"http", "https", "mailto"},
    link_rel="noopener noreferrer nofollow",
)


def clean_html(html: str) -> str:
    """A fragment with the elements, attributes and classes that our pages have, and no others."""
    return _CLEANER.clean(html)
