"""What a command lists of a person's own: facts. For a guest there is nothing."""

from __future__ import annotations

from bot.contracts import Transaction
from bot.errors import NotFound
from bot.gateway.receiving.arguments import FORGET
from bot.library.memory import forget_fact, list_facts
from bot.messages import Person
from bot.texts import fold, say


async def tell_memory(tx: Transaction, account: int, person: Person, argument: str) -> str:
    """`/memory` lists the facts that are remembered, `/memory forget N` forgets one."""
    language = person.language
    if argument:
        found = FORGET.fullmatch(fold(argument))
        try:
            fact = await forget_fact(tx, account, int(found["number"]) if found else 0)
        except NotFound:
            return say(language, "Send /memory to see the numbers, then /memory forget 2.")
        return say(language, "Forgotten: {fact}", fact=fact)
    facts = await list_facts(tx, account)
    if not facts:
        return say(language, "I remember nothing about you yet. Tell me what I should remember.")
    lines = [f"{number}. {fact}" for number, fact in facts]
    head = say(language, "What I remember of you (/memory forget N forgets one):")
    return "\n".join([head, "", *lines])
