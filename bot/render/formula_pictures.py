"""Draw the formulas that no line of text shows well, as pictures that accompany the text.

The text keeps its linear form: it can be read before the picture has loaded, or without it.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterator, Sequence
from typing import Final, Literal

import structlog
from markdown_it.token import Token
from msgspec.structs import replace

from bot.contracts.channels import Capabilities
from bot.documents.typesetter import Typesetter
from bot.files.store import GUESTS, FileStore
from bot.formulas import symbols, tree
from bot.formulas.line_text import to_line
from bot.formulas.syntax import Untypesettable, read_formula
from bot.formulas.tree import Node, Row
from bot.messages.outgoing import AskExercise, AskQuiz, Outgoing, Say, ShareFile
from bot.render.markdown import markdown_parser

_Kind = Literal["fraction", "root", "script", "accent"]
_ALWAYS = (tree.Binomial, tree.Table, tree.Stack, tree.Arrow, tree.Brace)
_ACCENTS: Final = frozenset(symbols.ACCENTS.values())
_SIGNS: Final = frozenset("+-±∓")
_LONGEST_NAME: Final = 4
"""Letters under one accent at most that are read as a name."""


def formulas_in(markdown: str) -> tuple[str, ...]:
    """Return the formulas of a text that need a picture, in order, each once, without dollar
    signs."""
    if "$" not in markdown and "\\" not in markdown:
        return ()
    found = (
        token.content for token in _walk(markdown_parser().parse(markdown)) if _is_maths(token)
    )
    return tuple(dict.fromkeys(formula for formula in found if needs_picture(formula)))


def needs_picture(formula: str) -> bool:
    """Return whether a formula is too hard to read as a line of text.

    It is if it is stacked twice: fractions in fractions, a root of several terms in a fraction,
    roots in roots; if a sum, an integral or a limit has bounds; in matrices, cases and lines; and
    if a command is not known. So is an arrow, hat or bar over several letters, as fonts place
    combining marks differently; unless it is the whole formula: `\\overrightarrow{AB}` is a name,
    and stays in its sentence.
    """
    line = to_line(formula)
    if "\\" in line or "\n" in line or "root(" in line:
        return True
    try:
        row = read_formula(formula)
    except Untypesettable:
        return False
    return not _is_name(row) and _is_tall(row, ())


def _walk(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _walk(token.children or ())


def _is_maths(token: Token) -> bool:
    return token.type in ("maths", "maths_block")


def _is_name(row: Row) -> bool:
    """Return whether a formula is a few letters under one accent, and nothing else."""
    match [node for node in row if not isinstance(node, tree.Blank)]:
        case [tree.Wrapped(function, body)] if function in _ACCENTS:
            letters = [node for node in body if not isinstance(node, tree.Blank)]
            return len(letters) <= _LONGEST_NAME and all(map(_is_letter, letters))
        case _:
            return False


def _is_letter(node: Node) -> bool:
    return isinstance(node, tree.Char) and node.char.isalpha()


def _is_tall(row: Row, inside: tuple[_Kind, ...]) -> bool:
    """Return whether a row needs two dimensions; `inside`: the kinds around it, outermost first."""
    for node in row:
        if isinstance(node, _ALWAYS) or _is_bounded(node):
            return True
        if isinstance(node, tree.Scripts) and node.base and _is_tall([node.base], inside):
            return True
        kind, rows = _find_rows(node)
        for part in rows:
            if kind and _stacks(kind, part, inside):
                return True
            if _is_tall(part, (*inside, kind) if kind else inside):
                return True
    return False


def _is_bounded(node: Node) -> bool:
    """Return whether a node is a sum, an integral or a limit with bounds."""
    if not isinstance(node, tree.Scripts):
        return False
    base = node.base.base if isinstance(node.base, tree.Limits) else node.base
    if isinstance(base, tree.Name):
        return base.has_limits
    return isinstance(base, tree.Char) and base.char in symbols.LARGE


def _find_rows(node: Node) -> tuple[_Kind | None, Sequence[Row]]:
    """Return the rows of a node, and its kind if they are above or below something."""
    match node:
        case tree.Fraction(_, above, below):
            return "fraction", (above, below)
        case tree.Root(_, body):
            return "root", (body,)
        case tree.Scripts(_, places):
            return "script", [row for mark, row in places.items() if mark != "'"]
        case tree.Wrapped(function, body):
            return "accent" if function in _ACCENTS else None, (body,)
        case tree.Group(body) | tree.Styled(_, body) | tree.Fence(_, body, _):
            return None, (body,)
        case _:
            return None, ()


def _stacks(kind: _Kind, row: Row, inside: tuple[_Kind, ...]) -> bool:
    """Return whether a row of a node of this kind is stacked once too often inside the others."""
    if kind == "accent":
        return sum(not isinstance(node, tree.Blank) for node in row) > 1
    if kind == "root" and "fraction" in inside:
        return any(isinstance(node, tree.Char) and node.char in _SIGNS for node in row)
    return inside.count(kind) > (kind == "script")


_FORM = "image/png"
_PATIENCE = 5.0
"""Seconds that an answer waits for its picture."""
log = structlog.get_logger()


class FormulaPictures:
    def __init__(self, files: FileStore, typesetter: Typesetter) -> None:
        self._files = files
        self._typesetter = typesetter

    async def illustrate(
        self, outgoing: Sequence[Outgoing], capabilities: Capabilities
    ) -> list[Outgoing]:
        """Return the items with one picture for each that needs one: after a text, before a
        question."""
        if capabilities.markup == "markdown" or not capabilities.carries(_FORM, 1):
            return list(outgoing)
        illustrated: list[Outgoing] = []
        for item in outgoing:
            match item:
                case Say(markdown=text):
                    illustrated += [item, *await self._pictures(text)]
                case AskExercise():
                    text = "\n\n".join((item.lead, item.statement, *item.options))
                    illustrated += [*await self._pictures(text), item]
                case AskQuiz():
                    text = "\n\n".join((item.question, *item.options))
                    illustrated += [*await self._pictures(text), item]
                case _:
                    illustrated.append(item)
        return illustrated

    async def _pictures(self, markdown: str) -> list[ShareFile]:
        """Return the picture of a text's formulas, or none; the same formulas are drawn once for
        all people."""
        formulas = formulas_in(markdown) if "$" in markdown or "\\" in markdown else ()
        if not formulas:
            return []
        key = "formulas/" + hashlib.sha256("\0".join(formulas).encode()).hexdigest()
        known = await self._files.find_by_key(key)
        if known is not None:
            return [replace(known, shows_formulas=True)]
        try:
            async with asyncio.timeout(_PATIENCE):
                picture = await self._typesetter.picture(formulas)
                if picture is None:
                    return []
                saved = await self._files.save(
                    GUESTS, "formula.png", picture, mime_type=_FORM, source="formula", key=key
                )
                return [replace(saved, shows_formulas=True)]
        except (TimeoutError, ConnectionError) as error:
            log.warning("picture_missed", error=type(error).__name__)
            return []  # the text has the formulas too
