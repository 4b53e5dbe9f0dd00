"""Files are found by their names, and each is worth opening."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.architecture.modules import Module, find_importers, read_modules

SHORTEST = 60
LONGEST = 800
SHORT_ON_PURPOSE = {
    "adapters.console": "a channel of its own",
    "adapters.http_api": "a channel of its own",
    "bot.cli.inbox": "a group of commands, found by its name",
    "bot.files.pdf_pages": "a program that isolated workers import by name",
    "bot.isolated_worker.echo": "a program that isolated workers import by name",
}


def names_twice(modules: Mapping[str, Module]) -> list[str]:
    """Files of one room that have the same name."""
    places: dict[tuple[str, str], list[str]] = defaultdict(list)
    for module in modules.values():
        if module.path.name != "__init__.py":
            places[module.room, module.path.name].append(module.name)
    return sorted(str(names) for names in places.values() if len(names) > 1)


def too_short(modules: Mapping[str, Module]) -> list[str]:
    """Modules that belong into the only one that imports them; a tool is always a file."""
    importers = find_importers(modules)
    return sorted(
        module.name
        for module in modules.values()
        if module.path.name != "__init__.py"
        and not module.name.startswith("tools.")
        and module.lines < SHORTEST
        and len(importers[module.name]) == 1
    )


def test_a_name_occurs_once_in_a_room() -> None:
    assert names_twice(read_modules()) == []


def test_no_short_module_has_one_importer() -> None:
    assert [name for name in too_short(read_modules()) if name not in SHORT_ON_PURPOSE] == []


def test_no_module_is_too_long() -> None:
    modules = read_modules().values()
    long = [module.name for module in modules if module.lines > LONGEST]
    assert long == []


@pytest.fixture
def planted(tmp_path: Path) -> dict[str, Module]:
    """Two files of one name in a room, one of them short and imported once."""
    for name, source in {
        "bot/room/one/store.py": "x = 1\n",
        "bot/room/two/store.py": "from bot.room.one.store import x\n" * 80,
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        path.write_text(source)
    return read_modules(tmp_path)


def test_planted_violations_are_found(planted: dict[str, Module]) -> None:
    assert names_twice(planted) == ["['bot.room.one.store', 'bot.room.two.store']"]
    assert too_short(planted) == ["bot.room.one.store"]
