"""Ask for a person's consent to a plan or an e-mail, with buttons, and store the one decision.

    planning → pending → approved | changing | cancelled | dropped

While a plan is `planning` or `pending` in a lane, only tools that read may run there. `changing`:
the person wants changes, so a plan goes on under a new approval, and an e-mail is drafted anew.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from typing import Literal

from bot.contracts.services import ToolContext
from bot.contracts.storage import Database, Transaction
from bot.errors import NotFound, PersonError, ToolFailed
from bot.i18n import say
from bot.messages.channels import Channel, is_reserved_word
from bot.messages.outgoing import AskApproval, Button
from bot.storage.accounts import lock_current_account
from bot.storage.buttons import keep_buttons

Choice = Literal["approve", "edit", "cancel"]
Kind = Literal["plan", "email"]
CHOICES: tuple[Choice, ...] = ("approve", "edit", "cancel")
_STATES: Mapping[Choice, str] = {
    "approve": "approved",
    "edit": "changing",
    "cancel": "cancelled",
}


class AlreadyDecided(PersonError):
    """Raised for a second decision: only the first one counts."""

    code = "already_decided"


class Approvals:
    """Implements `bot.contracts.services.ApprovalService`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def begin_plan(self, context: ToolContext) -> None:
        """Begin a plan, once per `context.key`, unless one is under way.

        Raises:
            ToolFailed: the person was erased.
        """

        async def work(tx: Transaction) -> None:
            await tx.fetch_one(_LOCK, lane=context.lane)  # a reply may begin two at once
            if not await is_planning(tx, context.lane):
                await lock_current_account(tx, context.account)
                await _insert(tx, context, _id(context.key), "plan", state="planning")

        await self._database.write(work)

    async def is_planning(self, lane: str) -> bool:
        return await self._database.read(lambda tx: is_planning(tx, lane))

    async def ask_for_plan(self, plan: str, context: ToolContext) -> AskApproval:
        """Store the plan, and a button for each choice, bound to the lane and the person's address.

        A button's action is the JSON `{"approval": id, "choice": choice}`.

        Raises:
            ToolFailed: no plan was begun.
        """

        async def work(tx: Transaction) -> str:
            row = await tx.fetch_one(_ASK, lane=context.lane, turn=context.turn, text=plan)
            if row is None:
                raise ToolFailed("There is no plan to leave: call enter_plan_mode first.")
            await _keep_choices(tx, row["id"], context)
            return row["id"]

        return _asked(await self._database.write(work), "plan", plan, context)


async def ask(
    tx: Transaction, kind: Kind, text: str, context: ToolContext, *, payload: str = ""
) -> AskApproval:
    """Store what needs consent, and a button for each choice, once per `context.key`.

    Args:
        payload: the encoded data with which the decision is carried out.

    Raises:
        ToolFailed: something else in this conversation waits for consent.
    """
    await tx.fetch_one(_LOCK, lane=context.lane)  # a reply may ask twice at once
    approval = _id(f"{kind}:{context.key}")
    if await tx.fetch_one(_WAITING, lane=context.lane, id=approval):
        raise ToolFailed("Something waits for the person's decision already. Ask one at a time.")
    await _insert(tx, context, approval, kind, state="pending", text=text, payload=payload)
    await _keep_choices(tx, approval, context)
    return _asked(approval, kind, text, context)


async def is_planning(tx: Transaction, lane: str) -> bool:
    """Return whether a plan is being made in this lane, or waits for a decision."""
    return await tx.fetch_one(_PLANNING, lane=lane) is not None


async def find_lane(tx: Transaction, approval: str) -> str:
    """Return the lane of an approval. Raises `NotFound`."""
    row = await tx.fetch_one("SELECT lane FROM approval WHERE id = :id", id=approval)
    if row is None:
        raise NotFound("There is nothing of this id to decide on.")
    return row["lane"]


async def is_pending(tx: Transaction, approval: str) -> bool:
    """Return whether an approval still waits for its decision."""
    sql = "SELECT id FROM approval WHERE id = :id AND state = 'pending'"
    return await tx.fetch_one(sql, id=approval) is not None


async def find_pending(tx: Transaction, lane: str) -> tuple[str, Kind] | None:
    """Return id and kind of the approval that waits for a decision in the lane; None: none does."""
    row = await tx.fetch_one(_PENDING, lane=lane)
    return (row["id"], row["kind"]) if row else None


async def decide(
    tx: Transaction, approval: str, choice: Choice, *, lane: str, account: int | None
) -> tuple[Kind, str]:
    """Store the decision, within the caller's transaction; the first counts.

    After `edit`, planning goes on under a new approval.

    Args:
        account: the account that decides.

    Returns:
        The kind of the approval, and the payload that was stored with it.

    Raises:
        AlreadyDecided: it was decided before, or dropped, or another person was asked.
    """
    state = _STATES[choice]
    row = await tx.fetch_one(_DECIDE, id=approval, state=state, lane=lane, account=account)
    if row is None:
        raise AlreadyDecided("This was decided already.")
    if choice == "edit":
        await tx.execute(_PLAN_ON, id=f"{approval}+", approval=approval)
    return row["kind"], row["payload"]


async def drop_pending(tx: Transaction, lane: str) -> list[Kind]:
    """Drop the lane's pending approvals, as the person wrote instead of deciding; return their
    kinds."""
    return [row["kind"] for row in await tx.fetch(_DROP, lane=lane)]


async def drop_all(tx: Transaction, lane: str) -> bool:
    """Drop all plans and pending approvals of this lane; return whether there was one."""
    return bool(await tx.fetch(_DROP_ALL, lane=lane))


async def _insert(
    tx: Transaction,
    context: ToolContext,
    approval: str,
    kind: Kind,
    *,
    state: str,
    text: str = "",
    payload: str = "",
) -> None:
    await tx.execute(
        _INSERT,
        id=approval,
        lane=context.lane,
        turn=context.turn,
        account=context.account,
        address=context.person.address,
        kind=kind,
        state=state,
        text=text,
        payload=payload,
    )


async def _keep_choices(tx: Transaction, approval: str, context: ToolContext) -> None:
    actions = {
        _token(approval, choice, context): {"approval": approval, "choice": choice}
        for choice in CHOICES
    }
    await keep_buttons(tx, context.lane, context.person.address, actions)


def _asked(approval: str, kind: Kind, text: str, context: ToolContext) -> AskApproval:
    labels = labels_of(kind, context.person.language, context.person.channel)
    buttons = tuple(Button(labels[choice], _token(approval, choice, context)) for choice in CHOICES)
    return AskApproval(approval, kind, text, buttons)


def _id(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()[:24]


def labels_of(kind: str, language: str, channel: Channel) -> Mapping[Choice, str]:
    """Return the labels of the buttons, in the order of `CHOICES`; none is a word on which carriers
    act."""
    is_email, cancel = kind == "email", say(language, "Cancel")
    return {
        "approve": say(language, "Send") if is_email else say(language, "Approve"),
        "edit": say(language, "Edit"),
        "cancel": say(language, "Drop it") if is_reserved_word(channel, cancel) else cancel,
    }


def _token(approval: str, choice: Choice, context: ToolContext) -> str:
    secret = context.settings.secret_key.encode()
    return hmac.new(secret, f"approval:{approval}:{choice}".encode(), "sha256").hexdigest()[:32]


_LOCK = """
SELECT id FROM lane WHERE id = :lane {for_update}
"""

_INSERT = """
INSERT INTO approval (id, lane, turn, account, address, kind, state, text, payload, created_at)
VALUES (:id, :lane, :turn, :account, :address, :kind, :state, :text, :payload, {now})
ON CONFLICT (id) DO NOTHING
"""

_WAITING = """
SELECT id FROM approval WHERE lane = :lane AND state = 'pending' AND id <> :id
"""

_PENDING = """
SELECT id, kind FROM approval WHERE lane = :lane AND state = 'pending'
"""

_PLANNING = """
SELECT approval.id FROM approval JOIN lane ON lane.id = approval.lane
WHERE approval.lane = :lane AND approval.kind = 'plan'
    AND approval.state IN ('planning', 'pending') AND approval.turn >= lane.history_from
"""

_ASK = """
UPDATE approval SET state = 'pending', turn = :turn, text = :text
WHERE id = (
    SELECT plan.id FROM approval AS plan JOIN lane ON lane.id = plan.lane
    WHERE plan.lane = :lane AND plan.kind = 'plan' AND plan.turn >= lane.history_from
        AND (plan.state = 'planning' OR (plan.state = 'pending' AND plan.turn = :turn))
    ORDER BY plan.created_at DESC, plan.id LIMIT 1
)
RETURNING id
"""

_DECIDE = """
UPDATE approval SET state = :state, decided_at = {now}
WHERE id = :id AND lane = :lane AND state = 'pending' AND (
    account IS NULL OR CAST(:account AS BIGINT) = coalesce(
        (SELECT part_of FROM account AS asked WHERE asked.id = approval.account), account
    )
) RETURNING kind, payload
"""

_PLAN_ON = """
INSERT INTO approval (id, lane, turn, account, address, kind, state, text, created_at)
SELECT CAST(:id AS TEXT), lane, turn, account, address, kind, 'planning', '', {now}
FROM approval WHERE id = :approval AND kind = 'plan'
ON CONFLICT (id) DO NOTHING
"""

_DROP_ALL = """
UPDATE approval SET state = 'dropped', decided_at = {now}
WHERE lane = :lane AND state IN ('planning', 'pending') RETURNING id
"""

_DROP = """
UPDATE approval SET state = 'dropped', decided_at = {now}
WHERE lane = :lane AND state = 'pending' RETURNING kind
"""
