"""The page of money: the monthly cost of a learner, purchases, and whether the ledger adds up."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final, get_args

from aiohttp import web

from bot.accounts import ledger
from bot.billing.purchases import Sale, Show, count_sales, list_sales
from bot.contracts.storage import Database
from bot.errors import BadRequest
from bot.gateway.scheduler.hourly_stats import MonthlyCosts, read_monthly_costs
from bot.messages.channels import CHANNELS, PAID_CHANNELS
from bot.web.operator.operator_auth import PATH
from bot.web.operator.page_frame import PAGE, PageFrame, View, answer_page, make_list_page

_MISMATCHES: Final = 50
_FRESH: Final = 60.0
_MONTHS: Final = 3


class MoneyPages:
    def __init__(self, frame: PageFrame, database: Database) -> None:
        self._frame = frame
        self._database = database
        self._added_at = 0.0
        self._totals = (0, 0)
        self._months: Sequence[MonthlyCosts] = ()
        self._months_at = 0.0

    def routes(self) -> list[web.RouteDef]:
        return [web.get(f"{PATH}/money", self._frame.show_page(self.listing))]

    async def listing(self, request: web.Request, view: View) -> web.Response:
        """Show both sums and the purchases; check each account only if asked to, as that takes
        longer."""
        shown, before = _read_filter(request), _read_before(request)
        is_checked = request.query.get("check") == "1"
        counts = await count_sales(self._database)
        sales = await list_sales(self._database, show=shown, before=before, limit=PAGE + 1)
        entries, balances = await self._sum_up(is_fresh=is_checked)
        mismatches = await ledger.check(self._database) if is_checked else []
        return await answer_page(
            view,
            "money.html",
            sales=make_list_page(request, sales, _make_key, {"show": shown}),
            states=get_args(Show)[1:],
            counts=counts,
            entries=entries,
            balances=balances,
            is_checked=is_checked,
            mismatches=mismatches[:_MISMATCHES],
            months=await self._read_months(),
            channels=[(name, CHANNELS[name].display_name) for name in PAID_CHANNELS],
        )

    async def _read_months(self) -> Sequence[MonthlyCosts]:
        """Return the costs of the last months; they may be a minute old."""
        now = time.time()
        if now - self._months_at > _FRESH:
            self._months = await self._database.read(
                lambda tx: read_monthly_costs(tx, now, _MONTHS)
            )
            self._months_at = now
        return self._months

    async def _sum_up(self, *, is_fresh: bool) -> tuple[int, int]:
        """Return the sums of all entries and of all balances; they may be a minute old, because
        summing reads whole tables."""
        if is_fresh or time.time() - self._added_at > _FRESH:
            self._totals = await ledger.totals(self._database)
            self._added_at = time.time()
        return self._totals


def _read_filter(request: web.Request) -> Show:
    given = request.query.get("show", "")
    for known in get_args(Show):
        if given == known:
            return known
    raise BadRequest("There is no such state.")


def _read_before(request: web.Request) -> tuple[float, str] | None:
    """Return the time and the id of the purchase in `before`; None: there is none."""
    given = request.query.get("before", "")
    if not given:
        return None
    at, _, order = given.rpartition(".")
    try:
        return float(at), order
    except ValueError:
        raise BadRequest("The address of this page is not right.") from None


def _make_key(sale: Sale) -> str:
    return f"{sale.created_at!r}.{sale.id}"
