"""Purchases"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
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
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("key"),
        sqlite_with_rowid=False,
    )
    op.create_index("purchase_account", "purchase", ["account", "created_at"])
    op.create_index(
        "purchase_ask",
        "purchase",
        ["ask_at"],
        postgresql_where=sa.text("ask_at IS NOT NULL"),
        sqlite_where=sa.text("ask_at IS NOT NULL"),
    )
