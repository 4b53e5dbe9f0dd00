"""Choose the next exercise of a review: the weakest due card, up to a daily limit."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, time, timedelta

from msgspec.structs import replace as replace_fields

from bot.contracts.storage import Transaction
from bot.i18n import find_zone
from bot.learning.new_exercise import Body, NewExercise, exercise_of_item
from bot.learning.reviews.cards import CardItem, choose_cards, read_clock
from bot.messages.incoming import Person
from bot.messages.value import decode
from bot.practice.catalogue import find_generator
from bot.practice.generator import seed_of


async def draw_review(
    tx: Transaction, person: Person, lane: str, *, seed: str, a_day: int
) -> NewExercise | None:
    """Return the exercise that reviews the weakest due card; None: no card is due, or the day's
    reviews are used up.

    Args:
        lane: the conversation, which owns the cards of a guest.
        seed: draws the instance of a generated item; the same seed gives the same one until it is
            answered.
        a_day: most reviews a day, in the person's time zone.
    """
    account = person.account or 0
    left = a_day - await count_reviewed_today(tx, person, lane)
    chosen = await choose_cards(tx, account, lane, left)
    if not chosen:
        return None
    return _ask_again(chosen[0], seed, person.language, left_after=len(chosen) - 1)


async def count_reviewed_today(tx: Transaction, person: Person, lane: str) -> int:
    """Return how many reviews the person has answered on this day in their time zone.

    Answers of later days, from before the clock was set back, are not counted.
    """
    now = datetime.fromtimestamp(await read_clock(tx), find_zone(person.timezone))
    midnight, end = (
        datetime.combine(day, time(), tzinfo=now.tzinfo).timestamp()
        for day in (now.date(), now.date() + timedelta(days=1))
    )
    sql = _REVIEWED if person.account else _REVIEWED_BY_GUEST
    owner = {"account": person.account} if person.account else {"lane": lane}
    row = await tx.fetch_one(sql, since=midnight, end=end, **owner)
    return row["number"] if row else 0


def _ask_again(card: CardItem, seed: str, language: str, *, left_after: int) -> NewExercise:
    """Return another instance if the card's generator exists, else the same exercise."""
    generator = find_generator(card.key)
    if generator is not None:
        text = f"{seed}/{card.key}/{card.reviews}"
        number = seed_of(text)
        item = generator.make(number, difficulty=card.level, language=language)
        asked = exercise_of_item(item, left_after=left_after)
    else:
        body = decode(card.body, Body)
        asked = NewExercise(card.kind, card.statement, body, card.skill, card.level, left_after)
    reviews = card.reviews or 0
    body = replace_fields(asked.body, source="review", card=card.key, reviews=reviews)
    return replace(asked, body=body)


_REVIEWED = """
SELECT count(*) AS number FROM result
WHERE account = :account AND at >= :since AND at < :end AND source = 'review'
"""

_REVIEWED_BY_GUEST = """
SELECT count(*) AS number FROM exercise JOIN result ON result.key = 'held:' || exercise.id
WHERE exercise.lane = :lane AND exercise.account = 0 AND exercise.state IN ('right', 'shown')
    AND result.source = 'review' AND result.at >= :since
    AND result.at < :end
"""
