"""What a command lists of a person's own: facts. For a guest there is nothing."""

from __future__ import annotations

from bot.contracts import Transaction
from bot.errors import NotFound
from bot.library.memory import forget_fact, list_facts
from bot.messages import Person
from bot.texts import say

_FORGET = ("forget", "oublier", "oublie")


async def tell_memory(tx: Transaction, account: int, person: Person, argument: str) -> str:
    """`/memory` lists the facts that are remembered, `/memory forget N` forgets one."""
    language = person.language
    if argument:
        number = _number_after(argument, _FORGET)
        try:
            fact = await forget_fact(tx, account, number)
        except NotFound:
            return say(language, "Send /memory to see the numbers, then /memory forget 2.")
        return say(language, "Forgotten: {fact}", fact=fact)
    facts = await list_facts(tx, account)
    if not facts:
        return say(language, "I remember nothing about you yet. Tell me what I should remember.")
    lines = [f"{number}. {fact}" for number, fact in facts]
    head = say(language, "What I remember of you (/memory forget N forgets one):")
    return "\n".join([head, "", *lines])


def _number_after(argument: str, words: tuple[str, ...]) -> int:
    """The number after one of these words; 0 if it is not there."""
    word, _, number = argument.casefold().partition(" ")
    known = word in words and number.strip().isascii() and number.strip().isdigit()
    return int(number) if known and len(number) < 10 else 0
