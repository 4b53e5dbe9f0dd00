"""Progress in as few words as are paid for: where each message costs money."""

from __future__ import annotations

from collections.abc import Callable

from bot.learning.overview import make_overview
from bot.learning.progress import Progress, describe_progress
from bot.texts import say

_MOST_SUBJECTS = 8


def brief_progress(
    language: str,
    progress: Progress,
    fits: Callable[[str], bool],
    spell: Callable[[str], str] = str,
) -> str:
    """The streak, the month, and as many subjects as fit, those with most answers first.

    Args:
        fits: whether a text is short enough.
        spell: as in `describe_progress`.
    """
    if not progress.subjects:
        return describe_progress(language, progress)
    shown = make_overview(language, progress, most=_MOST_SUBJECTS)
    heads = ", ".join(f"{each.number} {each.words}" for each in shown.headlines)
    text = say(language, "Progress: {heads}.", heads=heads)
    for line in shown.subjects:
        longer = f"{text}\n{spell(line.name)} {line.percent} ({line.count})"
        text = longer if fits(longer) else text
    return text
