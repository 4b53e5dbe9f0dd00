"""Reminders: what became of each, the ways that were tried, and when to remind again"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.drop_index("task_due", "task")
    op.add_column("task", sa.Column("wanted_at", sa.Double(), nullable=True))
    op.add_column("task", sa.Column("remind_at", sa.Double(), nullable=True))
    op.add_column("task", sa.Column("round", sa.BigInteger(), server_default="0", nullable=False))
    op.add_column("task", sa.Column("tried", sa.Text(), server_default="", nullable=False))
    op.add_column("task", sa.Column("told", sa.Text(), server_default="", nullable=False))
    op.add_column("task", sa.Column("told_lane", sa.Text(), server_default="", nullable=False))
    op.add_column("task", sa.Column("told_turn", sa.BigInteger(), nullable=True))
    op.add_column("task", sa.Column("sent_id", sa.Text(), nullable=True))
    op.execute("UPDATE task SET wanted_at = due_at")
    op.execute("UPDATE task SET remind_at = due_at WHERE state = 'open' AND reminded_at IS NULL")
    _index("task_due", "remind_at", "state = 'open' AND remind_at IS NOT NULL")
    _index("task_handed", "id", "told = 'handed'")
    _index("task_told", "told_turn", "told_turn IS NOT NULL")


def _index(name: str, column: str, condition: str) -> None:
    where = sa.text(condition)
    op.create_index(name, "task", [column], postgresql_where=where, sqlite_where=where)
