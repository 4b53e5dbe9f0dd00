"""Registry of personal data: for each table, who owns its rows, how these are exported, erased,
merged.

Every table and column of the database is named here. `read_records` reads by the registry,
`erase_rows` and `merge_accounts` write every table by it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from bot.contracts.storage import Transaction
from bot.gateway.lanes import unite_threads
from bot.learning.remembered_facts import adopt_facts
from bot.learning.reviews.cards import adopt_cards
from bot.learning.reviews.review_reminders import adopt_schedule
from bot.learning.skills.learner_model import adopt_levels, adopt_mastery
from bot.learning.skills.placement import adopt_placement
from bot.storage.accounts import merge_account

Owner = Literal["account", "itself", "lane", "lane itself", "turns", "address", "session", "nobody"]
ErasedBy = Owner | Literal["payer", "name"]
"""`payer`: an account and a conversation in which it paid for another person's turns. `name`: a
number (E.164), a user id or an e-mail address."""
_WORK = "how Griot works it off, which says nothing of the person"
_NAME = "an internal name, made of other columns"
_BOOKS = "the books are kept, of an account without a name"
_NOBODY = "it says nothing of anybody"
_LIMITS = "to be erased must not give new messages or codes; kept for a day"


@dataclass(frozen=True, slots=True)
class Delete:
    """These rows are deleted."""

    by: ErasedBy
    where: str = ""
    """SQL, with the parameters of `erase_rows`; empty: as in `ROWS_OF`."""


@dataclass(frozen=True, slots=True)
class Change:
    """These rows stay, with other values."""

    by: ErasedBy
    values: str
    """SQL: `column = value, …`."""
    where: str = ""


@dataclass(frozen=True, slots=True)
class Reassign:
    """The rows are given to the account that theirs is merged into."""

    values: str = ""
    """SQL: further changes in these rows, `column = value, …`."""


@dataclass(frozen=True, slots=True)
class Keep:
    """The rows stay with their account, though it is merged."""

    reason: str


Combine = Callable[[Transaction, int, int], Awaitable[None]]
"""Gives the rows of one account to another, which may have such rows of its own."""


@dataclass(frozen=True, slots=True)
class PersonalTable:
    """The registry's entry for one table."""

    owner: Owner
    """What links a row to a person: its account, conversation, turn in a conversation, identity."""
    columns: str = ""
    """Columns that are exported under the table's name, separated by spaces."""
    left_out: Mapping[str, str] = field(default_factory=dict[str, str])
    """Columns that are not exported, separated by spaces, with the reason."""
    erased: tuple[Delete | Change, ...] = ()
    """What is done when a person is erased, in this order."""
    keyed: bool = False
    """The column `key` shows in which conversation, or for whom, something was done; in a row that
    stays it is replaced by a random key."""
    kept: Mapping[str, str] = field(default_factory=dict[str, str])
    """In rows that stay: the columns that are not changed, separated by spaces, with the reason."""
    merged: Reassign | Combine | Keep | None = None
    """What is done when an account is merged into another; None: the rows have no account."""

    @property
    def exported(self) -> tuple[str, ...]:
        return tuple(self.columns.split())


ROWS_OF: Final[Mapping[ErasedBy, str]] = {
    "account": "account = :account",
    "itself": "id = :account",
    "payer": "account = :account AND lane = :lane",
    "lane": "lane = :lane",
    "lane itself": "id = :lane",
    "turns": "lane = :lane AND turn BETWEEN :first AND :last",
    "address": "channel = :channel AND address = :address",
    "session": "id = :session",
}
"""The condition, in SQL, by which rows belong to an account, a conversation, …"""
_OF_ACCOUNT: Final = (Delete("account"),)
_OF_ACCOUNT_OR_LANE: Final = (Delete("account"), Delete("lane"))
_OF_TURNS: Final = (Delete("turns"),)
PERSONAL: Final[Mapping[str, PersonalTable]] = {
    "account": PersonalTable(
        "itself",
        "id phone user_id email name mode language grade country timezone balance part_of"
        " created_at",
        {"greeted erased": _WORK},
        erased=(
            Change(
                "itself",
                "erased = 1, phone = NULL, user_id = NULL, name = '', email = '', grade = '',"
                " country = '', timezone = 'Africa/Abidjan'",
            ),
        ),
        kept={"id balance part_of created_at": _BOOKS, "mode language greeted": _NOBODY},
        merged=merge_account,
    ),
    "alias": PersonalTable(
        "address",
        "channel value address former reported_at",
        erased=(
            Delete(
                "address",
                "channel = :channel"
                " AND (address = :address OR (value = :address AND address = ''))",
            ),
        ),
    ),
    "identity": PersonalTable(
        "address",
        "channel address account name language created_at",
        erased=(Delete("address"),),
        merged=Reassign(),
    ),
    "session": PersonalTable(
        "session",
        "id account created_at",
        {"address": "as in identity"},
        erased=(Delete("session"),),
        merged=Reassign(),
    ),
    "code": PersonalTable(
        "address",
        "target prefix channel address state tries expires_at created_at",
        {"id": "the code follows from it"},
        erased=(
            Change("name", "target = :hidden, state = 'replaced'", "target = :name"),
            Delete(
                "address",
                "channel = :channel AND address = :address AND target LIKE '%@%'",
            ),
            Change("address", "address = :hidden, state = 'replaced'"),
        ),
        kept={"id prefix channel tries expires_at created_at": _LIMITS},
    ),
    "allowance": PersonalTable(
        "address",
        "channel address day used",
        erased=(
            Delete(
                "address",
                "channel = :channel AND address = :hidden AND EXISTS (SELECT 1 FROM allowance AS"
                " raw WHERE raw.channel = :channel AND raw.address = :address)",
            ),
            Change(
                "address",
                "address = :hidden",
                "channel = :channel AND address = :address AND day = (SELECT max(day) FROM"
                " allowance WHERE channel = :channel AND address = :address)",
            ),
            Delete("address"),
        ),
        kept={"channel day used": _LIMITS},
    ),
    "memory": PersonalTable(
        "account",
        "id account fact created_at",
        erased=_OF_ACCOUNT,
        merged=adopt_facts,
    ),
    "ledger": PersonalTable(
        "account",
        "account amount kind at",
        {"key": _NAME},
        keyed=True,
        kept={"account amount kind at": _BOOKS},
        merged=Keep("`ledger.move` books what is moved, in both accounts"),
    ),
    "purchase": PersonalTable(
        "account",
        "id account lane address pack credits provider currency amount language state reason"
        " reference charge created_at paid_at refund_until",
        {"key": _NAME, "url": "it opens the payment", "asked asked_at ask_at": _WORK},
        erased=(
            Change("account", "key = id, lane = '', address = '', url = ''"),
            Change("payer", "lane = '', address = ''"),
        ),
        keyed=True,
        kept={
            "id account pack credits provider currency amount language state reason reference"
            " charge created_at paid_at asked asked_at ask_at refund_until": _BOOKS
            + ", and what is paid can be given back"
        },
        merged=Reassign(),
    ),
    "file": PersonalTable(
        "account",
        "id account name mime_type size sha256 source created_at",
        {"key": _NAME, "folder": _WORK},
        erased=_OF_ACCOUNT,  # and what guests showed, by `forget_files_of_guests`
        keyed=True,
        merged=Reassign("folder = coalesce(folder, account)"),
    ),
    "reading": PersonalTable(
        "account",
        "file account state reason chunks cut at",
        erased=_OF_ACCOUNT,
        merged=Reassign(),
    ),
    "chunk": PersonalTable(
        "account",
        "id file nth account place",
        {"body words": "text of files, which are exported whole", "overlap": _WORK},
        erased=_OF_ACCOUNT,
        merged=Reassign(),
    ),
    "embedding": PersonalTable(
        "account",
        "account chunk model",
        {"vector": "numbers made of the text of files"},
        erased=_OF_ACCOUNT,
        merged=Reassign(),
    ),
    "quiz": PersonalTable(
        "account",
        "id lane account kind question options skill topic expires_at answered_index answered_at",
        {"correct_index explanation": "in results.json, once it is answered"},
        erased=_OF_ACCOUNT_OR_LANE,
        merged=Reassign(),
    ),
    "exercise": PersonalTable(
        "account",
        "id lane account skill difficulty kind statement tries hints_shown left_after state"
        " expires_at ended_at",
        {"body": "it holds the solution, which is in results.json once the exercise is over"},
        erased=_OF_ACCOUNT_OR_LANE,
        merged=Reassign(),
    ),
    "result": PersonalTable(
        "account",
        "account subject topic skill correct source at",
        {"key": _NAME, "lane": "of guests"},
        erased=(Delete("account"), Delete("lane", "account = 0 AND lane = :lane")),
        keyed=True,
        merged=Reassign(),
    ),
    "card": PersonalTable(
        "account",
        "account skill kind statement level stability difficulty reviewed_at due_at reviews lapses",
        {"body": "it holds the solution of what is asked again", "key": _NAME, "lane": "of guests"},
        erased=(Delete("account"), Delete("lane", "account = 0 AND lane = :lane")),
        merged=adopt_cards,
    ),
    "review": PersonalTable(
        "account",
        "account days hour zone channel nudge_at nudged_at",
        {"ignored": _WORK},
        erased=_OF_ACCOUNT,
        merged=adopt_schedule,
    ),
    "mastery": PersonalTable(
        "account",
        "account skill p answers changed_at",
        erased=_OF_ACCOUNT,
        merged=adopt_mastery,
    ),
    "level": PersonalTable(
        "account",
        "account subject place answers changed_at",
        erased=_OF_ACCOUNT,
        merged=adopt_levels,
    ),
    "placement": PersonalTable(
        "account",
        "account grade answers former exercise begun_at",
        {"seed": _WORK, "lane": "of guests"},
        erased=(Delete("account"), Delete("lane", "account = 0 AND lane = :lane")),
        merged=adopt_placement,
    ),
    "task": PersonalTable(
        "account",
        "id account channel title priority due_at zone tags remind_by state reminded_at created_at"
        " done_at wanted_at remind_at reminder_state reminder_lane",
        {"key": _NAME, "generation channels_tried reminder_turn sent_id": _WORK},
        erased=(
            Delete("account"),
            Change(
                "lane",
                "reminder_lane = '', reminder_turn = NULL, reminder_state ="
                " CASE reminder_state WHEN 'handed' THEN 'unknown' ELSE reminder_state END",
                "reminder_lane = :lane",
            ),
        ),
        keyed=True,
        merged=Reassign(),
    ),
    "report": PersonalTable(
        "account",
        "account lane turn severity description created_at",
        {"key": _NAME},
        erased=(Delete("account"), Change("payer", "lane = ''")),
        keyed=True,
        merged=Keep("it tells operators from which account it came"),
    ),
    "approval": PersonalTable(
        "account",
        "id lane turn account address kind state text payload created_at decided_at",
        erased=_OF_ACCOUNT_OR_LANE,
        merged=Keep("it is decided where it was asked for"),
    ),
    "lane": PersonalTable(
        "lane itself",
        "id via reachable opted_out notices_off moved_to person_wrote_at open_question"
        " open_exercise asked_since thread",
        {
            "owner fence due_at history_from window_closed plain_until expected_input erased"
            " summarised": _WORK,
        },
        erased=(Delete("lane itself"),),
        merged=unite_threads,
    ),
    "receipt": PersonalTable(
        "nobody",
        left_out={
            "via provider_id state body at": "a report on a delivery that is not known; for a day"
        },
        erased=(
            Delete(
                "turns",
                "provider_id IN (SELECT provider_id FROM outbox WHERE lane = :lane"
                " AND turn BETWEEN :first AND :last AND provider_id IS NOT NULL)",
            ),
        ),
    ),
    "inbox": PersonalTable(
        "turns",
        "seq lane body turn state stored_at",
        {
            "delivery_key message_key request_key": _NAME,
            "bypass_queue mergeable ready_at aside": _WORK,
        },
        erased=(
            Delete(
                "turns",
                "lane = :lane AND (seq BETWEEN :first AND :last OR turn BETWEEN :first AND :last)",
            ),
        ),
    ),
    "turn": PersonalTable(
        "turns",
        "lane id account state reason input_tokens output_tokens usd credits started_at ended_at",
        {"attempts failures deaths steps worker seconds_used reserved error": _WORK},
        erased=(Delete("turns", "lane = :lane AND id BETWEEN :first AND :last"),),
        merged=Keep("it tells which account paid for it"),
    ),
    "journal": PersonalTable(
        "turns",
        "lane turn step kind at",
        {"body": "its words are in messages.json; calls of tools hold the keys of open quizzes"},
        erased=(
            Delete("turns"),
            # A summary up to a later turn covers these turns too: it is made again.
            Delete(
                "turns",
                "lane = :lane AND kind = 'summary' AND turn > :last"
                " AND CAST(:keep_summary AS BIGINT) = 0",
            ),
        ),
    ),
    "spending": PersonalTable(
        "turns", "lane turn kind name calls input_tokens output_tokens usd", erased=_OF_TURNS
    ),
    "cost": PersonalTable(
        "turns",
        "lane turn channel category billable delivered_at month free price amount",
        {"provider_id": _NAME, "sender booked_at": _WORK},
        erased=_OF_TURNS,
    ),
    "outbox": PersonalTable(
        "turns",
        "id lane turn part body state via receipt error created_at ended_at",
        {"attempts due_at priority slot_taken provider_id tried_from": _WORK},
        erased=(
            Delete(
                "turns",
                "lane = :lane AND turn BETWEEN :first AND :last"
                " AND NOT (CAST(:keep_signs AS BIGINT) = 1 AND priority = 1 AND part >= 0"
                " AND state IN ('pending', 'attempting'))",
            ),
        ),
    ),
    "rest": PersonalTable("turns", "lane turn bodies at", erased=_OF_TURNS),
    "shortlink": PersonalTable(
        "turns",
        "route lane turn target body expires_at",
        {"id": "with it a page could be opened that an SMS leads to"},
        erased=_OF_TURNS,
    ),
    "button": PersonalTable(
        "lane",
        "lane address action expires_at",
        {"token": "it does what the button does"},
        erased=(
            Delete("lane"),
            Delete(
                "address",
                "address = :address AND substr(lane, 1, length(CAST(:channel AS TEXT)) + 1)"
                " = CAST(:channel AS TEXT) || ':'",
            ),
        ),
    ),
    "background": PersonalTable(
        "lane", "lane id lost_at", {"key": _NAME, "owner": _WORK}, erased=(Delete("lane"),)
    ),
    "unreadable": PersonalTable(
        "nobody",
        left_out={
            "id digest channel via reason payload at": (
                "messages whose sender or shape could not be told; for 30 days"
            )
        },
        erased=(
            Delete("name", "payload LIKE '%' || ltrim(CAST(:name AS TEXT), '+') || '%'"),
            Delete(
                "address",
                "channel = :channel"
                " AND payload LIKE '%' || ltrim(CAST(:address AS TEXT), '+') || '%'",
            ),
        ),
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
    "restriction": PersonalTable(
        "nobody",
        left_out={
            "via reason since try_at trial trusted_at": "our numbers that a provider has restricted"
        },
    ),
    "quota": PersonalTable(
        "nobody", left_out={"sender month used": "how many messages were free, over all people"}
    ),
}
"""In the order in which rows are erased: those that are found by a delivery go before it."""
