"""A letter or a word that decides on what waits for consent: elsewhere there are buttons for it."""

from __future__ import annotations

import msgspec

from bot.accounts.approvals import CHOICES, Choice, find_pending, labels_of
from bot.contracts import Database
from bot.gateway.receiving.questions import Question, read_answer
from bot.messages import Button, Decided, Person, Said


async def read_decision(
    database: Database, person: Person, lane: str, said: Said
) -> Said | Decided:
    """The decision that the words mean; the words, if nothing waits or they mean none."""
    waiting = await database.read(lambda tx: find_pending(tx, lane))
    if waiting is None:
        return said
    approval, kind = waiting
    labels = labels_of(kind, person.language, person.channel)
    offered: dict[str, Choice] = {f"{number}": choice for number, choice in enumerate(CHOICES)}
    buttons = tuple(Button(labels[choice], token) for token, choice in offered.items())
    question = msgspec.json.encode(Question(buttons, numbered=False)).decode()
    choice = offered.get(read_answer(said, question))
    return said if choice is None else Decided(approval, choice)
