"""WhatsApp and SMS by Twilio through the whole app, and what a person's phone shows."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from bot.messages.transcript import Media, Text
from bot.settings import Settings
from bot.standins.twilio_errors import MEDIA_LOST
from bot.standins.twilio_people import count_segments
from tests.adapters.conformance.driver import AWA, PNG, PUBLIC
from tests.adapters.conformance.stage import (
    BAMAKO,
    MakeStage,
    SlowModel,
    Stage,
    graded,
    open_driver,
    quiz,
    staging,
)
from tests.adapters.conformance.table import CLOUD, SMS, WHATSAPP
from tests.support.fakes import FakeModel, reply
from tests.support.queries import read_row, read_rows, read_values
from tests.support.transcription_endpoint import play_text, serve_transcription

BOTH = pytest.mark.parametrize("name", [WHATSAPP, SMS])
OGG = b"OggS\0\x02" + bytes(22) + b"OpusHead\x01\x01" + bytes(40)
PDF = b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n"
FORMULA = r"$$\int_0^1 \frac{x^2+1}{\sqrt{x}}\,dx$$"
LESSON = f"# Intégrales\n\nUne **aire** sous la courbe :\n\n{FORMULA}\n\n- un pas\n- puis l'autre"
NOTE = ("generate_md", '{"filename": "fiche.md", "content": "# Les fractions"}')
PAGES = "\n\n".join(f"Paragraphe {n:02d}. " + "Il était une fois un griot. " * 6 for n in range(12))


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


@pytest.fixture
async def stage(make_settings: Callable[..., Settings]) -> AsyncIterator[MakeStage]:
    async with staging(make_settings) as make:
        yield make


def phone(one: Stage) -> list[Any]:
    """What Awa's phone shows: messages as Twilio keeps them."""
    driver: Any = one.driver
    return driver.twilio.chat(AWA)


# Words


async def test_whatsapp_shows_styles_by_its_own_markers(stage: MakeStage) -> None:
    one = await stage(WHATSAPP, FakeModel(reply("**Bonjour** Awa, `2*3*4 = 24`, __init__")))
    await one.say("salut")
    [text] = await one.told(1)
    assert text.startswith("*Bonjour* Awa, `2*3*4 = 24`")
    assert "init" in text


async def test_sms_is_plain_and_costs_one_segment_where_it_can(stage: MakeStage) -> None:
    one = await stage(SMS, FakeModel(reply("**Bonjour** Awa… « 2*3*4 = 24 », voilà ’ — x_1")))
    await one.say("salut")
    [text] = await one.told(1)
    assert "**" not in text
    assert "2*3*4 = 24" in text
    assert "x_1" in text
    assert (len(text) < 160, count_segments(text)) == (True, 1)


async def test_a_lesson_comes_with_its_formula_as_a_picture_on_whatsapp(stage: MakeStage) -> None:
    one = await stage(WHATSAPP, FakeModel(reply(LESSON)))
    await one.say("les intégrales")
    await one.told(1)
    await one.settle()
    [picture] = phone(one)
    assert "*aire*" in picture.body
    assert "∫" in picture.body
    [media] = picture.media.values()
    assert media.mime_type == "image/png"
    assert media.content.startswith(b"\x89PNG")


async def test_a_lesson_its_formula_and_a_quiz_are_two_messages_on_whatsapp(
    stage: MakeStage,
) -> None:
    asked = quiz("Dakar", "Bamako", "Niamey").message.tool_calls[0]
    model = FakeModel(reply(LESSON, (asked.name, asked.arguments)), reply(""))
    one = await stage(WHATSAPP, model)
    await one.log_in()
    await one.say("un quiz")
    await one.told(2)
    await one.settle()
    picture, question = phone(one)
    assert ("∫" in picture.body, len(picture.media)) == (True, 1)
    assert [option.title for option in question.options] == ["Dakar", "Bamako", "Niamey"]


async def test_the_words_come_without_a_picture_that_is_refused(stage: MakeStage) -> None:
    one = await stage(WHATSAPP, FakeModel(reply(LESSON)))
    one.driver.refuse_messages(AWA, 1)
    await one.say("les intégrales")
    await one.told(1)
    await one.settle()
    [words] = phone(one)
    assert ("*aire*" in words.body, words.media) == (True, {})


async def test_the_words_come_again_if_their_picture_fails_later(stage: MakeStage) -> None:
    one = await stage(WHATSAPP, FakeModel(reply(LESSON)))
    await one.say("les intégrales")
    await one.told(1)
    await one.settle()
    driver: Any = one.driver
    for _ in range(2):  # it is reported twice
        await driver.twilio.report(phone(one)[0].sid, "failed", MEDIA_LOST)
    await one.told(2)
    await one.settle()
    _, words = phone(one)
    assert ("*aire*" in words.body, words.media) == (True, {})


async def test_a_lesson_has_its_formula_in_one_line_on_sms(stage: MakeStage) -> None:
    one = await stage(SMS, FakeModel(reply(LESSON)))
    await one.say("les integrales")
    await one.told(1)
    await one.settle()
    [message] = phone(one)
    assert message.media == {}
    assert "$" not in message.body
    assert "\\" not in message.body
    assert re.search(r"\(x(²|\^2) ?\+ ?1\) ?/ ?(√|sqrt)", message.body), message.body
    assert message.segments <= 4


# Quizzes


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        (("Dakar", "Bamako", "Niamey"), "twilio/quick-reply"),
        (("Dakar", "Bamako", "Niamey", "Lomé"), "twilio/list-picker"),
    ],
)
async def test_whatsapp_offers_a_quiz_by_buttons_or_by_a_list(
    stage: MakeStage, options: tuple[str, ...], kind: str
) -> None:
    one = await stage(WHATSAPP, FakeModel(quiz(*options), reply("À toi !")))
    await one.ask_quiz()
    [asked] = phone(one)
    assert asked.kind == kind
    assert [option.title for option in asked.options] == list(options)
    driver: Any = one.driver
    sent = json.dumps([call.fields for call in driver.twilio.calls])
    assert BAMAKO not in sent
    await driver.twilio.tap(AWA, "Bamako")
    await one.heard(BAMAKO)
    assert graded(one) == 1


@BOTH
@pytest.mark.parametrize("typed", ["2", "b)", "B", "bamako", "(2)", "Bamako."])
async def test_a_quiz_is_answered_by_typing(stage: MakeStage, name: str, typed: str) -> None:
    one = await stage(name, FakeModel(quiz(), reply("À toi !")))
    await one.ask_quiz()
    await one.say(typed)
    await one.heard(BAMAKO)


async def test_sms_numbers_the_options_of_a_quiz(stage: MakeStage) -> None:
    one = await stage(SMS, FakeModel(quiz(), reply("À toi !")))
    await one.ask_quiz()
    [asked] = one.driver.shown()  # the words before it are in the same message
    assert asked.startswith("A toi !")
    options = ["1) Dakar", "2) Bamako", "3) Niamey"]
    assert asked.splitlines()[-4:] == [*options, "Réponds par le numéro."]


async def test_a_second_answer_to_a_quiz_costs_nothing(stage: MakeStage) -> None:
    one = await stage(SMS, FakeModel(quiz(), reply("À toi !"), reply("Deux quoi ?")))
    await one.ask_quiz()
    await one.say("1")
    await one.heard(BAMAKO)
    await one.say("2")
    assert (await one.told(3))[2] == "Tu as déjà répondu à cette question."
    await one.say("deux")
    assert (await one.told(4))[3] == "Deux quoi ?"


# What people send


@BOTH
async def test_a_photo_is_put_before_the_model(stage: MakeStage, name: str) -> None:
    model = FakeModel(reply("Un petit carré."))
    one = await stage(name, model)
    await one.take(*one.driver.photos(1))
    assert await one.told(1) == ["Un petit carré."]
    [picture] = [part for part in seen(model) if isinstance(part, Media)]
    assert await one.griot.app.files.read(picture.file_id) == PNG


@BOTH
async def test_a_photo_and_the_question_that_follows_it_are_one_turn(
    stage: MakeStage, name: str
) -> None:
    model = FakeModel(reply("Un petit carré."))
    one = await stage(name, model, burst_seconds=0.4)
    await one.take(*one.driver.photos(1), one.driver.text("c'est quoi ?"))
    await one.told(1)
    await one.settle()
    assert len(model.requests) == 1
    assert [type(part) for part in seen(model)] == [Text, Media]


@BOTH
async def test_a_voice_note_is_heard_and_shown_above_the_answer(
    stage: MakeStage, name: str
) -> None:
    model = FakeModel(reply("Deux tiers."))
    async with serve_transcription(play_text("Combien font un tiers et un tiers ?")) as listener:
        settings = {"openai_base_url": listener.url, "openai_api_key": "sk-test"}
        one = await stage(name, model, transcribe_model="whisper-1", **settings)
        await one.take(one.driver.voice(OGG))
        [text] = await one.told(1)
        assert listener.heard[0].audio == OGG
    first, last = text.splitlines()[0], text.splitlines()[-1]
    assert "Combien font un tiers" in first
    assert last == "Deux tiers."
    [heard] = [part for part in seen(model) if isinstance(part, Media)]
    assert heard.transcript.startswith("Combien")


@BOTH
async def test_a_document_lands_in_the_library_of_who_is_logged_in(
    stage: MakeStage, name: str
) -> None:
    model = FakeModel(reply("Reçu."))
    one = await stage(name, model)
    await one.log_in()
    await one.take(one.driver.document(PDF, "devoir.pdf", "application/pdf"))
    await one.told(1)
    row = await read_row(one.database, "file")
    assert await one.griot.app.files.read(row["id"]) == PDF
    [words] = [part.text for part in seen(model) if isinstance(part, Text)]
    assert row["name"] in words
    assert row["name"] == "devoir.pdf"


async def test_a_number_has_a_library_from_its_first_message(stage: MakeStage) -> None:
    model = FakeModel(reply("Je l'ai."))
    one = await stage(WHATSAPP, model)
    await one.take(one.driver.document(PDF, "devoir.pdf", "application/pdf"))
    await one.told(1)
    assert "devoir.pdf" in str(seen(model))
    assert await read_values(one.database, "file", "name") == ["devoir.pdf"]


def seen(model: FakeModel) -> tuple[Any, ...]:
    """The parts of the message that the model was asked about last."""
    return model.requests[-1].messages[-1].parts  # type: ignore[union-attr]


# What Griot makes


@BOTH
async def test_a_file_that_is_not_carried_comes_as_a_link(stage: MakeStage, name: str) -> None:
    one = await stage(name, FakeModel(reply("", NOTE), reply("Voici la fiche.")))
    await one.log_in()
    await one.say("une fiche")
    text = (await one.told(one.quiz_messages))[-1]
    assert "fiche.md" in text
    found = re.search(rf"{PUBLIC}(/files/[\w.-]+)", text)
    assert found is not None
    status, content = await one.griot.request("GET", found[1])
    assert (status, content) == (200, "# Les fractions\n")


# Long answers, help, stop and start


@pytest.mark.parametrize("word", ["MORE", "SUITE", "suite"])
async def test_the_rest_of_a_long_sms_follows_when_asked_for(stage: MakeStage, word: str) -> None:
    one = await stage(SMS, FakeModel(reply(PAGES)))
    await one.say("raconte")
    await one.told(1)
    await one.settle()
    assert len(one.driver.shown()) == 1
    assert one.driver.shown()[0].endswith("Réponds SUITE pour la suite.")
    while one.driver.shown()[-1].endswith("SUITE pour la suite."):
        count = len(one.driver.shown())
        await one.say(word)
        await one.told(count + 1)
    numbers = re.findall(r"Paragraphe (\d\d)", "\n".join(one.driver.shown()))
    assert numbers == [f"{n:02d}" for n in range(12)]
    assert all(message.segments <= 4 for message in phone(one))
    await one.say(word)
    assert (await one.told(count + 2))[-1].startswith("C'était tout")


@pytest.mark.parametrize("word", ["HELP", "aide", "INFO", "/help"])
async def test_help_on_sms_names_stop_and_asks_no_model(stage: MakeStage, word: str) -> None:
    one = await stage(SMS, FakeModel())
    await one.say(word)
    [text] = await one.told(1)
    assert "STOP" in text


@pytest.mark.parametrize("word", ["STOP", "stop ", "Unsubscribe", "QUIT"])
async def test_after_stop_nothing_is_sent_until_start(stage: MakeStage, word: str) -> None:
    one = await stage(SMS, FakeModel(reply("un"), reply("de retour")))
    await one.say("bonjour")
    await one.told(1)
    await one.say(word)
    await one.say("encore ?")
    await one.say("HELP")
    await one.settle()
    assert one.driver.shown() == ["un"]
    await one.say("START")
    await one.told(2)
    await one.say("bonjour")
    assert (await one.told(3))[2] == "de retour"


async def test_stop_is_heard_where_twilio_does_not_mark_it(stage: MakeStage) -> None:
    one = await stage(SMS, FakeModel(reply("un"), reply("de retour")))
    driver: Any = one.driver
    driver.twilio.people.advanced_opt_out = False
    await one.say("bonjour")
    await one.told(1)
    await one.say("STOP")
    await one.say("START")
    await one.told(2)
    await one.say("bonjour")
    assert (await one.told(3))[2] == "de retour"


async def test_a_status_that_tells_of_an_opt_out_is_heeded_until_start(stage: MakeStage) -> None:
    one = await stage(SMS, FakeModel(reply("un"), reply("de retour")))
    await one.say("bonjour")
    await one.told(1)
    await one.settle()
    driver: Any = one.driver
    await driver.twilio.report(phone(one)[0].sid, "undelivered", 21610)
    await one.say("encore")
    await one.settle()
    assert one.driver.tries() == 1
    await one.say("START")
    await one.told(2)
    await one.say("bonjour")
    assert (await one.told(3))[2] == "de retour"


@pytest.mark.parametrize("word", ["START", "Unstop", "YES"])
async def test_a_word_that_opts_in_is_answered_without_a_model(stage: MakeStage, word: str) -> None:
    one = await stage(SMS, FakeModel(reply("un")))
    await one.say("bonjour")
    await one.told(1)
    await one.say("STOP")
    await one.settle()
    await one.say(word)
    assert "Te revoilà" in (await one.told(2))[1]


async def test_yes_is_a_word_like_any_other_to_who_has_not_opted_out(stage: MakeStage) -> None:
    one = await stage(SMS, FakeModel(reply("un"), reply("deux")))
    await one.say("bonjour")
    await one.told(1)
    await one.say("YES")
    assert (await one.told(2))[1] == "deux"


@pytest.mark.parametrize("word", ["START", "YES"])
async def test_a_word_that_opts_in_does_so_though_a_question_is_open(
    stage: MakeStage, word: str
) -> None:
    answers = (reply("À toi !"), reply("de retour"), reply("encore"))
    one = await stage(SMS, FakeModel(quiz(), *answers))
    await one.ask_quiz()
    await one.say("STOP")
    await one.settle()
    await one.say(word)
    await one.say("bonjour")
    await one.settle()
    assert "de retour" in one.driver.shown()
    assert graded(one) == 0


@pytest.mark.parametrize("channel", [SMS, WHATSAPP])
async def test_arret_in_a_turn_ends_that_and_no_more(stage: MakeStage, channel: Any) -> None:
    model = SlowModel(reply("de retour"))
    one = await stage(channel, model)
    await one.say("une longue question")
    await model.begun.wait()
    await one.say("Arrêt")
    [told] = await one.told(1)
    assert "STOP" in told
    assert "START" not in told
    assert await read_rows(one.database, "lane", notices_off=1) == []
    assert await read_rows(one.database, "lane", opted_out=1) == []
    model.may_go_on.set()


@pytest.mark.parametrize("word", ["stop", "Désabonnement."])
async def test_on_whatsapp_the_bare_word_stop_ends_the_turn_and_opts_out(
    stage: MakeStage, word: str
) -> None:
    model = SlowModel(reply("de retour"))
    one = await stage(WHATSAPP, model)
    await one.say("une longue question")
    await model.begun.wait()
    await one.say(word)
    [told] = await one.told(1)
    assert told.startswith("C’est arrêté. À partir de maintenant, je ne fais que te répondre")
    assert told.endswith("écris START.")
    lanes = await read_rows(one.database, "lane", notices_off=1)
    assert any(lane["id"].startswith("whatsapp:") for lane in lanes)
    model.may_go_on.set()
    await one.say("encore")
    assert (await one.told(2))[1] == "de retour"


# The window


async def test_without_a_template_the_answer_waits_in_silence(stage: MakeStage) -> None:
    model = SlowModel(reply("enfin"), reply("re"))
    one = await stage(WHATSAPP, model, twilio_template_sid="")
    await one.say("une longue question")
    await model.begun.wait()
    await one.go_silent()
    model.may_go_on.set()
    await one.settle()
    assert one.driver.shown() == []
    assert one.driver.tries() == 0
    await one.say("me voilà")
    assert await one.told(2) == ["enfin", "re"]


async def test_a_template_asks_once_however_much_waits(stage: MakeStage) -> None:
    model = SlowModel(quiz(), reply("À toi !"), reply("re"))
    one = await stage(WHATSAPP, model)
    await one.log_in()
    await one.say("un quiz")
    await model.begun.wait()
    await one.go_silent()
    model.may_go_on.set()
    await one.told(1)
    await one.settle()
    [asked] = phone(one)
    assert asked.is_template
    await one.say("me voilà")
    texts = await one.told(3)
    assert texts[1].startswith("À toi\u202f!\n\n")
    assert "Mali" in texts[1]
    assert texts[2] == "re"


async def test_a_picture_that_waits_for_the_window_is_shown_when_it_opens(
    stage: MakeStage,
) -> None:
    model = SlowModel(reply(LESSON), reply("re"))
    one = await stage(WHATSAPP, model)
    await one.say("les intégrales")
    await model.begun.wait()
    await one.go_silent()
    model.may_go_on.set()
    await one.told(1)
    await one.settle()
    [asked] = phone(one)
    assert asked.is_template
    assert "Intégrales" in asked.body
    await one.say("me voilà")
    await one.told(3)
    assert [len(message.media) for message in phone(one)] == [0, 1, 0]


async def test_answers_that_fail_late_by_the_window_come_in_order_after_one_template(
    stage: MakeStage,
) -> None:
    model = SlowModel(quiz(), reply("À toi !"), reply("re"))
    one = await stage(WHATSAPP, model)
    await one.log_in()
    await one.say("un quiz")
    await model.begun.wait()
    driver: Any = one.driver
    driver.close_window()
    model.may_go_on.set()
    await one.told(1)
    await driver.twilio.settled()
    await one.settle()
    assert [message.is_template for message in phone(one)] == [True]
    await one.say("me voilà")
    texts = await one.told(3)
    assert texts[1].startswith("À toi\u202f!\n\n")
    assert "Mali" in texts[1]
    assert texts[2] == "re"


async def test_after_stop_what_was_written_before_it_is_not_worked_on(stage: MakeStage) -> None:
    model = SlowModel(reply("un"), reply("deux"))
    one = await stage(SMS, model)
    await one.log_in()
    await one.say("une longue question")
    await model.begun.wait()
    await one.say("et encore une")
    await one.say("STOP")
    model.may_go_on.set()
    await one.settle()
    assert one.driver.shown() == []
    assert not any("et encore une" in str(asked.messages[-1]) for asked in model.requests)


# Doors


async def test_both_whatsapp_providers_answer_what_they_received(
    stage: MakeStage,
) -> None:
    model = FakeModel(reply("un"), reply("deux"), reply("trois"))
    async with open_driver(CLOUD) as cloud:
        one = await stage(WHATSAPP, model, **cloud.settings)
        await cloud.reach(one.griot.url)
        await one.say("par Twilio")
        assert await one.told(1) == ["un"]
        assert await cloud.post(cloud.text("par Meta")) == 200
        await one.until(cloud.shown)
        assert cloud.shown() == ["deux"]
        await one.say("par Twilio")
        assert await one.told(2) == ["un", "trois"]
        assert cloud.shown() == ["deux"]
        assert "par Twilio" in str(model.requests[1].messages)
        assert cloud.violations == []


async def test_an_answer_that_waits_goes_by_the_provider_that_received_the_question(
    stage: MakeStage,
) -> None:
    async with open_driver(CLOUD) as cloud:
        one = await stage(WHATSAPP, FakeModel(reply("un"), reply("deux")), **cloud.settings)
        await cloud.reach(one.griot.url)
        cloud.throttle(AWA)
        await cloud.post(cloud.text("par Meta"))
        await one.put_off()
        await one.say("par Twilio")
        await one.hurry()
        await one.until(lambda: len([*cloud.shown(), *one.driver.shown()]) == 2)
        assert cloud.shown() == ["un"]
        assert one.driver.shown() == ["deux"]


@pytest.mark.parametrize("name", [SMS, CLOUD])
async def test_the_webhook_of_a_channel_without_settings_is_404(
    stage: MakeStage, name: str
) -> None:
    one = await stage(name, FakeModel())
    closed = {
        SMS: ["/webhooks/telegram", "/webhooks/whatsapp"],
        CLOUD: ["/webhooks/telegram", "/webhooks/twilio", "/webhooks/twilio/status"],
    }
    for path in closed[name]:
        status, _ = await one.griot.request("POST", path, data={"x": "y"})
        assert status == 404


@BOTH
async def test_a_message_for_the_channel_that_is_not_set_up_is_left_out(
    stage: MakeStage, name: str
) -> None:
    one = await stage(name, FakeModel())
    driver: Any = one.driver
    other = driver.twilio.write(AWA, "bonjour", whatsapp=name == SMS)
    await one.take(other)
    assert await read_rows(one.database, "inbox") == []


async def test_a_forged_status_is_403_and_changes_nothing(stage: MakeStage) -> None:
    one = await stage(SMS, FakeModel(reply("un")))
    await one.say("bonjour")
    await one.told(1)
    await one.settle()
    form = {"MessageSid": phone(one)[0].sid, "MessageStatus": "failed", "ErrorCode": "21610"}
    for signature in ({}, {"X-Twilio-Signature": "wrong"}):
        status, _ = await one.griot.request(
            "POST", "/webhooks/twilio/status", data=form, headers=signature
        )
        assert status == 403
    assert await one.states() == ["sent"]


@BOTH
async def test_every_status_that_follows_a_message_is_noted(stage: MakeStage, name: str) -> None:
    one = await stage(name, FakeModel(reply("un")))
    driver: Any = one.driver
    driver.twilio.sender.reports = ("queued", "sent", "delivered")
    await one.say("bonjour")
    await one.told(1)
    await one.settle()
    await driver.twilio.settled()
    row = await read_row(one.database, "outbox")
    assert (row["state"], row["receipt"]) == ("sent", "delivered")


async def test_typing_is_shown_while_a_turn_runs_on_whatsapp(stage: MakeStage) -> None:
    model = SlowModel(reply("voilà"))
    one = await stage(WHATSAPP, model)
    await one.say("bonjour")
    await model.begun.wait()
    driver: Any = one.driver
    await one.until(lambda: driver.twilio.typing == [AWA])
    model.may_go_on.set()
    assert await one.told(1) == ["voilà"]
