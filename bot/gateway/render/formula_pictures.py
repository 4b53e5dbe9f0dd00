"""Draw the formulas that no line of text shows well, as pictures beside the text.

The text keeps its linear form: it can be read before the picture has loaded, or without it.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal

import structlog
from markdown_it.token import Token

from bot.contracts.channels import Capabilities
from bot.documents.typesetter import Typesetter
from bot.files.store import GUESTS, FileStore
from bot.gateway.render import latex
from bot.gateway.render.latex import ACCENTS
from bot.gateway.render.markdown import markdown_parser
from bot.messages.outgoing import AskQuiz, Outgoing, Say, ShareFile

_Kind = Literal["fraction", "root", "script", "accent"]
_PART = re.compile(r"\\(?:[A-Za-z]+|.)?|\s+|.", re.DOTALL)
_NAME = re.compile(rf"\s*\\(?:{'|'.join(ACCENTS)})\s*\{{\s*[A-Za-z]{{1,4}}\s*\}}\s*")
_KINDS: Final[dict[str, tuple[_Kind, int]]] = {
    **dict.fromkeys(("\\frac", "\\dfrac", "\\tfrac", "\\cfrac"), ("fraction", 2)),
    "\\sqrt": ("root", 1),
    "^": ("script", 1),
    "_": ("script", 1),
    **{f"\\{name}": ("accent", 1) for name in ACCENTS},
}
"""What stands over or under something, and its number of arguments."""
_ALWAYS = ("\\begin", "\\binom", "\\dbinom", "\\tbinom")
_BOUNDED = re.compile(
    r"\\(?:sum|prod|i*nt|oint|lim|max|min|sup|inf|bigcup|bigcap)(?![A-Za-z])"
    r"(?:\s|\\(?:no)?limits(?![A-Za-z]))*[_^]"
)
_SIGNS: Final = frozenset(("+", "-", "\\pm", "\\mp"))


def formulas_in(markdown: str) -> tuple[str, ...]:
    """The formulas of a text that need a picture, in order, each once, without dollar signs."""
    if "$" not in markdown and "\\" not in markdown:
        return ()
    found = (
        token.content for token in _walk(markdown_parser().parse(markdown)) if _is_maths(token)
    )
    return tuple(dict.fromkeys(formula for formula in found if needs_picture(formula)))


def needs_picture(formula: str) -> bool:
    """Whether the text that `latex.to_text` makes of it asks too much of a reader.

    It does where things stand over one another twice: fractions in fractions, a root of several
    terms in a fraction, roots in roots; where a sum, an integral or a limit has bounds; in
    matrices, cases and lines; and where a command is not known. So does an arrow, hat or bar over
    several letters, as fonts put combining marks where they like; unless it is all there is:
    `\\overrightarrow{AB}` is a name, and stays in its sentence.
    """
    text = latex.to_text(formula)
    if "\\" in text or "\n" in text or "root(" in text:
        return True
    if _NAME.fullmatch(formula):
        return False
    return bool(_BOUNDED.search(formula)) or _is_tall(_PART.findall(formula), ())


def _walk(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _walk(token.children or ())


def _is_maths(token: Token) -> bool:
    return token.type in ("maths", "maths_block")


def _is_tall(parts: Sequence[str], inside: tuple[_Kind, ...]) -> bool:
    """Whether these parts, which stand in `inside` from the outermost on, need two dimensions.

    `to_text` has read them: nothing is deeper than it allows.
    """
    at = 0
    while at < len(parts):
        part = parts[at]
        at += 1
        if part in _ALWAYS:
            return True
        kind, arguments = _KINDS.get(part, (None, 0))
        for _ in range(arguments):
            argument, at = _take_argument(parts, at)
            if kind and (_stacks(kind, argument, inside) or _is_tall(argument, (*inside, kind))):
                return True
    return False


def _take_argument(parts: Sequence[str], at: int) -> tuple[Sequence[str], int]:
    """The argument that begins at `at`, without braces, and where it ends."""
    at = _skip_degree(parts, _skip_spaces(parts, at))
    if parts[at : at + 1] != ["{"]:
        return parts[at : at + 1], at + 1
    start, depth = at + 1, 0
    while at < len(parts):
        depth += (parts[at] == "{") - (parts[at] == "}")
        at += 1
        if not depth:
            break
    return parts[start : at - 1], at


def _skip_spaces(parts: Sequence[str], at: int) -> int:
    while at < len(parts) and parts[at].isspace():
        at += 1
    return at


def _skip_degree(parts: Sequence[str], at: int) -> int:
    """Past the degree of a root, in square brackets."""
    if parts[at : at + 1] == ["["] and "]" in parts[at:]:
        return _skip_spaces(parts, parts.index("]", at) + 1)
    return at


def _stacks(kind: _Kind, argument: Sequence[str], inside: tuple[_Kind, ...]) -> bool:
    """Whether it is one thing too many over another."""
    if kind == "accent":
        return sum(not part.isspace() for part in argument) > 1
    if kind == "root" and "fraction" in inside:
        return not _SIGNS.isdisjoint(argument)
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
        """What is said, with one picture after each text that needs one, before each such quiz."""
        if capabilities.markup == "markdown" or not capabilities.carries(_FORM, 1):
            return list(outgoing)
        illustrated: list[Outgoing] = []
        for item in outgoing:
            match item:
                case Say(markdown=text):
                    illustrated += [item, *await self._pictures(text)]
                case AskQuiz():
                    text = "\n\n".join((item.question, *item.options))
                    illustrated += [*await self._pictures(text), item]
                case _:
                    illustrated.append(item)
        return illustrated

    async def _pictures(self, markdown: str) -> list[ShareFile]:
        """None or one; the same formulas are drawn once for everybody."""
        formulas = formulas_in(markdown) if "$" in markdown or "\\" in markdown else ()
        if not formulas:
            return []
        key = "formulas/" + hashlib.sha256("\0".join(formulas).encode()).hexdigest()
        known = await self._files.find_by_key(key)
        if known is not None:
            return [known]
        try:
            async with asyncio.timeout(_PATIENCE):
                picture = await self._typesetter.picture(formulas)
                if picture is None:
                    return []
                return [
                    await self._files.save(
                        GUESTS, "formula.png", picture, mime_type=_FORM, source="formula", key=key
                    )
                ]
        except (TimeoutError, ConnectionError) as error:
            log.warning("picture_missed", error=type(error).__name__)
            return []  # the text says it too
