"""Chunks found by what they mean."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import structlog

from bot.contracts import Database, Row, Spent, Transaction
from bot.library.search.embeddings import AT_ONCE, Embedder, EmbeddingFailed
from bot.library.search.vectors import nearest

_MOST_AT_ONCE = 8
"""Requests for the vectors of chunks that one search makes: some 500 chunks."""
log = structlog.get_logger()
Spend = Callable[[Spent], None]


class Meanings:
    def __init__(self, database: Database, embedder: Embedder) -> None:
        self._database = database
        self._embedder = embedder

    async def find(self, account: int, question: str, limit: int, spend: Spend) -> list[int]:
        """The ids of the account's chunks nearest to the question, the best first.

        None where no model is set, or its endpoint fails: a log line says so. Chunks without a
        vector get one first, so many at a time.
        """
        if not self._embedder.available:
            return []
        try:
            await self._catch_up(account, spend)
            [asked] = await self._embed([question], spend)
        except EmbeddingFailed as failure:
            log.warning("embedding_failed", reason=str(failure))
            return []
        kept = await self._database.read(lambda tx: self._vectors(tx, account))
        return await asyncio.to_thread(
            nearest, asked, ((row["chunk"], row["vector"]) for row in kept), limit
        )

    async def _catch_up(self, account: int, spend: Spend) -> None:
        for _ in range(_MOST_AT_ONCE):
            rows = await self._database.read(lambda tx: self._without_vector(tx, account))
            if not rows:
                return
            vectors = await self._embed([row["body"] for row in rows], spend)
            keyed = zip((row["id"] for row in rows), vectors, strict=True)
            await self._keep(account, dict(keyed))

    async def _embed(self, texts: list[str], spend: Spend) -> list[bytes]:
        vectors, usage = await self._embedder.embed(texts)
        spend(Spent("model", self._embedder.model, 1, usage))
        return vectors

    async def _keep(self, account: int, vectors: dict[int, bytes]) -> None:
        model = self._embedder.model

        async def work(tx: Transaction) -> None:
            for chunk, vector in vectors.items():
                await tx.execute(_KEEP, chunk=chunk, account=account, model=model, vector=vector)

        await self._database.write(work)

    async def _without_vector(self, tx: Transaction, account: int) -> list[Row]:
        model = self._embedder.model
        return await tx.fetch(_WITHOUT_VECTOR, account=account, model=model, most=AT_ONCE)

    async def _vectors(self, tx: Transaction, account: int) -> list[Row]:
        return await tx.fetch(_VECTORS, account=account, model=self._embedder.model)


_WITHOUT_VECTOR = """
SELECT chunk.id, chunk.body FROM chunk
    LEFT JOIN embedding ON embedding.chunk = chunk.id AND embedding.model = :model
WHERE chunk.account = :account AND embedding.chunk IS NULL
ORDER BY chunk.id LIMIT :most
"""

# A chunk that was deleted meanwhile gets none: `{for_update}` keeps it until this is written.
_KEEP = """
INSERT INTO embedding (chunk, account, model, vector)
SELECT id, CAST(:account AS BIGINT), CAST(:model AS TEXT), :vector
FROM chunk WHERE id = CAST(:chunk AS BIGINT) {for_update}
ON CONFLICT (chunk) DO UPDATE SET account = excluded.account, model = excluded.model,
    vector = excluded.vector
"""

_VECTORS = """
SELECT chunk, vector FROM embedding WHERE account = :account AND model = :model
"""
