"""Pages, the demo and documents have the same colours, which are those of `colours.css`."""

from __future__ import annotations

import re
from pathlib import Path

from bot.documents import theme

ROOT = Path(__file__).parents[1] / "bot"
DEMO = {"bad": "wrong", "good": "right"}
PAGE = {"deep": "band", "pale": "ground", "gold": "missed"}
PRINT = {"deep": "band", "pale": "ground", "gold": "missed", "line-grey": "line"} | {
    "right-green": "right",
    "right-pale": "right-ground",
}


def colours(text: str, start: str = "--") -> dict[str, str]:
    """The first value of each name, in lower case."""
    found: dict[str, str] = {}
    for name, value in re.findall(rf"{start}([\w-]+)\W+?(?:rgb\(\")?(#[0-9a-fA-F]{{6}})", text):
        found.setdefault(name, value.lower())
    return found


def halves(path: str) -> tuple[dict[str, str], dict[str, str]]:
    """The colours by day and by night."""
    light, _, dark = (ROOT / path).read_text().partition("prefers-color-scheme")
    return colours(light), colours(dark)


LIGHT, DARK = halves("web/pages/colours.css")


def test_the_demo_has_the_colours_of_the_pages() -> None:
    for shown, brand in zip(halves("demo/phones/static/style.css"), (LIGHT, DARK), strict=True):
        for name in ("ground", "surface", "line", "ink", "soft", "accent", "on-accent", *DEMO):
            assert shown[name] == brand[DEMO.get(name, name)], name
    for shown, brand in zip(halves("demo/providers/till.html"), (LIGHT, DARK), strict=True):
        for name in ("ground", "surface", "ink", "soft", "accent", "on-accent"):
            assert shown[name] == brand[name], name


def test_documents_have_the_colours_of_the_pages() -> None:
    page, _ = halves("documents/templates/page.css")
    for name in ("ink", "soft", "deep", "pale", "line", "gold", "right"):
        assert page[name] == LIGHT[PAGE.get(name, name)], name
    printed = colours((ROOT / "documents/templates/base.typ").read_text(), "#let ")
    for name in ("ink", "soft", *PRINT):
        assert printed[name] == LIGHT[PRINT.get(name, name)], name
    office = (theme.DEEP, theme.PALE, theme.INK, theme.GREY, theme.LINE, theme.RIGHT)
    for value, name in zip(office, ("band", "ground", "ink", "soft", "line", "right"), strict=True):
        assert f"#{value.lower()}" == LIGHT[name], name


def test_pictures_of_progress_have_the_colours_of_the_pages() -> None:
    drawn = colours((ROOT / "documents/templates/chart.typ").read_text(), "#let ")
    names = {"ink": "ink", "quiet": "soft", "faint": "line", "night": "band"}
    names |= {"right-colour": "right", "wrong-colour": "missed"}
    for name, brand in names.items():
        assert drawn[name] == LIGHT[brand], name


def test_icons_and_frames_of_browsers_have_them_too() -> None:
    frame = (ROOT / "web/templates/page.html").read_text()
    assert LIGHT["band"] in frame
    assert DARK["band"] in frame
    chat = (ROOT / "web/pages/chat/index.html").read_text()
    assert LIGHT["surface"] in chat
    assert DARK["surface"] in chat
    manifest = (ROOT / "web/pages/chat/manifest.webmanifest").read_text()
    assert LIGHT["ground"] in manifest
    assert LIGHT["accent"] in manifest


def test_the_logo_is_the_same_everywhere() -> None:
    folders = ("web/pages/site", "web/pages/chat", "demo/phones/static")
    assert len({(ROOT / folder / "icon.svg").read_bytes() for folder in folders}) == 1
