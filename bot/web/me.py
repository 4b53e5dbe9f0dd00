"""`GET /api/v1/me`: who the bearer of the token is."""

from __future__ import annotations

from aiohttp import web

from bot.accounts.people import People
from bot.web.requests import Unauthorized, json_response, signed_in


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
        return json_response(
            {
                "person_id": account.id,
                "name": account.name,
                "mode": account.mode,
                "language": account.language,
                "grade": account.grade,
                "balance": account.balance,
                "identities": [
                    {"channel": channel, "address": _shown(address)}
                    for channel, address in identities
                ],
            }
        )


def _shown(address: str) -> str:
    """A web session is known by a hash of its token, which is nobody's business."""
    return "session" if address.startswith("token:") else address
