"""Turns: listed, looked into, and the dead ones replayed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, get_args

from aiohttp import web

from bot.contracts import Database
from bot.errors import BadRequest, NotFound
from bot.gateway import records
from bot.gateway.memory_events import memory_events
from bot.gateway.records import State
from bot.messages import Channel
from bot.web.operator.desk import Desk, answer_page, go, note, number_in
from bot.web.operator.door import PATH
from bot.web.operator.turn_details import delivery_word, reason_word, state_word, write_turn
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
)
from bot.whole_numbers import BIGGEST

_STEPS: Final = 200


class TurnPages:
    def __init__(self, desk: Desk, database: Database) -> None:
        self._desk = desk
        self._database = database

    def routes(self) -> list[web.RouteDef]:
        one = f"{PATH}/turns/{{turn:[0-9]{{1,18}}}}"
        return [
            web.get(f"{PATH}/turns", self._desk.page(self.listing)),
            web.post(f"{PATH}/turns/find", self._desk.form(self.find)),
            web.get(one, self._desk.page(self.one)),
            web.post(f"{one}/replay", self._desk.form(self.replay)),
        ]

    async def listing(self, request: web.Request, view: View) -> web.Response:
        state, channel = _read_filter(request)
        like = number_in(request, "like")
        lane = (await records.show_turn(self._database, like))["lane"] if like else ""
        turns = await records.list_turns(
            self._database,
            state=state,
            lane=lane,
            channel=channel,
            before=number_in(request, "before", BIGGEST),
            limit=PAGE + 1,
        )
        query: dict[str, Any] = {"state": state, "channel": channel, "like": like or None}
        head = view.phrase("Turns")
        about = f'<p class="facts">{mask_all(lane)}</p>' if lane else ""
        listed = rows(view, [_write_line(view, turn) for turn in turns[:PAGE]])
        older = {"before": turns[PAGE - 1]["id"]} if len(turns) > PAGE else None
        main = (
            f"<h1>{head}</h1>{_write_filters(view, query)}{about}{listed}"
            f"{pager(view, '/turns', query, older, is_first='before' not in request.query)}"
        )
        return answer_page(view, head, main, here="/turns")

    async def find(self, _: web.Request, __: View, fields: Mapping[str, str]) -> web.Response:
        """Of an id, the turn; of a conversation's name, all its turns. Not by GET: the name may be
        a number, which is to stand in no log of addresses."""
        wanted = fields.get("wanted", "").strip()
        if wanted.isascii() and wanted.isdigit() and len(wanted) < 19:
            return go(f"/turns/{wanted}")
        newest = await records.list_turns(self._database, lane=wanted, limit=1) if wanted else []
        if not newest:
            raise NotFound("No such conversation.")
        return go(f"/turns?like={newest[0]['id']}")

    async def one(self, request: web.Request, view: View) -> web.Response:
        turn = await records.show_turn(self._database, int(request.match_info["turn"]))
        has_texts = request.query.get("texts") == "1"
        if has_texts:
            note(view, "read_texts", turn=turn["id"])
        steps = await memory_events(
            self._database, turn["lane"], turn=int(turn["id"]), limit=_STEPS
        )
        name = view.phrase("Turn {id}", id=turn["id"])
        told = request.query.get("told") == "replayed"
        main = write_turn(view, turn, steps, has_texts=has_texts, is_replayed=told)
        return answer_page(view, name, main, here="/turns")

    async def replay(self, request: web.Request, view: View, _: Mapping[str, str]) -> web.Response:
        turn = int(request.match_info["turn"])
        await records.replay_turn(self._database, turn)
        note(view, "replayed", turn=turn)
        return go(f"/turns/{turn}?told=replayed")


def _read_filter(request: web.Request) -> tuple[State | None, str]:
    state, channel = request.query.get("state", ""), request.query.get("channel", "")
    if channel and channel not in get_args(Channel):
        raise BadRequest("There is no such channel.")
    for known in get_args(State):
        if state == known:
            return known, channel
    if state:
        raise BadRequest("There is no such state.")
    return None, channel


def _write_filters(view: View, query: Mapping[str, Any]) -> str:
    all_ = ("", view.phrase("All"))
    states = [all_, *((each, state_word(view, each)) for each in get_args(State))]
    channels = [all_, *((each, each) for each in get_args(Channel))]
    label = view.phrase("Turn number, or conversation such as telegram:123")
    return (
        choices(view.phrase("State"), "/turns", "state", states, query)
        + choices(view.phrase("Channel"), "/turns", "channel", channels, query)
        + view.search("/turns/find", label)
    )


def _write_line(view: View, turn: Mapping[str, Any]) -> str:
    number = turn["id"]
    top = link(f"/turns/{number}", view.phrase("Turn {id}", id=number))
    failed = [
        view.phrase("Part {number}", number=each["part"]) + " " + delivery_word(view, each["state"])
        for each in turn["deliveries"]
        if each["state"] in {"refused", "unknown"}
    ]
    error = f'<p class="error">{mask_all(turn["error"])}</p>' if turn["error"] else ""
    return row(
        f"{top} {badge(turn['state'], state_word(view, turn['state']))}",
        view.moment(turn["stored_at"]),
        mask_all(turn["lane"]),
        reason_word(view, turn["reason"]),
        view.phrase_count("{number} try", "{number} tries", turn["attempts"]),
        view.phrase_count("{number} credit", "{number} credits", turn["credits"]),
        ", ".join(failed),
        more=error,
    )
