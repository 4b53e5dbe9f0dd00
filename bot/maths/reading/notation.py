"""Read tokens of school notation, French or English, from text or LaTeX, as an expression.

Some notation has two meanings: `1,500`, `2 3/4` in LaTeX, `:` after a number, a dash at the start
of a line. `Reader.doubts` names those that were met; a `Reading` chooses the second one of some.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial, reduce
from typing import Final, Literal, TypeAlias

from bot.maths.exact.expression import (
    Apply,
    Expr,
    Letter,
    Num,
    Quantity,
    apply,
    apply_phrase,
    number,
)
from bot.maths.reading.quantities import NotReadable, QuantityReader, divide, is_part
from bot.maths.reading.special_notation import (
    add_left_out,
    ends_instruction,
    read_between,
    read_calculus,
    read_conjugate,
    read_in_base,
    read_superscript,
    refuse_base,
)
from bot.maths.reading.tokens import (
    Token,
    ends_couple,
    is_unit,
    join_words,
    may_be_letters,
    tokenize,
)

Doubt = Literal["thousands", "mixed", "colon", "dash", "loose", "call", "gap"]
"""A notation with a second meaning: a decimal mark that separates thousands; a mixed number that is
a product; a colon that is punctuation; a dash that is a bullet; `half of` that applies to all that
follows; an exclamation mark that is a factorial; a difference between two that has no sign."""
Reading: TypeAlias = frozenset[Doubt]
_DEEPEST: Final = 30
_SPACED_POWERS: Final = ("xe", "te", "ue", "ne", "nx", "kx", "mx", "px")  # `x e^x`, `n x^(n-1)`
_FRACTION_OF: Final = ("de", "d", "of", "des", "du")
_CALLED: Final = frozenset("fghkpquvFGPQCRBE")
"""Names that are functions if a bracket follows at once."""
_OF_TWO: Final = {
    "sum": "+", "difference": "-", "gap": "-", "product": "*", "quotient": "/", "gcd": "gcd",
    "lcm": "lcm",
}  # fmt: skip


def read_expression(text: str) -> Expr:
    """Read a whole text as one expression.

    Raises:
        NotReadable: the text is no expression, or has more after it.
    """
    tokens = join_words(tokenize(text))
    reader = Reader(tokens)
    found = reader.read_sum()
    if reader.at < len(tokens):
        raise NotReadable(f"{tokens[reader.at].text!r} cannot be read here.")
    return found


class Reader(QuantityReader):
    """A reader of expressions from tokens; `at` is the place of the next token."""

    def __init__(
        self, tokens: Sequence[Token], reading: Reading = frozenset(), at: int = 0
    ) -> None:
        super().__init__(tokens, at)
        self.reading = reading
        self.doubts: set[Doubt] = set()
        self._depth = 0

    def _doubt(self, doubt: Doubt) -> bool:
        """Note a notation with two meanings; return whether the second one is chosen."""
        self.doubts.add(doubt)
        return doubt in self.reading

    def expect(self, text: str) -> None:
        """Take this sign. Raises `NotReadable`: another one comes next."""
        if self.peek().text != text or self.peek().kind == "word":
            raise NotReadable(f"{text!r} is missing.")
        self.at += 1

    # Sums and products --------------------------------------------------------------------------

    def read_sum(self) -> Expr:
        """Read the longest expression from here.

        Raises:
            NotReadable: there is no expression here, or it is nested too deeply.
        """
        left = self._read_first()
        terms = [left]
        while op := self._find_sign():
            before = self.at
            self.at += 1
            self.at += self.find_label(left) if op == "+" else 0
            is_left_out = op == "+" and self.peek().text == "…" and self.peek(1).text == "+"
            self.at += 2 * is_left_out
            try:
                right = self.read_product()
            except NotReadable:
                self.at = before
                break
            if is_left_out:
                left = add_left_out(terms, right)
            left = apply(op, left, right)
            terms.append(right if op == "+" else apply("neg", right))
        return left

    def _read_first(self) -> Expr:
        """Read the first term, with its sign; a dash at the start may be a bullet."""
        sign = self.peek()
        if sign.kind != "operator" or sign.text not in "+-":
            return self.read_product()
        self.at += 1
        is_bullet = sign.text == "-" and self.peek().is_spaced and not sign.is_formula
        product = self.read_product()
        if sign.text == "+" or (is_bullet and self._doubt("dash")):
            return product
        return apply("neg", product)

    def _find_sign(self) -> str:
        token = self.peek()
        if token.kind == "operator" and token.text in "+-":
            return token.text
        is_and = token.text in ("et", "and", ",") and self.is_counted(-1) and self.is_counted(2)
        return "+" if is_and and self.peek(1).kind == "number" else ""

    def read_product(self) -> Expr:
        """Read a term. Raises `NotReadable`."""
        left = self._read_factor()
        while True:
            before = self.at
            op = self._find_factor_sign(left)
            if not op:
                return left
            try:
                right = (op == "/" and self.read_divisor()) or self._read_factor()
            except NotReadable:
                self.at = before
                return left
            left = divide(left, right) if op == "/" else apply(op, left, right)

    def _find_factor_sign(self, left: Expr) -> str:
        """Take and return the sign of a product or quotient; empty if none is written."""
        token = self.peek()
        if token.kind == "operator" and token.text in "*/":
            self.at += 1
            return token.text
        if token.text == ":" and token.kind == "operator":
            return self._find_colon(token)
        if self._is_cross(token):
            self.at += 1
            return "*"
        taken = 2 if token.text == "d" and self.peek(1).text == "'" else 1  # `d'une heure`
        is_of = token.text in _FRACTION_OF and is_part(left) and self._starts_value(taken)
        if is_of and self.peek(taken + 1).text != "'":  # `de l'eau`
            self.at += taken
            return "*"
        return "*" if self._is_implicit(left, token) else ""

    def _find_colon(self, token: Token) -> str:
        after, last = self.peek(1), self.peek(2)
        if after.text == "-":
            after, last = last, self.peek(3)
        has_letter = after.kind == "name" or (last.kind == "name" and not last.is_spaced)
        has_letter |= ends_couple(self.tokens[: self.at]) or ends_instruction(self)
        has_numbers = self.peek(-1).kind in ("number", "close") and self._starts_value(1)
        if has_letter or not has_numbers or self._doubt("colon"):
            return ""
        self.at += token.end > token.start
        return "/"

    def _is_cross(self, token: Token) -> bool:
        """Return whether the letter x is a multiplication sign: `3 x 4`, `3x4`."""
        if token.kind != "name" or token.text not in ("x", "X") or token.is_formula:
            return False
        before, after = self.peek(-1), self.peek(1)
        is_measured = before.kind == "name" and before.is_spaced and self.peek(-2).kind == "number"
        ends = before.kind in ("number", "close", "unit", "word") or (
            is_measured and token.is_spaced and is_unit(before, self.peek(-2), is_attached=False)
        )  # the last: `450 F x 3`
        follows = after.kind == "number" or (after.text == "(" and after.is_spaced)
        return ends and follows and token.is_spaced == after.is_spaced

    def _starts_value(self, ahead: int) -> bool:
        token = self.peek(ahead)
        return token.kind in ("number", "open", "name") or token.text in ("√", "-")

    def _is_implicit(self, left: Expr, token: Token) -> bool:
        before = self.peek(-1)
        if self.at == 0 or isinstance(left, Quantity):
            return False
        is_close = not token.is_spaced or (token.is_formula and before.is_formula)
        if before.text == "!" and before.kind == "operator" and token.is_formula:
            return token.kind == "number" or token.text in ("(", "frac")
        if token.kind == "function" or (token.kind == "operator" and token.text in "√∛∫∑∏"):
            is_factor = before.kind in ("number", "close", "name", "power") or before.text == "π"
            is_argument = before.kind == "name" and self.peek(-2).kind == "function"
            base = self.peek(-2) if before.kind == "power" else before
            is_variable = base.text in ("x", "t", "u", "n") and token.kind == "function"
            is_root = before.kind == "close" and token.text in ("√", "sqrt")
            is_apart = before.kind == "number" or is_argument or is_variable or is_root
            return is_factor and (is_close or is_apart)
        if token.kind == "open" and token.text in ("(", "frac", "["):
            is_modulus = token.text == "[" and (self.peek(2).text == "]" or token.is_spaced)
            is_number = before.kind == "number" and not before.is_word
            is_factor = is_number or before.kind in ("close", "name", "power")
            return is_close and not is_modulus and is_factor
        if token.kind == "word":
            is_letters = is_close and before.kind == "number" and not before.is_word
            return is_letters and may_be_letters(token.text)
        return token.kind == "name" and self._is_implicit_letter(before, token, is_close=is_close)

    def _is_implicit_letter(self, before: Token, token: Token, *, is_close: bool) -> bool:
        if before.kind == "number":
            after = self.peek(1)
            ends = after.kind in ("operator", "relation", "close", "power") and after.text != "'"
            is_spaced_factor = ends and token.text not in ("à", "y")
            return (is_close or is_spaced_factor) and not before.is_word
        has_power = self.peek(1).text == "^" or self.peek(1).kind == "power"
        if before.kind == "close" or (before.kind == "power" and not before.is_word):
            return is_close or (has_power and token.text == "e")
        is_power = has_power and before.text + token.text in _SPACED_POWERS
        return before.kind == "name" and ((is_close and token.is_formula) or is_power)

    # Factors ------------------------------------------------------------------------------------

    def descend(self) -> None:
        """Enter one more level of nesting. Raises `NotReadable`: there are too many."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise NotReadable("It is nested too deeply.")

    def _read_factor(self) -> Expr:
        depth = self._depth
        self.descend()
        try:
            return self._read_nested_factor()
        finally:
            self._depth = depth

    def _read_nested_factor(self) -> Expr:
        token = self.peek()
        if token.kind == "phrase":
            self.at += 1
            return self._read_phrase(token.text)
        if token.kind == "operator" and token.text == "-" and self.at:
            self.at += 1
            return apply("neg", self._read_factor())
        base = self.read_base()
        return self._read_endings(base)

    def _read_phrase(self, meaning: str) -> Expr:
        if meaning in _OF_TWO:
            left = self.read_product()
            if self.peek().text not in ("et", "and", "par", "by", "de", "from"):
                raise NotReadable("The second one is missing.")
            self.at += 1
            self.at += self.peek().text in ("de", "of")
            found = apply(_OF_TWO[meaning], left, self.read_product())
            return apply("abs", found) if meaning == "gap" and self._doubt("gap") else found
        if meaning in ("derivative", "primitive"):
            raise NotReadable("This is no value.")
        loose = self._doubt("loose")
        inner = self.read_sum() if loose else self._read_factor()
        return apply_phrase(meaning, inner)

    def read_base(self) -> Expr:
        """Read a factor without its endings, such as an exponent. Raises `NotReadable`."""
        token = self.peek()
        self.at += 1
        if token.kind == "number":
            return self._read_number(token)
        if token.kind == "name":
            return self._read_name(token)
        if token.kind == "open" and token.text in ("(", "[", "frac"):
            inner = self.read_sum()
            self.expect({"(": ")", "[": "]", "frac": "end"}[token.text])
            is_between = token.text == "[" and self.peek().text == "_"
            if token.text == "(":
                refuse_base(self)
            return read_between(self, inner) if is_between else inner
        return self._read_sign(token)

    def _read_sign(self, token: Token) -> Expr:
        """Read an expression from its first sign or function name, which is taken already."""
        if token.kind == "function":
            return self._read_function(token)
        if calculus := read_calculus(self, token):
            return calculus
        if token.kind == "operator" and token.text in ("√", "∛"):
            root = self._read_root_body()
            return apply("sqrt", root) if token.text == "√" else apply("root", root, number(3))
        if token.kind == "word" and self._is_product(token.text):
            return self._read_letters(token.text)
        self.at -= 1
        raise NotReadable(f"{token.text!r} begins no expression.")

    def _read_letters(self, word: str) -> Expr:
        """Read a word as the product of its letters; an exponent after it belongs to the last
        one."""
        *firsts, last = map(Letter, word)
        return reduce(partial(apply, "*"), [*firsts, self._read_endings(last)])

    def _is_product(self, word: str) -> bool:
        """Return whether the word just taken is a product of letters: `2ab`, `Ce` of `Ce^(-2x)`."""
        is_exponential = len(word) == 2 and word[1] == "e" and self.peek().text == "^"
        is_factor = self._is_among_operators() or self._is_in_brackets()
        return is_exponential or (may_be_letters(word) and is_factor)

    def _is_among_operators(self) -> bool:
        """Return whether the word just taken stands at an operator or number: `a² + ab`, `2ab`."""
        before, after = self.peek(-2), self.peek()
        if before.kind == "number" and self.at > 1:
            return not self.peek(-1).is_spaced
        is_after = before.kind == "operator" and before.text in "+-*/" and not before.is_word
        return is_after or (
            after.kind in ("operator", "power") and after.text in "+-*/23" and not after.is_word
        )

    def _is_in_brackets(self) -> bool:
        """Return whether the word just taken is all that a function is applied to, or that is
        raised to a power: `ln(ab)`, `(ab)²`."""
        outer, opening, closing, following = map(self.peek, (-3, -2, 0, 1))
        is_argument = outer.kind == "function" or outer.text in ("√", "∛")
        is_base = following.kind == "power" or following.text == "^"
        return (opening.text, closing.text) == ("(", ")") and (is_argument or is_base)

    def _read_root_body(self) -> Expr:
        token = self.peek()
        if token.kind in ("number", "name", "open"):
            return self.read_base()
        raise NotReadable("The root of nothing.")

    def _read_number(self, token: Token) -> Expr:
        if token.is_word and token.value == 1 and self.is_article():
            self.at -= 1
            raise NotReadable("This is an article.")
        if in_base := read_in_base(self, token):
            return in_base
        value = token.value or Fraction(0)
        places = token.places
        if token.other is not None and self._doubt("thousands"):
            value, places = token.other, 0
        is_endless = self.peek().text == "…" and places > 0
        self.at += is_endless
        whole = Num(value, places, is_decimal=places > 0, is_endless=is_endless)
        if part := self._read_mixed(token):
            is_formula = token.is_formula
            return part if is_formula and self._doubt("mixed") else apply("+", whole, part)
        return whole

    def _read_mixed(self, whole: Token) -> Expr | None:
        """Read the fraction after a whole number, `2 3/4`; None: there is none, or it is a
        factor."""
        first, slash, last = self.peek(), self.peek(1), self.peek(2)
        is_whole = whole.places == 0 and not whole.is_word and (whole.value or 0) > 0
        if not is_whole:
            return None
        if first.kind == "open" and first.text == "frac" and first.is_formula:
            return self._read_mixed_formula(whole)
        if first.kind == "number" and first.text in "½¼¾⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞":
            self.at += 1
            return number(first.value or 0)
        is_fraction = (
            first.kind == last.kind == "number" and slash.text == "/" and first.is_spaced
            and not slash.is_spaced and not last.is_spaced and not first.places and not last.places
            and not first.is_word
        )  # fmt: skip
        above, below = first.value or Fraction(0), last.value or Fraction(0)
        if not is_fraction or not 0 < above < below:
            return None
        self.at += 3
        return apply("/", number(above), number(below))

    def _read_mixed_formula(self, whole: Token) -> Expr | None:
        before = self.at
        self.at += 1
        try:
            part = self.read_sum()
            self.expect("end")
        except NotReadable:
            self.at = before
            return None
        above = part.args[0] if isinstance(part, Apply) and part.op == "/" else None
        below = part.args[1] if isinstance(part, Apply) and part.op == "/" else None
        is_mixed = isinstance(above, Num) and isinstance(below, Num) and above.value < below.value
        if not is_mixed:
            self.at = before
            return None
        if "mixed" in self.reading:
            return apply("*", number(whole.value or 0), part)
        return part

    def _read_name(self, token: Token) -> Expr:
        name = token.text
        if self.peek().text == "'" and name in _CALLED and not self.peek().is_spaced:
            ahead = 1
            while self.peek(ahead).text == "'":
                ahead += 1
            is_called = self.peek(ahead).text == "(" and not self.peek(ahead).is_spaced
            if is_called or self.peek(ahead).kind not in ("name", "word", "number"):
                name += "'" * ahead
                self.at += ahead
        is_called = name.rstrip("'") in _CALLED or name.endswith("'")
        if is_called and self.peek().text == "(" and not self.peek().is_spaced:
            self.at += 1
            argument = self._read_arguments()
            return apply("call", Letter(name), *argument)
        return Letter(name)

    def _read_arguments(self) -> list[Expr]:
        """Read the arguments up to and including the closing bracket."""
        found = [self.read_sum()]
        while self.peek().text in (";", ","):
            self.at += 1
            found.append(self.read_sum())
        self.expect(")")
        return found

    def _read_function(self, token: Token) -> Expr:
        power: Expr | None = None
        base: Expr | None = None
        if token.text == "log" and self.peek().text == "_":
            self.at += 1
            base = self.read_base()
        if self.peek().text == "^" or self.peek().kind == "power":
            power = self.read_exponent()
        is_inverse = power in (number(-1), apply("neg", number(1)))
        name, power = (f"a{token.text}", None) if is_inverse else (token.text, power)
        if is_inverse and token.text not in ("sin", "cos", "tan"):
            raise NotReadable("An inverse function.")
        if self.peek().text == "(" and not (self.peek().is_spaced and not self.peek().is_formula):
            self.at += 1
            found = apply(name, *self._read_arguments())
        else:
            found = apply(name, self._read_bare_argument())
        if name == "conj":
            return read_conjugate(found)
        if base:
            found = apply("/", apply("ln", *found.args), apply("ln", base))
        return apply("^", found, power) if power else found

    def _read_bare_argument(self) -> Expr:
        """Read an argument without brackets: `2x` of `sin 2x`, `30°` of `cos 30°`."""
        if self.peek().kind not in ("number", "name", "open") and self.peek().text != "√":
            raise NotReadable("The argument is missing.")
        found = self._read_factor()
        while self.peek().kind == "name" and self._is_implicit(found, self.peek()):
            found = apply("*", found, self._read_factor())
        return found

    # What follows a factor ----------------------------------------------------------------------

    def _read_endings(self, base: Expr) -> Expr:
        while True:
            token = self.peek()
            if token.kind == "power" or (token.kind == "operator" and token.text == "^"):
                base = apply("^", base, self.read_exponent())
            elif ending := self._find_ending(token):
                self.at += 1
                base = apply(ending, base, *([Letter("")] if ending == "derive" else []))
            else:
                return self.read_quantity(base) or base

    def _find_ending(self, token: Token) -> str:
        """Return the operator that follows its argument, if one comes next; else empty."""
        if token.kind != "operator":
            return ""
        if token.text == "%":
            return "%"
        if self._is_factorial(token):
            return "!"
        is_derived = token.text == "'" and self.peek(-1).text in (")", "'")
        is_last = self.peek(1).kind == "relation" or self.peek(1).text == "'"
        return "derive" if is_derived and is_last else ""

    def _is_factorial(self, token: Token) -> bool:
        """Return whether `!` is a factorial: a sign follows it, or the second reading is chosen."""
        if token.text != "!" or token.is_spaced:
            return False
        after = self.peek(1)
        is_inside = after.kind in ("operator", "relation", "close") or after.text == "("
        is_product = after.kind == "number" and after.is_formula
        return is_inside or is_product or self._doubt("call")

    def read_exponent(self) -> Expr:
        """Read an exponent with its sign."""
        token = self.peek()
        self.at += 1
        if token.kind == "power" and token.text != "^":
            return read_superscript(token.text)
        sign = self.peek()
        if sign.kind == "operator" and sign.text == "-":
            self.at += 1
            return apply("neg", self.read_base())
        if sign.text == "{":
            self.at += 1
            exponent = self.read_sum()
            self.expect("}")
        else:
            exponent = self.read_base()
        if self.peek().text == "^":
            self.descend()
            return apply("^", exponent, self.read_exponent())
        return exponent
