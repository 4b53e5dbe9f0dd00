"""What waits for a person's consent: a plan is made, shown with buttons, and decided on once.

    planning → pending → approved | changing | cancelled | dropped

While one is `planning` or `pending` in a lane, only tools that read may run there. `changing` is a
plan that the person wants otherwise: planning goes on under a new one.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from typing import Literal

import msgspec

from bot.contracts import Database, ToolContext, Transaction
from bot.errors import NotFound, PersonError, ToolFailed
from bot.messages import AskApproval, Button
from bot.texts import say

Choice = Literal["approve", "edit", "cancel"]
CHOICES: tuple[Choice, ...] = ("approve", "edit", "cancel")
_STATES: Mapping[Choice, str] = {
    "approve": "approved",
    "edit": "changing",
    "cancel": "cancelled",
}
TTL = 30 * 24 * 3600.0
"""Seconds for which the buttons are kept; the next message of the person ends it sooner."""


class AlreadyDecided(PersonError):
    """The first decision counts."""

    code = "already_decided"


class Approvals:
    """Implements `contracts.ApprovalDesk`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def begin_plan(self, context: ToolContext) -> None:
        """A plan is begun, unless one is under way. The same `context.key` begins it once."""

        async def work(tx: Transaction) -> None:
            await tx.fetch_one(_LOCK, lane=context.lane)  # two may begin in one reply
            if not await is_planning(tx, context.lane):
                await _insert(tx, context)

        await self._database.write(work)

    async def is_planning(self, lane: str) -> bool:
        async def work(tx: Transaction) -> bool:
            return await is_planning(tx, lane)

        return await self._database.read(work)

    async def ask_for_plan(self, plan: str, context: ToolContext) -> AskApproval:
        """Keep the plan, and a button for each choice, bound to the lane and the person's address.

        A button's action is the JSON `{"approval": id, "choice": choice}`.

        Raises:
            ToolFailed: no plan was begun.
        """

        async def work(tx: Transaction) -> str:
            row = await tx.fetch_one(_ASK, lane=context.lane, turn=context.turn, text=plan)
            if row is None:
                raise ToolFailed("There is no plan to leave: call enter_plan_mode first.")
            await tx.execute_many(_BUTTON, list(_buttons(row["id"], context)))
            return row["id"]

        approval = await self._database.write(work)
        labels = _labels(context.person.language)
        buttons = tuple(
            Button(labels[choice], _token(approval, choice, context)) for choice in CHOICES
        )
        return AskApproval(approval, "plan", plan, buttons)


async def is_planning(tx: Transaction, lane: str) -> bool:
    """Whether a plan is made in this conversation, or waits to be decided on."""
    return await tx.fetch_one(_PLANNING, lane=lane) is not None


async def find_lane(tx: Transaction, approval: str) -> str:
    """The lane in which it is asked. Raises `NotFound`."""
    row = await tx.fetch_one("SELECT lane FROM approval WHERE id = :id", id=approval)
    if row is None:
        raise NotFound("There is nothing of this id to decide on.")
    return row["lane"]


async def is_pending(tx: Transaction, approval: str) -> bool:
    """Whether it can still be decided on."""
    sql = "SELECT id FROM approval WHERE id = :id AND state = 'pending'"
    return await tx.fetch_one(sql, id=approval) is not None


async def decide(tx: Transaction, approval: str, choice: Choice, *, lane: str) -> None:
    """Note the decision, within the caller's transaction; the first counts.

    A plan that is to be changed is planned on.

    Raises:
        AlreadyDecided: it was decided before, or dropped.
    """
    state = _STATES[choice]
    row = await tx.fetch_one(_DECIDE, id=approval, state=state, lane=lane)
    if row is None:
        raise AlreadyDecided("This was decided already.")
    if choice == "edit":
        await tx.execute(_PLAN_ON, id=f"{approval}+", approval=approval)


async def drop_pending(tx: Transaction, lane: str) -> bool:
    """The person has written something else instead of deciding; whether anything waited."""
    return await tx.execute(_DROP, lane=lane) > 0


async def drop_all(tx: Transaction, lane: str) -> None:
    """Nothing is planned or waits for consent in this conversation any more."""
    await tx.execute(_DROP_ALL, lane=lane)


async def _insert(tx: Transaction, context: ToolContext) -> None:
    await tx.execute(
        _INSERT,
        id=hashlib.sha256(context.key.encode()).hexdigest()[:24],
        lane=context.lane,
        turn=context.turn,
        account=context.account,
        address=context.person.address,
    )


def _buttons(approval: str, context: ToolContext) -> list[dict[str, object]]:
    return [
        {
            "token": _token(approval, choice, context),
            "lane": context.lane,
            "address": context.person.address,
            "action": msgspec.json.encode({"approval": approval, "choice": choice}).decode(),
            "ttl": TTL,
        }
        for choice in CHOICES
    ]


def _labels(language: str) -> Mapping[Choice, str]:
    return {
        "approve": say(language, "Approve"),
        "edit": say(language, "Change"),
        "cancel": say(language, "Cancel"),
    }


def _token(approval: str, choice: Choice, context: ToolContext) -> str:
    secret = context.settings.secret_key.encode()
    return hmac.new(secret, f"approval:{approval}:{choice}".encode(), "sha256").hexdigest()[:32]


_LOCK = """
SELECT id FROM lane WHERE id = :lane {for_update}
"""

_INSERT = """
INSERT INTO approval (id, lane, turn, account, address, kind, state, text, created_at)
VALUES (:id, :lane, :turn, :account, :address, 'plan', 'planning', '', {now})
ON CONFLICT (id) DO NOTHING
"""

_PLANNING = """
SELECT approval.id FROM approval JOIN lane ON lane.id = approval.lane
WHERE approval.lane = :lane AND approval.state IN ('planning', 'pending')
    AND approval.turn >= lane.history_from
"""

_ASK = """
UPDATE approval SET state = 'pending', turn = :turn, text = :text
WHERE id = (
    SELECT plan.id FROM approval AS plan JOIN lane ON lane.id = plan.lane
    WHERE plan.lane = :lane AND plan.turn >= lane.history_from
        AND (plan.state = 'planning' OR (plan.state = 'pending' AND plan.turn = :turn))
    ORDER BY plan.created_at DESC, plan.id LIMIT 1
)
RETURNING id
"""

_BUTTON = """
INSERT INTO button (token, lane, address, action, expires_at)
VALUES (:token, :lane, :address, :action, {now} + :ttl)
ON CONFLICT (token) DO NOTHING
"""

_DECIDE = """
UPDATE approval SET state = :state, decided_at = {now}
WHERE id = :id AND lane = :lane AND state = 'pending' RETURNING id
"""

_PLAN_ON = """
INSERT INTO approval (id, lane, turn, account, address, kind, state, text, created_at)
SELECT CAST(:id AS TEXT), lane, turn, account, address, kind, 'planning', '', {now}
FROM approval WHERE id = :approval
ON CONFLICT (id) DO NOTHING
"""

_DROP_ALL = """
UPDATE approval SET state = 'dropped', decided_at = {now}
WHERE lane = :lane AND state IN ('planning', 'pending')
"""

_DROP = """
UPDATE approval SET state = 'dropped', decided_at = {now}
WHERE lane = :lane AND state = 'pending'
"""
