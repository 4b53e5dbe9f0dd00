"""Texts of exercises: what their fields and lines become, and that each is used."""

from __future__ import annotations

import re
import tomllib
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from bot.practice import texts
from bot.practice.texts import fill, fill_lines

FOLDER = Path(texts.__file__).parent
FILES = sorted(FOLDER.glob("*.toml"))
VALUES = {
    "a": 12_500,
    "b": -3,
    "half": Fraction(1, 2),
    "mass": Decimal("3.50"),
    "name": ("le", "the"),
}


@pytest.mark.parametrize(
    ("text", "french", "english"),
    [
        ("{a} ${a}$", "12\u202f500 $12\\,500$", "12,500 $12{,}500$"),
        ("{b} {-400 * -b:+} ${b:+}$ {b:()}", "-3 - 1200 $- 3$ (-3)", "-3 - 1200 $- 3$ (-3)"),
        ("{half} ${-half}$", "1/2 $-\\frac{1}{2}$", "1/2 $-\\frac{1}{2}$"),
        ("{mass} ${mass}$", "3,5 $3{,}5$", "3.5 $3.5$"),
        ("{capital('ab')} {name} {{x}}", "Ab le {x}", "Ab the {x}"),
        ("{'plus' if a > 1 else 'un'} ${poly(1, b, 0)}$", "plus $x^2 - 3x$", "plus $x^2 - 3x$"),
        ("{point(half, b)}", "(1/2 ; -3)", "(1/2, -3)"),
    ],
)
def test_fields_are_written_in_their_language(text: str, french: str, english: str) -> None:
    assert fill(text, VALUES, "fr") == french
    assert fill(text, VALUES, "en") == english


def test_lines_depend_on_values() -> None:
    lines = [
        ["un", "one"],
        {"if": "a > b", "say": "{a + b}"},
        {"unless": "a > b", "say": "never"},
        "{simplified(1, 2)}",
        "{steps}",
    ]
    values = {"a": 3, "b": 2, "steps": ["x", "y"]}
    assert list(fill_lines(lines, values, "en")) == ["one", "5", "x", "y"]


@pytest.mark.parametrize("text", ["{[n for n in a]}", "{[a]}"])
def test_a_field_is_no_program(text: str) -> None:
    with pytest.raises(TypeError, match="cannot stand in a text"):
        fill(text, VALUES, "fr")


@pytest.mark.parametrize("path", FILES, ids=lambda each: each.stem)
def test_every_text_and_mistake_is_used(path: Path) -> None:
    modules = [path.with_suffix(".py")] if path.stem != "mistakes" else FOLDER.glob("*.py")
    source = "\n".join(module.read_text(encoding="utf-8") for module in modules)
    made = re.findall(r'f"([a-z-]+-)\{', source)
    written = path.read_text(encoding="utf-8")
    tables = tomllib.loads(written)
    shared = tables.pop("shared", {})
    assert [each for each in shared if written.count(f'lines = "{each}"') < 2] == []
    mistakes = [each for each in tables.pop("mistakes", {}) if not each.startswith(tuple(made))]
    assert [each for each in (*tables, *mistakes) if f'"{each}"' not in source] == []


def test_every_function_is_called_by_a_text() -> None:
    written = "\n".join(path.read_text(encoding="utf-8") for path in FILES)
    assert [name for name in texts.FUNCTIONS if f"{name}(" not in written] == []
