"""Transcribe voice notes with an OpenAI-compatible endpoint.

Form: https://platform.openai.com/docs/api-reference/audio/createTranscription
"""

from __future__ import annotations

import asyncio
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import aiohttp
import msgspec

from bot.agent.model_facts import find_model_facts
from bot.agent.openai_protocol.retry_policy import (
    EndpointFailed,
    failure_of_status,
    pause_before_retry,
)
from bot.errors import GriotError
from bot.net import NOT_JSON, read_beginning
from bot.observability import summarize_error
from bot.settings import Settings

MAX_AUDIO = 25 * 1024 * 1024
"""Most bytes that OpenAI accepts (https://platform.openai.com/docs/guides/speech-to-text)."""
MAX_ANSWER = 1024 * 1024
"""Most bytes of an answer; an hour of speech has about 60,000."""
_CONNECT = 10.0
_ENDINGS = {
    "audio/aac": "aac",
    "audio/amr": "amr",
    "audio/flac": "flac",
    "audio/mp4": "m4a",
    "audio/mpeg": "mp3",
    "audio/ogg": "ogg",
    "audio/opus": "ogg",
    "audio/wav": "wav",
    "audio/webm": "webm",
    "video/mp4": "mp4",
    "video/webm": "webm",
}
"""File extensions by which endpoints recognise a format."""
_SYNONYMS = {"oga": "ogg", "opus": "ogg"}
"""Groq refuses `oga` and OpenAI refuses `opus`; all three are the same format."""
_TOKENS_A_SECOND = 10
"""Audio tokens (https://platform.openai.com/docs/guides/realtime-costs)."""
_LEAST_RATE, _USUAL_RATE, _MOST_RATE = 590, 4_000, 64_000
"""Bytes a second: AMR at 4.75 kbit/s, what phones record, and music at 512 kbit/s."""
_RATES = {
    "audio/amr": 1_600,
    "audio/flac": 20_000,
    "audio/mpeg": 8_000,
    "audio/wav": 32_000,
}
_OGG_HEADER = 14
"""Bytes of a page's header up to the end of its position (RFC 3533, section 6)."""
_OPUS_RATE = 48_000
"""Positions a second in Ogg Opus, whatever was recorded (RFC 7845, section 4)."""
_MIME_TYPE = re.compile(r"[a-z]+/[a-z0-9.+-]{1,60}")
_ENDING = re.compile(r"\.([a-z0-9]{1,8})$")


class TranscriptionFailed(GriotError):
    """No transcript was made; the message is for logs, never for people."""


class _TokenDetails(msgspec.Struct):
    audio_tokens: float = 0.0


class _ReportedUsage(msgspec.Struct):
    """Usage as OpenAI reports it: by duration, or by tokens."""

    seconds: float = 0.0
    input_token_details: _TokenDetails | None = None


class _Answer(msgspec.Struct):
    text: str
    usage: msgspec.Raw = msgspec.Raw(b"null")
    """Read apart: a transcript counts whatever is reported beside it."""


class Transcript(NamedTuple):
    text: str
    """What is said, without white space around it; empty if nothing is said."""
    usd: float
    """The cost in US dollars, by the reported duration or the estimated one."""


@dataclass(frozen=True, slots=True)
class _Recording:
    audio: bytes
    name: str
    mime_type: str
    fields: Mapping[str, str]

    def form(self) -> aiohttp.FormData:
        """Make the request's form for one try: sending it uses it up."""
        form = aiohttp.FormData(self.fields)
        form.add_field(
            "file", io.BytesIO(self.audio), filename=self.name, content_type=self.mime_type
        )
        return form


class Transcriber:
    """Asks `TRANSCRIBE_MODEL` at `OPENAI_BASE_URL` to transcribe a recording."""

    def __init__(self, settings: Settings, *, seconds: float = 60.0, pause: float = 0.5) -> None:
        """
        Args:
            settings: endpoint, key and model.
            seconds: time limit for a transcription, its second try included.
            pause: seconds before the second try, if the endpoint asks for no pause itself.
        """
        self._url = f"{settings.openai_base_url}/audio/transcriptions"
        self._api_key = settings.openai_api_key
        self._model = settings.transcribe_model
        self._usd_hour = find_model_facts(self._model, settings.model_capabilities).usd_hour
        self._seconds = seconds
        self._pause = pause
        self._session: aiohttp.ClientSession | None = None

    @property
    def available(self) -> bool:
        """Whether a model is set; without one, every transcription fails."""
        return bool(self._model)

    @property
    def model(self) -> str:
        return self._model

    def estimate_usd(self, audio: bytes, mime_type: str) -> float:
        """Return what the transcription of a recording will cost."""
        return estimate_seconds(audio, mime_type) / 3600 * self._usd_hour

    async def transcribe(self, audio: bytes, *, filename: str, mime_type: str) -> Transcript:
        """Return what is said in a recording, and what it cost to find out.

        Args:
            audio: 1 to `MAX_AUDIO` bytes, sent on as they are.
            filename: its extension gives the format if `mime_type` does not; the rest may name
                people and is not sent.
            mime_type: the detected type of the bytes, not the type that a sender claimed.

        Raises:
            TranscriptionFailed: no model is set, the recording is empty or too large, or the
                endpoint refused it or gave no answer in time.
        """
        if not self._model:
            raise TranscriptionFailed("TRANSCRIBE_MODEL is not set")
        if not 0 < len(audio) <= MAX_AUDIO:
            raise TranscriptionFailed(f"a recording of {len(audio)} bytes is empty or too large")
        # No `language`: a wrong one makes the endpoint translate the speech.
        fields = {"model": self._model, "response_format": "json"}
        plain = mime_type.partition(";")[0].strip().lower()
        sent_type = plain if _MIME_TYPE.fullmatch(plain) else "application/octet-stream"
        recording = _Recording(audio, _name(filename, sent_type), sent_type, fields)
        deadline = asyncio.get_running_loop().time() + self._seconds
        try:
            async with asyncio.timeout_at(deadline):
                return await self._ask(recording, deadline)
        except TimeoutError:
            raise TranscriptionFailed(f"no answer within {self._seconds:g} seconds") from None
        except EndpointFailed as failure:
            raise TranscriptionFailed(str(failure)) from failure

    async def close(self) -> None:
        """Close the connections, after all transcriptions have ended."""
        if self._session is not None:
            await self._session.close()

    async def _ask(self, recording: _Recording, deadline: float) -> Transcript:
        try:
            return await self._send(recording)
        except EndpointFailed as failure:
            pause = pause_before_retry(failure, 1, self._pause)
            if not failure.retry or asyncio.get_running_loop().time() + pause >= deadline:
                raise
        await asyncio.sleep(pause)
        return await self._send(recording)

    async def _send(self, recording: _Recording) -> Transcript:
        try:
            async with self._open_session().post(
                self._url, data=recording.form(), allow_redirects=False
            ) as response:
                body = await read_beginning(response, MAX_ANSWER + 1)
        except aiohttp.ClientError as error:
            raise EndpointFailed(type(error).__name__) from error
        if response.status != 200:
            raise failure_of_status(
                response.status, response.headers, summarize_error(body, secret=self._api_key)
            )
        if len(body) > MAX_ANSWER:
            raise EndpointFailed(f"the answer is longer than {MAX_ANSWER} bytes", retry=False)
        try:
            answer = msgspec.json.decode(body, type=_Answer)
        except NOT_JSON:
            raise EndpointFailed("the answer is no transcript", retry=False) from None
        seconds = _read_seconds(answer.usage)
        if not 0 < seconds <= len(recording.audio) / _LEAST_RATE:
            seconds = estimate_seconds(recording.audio, recording.mime_type)
        return Transcript(answer.text.strip(), seconds / 3600 * self._usd_hour)

    def _open_session(self) -> aiohttp.ClientSession:
        """Open the session on first use, because that needs a running loop, and keep it for its
        connections."""
        if self._session is None:
            key = self._api_key
            self._session = aiohttp.ClientSession(
                headers={"Authorization": f"Bearer {key}"} if key else {},
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT),
            )
        return self._session


def _read_seconds(usage: msgspec.Raw) -> float:
    """Return the reported duration; 0 if none is reported."""
    try:
        reported = msgspec.json.decode(usage, type=_ReportedUsage | None)
    except NOT_JSON:
        return 0.0
    details = reported.input_token_details if reported else None
    if not reported or not details:
        return reported.seconds if reported else 0.0
    return reported.seconds or details.audio_tokens / _TOKENS_A_SECOND


def estimate_seconds(audio: bytes, mime_type: str) -> float:
    """Return the duration of a recording: in Ogg the time of its last page, else by its size."""
    shortest, longest = len(audio) / _MOST_RATE, len(audio) / _LEAST_RATE
    page = audio.rfind(b"OggS")
    if page >= 0 and (header := audio[page : page + _OGG_HEADER])[_OGG_HEADER - 1 :]:
        samples = int.from_bytes(header[6:], "little", signed=True)
        return min(max(shortest, samples / _OPUS_RATE), longest)
    return len(audio) / _RATES.get(mime_type, _USUAL_RATE)


def _name(filename: str, mime_type: str) -> str:
    """Make a file name that reveals only the format."""
    if ending := _ENDINGS.get(mime_type):
        return f"audio.{ending}"
    found = _ENDING.search(filename.lower())
    return f"audio.{_SYNONYMS.get(found[1], found[1])}" if found else "audio"
