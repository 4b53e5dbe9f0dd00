"""What operators look for: workers, hours, deliveries that failed, the newest purchases"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.create_table(
        "worker",
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("started_at", sa.Double(), nullable=False),
        sa.Column("seen_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("owner"),
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
    where = sa.text("state IN ('refused', 'unknown')")
    op.create_index(
        "outbox_failed",
        "outbox",
        ["id", "state", "created_at"],
        postgresql_where=where,
        sqlite_where=where,
    )
    op.create_index("purchase_made", "purchase", ["created_at", "id"])
