"""Names are the field's words: those of a private language do not come back."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.architecture.modules import Module, read_modules

PRIVATE_WORDS = """
    house room desk door shelf crew nursery errand errands wish wishes fate fates remains traces
    standing farewell thanks rounds press manuscript workshop courier thoughts halves living hiding
    hearing beside asides seen lightly told fable manager helper helpers utils misc
"""
BANNED = frozenset(PRIVATE_WORDS.split())
PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
OF_LIBRARIES = {"AbstractAsyncContextManager", "AbstractContextManager"}


def find_names(module: Module) -> Iterator[str]:
    """Yield all names that a module defines or uses, and its own."""
    yield module.path.stem
    for node in ast.walk(ast.parse(module.source)):
        match node:
            case (
                ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
                | ast.Name(id=name)
                | ast.arg(arg=name)
                | ast.Attribute(attr=name)
            ):
                yield name
            case _:
                pass


def find_banned(modules: Mapping[str, Module]) -> set[str]:
    """Names that hold a banned word, after their module."""
    return {
        f"{module.name}: {name}"
        for module in modules.values()
        for name in find_names(module)
        if name not in OF_LIBRARIES and BANNED.intersection(map(str.lower, PARTS.findall(name)))
    }


def test_no_name_has_a_banned_word() -> None:
    assert find_banned(read_modules()) == set()


def test_planted_words_are_found(tmp_path: Path) -> None:
    path = tmp_path / "bot" / "waiting_room.py"
    path.parent.mkdir()
    path.write_text("class FrontDoor:\n    def ask(self, roommate: int) -> None: ...\n")
    assert find_banned(read_modules(tmp_path)) == {
        "bot.waiting_room: waiting_room",
        "bot.waiting_room: FrontDoor",
    }
