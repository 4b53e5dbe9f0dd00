"""Decide when to ask a card again, by FSRS with its default parameters.

FSRS (https://github.com/open-spaced-repetition/free-spaced-repetition-scheduler) describes a memory
by its stability, the days after which recall falls to 90 %, and its difficulty, 1 to 10. A card
comes back when it is expected to be recalled with a chance of 90 %. There is no random part: the
same answers at the same times give the same card.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from heapq import nsmallest
from operator import itemgetter
from typing import TYPE_CHECKING, Final, TypeVar

from bot.messages.value import Value

if TYPE_CHECKING:
    import fsrs

Key = TypeVar("Key")

DAY: Final = 86_400.0
RELEARN_SECONDS: Final = DAY / 2
"""Seconds until a missed card comes back: from morning to evening, or to the next day."""
LEECH_LAPSES: Final = 4
"""Wrong answers from which a card is a leech, in the word of Anki's manual: it costs many reviews
and keeps little (https://docs.ankiweb.net/leeches.html)."""
MAX_DAYS: Final = 365
"""Most days between two reviews."""


class Card(Value, frozen=True):
    """The memory of one card; stored as JSON by `encode` of `bot.messages.value`."""

    stability: float
    """Days after `reviewed_at` at which the chance of recall is 90 %."""
    difficulty: float
    """From 1, easy, to 10."""
    reviewed_at: float
    """Unix seconds."""
    due_at: float
    """Unix seconds."""
    reviews: int = 1
    """How often the card was answered."""
    lapses: int = 0
    """How often it was answered wrongly."""


def review(card: Card | None, *, correct: bool, first_try: bool, at: float) -> Card:
    """Return the card after an answer: due within a day if wrong, not before a day if right.

    Args:
        card: None if this is its first answer.
        first_try: the answer was right at once, without a hint; ignored for a wrong answer.
        at: Unix seconds; a time before the last answer counts as that answer's time.
    """
    import fsrs

    rating = fsrs.Rating.Again
    if correct:
        rating = fsrs.Rating.Good if first_try else fsrs.Rating.Hard
    now = datetime.fromtimestamp(at, UTC)
    known = fsrs.Card(card_id=0, due=now)
    if card is not None:
        passed = timedelta(seconds=max(0.0, at - card.reviewed_at))
        known.state = fsrs.State.Review
        known.step = None
        known.stability, known.difficulty = card.stability, card.difficulty
        known.last_review = now - passed
    after, _ = _scheduler().review_card(known, rating, now)
    if after.stability is None or after.difficulty is None:
        raise ValueError("FSRS left a reviewed card without stability or difficulty")
    return Card(
        after.stability,
        after.difficulty,
        at,
        at + ((after.due - now).total_seconds() if correct else RELEARN_SECONDS),
        (card.reviews if card else 0) + 1,
        (card.lapses if card else 0) + (not correct),
    )


def is_due(card: Card, at: float) -> bool:
    """Return whether a card is to be asked at this time; also if it was answered more than a day
    later, by a clock that was set back since, as nobody knows then how long ago that is."""
    return card.due_at <= at or card.reviewed_at > at + DAY


def choose_reviews(cards: Mapping[Key, Card], at: float, limit: int) -> list[Key]:
    """Return the keys of at most `limit` cards that are due at this time, the weakest first.

    If more are due, those that were missed `LEECH_LAPSES` times or more wait, the most often missed
    longest: else a pupil who forgets fast would repeat the same few in vain while all others are
    lost. By the simulation in `bench/learning.py` the same number of reviews then keeps more than a
    ladder does.
    """

    due = [
        (
            card.lapses if card.lapses >= LEECH_LAPSES else 0,
            (card.reviewed_at - at) / card.stability,
            key,
        )
        for key, card in cards.items()
        if is_due(card, at)
    ]
    if len(due) > limit:
        due = nsmallest(limit, due, key=_LAPSES_AND_STRENGTH)
    return [key for _, _, key in sorted(due, key=_STRENGTH)]


_LAPSES_AND_STRENGTH: Final = itemgetter(0, 1)
_STRENGTH: Final = itemgetter(1)
"""A value that falls as the chance of recall does."""


@cache
def _scheduler() -> fsrs.Scheduler:
    """Return the scheduler: in days only, without steps of minutes, and without fuzz, which would
    draw from an unseeded random source."""
    import fsrs

    return fsrs.Scheduler(
        learning_steps=(), relearning_steps=(), maximum_interval=MAX_DAYS, enable_fuzzing=False
    )
