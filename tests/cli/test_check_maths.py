"""`griot check` shows verdicts, and ends with 1 when a statement is wrong."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from bot.main import app

RUNNER = CliRunner()


def test_a_wrong_statement_is_shown_with_its_reason() -> None:
    result = RUNNER.invoke(app, ["check", "7 × 8 = 54 et 2 + 2 = 4"])
    assert result.exit_code == 1
    lines = result.output.splitlines()
    assert lines[1].split("  ")[0] == "wrong"
    assert "56" in lines[1]
    assert lines[2].startswith("right")


def test_json_has_one_object() -> None:
    result = RUNNER.invoke(app, ["check", "(x+1)² = x² + 2x + 1", "--json"])
    assert result.exit_code == 0
    assert json.loads(result.output) == {
        "statements": [{"text": "(x+1)² = x² + 2x + 1", "verdict": "right"}]
    }


def test_a_text_may_come_from_stdin() -> None:
    result = RUNNER.invoke(app, ["check", "-", "--json"], input="On a 3 + 4 = 8.\n")
    assert result.exit_code == 1
    assert json.loads(result.output)["statements"][0]["verdict"] == "wrong"


@pytest.mark.parametrize(
    ("given", "stdin"), [("-", b"7 x 8 = 56 \xff"), ("7 x 8 = 56 \udcff", b""), ("-", b"\xe9" * 9)]
)
def test_what_is_no_utf8_is_not_checked(given: str, stdin: bytes) -> None:
    result = RUNNER.invoke(app, ["check", given], input=stdin)
    assert result.exit_code == 2
    assert "is not UTF-8" in result.output
    assert "right" not in result.output


def test_a_byte_order_mark_is_no_text() -> None:
    result = RUNNER.invoke(app, ["check", "-", "--json"], input=b"\xef\xbb\xbf7 x 8 = 56\r\n")
    assert json.loads(result.output)["statements"] == [{"text": "7 x 8 = 56", "verdict": "right"}]


def test_lines_are_answered_in_order() -> None:
    lines = ['"3 + 4 = 7"', '{"text": "x = 5", "question": "Résous 2x + 3 = 11"}', '"Bonjour"']
    result = RUNNER.invoke(app, ["check", "-", "--lines", "--json"], input="\n".join(lines))
    assert result.exit_code == 1
    found = [json.loads(line)["statements"] for line in result.output.splitlines()]
    assert [[each["verdict"] for each in statements] for statements in found] == [
        ["right"],
        ["wrong"],
        [],
    ]


@pytest.mark.parametrize(
    ("arguments", "written"), [(["check", "text", "--lines"], ""), (["check", "-", "--lines"], "{")]
)
def test_wrong_use_ends_with_two(arguments: list[str], written: str) -> None:
    assert RUNNER.invoke(app, arguments, input=written).exit_code == 2


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{bad", "Line 1: it is not valid JSON in UTF-8. Each line is a JSON string, or"),
        ('{"text": 3}', "Line 1: text must be a text, not a whole number. Each line is"),
        ("3", "Line 1: it must be a text or an object, not a whole number. Each line is"),
    ],
)
def test_a_line_that_cannot_be_read_is_explained(line: str, words: str) -> None:
    result = RUNNER.invoke(app, ["check", "-", "--lines"], input=line)
    assert words in " ".join(result.output.split())


@pytest.mark.parametrize(("text", "typed"), [("-", ""), ("-", " \n"), ("", "")])
def test_an_empty_text_is_nothing_to_check(
    text: str, typed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    result = RUNNER.invoke(app, ["check", text], input=typed)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "Nothing to check" in result.output + capsys.readouterr().err
