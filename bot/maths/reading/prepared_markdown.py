"""Prepare a text for the reader of Markdown: drop signs that show nothing, join the lines of one
formula, and mark formulas that stand outside of its marks for them.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from bot.formulas.line_text import FROM_SUBSCRIPTS


def prepare_markdown(markdown: str) -> str:
    """Return a text without signs that would cut its statements, with all its formulas marked."""
    return _mark_formulas(_join_lines(_drop_disguise(markdown)))


def strip_request(question: str) -> str:
    """Return a question without the number of its task and the polite words at its end."""
    task = _TASK_NUMBER.sub("", question, count=1)
    end = max(0, len(task) - _LONGEST_ENDING)
    return task[:end] + _POLITE_ENDING.sub("", task[end:])


_TASK_NUMBER: Final = re.compile(
    r"\A\W{0,9}(?:exercice|exercise|ex|question|probl[eè]me?)\s{0,3}(?:n?°?\s{0,3}\d{1,2})?"
    r"\s{0,3}[:.)]\s{0,3}(?=\S)",
    re.IGNORECASE,
)
_LONGEST_ENDING: Final = 60
"""Characters at the end of a question in which polite words are looked for."""
_POLITE_ENDING: Final = re.compile(
    r"(?<=\S)(?:[\s,]+(?:stp|svp|s['’]il (?:te|vous) pla[iî]t|merci|please|pls|thanks))+\W*\Z",
    re.IGNORECASE,
)


def _drop_disguise(markdown: str) -> str:
    """Return a text without signs that show nothing and tags of HTML, which would only cut its
    statements, and with full-width signs as usual ones."""
    if not markdown.isascii():
        markdown = unicodedata.normalize("NFC", markdown).translate(_SIGNS)
        markdown = _KEYCAP.sub("•", markdown)
        markdown = _drop_pictures(_APOSTROPHE.sub("'", markdown))
    markdown = _LONE_NUMBER.sub(r"\1", markdown)
    return _TAG.sub("", markdown) if "</" in markdown else markdown


def _drop_pictures(markdown: str) -> str:
    """Return a text without emojis that begin or end its lines; one that also stands within a line
    may be an unknown or a unit: `🍎 + 2 = 5`."""
    markdown = _FIRST_PICTURES.sub(r"\1", markdown)
    last = [found[1] for found in _LAST_PICTURES.finditer(markdown)]
    if not last or any(markdown.count(each) > last.count(each) for each in last):
        return markdown
    return _LAST_PICTURES.sub("", markdown)


def _join_lines(markdown: str) -> str:
    """Return a text in which a line or formula that begins with `=` stands in one paragraph, or
    formula, with the one before it."""
    if "\n" not in markdown or not _BEGINS_WITH_SIGN.search(markdown):
        return markdown
    return _BLANK.sub(r"\1\n", _NEXT_FORMULA.sub(" ", markdown))


_BEGINS_WITH_SIGN: Final = re.compile(r"(?<!\s)[^\S\n]*+\n\s*+(?:\$\$?|\\\[|\\\()?\s*+&?=")
_NEXT_FORMULA: Final = re.compile(
    r"(?<![ \t])[ \t]*+\n?(?:\$\$[^\S\n]*+\n\s*+\$\$|(?<![$\n])\$[ \t]*+\n\s*+\$(?!\$)"
    r"|\\\][^\S\n]*+\n\s*+\\\[|\\\)[ \t]*+\n\s*+\\\()\s*+&?(?==[^=])"
)
"""The end of a formula and the beginning of the next one, which goes on with it."""
_BLANK: Final = re.compile(r"(=[^\n|=]*+)\n[ \t]*+\n(?=[ \t]*+= ?[^=\s])")


_SIGNS: Final = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | dict.fromkeys(
    (0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0x302)
)
"""The last is the hat of an angle, as in `B̂`; letters with an accent are single characters."""
_LONE_NUMBER: Final = re.compile(r"\A\s*(\d{1,9})\.\s*\Z")
"""An answer that Markdown takes for the number of a list: `54.`"""
_KEYCAP: Final = re.compile("[0-9#*]\ufe0f?\u20e3")
"""A number in a key, which only numbers a step: `1️⃣`."""
_PICTURE: Final = (
    r"[⭐✨❤☀-⛓⛕-⛿\U0001F300-\U0001F44D\U0001F44F-\U0001F6AA\U0001F6AC-\U0001F913"
    r"\U0001F915-\U0001FAFF]"
)
"""Not the marks that something is wrong: `👎`, `🚫`, `🤔`, `⛔`."""
_JOINED: Final = r"[\uFE0F\u200D♀♂\U0001F3FB-\U0001F3FF]*+"
"""Signs that change the picture before them, and give none of themselves back as another."""
_FIRST_PICTURES: Final = re.compile(
    rf"^(\W{{0,6}}?(?:\d{{1,2}}[.)] )?)(?:(?:{_PICTURE}|[✅✔☑➡▶]){_JOINED} ?)+"
    r"(?= )(?! ?(?:[-+=×/÷−]|\* ))",
    re.MULTILINE,
)
_LAST_PICTURES: Final = re.compile(
    rf"(?<![-+=×/÷−(,\uFE0F])(?<! \*)(?<!{_PICTURE}) (?:({_PICTURE}){_JOINED} ?)+"
    r"(?=\*{0,2}[.!?]?\*{0,2} *$)",
    re.MULTILINE,
)
_APOSTROPHE: Final = re.compile(
    r"(?<=[^\W\d_])’(?=[^\W\d_])"
    r"|(?:(?<=\b[a-zA-Z])|(?<=[)’']))’(?=[’'()]| ?[=+−-])"
)
"""An apostrophe between letters, or the mark of a derivative: `d’où f’(x) = 2x`."""
_TAG: Final = re.compile(
    r"</?(?:b|i|u|em|strong|mark|small|span|font|p|div|li|ul|ol|h[1-6]|td|th|tr)"
    r"(?: [^<>]{0,200})?>",
    re.IGNORECASE,
)
"""Not those of exponents and indices, which have a meaning."""


def _mark_formulas(markdown: str) -> str:
    """Return the text with `$$` around the environments of LaTeX that stand outside of formulas,
    and with `$` around computations in LaTeX if none is marked: `0,5 = 5 \\times 10^{-1}`."""
    markdown = _STARS.sub(r"\1^", markdown) if "**" in markdown else markdown
    if _COMMAND.search(markdown) and not _MARKED.search(markdown):
        markdown = _BARE.sub(_mark_commands, markdown)
    if "log" in markdown and "`" not in markdown:
        markdown = mark_logarithms(markdown)
    markdown = _SELECTION.sub(_mark_selection, markdown)
    if "lim" in markdown:
        markdown = _LIMIT.sub(r"lim \1→\2 ", markdown)
    if "\\begin{" not in markdown:
        return markdown
    parts, at = list[str](), 0
    for found in list(_ENVIRONMENT.finditer(markdown))[:_MOST_ENVIRONMENTS]:
        end = markdown.find(found[0].replace("begin", "end"), found.end())
        if found.start() < at or end < 0:
            continue
        before = markdown[: found.start()]
        is_open = before.count("$") % 2 or before.count("`") % 2
        if is_open or any(before.count(f"\\{a}") > before.count(f"\\{b}") for a, b in ("[]", "()")):
            continue
        end += len(found[0]) - 2
        body = " ".join(markdown[found.start() : end].split("\n"))
        parts += [markdown[at : found.start()], f"\n\n$$ {body} $$\n\n"]
        at = end
    return "".join([*parts, markdown[at:]])


_STARS: Final = re.compile(r"(?<![^\W\d])(?<!\*\*)([a-zA-Z])\*\*(?=\d)")
"""The power of a programmer: `3*x**2`."""


def mark_logarithms(text: str) -> str:
    """Return a text with a logarithm to a base as a formula: `log₂ 32` as `$\\log_{2} 32$`."""
    return _LOGARITHM.sub(_mark_logarithm, text)


def _mark_logarithm(found: re.Match[str]) -> str:
    if found.string.count("$", 0, found.start()) % 2:  # it stands in a formula
        return found[0]
    base = found["b"] or found["lowered"].translate(FROM_SUBSCRIPTS)
    return f"$\\log_{{{base}}} {found['x'] or found['y']}$"


def _mark_selection(found: re.Match[str]) -> str:
    if found.string.count("$", 0, found.start()) % 2:  # it stands in a formula
        return found[0]
    whole, chosen = found["n"].translate(FROM_SUBSCRIPTS), found["k"].translate(_FROM_EXPONENTS)
    return f"${found['name']}_{{{whole}}}^{{{chosen}}}$"


_SELECTION: Final = re.compile(
    r"(?<![\\\w`])(?P<name>[CA])(?P<n>[₀-₉]{1,3})(?P<k>[⁰¹²³⁴-⁹]{1,3})(?![\w₀-₉⁰¹²³⁴-⁹⁺⁻])"
)
"""The French form of a binomial coefficient outside of formulas, or of arrangements: `C₉³`."""
_FROM_EXPONENTS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_LOGARITHM: Final = re.compile(
    r"(?<![\\\w])log(?:_\{?(?P<b>\d{1,3})\}?|(?P<lowered>[₀-₉]{1,3})) ?"
    r"(?:\((?P<x>\d{1,9})\)|(?P<y>\d{1,9}(?![\d.,]\d)))"
)


def _mark_commands(found: re.Match[str]) -> str:
    return f"${found[0]}$" if "\\" in found[0] else found[0]


_COMMAND: Final = re.compile(r"\\(?:times|div|cdot|[dt]?frac|sqrt|pi|leq?|geq?|approx)(?![a-zA-Z])")
_MARKED: Final = re.compile(r"[$`]|\\[(\[]|\\begin\{")
_LETTER: Final = r"(?<![A-Za-zÀ-ÿ'’])[a-zA-Z](?![A-Za-zÀ-ÿ'’])"
_BARE: Final = re.compile(
    rf"(?:\d|\(|{_COMMAND.pattern}|{_LETTER}(?= ?[=+^*-]))"
    rf"(?:{_COMMAND.pattern} ?|[-+−=*/<>≤≥≈×÷] ?|[\d^_(){{}}.,]|{_LETTER}"
    r"| (?=[-+−=*/<>≤≥≈×÷\\]|\d{3}\b))*(?<![., ])"
)
"""Signs, numbers and letters of one computation, and commands of LaTeX between them."""
_LIMIT: Final = re.compile(
    r"(?<![\\\w])lim ?_? ?[{(]([a-z]) ?(?:→|->|\\to) ?([^\s{}()]{1,12})[})](?: de| of)? ?"
)
"""A limit outside of formulas: `lim_{x→+∞} f(x)`, `lim (x→+∞) de f(x)`."""
_ENVIRONMENT: Final = re.compile(
    r"\\begin\{(?:(?:align|gather)(?:ed)?|equation|eqnarray|multline|split)\*?\}"
)
_MOST_ENVIRONMENTS: Final = 40
