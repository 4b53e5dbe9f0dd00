"""Turns: listed, looked into, the dead ones replayed; deliveries refused or in doubt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, get_args

from aiohttp import web

from bot.contracts.storage import MAX_BIGINT, Database
from bot.errors import BadRequest, NotFound
from bot.gateway import admin
from bot.gateway.admin import FailedDelivery, FailedState, TurnState, list_failed_deliveries
from bot.gateway.conversation_history import read_conversation_events
from bot.messages.channels import Channel
from bot.web.operator.operator_auth import PATH
from bot.web.operator.page_frame import (
    PAGE,
    PageFrame,
    View,
    answer_page,
    escape_text,
    log_action,
    mask_text,
    read_number,
    redirect_to,
    write_badge,
    write_choices,
    write_confirmation,
    write_facts,
    write_link,
    write_pager,
    write_row,
    write_rows,
    write_section,
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
        query: dict[str, Any] = {"state": state, "channel": channel, "like": like or None}
        head = view.phrase("Turns")
        about = f'<p class="facts">{mask_text(lane)}</p>' if lane else ""
        listed = write_rows(view, [_write_turn_line(view, turn) for turn in turns[:PAGE]])
        older = {"before": turns[PAGE - 1]["id"]} if len(turns) > PAGE else None
        main = (
            f"<h1>{head}</h1>{_write_filters(view, query)}{about}{listed}"
            f"{write_pager(view, '/turns', query, older, is_first='before' not in request.query)}"
        )
        return answer_page(view, head, main, here="/turns")

    async def find(self, _: web.Request, __: View, fields: Mapping[str, str]) -> web.Response:
        """Redirect to the turn of an id, or to all turns of a conversation. Not by GET: its name
        may be a number, which must not stand in logs of addresses."""
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
        name = view.phrase("Turn {id}", id=turn["id"])
        is_replayed = request.query.get("told") == "replayed"
        main = write_turn(view, turn, steps, has_texts=has_texts, is_replayed=is_replayed)
        return answer_page(view, name, main, here="/turns")

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


def _write_filters(view: View, query: Mapping[str, Any]) -> str:
    all_ = ("", view.phrase("All"))
    states = [all_, *((each, name_turn_state(view, each)) for each in get_args(TurnState))]
    channels = [all_, *((each, each) for each in get_args(Channel))]
    label = view.phrase("Turn number, or conversation such as telegram:123")
    return (
        write_choices(view.phrase("State"), "/turns", "state", states, query)
        + write_choices(view.phrase("Channel"), "/turns", "channel", channels, query)
        + view.search("/turns/find", label)
    )


def _write_turn_line(view: View, turn: Mapping[str, Any]) -> str:
    number = turn["id"]
    top = write_link(f"/turns/{number}", view.phrase("Turn {id}", id=number))
    failed = [
        view.phrase("Part {number}", number=each["part"])
        + " "
        + name_delivery_state(view, each["state"])
        for each in turn["deliveries"]
        if each["state"] in {"refused", "unknown"}
    ]
    error = f'<p class="error">{mask_text(turn["error"])}</p>' if turn["error"] else ""
    return write_row(
        f"{top} {write_badge(turn['state'], name_turn_state(view, turn['state']))}",
        view.moment(turn["stored_at"]),
        mask_text(turn["lane"]),
        name_reason(view, turn["reason"]),
        view.phrase_count("{number} try", "{number} tries", turn["attempts"]),
        view.phrase_count("{number} credit", "{number} credits", turn["credits"]),
        ", ".join(failed),
        more=error,
    )


_LONGEST_TEXT: Final = 4_000


def write_turn(
    view: View,
    turn: Mapping[str, Any],
    steps: Sequence[Mapping[str, Any]],
    *,
    has_texts: bool,
    is_replayed: bool,
) -> str:
    """Write the page of a turn.

    Args:
        turn: as `records.show_turn` gives it.
        steps: memory events.
        has_texts: show what was said.
        is_replayed: just now.
    """
    name = view.phrase("Turn {id}", id=turn["id"])
    done = write_confirmation(view.phrase("It waits to be tried again.")) if is_replayed else ""
    return (
        f"<h1>{name} {write_badge(turn['state'], name_turn_state(view, turn['state']))}</h1>"
        f"{done}{_write_facts(view, turn)}{_write_replay(view, turn)}"
        f"{_write_steps(view, turn['id'], steps, has_texts=has_texts)}"
        f"{_write_deliveries(view, turn['deliveries'])}"
    )


def name_turn_state(view: View, state: str) -> str:
    words = {
        "queued": view.phrase("waits"),
        "running": view.phrase("at work"),
        "done": view.phrase("done"),
        "dead": view.phrase("dead"),
    }
    return words.get(state, escape_text(state))


def name_reason(view: View, reason: str) -> str:
    words = {
        "answered": view.phrase("answered"),
        "limit": view.phrase("limit reached"),
        "cancelled": view.phrase("cancelled"),
        "awaiting_approval": view.phrase("waits for approval"),
        "failed": view.phrase("failed"),
        "": "",
    }
    return words.get(reason, escape_text(reason))


def _write_facts(view: View, turn: Mapping[str, Any]) -> str:
    account = turn["account"]
    lane = write_link("/turns", mask_text(turn["lane"]), {"like": turn["id"]})
    facts = (
        (view.phrase("Conversation"), lane),
        (view.phrase("Person"), write_link(f"/people/{account}", f"{account}") if account else "–"),
        (view.phrase("Stored"), view.moment(turn["stored_at"])),
        (view.phrase("Begun"), view.moment(turn["started_at"])),
        (view.phrase("Ended"), view.moment(turn["ended_at"])),
        (view.phrase("Why it ended"), name_reason(view, turn["reason"]) or "–"),
        (view.phrase("Tries"), view.number(turn["attempts"])),
        (view.phrase("Tokens in"), view.number(turn["input_tokens"])),
        (view.phrase("Tokens out"), view.number(turn["output_tokens"])),
        (view.phrase("Cost"), view.usd(turn["usd"])),
        (view.phrase("Credits"), view.number(turn["credits"])),
        (view.phrase("Error"), mask_text(turn["error"] or "–")),
    )
    return write_facts(facts)


def _write_replay(view: View, turn: Mapping[str, Any]) -> str:
    if turn["state"] != "dead":
        return ""
    words = view.phrase("It goes on where it stopped, and is not charged again.")
    form = view.form(f"/turns/{turn['id']}/replay", "", view.phrase("Replay"))
    return f'<div class="act">{form}<p>{words}</p></div>'


def _write_steps(
    view: View, turn: str, steps: Sequence[Mapping[str, Any]], *, has_texts: bool
) -> str:
    path = f"/turns/{turn}"
    if has_texts:
        words = view.phrase("These texts are personal: read them only to help.")
        back = write_link(path, view.phrase("Hide the texts"))
        word = f'<p class="personal">{words} {back}</p>'
    else:
        words = view.phrase("They are personal; that you read them is logged.")
        to_texts = write_link(path, view.phrase("Show the texts"), {"texts": 1}, ' rel="nofollow"')
        word = f'<p class="personal">{to_texts} {words}</p>'
    listed = write_rows(view, [_write_step(view, step, has_texts=has_texts) for step in steps])
    return write_section("steps", view.phrase("Steps"), (word if steps else "") + listed)


def _write_step(view: View, step: Mapping[str, Any], *, has_texts: bool) -> str:
    name, length = step["metadata"].get("name", ""), len(step["content"])
    kind = f"<code>{escape_text(step['event_type'])}</code>"
    top = f"{kind} {escape_text(name)}" if name else kind
    at = datetime.fromisoformat(step["timestamp"]).timestamp()
    time = view.moment(at, seconds=True)
    size = view.phrase_count("{number} character", "{number} characters", length)
    text = step["content"][:_LONGEST_TEXT] if has_texts else ""
    return write_row(
        top, time, size, more=f'<pre dir="auto">{escape_text(text)}</pre>' if text else ""
    )


def _write_deliveries(view: View, deliveries: Sequence[Mapping[str, Any]]) -> str:
    lines = [
        write_row(
            view.phrase("Part {number}", number=each["part"])
            + " "
            + write_badge(each["state"], name_delivery_state(view, each["state"])),
            view.phrase_count("{number} try", "{number} tries", each["attempts"]),
            f"<code>{escape_text(each['provider_id'])}</code>" if each["provider_id"] else "",
            mask_text(each["error"]) if each["error"] else "",
        )
        for each in deliveries
    ]
    return write_section("deliveries", view.phrase("Deliveries"), write_rows(view, lines))


def name_delivery_state(view: View, state: str) -> str:
    words = {
        "pending": view.phrase("waits"),
        "attempting": view.phrase("on its way"),
        "sent": view.phrase("sent"),
        "refused": view.phrase("refused"),
        "unknown": view.phrase("in doubt"),
    }
    return words.get(state, escape_text(state))


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
        query = {"state": state}
        older = {"before": found[PAGE - 1].id} if len(found) > PAGE else None
        offered = [
            ("", view.phrase("All")),
            ("refused", name_delivery_state(view, "refused")),
            ("unknown", name_delivery_state(view, "unknown")),
        ]
        head = view.phrase("Deliveries that did not arrive")
        why = view.phrase(
            "Refused: the provider will not deliver it. In doubt: nobody can tell whether it "
            "arrived, and it is not sent twice."
        )
        is_first = "before" not in request.query
        main = (
            f'<h1>{head}</h1><p class="facts">{why}</p>'
            f"{write_choices(view.phrase('State'), '/deliveries', 'state', offered, query)}"
            f"{write_rows(view, [_write_delivery_line(view, each) for each in found[:PAGE]])}"
            f"{write_pager(view, '/deliveries', query, older, is_first=is_first)}"
        )
        return answer_page(view, head, main, here="/deliveries")


def _read_delivery_state(state: str) -> FailedState | None:
    match state:
        case "refused" | "unknown":
            return state
        case "":
            return None
        case _:
            raise BadRequest("There is no such state.")


def _write_delivery_line(view: View, each: FailedDelivery) -> str:
    turn = write_link(f"/turns/{each.turn}", view.phrase("Turn {id}", id=each.turn))
    error = f'<p class="error">{mask_text(each.error)}</p>' if each.error else ""
    return write_row(
        f"{turn} {write_badge(each.state, name_delivery_state(view, each.state))}",
        view.moment(each.created_at),
        mask_text(each.lane),
        view.phrase("Part {number}", number=each.part),
        view.phrase_count("{number} try", "{number} tries", each.attempts),
        more=error,
    )
