"""The text of files in pieces, to be read and searched"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    _create_tables()
    if op.get_bind().dialect.name == "sqlite":
        for statement in _FULLTEXT_SQLITE:
            op.execute(statement)
    else:
        for statement in _FULLTEXT_POSTGRES:
            op.execute(statement)


def _create_tables() -> None:
    op.create_table(
        "reading",
        sa.Column("file", sa.Text(), nullable=False),
        sa.Column("account", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), server_default="", nullable=False),
        sa.Column("chunks", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("cut", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["file"], ["file.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("file"),
        sqlite_with_rowid=False,
    )
    op.create_index("reading_account", "reading", ["account"])
    op.create_table(
        "chunk",
        sa.Column(
            "id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            sa.Identity(always=False),
            nullable=False,
        ),
        sa.Column("file", sa.Text(), nullable=False),
        sa.Column("nth", sa.BigInteger(), nullable=False),
        sa.Column("account", sa.BigInteger(), nullable=False),
        sa.Column("place", sa.Text(), server_default="", nullable=False),
        sa.Column("overlap", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["file"], ["file.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("file", "nth"),
    )
    op.create_index("chunk_account", "chunk", ["account"])
    op.create_table(
        "embedding",
        sa.Column("account", sa.BigInteger(), nullable=False),
        sa.Column("chunk", sa.BigInteger(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["chunk"], ["chunk.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("account", "chunk"),
        sa.UniqueConstraint("chunk"),
        sqlite_with_rowid=False,
    )


_FULLTEXT_SQLITE = (
    """
    CREATE VIRTUAL TABLE fulltext USING fts5(
        account, words, content='chunk', content_rowid='id',
        tokenize="unicode61 remove_diacritics 2"
    )
    """,
    """
    CREATE TRIGGER fulltext_added AFTER INSERT ON chunk BEGIN
        INSERT INTO fulltext (rowid, account, words) VALUES (new.id, new.account, new.words);
    END
    """,
    """
    CREATE TRIGGER fulltext_removed AFTER DELETE ON chunk BEGIN
        INSERT INTO fulltext (fulltext, rowid, account, words)
        VALUES ('delete', old.id, old.account, old.words);
    END
    """,
    """
    CREATE TRIGGER fulltext_changed AFTER UPDATE OF account, words ON chunk BEGIN
        INSERT INTO fulltext (fulltext, rowid, account, words)
        VALUES ('delete', old.id, old.account, old.words);
        INSERT INTO fulltext (rowid, account, words) VALUES (new.id, new.account, new.words);
    END
    """,
)
"""https://www.sqlite.org/fts5.html#external_content_tables"""

_FULLTEXT_POSTGRES = (
    """
    ALTER TABLE chunk ADD COLUMN fulltext TSVECTOR
        GENERATED ALWAYS AS (to_tsvector('simple', words)) STORED
    """,
    "CREATE INDEX fulltext_chunk ON chunk USING GIN (fulltext)",
    # Ranking reads each vector: kept apart and compressed, as those over two kilobytes are, it
    # takes twice as long.
    "ALTER TABLE chunk SET (toast_tuple_target = 8160)",
)
