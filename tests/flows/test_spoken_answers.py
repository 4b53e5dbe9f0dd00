"""Voice notes that answer what is open: on SQLite and on Postgres, whose reads may lock nothing."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from aiohttp import web

from bot.settings import Settings
from tests.adapters.conformance.driver import AWA
from tests.adapters.conformance.stage import MakeStage, Stage, staging
from tests.adapters.conformance.table import CLOUD
from tests.support.fakes import FakeModel, reply
from tests.support.queries import read_row, read_rows
from tests.support.transcription_endpoint import play_text, serve_transcription

PHONE = AWA.lstrip("+")
OGG = b"OggS\0\x02" + bytes(22) + b"OpusHead\x01\x01" + bytes(40)


@pytest.fixture
async def stage(make_settings: Callable[..., Settings]) -> AsyncIterator[MakeStage]:
    async with staging(make_settings) as make:
        yield make


def cloud(one: Stage) -> Any:
    driver: Any = one.driver
    return driver.whatsapp


async def test_a_voice_note_answers_an_open_exercise_without_the_model(stage: MakeStage) -> None:
    exercise = {
        "statement": "Combien font 143 × 37 ?",
        "kind": "number",
        "solution": "5291",
        "hints": ["Pose la multiplication."],
        "steps": ["143 × 37 = 5291."],
    }
    model = FakeModel(reply("", ("give_exercise", json.dumps(exercise))), reply("À toi !"))
    words = "Cinq mille deux cent quatre-vingt-onze."
    async with serve_transcription(play_text(words)) as listener:
        settings = {"openai_base_url": listener.url, "openai_api_key": "sk-test"}
        one = await stage(CLOUD, model, transcribe_model="whisper-1", **settings)
        await one.log_in()
        await one.say("un exercice")
        await one.settle()
        asked = len(cloud(one).chat(PHONE))
        await one.take(one.driver.voice(OGG))
        await one.settle()
        answers = cloud(one).chat(PHONE)[asked:]
    [answer] = answers
    assert answer.text.splitlines()[0].endswith(f"🎤 {words}")
    assert answer.text.splitlines()[2].startswith("✅ ")
    assert "5291" in answer.text
    assert len(model.requests) == 2
    assert (await read_row(one.database, "exercise"))["state"] == "right"
    *_, heard, graded = await read_rows(one.database, "turn", order_by="id")
    assert (heard["credits"], graded["credits"]) == (0, 0)
    assert heard["usd"] > 0


async def test_a_series_goes_on_by_voice_and_says_what_was_heard(stage: MakeStage) -> None:
    async with serve_transcription(play_text("zéro virgule cinq")) as listener:
        settings = {"openai_base_url": listener.url, "openai_api_key": "sk-test"}
        one = await stage(CLOUD, FakeModel(), transcribe_model="whisper-1", **settings)
        await one.log_in()
        await one.say("/practice maths.tables-7")
        await one.settle()
        asked = len(cloud(one).chat(PHONE))
        await one.take(one.driver.voice(OGG))
        await one.settle()
        [answer] = cloud(one).chat(PHONE)[asked:]
    first, _, verdict = answer.text.splitlines()[:3]
    assert first.endswith("🎤 zéro virgule cinq")
    assert verdict.startswith("❌ ")


@pytest.mark.parametrize(
    ("skill", "verdict"), [("maths.add-to-100", "✅ "), ("french.present-er-verbs", "Écris-le.")]
)
async def test_a_spoken_option_is_graded_unless_others_sound_like_it(
    stage: MakeStage, skill: str, verdict: str
) -> None:
    words = ""

    async def play(request: web.Request) -> web.StreamResponse:
        return await play_text(words)(request)

    async with serve_transcription(play) as listener:
        settings = {"openai_base_url": listener.url, "openai_api_key": "sk-test"}
        model = FakeModel(reply("Écris-le."))
        one = await stage(CLOUD, model, transcribe_model="whisper-1", **settings)
        await one.log_in()
        await one.say(f"/practice {skill}")
        await one.settle()
        asked = len(cloud(one).chat(PHONE))
        [words] = json.loads((await read_row(one.database, "exercise"))["body"])["solutions"]
        await one.take(one.driver.voice(OGG))
        await one.settle()
        answer = cloud(one).chat(PHONE)[asked]
    first, _, said = answer.text.splitlines()[:3]
    assert first.endswith(f"🎤 {words}")
    assert said.startswith(verdict)


@pytest.mark.parametrize("words", ["Je ne sais pas.", "Indice.", "Donne-moi un indice"])
async def test_a_voice_note_asks_for_a_hint(stage: MakeStage, words: str) -> None:
    async with serve_transcription(play_text(words)) as listener:
        settings = {"openai_base_url": listener.url, "openai_api_key": "sk-test"}
        one = await stage(CLOUD, FakeModel(), transcribe_model="whisper-1", **settings)
        await one.log_in()
        await one.say("/practice maths.add-to-100")
        await one.settle()
        asked = len(cloud(one).chat(PHONE))
        await one.take(one.driver.voice(OGG))
        await one.settle()
        [answer] = cloud(one).chat(PHONE)[asked:]
    assert answer.text == "💡 Commence par les unités."
