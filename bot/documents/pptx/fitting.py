"""Fit text, tables and formulas on slides, by the widths of letters and pictures.

PowerPoint stores an equation as `a14:m` in the preferred branch of an `mc:AlternateContent`
([MS-ODRAWXML] 2.5.1; ECMA-376 part 3, 10); the other branch holds a picture for other programs.
"""

from __future__ import annotations

import io
import math
import re
import struct
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any, Final

from bot.documents import theme
from bot.documents.typst_compiler import compile_page, open_shared_compiler
from bot.formulas import omml
from bot.formulas.line_text import to_printed_line
from bot.formulas.omml import Element, add_element, make_element
from bot.formulas.syntax import Untypesettable
from bot.formulas.typst import PREAMBLE, join_math, math_call, to_parts
from bot.formulas.word import to_omml

A: Final = "http://schemas.openxmlformats.org/drawingml/2006/main"
_A14: Final = "http://schemas.microsoft.com/office/drawing/2010/main"
_MC: Final = "http://schemas.openxmlformats.org/markup-compatibility/2006"
P: Final = "http://schemas.openxmlformats.org/presentationml/2006/main"
_R: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_EMU: Final = 12_700
"""English Metric Units in a point."""
_PIXELS: Final = 200
"""Pixels per inch of a picture in its natural size."""
_NATURAL: Final = 24.0
"""Points of the letters in a picture in its natural size."""
_SLIM: Final = 0.86
"""Width of an equation relative to its picture, which has a wider font."""
_PAGE: Final = f"""
#set page(width: auto, height: auto, margin: 1pt, fill: none)
#set text(font: "New Computer Modern", size: {_NATURAL}pt, fill: rgb("{theme.INK}"),
  top-edge: "bounds", bottom-edge: "bounds")
"""
_MATHS = re.compile(r"\$\$?(?=\S)([^$\n]{1,500}?)(?<=\S)\$\$?(?!\d)")
_UNIT_AFTER = re.compile(
    r"\s?(?P<unit>%|°C?|(?:[cdkm]?m|[km]?g|[cm]?L|cl|ml|s|min|h|[km]?N|k?J|k?W|V|m?A|Ω|k?Pa|K|mol|Hz"
    r"|€|F(?: ?CFA)?)[²³]?)(?:\s*[.,;:]+)?\s*"
)
"""A unit alone after a formula."""
_TALL = re.compile(
    r"\\(?:[dtc]?frac(?!\s*\{?\d{1,3}\}?\s*\{?\d{1,3}\}?)|sqrt(?!\s*\d|\{\w{1,3}\}|\s+\w)|sum|prod|int|iint|oint|lim|binom|begin"
    r"|x[A-Za-z]*arrow|over|under|vec|wide|left|bar|hat|boxed|cancel)"
)
_SCRIPTED = re.compile(r"[_^]")
_REST: Final = " .,;:"
"""Signs that are left out after a formula on a line of its own."""


@dataclass(frozen=True, slots=True)
class SlideFormula:
    """A formula on a line of its own."""

    latex: str
    picture: bytes
    """A PNG with a transparent background."""
    width: float
    """Width in points, for letters of one point."""
    height: float


def split_formulas(text: str) -> list[str | SlideFormula]:
    """Split a point into text and the formulas that a line of text cannot show."""
    parts: list[str | SlideFormula] = []
    end = 0
    for found in _MATHS.finditer(text):
        latex = found[1]
        if not (_TALL.search(latex) or _SCRIPTED.search(to_printed_line(latex))):
            continue  # a line of text can show it
        after = found.end()
        if unit := _UNIT_AFTER.fullmatch(text, after):
            sign = r"\%" if unit["unit"] == "%" else rf"\text{{{unit['unit']}}}"
            latex, after = rf"{latex}\ {sign}", len(text)
        formula = draw_formula(latex)
        if formula is None:
            continue
        parts += [_trim_text(text[end : found.start()], end), formula]
        end = after
    parts.append(_trim_text(text[end:], end))
    return [part for part in parts if part] if len(parts) > 1 else [text]


def _trim_text(text: str, start: int) -> str:
    """Return text next to a formula, without the sign that followed the formula."""
    return text.lstrip(_REST).rstrip() if start else text.rstrip()


def draw_formula(latex: str) -> SlideFormula | None:
    """Return a formula with its picture; None if it cannot be set."""
    try:
        to_omml(latex, [])
        body = math_call("display", join_math(to_parts(latex, [])))
    except Untypesettable:
        return None
    source = f"{PREAMBLE}{_PAGE}${body}$"
    page = compile_page(open_shared_compiler(), source, format="png", ppi=float(_PIXELS))
    if page is None:
        return None
    wide, high = struct.unpack(">II", page[16:24])  # from the PNG's header
    ems = 72 / _PIXELS / _NATURAL
    return SlideFormula(latex, page, wide * ems, high * ems)


def put_formula(
    slide: Any, formula: SlideFormula, place: tuple[float, float], size: float, locale: str
) -> None:
    """Put a formula on a slide.

    Args:
        place: left and top, in points.
        size: size of its letters, in points.
    """
    tree: Element = slide.shapes._spTree  # noqa: SLF001 (python-pptx knows no equations)
    number = str(max(int(each) for each in tree.xpath("//@id") if each.isdigit()) + 1)
    _, relation = slide.part.get_or_add_image_part(io.BytesIO(formula.picture))
    prefixes = {"mc": _MC, "a14": _A14, "p": P, "a": A, "r": _R, "m": omml.M}
    made = make_element(f"{{{_MC}}}AlternateContent", prefixes)
    about = {"id": number, "name": f"Formule {number}", "descr": to_printed_line(formula.latex)}
    box = (*place, formula.width * size, formula.height * size)
    choice = add_element(made, f"{{{_MC}}}Choice", Requires="a14")
    slim = (*place, formula.width * size * _SLIM, formula.height * size)
    shape = make_element(f"{{{P}}}sp")
    named = add_element(shape, f"{{{P}}}nvSpPr")
    add_element(named, f"{{{P}}}cNvPr", **about)
    add_element(named, f"{{{P}}}cNvSpPr", txBox="1")
    add_element(named, f"{{{P}}}nvPr")
    _set_place(add_element(shape, f"{{{P}}}spPr"), slim)
    body = add_element(shape, f"{{{P}}}txBody")
    edges = dict.fromkeys(("lIns", "tIns", "rIns", "bIns"), "0")
    add_element(body, f"{{{A}}}bodyPr", wrap="none", anchor="ctr", **edges)
    add_element(body, f"{{{A}}}lstStyle")
    line = add_element(body, f"{{{A}}}p")
    holder = add_element(line, f"{{{_A14}}}m")
    side = omml.tag("oMathParaPr", omml.tag("jc", val="left"))
    holder.append(
        omml.tag("oMathPara", side, _set_run_properties(to_omml(formula.latex, []), size, locale))
    )
    choice.append(shape)
    add_element(made, f"{{{_MC}}}Fallback").append(_write_picture(relation, about, box))
    tree.append(made)


def _set_run_properties(equation: Element, size: float, locale: str) -> Element:
    """Return an equation with Word's run properties replaced by PowerPoint's."""
    for old in list(equation.iter(f"{{{omml.W}}}rPr")):
        given = make_element(f"{{{A}}}rPr", lang=locale, sz=str(round(size * 100)))
        ink = add_element(given, f"{{{A}}}solidFill")
        add_element(ink, f"{{{A}}}srgbClr", val=theme.INK)
        add_element(given, f"{{{A}}}latin", typeface=omml.FONT)
        old.getparent().replace(old, given)
    return equation


def _write_picture(
    relation: str, about: dict[str, str], box: tuple[float, float, float, float]
) -> Element:
    shape = make_element(f"{{{P}}}pic")
    named = add_element(shape, f"{{{P}}}nvPicPr")
    add_element(named, f"{{{P}}}cNvPr", **about)
    add_element(named, f"{{{P}}}cNvPicPr")
    add_element(named, f"{{{P}}}nvPr")
    fill = add_element(shape, f"{{{P}}}blipFill")
    add_element(fill, f"{{{A}}}blip").set(f"{{{_R}}}embed", relation)
    add_element(add_element(fill, f"{{{A}}}stretch"), f"{{{A}}}fillRect")
    _set_place(add_element(shape, f"{{{P}}}spPr"), box)
    return shape


def _set_place(properties: Element, box: tuple[float, float, float, float]) -> None:
    left, top, width, height = (str(int(each * _EMU)) for each in box)
    frame = add_element(properties, f"{{{A}}}xfrm")
    add_element(frame, f"{{{A}}}off", x=left, y=top)
    add_element(frame, f"{{{A}}}ext", cx=width, cy=height)
    form = add_element(properties, f"{{{A}}}prstGeom", prst="rect")
    add_element(form, f"{{{A}}}avLst")
    add_element(properties, f"{{{A}}}noFill")


_SAFE: Final = 0.97
"""Share of a line that is filled, because programs measure text a little differently."""
GAP: Final = 0.55
"""Space after a point, in ems."""
CODE_SIZE: Final = 0.8
"""Size of the letters of code, relative to other text."""
_CODE_EMS: Final = 0.61
"""Width of a letter of code, in any font."""
_INDENT: Final = 27.0
"""Indent of a level, in points."""
_MARK = re.compile(r"(\s*)(?:[-*•–▪◦]\s+)?(.*)", re.DOTALL)
_NUMBERED = re.compile(r"([1-9]\d?(?=[.)])|[a-h](?=\)))([.)]) +([^$\\\s].*)", re.DOTALL)
"""A point with its own number, which is no formula alone."""
_NUMBERINGS: Final = {".": "arabicPeriod", ")": "arabicParenR"}
_FENCE = re.compile(r"\s*(?:[-*•]\s+)?```[\w+#-]*\s*")
_SENTENCE = re.compile(r"(?<=[.!?…;:])\s+")


@dataclass(frozen=True, slots=True)
class Bullet:
    text: str
    level: int = 0
    goes_on: bool = False
    """Whether it continues a point that was too long, and has no mark of its own."""
    is_heading: bool = False
    """Whether it is the heading of a column, without a mark."""
    number: int = 0
    """The number that is its mark, a letter's place in the alphabet; 0: none."""
    numbering: str = ""
    """The form of the number, as `a:buAutoNum` names it."""
    is_code: bool = False
    """Whether it is a line of a program, which has its spaces and no marks."""


Item = Bullet | SlideFormula


@dataclass(frozen=True, slots=True)
class Space:
    """Size of a place for text, in points."""

    width: float
    height: float


def split_code(texts: Iterable[str]) -> Iterator[str | Bullet]:
    """Yield the points, and as bullets the lines of programs, which stand between lines of three
    backticks, in one point or in several."""
    is_code = False
    for text in texts:
        if not is_code and "```" not in text:
            yield text
            continue
        for line in text.split("\n"):
            if _FENCE.fullmatch(line):
                is_code = not is_code
            elif is_code:
                bare = line.expandtabs(4).rstrip().lstrip(" ")
                indent = len(line.expandtabs(4).rstrip()) - len(bare)
                yield Bullet("\u00a0" * indent + (bare or "\u00a0"), goes_on=True, is_code=True)
            elif line.strip():
                yield line


def read_bullet(text: str) -> Bullet:
    """Return a point without its own mark; an indented one gets a lower level."""
    found = _MARK.fullmatch(text)
    if found is None:
        return Bullet(text)
    spaces = len(found[1].replace("\n", "").expandtabs(4))
    bullet = Bullet(" ".join(found[2].split()), min((spaces + 1) // 2, 2))
    if not (numbered := _NUMBERED.fullmatch(bullet.text)):
        return bullet
    mark, sign, text = numbered.groups()
    number = int(mark) if mark.isdigit() else ord(mark) - ord("a") + 1
    form = "alphaLcParenR" if mark.isalpha() else _NUMBERINGS[sign]
    return replace(bullet, text=text, number=number, numbering=form)


MARKS: Final = re.compile(
    r"\*\*\*(?=\S)(?P<both>[^*]+)(?<=\S)\*\*\*"
    r"|(?<![\w*])\*(?=[^\s*])(?P<italic>[^*]+)(?<=\S)\*(?![\w*])"
    r"|(?<![\w_])_(?=[^\s_])(?P<emphasis>[^_]+)(?<=\S)_(?![\w_])"
    r"|\*\*(?=\S)(?P<bold>.+?)(?<=\S)\*\*|__(?=\S)(?P<strong>.+?)(?<=\S)__|`(?P<code>[^`]+)`"
    r"|(?<!!)\[(?P<label>[^\[\]]+)\]\((?P<url>https?://(?:[^\s()]|\([^\s()]*\))+)\)"
)
"""Marks that models write within a line of a slide."""


def strip_marks(text: str) -> str:
    """Return `text` without the marks of what is bold, italic, code or a link."""
    return MARKS.sub(get_shown, text)


def get_shown(found: re.Match[str]) -> str:
    """Return what is shown of text with `MARKS`."""
    return next(part for name, part in found.groupdict().items() if part and name != "url")


def count_lines(text: str, width: float, size: float) -> int:
    """Count the lines that `text` fills in letters of that size."""
    return theme.count_lines(strip_marks(text), width / size * _SAFE)


def measure_height(bullets: Sequence[Item], width: float, size: float) -> float:
    return sum(measure_item(bullet, width, size) for bullet in bullets)


def choose_text_size(bullets: Sequence[Item], space: Space, sizes: Sequence[float]) -> float:
    """Return the largest of `sizes` in which all points fit on one slide, else the smallest."""
    for size in sizes:
        if measure_height(bullets, space.width, size) <= space.height:
            return size
    return sizes[-1]


def split_items(bullets: Sequence[Item], space: Space, size: float) -> list[list[Item]]:
    """Return the points of each slide, distributed as evenly as their order allows."""
    pieces = [piece for bullet in bullets for piece in _cut_item(bullet, space, size)]
    heights = [measure_item(piece, space.width, size) for piece in pieces]
    kept = {at for at in range(1, len(pieces)) if _goes_below(pieces[at], pieces[at - 1])}
    return [pieces[start:end] for start, end in _balance(heights, space.height, kept)] or [[]]


def _goes_below(item: Item, above: Item) -> bool:
    """Return whether an item is better not the first of a slide: it belongs to the one above."""
    if isinstance(item, SlideFormula):
        return True
    has_heading = isinstance(above, Bullet) and above.is_heading
    return has_heading or item.goes_on or item.level > 0


def _balance(
    heights: Sequence[float], limit: float, kept: Set[int] = frozenset()
) -> list[tuple[int, int]]:
    """Part a column of things into the fewest slides, as evenly as possible.

    Args:
        limit: most height of a slide; what is higher has one to itself.
        kept: things that begin a slide only if there is no other way as short.

    Returns:
        the first thing of each slide, and the first after it.
    """
    best: list[tuple[int, float, int]] = [(0, 0.0, 0)]  # slides, cost, start of the last slide
    for end in range(1, len(heights) + 1):
        tall, choices = 0.0, list[tuple[int, float, int]]()
        for start in range(end - 1, -1, -1):
            tall += heights[start]
            if tall > limit and choices:
                break
            slides, cost, _ = best[start]
            cost += tall**2 + (limit**2 if start in kept else 0.0)
            choices.append((slides + 1, cost, start))
        best.append(min(choices, key=lambda choice: (choice[0], round(choice[1], 3), -choice[2])))
    parts: list[tuple[int, int]] = []
    end = len(heights)
    while end:
        parts.insert(0, (best[end][2], end))
        end = best[end][2]
    return parts


def split_rows(
    rows: Sequence[Sequence[str]], widths: Sequence[float], tall: float, size: float
) -> list[list[Sequence[str]]]:
    """Return the rows of each slide, about as many on each; the first row, the header, is repeated
    on all."""
    header, body = rows[0], rows[1:]
    space = tall - measure_row(header, widths, size)
    heights = [measure_row(row, widths, size) for row in body]
    return [[header, *body[start:end]] for start, end in _balance(heights, space)] or [[header]]


def measure_row(row: Sequence[str], widths: Sequence[float], size: float) -> float:
    lines = max((count_lines(c, w - 20, size) for c, w in zip(row, widths, strict=True)), default=1)
    return lines * size * theme.LINE_HEIGHT + 10


def fits_columns(
    rows: Sequence[Sequence[str]], widths: Sequence[float], size: float, *, any_font: bool = True
) -> bool:
    """Return whether every word fits into its column.

    Args:
        any_font: also where Calibri is missing.
    """
    return all(
        theme.measure_longest_word(cell, bold=number == 0, any_font=any_font) * size / _SAFE
        <= width - 20
        for number, row in enumerate(rows)
        for cell, width in zip(row, widths, strict=True)
    )


def keeps_words_whole(text: str, width: float, size: float) -> bool:
    """Return whether every word of a bold line fits into the line."""
    return theme.measure_longest_word(text, bold=True) * size <= width


_SMALLEST: Final = 14.0
"""Size of the smallest letters of a table, in points."""
_CELL_EMS: Final = 1.43
"""Left and right margin of a cell, in ems of the smallest letters."""


def choose_column_widths(rows: Sequence[Sequence[str]], width: float) -> list[float]:
    """Distribute `width` by the longest word and the longest text of each column."""
    columns = list(zip(*rows, strict=True))
    least = [
        max(
            theme.measure_longest_word(cell, bold=number == 0, any_font=True)
            for number, cell in enumerate(column)
        )
        for column in columns
    ]
    least = [min(max(word, 2.5), 16.0) + _CELL_EMS for word in least]
    wanted = [
        max(min(theme.measure_text(cell, bold=True), 16.0) for cell in column) + _CELL_EMS
        for column in columns
    ]
    missing = [max(text - word, 0.0) for word, text in zip(least, wanted, strict=True)]
    spare = max(width / _SMALLEST - sum(least), 0.0)
    part = min(spare / sum(missing), 1.0) if any(missing) else 0.0
    weights = [word + part * more for word, more in zip(least, missing, strict=True)]
    return [width * weight / sum(weights) for weight in weights]


def measure_indent(bullet: Bullet, size: float) -> float:
    """Return the points before the text of a point, with space for its mark."""
    number = size * (1.4 + 0.5 * (bullet.number > 9)) if bullet.number else 0.0
    return _INDENT * bullet.level + max(_INDENT, number)


def measure_item(bullet: Item, width: float, size: float) -> float:
    if isinstance(bullet, SlideFormula):
        return bullet.height * choose_formula_size(bullet, width, size) + size * (GAP + 0.35)
    if bullet.is_heading:
        larger = size + 2
        lines = count_lines(bullet.text, width / 1.03, larger)
        return lines * larger * theme.LINE_HEIGHT + larger * GAP
    if bullet.is_code:
        letters = (width - _INDENT) / (size * CODE_SIZE * _CODE_EMS)
        return math.ceil(len(bullet.text) / letters) * size * CODE_SIZE * theme.LINE_HEIGHT
    smaller = size - 2 * bullet.level
    inner = width - measure_indent(bullet, smaller)
    lines = count_lines(bullet.text, inner, smaller)
    return lines * smaller * theme.LINE_HEIGHT + smaller * GAP


def choose_formula_size(formula: SlideFormula, width: float, size: float) -> float:
    """Return the size of a formula's letters: a little larger than text, but within `width`."""
    return min(size * 1.15, (width - _INDENT) / formula.width)


def _cut_item(bullet: Item, space: Space, size: float) -> list[Item]:
    """Return a point that is higher than a slide in pieces, cut at the ends of sentences or
    words."""
    if isinstance(bullet, SlideFormula) or measure_item(bullet, space.width, size) <= space.height:
        return [bullet]
    # Sentences; very long ones are split between words, or within words that are long too.
    words: list[str] = []
    for sentence in _SENTENCE.split(bullet.text):
        if len(sentence) <= 300:
            words.append(sentence)
        else:
            words += [part for word in sentence.split() for part in re.findall(r".{1,80}", word)]
    pieces: list[Item] = []
    start = 0
    while start < len(words):
        end = _count_fitting(words, start, bullet.level, space, size)
        pieces.append(replace(bullet, text=" ".join(words[start:end]), goes_on=bool(pieces)))
        start = end
    return pieces


def _count_fitting(words: Sequence[str], start: int, level: int, space: Space, size: float) -> int:
    """Return the end of the words from `start` that fill most of a slide: at least one."""

    def is_too_high(end: int) -> bool:
        trial = Bullet(" ".join(words[start:end]), level)
        return measure_item(trial, space.width, size) > space.height * 0.9

    step = 1
    while start + step < len(words) and not is_too_high(start + step):
        step *= 2
    ends = range(start + max(step // 2, 1) + 1, min(start + step, len(words)) + 1)
    return ends.start - 1 + bisect_left(ends, True, key=is_too_high)
