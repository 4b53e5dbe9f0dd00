"""Purchases, those that need a look first of all, and whether the books sum up."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Final, get_args

from aiohttp import web

from bot.accounts import ledger
from bot.accounts.sales import Sale, Show, count_sales, list_sales
from bot.contracts import Clock, Database
from bot.errors import BadRequest
from bot.web.operator.desk import Desk, answer_page
from bot.web.operator.door import PATH
from bot.web.operator.view import (
    PAGE,
    View,
    badge,
    choices,
    link,
    mask_all,
    pager,
    row,
    rows,
    section,
    show,
)

_MISMATCHES: Final = 50
_FRESH: Final = 60.0


class MoneyPages:
    def __init__(self, desk: Desk, database: Database, clock: Clock = time.time) -> None:
        self._desk = desk
        self._database = database
        self._clock = clock
        self._added_at = 0.0
        self._totals = (0, 0)

    def routes(self) -> list[web.RouteDef]:
        return [web.get(f"{PATH}/money", self._desk.page(self.listing))]

    async def listing(self, request: web.Request, view: View) -> web.Response:
        shown, before = _read_show(request), _read_before(request)
        counts = await count_sales(self._database)
        sales = await list_sales(self._database, show=shown, before=before, limit=PAGE + 1)
        last = sales[PAGE - 1] if len(sales) > PAGE else None
        older = {"before": f"{last.created_at!r}.{last.id}"} if last else None
        query = {"show": shown}
        listed = (
            f"{choices(view.phrase('State'), '/money', 'show', _offer(view, counts), query)}"
            f"{rows(view, [_write_line(view, sale) for sale in sales[:PAGE]])}"
            f"{pager(view, '/money', query, older, is_first=before is None)}"
        )
        head = view.phrase("Money")
        sales_part = section("sales", view.phrase("Purchases"), listed)
        books = await self._write_books(view, is_full=request.query.get("check") == "1")
        main = f"<h1>{head}</h1>{books}{sales_part}"
        return answer_page(view, head, main, here="/money")

    async def _write_books(self, view: View, *, is_full: bool) -> str:
        """Both sums; each account by itself only when asked for, as it takes longer."""
        entries, balances = await self._add_up(anew=is_full)
        if entries == balances:
            verdict = badge("done", view.phrase("The books sum up"))
        else:
            verdict = badge("dead", view.phrase("The books do not sum up"))
        words = view.phrase(
            "Sum of all entries: {entries}. Sum of all balances: {balances}.",
            entries=view.plain_number(entries),
            balances=view.plain_number(balances),
        )
        more = await self._write_check(view) if is_full else ""
        again = link("/money", view.phrase("Check each account"), {"check": 1})
        return section(
            "books", view.phrase("Credits"), f"<p>{verdict} {words}</p>{more}<p>{again}</p>"
        )

    async def _add_up(self, *, anew: bool) -> tuple[int, int]:
        """As of now, or of the last minute: it goes through whole tables."""
        if anew or self._clock() - self._added_at > _FRESH:
            self._totals = await ledger.totals(self._database)
            self._added_at = self._clock()
        return self._totals

    async def _write_check(self, view: View) -> str:
        wrong = await ledger.check(self._database)
        if not wrong:
            words = view.phrase("Every balance is the sum of its entries.")
            return f'<p class="told" role="status">{words}</p>'
        lines = [
            row(
                link(f"/people/{each.account}", view.phrase("Account {id}", id=each.account)),
                view.phrase("balance {number}", number=each.balance),
                view.phrase("sum of entries {number}", number=each.total),
            )
            for each in wrong[:_MISMATCHES]
        ]
        return rows(view, lines)


def _read_show(request: web.Request) -> Show:
    given = request.query.get("show", "")
    for known in get_args(Show):
        if given == known:
            return known
    raise BadRequest("There is no such state.")


def _read_before(request: web.Request) -> tuple[float, str] | None:
    """When a purchase was made, and its id."""
    given = request.query.get("before", "")
    if not given:
        return None
    at, _, order = given.rpartition(".")
    try:
        return float(at), order
    except ValueError:
        raise BadRequest("The address of this page is not right.") from None


def _offer(view: View, counts: Mapping[str, int]) -> list[tuple[str, str]]:
    """The states, each with how many of the last 30 days are in it."""
    offered = [("", view.phrase("All"))]
    for state in get_args(Show)[1:]:
        number = f" <b>{view.number(counts.get(state, 0))}</b>"
        offered.append((state, _word(view, state) + number))
    return offered


def _word(view: View, state: str) -> str:
    words = {
        "look": view.phrase("to look at"),
        "open": view.phrase("open"),
        "paid": view.phrase("paid"),
        "failed": view.phrase("failed"),
        "expired": view.phrase("expired"),
        "refunded": view.phrase("given back"),
    }
    return words.get(state, show(state))


def _write_line(view: View, sale: Sale) -> str:
    look = badge("look", view.phrase("to look at")) if sale.needs_look else ""
    reason = f'<p class="error">{mask_all(sale.reason)}</p>' if sale.reason else ""
    asked = view.phrase_count("asked for {number} time", "asked for {number} times", sale.asked)
    return row(
        f"<code>{show(sale.id)}</code> {badge(sale.state, _word(view, sale.state))} {look}",
        view.moment(sale.created_at),
        link(f"/people/{sale.account}", view.phrase("Account {id}", id=sale.account)),
        show(f"{sale.amount} {sale.currency}"),
        view.phrase_count("{number} credit", "{number} credits", sale.credits),
        show(sale.provider),
        asked if sale.asked else "",
        more=reason,
    )
