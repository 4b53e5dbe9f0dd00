"""The commands of LaTeX that build something of their arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from bot.library.typesetting import notation
from bot.library.typesetting.environments import lay_out, stack
from bot.library.typesetting.reader import Reader, Structures
from bot.library.typesetting.source import EMPTY, Untypesettable, call, join, literal, string

_BRACKETS = "()[]{}|‖/\\⟨⟩⌊⌋⌈⌉↑↓↕"


def _fraction(reader: Reader) -> str:
    return call("frac", reader.argument(), reader.argument())


def _binomial(reader: Reader) -> str:
    return call("binom", reader.argument(), reader.argument())


def _root(reader: Reader) -> str:
    degree = reader.optional()
    body = reader.argument()
    return call("root", degree, body) if degree else call("sqrt", body)


def _between_brackets(reader: Reader) -> str:
    opening = _bracket(reader)
    body = reader.sequence("\\right")
    reader.tokens.take()
    return call("lr", join([opening, *body, _bracket(reader)]))


def _bracket(reader: Reader) -> str:
    """A bracket; "" for the dot that stands for none."""
    part = reader.tokens.take_visible()
    if part == ".":
        return ""
    char = {"<": "⟨", ">": "⟩"}.get(part, part)
    if part.startswith("\\"):
        char = notation.SYMBOLS.get(part[1:], "")
    if not char or char not in _BRACKETS:
        raise Untypesettable("A bracket is missing.")
    return literal(char)


def _sized(size: str) -> Callable[[Reader], str]:
    return lambda reader: call("lr", _bracket(reader), size=f"#{size}")


def _negation(reader: Reader) -> str:
    part = reader.tokens.take_visible()
    char = notation.SYMBOLS.get(part[1:], "") if part.startswith("\\") else part
    if char not in notation.NEGATED:
        raise Untypesettable("This is not negated so.")
    return literal(notation.NEGATED[char])


def _modulus(reader: Reader) -> str:
    return f'quad\\(op("mod"){reader.argument()}\\)'


def _tag(reader: Reader) -> str:
    return f"quad{string(f'({reader.tokens.raw_argument()})')}"


def _dropped(reader: Reader) -> str:
    """Labels, and colours: pictures are black on white."""
    reader.tokens.raw_argument()
    return EMPTY


def _coloured(reader: Reader) -> str:
    reader.tokens.raw_argument()
    return reader.argument()


def _gap(reader: Reader) -> str:
    reader.tokens.raw_argument()
    return "quad"


def _overset(reader: Reader) -> str:
    above = reader.argument()
    return call("over", reader.argument(), above)


def _underset(reader: Reader) -> str:
    below = reader.argument()
    return call("under", reader.argument(), below)


def _brace(name: str, mark: str) -> Callable[[Reader], str]:
    def read(reader: Reader) -> str:
        body = reader.argument()
        if reader.tokens.peek_visible() != mark:
            return call(name, body)
        reader.tokens.expect(mark)
        return call(name, body, reader.argument())

    return read


def _stretched(arrow: str) -> Callable[[Reader], str]:
    def read(reader: Reader) -> str:
        below = reader.optional()
        over = call("over", call("stretch", arrow, size="#(100% + 1em)"), reader.argument())
        return call("under", over, below) if below else over

    return read


def _stack(reader: Reader) -> str:
    reader.tokens.expect("{")
    return stack(reader.grid("}"))


def _environment(reader: Reader) -> str:
    name = reader.tokens.raw_argument()
    plain = name.removesuffix("*")
    columns = ""
    if plain in ("array", "alignedat"):
        reader.optional()
        columns = reader.tokens.raw_argument()
    grid = reader.grid("\\end")
    if reader.tokens.raw_argument() != name:
        raise Untypesettable("Environments cross.")
    return lay_out(plain, columns, grid)


STRUCTURES: Final[Structures] = {
    "frac": _fraction,
    "dfrac": lambda reader: call("display", _fraction(reader)),
    "cfrac": lambda reader: call("display", _fraction(reader)),
    "tfrac": lambda reader: call("inline", _fraction(reader)),
    **dict.fromkeys(("binom", "dbinom", "tbinom"), _binomial),
    "sqrt": _root,
    "left": _between_brackets,
    "middle": lambda reader: call("mid", _bracket(reader)),
    **{name: _sized(size) for name, size in notation.SIZES.items()},
    "begin": _environment,
    "substack": _stack,
    "not": _negation,
    "pmod": _modulus,
    "mathbf": lambda reader: call("bold", call("upright", reader.argument())),
    "operatorname": lambda reader: call("op", reader.words()),
    "operatorname*": lambda reader: call("op", reader.words(), limits="#true"),
    "mathop": lambda reader: call("op", reader.argument(), limits="#true"),
    **dict.fromkeys(notation.TRANSPARENT, lambda reader: reader.argument()),
    **dict.fromkeys(("overset", "stackrel"), _overset),
    "underset": _underset,
    "overbrace": _brace("overbrace", "^"),
    "underbrace": _brace("underbrace", "_"),
    **{name: _stretched(literal(arrow)) for name, arrow in notation.STRETCHED.items()},
    "color": _dropped,
    "textcolor": _coloured,
    "tag": _tag,
    "label": _dropped,
    "hspace": _gap,
}
"""Commands with arguments that are not simply a function of one."""
