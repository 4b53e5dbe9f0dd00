"""Who may ask now: limits by person and by network, checked before anything is stored."""

from __future__ import annotations

import hashlib
import hmac
import time
from typing import Final

from aiohttp import web

from bot.accounts import ledger
from bot.accounts.people import People
from bot.contracts import Transaction
from bot.errors import AllowanceUsedUp, OutOfCredits
from bot.gateway.parts import Parts
from bot.gateway.turns.opening import Opening, TooFast, check_pace
from bot.messages import Person
from bot.texts import best_language, say
from bot.web.requests import client_address, network

_GUESTS_AT_A_PLACE: Final = 20
"""How many guests' messages come from one network at most: a class, not a flood."""
_LOGINS_AT_A_PLACE: Final = 60
"""Requests a minute for a code or with one, from one network: a class that logs in together."""
_MINUTE: Final = 60.0
_DAY: Final = 24 * 3600.0


class Admission:
    def __init__(self, parts: Parts, people: People) -> None:
        self.opening = Opening(people, parts.settings)
        """Admits the turn of a message in the transaction that stores it."""
        self._parts = parts
        self._people = people

    async def check_pace(self, request: web.Request, person: Person) -> None:
        """Raises `TooFast`: all that a person asks is counted, commands and answers too."""
        limit = 2 * self._parts.settings.rate_limit_per_minute
        count = self._parts.momentary.count
        name = f"account:{person.account}" if person.account is not None else person.address
        fast = await count(f"http:{name}", _MINUTE) > limit
        if person.account is None:  # whoever throws away the cookie is a new guest
            place = self._place(request)
            fast = await count(f"http:{place}", _MINUTE) > _GUESTS_AT_A_PLACE * limit or fast
        if limit and fast:
            raise _too_fast(person.language)

    async def check_login(self, request: web.Request, language: str, number: str = "") -> None:
        """Hold back a network that asks for codes, or guesses at them, in a hurry.

        Args:
            number: the one whose code is typed. Guesses are counted for each number, so that
                whoever hurries keeps no neighbour from logging in.

        Raises:
            TooFast: more than `_LOGINS_AT_A_PLACE` within a minute.
        """
        if not self._parts.settings.rate_limit_per_minute:
            return
        place = self._place(request)
        key = f"login:{place}:{self._hash(number)}" if number else f"login:{place}"
        if await self._parts.momentary.count(key, _MINUTE) > _LOGINS_AT_A_PLACE:
            raise _too_fast(language)

    async def check_means(self, request: web.Request, person: Person) -> None:
        """Say no before a stream begins; the turn itself checks again, in its transaction.

        Raises:
            AllowanceUsedUp, OutOfCredits, TooFast: in the person's language.
        """
        if person.account is None:
            await self._check_guest(person, self._place(request))
            return
        account = person.account

        async def work(tx: Transaction) -> int:
            await check_pace(tx, self._parts.settings, person, "")
            return await ledger.balance_of_snapshot(tx, account)

        if await self._parts.database.read(work) < self._parts.settings.min_turn_credits:
            raise OutOfCredits(
                say(person.language, "You have no credits left. Send /buy to get more.")
            )

    async def _check_guest(self, person: Person, place: str) -> None:
        left = await self._people.guest_messages_left(person.channel, person.address)
        if left > 0:
            most = _GUESTS_AT_A_PLACE * self._parts.settings.guest_daily_messages
            left = most + 1 - await self._parts.momentary.count(f"guests:{place}", _DAY)
        if left <= 0:
            raise AllowanceUsedUp(
                say(
                    best_language(person.language),
                    "Today's free messages are used up. Log in with /login, or come back tomorrow.",
                ),
                after=_DAY - time.time() % _DAY,  # days are counted in UTC
            )

    def _place(self, request: web.Request) -> str:
        """The network that asks, as a hash: addresses are kept nowhere."""
        return self._hash(network(client_address(request, self._parts.settings)))

    def _hash(self, text: str) -> str:
        key = self._parts.settings.secret_key.encode()
        return hmac.new(key, f"place:{text}".encode(), hashlib.sha256).hexdigest()[:24]


def _too_fast(language: str) -> TooFast:
    words = say(best_language(language), "That is very fast. Please wait a minute, then go on.")
    return TooFast(words, aloud=True)
