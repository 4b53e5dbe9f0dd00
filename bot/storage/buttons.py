"""Store the actions of buttons, each bound to a person and a conversation."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from bot.contracts.storage import Transaction
from bot.messages.outgoing import Button

TTL = 30 * 24 * 3600.0
"""Seconds for which a button works; its purpose may end before, with a better explanation."""


async def keep_buttons(
    tx: Transaction,
    lane: str,
    address: str,
    actions: Mapping[str, Mapping[str, object]],
    ttl: float = TTL,
) -> None:
    """Store the action of each token (see `gateway/commands/buttons.py`); a known one is kept."""
    rows = [
        {
            "token": token,
            "lane": lane,
            "address": address,
            "action": msgspec.json.encode(action).decode(),
            "ttl": ttl,
        }
        for token, action in actions.items()
    ]
    await tx.execute_many(_KEEP, rows)


async def offer_commands(
    tx: Transaction,
    lane: str,
    address: str,
    choices: Sequence[tuple[str, str]],
    ttl: float = TTL,
) -> tuple[Button, ...]:
    """Store buttons that stand for commands, and return them.

    Args:
        choices: the label and the command of each, such as `/language fr`.
        ttl: seconds for which the buttons work.
    """
    # 32 hexadecimal digits: adapters tell our tokens from those of templates by that form.
    buttons = tuple(Button(label, secrets.token_hex(16)) for label, _ in choices)
    actions = {
        button.token: {"command": command}
        for button, (_, command) in zip(buttons, choices, strict=True)
    }
    await keep_buttons(tx, lane, address, actions, ttl)
    return buttons


@dataclass(frozen=True, slots=True)
class OfferedCommand:
    """A button that stands for a command, before it is stored."""

    lane: str
    address: str
    command: str
    button: Button


def make_command_button(lane: str, address: str, label: str, command: str) -> OfferedCommand:
    return OfferedCommand(lane, address, command, Button(label, secrets.token_hex(16)))


async def keep_command_buttons(tx: Transaction, offered: Sequence[OfferedCommand]) -> None:
    """Store the buttons of many people by one statement."""
    rows = [
        {
            "token": each.button.token,
            "lane": each.lane,
            "address": each.address,
            "action": msgspec.json.encode({"command": each.command}).decode(),
            "ttl": TTL,
        }
        for each in offered
    ]
    await tx.execute_many(_KEEP, rows)


async def is_offered(tx: Transaction, channel: str, address: str, command: str) -> bool:
    """Return whether this person was offered a button for the command in a conversation of the
    channel, and it still works."""
    action = msgspec.json.encode({"command": command}).decode()
    row = await tx.fetch_one(_OFFERED, begin=f"{channel}:", address=address, action=action)
    return row is not None


async def is_quiz_button(tx: Transaction, token: str) -> bool:
    """Return whether a button stands for an option of a quiz."""
    return "quiz" in await _read_action(tx, token)


async def is_exercise_button(tx: Transaction, token: str) -> bool:
    """Return whether a button stands for an option of an exercise."""
    return "exercise" in await _read_action(tx, token)


async def _read_action(tx: Transaction, token: str) -> dict[str, object]:
    row = await tx.fetch_one("SELECT action FROM button WHERE token = :token", token=token)
    return msgspec.json.decode(row["action"]) if row else {}


async def find_command(tx: Transaction, token: str, lane: str, address: str) -> str:
    """Return the command that a person's button stands for in a conversation; empty if it stands
    for none, no longer works, or is another person's."""
    row = await tx.fetch_one(_FIND_COMMAND, token=token, lane=lane, address=address)
    return str(msgspec.json.decode(row["action"]).get("command", "")) if row else ""


async def forget_old_buttons(tx: Transaction) -> None:
    """Delete the buttons that no longer work."""
    await tx.execute("DELETE FROM button WHERE expires_at <= {now}")


_KEEP = """
INSERT INTO button (token, lane, address, action, expires_at)
VALUES (:token, :lane, :address, :action, {now} + :ttl)
ON CONFLICT (token) DO NOTHING
"""

_FIND_COMMAND = """
SELECT action FROM button
WHERE token = :token AND lane = :lane AND address = :address AND expires_at > {now}
"""

_OFFERED = """
SELECT token FROM button
WHERE address = :address AND action = :action AND expires_at > {now}
    AND substr(lane, 1, length(CAST(:begin AS TEXT))) = CAST(:begin AS TEXT)
LIMIT 1
"""
