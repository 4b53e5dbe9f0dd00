"""Check limits by person and by network, before anything is stored."""

from __future__ import annotations

import hashlib
import hmac
import time
from typing import Final

from aiohttp import web

from bot.accounts import ledger
from bot.accounts.people import People
from bot.contracts.storage import Transaction
from bot.errors import AllowanceUsedUp, OutOfCredits
from bot.gateway.context import GatewayContext
from bot.gateway.inbound.command_parser import parse_command
from bot.gateway.inbound.inbox import Admit
from bot.gateway.turns.admission import (
    TooFast,
    TurnAdmission,
    check_pace,
    explain_allowance,
    explain_no_credits,
    explain_pace,
)
from bot.i18n import best_language
from bot.messages.channels import WEB
from bot.messages.incoming import Decided, Person, Said
from bot.web.requests import client_address, network

_GUESTS_OF_A_NETWORK: Final = 20
"""The most guests' messages of one network, in multiples of one guest's limit: enough for a
class."""
_NETWORKS_OF_A_SITE: Final = 10
"""The most guests' messages of a /48 of IPv6, in multiples of those of a network. It holds 65,536
of them, and costs nothing to get."""
_LOGINS_OF_A_NETWORK: Final = 60
"""The most requests a minute for a code or with one from one network: enough for a class."""
_MINUTE: Final = 60.0
_DAY: Final = 24 * 3600.0


class RateLimits:
    def __init__(self, parts: GatewayContext, people: People) -> None:
        self._admission = TurnAdmission(people, parts.settings, parts.sells)
        self._parts = parts
        self._people = people

    async def check_pace(
        self, request: web.Request, person: Person, *, is_stop: bool = False
    ) -> None:
        """Count a request of the person, commands and answers too. Raises `TooFast`.

        Args:
            is_stop: it is `/stop`. These are counted by themselves: who has sent too much may still
                end what it costs.
        """
        kind = "stop" if is_stop else "http"
        limit = 2 * self._parts.settings.rate_limit_per_minute
        count = self._parts.momentary.count
        name = f"account:{person.account}" if person.account is not None else person.address
        fast = await count(f"{kind}:{name}", _MINUTE) > limit
        if person.account is None:  # without the cookie they would count as a new guest
            origin = self._hash_network(request)
            fast = await count(f"{kind}:{origin}", _MINUTE) > _GUESTS_OF_A_NETWORK * limit or fast
        if limit and fast:
            raise TooFast(explain_pace(best_language(person.language)), aloud=True)

    async def check_login(self, request: web.Request, language: str, number: str = "") -> None:
        """Limit how fast a network asks for codes, or guesses at them.

        Args:
            number: the number whose code is typed. Guesses are counted for each number, so that
                a person who guesses keeps no other of the network from logging in.

        Raises:
            TooFast: more than `_LOGINS_OF_A_NETWORK` within a minute.
        """
        if not self._parts.settings.rate_limit_per_minute:
            return
        origin = self._hash_network(request)
        key = f"login:{origin}:{self._hash(number)}" if number else f"login:{origin}"
        if await self._parts.momentary.count(key, _MINUTE) > _LOGINS_OF_A_NETWORK:
            raise TooFast(explain_pace(best_language(language)), aloud=True)

    async def admit_message(
        self, request: web.Request, person: Person, content: Said | Decided, *, has_files: bool
    ) -> Admit | None:
        """Check a message before its stream begins; return what admits its turn. None, unchecked,
        for a command or a decision, which costs nothing.

        Raises:
            AllowanceUsedUp, OutOfCredits, TooFast: in the person's language.
        """
        if not isinstance(content, Said) or not (has_files or parse_command(WEB, content) is None):
            return None
        await self._check_balance(request, person)
        return self._admission.admit

    async def _check_balance(self, request: web.Request, person: Person) -> None:
        """Refuse a message before its stream begins; the turn checks again, in its transaction.

        Raises:
            AllowanceUsedUp, OutOfCredits, TooFast: in the person's language.
        """
        if person.account is None:
            await self._check_guest(person, client_address(request, self._parts.settings))
            return
        account = person.account

        async def work(tx: Transaction) -> int:
            await check_pace(tx, self._parts.settings, person, "")
            return await ledger.balance_of_snapshot(tx, account)

        if await self._parts.database.read(work) < self._parts.settings.min_turn_credits:
            can_buy = self._parts.sells(person, f"{person.channel}:{person.address}")
            words = explain_no_credits(person, can_buy=can_buy)
            raise OutOfCredits(words, can_buy=can_buy)

    async def _check_guest(self, person: Person, address: str) -> None:
        left = await self._people.guest_messages_left(person.channel, person.address)
        most = _GUESTS_OF_A_NETWORK * self._parts.settings.guest_daily_messages
        narrow, wide = network(address), network(address, 48)
        for place in dict.fromkeys((narrow, wide)):
            if left <= 0:  # refused already: not counted for the others of the /48
                break
            count = await self._parts.momentary.count(f"guests:{self._hash(place)}", _DAY)
            limit = most if place == narrow else most * _NETWORKS_OF_A_SITE
            left = min(left, limit + 1 - count)
        if left <= 0:
            raise AllowanceUsedUp(
                explain_allowance(best_language(person.language), self._parts.settings),
                after=_DAY - time.time() % _DAY,  # days are counted in UTC
            )

    def _hash_network(self, request: web.Request) -> str:
        """Return a hash of the client's network, as addresses are not stored."""
        return self._hash(network(client_address(request, self._parts.settings)))

    def _hash(self, text: str) -> str:
        key = self._parts.settings.secret_key.encode()
        return hmac.new(key, f"origin:{text}".encode(), hashlib.sha256).hexdigest()[:24]
