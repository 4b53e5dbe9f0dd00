"""Buttons are deleted once they no longer work"""

from __future__ import annotations

from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.drop_column("button", "used_at")
    op.create_index("button_expiry", "button", ["expires_at"])
