"""The place in a text that says most of what was asked for. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from bot.library.search.words import Term, matches, words_in

MOST = 400
"""Characters, without the two that say that there is more."""


def snippet(text: str, terms: Sequence[Term]) -> tuple[str, int]:
    """The part of `text` with most of the terms, on one line, and where in it the first stands.

    Its beginning, where none of them does.
    """
    hits = [
        (word.start, number)
        for word in words_in(text)
        for number, term in enumerate(terms)
        if matches(term, word.stem)
    ]
    first, last = _densest(hits)
    start = _word_start(text, max(0, first - (MOST - (last - first)) // 3))
    end = _word_end(text, start)
    shown = " ".join(text[start:end].split())
    return f"{'…' if start else ''}{shown}{'…' if end < len(text) else ''}", first


def _densest(hits: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Where most different terms stand together: from the first of them to the last."""
    best, first, last = 0, 0, 0
    for at, (begin, _) in enumerate(hits):
        near = [hit for hit in hits[at : at + 30] if hit[0] < begin + MOST * 3 // 4]
        found = len({number for _, number in near})
        if found > best:
            best, first, last = found, begin, near[-1][0]
    return first, last


def _word_start(text: str, position: int) -> int:
    """The beginning of a word at or soon after the position."""
    if position == 0:
        return 0
    space = text.find(" ", position, position + 30)
    return space + 1 if space >= 0 else position


def _word_end(text: str, start: int) -> int:
    end = start + MOST
    if end >= len(text):
        return len(text)
    space = text.rfind(" ", end - 30, end)
    return space if space > 0 else end
