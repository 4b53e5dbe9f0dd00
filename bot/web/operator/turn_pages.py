"""Pages of turns (list them, show one, replay a dead one) and of deliveries refused or in doubt."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Final, get_args

from aiohttp import web

from bot.contracts.storage import MAX_BIGINT, Database
from bot.errors import BadRequest, NotFound
from bot.gateway import admin
from bot.gateway.admin import FailedState, TurnState, list_failed_deliveries
from bot.gateway.conversation_history import read_conversation_events
from bot.messages.channels import Channel
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

_STEPS: Final = 200


class TurnPages:
    def __init__(self, frame: PageFrame, database: Database) -> None:
        self._frame = frame
        self._database = database

    def routes(self) -> list[web.RouteDef]:
        one = f"{PATH}/turns/{{turn:[0-9]{{1,18}}}}"
        return [
            web.get(f"{PATH}/turns", self._frame.show_page(self.listing)),
            web.post(f"{PATH}/turns/find", self._frame.handle_form(self.find)),
            web.get(one, self._frame.show_page(self.one)),
            web.post(f"{one}/replay", self._frame.handle_form(self.replay)),
        ]

    async def listing(self, request: web.Request, view: View) -> web.Response:
        state, channel = _read_filter(request)
        like = read_number(request, "like")
        lane = (await admin.show_turn(self._database, like))["lane"] if like else ""
        turns = await admin.list_turns(
            self._database,
            state=state,
            lane=lane,
            channel=channel,
            before=read_number(request, "before", MAX_BIGINT),
            limit=PAGE + 1,
        )
        query = {"state": state, "channel": channel, "like": like or None}
        return await answer_page(
            view,
            "turns.html",
            turns=make_list_page(request, turns, lambda turn: turn["id"], query),
            states=get_args(TurnState),
            channels=get_args(Channel),
            lane=lane,
        )

    async def find(self, _: web.Request, __: View, fields: Mapping[str, str]) -> web.Response:
        """Redirect to the turn of an id, or to all turns of a conversation. By POST, as the name of
        a conversation may be a number, which must not appear in logs of addresses."""
        wanted = fields.get("wanted", "").strip()
        if wanted.isascii() and wanted.isdigit() and len(wanted) < 19:
            return redirect_to(f"/turns/{wanted}")
        newest = await admin.list_turns(self._database, lane=wanted, limit=1) if wanted else []
        if not newest:
            raise NotFound("No such conversation.")
        return redirect_to(f"/turns?like={newest[0]['id']}")

    async def one(self, request: web.Request, view: View) -> web.Response:
        turn = await admin.show_turn(self._database, int(request.match_info["turn"]))
        has_texts = request.query.get("texts") == "1"
        if has_texts:
            log_action(view, "read_texts", turn=turn["id"])
        steps = await read_conversation_events(
            self._database, turn["lane"], turn=int(turn["id"]), limit=_STEPS
        )
        return await answer_page(
            view,
            "turn.html",
            turn=turn,
            steps=steps,
            has_texts=has_texts,
            is_replayed=request.query.get("told") == "replayed",
            read_iso=_read_iso,
        )

    async def replay(self, request: web.Request, view: View, _: Mapping[str, str]) -> web.Response:
        turn = int(request.match_info["turn"])
        await admin.replay_turn(self._database, turn)
        log_action(view, "replayed", turn=turn)
        return redirect_to(f"/turns/{turn}?told=replayed")


def _read_filter(request: web.Request) -> tuple[TurnState | None, str]:
    state, channel = request.query.get("state", ""), request.query.get("channel", "")
    if channel and channel not in get_args(Channel):
        raise BadRequest("There is no such channel.")
    for known in get_args(TurnState):
        if state == known:
            return known, channel
    if state:
        raise BadRequest("There is no such state.")
    return None, channel


def _read_iso(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


class DeliveryPages:
    def __init__(self, frame: PageFrame, database: Database) -> None:
        self._frame = frame
        self._database = database

    def routes(self) -> list[web.RouteDef]:
        return [web.get(f"{PATH}/deliveries", self._frame.show_page(self.listing))]

    async def listing(self, request: web.Request, view: View) -> web.Response:
        state = _read_delivery_state(request.query.get("state", ""))
        found = await list_failed_deliveries(
            self._database,
            state=state,
            before=read_number(request, "before", MAX_BIGINT),
            limit=PAGE + 1,
        )
        deliveries = make_list_page(request, found, lambda each: each.id, {"state": state})
        return await answer_page(view, "deliveries.html", deliveries=deliveries)


def _read_delivery_state(state: str) -> FailedState | None:
    match state:
        case "refused" | "unknown":
            return state
        case "":
            return None
        case _:
            raise BadRequest("There is no such state.")
