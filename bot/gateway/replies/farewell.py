"""`/delete`: what will be lost is said first; `/delete confirm` then erases the person."""

from __future__ import annotations

from bot.accounts import ledger
from bot.contracts import Database, Transaction
from bot.gateway.erasure import Erasure
from bot.gateway.receiving import arguments
from bot.gateway.remains import says_farewell
from bot.gateway.replies.response import Response
from bot.messages import Person, Say, Update
from bot.storage.buttons import is_offered, offer_commands
from bot.texts import fold, say, say_count

CONFIRM = "/delete confirm"
TTL = 24 * 3600.0
"""Seconds for which a `/delete` can be confirmed."""


class Farewell:
    """The errand of `/delete`."""

    def __init__(self, database: Database, erasure: Erasure) -> None:
        self._database = database
        self._erasure = erasure

    async def __call__(self, person: Person, update: Update, argument: str) -> Response:
        """Ask, or erase. Who has not been asked on this channel is asked first, whatever they have
        confirmed. Run again after a crash, it erases again and says the same."""
        language = person.language
        if update.group:
            return Response((Say(say(language, "This is between us: write to me in private.")),))
        if fold(argument) not in arguments.CONFIRM:
            return await self._ask(person, update)
        if not await self._database.read(lambda tx: _is_confirmed(tx, update)):
            return await self._ask(person, update)
        await self._erasure.erase(person, update)
        words = say(
            language,
            "It is done: I have erased all I had of you. Should you write to me again, we begin "
            "anew. Farewell!",
        )
        return Response((Say(words),), stop=True)

    async def _ask(self, person: Person, update: Update) -> Response:
        language, address = person.language, update.sender.address
        choice = (say(language, "Erase everything"), CONFIRM)

        async def work(tx: Transaction) -> Response:
            buttons = await offer_commands(tx, update.lane, address, [choice], TTL)
            return Response((Say(await _warning(tx, person), buttons),))

        return await self._database.write(work)


async def _is_confirmed(tx: Transaction, update: Update) -> bool:
    """Whether they were asked, also in another session, or were erased by this very update."""
    if await is_offered(tx, update.channel, update.sender.address, CONFIRM):
        return True
    return await says_farewell(tx, update.lane, update.delivery_key)


async def _warning(tx: Transaction, person: Person) -> str:
    language = person.language
    if person.account is None:
        return say(
            language,
            "This erases our conversation for good. To go on, send /delete confirm.",
        )
    words = say(
        language,
        "This erases everything for good: conversations, files, tasks, results, and what I "
        "remember. /export gives you a copy.",
    )
    how = say(language, "To go on, send /delete confirm.")
    balance = await ledger.balance_of_snapshot(tx, person.account)
    if not balance:
        return f"{words}\n\n{how}"
    lost = say_count(
        language,
        "You lose your {number} credit too.",
        "You lose your {number} credits too.",
        balance,
    )
    return f"{words} {lost}\n\n{how}"
