"""Sessions are found by whose they are"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.create_index("session_account", "session", ["account"])
    op.create_index(
        "session_guest",
        "session",
        ["address"],
        postgresql_where=sa.text("account IS NULL"),
        sqlite_where=sa.text("account IS NULL"),
    )
