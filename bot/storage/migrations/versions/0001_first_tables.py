"""The first tables, as `bot/storage/tables` describes them, and the full-text index"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    _create_tables()
    if op.get_bind().dialect.name == "sqlite":
        for statement in _FULLTEXT_SQLITE:
            op.execute(statement)
    else:
        for statement in _FULLTEXT_POSTGRES:
            op.execute(statement)


def _create_tables() -> None:
    # As long as there are tables: written by `alembic revision --autogenerate`.
    op.create_table(
        "account",
        sa.Column(
            "id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            sa.Identity(always=False),
            nullable=False,
        ),
        sa.Column("phone", sa.Text(), nullable=True),
        sa.Column("user_id", sa.Text(), nullable=True),
        sa.Column("name", sa.Text(), server_default="", nullable=False),
        sa.Column("mode", sa.Text(), server_default="child", nullable=False),
        sa.Column("language", sa.Text(), server_default="fr", nullable=False),
        sa.Column("grade", sa.Text(), server_default="", nullable=False),
        sa.Column("country", sa.Text(), server_default="", nullable=False),
        sa.Column("timezone", sa.Text(), server_default="Africa/Abidjan", nullable=False),
        sa.Column("balance", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("email", sa.Text(), server_default="", nullable=False),
        sa.Column("part_of", sa.BigInteger(), nullable=True),
        sa.Column("greeted", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("erased", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.CheckConstraint("balance >= 0", name="account_balance_never_negative"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("phone"),
        sa.UniqueConstraint("user_id"),
    )
    op.create_table(
        "alias",
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("former", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("reported_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("channel", "value"),
        sqlite_with_rowid=False,
    )
    op.create_index("alias_address", "alias", ["channel", "address"], unique=False)
    op.create_table(
        "allowance",
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("used", sa.BigInteger(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("channel", "address", "day"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "approval",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("lane", sa.Text(), nullable=False),
        sa.Column("turn", sa.BigInteger(), nullable=False),
        sa.Column("account", sa.BigInteger(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("payload", sa.Text(), server_default="", nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("decided_at", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sqlite_with_rowid=False,
    )
    op.create_index("approval_lane", "approval", ["lane"], unique=False)
    op.create_table(
        "background",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("lane", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("lost_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("key"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "button",
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("lane", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("expires_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("token"),
    )
    op.create_index("button_expiry", "button", ["expires_at"], unique=False)
    op.create_table(
        "code",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("prefix", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), server_default="open", nullable=False),
        sa.Column("tries", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("expires_at", sa.Double(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sqlite_with_rowid=False,
    )
    op.create_index("code_asker", "code", ["channel", "address", "created_at"], unique=False)
    op.create_index("code_prefix", "code", ["prefix", "created_at"], unique=False)
    op.create_index("code_target", "code", ["target", "created_at"], unique=False)
    op.create_table(
        "result",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("account", sa.BigInteger(), nullable=False),
        sa.Column("lane", sa.Text(), server_default="", nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("topic", sa.Text(), nullable=False),
        sa.Column("correct", sa.BigInteger(), nullable=False),
        sa.Column("skill", sa.Text(), server_default="", nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("key"),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "result_guest",
        "result",
        ["lane"],
        unique=False,
        postgresql_where=sa.text("lane <> ''"),
        sqlite_where=sa.text("lane <> ''"),
    )
    op.create_index("result_account", "result", ["account", "at", "correct"], unique=False)
    op.create_index("result_subject", "result", ["account", "subject", "correct"], unique=False)
    op.create_table(
        "level",
        sa.Column("account", sa.BigInteger(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("place", sa.Double(), nullable=False),
        sa.Column("answers", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("account", "subject"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "mastery",
        sa.Column("account", sa.BigInteger(), nullable=False),
        sa.Column("skill", sa.Text(), nullable=False),
        sa.Column("p", sa.Double(), nullable=False),
        sa.Column("answers", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("account", "skill"),
        sqlite_with_rowid=False,
    )
    op.create_index("mastery_skill", "mastery", ["skill"], unique=False)
    op.create_table(
        "placement",
        sa.Column("account", sa.BigInteger(), nullable=False),
        sa.Column("lane", sa.Text(), nullable=False),
        sa.Column("grade", sa.Text(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("answers", sa.Text(), server_default="[]", nullable=False),
        sa.Column("former", sa.Text(), server_default="[]", nullable=False),
        sa.Column("exercise", sa.Text(), nullable=False),
        sa.Column("begun_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("account", "lane"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "exercise",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("lane", sa.Text(), nullable=False),
        sa.Column("account", sa.BigInteger(), nullable=False),
        sa.Column("skill", sa.Text(), nullable=False),
        sa.Column("difficulty", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("statement", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("tries", sa.Text(), server_default="[]", nullable=False),
        sa.Column("hints_shown", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("left_after", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("state", sa.Text(), server_default="open", nullable=False),
        sa.Column("expires_at", sa.Double(), nullable=False),
        sa.Column("ended_at", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("exercise_account", "exercise", ["account", "state"], unique=False)
    op.create_index("exercise_lane", "exercise", ["lane", "state"], unique=False)
    op.create_table(
        "card",
        sa.Column("account", sa.BigInteger(), nullable=False),
        sa.Column("lane", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("skill", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("statement", sa.Text(), nullable=False),
        sa.Column("level", sa.BigInteger(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("stability", sa.Double(), nullable=False),
        sa.Column("difficulty", sa.Double(), nullable=False),
        sa.Column("reviewed_at", sa.Double(), nullable=False),
        sa.Column("due_at", sa.Double(), nullable=False),
        sa.Column("reviews", sa.BigInteger(), nullable=False),
        sa.Column("lapses", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("account", "lane", "key"),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "card_due",
        "card",
        ["account", "lane", "due_at", "lapses", "reviewed_at", "stability"],
        unique=False,
    )
    op.create_index("card_reviewed", "card", ["account", "lane", "reviewed_at"], unique=False)
    op.create_table(
        "review",
        sa.Column("account", sa.BigInteger(), nullable=False),
        sa.Column("days", sa.Text(), nullable=False),
        sa.Column("hour", sa.BigInteger(), nullable=False),
        sa.Column("zone", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("nudge_at", sa.Double(), nullable=True),
        sa.Column("nudged_at", sa.Double(), nullable=True),
        sa.Column("ignored", sa.BigInteger(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("account"),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "review_due",
        "review",
        ["nudge_at"],
        unique=False,
        postgresql_where=sa.text("nudge_at IS NOT NULL"),
        sqlite_where=sa.text("nudge_at IS NOT NULL"),
    )
    op.create_table(
        "file",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("account", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("mime_type", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("folder", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("key"),
    )
    op.create_index("file_account", "file", ["account", "created_at"], unique=False)
    op.create_table(
        "identity",
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("account", sa.BigInteger(), nullable=True),
        sa.Column("name", sa.Text(), server_default="", nullable=False),
        sa.Column("language", sa.Text(), server_default="", nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("channel", "address"),
        sqlite_with_rowid=False,
    )
    op.create_index("identity_account", "identity", ["account"], unique=False)
    op.create_table(
        "inbox",
        sa.Column(
            "seq",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            sa.Identity(always=False),
            nullable=False,
        ),
        sa.Column("lane", sa.Text(), nullable=False),
        sa.Column("delivery_key", sa.Text(), nullable=False),
        sa.Column("message_key", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("bypass_queue", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("mergeable", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("ready_at", sa.Double(), nullable=False),
        sa.Column("aside", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("turn", sa.BigInteger(), nullable=True),
        sa.Column("state", sa.Text(), server_default="pending", nullable=False),
        sa.Column("stored_at", sa.Double(), nullable=False),
        sa.Column("request_key", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("seq"),
        sa.UniqueConstraint("lane", "delivery_key"),
        sa.UniqueConstraint("lane", "message_key"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "inbox_pending",
        "inbox",
        ["lane", "seq"],
        unique=False,
        postgresql_where=sa.text("state = 'pending'"),
        sqlite_where=sa.text("state = 'pending'"),
    )
    op.create_index(
        "inbox_request",
        "inbox",
        ["request_key"],
        unique=False,
        postgresql_where=sa.text("request_key IS NOT NULL"),
        sqlite_where=sa.text("request_key IS NOT NULL"),
    )
    op.create_table(
        "journal",
        sa.Column("lane", sa.Text(), nullable=False),
        sa.Column("turn", sa.BigInteger(), nullable=False),
        sa.Column("step", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("lane", "turn", "step"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "lane",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("via", sa.Text(), server_default="", nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("fence", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("due_at", sa.Double(), nullable=True),
        sa.Column("history_from", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("reachable", sa.BigInteger(), server_default="1", nullable=False),
        sa.Column("opted_out", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("notices_off", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("moved_to", sa.Text(), nullable=True),
        sa.Column("person_wrote_at", sa.Double(), server_default="0", nullable=False),
        sa.Column("window_closed", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("plain_until", sa.Double(), server_default="0", nullable=False),
        sa.Column("open_question", sa.Text(), server_default="", nullable=False),
        sa.Column("open_exercise", sa.Text(), server_default="", nullable=False),
        sa.Column("asked_since", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("thread", sa.Text(), nullable=True),
        sa.Column("expected_input", sa.Text(), server_default="", nullable=False),
        sa.Column("erased", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("summarised", sa.BigInteger(), server_default="-1", nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "lane_due",
        "lane",
        ["due_at"],
        unique=False,
        postgresql_where=sa.text("due_at IS NOT NULL"),
        sqlite_where=sa.text("due_at IS NOT NULL"),
    )
    op.create_index(
        "lane_erased",
        "lane",
        ["erased"],
        unique=False,
        postgresql_where=sa.text("erased = 1"),
        sqlite_where=sa.text("erased = 1"),
    )
    op.create_index(
        "lane_moved",
        "lane",
        ["moved_to"],
        unique=False,
        postgresql_where=sa.text("moved_to IS NOT NULL"),
        sqlite_where=sa.text("moved_to IS NOT NULL"),
    )
    op.create_index(
        "lane_owner",
        "lane",
        ["owner"],
        unique=False,
        postgresql_where=sa.text("owner IS NOT NULL"),
        sqlite_where=sa.text("owner IS NOT NULL"),
    )
    op.create_index(
        "lane_thread",
        "lane",
        ["thread"],
        unique=False,
        postgresql_where=sa.text("thread IS NOT NULL"),
        sqlite_where=sa.text("thread IS NOT NULL"),
    )
    op.create_table(
        "ledger",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("account", sa.BigInteger(), nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("key"),
        sqlite_with_rowid=False,
    )
    op.create_index("ledger_account", "ledger", ["account"], unique=False)
    op.create_table(
        "memory",
        sa.Column(
            "id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            sa.Identity(always=False),
            nullable=False,
        ),
        sa.Column("account", sa.BigInteger(), nullable=False),
        sa.Column("fact", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("account", "fact"),
    )
    op.create_table(
        "outbox",
        sa.Column(
            "id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            sa.Identity(always=False),
            nullable=False,
        ),
        sa.Column("lane", sa.Text(), nullable=False),
        sa.Column("turn", sa.BigInteger(), nullable=False),
        sa.Column("part", sa.BigInteger(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), server_default="pending", nullable=False),
        sa.Column("attempts", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("due_at", sa.Double(), nullable=False),
        sa.Column("via", sa.Text(), server_default="", nullable=False),
        sa.Column("priority", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("slot_taken", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("provider_id", sa.Text(), nullable=True),
        sa.Column("receipt", sa.Text(), server_default="", nullable=False),
        sa.Column("error", sa.Text(), server_default="", nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("tried_from", sa.Double(), nullable=True),
        sa.Column("ended_at", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("lane", "turn", "part"),
    )
    op.create_index(
        "outbox_failed",
        "outbox",
        ["id", "state", "created_at"],
        unique=False,
        postgresql_where=sa.text("state IN ('refused', 'unknown')"),
        sqlite_where=sa.text("state IN ('refused', 'unknown')"),
    )
    op.create_index(
        "outbox_open",
        "outbox",
        ["lane", "id"],
        unique=False,
        postgresql_where=sa.text("state IN ('pending', 'attempting')"),
        sqlite_where=sa.text("state IN ('pending', 'attempting')"),
    )
    op.create_index("outbox_provider", "outbox", ["provider_id"], unique=False)
    op.create_index(
        "outbox_waiting",
        "outbox",
        ["lane"],
        unique=False,
        postgresql_where=sa.text("state = 'waiting_for_window'"),
        sqlite_where=sa.text("state = 'waiting_for_window'"),
    )
    op.create_index(
        "outbox_held",
        "outbox",
        ["via", "id"],
        unique=False,
        postgresql_where=sa.text("state = 'waiting_for_sender'"),
        sqlite_where=sa.text("state = 'waiting_for_sender'"),
    )
    op.create_table(
        "purchase",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("account", sa.BigInteger(), nullable=False),
        sa.Column("lane", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("pack", sa.Text(), nullable=False),
        sa.Column("credits", sa.BigInteger(), nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.Column("language", sa.Text(), server_default="fr", nullable=False),
        sa.Column("state", sa.Text(), server_default="open", nullable=False),
        sa.Column("reason", sa.Text(), server_default="", nullable=False),
        sa.Column("reference", sa.Text(), server_default="", nullable=False),
        sa.Column("url", sa.Text(), server_default="", nullable=False),
        sa.Column("charge", sa.Text(), server_default="", nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("paid_at", sa.Double(), nullable=True),
        sa.Column("asked", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("asked_at", sa.Double(), nullable=True),
        sa.Column("ask_at", sa.Double(), nullable=True),
        sa.Column("refund_until", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("key"),
        sqlite_with_rowid=False,
    )
    op.create_index("purchase_account", "purchase", ["account", "created_at"], unique=False)
    op.create_index(
        "purchase_ask",
        "purchase",
        ["ask_at"],
        unique=False,
        postgresql_where=sa.text("ask_at IS NOT NULL"),
        sqlite_where=sa.text("ask_at IS NOT NULL"),
    )
    op.create_index("purchase_made", "purchase", ["created_at", "id"], unique=False)
    op.create_table(
        "quiz",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("lane", sa.Text(), nullable=False),
        sa.Column("account", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("correct_index", sa.BigInteger(), nullable=False),
        sa.Column("explanation", sa.Text(), nullable=False),
        sa.Column("skill", sa.Text(), server_default="", nullable=False),
        sa.Column("topic", sa.Text(), server_default="", nullable=False),
        sa.Column("expires_at", sa.Double(), nullable=False),
        sa.Column("answered_index", sa.BigInteger(), nullable=True),
        sa.Column("answered_at", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("quiz_account", "quiz", ["account", "answered_at"], unique=False)
    op.create_table(
        "quota",
        sa.Column("sender", sa.Text(), nullable=False),
        sa.Column("month", sa.BigInteger(), nullable=False),
        sa.Column("used", sa.BigInteger(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("sender", "month"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "cost",
        sa.Column("lane", sa.Text(), nullable=False),
        sa.Column("turn", sa.BigInteger(), nullable=False),
        sa.Column("provider_id", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("sender", sa.Text(), nullable=False),
        sa.Column("category", sa.Text(), server_default="", nullable=False),
        sa.Column("billable", sa.BigInteger(), nullable=True),
        sa.Column("delivered_at", sa.Double(), nullable=True),
        sa.Column("booked_at", sa.Double(), nullable=True),
        sa.Column("month", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("free", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("price", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("amount", sa.BigInteger(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("lane", "turn", "provider_id"),
        sqlite_with_rowid=False,
    )
    op.create_index("cost_booked", "cost", ["booked_at"], unique=False)
    op.create_index(
        "cost_free",
        "cost",
        ["sender", "month", "free", "delivered_at"],
        unique=False,
    )
    op.create_table(
        "shortlink",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("route", sa.Text(), nullable=False),
        sa.Column("lane", sa.Text(), nullable=False),
        sa.Column("turn", sa.BigInteger(), nullable=False),
        sa.Column("target", sa.Text(), server_default="", nullable=False),
        sa.Column("body", sa.Text(), server_default="", nullable=False),
        sa.Column("expires_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sqlite_with_rowid=False,
    )
    op.create_index("shortlink_lane", "shortlink", ["lane", "route"], unique=False)
    op.create_table(
        "receipt",
        sa.Column("via", sa.Text(), nullable=False),
        sa.Column("provider_id", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("via", "provider_id", "state"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "report",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("account", sa.BigInteger(), nullable=False),
        sa.Column("lane", sa.Text(), nullable=False),
        sa.Column("turn", sa.BigInteger(), nullable=False),
        sa.Column("severity", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("key"),
        sqlite_with_rowid=False,
    )
    op.create_index("report_account", "report", ["account", "created_at"], unique=False)
    op.create_table(
        "rest",
        sa.Column("lane", sa.Text(), nullable=False),
        sa.Column("turn", sa.BigInteger(), nullable=False),
        sa.Column("bodies", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("lane"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "session",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("account", sa.BigInteger(), nullable=True),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("session_account", "session", ["account"], unique=False)
    op.create_index(
        "session_guest",
        "session",
        ["address"],
        unique=False,
        postgresql_where=sa.text("account IS NULL"),
        sqlite_where=sa.text("account IS NULL"),
    )
    op.create_table(
        "spending",
        sa.Column("lane", sa.Text(), nullable=False),
        sa.Column("turn", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("calls", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("input_tokens", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("output_tokens", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("usd", sa.Double(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("lane", "turn", "kind", "name"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "tally",
        sa.Column("hour", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("calls", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("failed", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("input_tokens", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("output_tokens", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("usd", sa.Double(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("hour", "kind", "name"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "task",
        sa.Column(
            "id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            sa.Identity(always=False),
            nullable=False,
        ),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("account", sa.BigInteger(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("priority", sa.Text(), nullable=False),
        sa.Column("due_at", sa.Double(), nullable=True),
        sa.Column("zone", sa.Text(), nullable=False),
        sa.Column("tags", sa.Text(), nullable=False),
        sa.Column("remind_by", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), server_default="open", nullable=False),
        sa.Column("reminded_at", sa.Double(), nullable=True),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("done_at", sa.Double(), nullable=True),
        sa.Column("wanted_at", sa.Double(), nullable=True),
        sa.Column("remind_at", sa.Double(), nullable=True),
        sa.Column("generation", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("channels_tried", sa.Text(), server_default="", nullable=False),
        sa.Column("reminder_state", sa.Text(), server_default="", nullable=False),
        sa.Column("reminder_lane", sa.Text(), server_default="", nullable=False),
        sa.Column("reminder_turn", sa.BigInteger(), nullable=True),
        sa.Column("sent_id", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("key"),
    )
    op.create_index("task_account", "task", ["account", "state"], unique=False)
    op.create_index(
        "task_due",
        "task",
        ["remind_at"],
        unique=False,
        postgresql_where=sa.text("state = 'open' AND remind_at IS NOT NULL"),
        sqlite_where=sa.text("state = 'open' AND remind_at IS NOT NULL"),
    )
    op.create_index(
        "task_handed",
        "task",
        ["id"],
        unique=False,
        postgresql_where=sa.text("reminder_state = 'handed'"),
        sqlite_where=sa.text("reminder_state = 'handed'"),
    )
    op.create_index(
        "task_told",
        "task",
        ["reminder_turn"],
        unique=False,
        postgresql_where=sa.text("reminder_turn IS NOT NULL"),
        sqlite_where=sa.text("reminder_turn IS NOT NULL"),
    )
    op.create_table(
        "unreadable",
        sa.Column(
            "id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            sa.Identity(always=False),
            nullable=False,
        ),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("via", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("digest"),
    )
    op.create_table(
        "turn",
        sa.Column("lane", sa.Text(), nullable=False),
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("account", sa.BigInteger(), nullable=True),
        sa.Column("state", sa.Text(), server_default="running", nullable=False),
        sa.Column("attempts", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("failures", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("deaths", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("steps", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("worker", sa.Text(), server_default="", nullable=False),
        sa.Column("seconds_used", sa.Double(), server_default="0", nullable=False),
        sa.Column("reserved", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("reason", sa.Text(), server_default="", nullable=False),
        sa.Column("error", sa.Text(), server_default="", nullable=False),
        sa.Column("input_tokens", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("output_tokens", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("usd", sa.Double(), server_default="0", nullable=False),
        sa.Column("credits", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("started_at", sa.Double(), nullable=False),
        sa.Column("ended_at", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("lane", "id"),
        sqlite_with_rowid=False,
    )
    op.create_index("turn_account", "turn", ["account", "started_at"], unique=False)
    op.create_index(
        "turn_open",
        "turn",
        ["state", "lane"],
        unique=False,
        postgresql_where=sa.text("state IN ('running', 'dead')"),
        sqlite_where=sa.text("state IN ('running', 'dead')"),
    )
    op.create_table(
        "restriction",
        sa.Column("via", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("since", sa.Double(), nullable=False),
        sa.Column("try_at", sa.Double(), nullable=False),
        sa.Column("trial", sa.BigInteger(), nullable=True),
        sa.Column("trusted_at", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("via"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "worker",
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("started_at", sa.Double(), nullable=False),
        sa.Column("heartbeat_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("owner"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "chunk",
        sa.Column(
            "id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            sa.Identity(always=False),
            nullable=False,
        ),
        sa.Column("file", sa.Text(), nullable=False),
        sa.Column("nth", sa.BigInteger(), nullable=False),
        sa.Column("account", sa.BigInteger(), nullable=False),
        sa.Column("place", sa.Text(), server_default="", nullable=False),
        sa.Column("overlap", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["file"], ["file.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("file", "nth"),
    )
    op.create_index("chunk_account", "chunk", ["account"], unique=False)
    op.create_table(
        "reading",
        sa.Column("file", sa.Text(), nullable=False),
        sa.Column("account", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), server_default="", nullable=False),
        sa.Column("chunks", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("cut", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["file"], ["file.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("file"),
        sqlite_with_rowid=False,
    )
    op.create_index("reading_account", "reading", ["account"], unique=False)
    op.create_table(
        "embedding",
        sa.Column("account", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("chunk", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["chunk"], ["chunk.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("account", "chunk"),
        sa.UniqueConstraint("chunk"),
        sqlite_with_rowid=False,
    )


_FULLTEXT_SQLITE = (
    """
    CREATE VIRTUAL TABLE fulltext USING fts5(
        account, words, content='chunk', content_rowid='id',
        tokenize="unicode61 remove_diacritics 2"
    )
    """,
    """
    CREATE TRIGGER fulltext_added AFTER INSERT ON chunk BEGIN
        INSERT INTO fulltext (rowid, account, words) VALUES (new.id, new.account, new.words);
    END
    """,
    """
    CREATE TRIGGER fulltext_removed AFTER DELETE ON chunk BEGIN
        INSERT INTO fulltext (fulltext, rowid, account, words)
        VALUES ('delete', old.id, old.account, old.words);
    END
    """,
    """
    CREATE TRIGGER fulltext_changed AFTER UPDATE OF account, words ON chunk BEGIN
        INSERT INTO fulltext (fulltext, rowid, account, words)
        VALUES ('delete', old.id, old.account, old.words);
        INSERT INTO fulltext (rowid, account, words) VALUES (new.id, new.account, new.words);
    END
    """,
)
"""https://www.sqlite.org/fts5.html#external_content_tables"""

_FULLTEXT_POSTGRES = (
    """
    ALTER TABLE chunk ADD COLUMN fulltext TSVECTOR
        GENERATED ALWAYS AS (to_tsvector('simple', words)) STORED
    """,
    "CREATE INDEX fulltext_chunk ON chunk USING GIN (fulltext)",
    # Ranking reads each vector: kept apart and compressed, as those over two kilobytes are, it
    # takes twice as long.
    "ALTER TABLE chunk SET (toast_tuple_target = 8160)",
)
