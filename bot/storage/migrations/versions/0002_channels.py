"""What channels need: moved, opted out, windows, bursts, receipts, the rest of long answers"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), server_default="0", nullable=False)


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), server_default="", nullable=False)


def upgrade() -> None:
    op.add_column("lane", _number("opted_out"))
    op.add_column("lane", _number("notices_off"))
    op.add_column("lane", sa.Column("moved_to", sa.Text(), nullable=True))
    op.add_column("lane", sa.Column("heard_at", sa.Double(), server_default="0", nullable=False))
    op.add_column("lane", _number("held"))
    op.add_column("lane", _text("question"))
    op.create_index(
        "lane_moved",
        "lane",
        ["moved_to"],
        postgresql_where=sa.text("moved_to IS NOT NULL"),
        sqlite_where=sa.text("moved_to IS NOT NULL"),
    )
    op.add_column("inbox", _number("joins"))
    op.add_column("outbox", _text("via"))
    op.add_column("outbox", _number("ahead"))
    op.add_column("outbox", _number("placed"))
    op.add_column("outbox", _text("receipt"))
    op.add_column("outbox", sa.Column("tried_from", sa.Double(), nullable=True))
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
        "receipt",
        sa.Column("via", sa.Text(), nullable=False),
        sa.Column("provider_id", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("via", "provider_id"),
        sqlite_with_rowid=False,
    )
