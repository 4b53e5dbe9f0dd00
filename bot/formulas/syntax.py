"""Read LaTeX mathematics into a tree, which the writers of each target share."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from bot.formulas import symbols, tree
from bot.formulas.chemistry import read_chemistry
from bot.formulas.tree import Node, Row
from bot.formulas.units import QUANTITIES, read_quantity


class Untypesettable(Exception):
    """Raised for a formula that is malformed, or that its target cannot show."""


_TOKEN = re.compile(r"\\(?:operatorname\*|[A-Za-z]+|.)?|\s+|.", re.DOTALL)
_GAP = re.compile(r"\s*\[\s*-?[\d.]+\s*(?:pt|em|ex|mm|cm)\s*\]")
_FARTHEST: Final = 20
"""Most tokens of a gap between rows."""


class Tokens:
    """The tokens of a formula: a command, white space, or one character each."""

    def __init__(self, latex: str) -> None:
        found: list[str] = _TOKEN.findall(latex)
        self._tokens = ["\\\\" if part == "\\cr" else part for part in found]
        self._at = 0

    def peek(self, ahead: int = 0) -> str:
        """Return the next token, or the one `ahead` places later; "" at the end."""
        at = self._at + ahead
        return self._tokens[at] if at < len(self._tokens) else ""

    def peek_visible(self) -> str:
        """Return the next token that is not white space."""
        return self.peek(1) if self.peek().isspace() else self.peek()

    def take(self) -> str:
        part = self.peek()
        self._at += 1
        return part

    def take_visible(self) -> str:
        self._at += self.peek().isspace()
        return self.take()

    def expect(self, wanted: str) -> None:
        """Take `wanted`, after white space. Raises `Untypesettable`: another token comes next."""
        if self.take_visible() != wanted:
            raise Untypesettable(f"{wanted!r} is missing.")

    def take_group(self) -> str:
        """Take the next braces, after white space, and return the source with them."""
        if self.peek_visible() != "{":
            raise Untypesettable("'{' is missing.")
        self._at += self.peek().isspace()
        start, depth = self._at, 0
        while depth or self._at == start:
            part = self.take()
            if not part:
                raise Untypesettable("Something is not closed.")
            depth += (part == "{") - (part == "}")
        return "".join(self._tokens[start : self._at])

    def take_groups(self) -> str:
        """Take all groups in braces that follow directly, and return their source."""
        groups: list[str] = []
        while self.peek() == "{":
            groups.append(self.take_group())
        return "".join(groups)

    def skip_gap(self) -> None:
        """Skip the `[2pt]` that may follow the end of a row."""
        ahead = "".join(self._tokens[self._at : self._at + _FARTHEST])
        if gap := _GAP.match(ahead):
            self._at += len(_TOKEN.findall(gap[0]))


MAX_LENGTH: Final = 2_000
"""Most characters of a formula that is typeset."""
_DEEPEST: Final = 40
_MOST_CELLS: Final = 1_000
"""Most cells of one environment."""


def read_formula(latex: str, *, longest: int = MAX_LENGTH, unknown: list[str] | None = None) -> Row:
    """Read `latex`, without dollar signs around it, into a tree.

    Args:
        unknown: collects the unknown commands of a formula, which become words as they were typed;
            without it they become `tree.Unknown`.

    Raises:
        Untypesettable: the formula is malformed, too long or too deep, or has too many cells; or
            all of it is unknown, and `unknown` is given.
    """
    if len(latex) > longest:
        raise Untypesettable(f"It is longer than {longest} characters.")
    if not latex.strip():
        return []
    found: list[str] = []
    row = _Reader(latex, unknown=None if unknown is None else found).read()
    if found and all(isinstance(node, tree.Text | tree.Blank) for node in row):
        raise Untypesettable("It is not known here.")
    if unknown is not None:
        unknown += found
    return row


_SCRIPTS: Final = ("^", "_", "'")
_RULES: Final = ("\\hline", "\\toprule", "\\midrule", "\\bottomrule")
_GROWN: Final = {"<": "⟨", ">": "⟩", "∣": "|", "∥": "‖"}
"""Brackets that are written with a character of another meaning."""
_TABLES: Final = frozenset((*symbols.MATRICES, *symbols.LINES, *symbols.CENTRED, *symbols.CASES))
_BEGINNINGS: Final = frozenset((*symbols.TEXTS, *symbols.WRAPPERS))
"""Commands that scripts before them belong to."""


class _Reader:
    """A reader of one formula, token by token."""

    def __init__(self, latex: str, depth: int = 0, unknown: list[str] | None = None) -> None:
        self.tokens = Tokens(latex)
        self._depth = depth
        self._unknown = unknown
        self._stops: list[tuple[str, ...]] = []

    def read(self) -> Row:
        """Read the whole formula; several lines become a table."""
        table = self.read_rows("align", "", "")
        is_line = len(table.rows) == 1 and len(table.rows[0]) == 1
        return table.rows[0][0] if is_line else [table]

    def read_rows(self, name: str, columns: str, end: str) -> tree.Table:
        """Read the cells of a table up to and including `end`, without blank rows."""
        rows: list[list[Row]] = []
        rules: list[int] = []
        stop, cells = "\\\\", 0
        while stop != end:
            if stop == "\\\\":
                if rows:
                    self.tokens.skip_gap()
                while self.tokens.peek_visible() in _RULES:
                    self.tokens.take_visible()
                    rules.append(len(rows))
                rows.append([])
            rows[-1].append(self._read_sequence("&", "\\\\", end))
            cells += 1
            if cells > _MOST_CELLS:
                raise Untypesettable("It has too many cells.")
            stop = self.tokens.take()
        rows = [row for row in rows if not all(_is_blank(cell) for cell in row)]
        if not rows:
            raise Untypesettable("It has no cells.")
        return tree.Table(name, columns, rows, rules)

    def _descend(self) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise Untypesettable("It is nested too deeply.")

    def _read_sequence(self, *stops: str) -> list[Node]:
        """Read up to one of `stops`, which is not taken; "" stands for the end."""
        self._descend()
        self._stops.append(stops)
        parts: list[Node] = []
        while (part := self.tokens.peek()) and part not in stops:
            self._add_part(self.tokens.take(), parts)
        if part not in stops:
            raise Untypesettable("Something is not closed.")
        self._stops.pop()
        self._depth -= 1
        return parts

    def read_closed(self, end: str) -> Row:
        """Read up to and including `end`."""
        parts = self._read_sequence(end)
        self.tokens.take()
        return parts

    def read_argument(self) -> Row:
        """Read the next group in braces, or a single token."""
        part = self.tokens.take_visible()
        if part == "{":
            return self.read_closed("}")
        if not part or part in "^_'}&":
            raise Untypesettable("An argument is missing.")
        if _is_digit(part):  # of `x^23` the 2 alone
            return [tree.Number(part)]
        self._descend()
        parts: list[Node] = []
        self._add_part(part, parts)
        self._depth -= 1
        return parts

    def read_optional(self) -> Row:
        """Read the next group in square brackets; empty: there is none."""
        if self.tokens.peek_visible() != "[":
            return []
        self.tokens.expect("[")
        return self.read_closed("]")

    def _add_part(self, part: str, parts: list[Node]) -> None:
        if part == "}":
            raise Untypesettable("A brace is closed that was not opened.")
        if part == "{":
            parts.append(tree.Group(self.read_closed("}")))
        elif part in _SCRIPTS:
            self._add_scripts(part, parts)
        elif part in ("&", "\\", "\\\\", "$"):
            parts.append(tree.Unknown(part))
        elif part[0] == "\\":
            self._add_command(part[1:], parts)
        elif part.isspace():
            parts.append(tree.Blank())
        elif _is_digit(part):
            parts.append(tree.Number(part + self._take_digits()))
        else:
            parts.append(tree.Char(part))

    def _take_digits(self) -> str:
        """Take the digits after a first one, with a comma or point between them."""
        digits: list[str] = []
        while _is_digit(self.tokens.peek()) or (
            self.tokens.peek() in (".", ",") and _is_digit(self.tokens.peek(1))
        ):
            digits.append(self.tokens.take())
        return "".join(digits)

    def _add_scripts(self, mark: str, parts: list[Node]) -> None:
        """Attach all scripts to the last part; without one, to the next part."""
        while parts and isinstance(parts[-1], tree.Blank):
            parts.pop()
        base = parts.pop() if parts else None
        if isinstance(base, tree.Scripts) and not base.are_before:
            raise Untypesettable("Scripts stand at scripts.")
        places: dict[str, Row] = {}
        while mark:
            if mark == "'":
                places["'"] = [*places.get("'", ()), tree.Char("′")]
            elif mark in places:
                raise Untypesettable("Two scripts stand at one place.")
            else:
                places[mark] = self.read_argument()
            ahead = self.tokens.peek_visible()
            mark = self.tokens.take_visible() if ahead in _SCRIPTS else ""
        if base in (None, tree.Group([])) and self._is_at_atom():
            parts.append(tree.Scripts(_as_node(self.read_argument()), places, are_before=True))
        else:
            parts.append(tree.Scripts(base, places))

    def _is_at_atom(self) -> bool:
        """Return whether a letter comes next, or a command for letters."""
        ahead = self.tokens.peek_visible()
        name = ahead[1:]
        return ahead.isalpha() or symbols.SYMBOLS.get(name, "").isalpha() or name in _BEGINNINGS

    def _add_command(self, name: str, parts: list[Node]) -> None:
        if name in symbols.SYMBOLS:
            is_apart = bool(parts) and isinstance(parts[-1], tree.Blank | tree.Gap)
            parts.append(tree.Char(symbols.SYMBOLS[name]))
            self._skip_end_of_name(is_apart)
        elif name in ("limits", "nolimits"):
            if parts:
                parts.append(_set_limits(parts.pop(), name == "limits"))
        elif name in _NODES:
            parts.append(_NODES[name](self, name))
        elif name in _ROWS:
            parts += _ROWS[name](self)
        elif name not in symbols.IGNORED:
            parts.append(self._read_unknown(name))

    def _read_unknown(self, name: str) -> Node:
        source = f"\\{name}{self.tokens.take_groups()}"
        if self._unknown is None:
            return tree.Unknown(source)
        self._unknown.append(f"\\{name}")
        return tree.Text(source)

    def _skip_end_of_name(self, is_apart: bool) -> None:
        """Drop a space that only ends a command's name: `2\\pi r` is `2πr`."""
        ahead = self.tokens.peek(1)
        is_name = ahead.isalnum() or ahead[:1] in ("\\", "{")
        is_name = is_name and ahead[1:] not in symbols.INFIX
        if is_name and not is_apart and self.tokens.peek().isspace():
            self.tokens.take()

    def read_rest(self) -> Row:
        """Read the rest of the group."""
        return self._read_sequence(*self._stops[-1])

    def read_words(self) -> Row:
        """Read the braces of a text command: words, and mathematics between dollar signs."""
        self.tokens.expect("{")
        self._descend()
        self._stops.append(("}",))
        parts: list[Node] = []
        words: list[str] = []
        opened = 1
        while opened:
            part = self.tokens.take()
            if not part:
                raise Untypesettable("Something is not closed.")
            opened += (part == "{") - (part == "}")
            literal = _read_literal(part)
            if literal:
                words.append(literal)
            if words and (literal is None or not opened):
                parts.append(tree.Text("".join(words)))
                words = []
            if part == "$":
                parts.append(tree.Group(self.read_closed("$")))
            elif literal is None:
                self._add_part(part, parts)
        self._stops.pop()
        self._depth -= 1
        return parts

    def read_text(self, name: str) -> Node:
        words, style = tree.Group(self.read_words()), symbols.TEXTS[name]
        return tree.Wrapped(style, [words]) if style else words

    def read_fence(self) -> Row:
        """Read the rest after `\\left`; without its `\\right` the bracket stands alone."""
        opening = self.read_bracket()
        body = self._read_sequence("\\right", *self._stops[-1])
        if self.tokens.peek() != "\\right":
            return [tree.Delimiter("left", opening), *body]
        self.tokens.take()
        return [tree.Fence(opening, body, self.read_bracket())]

    def read_bracket(self) -> str:
        """Read a bracket as one character; "" for the dot, which means none."""
        part = self.tokens.take_visible()
        if part == ".":
            return ""
        char = symbols.SYMBOLS.get(part[1:], "") if part.startswith("\\") else part
        char = _GROWN.get(char, char)
        if not char or char not in symbols.BRACKETS:
            raise Untypesettable("A bracket is missing.")
        return char

    def read_modulus(self) -> tree.Remark:
        return tree.Remark([tree.Fence("(", [tree.Text("mod\u00a0"), *self.read_argument()], ")")])

    def read_dropped(self) -> Row:
        """Drop a label, or a colour, since pictures are black on white."""
        self.tokens.take_group()
        return []

    def read_root(self) -> tree.Root:
        degree = self.read_optional()
        return tree.Root(degree, self.read_argument())

    def read_arrow(self, name: str) -> tree.Arrow:
        below = self.read_optional()
        return tree.Arrow(symbols.STRETCHED[name], self.read_argument(), below)

    def read_negated(self) -> tree.Negated:
        part = self.tokens.take_visible()
        char = symbols.SYMBOLS.get(part[1:], "") if part.startswith("\\") else part
        if char in ("", "{", "}"):
            raise Untypesettable("There is nothing to negate.")
        return tree.Negated(char)

    def read_above(self) -> Node:
        above = self.read_argument()
        if above == [tree.Char("⌢")]:
            return tree.Wrapped("overparen", self.read_argument())
        return tree.Stack(self.read_argument(), above, None)

    def read_below(self) -> tree.Stack:
        below = self.read_argument()
        return tree.Stack(self.read_argument(), None, below)

    def read_brace(self, name: str, mark: str) -> tree.Brace:
        body = self.read_argument()
        if self.tokens.peek_visible() != mark:
            return tree.Brace(name, body, None)
        self.tokens.expect(mark)
        return tree.Brace(name, body, self.read_argument())

    def _read_within(self, latex: str) -> Row:
        return _Reader(latex, self._depth + 1, self._unknown).read() if latex.strip() else []

    def read_chemistry(self) -> Node:
        return tree.Group(read_chemistry(self.tokens.take_group()[1:-1], self._read_within))

    def read_quantity(self, name: str) -> Node:
        self.read_optional()
        if self.tokens.peek_visible() != "{":
            return self._read_unknown(name)
        sources = [self.tokens.take_group()[1:-1] for _ in QUANTITIES[name]]
        return tree.Group(read_quantity(name, sources, self._read_within))

    def read_gap(self) -> tree.Gap:
        self.tokens.take_group()
        return tree.Gap("quad")

    def read_lines(self) -> tree.Table:
        self.tokens.expect("{")
        return self.read_rows("substack", "", "}")

    def read_environment(self) -> tree.Table:
        full = self.tokens.take_group()[1:-1]
        name = full.removesuffix("*")
        if name not in _TABLES:
            raise Untypesettable(f"There is no environment {name!r} here.")
        columns = ""
        if name in ("array", "alignedat"):
            self.read_optional()
            columns = self.tokens.take_group()[1:-1]
        table = self.read_rows(name, columns, "\\end")
        if self.tokens.take_group()[1:-1] != full:
            raise Untypesettable("Environments cross.")
        return table


def _is_digit(part: str) -> bool:
    return part.isascii() and part.isdigit()


def _is_blank(row: Row) -> bool:
    return all(isinstance(node, tree.Blank) for node in row)


def _as_node(row: Row) -> Node:
    return row[0] if len(row) == 1 else tree.Group(row)


def _set_limits(node: Node, has_limits: bool) -> Node:
    """Return the node with a mark of where its scripts stand, those that it has or will have."""
    if isinstance(node, tree.Scripts) and node.base:
        return tree.Scripts(_set_limits(node.base, has_limits), node.places)
    return tree.Limits(node.base if isinstance(node, tree.Limits) else node, has_limits)


def _read_literal(part: str) -> str | None:
    """Return a token as it is among words; None for a command or a sign of mathematics."""
    if part.isspace() or part == "~":
        return "\u00a0" if part == "~" else " "
    if part in ("{", "}"):
        return ""
    if part[0] != "\\":
        return None if part in ("$", "^", "_") else part
    char = part[1:]
    if char.isalnum():
        return None
    return " " if char in ",;: \\" else char


_ROWS: Final[Mapping[str, Callable[[_Reader], Row]]] = {
    "left": _Reader.read_fence,
    **dict.fromkeys(("color", "label"), _Reader.read_dropped),
}
"""Commands that are several nodes, or none."""
_NODES: Final[Mapping[str, Callable[[_Reader, str], Node]]] = {
    **dict.fromkeys(
        symbols.FUNCTIONS,
        lambda _, name: tree.Name([tree.Text(symbols.FUNCTIONS[name])], has_limits=False),
    ),
    **dict.fromkeys(
        symbols.LIMITS,
        lambda _, name: tree.Name([tree.Text(symbols.LIMITS[name])], has_limits=True),
    ),
    **dict.fromkeys(symbols.NUMBERS, lambda _, name: tree.Wrapped("bb", [tree.Char(name)])),
    **dict.fromkeys(symbols.SPACES, lambda _, name: tree.Gap(symbols.SPACES[name])),
    **dict.fromkeys(symbols.TEXTS, _Reader.read_text),
    **dict.fromkeys(
        symbols.SWITCHES,
        lambda reader, name: tree.Styled(symbols.SWITCHES[name], reader.read_rest()),
    ),
    **dict.fromkeys(
        symbols.WRAPPERS,
        lambda reader, name: tree.Wrapped(symbols.WRAPPERS[name], reader.read_argument()),
    ),
    **dict.fromkeys(symbols.TRANSPARENT, lambda reader, _: _as_node(reader.read_argument())),
    **dict.fromkeys(
        symbols.FRACTIONS,
        lambda reader, name: tree.Fraction(
            symbols.FRACTIONS[name], reader.read_argument(), reader.read_argument()
        ),
    ),
    **dict.fromkeys(
        ("binom", "dbinom", "tbinom"),
        lambda reader, _: tree.Binomial(reader.read_argument(), reader.read_argument()),
    ),
    **dict.fromkeys(
        (*symbols.SIZES, "middle", "right"),
        lambda reader, name: tree.Delimiter(symbols.SIZES.get(name, name), reader.read_bracket()),
    ),
    **dict.fromkeys(symbols.STRETCHED, _Reader.read_arrow),
    "tag": lambda reader, _: tree.Remark([tree.Text("("), *reader.read_words(), tree.Text(")")]),
    "pmod": lambda reader, _: reader.read_modulus(),
    "sqrt": lambda reader, _: reader.read_root(),
    "ce": lambda reader, _: reader.read_chemistry(),
    **dict.fromkeys(QUANTITIES, _Reader.read_quantity),
    "begin": lambda reader, _: reader.read_environment(),
    "substack": lambda reader, _: reader.read_lines(),
    "not": lambda reader, _: reader.read_negated(),
    "operatorname": lambda reader, _: tree.Name(reader.read_words(), has_limits=False),
    "operatorname*": lambda reader, _: tree.Name(reader.read_words(), has_limits=True),
    "mathop": lambda reader, _: tree.Name(reader.read_argument(), has_limits=True),
    **dict.fromkeys(("overset", "stackrel"), lambda reader, _: reader.read_above()),
    "underset": lambda reader, _: reader.read_below(),
    "overbrace": lambda reader, name: reader.read_brace(name, "^"),
    "underbrace": lambda reader, name: reader.read_brace(name, "_"),
    "textcolor": lambda reader, _: _as_node([*reader.read_dropped(), *reader.read_argument()]),
    **dict.fromkeys(("hspace", "hskip"), lambda reader, _: reader.read_gap()),
}
"""Commands that are one node."""
COMMANDS: Final = ("limits", "nolimits", *_NODES, *_ROWS)
"""All commands that are not one character."""
