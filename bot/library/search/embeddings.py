"""What texts mean, as vectors, by an OpenAI-compatible endpoint.

Form: https://platform.openai.com/docs/api-reference/embeddings/create
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence

import aiohttp
import msgspec

from bot.bodies import read_beginning
from bot.endpoint_errors import summarize_error
from bot.errors import GriotError
from bot.library.search.vectors import pack
from bot.messages import Usage
from bot.settings import Settings

AT_ONCE = 64
"""Texts of one request."""
MAX_ANSWER = 8 * 1024 * 1024
"""Bytes: 64 vectors of 4,096 numbers are some five millions."""
_DIMENSIONS = 256
"""Asked for; models whose vectors cannot be shortened give what they have."""
_MAX_DIMENSIONS = 4_096
_CONNECT = 5.0
_USD_PER_MILLION = 0.13
"""Tokens, where `MODEL_CAPABILITIES` says nothing else: the list price of OpenAI's dearest."""
_REFUSED = frozenset({400, 422})


class EmbeddingFailed(GriotError):
    """There are no vectors; the message is for logs."""


class _Vector(msgspec.Struct):
    embedding: list[float]
    index: int = 0


class _Spent(msgspec.Struct):
    prompt_tokens: int = 0


class _Answer(msgspec.Struct):
    data: list[_Vector]
    usage: _Spent | None = None


class _Refused(EmbeddingFailed):
    """The request itself is wrong."""


class Embedder:
    """Asks `EMBED_MODEL` at `OPENAI_BASE_URL`."""

    def __init__(self, settings: Settings, *, seconds: float = 15.0, rest: float = 60.0) -> None:
        """
        Args:
            seconds: for one request.
            rest: seconds for which an endpoint that failed is left alone: until then every search
                would wait for it in vain.
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
        """Until the endpoint has refused to make vectors shorter."""
        self._session: aiohttp.ClientSession | None = None

    @property
    def available(self) -> bool:
        """Whether a model is set, and its endpoint is not left alone just now."""
        return bool(self.model) and asyncio.get_running_loop().time() >= self._opens

    async def embed(self, texts: Sequence[str]) -> tuple[list[bytes], Usage]:
        """The packed vector of each text, all of one length, and what that cost.

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
                return await asyncio.to_thread(_vectors, answer, len(texts)), self._usage(answer)
        except (EmbeddingFailed, TimeoutError) as failure:
            self._opens = asyncio.get_running_loop().time() + self._rest
            reason = str(failure) or f"no answer within {self._seconds:g} seconds"
            raise EmbeddingFailed(reason) from failure

    async def close(self) -> None:
        """To be called when nothing is asked any more."""
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
            async with self._open_session().post(
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

    def _open_session(self) -> aiohttp.ClientSession:
        """Opened late, because that needs a running loop, and kept for its connections."""
        if self._session is None:
            headers = {"Content-Type": "application/json"}
            if self._api_key:
                headers["Authorization"] = f"Bearer {self._api_key}"
            self._session = aiohttp.ClientSession(
                headers=headers,
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT),
            )
        return self._session

    def _usage(self, answer: _Answer) -> Usage:
        tokens = max(0, answer.usage.prompt_tokens) if answer.usage else 0
        return Usage(input_tokens=tokens, usd=tokens * self._usd_per_token)


def _vectors(answer: _Answer, count: int) -> list[bytes]:
    """The packed vectors in the order of the texts.

    Raises:
        EmbeddingFailed: they are not `count` vectors of one length.
    """
    vectors = {vector.index: vector.embedding for vector in answer.data}
    sizes = {len(vector) for vector in vectors.values()}
    if (
        vectors.keys() != set(range(count))
        or len(sizes) != 1
        or not 0 < sizes.pop() <= _MAX_DIMENSIONS
    ):
        raise EmbeddingFailed("the vectors are not those that were asked for")
    return [pack(vectors[index]) for index in range(count)]
