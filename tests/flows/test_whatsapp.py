"""WhatsApp by Meta's Cloud API through the whole app, and what a person's phone shows."""

from __future__ import annotations

import asyncio
import io
import json
import re
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from bot.errors import ModelUnavailable
from bot.messages.transcript import Media, Text
from bot.settings import Settings
from tests.adapters.conformance.driver import AWA, BINTA, PNG, PUBLIC
from tests.adapters.conformance.stage import BAMAKO, MakeStage, SlowModel, Stage, quiz, staging
from tests.adapters.conformance.table import CLOUD
from tests.standins.whatsapp import VERIFY_TOKEN
from tests.standins.whatsapp_errors import WINDOW
from tests.support.fakes import FakeModel, reply
from tests.support.queries import Plus, change_rows, count_rows, read_row
from tests.support.transcription_endpoint import play_text, serve_transcription

PHONE = AWA.lstrip("+")
OGG = b"OggS\0\x02" + bytes(22) + b"OpusHead\x01\x01" + bytes(40)
PDF = b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n"
LESSON = "# Intégrales\n\nUne **aire** :\n\n" + r"$$\int_0^1 \frac{x^2+1}{\sqrt{x}}\,dx$$"
UNREAD = (
    "Je n’ai pas pu lire ce message. Écris-moi, ou envoie une photo, un message vocal ou un "
    "document."
)
NOTE = ("generate_md", '{"filename": "fiche.md", "content": "# Les fractions"}')


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


@pytest.fixture
async def stage(make_settings: Callable[..., Settings]) -> AsyncIterator[MakeStage]:
    async with staging(make_settings) as make:
        yield make


def phone(one: Stage) -> list[Any]:
    """What Awa's phone shows, as the stand-in tells it."""
    return cloud(one).chat(PHONE)


def cloud(one: Stage) -> Any:
    driver: Any = one.driver
    return driver.whatsapp


def seen(model: FakeModel) -> tuple[Any, ...]:
    """The parts of the message that the model was asked about last."""
    return model.requests[-1].messages[-1].parts  # type: ignore[union-attr]


# Words


async def test_whatsapp_shows_styles_by_its_own_markers(stage: MakeStage) -> None:
    one = await stage(CLOUD, FakeModel(reply("**Bonjour** Awa, `2*3*4 = 24`")))
    await one.say("salut")
    assert await one.told(1) == ["*Bonjour* Awa, `2*3*4 = 24`"]


async def test_a_lesson_comes_with_its_formula_as_a_picture(stage: MakeStage) -> None:
    one = await stage(CLOUD, FakeModel(reply(LESSON)))
    await one.say("les intégrales")
    await one.told(1)
    [picture] = phone(one)
    assert "*aire*" in picture.caption
    assert "∫" in picture.caption
    assert (picture.kind, picture.media_type) == ("image", "image/png")
    assert picture.media.startswith(b"\x89PNG")


async def test_long_code_comes_as_a_document(stage: MakeStage) -> None:
    one = await stage(CLOUD, FakeModel(reply("```python\n" + "x = 1\n" * 40 + "```")))
    await one.say("du code")
    await one.told(1)
    [document] = phone(one)
    assert "📎" in document.caption
    assert (document.kind, document.media_type) == ("document", "text/plain")
    assert document.media.startswith(b"x = 1\n")


async def test_a_message_is_marked_read_and_typing_shown_while_its_turn_runs(
    stage: MakeStage,
) -> None:
    model = SlowModel(reply("voilà"))
    one = await stage(CLOUD, model)
    await one.say("bonjour")
    await model.begun.wait()
    await one.until(lambda: cloud(one).is_typing(PHONE))
    assert len(cloud(one).read) == 1
    model.may_go_on.set()
    assert await one.told(1) == ["voilà"]
    assert not cloud(one).is_typing(PHONE)


async def test_a_poll_is_answered_once_without_the_model(stage: MakeStage) -> None:
    model = FakeModel(reply("oui"))
    one = await stage(CLOUD, model)
    for kind in ("poll_creation", "poll_update", "", ""):
        await cloud(one).deliver(cloud(one).unsupported_message(PHONE, kind))
    assert await one.told(1) == [UNREAD]
    await one.settle()
    assert len(phone(one)) == 1
    assert not model.requests


async def test_a_message_of_a_new_kind_is_answered_once(stage: MakeStage) -> None:
    model = FakeModel(reply("oui"))
    one = await stage(CLOUD, model)
    item = cloud(one).message(PHONE, "hologram", {"id": "5"})
    for _ in range(2):
        await cloud(one).deliver(item)
    assert await one.told(1) == [UNREAD]
    await one.settle()
    assert len(phone(one)) == 1
    assert await count_rows(one.database, "unreadable") == 1
    assert not model.requests


async def test_a_message_of_a_new_kind_of_days_ago_is_only_kept(stage: MakeStage) -> None:
    one = await stage(CLOUD, FakeModel(reply("oui")))
    item = cloud(one).message(PHONE, "hologram", {"id": "5"}) | {"timestamp": "1750090702"}
    await cloud(one).deliver(item)
    await one.settle()
    assert await count_rows(one.database, "unreadable") == 1
    await one.say("bonjour")
    assert await one.told(1) == ["oui"]


async def test_the_first_question_waits_for_an_answer_with_room_for_its_buttons(
    stage: MakeStage,
) -> None:
    one = await stage(CLOUD, FakeModel(reply("Un long cours. " * 80), reply("Un court.")))
    await change_rows(one.database, "account", {"greeted": 0})
    for count, words in enumerate(("explique", "et encore ?"), 1):
        await one.say(words)
        await one.told(count)
        await one.settle()
    long, short = phone(one)
    assert (long.kind, short.kind) == ("text", "button")
    assert short.text.startswith("Un court.")


async def test_someone_elses_contact_is_a_message_to_the_model(stage: MakeStage) -> None:
    model = FakeModel(reply("C’est noté."))
    one = await stage(CLOUD, model)
    await cloud(one).deliver(cloud(one).contacts_message(PHONE, "22505050505"))
    assert await one.told(1) == ["C’est noté."]
    assert "contact" in str(seen(model))
    assert "+22505050505" in str(seen(model))


# Quizzes


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        (("Dakar", "Bamako", "Niamey"), "button"),
        (("Dakar", "Bamako", "Niamey", "Lomé"), "list"),
    ],
)
async def test_a_quiz_is_offered_by_buttons_or_by_a_list(
    stage: MakeStage, options: tuple[str, ...], kind: str
) -> None:
    one = await stage(CLOUD, FakeModel(quiz(*options), reply("À toi !")))
    await one.ask_quiz()
    [asked] = phone(one)
    assert asked.kind == kind
    assert [option.title for option in asked.options] == list(options)
    assert BAMAKO not in json.dumps([str(call.content) for call in cloud(one).calls])
    await cloud(one).deliver(cloud(one).tap(PHONE, "Bamako"))
    await one.heard(BAMAKO)


async def test_options_too_long_for_buttons_are_listed_and_lettered(stage: MakeStage) -> None:
    options = [f"la ville numéro {n}, au bord d’un grand fleuve" for n in (1, 2, 3)]
    one = await stage(CLOUD, FakeModel(quiz(*options), reply("À toi !")))
    await one.ask_quiz()
    [asked] = phone(one)
    assert [option.title for option in asked.options] == ["A", "B", "C"]
    assert all(f") {option}" in asked.text for option in options)
    await cloud(one).deliver(cloud(one).tap(PHONE, "B"))
    await one.heard(BAMAKO)


VECTORS = {
    "question": r"À quoi est égal $\overrightarrow{MN} + \overrightarrow{NP}$ ?",
    "options": [r"$\overrightarrow{PM}$", r"$\overrightarrow{MP}$", r"$\overrightarrow{NM}$"],
    "correct_index": 1,
    "explanation": "D’après la relation de Chasles.",
}


async def test_a_formula_of_a_quiz_is_a_picture_above_its_buttons(stage: MakeStage) -> None:
    asked = reply("Pense aux trajets.", ("interactive_quiz", json.dumps(VECTORS)))
    one = await stage(CLOUD, FakeModel(asked, reply("")))
    await one.log_in()
    await one.say("un quiz")
    await one.told(1)
    await one.settle()
    [shown] = phone(one)
    assert (shown.kind, shown.media_type) == ("button", "image/png")
    assert "Pense aux trajets." in shown.text
    assert len(shown.options) == 3


async def test_a_picture_goes_before_the_buttons_where_it_is_refused_above_them(
    stage: MakeStage,
) -> None:
    asked = reply("", ("interactive_quiz", json.dumps(VECTORS)))
    one = await stage(CLOUD, FakeModel(asked, reply("")))
    one.driver.refuse_form()
    await one.log_in()
    await one.say("un quiz")
    await one.told(2)
    await one.settle()
    assert [each.kind for each in phone(one)] == ["image", "button"]


@pytest.mark.parametrize("typed", ["2", "b)", "bamako", "Bamako."])
async def test_a_quiz_is_answered_by_typing(stage: MakeStage, typed: str) -> None:
    one = await stage(CLOUD, FakeModel(quiz(), reply("À toi !")))
    await one.ask_quiz()
    await one.say(typed)
    await one.heard(BAMAKO)


# What people send


async def test_a_photo_is_put_before_the_model_with_its_caption(stage: MakeStage) -> None:
    model = FakeModel(reply("Un petit carré."))
    one = await stage(CLOUD, model)
    await cloud(one).deliver(cloud(one).image_message(PHONE, PNG, caption="c'est quoi ?"))
    assert await one.told(1) == ["Un petit carré."]
    [picture] = [part for part in seen(model) if isinstance(part, Media)]
    assert await one.griot.app.files.read(picture.file_id) == PNG
    assert "c'est quoi ?" in str(seen(model))


async def test_a_link_that_expires_before_it_is_opened_is_asked_for_anew(
    stage: MakeStage,
) -> None:
    model = FakeModel(reply("vu"))
    one = await stage(CLOUD, model)
    cloud(one).answer_next(404, "URL expired", accept=False, place="download")
    await one.take(*one.driver.photos(1))
    await one.told(1)
    assert any(isinstance(part, Media) for part in seen(model))


async def test_a_voice_note_is_heard_and_shown_above_the_answer(stage: MakeStage) -> None:
    model = FakeModel(reply("Deux tiers."))
    async with serve_transcription(play_text("Combien font un tiers et un tiers ?")) as listener:
        settings = {"openai_base_url": listener.url, "openai_api_key": "sk-test"}
        one = await stage(CLOUD, model, transcribe_model="whisper-1", **settings)
        await one.take(one.driver.voice(OGG))
        [text] = await one.told(1)
    assert "Combien font un tiers" in text.splitlines()[0]
    assert text.splitlines()[-1] == "Deux tiers."


async def test_what_hearing_costs_is_booked_once_though_the_model_failed_first(
    stage: MakeStage,
) -> None:
    model = FakeModel(ModelUnavailable("down"), reply("Deux tiers."))
    play = play_text("Combien font un tiers et un tiers ?", usage={"seconds": 100})
    async with serve_transcription(play) as listener:
        settings = {"openai_base_url": listener.url, "openai_api_key": "sk-test"}
        one = await stage(CLOUD, model, transcribe_model="whisper-1", **settings)
        await one.log_in()
        await one.take(one.driver.voice(OGG + bytes(200_000)))
        await one.told(1)
        await one.settle()
        assert len(listener.heard) == 1
    turn = await read_row(one.database, "turn")
    spent = await read_row(one.database, "spending", kind="model", name="whisper-1")
    assert (spent["calls"], spent["usd"]) == (1, pytest.approx(0.01))
    assert turn["usd"] == pytest.approx(0.011)  # with the answer
    assert turn["credits"] == 11


async def test_a_document_lands_in_the_library_under_its_name(stage: MakeStage) -> None:
    model = FakeModel(reply("Reçu."))
    one = await stage(CLOUD, model)
    await one.log_in()
    await one.take(one.driver.document(PDF, "devoir.pdf", "application/pdf"))
    await one.told(1)
    row = await read_row(one.database, "file")
    assert row["name"] == "devoir.pdf"
    assert await one.griot.app.files.read(row["id"]) == PDF
    [words] = [part.text for part in seen(model) if isinstance(part, Text)]
    assert "devoir.pdf" in words


async def test_a_location_reaches_the_model_in_words(stage: MakeStage) -> None:
    model = FakeModel(reply("vu"))
    one = await stage(CLOUD, model)
    await cloud(one).deliver(cloud(one).location_message(PHONE, 5.35, -4.01))
    await one.told(1)
    assert "5.350000, -4.010000" in str(seen(model))


async def test_what_wants_no_answer_gets_none(stage: MakeStage) -> None:
    one = await stage(CLOUD, FakeModel(reply("un")))
    await one.say("bonjour")
    await one.told(1)
    whatsapp = cloud(one)
    await whatsapp.deliver(whatsapp.reaction_message(PHONE, phone(one)[0].wamid))
    await whatsapp.deliver(whatsapp.unsupported_message(PHONE, "pin"))
    await whatsapp.deliver(whatsapp.system_message(PHONE, "22507000009"))
    await one.settle()
    assert one.driver.shown() == ["un"]
    assert whatsapp.webhook.attempts[-1].status == 200


# What Griot makes


async def test_a_file_that_is_not_carried_comes_as_a_link(stage: MakeStage) -> None:
    one = await stage(CLOUD, FakeModel(reply("", NOTE), reply("Voici la fiche.")))
    await one.log_in()
    await one.say("une fiche")
    [text] = await one.told(1)
    assert "fiche.md" in text
    found = re.search(rf"{PUBLIC}(/files/[\w.-]+)", text)
    assert found is not None
    status, content = await one.griot.request("GET", found[1])
    assert (status, content) == (200, "# Les fractions\n")


async def test_each_person_is_answered_in_their_own_chat(stage: MakeStage) -> None:
    one = await stage(CLOUD, FakeModel(reply("un"), reply("deux")))
    await one.say("bonjour", BINTA)
    assert await one.told(1, BINTA) == ["un"]
    await one.say("bonjour")
    assert await one.told(1) == ["deux"]
    assert one.driver.shown(BINTA) == ["un"]


# The window


async def test_a_message_that_comes_a_day_late_opens_no_window(stage: MakeStage) -> None:
    one = await stage(CLOUD, FakeModel(reply("un"), reply("deux")), whatsapp_template="")
    item = cloud(one).text_message(PHONE, "bonjour")
    late = item | {"timestamp": str(int(item["timestamp"]) - 25 * 3600)}
    await cloud(one).deliver(late)
    await one.settle()
    assert (one.driver.shown(), one.driver.tries()) == ([], 0)
    await one.say("me voilà")
    assert await one.told(2) == ["un", "deux"]


async def test_a_message_that_comes_an_hour_late_is_answered(stage: MakeStage) -> None:
    one = await stage(CLOUD, FakeModel(reply("un")), whatsapp_template="")
    item = cloud(one).text_message(PHONE, "bonjour")
    await cloud(one).deliver(item | {"timestamp": str(int(item["timestamp"]) - 3600)})
    assert await one.told(1) == ["un"]


async def test_without_a_template_the_answer_waits_in_silence(stage: MakeStage) -> None:
    model = SlowModel(reply("enfin"), reply("re"))
    one = await stage(CLOUD, model, whatsapp_template="")
    await one.say("une longue question")
    await model.begun.wait()
    await one.go_silent()
    model.may_go_on.set()
    await one.settle()
    assert (one.driver.shown(), one.driver.tries()) == ([], 0)
    await one.say("me voilà")
    assert await one.told(2) == ["enfin", "re"]


async def test_a_status_that_tells_of_a_closed_window_holds_the_answer_for_later(
    stage: MakeStage,
) -> None:
    one = await stage(CLOUD, FakeModel(reply("enfin"), reply("re")))
    await one.say("une question")
    await one.told(1)
    await one.settle()
    whatsapp = cloud(one)
    failed = whatsapp.status(PHONE, phone(one)[0].wamid, "failed", code=WINDOW)
    await whatsapp.deliver(failed)
    await one.told(2)
    assert phone(one)[1].template == "news:fr"
    await one.say("me voilà")
    assert (await one.told(4))[2:] == ["enfin", "re"]


# The door


async def test_meta_makes_sure_of_the_webhook(stage: MakeStage) -> None:
    one = await stage(CLOUD, FakeModel())
    query = {"hub.mode": "subscribe", "hub.challenge": "1158201444"}
    for token, status in ((VERIFY_TOKEN, 200), ("wrong", 403), ("", 403)):
        asked = query | {"hub.verify_token": token}
        told, text = await one.griot.request("GET", "/webhooks/whatsapp", params=asked)
        assert told == status
        assert (text == "1158201444") == (status == 200)


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'"text"', b"{}", b'{"object": 1}', b"[" * 9999]
)
async def test_a_malformed_body_is_400_with_a_reason(stage: MakeStage, body: bytes) -> None:
    one = await stage(CLOUD, FakeModel())
    headers = {"X-Hub-Signature-256": cloud(one).webhook.sign(body)}
    status, answer = await one.griot.request(
        "POST", "/webhooks/whatsapp", data=body, headers=headers
    )
    assert status == 400
    assert answer["error"]["message"]


async def test_a_body_over_a_mebibyte_is_413(stage: MakeStage) -> None:
    one = await stage(CLOUD, FakeModel())
    body = b" " * (2**20 + 1)
    headers = {"X-Hub-Signature-256": cloud(one).webhook.sign(body)}
    status, _ = await one.griot.request(
        "POST", "/webhooks/whatsapp", data=io.BytesIO(body), headers=headers
    )
    assert status == 413


async def test_a_tap_on_a_templates_button_says_its_text(stage: MakeStage) -> None:
    model = FakeModel(reply("un"), reply("deux"))
    one = await stage(CLOUD, model)
    await one.say("bonjour")
    await one.told(1)
    whatsapp = cloud(one)
    tap = whatsapp.template_tap(PHONE, phone(one)[0].wamid, "continue", "Continuer")
    await whatsapp.deliver(tap)
    assert await one.told(2) == ["un", "deux"]
    assert seen(model)[0].text == "Continuer"


async def test_a_quiz_whose_list_is_refused_says_how_to_answer(stage: MakeStage) -> None:
    one = await stage(CLOUD, FakeModel(quiz("Dakar", "Bamako", "Niamey", "Gao"), reply("À toi !")))
    await one.log_in()
    cloud(one).fail_next(131009)
    await one.say("un quiz")
    [told] = await one.told(1)
    assert told.endswith("1) Dakar\n2) Bamako\n3) Niamey\n4) Gao\n\nRéponds par le numéro.")
    await one.say("2")
    await one.heard(BAMAKO)


async def test_a_number_names_a_command_only_where_its_button_was_refused(
    stage: MakeStage,
) -> None:
    one = await stage(CLOUD, FakeModel(reply("Deux.")))
    await one.say("/langue")
    await one.told(1)
    await one.say("2")
    assert (await one.told(2))[1] == "Deux."
    cloud(one).fail_next(131009)
    await one.say("/langue")
    assert "2) " in (await one.told(3))[2]
    await one.settle()
    await one.say("2")
    await one.heard("I speak English now.")


# Buttons pressed again


async def test_of_three_taps_at_once_one_is_graded_and_one_rebuked(stage: MakeStage) -> None:
    one = await stage(CLOUD, FakeModel(quiz(), reply("À toi !")))
    await one.ask_quiz()
    taps = [one.driver.choose(title) for title in ("Bamako", "Dakar", "Niamey")]
    await asyncio.gather(*(one.take(tap) for tap in taps))
    await one.settle()
    assert sum("déjà répondu" in told for told in one.words()) == 1
    assert sum(BAMAKO in told for told in one.words()) == 1


async def test_another_question_can_be_asked_for_twice(stage: MakeStage) -> None:
    answers = [reply("À toi !"), reply("Une autre."), reply("Encore une autre.")]
    one = await stage(CLOUD, FakeModel(quiz(), *answers))
    await one.ask_quiz()
    await one.choose("Bamako")
    await one.heard(BAMAKO)
    again = one.driver.choose("Encore une question")
    twice = one.driver.choose("Encore une question")
    await one.take(again)
    await one.heard("Une autre.")
    await one.take(one.driver.choose("Encore une question"))  # at once: by mistake
    await one.settle()
    assert "Encore une autre." not in one.words()
    await change_rows(one.database, "inbox", {"stored_at": Plus(-11)})
    await one.take(twice)
    await one.heard("Encore une autre.")
