from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest
from aiohttp import web

from bot.agent.transcription import (
    MAX_ANSWER,
    MAX_AUDIO,
    Transcriber,
    TranscriptionFailed,
    estimate_seconds,
)
from bot.settings import Settings
from tests.support.model_endpoint import Play, drop, plain, status, stream
from tests.support.transcription_endpoint import (
    play_text,
    serve_transcription,
)

Open = Callable[..., Transcriber]


@pytest.fixture
async def open_transcriber() -> AsyncIterator[Open]:
    """Transcribers of an endpoint, closed when the test is over."""
    opened: list[Transcriber] = []

    def open_one(url: str, *, seconds: float = 20.0, **values: object) -> Transcriber:
        chosen = {"transcribe_model": "whisper-1", "openai_api_key": "sk-secret"} | values
        settings = Settings.model_validate({"openai_base_url": url} | chosen)
        opened.append(Transcriber(settings, seconds=seconds, pause=0.0))
        return opened[-1]

    yield open_one
    for each in opened:
        await each.close()


async def ask(transcriber: Transcriber, audio: bytes = b"OggS...", **more: str) -> str:
    described = {"filename": "", "mime_type": "audio/ogg"} | more
    return (await transcriber.transcribe(audio, **described)).text  # type: ignore[arg-type]


async def test_a_voice_note_is_sent_as_the_form_that_is_specified(open_transcriber: Open) -> None:
    async with serve_transcription(
        play_text(" Bonjour Griot.\n", usage={"seconds": 3})
    ) as endpoint:
        text = await ask(open_transcriber(endpoint.url), b"OggS\r\n--\x00\xff")
    assert text == "Bonjour Griot."
    (heard,) = endpoint.heard
    assert heard.audio == b"OggS\r\n--\x00\xff"
    assert (heard.filename, heard.mime_type) == ("audio.ogg", "audio/ogg")
    assert heard.fields == {"model": "whisper-1", "response_format": "json"}
    assert heard.headers["Authorization"] == "Bearer sk-secret"


HALF_AN_HOUR = bytes(2_000_000)
"""At most 48 minutes, by its size."""


@pytest.mark.parametrize(
    "usage",
    [
        {"type": "duration", "seconds": 600},
        {"type": "tokens", "input_token_details": {"audio_tokens": 6_000, "text_tokens": 4}},
        {"seconds": 600.0, "cost": 0.06},
    ],
)
async def test_it_costs_what_is_reported(open_transcriber: Open, usage: dict[str, object]) -> None:
    async with serve_transcription(play_text("yes", usage=usage)) as endpoint:
        heard = await open_transcriber(endpoint.url).transcribe(
            HALF_AN_HOUR, filename="", mime_type="audio/mp4"
        )
    assert heard == ("yes", pytest.approx(0.06))


async def test_the_slowest_recordings_of_phones_are_believed(open_transcriber: Open) -> None:
    async with serve_transcription(play_text("yes", usage={"seconds": 100})) as endpoint:
        heard = await open_transcriber(endpoint.url).transcribe(
            bytes(59_400), filename="", mime_type="audio/amr"
        )
    assert heard.usd == pytest.approx(0.01)


@pytest.mark.parametrize(
    "usage", [None, [], "much", {"seconds": -1}, {"seconds": 1e9}, {"type": "tokens"}, {}]
)
async def test_without_a_credible_report_the_size_counts(
    open_transcriber: Open, usage: object
) -> None:
    async with serve_transcription(play_text("yes", usage=usage)) as endpoint:
        heard = await open_transcriber(endpoint.url).transcribe(
            HALF_AN_HOUR, filename="", mime_type="audio/mp4"
        )
    assert heard == ("yes", pytest.approx(500 / 3600 * 0.36))


def _make_ogg(size: int, seconds: float) -> bytes:
    """An Ogg file of this size, whose last page says that it ends after so many seconds."""
    position = int(seconds * 48_000).to_bytes(8, "little", signed=True)
    return b"OggS" + bytes(size) + b"OggS\x00\x04" + position + bytes(14)


@pytest.mark.parametrize(
    ("audio", "mime_type", "seconds"),
    [
        (_make_ogg(60_000, 30), "audio/ogg", 30),
        (_make_ogg(64_000, 0), "audio/ogg", 1),
        (_make_ogg(70_000, -5), "audio/ogg", 1.1),
        (_make_ogg(59_000, 1e9), "audio/ogg", 100),
        (b"OggS", "audio/ogg", 0.001),
        (bytes(80_000), "audio/mpeg", 10),
        (bytes(80_000), "audio/amr", 50),
        (bytes(80_000), "audio/unheard-of", 20),
    ],
)
def test_a_duration_is_estimated(audio: bytes, mime_type: str, seconds: float) -> None:
    assert estimate_seconds(audio, mime_type) == pytest.approx(seconds, rel=0.01)


async def test_the_operator_may_say_what_an_hour_costs(open_transcriber: Open) -> None:
    async with serve_transcription(play_text("yes", usage={"seconds": 600})) as endpoint:
        own = open_transcriber(endpoint.url, model_capabilities='{"whisper-1": {"usd_hour": 0}}')
        heard = await own.transcribe(HALF_AN_HOUR, filename="", mime_type="audio/mp4")
    assert heard.usd == 0
    assert own.estimate_usd(HALF_AN_HOUR, "audio/mp4") == 0


async def test_an_endpoint_without_a_key_gets_none(open_transcriber: Open) -> None:
    async with serve_transcription(play_text("yes")) as endpoint:
        await ask(open_transcriber(endpoint.url, openai_api_key=""))
    assert "Authorization" not in endpoint.heard[0].headers


@pytest.mark.parametrize(
    ("filename", "mime_type", "sent"),
    [
        ("", "audio/ogg; codecs=opus", ("audio.ogg", "audio/ogg")),
        ("PTT-20261121.opus", "audio/opus", ("audio.ogg", "audio/opus")),
        ("voice.oga", "", ("audio.ogg", "application/octet-stream")),
        ("Awa Diop +221771234567.m4a", "audio/mp4", ("audio.m4a", "audio/mp4")),
        ("", "audio/amr", ("audio.amr", "audio/amr")),
        ("Lesson.MP3", "audio/x-unheard-of", ("audio.mp3", "audio/x-unheard-of")),
        ('a";\r\nX: y.wav', "audio/x\r\nEvil: 1", ("audio.wav", "application/octet-stream")),
    ],
)
async def test_the_name_says_what_the_bytes_are_and_nothing_else(
    open_transcriber: Open, filename: str, mime_type: str, sent: tuple[str, str]
) -> None:
    async with serve_transcription(play_text("yes")) as endpoint:
        await ask(open_transcriber(endpoint.url), filename=filename, mime_type=mime_type)
    assert [(heard.filename, heard.mime_type) for heard in endpoint.heard] == [sent]


async def test_a_large_recording_arrives_whole(open_transcriber: Open) -> None:
    audio = bytes(range(256)) * 8_192
    async with serve_transcription(play_text("long")) as endpoint:
        assert await ask(open_transcriber(endpoint.url), audio) == "long"
    assert endpoint.heard[0].audio == audio


@pytest.mark.parametrize("text", ["", " \n"])
async def test_where_nothing_is_said_the_transcript_is_empty(
    open_transcriber: Open, text: str
) -> None:
    async with serve_transcription(play_text(text)) as endpoint:
        assert await ask(open_transcriber(endpoint.url)) == ""


@pytest.mark.parametrize("trouble", [status(429, retry_after="0"), status(500), status(503), drop])
async def test_what_may_pass_is_tried_once_more_with_the_same_recording(
    open_transcriber: Open, trouble: Play
) -> None:
    async with serve_transcription(trouble, play_text("at last")) as endpoint:
        assert await ask(open_transcriber(endpoint.url), b"OggS!") == "at last"
    assert [heard.audio for heard in endpoint.heard] == [b"OggS!", b"OggS!"]


async def test_it_is_not_tried_a_third_time(open_transcriber: Open) -> None:
    async with serve_transcription(status(503, "busy")) as endpoint:
        with pytest.raises(TranscriptionFailed, match=r"503: .*busy"):
            await ask(open_transcriber(endpoint.url))
    assert len(endpoint.heard) == 2


@pytest.mark.parametrize("code", [302, 400, 401, 404, 413, 415])
async def test_what_will_not_pass_is_not_tried_again(open_transcriber: Open, code: int) -> None:
    async with serve_transcription(
        status(code, "not found: this", Location="/v1/elsewhere")
    ) as endpoint:
        with pytest.raises(TranscriptionFailed, match=f"{code}: .*not found"):
            await ask(open_transcriber(endpoint.url))
    assert len(endpoint.heard) == 1


async def test_an_endpoint_that_asks_for_more_time_than_there_is_is_left_alone(
    open_transcriber: Open,
) -> None:
    async with serve_transcription(status(429, "slow down", retry_after="3600")) as endpoint:
        with pytest.raises(TranscriptionFailed, match="slow down"):
            await ask(open_transcriber(endpoint.url))
    assert len(endpoint.heard) == 1


async def test_an_endpoint_that_never_answers_is_given_up(open_transcriber: Open) -> None:
    async def wait(_: web.Request) -> web.StreamResponse:
        await asyncio.sleep(30)
        return web.Response()

    async with serve_transcription(wait) as endpoint:
        with pytest.raises(TranscriptionFailed, match=r"no answer within 0\.2 seconds"):
            await ask(open_transcriber(endpoint.url, seconds=0.2))


async def test_an_endpoint_that_trickles_is_given_up_too(open_transcriber: Open) -> None:
    async with serve_transcription(stream(*[b" "] * 1_000, pause=0.02)) as endpoint:
        with pytest.raises(TranscriptionFailed, match="no answer within"):
            await ask(open_transcriber(endpoint.url, seconds=0.2))


async def test_an_endpoint_that_is_not_there_fails_without_its_address(
    open_transcriber: Open,
) -> None:
    with pytest.raises(TranscriptionFailed, match="ClientConnectorError") as failed:
        await ask(open_transcriber("http://127.0.0.1:1/v1"))
    assert "127.0.0.1" not in str(failed.value)


@pytest.mark.parametrize(
    "body",
    ["", "Bonjour", "[]", "{}", '{"text": null}', '{"text": ["a"]}', '{"x":' + "[" * 100_000],
    ids=lambda body: body[:16],
)
async def test_what_is_no_transcript_is_not_taken_for_one(
    open_transcriber: Open, body: str
) -> None:
    async with serve_transcription(plain(body)) as endpoint:
        with pytest.raises(TranscriptionFailed, match="no transcript"):
            await ask(open_transcriber(endpoint.url))
    assert len(endpoint.heard) == 1


async def test_an_endless_answer_is_not_read_to_its_end(open_transcriber: Open) -> None:
    start = b'{"text": "' + b"a" * MAX_ANSWER
    async with serve_transcription(stream(start, hang=30.0)) as endpoint:
        with pytest.raises(TranscriptionFailed, match="longer than"):
            await ask(open_transcriber(endpoint.url))


async def test_the_key_does_not_stand_in_the_reason(open_transcriber: Open) -> None:
    async with serve_transcription(
        status(401, "Incorrect API key: sk-secret." + "!" * 999)
    ) as endpoint:
        with pytest.raises(TranscriptionFailed, match=r"401: .*api key") as failed:
            await ask(open_transcriber(endpoint.url))
    assert "sk-secret" not in str(failed.value)
    assert len(str(failed.value)) < 400


@pytest.mark.parametrize("size", [0, MAX_AUDIO + 1])
async def test_an_empty_or_too_large_recording_is_not_sent(
    open_transcriber: Open, size: int
) -> None:
    async with serve_transcription(play_text("yes")) as endpoint:
        with pytest.raises(TranscriptionFailed, match=f"{size} bytes"):
            await ask(open_transcriber(endpoint.url), bytes(size))
    assert not endpoint.heard


async def test_without_a_model_nothing_is_available_or_sent(open_transcriber: Open) -> None:
    async with serve_transcription(play_text("yes")) as endpoint:
        transcriber = open_transcriber(endpoint.url, transcribe_model="")
        assert not transcriber.available
        with pytest.raises(TranscriptionFailed, match="TRANSCRIBE_MODEL"):
            await ask(transcriber)
        assert open_transcriber(endpoint.url).available
    assert not endpoint.heard


async def test_one_connection_serves_one_voice_note_after_another(open_transcriber: Open) -> None:
    async with serve_transcription(play_text("yes")) as endpoint:
        transcriber = open_transcriber(endpoint.url)
        for _ in range(3):
            await ask(transcriber)
    assert len({heard.peer for heard in endpoint.heard}) == 1


async def test_a_turn_that_is_cancelled_stays_cancelled(open_transcriber: Open) -> None:
    reached = asyncio.Event()

    async def wait(_: web.Request) -> web.StreamResponse:
        reached.set()
        await asyncio.sleep(30)
        return web.Response()

    async with serve_transcription(wait) as endpoint:
        asked = asyncio.ensure_future(ask(open_transcriber(endpoint.url)))
        await reached.wait()
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
