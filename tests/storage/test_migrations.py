"""What migrations make of what is there already."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, text

from bot.storage.migrating import with_alembic


def test_reminders_that_were_due_before_they_were_followed_still_come(tmp_path: Path) -> None:
    engine = create_engine(f"sqlite:///{tmp_path}/griot.db")
    with engine.begin() as connection:
        _upgrade(connection, "0006")
        rows = {
            "to come": (5.0, "open", None),
            "told": (4.0, "open", 4.5),
            "done": (6.0, "done", None),
        }
        for title, (due_at, state, reminded_at) in rows.items():
            connection.execute(
                text(_TASK),
                {"title": title, "due": due_at, "state": state, "reminded": reminded_at},
            )
        _upgrade(connection, "0009")
        found = connection.execute(text("SELECT title, wanted_at, remind_at FROM task")).all()
    engine.dispose()
    assert [tuple(row) for row in found] == [
        ("to come", 5.0, 5.0), ("told", 4.0, None), ("done", 6.0, None),
    ]  # fmt: skip


def _upgrade(connection: Any, revision: str) -> None:
    with_alembic(connection, lambda alembic, config: alembic.upgrade(config, revision))


_TASK = """
INSERT INTO task (key, account, lane, channel, address, title, priority, due_at, zone, tags,
    state, reminded_at, created_at)
VALUES (:title, 7, 'telegram:1', 'telegram', '1', :title, 'normal', :due, 'UTC', '[]',
    :state, :reminded, 0)
"""
