"""`griot --help` lists every command and option with one line that says what it does."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import typer.main

from bot.main import app

_WIDTH = 80


def commands(path: str = "griot", command: object | None = None) -> Iterator[tuple[str, object]]:
    """Every command with its full name, groups included."""
    command = typer.main.get_command(app) if command is None else command
    yield path, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands(f"{path} {name}", inner)


ALL = dict(commands())


@pytest.mark.parametrize("name", sorted(ALL.keys() - {"griot"}))
def test_the_list_of_commands_shows_whole_lines(name: str) -> None:
    summary = ALL[name].get_short_help_str(limit=_WIDTH - 16)  # type: ignore[attr-defined]

    assert summary
    assert summary == summary.strip()
    assert not summary.endswith("..."), "longer than its line"


@pytest.mark.parametrize("name", ALL)
def test_every_argument_and_option_is_explained(name: str) -> None:
    params = ALL[name].params  # type: ignore[attr-defined]

    explained = {param.name: getattr(param, "help", None) or "" for param in params}

    assert [param for param, text in explained.items() if not text] == []
    assert [text for text in explained.values() if len(text) > _WIDTH or "\n" in text] == []


def test_all_commands_are_seen() -> None:
    assert {"griot serve", "griot db backup", "griot people token", "griot init"} <= set(ALL)
