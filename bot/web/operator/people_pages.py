"""Pages of people: find them by number or id, show their accounts, and grant credits."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Final

from aiohttp import web

from bot.accounts import ledger
from bot.accounts.account_admin import grant_credits, list_accounts
from bot.accounts.people import People
from bot.accounts.phone_numbers import InvalidNumber, mask
from bot.contracts.storage import MAX_BIGINT, Database, parse_whole_number
from bot.errors import BadRequest, NotFound
from bot.messages.channels import WEB, Channel
from bot.web.operator.operator_auth import PATH
from bot.web.operator.page_frame import (
    PAGE,
    PageFrame,
    View,
    answer_page,
    log_action,
    make_list_page,
    read_number,
    redirect_to,
)

MOST_CREDITS: Final = 1_000_000
"""The most credits that one form grants."""


class PeoplePages:
    def __init__(self, frame: PageFrame, database: Database, people: People) -> None:
        self._frame = frame
        self._database = database
        self._people = people

    def routes(self) -> list[web.RouteDef]:
        one = f"{PATH}/people/{{account:[0-9]{{1,18}}}}"
        return [
            web.get(f"{PATH}/people", self._frame.show_page(self.listing)),
            web.post(f"{PATH}/people/find", self._frame.handle_form(self.find)),
            web.get(one, self._frame.show_page(self.one)),
            web.post(f"{one}/grant", self._frame.handle_form(self.grant)),
        ]

    async def listing(self, request: web.Request, view: View) -> web.Response:
        before = read_number(request, "before", MAX_BIGINT)
        found = await list_accounts(self._database, before=before, limit=PAGE + 1)
        people = make_list_page(request, found, lambda account: account.id)
        return await answer_page(view, "people.html", people=people, mask=mask)

    async def find(self, _: web.Request, __: View, fields: Mapping[str, str]) -> web.Response:
        """Redirect to the account. By POST, so that no number appears in logs of addresses."""
        wanted = fields.get("wanted", "").strip()[:40]
        try:
            account = await self._people.find(wanted)
        except InvalidNumber:
            raise NotFound("Nobody has this number.") from None
        return redirect_to(f"/people/{account.id}")

    async def one(self, request: web.Request, view: View) -> web.Response:
        account = await self._people.find(request.match_info["account"])
        has_number = request.query.get("number") == "1"
        if has_number:
            log_action(view, "read_number", account=account.id)
        known = await self._people.list_addresses(account.id)
        _, entries = await ledger.entries(self._database, account.id, newest=PAGE)
        return await answer_page(
            view,
            "account.html",
            account=account,
            identities=[
                (each.channel, _mask_address(each.channel, each.address)) for each in known
            ],
            entries=entries[::-1],
            has_number=has_number,
            mask=mask,
            most_credits=MOST_CREDITS,
            once=secrets.token_hex(12),
            outcome=request.query.get("told", ""),
        )

    async def grant(
        self, request: web.Request, view: View, fields: Mapping[str, str]
    ) -> web.Response:
        """Grant credits to an account that is in use; the same form sent twice grants them once."""
        amount = parse_whole_number(fields.get("amount", ""), MOST_CREDITS)
        once = fields.get("once", "")
        if not amount:
            raise BadRequest("Not a number of credits.")
        account = await self._people.find(request.match_info["account"])
        if account.erased or not 8 <= len(once) <= 64:
            raise NotFound("Nobody has this account.")
        given, balance = await grant_credits(
            self._database, self._people, account.id, amount, key=f"grant:operator:{once}"
        )
        if given:
            log_action(view, "granted", account=account.id, amount=amount, balance=balance)
        return redirect_to(f"/people/{account.id}?told={'granted' if given else 'before'}")


def _mask_address(channel: Channel, name: str) -> str:
    """Return an address with a number masked; empty for web sessions, which are not told apart."""
    if channel == WEB:
        return ""
    return mask(name) if name.startswith("+") else name
