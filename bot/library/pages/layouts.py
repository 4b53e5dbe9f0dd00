"""The kinds of documents: which parts each has, in Typst's markup."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

from bot.library.pages.answers import part_answers
from bot.library.pages.blocks import Block, drop_title, lift_headings, read_tokens, to_blocks
from bot.library.pages.body import write_body
from bot.library.pages.callouts import find_callout, name_kind
from bot.library.pages.characters import clean, replace_pictures
from bot.library.pages.figures import measure_figure, part_figures
from bot.library.pages.footnotes import read_footnotes
from bot.library.pages.letters import strip_subject, take_apart
from bot.library.pages.lines import Hand, Picture
from bot.library.pages.manuscript import Manuscript
from bot.library.pages.source import call, literal, quote, soften
from bot.library.typesetting import PREAMBLE
from bot.typography import polish

_FOLDER = Path(__file__).parent / "templates"
_MANY_HEADINGS = 4
"""From which on a long report has contents."""
_FEW_ENTRIES = 24
"""Of contents: the text begins on the same page."""
_COLOURED = 100_000
"""Characters up to which code has colours."""
_TOO_MANY_HEADINGS = 60
"""From which on the contents name the chapters only."""
_RUNNING = 80
"""Characters of the title that stand on every page."""
_SIZES: Final = ((40, 30), (80, 24), (140, 20))
_SMALLEST = 17
_EXERCISE = re.compile(
    r"(exercice|exercise|problème|problem|activité|activity)\b\s*((?:n°\s*)?[\dIVX]+\b)?[\s:.–—-]*",
    re.IGNORECASE,
)


def lay_out(
    manuscript: Manuscript, unsound: frozenset[str] = frozenset(), *, is_long: bool = False
) -> str:
    """The whole source of a document. Its pictures are files that `name_files` names.

    Args:
        unsound: formulas that Typst has refused.
        is_long: a report has a title page, and contents if it has headings.
    """
    title = clean_title(manuscript)
    text = replace_pictures(manuscript.content)
    blocks = to_blocks(read_tokens(text, manuscript.language))
    blocks, _ = read_footnotes(lift_headings(drop_title(blocks, title)))
    blocks = part_figures(blocks)
    hand = Hand(
        unsound,
        colours_code=len(text) < _COLOURED,
        pictures=_measure_pictures(manuscript),
        words=manuscript.words,
    )
    write = _long_report if is_long and manuscript.template == "report" else None
    write = write or _LAYOUTS[manuscript.template]
    parts = (
        PREAMBLE,
        _facts(manuscript, title),
        _template("common"),
        _template(manuscript.template),
        *write(manuscript, blocks, hand),
    )
    return "\n\n".join(parts)


def name_files(manuscript: Manuscript) -> dict[str, str]:
    """Names of the files in which Typst finds the pictures, by their sources."""
    return {
        source: f"{number}.{image.mime_type.removeprefix('image/')}"
        for number, (source, image) in enumerate(manuscript.images.items(), start=1)
    }


def _measure_pictures(manuscript: Manuscript) -> dict[str, Picture]:
    return {
        source: Picture(name, *measure_figure(manuscript.images[source]))
        for source, name in name_files(manuscript).items()
    }


def clean_title(manuscript: Manuscript) -> str:
    """The title in one line, of characters that can be shown."""
    return " ".join(replace_pictures(clean(manuscript.title)).split())


@cache
def _template(name: str) -> str:
    return (_FOLDER / f"{name}.typ").read_text()


def _facts(manuscript: Manuscript, plain: str) -> str:
    """What templates know of their document."""
    title = polish(plain, manuscript.language)
    large = next((size for most, size in _SIZES if len(title) <= most), _SMALLEST)
    short = title if len(title) <= _RUNNING else title[: _RUNNING - 1].rstrip() + "…"
    words = (f"{key.lower()}: {quote(said)}" for key, said in sorted(_page_words(manuscript)))
    facts = {
        "plain-title": quote(plain),
        "title": quote(soften(title)),
        "short-title": quote(soften(short)),
        "title-size": f"{large if manuscript.template == 'report' else large * 2 // 3}pt",
        "language": quote(manuscript.language),
        "date": quote(manuscript.date),
        "words": f"({', '.join(words)})",
        "colon": quote("\u00a0: " if manuscript.language == "fr" else ": "),
    }
    return "\n".join(f"#let {name} = {value}" for name, value in facts.items())


def _page_words(manuscript: Manuscript) -> Iterator[tuple[str, str]]:
    """What templates say by themselves: words that are names in Typst too."""
    return ((word, said) for word, said in manuscript.words.items() if word.isalpha())


def _report(_: Manuscript, blocks: list[Block], hand: Hand) -> Iterator[str]:
    yield "#opening()"
    yield from (_write_block(block, hand) for block in blocks)


def _long_report(_: Manuscript, blocks: list[Block], hand: Hand) -> Iterator[str]:
    yield "#cover()"
    headings = sum(block.level in (1, 2) for block in blocks)
    if headings >= _MANY_HEADINGS:
        depth = 1 if headings > _TOO_MANY_HEADINGS else 2
        yield f"#contents({depth}, {'true' if headings > _FEW_ENTRIES else 'false'})"
    yield from (_write_block(block, hand) for block in blocks)


def _lesson(_: Manuscript, blocks: list[Block], hand: Hand) -> Iterator[str]:
    yield "#band()"
    yield from _write_sections(blocks, hand)


def _write_sections(blocks: Sequence[Block], hand: Hand) -> Iterator[str]:
    """Blocks, of which sections that name aims and quotes that begin with a label are boxes."""
    aims: Block | None = None
    within: list[Block] = []
    for block in blocks:
        if aims and (block.level or block.kind == "hr"):
            yield _box("key", aims, within, hand)
            aims, within = None, []
        if block.level and name_kind(block.words) == "key":
            aims = block
        elif aims:
            within.append(block)
        else:
            yield _write_block(block, hand)
    if aims:
        yield _box("key", aims, within, hand)


def _write_block(block: Block, hand: Hand) -> str:
    callout = find_callout(block, hand.words) if block.kind == "blockquote" else None
    if callout:
        return _box(callout.kind, callout.label, callout.content, hand)
    return write_body([block], hand)


def _box(kind: str, label: Block, content: Sequence[Block], hand: Hand) -> str:
    return call("callout", hand.write(label.line), write_body(content, hand), named=quote(kind))


def _exercise(_: Manuscript, blocks: list[Block], hand: Hand) -> Iterator[str]:
    questions, answers = part_answers(_number_exercises(blocks))
    yield "#sheet-head()"
    yield from (_write_exercise_block(block, hand) for block in questions)
    if answers:
        yield "#answers()"
        yield from (_write_exercise_block(block, hand) for block in answers)


def _number_exercises(blocks: Sequence[Block]) -> list[Block]:
    """The blocks, with a number in each heading that names an exercise."""
    count = 0
    for block in blocks:
        first = block.line[0] if block.level and block.line else None
        found = _EXERCISE.match(first.content) if first else None
        if first and found:
            count += 1
            if not found[2]:
                first.content = f"{found[1]} {count} : {first.content[found.end() :]}"
    return list(blocks)


def _write_exercise_block(block: Block, hand: Hand) -> str:
    first = block.line[0] if block.level and block.line else None
    found = _EXERCISE.match(first.content) if first else None
    if not first or not found or not found[2]:
        return _write_block(block, hand)
    label = literal(f"{found[1]} {found[2]}")
    text = first.content[found.end() :]
    rest = first.copy(content=text[:1].upper() + text[1:])
    return call("exercise", label, hand.write([rest, *block.line[1:]]))


def _letter(manuscript: Manuscript, blocks: list[Block], hand: Hand) -> Iterator[str]:
    letter = take_apart(blocks)
    lines = replace(hand, keeps_lines=True)
    day = letter.place_and_date or ("Le " * (manuscript.language == "fr") + manuscript.date)
    subject = letter.subject or polish(strip_subject(clean_title(manuscript)), manuscript.language)
    subject = subject[:1].upper() + subject[1:]
    yield call(
        "head",
        write_body(letter.sender, lines),
        write_body(letter.recipient, lines),
        literal(soften(day)),
        literal(soften(subject)),
    )
    yield write_body(letter.body, hand)
    if letter.signature:
        yield call("signature", write_body(letter.signature, lines))


_LAYOUTS: Final[Mapping[str, Callable[[Manuscript, list[Block], Hand], Iterator[str]]]] = {
    "report": _report,
    "lesson": _lesson,
    "exercise": _exercise,
    "letter": _letter,
}
