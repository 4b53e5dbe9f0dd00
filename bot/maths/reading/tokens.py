"""Split text into tokens: the signs and words of school notation.

A token keeps its place in the text. Text that only looks like mathematics (dates, telephone
numbers, versions, times of day, web addresses) is one token of the kind `break`, across which
nothing is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final, Literal

import msgspec

from bot.maths.exact.units import SINGLE_LETTERS, UNITS
from bot.maths.reading.number_words import SCALES, fold, may_begin_number, read_number

Kind = Literal[
    "number", "name", "word", "function", "operator", "relation", "open", "close", "separator",
    "power", "unit", "phrase", "break",
]  # fmt: skip


class Token(msgspec.Struct, frozen=True):
    """One sign, number or word."""

    kind: Kind
    text: str
    """Its meaning for an operator, word or name (the word folded); else the text as written."""
    start: int
    end: int
    value: Fraction | None = None
    other: Fraction | None = None
    """The value if its mark separates thousands: `1,500`."""
    places: int = 0
    is_word: bool = False
    """Whether it is written as a word."""
    is_weak: bool = False
    """For a relation, whether its word has other uses (`est`, `is`, `donne`)."""
    is_spaced: bool = False
    """Whether white space stands before it."""
    is_formula: bool = False
    """Whether it is in LaTeX."""


_SUPERSCRIPTS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿˣᵗᵏ", "0123456789-+nxtk")
_SUBSCRIPTS: Final = str.maketrans("₀₁₂₃₄₅₆₇₈₉ₙ", "0123456789n")
_FRACTIONS: Final = {
    "½": (1, 2), "¼": (1, 4), "¾": (3, 4), "⅓": (1, 3), "⅔": (2, 3), "⅕": (1, 5), "⅖": (2, 5),
    "⅗": (3, 5), "⅘": (4, 5), "⅙": (1, 6), "⅚": (5, 6), "⅛": (1, 8), "⅜": (3, 8), "⅝": (5, 8),
    "⅞": (7, 8),
}  # fmt: skip
_LETTER: Final = "[^\\W\\d_²³¹¼½¾\u2070-\u209f\u2150-\u218bˣᵗᵏ]"
_ACCENTED: Final = "[A-Za-zÀ-ÖØ-öø-ÿ]"
_CODES: Final = "NGN|GHS|USD|EUR|F?CFA|XOF|XAF"
_SPACE: Final = "[ \\u00a0\\u202f\\u2009]"
_TOKEN: Final = re.compile(
    rf"""
    (?P<plain>(?<![\w)])(?!(?:{_CODES})[ ]\d){_LETTER}{{2,}}(?=[ \n]|[.,](?:\s|$)))  # most words
  | (?P<unit>(?<=[\d)])\s?(?:F\s?CFA\b|°C\b|°F\b|[°€$£]|kΩ|Ω|[kdcmh]?m[23](?!\w)))
  | (?P<currency>(?:(?<!\w)(?:{_CODES}|GH[₵¢])|[€$£₦₵])\s?       # before its number
        (?=\d)(?!\d[\d.,]*\s?(?:[kKMB]\b|bn\b|thousand|mill|bill)))
  | (?P<break>
        https?://\S+ | www\.\S+ | \S+@\S+\.\w+
      | \+?\d{{2,3}}(?:[ .\u00a0-]\d{{2}}){{3,}}(?!\d)            # a telephone number
      | \d{{1,4}}[/.-]\d{{1,2}}[/.-]\d{{2,4}}(?!\d)(?!\s*[=<>≈*/×+])  # a date
      | \d{{1,2}}/(?:0[1-9])(?![\d/])(?!\s*[=<>≈*/×+])             # a day and its month
      | (?<![\d:])\d{{1,2}}:[0-5]\d(?::[0-5]\d)?(?![\d:])           # a time of day
      | \d+(?:\.\d+){{2,}}(?:-\w+)?                                # a version or an address
      | \d+(?:[eè]me|ième|er|[eè]re|nde?|th|st|rd|e)(?![\w^(²³ˣ⁻⁺])(?!\s*[-=+*/×≈<>])  # 6e, 5th
      | {_ACCENTED}+\d+[A-Za-z]\w* | {_ACCENTED}{{2,}}\d\w*           # H2O, CM2
      | [A-Za-z]\.[A-Za-z]\. | \#\w+ | __+ | \.{{4,}} | [□▢◻☐_\ufffc|]
    )
  | (?P<number>
        \d{{1,3}}(?:{_SPACE}\d{{3}})+(?:[.,]\d+)?(?!\d)
      | 0,\d{{3}}(?:{_SPACE}\d{{1,3}})+(?![\d,.])
      | \d+(?:(?:[.,]|\{{,\}})\d+)*
    )
  | (?P<bounds>(?<=[∫\]])[₀₁₂₃₄₅₆₇₈₉]+[⁰¹²³⁴⁵⁶⁷⁸⁹]+)
  | (?P<power>[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿˣᵗᵏ]+)
  | (?P<fraction>[½¼¾⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞])
  | (?P<arrow><?[-=]{{1,2}}>|[→⇒⟹⇔⟺↔⟶↦]|<-{{1,2}}(?!\d))
  | (?P<relation><=|>=|==|!=|[=<>≤≥⩽⩾≈≃≠∈])
  | (?P<dots>…|\.\.\.)
  | (?P<word>{_LETTER}+(?:[₀-₉ₙ]+|_\w+|_\{{[^{{}}]*\}}|(?<![^\W\d_][^\W\d_])\d(?!\w))?)
  | (?P<operator>[-+*/×÷:^·⋅∙−–—±∓!√∛∫∪%‰'′’])
  | (?P<open>[(\[{{])
  | (?P<close>[)\]}}])
  | (?P<separator>[.,;?\n])
  | (?P<other>\S)
    """,
    re.VERBOSE,
)
_SPELLINGS: Final = {
    "−": "-", "–": "-", "·": "*", "⋅": "*", "∙": "*", "×": "*", "÷": "/", "’": "'", "′": "'",
    "<=": "≤", ">=": "≥", "==": "=", "!=": "≠", "⩽": "≤", "⩾": "≥", "≃": "≈",
}  # fmt: skip
"""How signs are written in tokens."""
FUNCTIONS: Final = {
    "sin": "sin", "cos": "cos", "tan": "tan", "ln": "ln", "log": "log", "exp": "exp",
    "arcsin": "asin", "arccos": "acos", "arctan": "atan", "sqrt": "sqrt", "pgcd": "gcd",
    "gcd": "gcd", "ppcm": "lcm", "lcm": "lcm", "racine": "sqrt", "arg": "arg",
}  # fmt: skip
"""Functions by the names that pupils write."""


def tokenize(text: str, *, start: int = 0) -> list[Token]:
    """Return the tokens of a text, in order.

    Args:
        start: the place of the text's first character in the text that contains it.
    """
    found: list[Token] = []
    end, currency = 0, ""
    for match in _TOKEN.finditer(text):
        if match.lastgroup == "currency":
            currency = match[0]
            continue
        first, last = match.start() - len(currency), match.end()
        is_spaced = first > end
        end = last
        if match.lastgroup == "bounds":
            found += _make_bounds(match[0], start + first, is_integral=text[first - 1] == "∫")
        else:
            found.append(_make_token(match, (start + first, start + last), is_spaced=is_spaced))
        if currency and found[-1].kind == "number":
            found.append(Token("unit", currency.rstrip(), start + last, start + last))
        currency = ""
    return found


def _make_bounds(text: str, start: int, *, is_integral: bool) -> Iterator[Token]:
    """Yield the tokens of bounds as LaTeX has them: those of `∫₀¹`, of `[x²]₀¹`."""
    low = text.rstrip("⁰¹²³⁴⁵⁶⁷⁸⁹")
    middle, end = start + len(low), start + len(text)
    bounds = (("_", low.translate(_SUBSCRIPTS), start, middle),
              ("^", text[len(low) :].translate(_SUPERSCRIPTS), middle, end))  # fmt: skip
    for sign, digits, first, last in bounds:
        if not is_integral:
            yield Token("operator", sign, first, first, is_formula=True)
        yield Token("open", "(", first, first, is_formula=True)
        yield Token("number", digits, first, last, value=Fraction(digits), is_formula=True)
        yield Token("close", ")", last, last, is_formula=True)


def _make_token(match: re.Match[str], at: tuple[int, int], *, is_spaced: bool) -> Token:
    kind, text = match.lastgroup, match[0]
    match kind:
        case "plain" | "word":
            return _make_word(text, at, is_spaced=is_spaced)
        case "number":
            token = read_digits(text.replace("{,}", ","), *at)
            return msgspec.structs.replace(token, is_spaced=is_spaced) if is_spaced else token
        case "fraction":
            value = Fraction(*_FRACTIONS[text])
            return Token("number", text, *at, value=value, is_spaced=is_spaced)
        case "power":
            return Token("power", text.translate(_SUPERSCRIPTS), *at, is_spaced=is_spaced)
        case "relation" | "operator" | "unit" | "open" | "close" | "separator":
            meaning = _SPELLINGS.get(text.strip(), text.strip(" \u00a0"))
            return Token(kind, meaning, *at, is_spaced=is_spaced)
        case _:
            return Token("break", "…" if kind == "dots" else text, *at, is_spaced=is_spaced)


def _make_word(text: str, at: tuple[int, int], *, is_spaced: bool) -> Token:
    name = text.translate(_SUBSCRIPTS)
    if name[-1] in "0123456789}" or name != text or "_" in text:
        base = (
            name.rstrip("}0123456789").partition("_")[0]
            if "_" in name
            else name.rstrip("n0123456789")
        )
        name = f"{base}_{name[len(base) :].strip('_{}')}"
        return Token("name", name, *at, is_spaced=is_spaced)
    folded = fold(text)
    if folded in FUNCTIONS:
        return Token("function", FUNCTIONS[folded], *at, is_spaced=is_spaced)
    if len(text) == 1 or (len(text) == 2 and text.isupper()):
        return Token("name", text, *at, is_spaced=is_spaced)
    return Token("word", folded, *at, is_spaced=is_spaced)


_MOST_DIGITS: Final = 200


def read_digits(text: str, start: int, end: int) -> Token:
    """Read a number of digits with spaces, commas and points. It gets a second value if a comma or
    point may separate thousands; the token is a break if it is no number, or a very long one."""
    written = re.sub(_SPACE, "", text)
    if len(written) > _MOST_DIGITS:
        return Token("break", text, start, end)
    marks = re.findall(r"[.,]", written)
    groups = re.fullmatch(r"\d{1,3}(?:([.,])\d{3}(?:\1\d{3})*)?(?:([.,])(\d+))?", written)
    plain = written.replace(",", "").replace(".", "")
    if not marks:
        return Token("number", text, start, end, value=Fraction(int(plain)))
    if len(marks) == 1:
        places = len(written) - 1 - written.index(marks[0])
        value = Fraction(int(plain), 10**places)
        is_grouped = places == 3 and len(written) <= 7 and not written.startswith("0")
        other = Fraction(int(plain)) if is_grouped and written == text else None
        return Token("number", text, start, end, value=value, other=other, places=places)
    if groups and groups[1] and groups[1] != groups[2]:
        places = len(groups[3] or "")
        return Token(
            "number", text, start, end, value=Fraction(int(plain), 10**places), places=places
        )
    return Token("break", text, start, end)


_WORD_OPERATORS: Final[Mapping[str, str]] = {
    "plus": "+", "moins": "-", "minus": "-", "fois": "*", "times": "*", "multiplie par": "*",
    "multipliee par": "*", "multiplies par": "*", "multiplied by": "*", "divise par": "/",
    "divisee par": "/", "divises par": "/", "divided by": "/",
}  # fmt: skip
_POWERS: Final[Mapping[str, str]] = {
    "au carre": "2", "au cube": "3", "squared": "2", "cubed": "3",
    "a la puissance": "^", "puissance": "^", "exposant": "^", "to the power of": "^",
    "to the power": "^",
}  # fmt: skip
_STRONG: Final[Mapping[str, str]] = {
    "font": "=", "vaut": "=", "valent": "=", "egale": "=", "egalent": "=", "egal": "=",
    "egal a": "=", "egale a": "=", "est egal a": "=", "est egale a": "=", "sont egaux a": "=",
    "sont egales a": "=", "ca fait": "=", "cela fait": "=", "equals": "=", "is equal to": "=",
    "are equal to": "=", "equal": "=", "makes": "=", "make": "=", "soit environ": "≈",
    "vaut environ": "≈", "est environ egal a": "≈", "environ egal a": "≈",
    "est une primitive de": "primitive of", "est la derivee de": "derivative of",
    "is an antiderivative of": "primitive of", "is the derivative of": "derivative of",
    "est superieur a": ">", "est inferieur a": "<", "est plus grand que": ">",
    "est superieure a": ">", "est inferieure a": "<", "est plus grande que": ">",
    "est plus petite que": "<",
    "est plus petit que": "<", "est strictement superieur a": ">",
    "est strictement inferieur a": "<", "is greater than": ">", "is less than": "<",
    "is bigger than": ">", "is smaller than": "<", "is larger than": ">",
    "se factorise en": "=", "se simplifie en": "=", "se developpe en": "=",
    "se reduit a": "=", "simplifies to": "=", "factors as": "=", "expands to": "=",
    "is the same as": "=", "are the same as": "=", "c est la meme chose que": "=",
    "est la meme chose que": "=", "est equivalent a": "=", "is equivalent to": "=",
    "is approximately": "≈", "is about": "≈",
}  # fmt: skip
_DEGREES: Final = (
    "legerement", "un peu", "tres legerement", "un tout petit peu", "a peine", "nettement", "bien",
    "donc", "donc legerement", "donc un peu", "beaucoup", "slightly", "very slightly",
    "a little", "a bit", "just", "a tiny bit", "much", "therefore", "so slightly",
)  # fmt: skip
"""Words before a comparison that leave its direction as it is: `est légèrement inférieur à`."""
_COMPARED: Final[Mapping[str, str]] = {
    "est {} superieur a": ">", "est {} superieure a": ">", "est {} inferieur a": "<",
    "est {} inferieure a": "<", "est {} plus grand que": ">", "est {} plus grande que": ">",
    "est {} plus petit que": "<", "est {} plus petite que": "<", "is {} greater than": ">",
    "is {} bigger than": ">", "is {} larger than": ">", "is {} more than": ">",
    "is {} less than": "<", "is {} smaller than": "<", "is {} above": ">", "is {} below": "<",
}  # fmt: skip
_WEAK: Final[Mapping[str, str]] = {
    "est": "=", "sont": "=", "fait": "=", "donne": "=", "donnent": "=", "is": "=", "are": "=",
    "gives": "=", "give": "=", "c est": "=", "that s": "=", "it s": "=",
    "il reste": "rest", "il me reste": "rest",
    "il te reste": "rest",
    "il lui reste": "rest", "represente": "=",
    "representent": "=", "on obtient": "=", "on trouve": "=", "tu obtiens": "=", "ca donne": "=",
    "cela donne": "=", "tu trouves": "=", "leaves": "=", "we get": "=", "you get": "=",
    "is written": "=", "is written as": "=", "can be written as": "=", "peut s ecrire": "=",
    "s ecrit": "=", "s ecrit aussi": "=", "est de la forme": "=", "sont de la forme": "=",
    "est de": "=", "ca vaut": "=", "nous obtenons": "=", "correspond a": "=", "comes to": "=",
    "correspondent a": "=", "revient a": "=",
    "a pour derivee": "derive", "a pour fonction derivee": "derive",
    "a pour primitive": "primitive",
}  # fmt: skip
_PREFIXES: Final[Mapping[str, str]] = {
    "la moitie de": "half", "la moitie d": "half", "moitie de": "half", "half of": "half",
    "le double de": "double", "double de": "double", "double of": "double", "twice": "double",
    "the double of": "double",
    "le triple de": "triple", "triple de": "triple", "triple of": "triple",
    "the triple of": "triple",
    "le quadruple de": "quadruple",
    "le tiers de": "third", "le quart de": "quarter", "un quart de": "quarter",
    "un tiers de": "third", "le cinquieme de": "fifth", "le dixieme de": "tenth",
    "a quarter of": "quarter",
    "a third of": "third", "le carre de": "square", "le cube de": "cube", "the square of": "square",
    "the cube of": "cube", "racine carree de": "sqrt", "la racine carree de": "sqrt",
    "racine de": "sqrt", "la racine de": "sqrt", "the square root of": "sqrt",
    "square root of": "sqrt", "la racine cubique de": "cbrt", "the cube root of": "cbrt",
    "the opposite of": "opposite", "the reciprocal of": "inverse", "the inverse of": "inverse",
    "l inverse de": "inverse", "l oppose de": "opposite", "la valeur absolue de": "abs",
    "the absolute value of": "abs", "absolute value of": "abs",
    "la somme de": "sum", "the sum of": "sum", "la difference de": "difference",
    "la difference entre": "gap", "the difference between": "gap",
    "le produit de": "product", "the product of": "product", "le quotient de": "quotient",
    "the quotient of": "quotient", "le pgcd de": "gcd", "pgcd de": "gcd",
    "plus grand diviseur commun de": "gcd", "plus grand diviseur commun a": "gcd",
    "plus petit multiple commun de": "lcm", "plus petit multiple commun a": "lcm",
    "greatest common divisor of": "gcd", "the hcf of": "gcd", "hcf of": "gcd", "the gcd of": "gcd",
    "the gcf of": "gcd", "greatest common factor of": "gcd", "highest common factor of": "gcd",
    "the lcm of": "lcm", "least common multiple of": "lcm", "le ppcm de": "lcm",
    "ppcm de": "lcm", "the pgcd of": "gcd", "the ppcm of": "lcm",
    "la derivee de": "derivative", "la fonction derivee de": "derivative",
    "the derivative of": "derivative", "une primitive de": "primitive",
    "la primitive de": "primitive", "an antiderivative of": "primitive",
    "les primitives de": "primitive",
}  # fmt: skip
"""Phrases that stand before the expression to which they apply."""
_NO_OPERATIONS: Final = (
    "c est a dire", "solution double de", "racine double de", "solution triple de",
    "racine triple de",
)  # fmt: skip
"""Phrases in which a word such as `double` is no operation."""


def _index(
    kind: Kind, phrases: Mapping[str, str], *, is_weak: bool = False
) -> Iterator[tuple[tuple[str, ...], tuple[Kind, str, bool]]]:
    for phrase, meaning in phrases.items():
        yield tuple(phrase.split()), (kind, meaning, is_weak)


_PHRASES: Final = dict(
    [
        *_index("operator", _WORD_OPERATORS),
        *_index("power", _POWERS),
        *_index("relation", _STRONG),
        *_index(
            "relation",
            {
                phrase.format(degree): sign
                for phrase, sign in _COMPARED.items()
                for degree in _DEGREES
            },
        ),
        *_index("relation", _WEAK, is_weak=True),
        *_index("phrase", _PREFIXES),
        *_index("word", {phrase: phrase for phrase in _NO_OPERATIONS}),
    ]
)
_STARTS: Final = frozenset(words[0] for words in _PHRASES)
_LONGEST: Final = max(map(len, _PHRASES))


def pair_bars(tokens: list[Token]) -> list[Token]:
    """Return the tokens, with each two bars of a line of text read as an absolute value."""
    paired = list(tokens)
    opened: int | None = None
    for at, token in enumerate(tokens):
        if token.text == "\n":
            opened = None
        if token.text != "|" or token.is_formula:
            continue
        if opened is None:
            opened = at
            continue
        first = tokens[opened]
        paired[opened] = msgspec.structs.replace(first, kind="function", text="abs")
        paired[at] = msgspec.structs.replace(token, kind="close", text=")")
        opened = None
    begins = [
        at for at, token in enumerate(paired) if token.text == "abs" and token is not tokens[at]
    ]
    for at in reversed(begins):
        place = paired[at].end
        paired.insert(at + 1, Token("open", "(", place, place))
    return paired


def join_words(tokens: list[Token]) -> list[Token]:
    """Return the tokens, with words joined that write one number, operation or relation."""
    joined: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        is_text = token.kind in ("word", "name", "function") and not token.is_formula
        found = (_join_phrase(tokens, at) or _join_number(tokens, at)) if is_text else None
        if power := _read_named_power(tokens, at):
            joined += power
            at += 2
        elif found:
            joined.append(found[0])
            at += found[1]
        else:
            joined.append(_read_scale(joined, token) or token)
            at += 1
    return joined


def _read_scale(before: list[Token], token: Token) -> Token | None:
    """Return the number before, multiplied by a word such as `millions`; None: no such word."""
    is_scale = token.kind == "word" and token.text in SCALES and token.text not in UNITS
    if not is_scale or not before or before[-1].kind != "number":
        return None
    last = before.pop()
    value = (last.value or Fraction(0)) * SCALES[token.text]
    return msgspec.structs.replace(last, end=token.end, value=value, other=None)


_NAMED_POWERS: Final[Mapping[str, str]] = {
    "carre": "2", "carres": "2", "square": "2", "cube": "3", "cubes": "3", "cubic": "3",
}  # fmt: skip


def _read_named_power(tokens: list[Token], at: int) -> list[Token]:
    """Return the unit and the power of `mètres carrés` or `cubic metres` after a number; none: no
    such unit begins here."""
    pair = tokens[at : at + 2]
    is_measure = at > 0 and tokens[at - 1].kind == "number" and len(pair) == 2
    if not is_measure or pair[0].is_formula or not {"word", "name"} >= {each.kind for each in pair}:
        return []
    named, unit = pair if pair[0].text in ("square", "cubic") else pair[::-1]
    power = _NAMED_POWERS.get(named.text, "")
    dimensions = UNITS[unit.text].dimensions if unit.text in UNITS else ()
    if not power or dimensions not in ((("length", 1),), (("inch", 1),)):
        return []
    whole = msgspec.structs.replace(unit, start=pair[0].start, end=pair[1].end)
    return [whole, Token("power", power, pair[1].end, pair[1].end)]


def _list_words(tokens: list[Token], at: int, most: int) -> Iterator[tuple[str, int]]:
    """Yield words from `at` on, each with the place after it; apostrophes and hyphens join them."""
    while at < len(tokens) and most:
        token = tokens[at]
        if token.is_formula or token.kind not in ("word", "name", "function"):
            return
        most -= 1
        yield _get_word(token), at + 1
        at += 1
        if at + 1 < len(tokens) and tokens[at].text in ("'", "-") and not tokens[at + 1].is_spaced:
            at += not tokens[at].is_spaced


def _get_word(token: Token) -> str:
    """Return the folded word of a token."""
    if token.kind == "function":
        return {"gcd": "pgcd", "lcm": "ppcm", "sqrt": "racine"}.get(token.text, token.text)
    return fold(token.text) if token.kind == "name" else token.text


def _join_phrase(tokens: list[Token], at: int) -> tuple[Token, int] | None:
    first = tokens[at]
    if _get_word(first) not in _STARTS:
        return _join_function(tokens, at)
    words = list(_list_words(tokens, at, _LONGEST))
    for count in range(len(words), 0, -1):
        meaning = _PHRASES.get(tuple(word for word, _ in words[:count]))
        if meaning is None:
            continue
        end = words[count - 1][1]
        kind, text, is_weak = meaning
        is_letter = end < len(tokens) and tokens[end].kind == "name"
        if text == "sqrt" and is_letter and words[count - 2][0] == "racine":  # a root of a function
            return None
        return (
            Token(
                kind,
                text,
                first.start,
                tokens[end - 1].end,
                is_word=True,
                is_weak=is_weak,
                is_spaced=first.is_spaced,
            ),
            end - at,
        )
    return None


def _join_function(tokens: list[Token], at: int) -> tuple[Token, int] | None:
    """Return `racine` or the like as a plain word, unless a bracket follows; else None."""
    token = tokens[at]
    if token.kind == "function" and token.text in ("gcd", "lcm", "sqrt"):
        follows = tokens[at + 1] if at + 1 < len(tokens) else None
        if follows is None or follows.text != "(":
            return msgspec.structs.replace(token, kind="word"), 1
    return None


def _join_number(tokens: list[Token], at: int) -> tuple[Token, int] | None:
    if not may_begin_number(_get_word(tokens[at])) or _is_pronoun(tokens, at):
        return None
    words = list(_list_words(tokens, at, 16))
    found = read_number([word for word, _ in words])
    if not found:
        return None
    end = words[found.length - 1][1]
    first, last = tokens[at], tokens[end - 1]
    token = Token(
        "number", "n", first.start, last.end, value=found.value, is_word=True,
        is_spaced=first.is_spaced,
    )  # fmt: skip
    return token, end - at


def _is_pronoun(tokens: Sequence[Token], at: int) -> bool:
    """Return whether `one` stands for a noun: `in the first one: 2 × 3 + y = 7`."""
    return _get_word(tokens[at]) == "one" and at > 0 and _get_word(tokens[at - 1]) in _BEFORE_ONE


_BEFORE_ONE: Final = frozenset(
    ("first", "second", "third", "last", "other", "next", "previous", "this", "that", "each",
     "same", "right", "wrong", "correct", "which", "every", "new", "old", "top", "bottom")
)  # fmt: skip


def ends_couple(tokens: Sequence[Token]) -> bool:
    """Return whether tokens end with coordinates in brackets: `(1 ; 2)`."""
    if not tokens or tokens[-1].kind != "close":
        return False
    opened = next((at for at in range(len(tokens) - 1, -1, -1) if tokens[at].text == "("), 0)
    return any(token.text == ";" for token in tokens[opened:])


def is_unit(token: Token, number: Token | None, *, is_attached: bool) -> bool:
    """Return whether a token after a number is a unit.

    Args:
        number: the token before, or None if it is no number.
        is_attached: whether no space stands between them; then single letters are variables, except
            `m`, `g`, `l`, `L`, `h`, `f` and `F`.
    """
    if token.kind == "unit":
        return True
    if token.kind not in ("word", "name") or token.text not in UNITS:
        return False
    if token.text not in SINGLE_LETTERS:
        return not (token.kind == "name" and token.is_formula)
    if token.is_formula or number is None:
        return False
    return token.text in "mglLhFf" if is_attached else True


_SHORT_WORDS = """
de la et ou un on si is of so or as en le du au ce se sa il an at by do if in it me my no to up us
we ne ni je tu ai va vu was has had get got now not but its his her our out you she him who how
why can did all any old new day eux lui moi toi ton mon mes tes ont eu fut dit fit mis met pas ici
oui non peu bon ces cet aux too yes let say see way par car que qui les des est une son ses nos
vos sur and the for are
"""
_NO_PRODUCTS: Final = frozenset(_SHORT_WORDS.split())
"""Words that are no products of letters."""


def may_be_letters(word: str) -> bool:
    """Return whether a word may be a product of letters: `ab`, `xyz`."""
    is_short = 2 <= len(word) <= 3 and word.replace("π", "").isascii() and word.isalpha()
    return is_short and word not in _NO_PRODUCTS and word not in UNITS
