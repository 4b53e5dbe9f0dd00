"""`GET /api/v1/me`: who the bearer of the token is."""

from __future__ import annotations

import msgspec
from aiohttp import web

from bot.accounts.people import People
from bot.messages import Channel, Mode
from bot.web.errors import Unauthorized
from bot.web.requests import json_response, signed_in


class ShownIdentity(msgspec.Struct, frozen=True):
    channel: Channel
    address: str


class ShownPerson(msgspec.Struct, frozen=True):
    person_id: int
    name: str
    mode: Mode
    language: str
    grade: str
    balance: int
    """Credits."""
    identities: list[ShownIdentity]


class Me:
    def __init__(self, people: People) -> None:
        self._people = people

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/api/v1/me", self.me)]

    async def me(self, request: web.Request) -> web.Response:
        person = await signed_in(request, self._people)
        if person is None:
            raise Unauthorized("Send a bearer token to see whose it is.")
        account = await self._people.find(str(person.account))
        identities = await self._people.identities(account.id)
        shown = [ShownIdentity(channel, _shown(address)) for channel, address in identities]
        return json_response(
            ShownPerson(
                account.id,
                account.name,
                account.mode,
                account.language,
                account.grade,
                account.balance,
                shown,
            )
        )


def _shown(address: str) -> str:
    """A web session is known by a hash of its token, which is nobody's business."""
    return "session" if address.startswith("token:") else address
