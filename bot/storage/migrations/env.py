"""Alembic's entry: migrate the connection that `bot/storage/database.py` hands over."""

from __future__ import annotations

from alembic import context
from sqlmodel import SQLModel

import bot.storage.tables  # noqa: F401  (fills SQLModel.metadata)

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=SQLModel.metadata,
    render_as_batch=True,
    transactional_ddl=True,
    transaction_per_migration=False,
)
with context.begin_transaction():
    context.run_migrations()
