"""Deliveries that were refused or are in doubt."""

from __future__ import annotations

from aiohttp import web

from bot.contracts import Database
from bot.errors import BadRequest
from bot.gateway.sending.troubles import Trouble, Undelivered, list_troubles
from bot.web.operator.desk import Desk, answer_page, number_in
from bot.web.operator.door import PATH
from bot.web.operator.turn_details import delivery_word
from bot.web.operator.view import PAGE, View, badge, choices, link, mask_all, pager, row, rows
from bot.whole_numbers import BIGGEST


class DeliveryPages:
    def __init__(self, desk: Desk, database: Database) -> None:
        self._desk = desk
        self._database = database

    def routes(self) -> list[web.RouteDef]:
        return [web.get(f"{PATH}/deliveries", self._desk.page(self.listing))]

    async def listing(self, request: web.Request, view: View) -> web.Response:
        state = _read_state(request.query.get("state", ""))
        found = await list_troubles(
            self._database,
            state=state,
            before=number_in(request, "before", BIGGEST),
            limit=PAGE + 1,
        )
        query = {"state": state}
        older = {"before": found[PAGE - 1].id} if len(found) > PAGE else None
        offered = [
            ("", view.phrase("All")),
            ("refused", delivery_word(view, "refused")),
            ("unknown", delivery_word(view, "unknown")),
        ]
        head = view.phrase("Deliveries that did not arrive")
        why = view.phrase(
            "Refused: the provider will not deliver it. In doubt: nobody can tell whether it "
            "arrived, and it is not sent twice."
        )
        main = (
            f'<h1>{head}</h1><p class="facts">{why}</p>'
            f"{choices(view.phrase('State'), '/deliveries', 'state', offered, query)}"
            f"{rows(view, [_write_line(view, each) for each in found[:PAGE]])}"
            f"{pager(view, '/deliveries', query, older, is_first='before' not in request.query)}"
        )
        return answer_page(view, head, main, here="/deliveries")


def _read_state(state: str) -> Trouble | None:
    match state:
        case "refused" | "unknown":
            return state
        case "":
            return None
        case _:
            raise BadRequest("There is no such state.")


def _write_line(view: View, each: Undelivered) -> str:
    turn = link(f"/turns/{each.turn}", view.phrase("Turn {id}", id=each.turn))
    error = f'<p class="error">{mask_all(each.error)}</p>' if each.error else ""
    return row(
        f"{turn} {badge(each.state, delivery_word(view, each.state))}",
        view.moment(each.created_at),
        mask_all(each.lane),
        view.phrase("Part {number}", number=each.part),
        view.phrase_count("{number} try", "{number} tries", each.attempts),
        more=error,
    )
