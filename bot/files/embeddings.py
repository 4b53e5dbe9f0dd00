"""Search by meaning: get vectors from an OpenAI-compatible endpoint, pack, store and compare them.

Form: https://platform.openai.com/docs/api-reference/embeddings/create. Each number of a vector is
stored as one signed byte, so that a thousand chunks take a quarter of a megabyte. Comparing whole
vectors takes Python about ten milliseconds per thousand; comparing only their signs, each vector's
as one long integer, takes less than one. Therefore only the best by their signs are compared whole.
"""

from __future__ import annotations

import asyncio
import heapq
import math
from array import array
from collections.abc import Callable, Iterable, Sequence

import aiohttp
import msgspec
import structlog

from bot.contracts.storage import Database, Transaction
from bot.contracts.turn import Spent
from bot.errors import GriotError
from bot.messages.transcript import Usage
from bot.net import read_beginning
from bot.observability import summarize_error
from bot.settings import Settings

AT_ONCE = 64
"""Most texts of one request."""
MAX_ANSWER = 8 * 1024 * 1024
"""Most bytes of an answer: 64 vectors of 4,096 numbers are about five million."""
_DIMENSIONS = 256
"""Dimensions asked for; models whose vectors cannot be shortened return their own number."""
_MAX_DIMENSIONS = 4_096
_CONNECT = 5.0
_USD_PER_MILLION = 0.13
"""Per million tokens, unless `MODEL_CAPABILITIES` has a price: OpenAI's highest list price."""
_REFUSED = frozenset({400, 422})


class EmbeddingFailed(GriotError):
    """No vectors could be made; the message is for logs."""


class _Vector(msgspec.Struct):
    embedding: list[float]
    index: int = 0


class _UsedTokens(msgspec.Struct):
    prompt_tokens: int = 0


class _Answer(msgspec.Struct):
    data: list[_Vector]
    usage: _UsedTokens | None = None


class _Refused(EmbeddingFailed):
    """The endpoint says that the request itself is wrong."""


class Embedder:
    """Asks `EMBED_MODEL` at `OPENAI_BASE_URL` for the vectors of texts."""

    def __init__(self, settings: Settings, *, seconds: float = 15.0, rest: float = 60.0) -> None:
        """
        Args:
            seconds: time limit for one request.
            rest: seconds for which an endpoint that failed is not asked again; otherwise every
                search would wait for it in vain.
        """
        self.model = settings.embed_model
        self._url = f"{settings.openai_base_url.rstrip('/')}/embeddings"
        self._api_key = settings.openai_api_key
        capability = settings.model_capabilities.get(self.model)
        usd = capability.usd_in if capability else None
        self._usd_per_token = (_USD_PER_MILLION if usd is None else usd) / 1_000_000
        self._seconds = seconds
        self._rest = rest
        self._opens = -math.inf
        self._shortens = True
        """Whether shorter vectors are asked for: until the endpoint has refused that."""
        self._session: aiohttp.ClientSession | None = None

    @property
    def available(self) -> bool:
        """Whether a model is set, and its endpoint has not failed in the last `rest` seconds."""
        return bool(self.model) and asyncio.get_running_loop().time() >= self._opens

    async def embed(self, texts: Sequence[str]) -> tuple[list[bytes], Usage]:
        """Return the packed vector of each text, all of one length, and the usage.

        Args:
            texts: 1 to `AT_ONCE`, none empty.

        Raises:
            EmbeddingFailed: no model is set, or the endpoint gave no such vectors in time; it is
                not asked again for a while.
        """
        if not self.available:
            raise EmbeddingFailed("EMBED_MODEL is not set, or its endpoint failed a while ago")
        try:
            async with asyncio.timeout(self._seconds):
                answer = await self._ask(texts)
                vectors = await asyncio.to_thread(_read_vectors, answer, len(texts))
        except (EmbeddingFailed, TimeoutError) as failure:
            self._opens = asyncio.get_running_loop().time() + self._rest
            reason = str(failure) or f"no answer within {self._seconds:g} seconds"
            raise EmbeddingFailed(reason) from failure
        tokens = max(0, answer.usage.prompt_tokens) if answer.usage else 0
        return vectors, Usage(input_tokens=tokens, usd=tokens * self._usd_per_token)

    async def close(self) -> None:
        """Close the connections. The object must not be used afterwards."""
        if self._session is not None:
            await self._session.close()

    async def _ask(self, texts: Sequence[str]) -> _Answer:
        wanted: dict[str, object] = {
            "model": self.model,
            "input": list(texts),
            "encoding_format": "float",
        }
        if self._shortens:
            try:
                return await self._send(wanted | {"dimensions": _DIMENSIONS})
            except _Refused:
                answer = await self._send(wanted)
                self._shortens = False
                return answer
        return await self._send(wanted)

    async def _send(self, wanted: dict[str, object]) -> _Answer:
        try:
            if self._session is None:  # made here, because a session needs a running loop
                headers = {"Content-Type": "application/json"}
                if self._api_key:
                    headers["Authorization"] = f"Bearer {self._api_key}"
                self._session = aiohttp.ClientSession(
                    headers=headers,
                    cookie_jar=aiohttp.DummyCookieJar(),
                    timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT),
                )
            async with self._session.post(
                self._url, data=msgspec.json.encode(wanted), allow_redirects=False
            ) as response:
                body = await read_beginning(response, MAX_ANSWER + 1)
        except aiohttp.ClientError as error:
            raise EmbeddingFailed(type(error).__name__) from error
        if response.status != 200:
            kind = _Refused if response.status in _REFUSED else EmbeddingFailed
            raise kind(f"{response.status}: {summarize_error(body, secret=self._api_key)}")
        if len(body) > MAX_ANSWER:
            raise EmbeddingFailed(f"the answer is longer than {MAX_ANSWER} bytes")
        try:
            return msgspec.json.decode(body, type=_Answer)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise EmbeddingFailed("the answer holds no vectors") from None


def _read_vectors(answer: _Answer, count: int) -> list[bytes]:
    """Return the packed vectors in the order of the texts.

    Raises:
        EmbeddingFailed: there are not `count` vectors, or they differ in length.
    """
    vectors = {vector.index: vector.embedding for vector in answer.data}
    sizes = {len(vector) for vector in vectors.values()}
    if (
        vectors.keys() != set(range(count))
        or len(sizes) != 1
        or not 0 < sizes.pop() <= _MAX_DIMENSIONS
    ):
        raise EmbeddingFailed("the vectors are not those that were asked for")
    return [pack_vector(vectors[index]) for index in range(count)]


_MOST_AT_ONCE = 8
"""Most requests for the vectors of chunks in one search: about 500 chunks."""
log = structlog.get_logger()
Spend = Callable[[Spent], None]


class SemanticSearch:
    def __init__(self, database: Database, embedder: Embedder) -> None:
        self._database = database
        self._embedder = embedder

    async def find(self, account: int, question: str, limit: int, spend: Spend) -> list[int]:
        """Return the ids of the account's chunks nearest to the question, the best first.

        Empty if no model is set or its endpoint fails, which is logged. Chunks without a vector get
        one first, up to `_MOST_AT_ONCE` requests' worth at a time.
        """
        if not self._embedder.available:
            return []
        try:
            await self._catch_up(account, spend)
            [asked] = await self._embed([question], spend)
        except EmbeddingFailed as failure:
            log.warning("embedding_failed", reason=str(failure))
            return []
        model = self._embedder.model
        kept = await self._database.read(
            lambda tx: tx.fetch(_VECTORS, account=account, model=model)
        )
        return await asyncio.to_thread(
            find_nearest, asked, ((row["chunk"], row["vector"]) for row in kept), limit
        )

    async def _catch_up(self, account: int, spend: Spend) -> None:
        model = self._embedder.model
        for _ in range(_MOST_AT_ONCE):
            rows = await self._database.read(
                lambda tx: tx.fetch(_WITHOUT_VECTOR, account=account, model=model, most=AT_ONCE)
            )
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
                await tx.execute(
                    _STORE_VECTOR, chunk=chunk, account=account, model=model, vector=vector
                )

        await self._database.write(work)


_RECHECKED = 200
_SIGN = bytes(b"1"[0] if number >= 128 else b"0"[0] for number in range(256))
"""Table for `bytes.translate`: the digit 1 for a negative signed byte, else 0."""


def pack_vector(vector: Sequence[float]) -> bytes:
    """Return the direction of a vector: first the signs, a bit each, then a byte for each
    number."""
    most = max(map(abs, vector)) or 1.0
    scaled = [round(number / most * 127) for number in vector]
    numbers = array("b", scaled + [0] * (-len(scaled) % 8)).tobytes()
    return int(numbers.translate(_SIGN), 2).to_bytes(len(numbers) // 8, "big") + numbers


def find_nearest(asked: bytes, kept: Iterable[tuple[int, bytes]], most: int) -> list[int]:
    """Return the ids of the `kept` vectors that are nearest in direction to `asked`, the best
    first. Vectors of another length are left out."""
    bits, size = len(asked) // 9, len(asked)
    signs = int.from_bytes(asked[:bits], "big")
    apart = (
        ((signs ^ int.from_bytes(vector[:bits], "big")).bit_count(), key, vector)
        for key, vector in kept
        if len(vector) == size
    )
    near = heapq.nsmallest(_RECHECKED, apart)
    numbers = array("b", asked[bits:])
    square = math.hypot(*numbers) ** 2
    scored = (
        (_cosine(numbers, square, array("b", vector[bits:])), -key) for _, key, vector in near
    )
    return [-key for _, key in heapq.nlargest(most, scored)]


def _cosine(one: array[int], square: float, other: array[int]) -> float:
    """Return the cosine, multiplied by the length of `one`, whose `square` is given.

    By the law of cosines, since C computes lengths and distances, but sums of products only from
    Python 3.12 on.
    """
    length, distance = math.hypot(*other), math.dist(one, other)
    return (square + length * length - distance * distance) / (2 * length or 1.0)


_WITHOUT_VECTOR = """
SELECT chunk.id, chunk.body FROM chunk
    LEFT JOIN embedding ON embedding.chunk = chunk.id AND embedding.model = :model
WHERE chunk.account = :account AND embedding.chunk IS NULL
ORDER BY chunk.id LIMIT :most
"""

# A chunk that was deleted meanwhile gets no vector: `{for_update}` locks the row until this is
# written.
_STORE_VECTOR = """
INSERT INTO embedding (chunk, account, model, vector)
SELECT id, CAST(:account AS BIGINT), CAST(:model AS TEXT), :vector
FROM chunk WHERE id = CAST(:chunk AS BIGINT) {for_update}
ON CONFLICT (chunk) DO UPDATE SET account = excluded.account, model = excluded.model,
    vector = excluded.vector
"""

_VECTORS = """
SELECT chunk, vector FROM embedding WHERE account = :account AND model = :model
"""
