"""One turn: what is known of it, its steps, its deliveries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from bot.web.operator.view import (
    View,
    badge,
    link,
    mask_all,
    row,
    rows,
    section,
    show,
    told,
    write_facts,
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
    """
    Args:
        turn: as `records.show_turn` gives it.
        steps: memory events.
        has_texts: show what was said.
        is_replayed: just now.
    """
    name = view.phrase("Turn {id}", id=turn["id"])
    done = told(view.phrase("It waits to be tried again.")) if is_replayed else ""
    return (
        f"<h1>{name} {badge(turn['state'], state_word(view, turn['state']))}</h1>"
        f"{done}{_write_facts(view, turn)}{_write_replay(view, turn)}"
        f"{_write_steps(view, turn['id'], steps, has_texts=has_texts)}"
        f"{_write_deliveries(view, turn['deliveries'])}"
    )


def state_word(view: View, state: str) -> str:
    words = {
        "queued": view.phrase("waits"),
        "running": view.phrase("at work"),
        "done": view.phrase("done"),
        "dead": view.phrase("dead"),
    }
    return words.get(state, show(state))


def reason_word(view: View, reason: str) -> str:
    words = {
        "answered": view.phrase("answered"),
        "limit": view.phrase("limit reached"),
        "cancelled": view.phrase("cancelled"),
        "awaiting_approval": view.phrase("waits for approval"),
        "failed": view.phrase("failed"),
        "": "",
    }
    return words.get(reason, show(reason))


def _write_facts(view: View, turn: Mapping[str, Any]) -> str:
    account = turn["account"]
    lane = link("/turns", mask_all(turn["lane"]), {"like": turn["id"]})
    facts = (
        (view.phrase("Conversation"), lane),
        (view.phrase("Person"), link(f"/people/{account}", f"{account}") if account else "–"),
        (view.phrase("Stored"), view.moment(turn["stored_at"])),
        (view.phrase("Begun"), view.moment(turn["started_at"])),
        (view.phrase("Ended"), view.moment(turn["ended_at"])),
        (view.phrase("Why it ended"), reason_word(view, turn["reason"]) or "–"),
        (view.phrase("Tries"), view.number(turn["attempts"])),
        (view.phrase("Tokens in"), view.number(turn["input_tokens"])),
        (view.phrase("Tokens out"), view.number(turn["output_tokens"])),
        (view.phrase("Cost"), view.usd(turn["usd"])),
        (view.phrase("Credits"), view.number(turn["credits"])),
        (view.phrase("Error"), mask_all(turn["error"] or "–")),
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
        back = link(path, view.phrase("Hide the texts"))
        word = f'<p class="personal">{words} {back}</p>'
    else:
        words = view.phrase("They are personal; that you read them is logged.")
        to_texts = link(path, view.phrase("Show the texts"), {"texts": 1}, ' rel="nofollow"')
        word = f'<p class="personal">{to_texts} {words}</p>'
    listed = rows(view, [_write_step(view, step, has_texts=has_texts) for step in steps])
    return section("steps", view.phrase("Steps"), (word if steps else "") + listed)


def _write_step(view: View, step: Mapping[str, Any], *, has_texts: bool) -> str:
    name, length = step["metadata"].get("name", ""), len(step["content"])
    kind = f"<code>{show(step['event_type'])}</code>"
    top = f"{kind} {show(name)}" if name else kind
    at = datetime.fromisoformat(step["timestamp"]).timestamp()
    time = view.moment(at, seconds=True)
    size = view.phrase_count("{number} character", "{number} characters", length)
    text = step["content"][:_LONGEST_TEXT] if has_texts else ""
    return row(top, time, size, more=f'<pre dir="auto">{show(text)}</pre>' if text else "")


def _write_deliveries(view: View, deliveries: Sequence[Mapping[str, Any]]) -> str:
    lines = [
        row(
            view.phrase("Part {number}", number=each["part"])
            + " "
            + badge(each["state"], delivery_word(view, each["state"])),
            view.phrase_count("{number} try", "{number} tries", each["attempts"]),
            f"<code>{show(each['provider_id'])}</code>" if each["provider_id"] else "",
            mask_all(each["error"]) if each["error"] else "",
        )
        for each in deliveries
    ]
    return section("deliveries", view.phrase("Deliveries"), rows(view, lines))


def delivery_word(view: View, state: str) -> str:
    words = {
        "pending": view.phrase("waits"),
        "attempting": view.phrase("on its way"),
        "sent": view.phrase("sent"),
        "refused": view.phrase("refused"),
        "unknown": view.phrase("in doubt"),
    }
    return words.get(state, show(state))
