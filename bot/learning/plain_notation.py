"""Write a text in one plain notation, so that a value is searched in one form only. Pure.

It has lower case without accents, LaTeX in one line, digits for numbers in words, and no marks of
Markdown or look-alike signs: `$\\dfrac{24}{2}$` is `24/2`, `sept fois huit font **cinquante-six**`
is `7 * 8 = 56`. All functions take time linear in the length of the text.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from bot.maths.reading.number_words import NUMBER_STARTS, SCALES, NumberWords, read_number

_ACCENTED: Final = "àâäáéèêëíîïóôöúùûüçñ"
_BARE: Final = "aaaaeeeeiiiooouuuucn"
_TYPOGRAPHY: Final[dict[str, str]] = {
    **dict.fromkeys("\u00a0\u202f\u2009\u2007\u2002\u2003\u200a\t", " "),
    **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0f\u20e3\u2062\u2063\u2064\u2061", ""),
    **dict.fromkeys("−–—‐‑‒", "-"), **dict.fromkeys("×·⋅∙∗✕✖", "*"), **dict.fromkeys("⁄∕", "/"),
    **dict.fromkeys("’‘ʼ′", "'"), **dict.fromkeys("«»“”„", '"'), "≃": "≈", "٫": ",",
    "≤": "<=", "⩽": "<=", "≥": ">=", "⩾": ">=", "⟹": "⇒", "⟶": "→", "➜": "→", "➡": "→", "👉": "→",
    "⟺": "⇔",
    "½": " 1/2", "¼": " 1/4", "¾": " 3/4", "⅓": " 1/3", "⅔": " 2/3", "⅕": " 1/5",
    "⅖": " 2/5", "⅗": " 3/5", "⅘": " 4/5", "⅛": " 1/8", "⅜": " 3/8", "⅝": " 5/8", "⅞": " 7/8",
    "œ": "oe", "æ": "ae", "🔟": "10",
    # Cyrillic and Greek letters that look Latin
    **dict(zip("асеорхуіѕ", "aceopxyis", strict=True)), "ο": "o", "ν": "v", "ı": "i",
}  # fmt: skip


def _list_look_alikes() -> dict[str, str]:
    """Map digits and letters of other alphabets, and those in circles, to the plain ones."""
    found: dict[str, str] = {}
    ranges = ((0x2460, 0x2474), (0xFF01, 0xFF5B), (0x1D400, 0x1D800), (0x0660, 0x066A),
              (0x24B6, 0x24EA), (0x06F0, 0x06FA), (0x1F130, 0x1F16A))  # fmt: skip
    for first, last in ranges:
        for code in range(first, last):
            char = chr(code)
            digit = unicodedata.digit(char, -1)
            plain = str(digit) if digit >= 0 else unicodedata.normalize("NFKC", char).lower()
            if plain != char and plain.isascii():
                found[char] = plain
    return found


_SIGNS: Final = str.maketrans({**_list_look_alikes(), **_TYPOGRAPHY})
_ACCENTS: Final = str.maketrans(
    {**dict(zip(_ACCENTED, _BARE, strict=True)), **{chr(n): "" for n in range(0x300, 0x370)}}
)
_SIGNS_AND_ACCENTS: Final = {**_SIGNS, **_ACCENTS}

_EMPHASIS: Final = re.compile(
    r"(?:(?<=\d)|(?<=\b[a-z)]))\*\*(?=\(?\d+(?![\d*]))|(\*{2,3}|__+|~~|`+|\|\|)"
    r"|(?<![\w)])\*(?=\w[^*\n]{0,80}\*(?!\w))"
    r"|(?<=\w)\*(?![\w(])(?! [\w(\\])|</?[a-z][a-z0-9]{0,9}>"
)
_OPENING: Final = re.compile(r"(?<![\w)*])\*\*(?=\S)")
_RAISED_RUN: Final = re.compile("[⁻⁺⁰¹²³⁴-⁹]+|[₋₊₀-₉]+")
_RAISED_SIGNS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉⁻₋⁺₊", "01234567890123456789--++")
_LONE_RAISED: Final = re.compile(r"(?<![\w)\]}'|])[\^_](?:(?=\d)|\((\d{1,40})\))")
"""A mark of a small digit with no base: `⁵⁶` alone is 56."""
_RUNS: Final = re.compile(r" {2,}|\n{3,}")
_STYLES: Final = (
    "text|ce|textbf|textit|textrm|texttt|mathrm|mathbf|mathit|mathsf|mathtt|mathbb|boxed|fbox|mbox|bm"
    "|boldsymbol|underline|operatorname|ensuremath|overline|vec|widehat|phantom|displaystyle"
)
_STYLED: Final = re.compile(rf"\\(?:{_STYLES})\s*\{{([^{{}}]*)\}}|\\color\s*\{{[^{{}}]*\}}")
_FRACTION: Final = re.compile(
    r"\\[dtc]?frac\s*(?:\{([^{}]*)\}|(\d))\s*(?:\{([^{}]*)\}|(\d))|\\over\b"
)
_RAISED: Final = re.compile(r"([\^_])\s*\{([^{}]*)\}|\\sqrt\s*(?:\{([^{}]*)\}|(\d))")
_BRACES: Final = re.compile(r"(?<![\w}\]^])\{([^{}]*)\}")
_COMMANDS: Final[dict[str, str]] = {
    "times": "*", "cdot": "*", "ast": "*", "div": "÷", "leq": "<=", "le": "<=", "leqslant": "<=",
    "geq": ">=", "ge": ">=", "geqslant": ">=", "lt": "<", "gt": ">", "approx": "≈", "simeq": "≈",
    "pi": "π", "infty": "∞", "to": "→", "rightarrow": "→", "implies": "⇒", "iff": "⇔", "cup": "∪",
    "ldots": "…", "dots": "…", "pm": "±", "left": "", "right": "", "quad": " ", "qquad": " ",
    "circ": "°", "degree": "°", "thinspace": " ", "big": "", "bigl": "", "bigr": "", "neq": "≠",
}  # fmt: skip
_COMMAND: Final = re.compile(r"\\([a-z]+)|\\([{}%$&#\\,;:! ()\[\]])|\$")
_DEEPEST: Final = 6
"""Nested LaTeX groups that are unwrapped; deeper ones stay as they are."""
_PERCENT: Final = re.compile(r"\b(?:pour ?cents?|per ?cent|p\. ?cent|pct)\b")
_WORDS: Final = re.compile(
    r"\b(?:" + "|".join(sorted(NUMBER_STARTS, key=len, reverse=True)) + r")\b"
)
_SCIENTIFIC: Final = re.compile(r"(?<=\d)e([+-])0?(\d{1,2})\b")
_CODED: Final = re.compile(r"\b0(?:x[0-9a-f]{1,8}|b[01]{1,32}|o[0-7]{1,10})\b")
_NEXT_WORD: Final = re.compile(r"[a-z]+")
_ENDS: Final = re.compile(r"\s*(?:[.!)\];\"]|$)")
_EQUALS: Final = re.compile(
    r"\b(?:(?:est |sont |is |are )?ega(?:le?s?|ux)(?: a)?|(?:is |are )?equals?(?: to)?"
    r"|(?:ca|cela) (?:fait|donne)|font|va(?:ut|lent)|makes?)\b"
)
_OPERATIONS: Final[dict[str, str]] = {
    "plus": "+", "moins": "-", "minus": "-", "fois": "*", "times": "*", "multiplie": "*",
    "multiplied": "*", "divise": "÷", "divided": "÷", "x": "*", "sur": "/", "over": "/",
}  # fmt: skip
_OPERATION: Final = re.compile(
    r"(?: |(?=[pmftdsox]))(?:(?<=[\d)] )|(?<=[\d)])|(?<=[^a-z'][a-z] )|(?<=^[b-z] ))"
    r"(?:(plus|moins|minus|fois|times|multiplie|multiplied|divise|divided|sur|over)"
    r"(?:e?s? (?:par|by))? ?|(?<= )(x) |(?<=[\d)])(x)(?=\d))(?=[\d(]|[a-z]\b)"
)
_ROOT: Final = re.compile(
    r"\b(?:math\.)?sqrt(?=\()|\bracine (?:carree )?de (?=[\d(])|(?<!cube )root (?:of )?(?=\d)"
)
_SCALED: Final = re.compile(
    r"(?<![\d.,])(\d{1,9}(?:[.,]\d{1,9})?) (douzaines?|dozen|millions?|milliards?|billion)\b"
    r"( et demie?\b| and a half\b)?"
)
_THOUSAND: Final = re.compile(
    r"(?<![\d.,])(\d{1,3}(?:[.,]\d{1,2})?)"
    r"(?: (?:mille|mil|thousand)|k(?= ?(?:f\b|fcfa|francs?\b)|\W*$))\b(?! \d)"
)
_THOUSANDS_AND: Final = re.compile(
    r"(?<![\d.,])(\d{1,3}) (?:mille|mil|thousand) (?:and )?(?:(\d{1,3})(?![\d/]|[.,]\d)"
    r"|((?:[a-z]+[ -]){0,5}[a-z]+))"
)
"""A number of thousands and what is beyond them: `10 mille 200`, `10 mille deux cents`."""
_BEYOND_THOUSANDS: Final = re.compile(r" (?:et |and )?(\d{1,3})(?![\d/]|[.,]\d)")
"""What is beyond thousands in words: the end of `deux mille 500`."""
_NEW: Final = re.compile(
    r"(?:(?<=\btout )(?<!en tout )(?<!au tout )|(?<=\bflambant )|(?<=\bquoi de )|(?<=\bremis a )"
    r"|(?<=\brefait a )|(?<=\bbrouillon )|(?<=\bcahier )|(?<=\bcarnet )|(?<=\bstylo )|(?<=\bbic )"
    r"|(?<=\bcrayon )|(?<=\blivre )|(?<=\bvelo )|(?<=\bsac )|(?<=\bballon )|(?<=\bregard )"
    r"|(?<=\boeil )|(?<=\bdepart )|(?<=\bhabit )|(?<=\bpagne )|(?<=\bmaillot )|(?<=\btelephone ))"
    r"neuf(?! \d)\b"
)
"""`neuf` that says that something is new: `un brouillon tout neuf`, and no number."""
_DECIMAL_WORD: Final = re.compile(r"(?<=\d) ?(?:virgule|point) ?(?=\d)")
_PART: Final = re.compile(
    r"(?<![\d.,/])(\d{1,4}) (demi|tiers|quart|half|halve|third|quarter|fourth|fifth|sixth|seventh"
    r"|eighth|ninth|(?:cinqu|six|sept|huit|neuv|onz|douz)ieme)s?\b"
)
_IS_PART: Final = r"(?: ?[:=] ?| )(?:is |est )?(\d{1,4})"
_PART_ABOVE: Final = re.compile(
    rf"\b(?:numerat\w+|(?:en )?haut|top){_IS_PART}\W+(?:et |and )?(?:le |the |son |its |en )?"
    rf"(?:denominat\w+|bas|bottom){_IS_PART}\b"
    r"|\b(\d{1,4}) en haut\W+(?:et )?(\d{1,4}) en bas\b"
)
_DIVISION: Final = re.compile(
    r"(?<![\d.,/])(\d{1,9}) ?/ ?(\d{1,9}) ?= ?(\d{1,9})(?! ?[\d/]|[.,]\d)"
)
_AFTER_TERM: Final = r"(?:(?<=[\d)])|(?<=\b[b-df-ik-rt-z])|(?<=\d[a-z]))"
_SPOKEN: Final = (
    (re.compile(r"\)\s?(?:facteur de|que multiplie|times)\s?\("), ")*("),
    (re.compile(r"\b(?:au |le |the )?triple (?:de |of )(?=[a-z]\b)"), "3"),
    (re.compile(r"\b(?:au |le |the )?quadruple (?:de |of )(?=[a-z]\b)"), "4"),
    (re.compile(_AFTER_TERM + r",? ?(?:augmentee?|increased) (?:de |by )(?=\d)"), " + "),
    (re.compile(_AFTER_TERM + r",? ?(?:diminuee?|privee?|decreased) (?:de |by )(?=\d)"), " - "),
)
"""Operations in words: `(x - 7) facteur de (x + 7)`, `le triple de x, augmenté de 1`."""
_AND_A_HALF: Final = re.compile(r"(?<![\d.,/])(\d{1,9}) et demie?\b")
_YEAR: Final = re.compile(r"\bmil (?=[a-z]+ cents?\b)")
_TENS_AND_A_HALF: Final = {"dizaine": "15", "douzaine": "18", "centaine": "150"}
_TEN_AND_A_HALF: Final = re.compile(r"\bune (dizaine|douzaine|centaine) et demie\b")
_POWERS: Final = {"carre": 2, "square": 2, "squared": 2, "cube": 3, "cubed": 3}
_POWER_OF: Final = re.compile(r"\b(?:le |the )?(carre|cube|square) (?:de |d'|of )([a-z])(?![\w'(])")
_POWER_OF_SUM: Final = re.compile(
    r"\b(?:le |the )?(carre|cube|square) (?:de |d'|of )\(?((?:\d{0,3}[a-z]|\d{1,4}) ?"
    r"[-+] ?(?:\d{0,3}[a-z]|\d{1,4}))\)?(?!\w| ?[-+*/^=] ?\w)"
)
_RAISED_TO: Final = re.compile(
    r"(?:(?<=[\d)])|(?<=\b[a-z])) (?:a la |to the )?"
    r"(?:puissance|exposant|power(?: of)?) (\d{1,4})\b"
)
_INFINITY: Final = re.compile(
    r"(?:\b(moins |minus |negative )|\bplus |(-) ?|\+ ?)(?:l')?infini(?:ty)?\b"
)
_COMPARISON: Final = re.compile(
    r"\b(?:(?:est|sont|soit|is|are|be) )?(?:strictement |strictly )?"
    r"(?:(superieure?s?|plus grande?s?|(?:au|par)[ -]dessus|above"
    r"|(?:greater|larger|bigger|more)(?= than))"
    r"|inferieure?s?|plus petite?s?|(?:en|au)[ -]dessous|below|(?:less|smaller|lower)(?= than)"
    r"|(au moins|at least)|(au plus|at most))"
    r"( ou =)?(?: a| de| que| than)?( or =| =)? "
)
_COMPARING: Final = ("eur", "grand", "petit", "than", "dess", "above", "below", "au ", "at ")
_POWER: Final = re.compile(r"(?:(?<=[\d)])|(?<=\b[a-z])) ?(?:au )?(carre|cube|squared|cubed)\b")
_MINUS: Final = re.compile(r"(?<!au )(?<!de )(?<!\d )\b(?:moins|minus|negative) (?=[\d√])")
_PI: Final = re.compile(r"(?<=\d) ?pi\b")
_MINUS_ONE: Final = re.compile(
    r"(?<!au )(?<!de )(?<![a-z\d)]x )(?<!\d )(?<!\b[a-z] )\b(?:moins un|minus one)\b"
    r"(?= ?(?:[.,;:!?)]|$|(?:et|ou|and|or)\b))"
)
"""The number, as `un` is an article as well."""


def fold_signs(text: str) -> str:
    """Return the text in lower case with accents, without emphasis and look-alike signs."""
    return _fold(text, _SIGNS)


def fold_notation(text: str) -> str:
    """Return the text as `fold_signs` does, but without accents."""
    return _fold(text, _SIGNS_AND_ACCENTS)


def fold_accents(text: str) -> str:
    return text if text.isascii() else text.translate(_ACCENTS)


def fold_letters(text: str) -> str:
    """Return the text as `fold_signs` does, and the letters that this leaves without accents."""
    return fold_accents(fold_signs(text))


def _fold(text: str, signs: dict[int, str]) -> str:
    if "&" in text:
        text = html.unescape(text)
    plain = text.lower()
    if not text.isascii():
        plain = _RAISED_RUN.sub(_write_raised_run, plain).translate(signs)
    if "  " in plain or "\n\n\n" in plain:
        plain = _RUNS.sub(lambda found: found[0][:2].replace("  ", " "), plain)
    if any(mark in plain for mark in "*_`~|<"):
        plain = _EMPHASIS.sub(_write_emphasis, plain)
    return plain


def _write_raised_run(found: re.Match[str]) -> str:
    mark = "_" if found[0][0] in "₋₊₀₁₂₃₄₅₆₇₈₉" else "^"
    return mark + found[0].translate(_RAISED_SIGNS)


def _write_emphasis(found: re.Match[str]) -> str:
    """Return nothing for a mark of emphasis, or `^` for a power: `3**2` where no bold text ends."""
    if found[0] != "**" or found[1]:
        return ""
    before = found.string[max(0, found.start() - 80) : found.start()]
    openings = len(_OPENING.findall(before))
    return "" if 2 * openings > before.count("**") else "^"


def write_plain(folded: str) -> str:
    """Return the plain notation of a text from `fold_notation`."""
    text = folded.replace("{,}", ",")
    if "\\" in text or "$" in text or "^{" in text:
        text = _unwrap_latex(text)
    if "cent" in text or "pct" in text:
        text = _PERCENT.sub("%", text)
    text = _SCIENTIFIC.sub(r"*10^\1\2", text)
    if "0x" in text or "0b" in text or "0o" in text:
        text = _CODED.sub(lambda found: str(int(found[0], 0)), text)
    if "^" in text or "_" in text:
        text = _LONE_RAISED.sub(lambda found: found[1] or "", text)
    if " neuf" in text:
        text = _NEW.sub("nouveau", text)
    text = _YEAR.sub("mille ", text)
    text = _THOUSANDS_AND.sub(_write_thousands_and, text)
    text = _THOUSAND.sub(lambda found: _write_product(found[1], 1_000) or found[0], text)
    text = _write_powers(_replace_words(text))
    text = _write_scales(text)
    if "sqrt" in text or "racine" in text or "root" in text:
        text = _ROOT.sub("√", text)
    if any(stem in text for stem in ("egal", "equal", "fait", "donne", "font", "va", "make")):
        text = _EQUALS.sub("=", text)
    text = _OPERATION.sub(lambda found: f" {_OPERATIONS[found[found.lastindex or 1]]} ", text)
    text = _write_spoken(_DIVISION.sub(_write_division, text))
    return _write_negatives(text)


def _write_negatives(text: str) -> str:
    if "moins" in text or "minus" in text or "negat" in text:
        text = _MINUS.sub("-", _MINUS_ONE.sub("-1", text))
    return text


def _write_spoken(text: str) -> str:
    if any(stem in text for stem in ("facteur", "augment", "diminu", "prive", "ple d", "ple o")):
        for pattern, written in _SPOKEN:
            text = pattern.sub(written, text)
    return text


def _write_division(found: re.Match[str]) -> str:
    """Return `102 ÷ 17 = 6` for `102 / 17 = 6`, which is a division and no fraction."""
    above, below, result = map(int, found.groups())
    return f"{above} ÷ {below} = {result}" if below > 1 and above == below * result else found[0]


def write_comparisons(plain: str) -> str:
    """Return a text in plain notation with signs for comparisons and infinities in words:
    `x est inferieur ou = 2` is `x <=2`."""
    if "infini" in plain:
        plain = _INFINITY.sub(lambda found: "-∞" if found[1] or found[2] else "+∞", plain)
    if any(stem in plain for stem in _COMPARING):
        plain = _COMPARISON.sub(_write_comparison, plain)
    return plain


def _write_comparison(found: re.Match[str]) -> str:
    more, least, most, equal, or_equal = found.groups()
    sign = ">" if more or least else "<"
    return f"{sign}=" if least or most or equal or or_equal else sign


def _write_powers(text: str) -> str:
    """Write `x au carre`, `x puissance 2` and `le carre de x` as `x^2`, and `9 pi` as `9π`."""
    if any(stem in text for stem in ("carre", "cube", "square")):
        text = _POWER.sub(lambda found: f"^{_POWERS[found[1]]}", text)
        text = _POWER_OF_SUM.sub(lambda found: f"({found[2]})^{_POWERS[found[1]]}", text)
        text = _POWER_OF.sub(lambda found: f"{found[2]}^{_POWERS[found[1]]}", text)
    if "puissance" in text or "power" in text or "exposant" in text:
        text = _RAISED_TO.sub(r"^\1", text)
    return _PI.sub("π", text) if "pi" in text else text


def _write_scales(text: str) -> str:
    """Write `2 et demi` as `2,5`, `3 douzaines` as `36`, and `7 huitiemes` as `7/8`."""
    if "virgule" in text or "point" in text:
        text = _DECIMAL_WORD.sub(",", text)
    text = _PART.sub(_write_part, text)
    if "denominat" in text or "haut" in text or "bottom" in text:
        text = _PART_ABOVE.sub(lambda found: "/".join(filter(None, found.groups())), text)
    if "aine" in text and "et demi" in text:
        text = _TEN_AND_A_HALF.sub(lambda found: _TENS_AND_A_HALF[found[1]], text)
    if "et demi" in text:
        text = _AND_A_HALF.sub(r"\1,5", text)
    if "douzaine" in text or "dozen" in text or "illi" in text:
        text = _SCALED.sub(_write_scaled, text)
    return text


def _write_scaled(found: re.Match[str]) -> str:
    scale = SCALES[found[2]]
    written = _write_product(found[1], scale)
    return str(int(written) + scale // 2) if written and found[3] else written or found[0]


def _write_product(digits: str, scale: int) -> str:
    """Return a number times a scale, if that is a whole number; else an empty text."""
    value = Fraction(digits.replace(",", ".")) * scale
    return str(value.numerator) if value.denominator == 1 else ""


def _write_thousands_and(found: re.Match[str]) -> str:
    """Return `10200` for `10 mille 200`; the same text if no number below 1000 follows."""
    if found[2]:
        return str(int(found[1]) * 1000 + int(found[2]))
    words, ends = _list_words(found[3], 0)
    rest = read_number(words)
    if rest is None or rest.is_fraction or not 1 < rest.value < 1000:
        return found[0]
    return f"{int(found[1]) * 1000 + int(rest.value)}{found[3][ends[rest.length - 1] :]}"


def _write_part(found: re.Match[str]) -> str:
    part = read_number(["un", found[2].replace("halve", "half")])
    return f"{found[1]}/{part.value.denominator}" if part and part.is_fraction else found[0]


def _unwrap_latex(text: str) -> str:
    text = text.replace("\\{", "⦃").replace("\\}", "⦄")
    for _ in range(_DEEPEST):
        before = text
        text = _STYLED.sub(r"\1", text)
        text = _FRACTION.sub(_write_fraction, text)
        text = _RAISED.sub(_write_raised, text)
        if text == before:
            text = _BRACES.sub(r"\1", text)
        if text == before:
            break
    text = _COMMAND.sub(_write_command, text)
    return re.sub(" {2,}", " ", text).replace("⦃", "{").replace("⦄", "}")


def _write_fraction(found: re.Match[str]) -> str:
    above, below = (found[1] or found[2] or "").strip(), (found[3] or found[4] or "").strip()
    is_plain = re.fullmatch(r"-?[\d,. ]+", above) and re.fullmatch(r"[\d,. ]+", below)
    return f" {above}/{below} " if is_plain else f" (({above})/({below})) "


def _write_raised(found: re.Match[str]) -> str:
    if found[1] == "_":
        return f"_{found[2]}"
    if found[1]:
        is_plain = re.fullmatch(r"-?\w", found[2])
        return f"^{found[2]}" if is_plain else f"^({found[2]})"
    return f"√({found[3] or found[4]})"


def _write_command(found: re.Match[str]) -> str:
    if found[1]:
        return _COMMANDS.get(found[1], f" {found[1]} ")
    if found[2] and found[2] in "%&#":
        return found[2]
    return {"\\": "\n", "!": ""}.get(found[2], " ")


def _replace_words(text: str) -> str:
    """Return the text with digits for numbers in words; a lone `un` or `one` only at an end."""
    parts: list[str] = []
    at = 0
    for start in _WORDS.finditer(text):
        if start.start() < at:
            continue
        words, ends = _list_words(text, start.start())
        found = read_number(words)
        if found is None:
            continue
        end = ends[found.length - 1]
        if words[0] in ("un", "une", "one") and found.length == 1 and not _ENDS.match(text, end):
            continue
        written = _write_value(found, words)
        if words[found.length - 1] in ("mille", "thousand") and (
            rest := _BEYOND_THOUSANDS.match(text, end)
        ):
            written, end = str(int(written) + int(rest[1])), rest.end()
        parts += (text[at : start.start()], written)
        at = end
    return "".join((*parts, text[at:])) if parts else text


def _list_words(text: str, at: int) -> tuple[list[str], list[int]]:
    """Return up to twelve words from `at` on that a space or hyphen joins, and where each ends."""
    words, ends = list[str](), list[int]()
    while len(words) < 12 and (found := _NEXT_WORD.match(text, at)):
        words.append(found[0])
        ends.append(found.end())
        at = found.end() + (text[found.end() : found.end() + 1] in (" ", "-"))
        if at == found.end():
            break
    return words, ends


def _write_value(found: NumberWords, words: Sequence[str]) -> str:
    """Return a number that was written in words as digits: `56`, `3,5`, `3/4`."""
    value = Fraction(found.value)
    if found.is_fraction:
        above = read_number(words[: found.length - 1])
        top = above.value if above else Fraction(value.numerator)
        return f"{top}/{top / value}" if value else "0"
    if value.denominator == 1:
        return str(value.numerator)
    return f"{float(value):.9f}".rstrip("0").replace(".", ",")


# Numbers in words --------------------------------------------------------------------------------

_FRENCH, _FRENCH_TENS, _ENGLISH, _ENGLISH_TENS = (
    words.split()
    for words in (
        "zero un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze "
        "seize",
        "vingt trente quarante cinquante soixante soixante quatre-vingt",
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen",
        "twenty thirty forty fifty sixty seventy eighty ninety",
    )
)


def spell_number(number: int) -> tuple[str, ...]:
    """Return a number below a million in French and English words without accents; else nothing."""
    if not 0 <= number < 1_000_000:
        return ()
    return _spell_french(number), _spell_english(number)


def spell_fraction(above: int, below: int) -> tuple[str, ...]:
    """Return the French and English words, without accents, for a fraction with a denominator from
    two to ten; nothing for another fraction."""
    numbers = spell_number(above)
    if not numbers or not 2 <= below <= 10:
        return ()
    many = "" if above == 1 else "s"
    french, english = _FRENCH_PARTS[below - 2], _ENGLISH_PARTS[below - 2]
    french += "" if french == "tiers" else many
    english = "halves" if english == "half" and many else english + many
    return f"{numbers[0]} {french}", f"{numbers[1]} {english}"


_FRENCH_PARTS, _ENGLISH_PARTS = (
    words.split()
    for words in (
        "demi tiers quart cinquieme sixieme septieme huitieme neuvieme dixieme",
        "half third quarter fifth sixth seventh eighth ninth tenth",
    )
)


def _spell_french(number: int) -> str:
    if number < 17:
        return _FRENCH[number]
    if number < 100:
        ten, unit = divmod(number, 10)
        if ten in (7, 9):
            ten, unit = ten - 1, unit + 10
        tens = "quatre-vingt" if ten == 8 else "dix" if ten == 1 else _FRENCH_TENS[ten - 2]
        if not unit:
            return tens + "s" * (ten == 8)
        join = " et " if unit in (1, 11) and ten < 8 else "-"
        return f"{tens}{join}{_spell_french(unit)}"
    size, name = (1000, "mille") if number >= 1000 else (100, "cent")
    above, below = divmod(number, size)
    head = name if above == 1 else f"{_spell_french(above)} {name}"
    return f"{head} {_spell_french(below)}" if below else head


def _spell_english(number: int) -> str:
    if number < 20:
        return _ENGLISH[number]
    if number < 100:
        ten, unit = divmod(number, 10)
        return _ENGLISH_TENS[ten - 2] + (f"-{_ENGLISH[unit]}" if unit else "")
    size, name = (1000, "thousand") if number >= 1000 else (100, "hundred")
    above, below = divmod(number, size)
    head = f"{_spell_english(above)} {name}"
    return f"{head} {_spell_english(below)}" if below else head
