"""Alembic's entry: migrate the connection that `bot/storage/migrating.py` hands over."""

from __future__ import annotations

from typing import Any

from alembic import context


def _is_described(name: str | None, kind: str, parents: object) -> bool:  # noqa: ARG001
    """Return whether a class describes it: the full-text index is each database's own."""
    return name is None or not name.startswith("fulltext")


def _describe() -> Any:
    """Return the tables as the classes describe them, only where they are compared: they are slow
    to import."""
    if not context.config.attributes.get("compares"):
        return None
    from sqlmodel import SQLModel

    import bot.storage.tables  # noqa: F401  (fills SQLModel.metadata)

    return SQLModel.metadata


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=_describe(),
    include_name=_is_described,
    render_as_batch=True,
    transactional_ddl=True,
    transaction_per_migration=False,
)
with context.begin_transaction():
    context.run_migrations()
