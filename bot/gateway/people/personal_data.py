"""Registry of personal data: whose the rows of each table are, and what of them is exported.

Every table and column of the database is named here: exported, or left out with the reason.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, Literal

import msgspec

from bot.accounts.personal_data import PersonalRows
from bot.contracts.storage import Database, Row, Transaction
from bot.messages.channels import WEB

Owner = Literal["account", "itself", "lane", "lane itself", "turn", "address", "session", "nobody"]
_WORK = "how Griot works it off, which says nothing of the person"
_NAME = "an internal name, made of other columns"


@dataclass(frozen=True, slots=True)
class PersonalTable:
    """What the registry says of a table."""

    owner: Owner
    """By what a row is somebody's: its account, conversation, turn in a conversation, identity."""
    columns: str = ""
    """Those that are exported under the table's name, separated by spaces."""
    left_out: Mapping[str, str] = field(default_factory=dict[str, str])
    """Those that are not, separated by spaces, with the reason."""

    @property
    def exported(self) -> tuple[str, ...]:
        return tuple(self.columns.split())


PERSONAL: Final[Mapping[str, PersonalTable]] = {
    "account": PersonalTable(
        "itself",
        "id phone user_id email name mode language grade country timezone balance part_of"
        " created_at",
        {"greeted erased": _WORK},
    ),
    "alias": PersonalTable("address", "channel value address former reported_at"),
    "identity": PersonalTable("address", "channel address account name language created_at"),
    "session": PersonalTable("session", "id account created_at", {"address": "as in identity"}),
    "code": PersonalTable(
        "address",
        "target prefix channel address state tries expires_at created_at",
        {"id": "the code follows from it"},
    ),
    "allowance": PersonalTable("address", "channel address day used"),
    "memory": PersonalTable("account", "id account fact created_at"),
    "ledger": PersonalTable("account", "account amount kind at", {"key": _NAME}),
    "purchase": PersonalTable(
        "account",
        "id account lane address pack credits provider currency amount language state reason"
        " reference charge created_at paid_at refund_until",
        {"key": _NAME, "url": "it opens the payment", "asked asked_at ask_at": _WORK},
    ),
    "file": PersonalTable(
        "account",
        "id account name mime_type size sha256 source created_at",
        {"key": _NAME, "folder": _WORK},
    ),
    "reading": PersonalTable("account", "file account state reason chunks cut at"),
    "chunk": PersonalTable(
        "account",
        "id file nth account place",
        {"body words": "text of files, which are exported whole", "overlap": _WORK},
    ),
    "embedding": PersonalTable(
        "account", "account chunk model", {"vector": "numbers made of the text of files"}
    ),
    "quiz": PersonalTable(
        "account",
        "id lane account kind question options skill topic expires_at answered_index answered_at",
        {"correct_index explanation": "in results.json, once it is answered"},
    ),
    "exercise": PersonalTable(
        "account",
        "id lane account skill difficulty kind statement tries hints_shown left_after state"
        " expires_at ended_at",
        {"body": "it holds the solution, which is in results.json once the exercise is over"},
    ),
    "result": PersonalTable(
        "account", "account subject topic skill correct source at", {"key": _NAME}
    ),
    "card": PersonalTable(
        "account",
        "account skill kind statement level stability difficulty reviewed_at due_at reviews lapses",
        {"body": "it holds the solution of what is asked again", "key": _NAME, "lane": "of guests"},
    ),
    "review": PersonalTable(
        "account", "account days hour zone channel nudge_at nudged_at", {"ignored": _WORK}
    ),
    "mastery": PersonalTable("account", "account skill p answers changed_at"),
    "level": PersonalTable("account", "account subject place answers changed_at"),
    "placement": PersonalTable(
        "account", "account grade answers exercise begun_at", {"seed": _WORK}
    ),
    "task": PersonalTable(
        "account",
        "id account channel title priority due_at zone tags remind_by state reminded_at created_at"
        " done_at wanted_at remind_at reminder_state reminder_lane",
        {"key": _NAME, "generation channels_tried reminder_turn sent_id": _WORK},
    ),
    "report": PersonalTable(
        "account", "account lane turn severity description created_at", {"key": _NAME}
    ),
    "approval": PersonalTable(
        "account", "id lane turn account address kind state text payload created_at decided_at"
    ),
    "lane": PersonalTable(
        "lane itself",
        "id via reachable opted_out notices_off moved_to person_wrote_at open_question"
        " open_exercise thread",
        {
            "owner fence due_at history_from window_closed expected_input erased summarised": _WORK,
        },
    ),
    "inbox": PersonalTable(
        "turn",
        "seq lane body turn state stored_at",
        {"delivery_key message_key": _NAME, "bypass_queue mergeable ready_at aside": _WORK},
    ),
    "turn": PersonalTable(
        "turn",
        "lane id account state reason input_tokens output_tokens usd credits started_at ended_at",
        {"attempts failures deaths steps worker seconds_used reserved error": _WORK},
    ),
    "journal": PersonalTable(
        "turn",
        "lane turn step kind at",
        {"body": "its words are in messages.json; calls of tools hold the keys of open quizzes"},
    ),
    "spending": PersonalTable("turn", "lane turn kind name calls input_tokens output_tokens usd"),
    "cost": PersonalTable(
        "turn",
        "lane turn channel category billable delivered_at month free price amount",
        {"provider_id": _NAME, "sender booked_at": _WORK},
    ),
    "outbox": PersonalTable(
        "turn",
        "id lane turn part body state via receipt error created_at ended_at",
        {"attempts due_at priority slot_taken provider_id tried_from": _WORK},
    ),
    "rest": PersonalTable("turn", "lane turn bodies at"),
    "shortlink": PersonalTable(
        "turn",
        "route lane turn target body expires_at",
        {"id": "with it a page could be opened that an SMS leads to"},
    ),
    "button": PersonalTable(
        "lane", "lane address action expires_at", {"token": "it does what the button does"}
    ),
    "background": PersonalTable("lane", "lane id lost_at", {"key": _NAME, "owner": _WORK}),
    "receipt": PersonalTable(
        "nobody",
        left_out={
            "via provider_id state body at": "a report on a delivery that is not known; for a day"
        },
    ),
    "unreadable": PersonalTable(
        "nobody",
        left_out={
            "id digest channel via reason payload at": (
                "messages whose sender or shape could not be told; for 30 days"
            )
        },
    ),
    "worker": PersonalTable(
        "nobody", left_out={"owner started_at heartbeat_at": "processes of Griot"}
    ),
    "tally": PersonalTable(
        "nobody",
        left_out={
            "hour kind name calls failed input_tokens output_tokens usd": "sums over all people"
        },
    ),
    "quota": PersonalTable(
        "nobody", left_out={"sender month used": "how many messages were free, over all people"}
    ),
}
_TURN_OF: Final = {"inbox": "coalesce(inbox.turn, inbox.seq)", "turn": "turn.id"}
"""By what a row names its turn, where that is not the column `turn`."""


async def read_records(
    database: Database, personal: PersonalRows, lanes: Sequence[str]
) -> AsyncIterator[tuple[str, list[dict[str, object]]]]:
    """Each personal table's name, with the person's rows of it as they may be exported.

    Args:
        lanes: their conversations. What somebody else said there, who used the same phone under
            another account, is left out.
    """
    for name, table in PERSONAL.items():
        if not table.exported:
            continue

        async def work(tx: Transaction, name: str = name) -> list[Row]:
            return await read_rows(tx, name, personal, lanes)

        rows = await database.read(work)
        yield name, [_plain(table, row) for row in rows]


async def read_rows(
    tx: Transaction, name: str, personal: PersonalRows, lanes: Sequence[str] = ()
) -> list[Row]:
    """The exported columns of the person's rows in a table, as they are stored."""
    table = PERSONAL[name]
    sql = f"SELECT {', '.join(table.exported)} FROM {name} WHERE {_WHERE[table.owner]}"  # noqa: S608 (made of constants)
    sql = sql.replace("{turn}", _TURN_OF.get(name, f"{name}.turn")).replace("{table}", name)
    rows: list[Row] = []
    for values in _keys(table.owner, personal, lanes):
        rows += await tx.fetch(sql, **values)
    return rows


def _keys(owner: Owner, personal: PersonalRows, lanes: Sequence[str]) -> list[dict[str, object]]:
    """The values of the parameters, one set a query."""
    match owner:
        case "account" | "itself":
            return [{"account": account} for account in personal.accounts]
        case "address":
            return [{"channel": each, "address": address} for each, address in personal.addresses]
        case "session":
            return [{"session": session} for session in personal.sessions]
        case "turn":
            account = personal.accounts[0] if personal.accounts else 0
            return [{"lane": lane, "account": account} for lane in lanes]
        case _:
            return [{"lane": lane} for lane in lanes]


def _plain(table: PersonalTable, row: Row) -> dict[str, object]:
    """The row with times as ISO 8601, JSON as what it says, and no hash of a session's token."""
    shown = {name: _value(name, row[name]) for name in table.exported}
    if shown.get("channel") == WEB and "address" in shown:
        shown["address"] = "session"
    return shown


def _value(name: str, value: Any) -> object:
    if isinstance(value, int | float) and (name == "at" or name.endswith("_at")):
        return datetime.fromtimestamp(value, UTC).isoformat(timespec="seconds")
    if isinstance(value, str) and value[:1] in {"{", "["}:
        try:
            return msgspec.json.decode(value)
        except msgspec.DecodeError:
            return value
    return value


_WHERE: Final[Mapping[Owner, str]] = {
    "account": "account = :account",
    "itself": "id = :account",
    "lane": "lane = :lane",
    "lane itself": "id = :lane",
    "address": "channel = :channel AND address = :address",
    "session": "id = :session",
    "turn": """{table}.lane = :lane AND NOT EXISTS (
        SELECT 1 FROM turn AS whose
        WHERE whose.lane = {table}.lane AND whose.id = {turn} AND CAST(:account AS BIGINT) <>
            coalesce((SELECT part_of FROM account WHERE id = whose.account), whose.account)
    )""",
}
