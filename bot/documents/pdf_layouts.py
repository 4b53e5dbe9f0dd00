"""Lay out PDF documents: report, lesson, exercises with separate answers, letter."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

from markdown_it.token import Token

from bot.documents.characters import (
    clean_markdown,
    is_right_to_left,
    print_scripts,
    replace_emoji,
)
from bot.documents.document_request import DocumentImage, PageRequest
from bot.documents.footnotes import read_footnotes
from bot.documents.formula_notes import FormulaReport
from bot.documents.letters import split_letter, strip_subject
from bot.documents.markdown_blocks import (
    LINE_BREAKS,
    Block,
    drop_title,
    find_callout,
    match_callout_kind,
    normalize_headings,
    read_page,
    split_figures,
    to_text,
    walk,
)
from bot.documents.typst_markup import (
    LANDSCAPE,
    MarkupWriter,
    PlacedPicture,
    break_long_words,
    markup_call,
    markup_text,
    needs_landscape,
    quote_string,
    write_body,
    write_table,
)
from bot.formulas.typst import PREAMBLE
from bot.typography import polish, shorten

_FOLDER = Path(__file__).parent / "templates"
_MANY_HEADINGS = 4
"""Number of headings from which on a long report has contents."""
_FEW_ENTRIES = 24
"""Number of entries up to which the text begins on the page of the contents."""
_COLOURED = 100_000
"""Characters below which code is coloured."""
_TOO_MANY_HEADINGS = 60
"""Number of headings above which the contents list only chapters."""
_RUNNING = 80
"""Characters of the title in the header of every page."""
_SIZES: Final = ((40, 30), (80, 24), (140, 20))
_SMALLEST = 17
_EXERCISE = re.compile(
    r"(exercice|exercise|problème|problem|activité|activity)\b\s*((?:n°\s*)?[\dIVX]+\b)?[\s:.–—-]*",
    re.IGNORECASE,
)


def lay_out_pages(
    page_request: PageRequest,
    rejected: frozenset[str] = frozenset(),
    *,
    is_long: bool = False,
    report: FormulaReport | None = None,
) -> str:
    """Return the whole source of a document. Its pictures are files with the names from
    `name_files`.

    Args:
        rejected: formulas that Typst has refused.
        is_long: whether a report has a title page, and contents if it has enough headings.
        report: collects the formulas that are shown as they were typed.
    """
    title = clean_title(page_request)
    text = replace_emoji(page_request.content)
    blocks = read_page(text, page_request.language)
    blocks, _ = read_footnotes(normalize_headings(drop_title(blocks, title)))
    blocks = split_figures(blocks)
    writer = MarkupWriter(
        rejected,
        colours_code=len(text) < _COLOURED,
        pictures={
            source: _place_picture(name, page_request.images[source])
            for source, name in name_files(page_request).items()
        },
        words=page_request.words,
        report=report or FormulaReport(),
    )
    write = _LAYOUTS[page_request.template]
    if is_long and page_request.template == "report":
        write = _write_long_report
    parts = (
        PREAMBLE,
        _write_facts(page_request, title),
        _read_template("base"),
        _read_template(page_request.template),
        *write(page_request, blocks, writer),
    )
    return "\n\n".join(parts)


def name_files(page_request: PageRequest) -> dict[str, str]:
    """Return the names of the picture files for Typst, by their sources."""
    return {
        source: f"{number}.{image.mime_type.removeprefix('image/')}"
        for number, (source, image) in enumerate(page_request.images.items(), start=1)
    }


_WIDEST = 460
_TALLEST = 250
"""Most points of height of a picture."""


def _place_picture(name: str, image: DocumentImage) -> PlacedPicture:
    width, height = image.fit(_WIDEST, _TALLEST, dots_per_inch=150)
    return PlacedPicture(name, round(width, 1), round(height, 1))


def clean_title(page_request: PageRequest) -> str:
    """Return the title in one line, with only characters that can be shown."""
    return print_scripts(" ".join(replace_emoji(clean_markdown(page_request.title)).split()))


@cache
def _read_template(name: str) -> str:
    return (_FOLDER / f"{name}.typ").read_text()


def _write_facts(page_request: PageRequest, plain: str) -> str:
    """Write the facts about the document that templates use."""
    title = polish(plain, page_request.language)
    large = next((size for most, size in _SIZES if len(title) <= most), _SMALLEST)
    short = shorten(title, _RUNNING)
    words = (
        f"{key.lower()}: {quote_string(said)}"
        for key, said in sorted(page_request.words.items())
        if key.isalpha()  # it becomes a name in Typst
    )
    facts = {
        "plain-title": quote_string(plain),
        "title": quote_string(break_long_words(title)),
        "short-title": quote_string(break_long_words(short)),
        "title-dir": "rtl" if is_right_to_left(plain) else "ltr",
        "title-size": f"{large if page_request.template == 'report' else large * 2 // 3}pt",
        "language": quote_string(page_request.language),
        "date": quote_string(page_request.date),
        "words": f"({', '.join(words)})",
        "colon": quote_string("\u00a0: " if page_request.language == "fr" else ": "),
    }
    return "\n".join(f"#let {name} = {value}" for name, value in facts.items())


def _write_report(_: PageRequest, blocks: list[Block], writer: MarkupWriter) -> Iterator[str]:
    yield from _write_flow(blocks, writer, "#opening()")


def _write_long_report(_: PageRequest, blocks: list[Block], writer: MarkupWriter) -> Iterator[str]:
    yield "#cover()"
    headings = sum(block.level in (1, 2) for block in blocks)
    if headings >= _MANY_HEADINGS:
        depth = 1 if headings > _TOO_MANY_HEADINGS else 2
        yield f"#contents({depth}, {'true' if headings > _FEW_ENTRIES else 'false'})"
    yield from _write_flow(blocks, writer)


def _write_lesson(_: PageRequest, blocks: list[Block], writer: MarkupWriter) -> Iterator[str]:
    yield "#band()"
    # Sections that name aims are boxes, as are quotes that begin with a label.
    aims: Block | None = None
    within: list[Block] = []
    for block in blocks:
        if aims and (block.level or block.kind in ("hr", "page_break")):
            yield _write_callout("key", aims, within, writer)
            aims, within = None, []
        if block.level and match_callout_kind(block.words) == "key":
            aims = block
        elif aims:
            within.append(block)
        else:
            yield _write_block(block, writer)
    if aims:
        yield _write_callout("key", aims, within, writer)


def _write_flow(blocks: Sequence[Block], writer: MarkupWriter, *opening: str) -> Iterator[str]:
    """Write the blocks; a wide table has a landscape page, with the headings and the line before
    a colon that stand over it."""
    over = [*opening]
    for block in blocks:
        if block.kind == "table" and needs_landscape(block):
            table = write_table(block, writer, stretch=LANDSCAPE)
            yield markup_call("landscape", "\n\n".join([*over, table]))
            over = []
        elif block.level or (block.kind == "paragraph" and block.words.endswith(":")):
            over.append(_write_block(block, writer))
        else:
            yield from over
            yield _write_block(block, writer)
            over = []
    yield from over


def _write_block(block: Block, writer: MarkupWriter) -> str:
    callout = find_callout(block, writer.words) if block.kind == "blockquote" else None
    if callout:
        return _write_callout(callout.kind, callout.label, callout.content, writer)
    return write_body([block], writer)


def _write_callout(kind: str, label: Block, content: Sequence[Block], writer: MarkupWriter) -> str:
    return markup_call(
        "callout", writer.write(label.line), write_body(content, writer), named=quote_string(kind)
    )


_NAME_FIELD = re.compile(
    r"\b(?:noms?|name)\b[^:.…_]{0,30}:[^_.…]{0,40}(?:__|\.{4}|…)", re.IGNORECASE
)
"""A place for the pupil's name."""
_NAMED_IN: Final = 3
"""Number of blocks among which a sheet asks for the name itself."""


def _write_exercises(_: PageRequest, blocks: list[Block], writer: MarkupWriter) -> Iterator[str]:
    questions, answers = split_answers(_number_exercises(blocks))
    said = (" ".join(each.words for each in walk([block])) for block in blocks[:_NAMED_IN])
    asks = any(map(_NAME_FIELD.search, said))
    yield "#sheet-head(fields: false)" if asks else "#sheet-head()"
    yield from (_write_exercise_block(block, writer) for block in questions)
    if answers:
        yield "#answers()"
        yield from (_write_exercise_block(block, writer) for block in answers)


def _number_exercises(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks, with a number added to each heading that names an exercise."""
    count = 0
    for block in blocks:
        if found := _match_exercise(block):
            count += 1
            if not found[2]:
                block.line[0].content = f"{found[1]} {count} : {found.string[found.end() :]}"
    return list(blocks)


def _match_exercise(block: Block) -> re.Match[str] | None:
    """Match the start of a heading that names an exercise."""
    return _EXERCISE.match(block.line[0].content) if block.level and block.line else None


def _write_exercise_block(block: Block, writer: MarkupWriter) -> str:
    found = _match_exercise(block)
    if not found or not found[2]:
        return _write_block(block, writer)
    label = markup_text(f"{found[1]} {found[2]}")
    text = found.string[found.end() :]
    rest = block.line[0].copy(content=text[:1].upper() + text[1:])
    return markup_call("exercise", label, writer.write([rest, *block.line[1:]]))


def _write_letter(
    page_request: PageRequest, blocks: list[Block], writer: MarkupWriter
) -> Iterator[str]:
    letter = split_letter(blocks)
    lines = replace(writer, keeps_lines=True)
    day = letter.place_and_date or ("Le " * (page_request.language == "fr") + page_request.date)
    subject = letter.subject or polish(
        strip_subject(clean_title(page_request)), page_request.language
    )
    subject = subject[:1].upper() + subject[1:]
    yield markup_call(
        "head",
        write_body(letter.sender, lines),
        write_body(letter.recipient, lines),
        markup_text(break_long_words(day)),
        markup_text(break_long_words(subject)),
    )
    yield write_body(letter.body, writer)
    if letter.signature:
        yield markup_call("signature", write_body(letter.signature, lines))
    yield write_body(letter.after, lines)


_ANSWER = re.compile(
    r"\W*(?:[\dIVX]+[.)]\s*)?(?:(?:éléments|propositions?|les|the|model)\b\W*(?:de\b\W*)?)*"
    r"(?:corrigée?s?|corrections?|réponses?|solutions?|answers?(?: key)?)\b",
    re.IGNORECASE,
)
_LABELLED = re.compile(rf"{_ANSWER.pattern}[^:]{{0,30}}:", re.IGNORECASE)
_TO_FILL_IN = re.compile(r".*?(?:__|\.{4}|…\s*…)|\W*$", re.DOTALL)
"""What pupils are to write on, after its label: blanks, or nothing at all."""
_PLACE = re.compile(r"\W*(?:[\dIVX]+[.)]\s*)?(?:réponses?|answers?)\W*", re.IGNORECASE)
"""What stands over lines to write on; under « Corrigé » such lines only divide."""


def split_answers(blocks: Sequence[Block]) -> tuple[list[Block], list[Block]]:
    """Return the questions, and the answers in their order.

    Answers are the blocks under a heading (or a line in bold) such as Corrigé, Réponses or Answers,
    and paragraphs and lines that begin with such a word. The answers of one exercise are put under
    a copy of that exercise's heading. What pupils are to fill in is no answer: `Réponse : ____`.
    """
    sheet = _AnswerSplitter()
    for index, block in enumerate(blocks, start=1):
        follows = blocks[index : index + 1]
        if follows and follows[0].is_writing_line and _PLACE.fullmatch(block.words):
            sheet.keep(block)
        else:
            sheet.take(block)
    return sheet.questions, sheet.answers


class _AnswerSplitter:
    def __init__(self) -> None:
        self.questions: list[Block] = []
        self.answers: list[Block] = []
        self._section = 0
        """The level of the heading over the current answers; 0 outside answers, 7 under a line in
        bold."""
        self._above: list[Block] = []
        """The headings above the current block."""
        self._said: Block | None = None
        """The last heading that was put over answers."""

    def take(self, block: Block) -> None:
        level = block.level or (7 if _is_bold(block) else 0)
        if (level and level <= self._section) or (block.kind == "hr" and self._section == 7):
            self._section = 0
        if level and not self._section and _ANSWER.match(block.words):
            self._begin(block, level)
        elif self._section:
            self.answers.append(block)
        else:
            self._above = [head for head in self._above if head.level < (block.level or 9)]
            self._above += [block] if block.level else []
            # Outside a section of answers, single lines may be answers.
            kept, cut = _cut_answers(block)
            if cut:
                self._say_heading()
                self.answers += cut
            self.questions += [kept] if kept else []

    def keep(self, block: Block) -> None:
        """Put a block with its writing lines among the questions, whatever it says."""
        self._section = 0
        self.questions.append(block)

    def _begin(self, heading: Block, level: int) -> None:
        self._section = level
        self._above = [head for head in self._above if head.level < level]
        self._say_heading()
        found = _ANSWER.match(heading.words)
        names_more = found and any(map(str.isalnum, heading.words[found.end() :]))
        if level < 7 and (names_more or (self.answers and not self._above)):
            self.answers.append(heading)

    def _say_heading(self) -> None:
        """Put the heading of the current exercise over the next answers."""
        above = self._above[-1] if self._above else None
        if above and above is not self._said:
            self.answers.append(above)
            self._said = above


def _is_bold(block: Block) -> bool:
    """Return whether a paragraph is one line in bold, which models write in place of a heading."""
    line = [token for token in block.line if token.type != "text" or token.content.strip(" :.")]
    types = [token.type for token in line]
    return (
        block.kind == "paragraph"
        and types[:1] == ["strong_open"]
        and types.index("strong_close") == len(types) - 1
    )


def _cut_answers(block: Block) -> tuple[Block | None, list[Block]]:
    """Return the block without the answers in it (None if nothing is left), and these answers."""
    if block.kind == "paragraph":
        return _cut_paragraph(block)
    if block.kind not in ("ordered_list", "bullet_list", "blockquote"):
        return block, []
    items = [_cut_item(item) for item in block.children]
    kept = replace(block, children=[item for item, _ in items if item])
    found = [
        _number_answer(answer, position) if block.kind == "ordered_list" else answer
        for position, (_, answers) in enumerate(items, start=int(block.token.attrs.get("start", 1)))
        for answer in answers
    ]
    return kept if kept.children else None, found


def _cut_item(item: Block) -> tuple[Block | None, list[Block]]:
    if item.kind != "list_item":
        return _cut_answers(item)
    parts = [_cut_answers(child) for child in item.children]
    kept = [block for block, _ in parts if block]
    answers = [answer for _, found in parts for answer in found]
    return (replace(item, children=kept) if kept or not answers else None), answers


def _cut_paragraph(block: Block) -> tuple[Block | None, list[Block]]:
    line = list(block.line)
    breaks = (index for index, token in enumerate(line, start=1) if token.type in LINE_BREAKS)
    for start in (0, *breaks):
        text = to_text(line[start:])
        label = _LABELLED.match(text)
        if label and not _TO_FILL_IN.match(text, label.end()):
            before = line[: start - 1] if start else []
            kept = block.with_line(before) if before else None
            return kept, [block.with_line(line[start:])]
    return block, []


def _number_answer(block: Block, position: int) -> Block:
    if block.kind != "paragraph":
        return block
    return block.with_line([Token("text", "", 0, content=f"{position}. "), *block.line])


_LAYOUTS: Final[Mapping[str, Callable[[PageRequest, list[Block], MarkupWriter], Iterator[str]]]] = {
    "report": _write_report,
    "lesson": _write_lesson,
    "exercise": _write_exercises,
    "letter": _write_letter,
}
