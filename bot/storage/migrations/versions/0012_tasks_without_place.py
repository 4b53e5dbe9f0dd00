"""Tasks without the conversation they were asked for in: nobody looked there"""

from __future__ import annotations

from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.drop_column("task", "lane")
    op.drop_column("task", "address")
