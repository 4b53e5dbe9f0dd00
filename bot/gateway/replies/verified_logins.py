"""`/login` and a typed code, where a service makes the codes: it is asked between transactions."""

from __future__ import annotations

from dataclasses import dataclass, field

from bot.accounts.codes import Asker, Codes, Issued
from bot.contracts import Database, Transaction
from bot.errors import PersonError
from bot.gateway.joining import Joining
from bot.gateway.proving import NoAnswer, Proving
from bot.gateway.receiving.expectations import expect
from bot.gateway.replies.logins import Logins, tell_sent
from bot.gateway.replies.response import Request, Respond, Response
from bot.messages import Channel, Person, Say, Update


@dataclass(slots=True)
class _Outbound:
    """Notes what is to be sent once its transaction is over."""

    wanted: list[tuple[str, Issued]] = field(default_factory=list[tuple[str, Issued]])

    async def send(
        self,
        tx: Transaction,  # noqa: ARG002 (the contract's)
        number: str,
        issued: Issued,
        language: str,  # noqa: ARG002
    ) -> Channel | None:
        self.wanted.append((number, issued))
        return "whatsapp"


class VerifiedLogins:
    """Two errands; see `response.Errand`."""

    def __init__(
        self, database: Database, codes: Codes, joining: Joining, proving: Proving
    ) -> None:
        self._database = database
        self._codes = codes
        self._joining = joining
        self._proving = proving
        self._logins = Logins(codes, _Outbound(), joining)

    async def begin(self, person: Person, update: Update, argument: str) -> Response | Respond:
        """`/login`, with the number or before it."""
        outbound = _Outbound()
        logins = Logins(self._codes, outbound, self._joining)

        async def plan(tx: Transaction) -> Response:
            outbound.wanted.clear()
            return await logins.begin(Request(tx, person, update, 0, argument))

        response = await self._database.write(plan)
        if not outbound.wanted:
            return response
        [(number, issued)] = outbound.wanted
        try:
            way = await self._proving.send(number, issued, person.language)
        except PersonError as error:
            return _await_nothing(str(error))
        return lambda request: tell_sent(request, number, way)

    async def prove(self, person: Person, update: Update, sealed: str) -> Response | Respond:
        """A code was typed."""
        asker = Asker(update.channel, update.sender.address, person.language)
        tried = await self._database.write(lambda tx: self._codes.take_tries(tx, asker))
        try:
            proven = await self._proving.prove(tried, sealed, person.language)
        except NoAnswer as error:
            return Response((Say(str(error)),))

        async def respond(request: Request) -> Response:
            await self._codes.use(request.tx, proven, asker)
            return await self._logins.let_in(request, proven)

        return respond


def _await_nothing(words: str) -> Respond:
    async def respond(request: Request) -> Response:
        await expect(request.tx, request.update.lane, "")
        return Response((Say(words),))

    return respond
