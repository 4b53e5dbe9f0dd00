"""One-time codes, one history for all of a person's conversations, erasure"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
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
    op.create_index("code_target", "code", ["target", "created_at"])
    op.create_index("code_asker", "code", ["channel", "address", "created_at"])
    op.create_index("code_prefix", "code", ["prefix", "created_at"])
    op.add_column("account", sa.Column("email", sa.Text(), server_default="", nullable=False))
    op.add_column("account", sa.Column("part_of", sa.BigInteger(), nullable=True))
    op.add_column(
        "account", sa.Column("greeted", sa.BigInteger(), server_default="0", nullable=False)
    )
    op.add_column("file", sa.Column("folder", sa.BigInteger(), nullable=True))
    op.add_column("lane", sa.Column("thread", sa.Text(), nullable=True))
    op.add_column("lane", sa.Column("awaits", sa.Text(), server_default="", nullable=False))
    op.add_column("lane", sa.Column("erased", sa.BigInteger(), server_default="0", nullable=False))
    op.create_index(
        "lane_thread",
        "lane",
        ["thread"],
        postgresql_where=sa.text("thread IS NOT NULL"),
        sqlite_where=sa.text("thread IS NOT NULL"),
    )
    op.create_index(
        "lane_erased",
        "lane",
        ["erased"],
        postgresql_where=sa.text("erased = 1"),
        sqlite_where=sa.text("erased = 1"),
    )
