"""The one door to lxml, which has no types."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, TypeAlias

_etree: Any = import_module("lxml.etree")
Element: TypeAlias = Any
"""An element of lxml."""


def make_element(
    name: str, prefixes: Mapping[str, str] | None = None, /, **attributes: str
) -> Element:
    """An element of its own; `name` and the attributes as `{namespace}name`."""
    return _etree.Element(name, attributes, prefixes)


def add_element(parent: Element, name: str, /, **attributes: str) -> Element:
    """A new last child of `parent`."""
    return _etree.SubElement(parent, name, attributes)
