"""Purchases, those to look at first of all, and whether the ledger sums up."""

from __future__ import annotations

import time
from typing import Final, get_args

from aiohttp import web

from bot.accounts import ledger
from bot.billing.purchases import Sale, Show, count_sales, list_sales
from bot.contracts.storage import Clock, Database
from bot.errors import BadRequest
from bot.web.operator.operator_auth import PATH
from bot.web.operator.page_frame import (
    PAGE,
    PageFrame,
    View,
    answer_page,
    escape_text,
    mask_text,
    write_badge,
    write_choices,
    write_link,
    write_pager,
    write_row,
    write_rows,
    write_section,
)

_MISMATCHES: Final = 50
_FRESH: Final = 60.0


class MoneyPages:
    def __init__(self, frame: PageFrame, database: Database, clock: Clock = time.time) -> None:
        self._frame = frame
        self._database = database
        self._clock = clock
        self._added_at = 0.0
        self._totals = (0, 0)

    def routes(self) -> list[web.RouteDef]:
        return [web.get(f"{PATH}/money", self._frame.show_page(self.listing))]

    async def listing(self, request: web.Request, view: View) -> web.Response:
        shown, before = _read_filter(request), _read_before(request)
        counts = await count_sales(self._database)
        sales = await list_sales(self._database, show=shown, before=before, limit=PAGE + 1)
        last = sales[PAGE - 1] if len(sales) > PAGE else None
        older = {"before": f"{last.created_at!r}.{last.id}"} if last else None
        query = {"show": shown}
        offered = [("", view.phrase("All"))]
        for state in get_args(Show)[1:]:
            number = f" <b>{view.number(counts.get(state, 0))}</b>"
            offered.append((state, _name_state(view, state) + number))
        listed = (
            f"{write_choices(view.phrase('State'), '/money', 'show', offered, query)}"
            f"{write_rows(view, [_write_line(view, sale) for sale in sales[:PAGE]])}"
            f"{write_pager(view, '/money', query, older, is_first=before is None)}"
        )
        head = view.phrase("Money")
        sales_part = write_section("sales", view.phrase("Purchases"), listed)
        books = await self._write_books(view, is_full=request.query.get("check") == "1")
        main = f"<h1>{head}</h1>{books}{sales_part}"
        return answer_page(view, head, main, here="/money")

    async def _write_books(self, view: View, *, is_full: bool) -> str:
        """Write both sums; each account by itself only when asked for, as it takes longer."""
        # Summing reads whole tables: the sums may be a minute old.
        if is_full or self._clock() - self._added_at > _FRESH:
            self._totals = await ledger.totals(self._database)
            self._added_at = self._clock()
        entries, balances = self._totals
        if entries == balances:
            verdict = write_badge("done", view.phrase("The books sum up"))
        else:
            verdict = write_badge("dead", view.phrase("The books do not sum up"))
        words = view.phrase(
            "Sum of all entries: {entries}. Sum of all balances: {balances}.",
            entries=view.plain_number(entries),
            balances=view.plain_number(balances),
        )
        more = await self._write_check(view) if is_full else ""
        again = write_link("/money", view.phrase("Check each account"), {"check": 1})
        return write_section(
            "books", view.phrase("Credits"), f"<p>{verdict} {words}</p>{more}<p>{again}</p>"
        )

    async def _write_check(self, view: View) -> str:
        wrong = await ledger.check(self._database)
        if not wrong:
            words = view.phrase("Every balance is the sum of its entries.")
            return f'<p class="told" role="status">{words}</p>'
        lines = [
            write_row(
                write_link(f"/people/{each.account}", view.phrase("Account {id}", id=each.account)),
                view.phrase("balance {number}", number=each.balance),
                view.phrase("sum of entries {number}", number=each.total),
            )
            for each in wrong[:_MISMATCHES]
        ]
        return write_rows(view, lines)


def _read_filter(request: web.Request) -> Show:
    given = request.query.get("show", "")
    for known in get_args(Show):
        if given == known:
            return known
    raise BadRequest("There is no such state.")


def _read_before(request: web.Request) -> tuple[float, str] | None:
    """Return when a purchase was made, and its id."""
    given = request.query.get("before", "")
    if not given:
        return None
    at, _, order = given.rpartition(".")
    try:
        return float(at), order
    except ValueError:
        raise BadRequest("The address of this page is not right.") from None


def _name_state(view: View, state: str) -> str:
    words = {
        "look": view.phrase("to look at"),
        "open": view.phrase("open"),
        "paid": view.phrase("paid"),
        "failed": view.phrase("failed"),
        "expired": view.phrase("expired"),
        "refunded": view.phrase("given back"),
    }
    return words.get(state, escape_text(state))


def _write_line(view: View, sale: Sale) -> str:
    look = write_badge("look", view.phrase("to look at")) if sale.needs_look else ""
    reason = f'<p class="error">{mask_text(sale.reason)}</p>' if sale.reason else ""
    asked = view.phrase_count("asked for {number} time", "asked for {number} times", sale.asked)
    state = write_badge(sale.state, _name_state(view, sale.state))
    return write_row(
        f"<code>{escape_text(sale.id)}</code> {state} {look}",
        view.moment(sale.created_at),
        write_link(f"/people/{sale.account}", view.phrase("Account {id}", id=sale.account)),
        escape_text(f"{sale.amount} {sale.currency}"),
        view.phrase_count("{number} credit", "{number} credits", sale.credits),
        escape_text(sale.provider),
        asked if sale.asked else "",
        more=reason,
    )
