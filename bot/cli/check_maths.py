"""`griot check`: check which mathematical statements of a text are right."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.cli_runtime import Json, exit_with_error, one_line, print_json, print_table, run

if TYPE_CHECKING:
    from bot.maths.exact.algebra_questions import Checked

_COLUMNS = ("verdict", "statement", "why")
_EXPECTED = "Each line is a JSON string, or an object with text and maybe question."


def check(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The text; - reads it from stdin.")],
    *,
    lines: Annotated[
        bool, typer.Option("--lines", help="Read JSON Lines from stdin, and answer each.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Check the mathematics of a text; exit 1 if a statement is wrong."""
    if lines and text != "-":
        raise typer.BadParameter("--lines reads from stdin: griot check - --lines")
    texts = _read_lines() if lines else [(_read_text(text), "")]
    if isinstance(texts, list) and not texts[0][0].strip():
        exit_with_error("Nothing to check: the text is empty.")
    if run(_check_all(texts, lines=lines, as_json=as_json)):
        raise typer.Exit(1)


def _read_text(text: str) -> str:
    """Return the text, or that of stdin for `-`. Raises `BadParameter` where it is not UTF-8."""
    if text == "-":
        sys.stdin.reconfigure(encoding="utf-8-sig", errors="surrogateescape")  # type: ignore[union-attr]
        text = sys.stdin.read()
    try:
        text.encode()
    except UnicodeEncodeError as error:  # a byte that could not be decoded became a surrogate
        raise typer.BadParameter(f"Character {error.start + 1} is not UTF-8.") from None
    return text


def _read_lines() -> Iterator[tuple[str, str]]:
    """Yield the text and the question of each line."""
    import msgspec

    from bot.messages.value import explain_decode_error

    class Line(msgspec.Struct):
        text: str
        question: str = ""

    for number, line in enumerate(sys.stdin.buffer, 1):
        if not line.strip():
            continue
        try:
            found = msgspec.json.decode(line, type=str | Line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            words = f"Line {number}: {explain_decode_error(error)}. {_EXPECTED}"
            raise typer.BadParameter(words) from None
        yield (found, "") if isinstance(found, str) else (found.text, found.question)


async def _check_all(
    texts: Iterator[tuple[str, str]] | Sequence[tuple[str, str]], *, lines: bool, as_json: bool
) -> bool:
    """Check one text after another and print the statements found; return whether one is wrong."""
    from bot.isolated_worker.worker import WarmWorker
    from bot.maths.checker import PROGRAM, MathsChecker

    worker = WarmWorker(PROGRAM)
    checker = MathsChecker(worker.ask)
    is_wrong = False
    try:
        for text, question in texts:
            found = await checker.check(text, question)
            is_wrong |= any(each.verdict == "wrong" for each in found)
            _print(found, as_json=as_json or lines)
    finally:
        await worker.close()
    return is_wrong


def _print(found: Sequence[Checked], *, as_json: bool) -> None:
    if as_json:
        print_json({"statements": found})
    else:
        rows = [(each.verdict, one_line(each.text), each.why) for each in found]
        print_table(_COLUMNS, rows)
