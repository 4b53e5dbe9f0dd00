"""Twenty cases that every adapter answers, each asked through the whole app.

What is asked of whom, and why not of others, stands in `conformance/table.py`.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from typing import Any

import pytest

from bot.contracts.models import Model
from bot.errors import ModelRefused
from bot.files.links import Links
from bot.messages.transcript import Media, Text, UserMessage
from bot.settings import Settings
from tests.adapters.conformance.driver import AWA, BINTA, Driver, Status
from tests.adapters.conformance.stage import (
    BAMAKO,
    SlowModel,
    Stage,
    graded,
    open_driver,
    open_stage,
    quiz,
    shared_settings,
    words_in,
)
from tests.adapters.conformance.table import (
    ALL,
    CONSOLE,
    EMAIL,
    EXCUSED,
    HTTP,
    QUESTIONS,
    TELEGRAM,
    adapters_there_are,
    asked,
    asks,
    reason,
)
from tests.support.fakes import FakeModel, reply
from tests.support.queries import change_rows, count_rows, read_row, read_rows, read_values
from tests.support.redis_server import RedisServer, start_redis
from tests.support.waiting import until

MakeStage = Callable[..., Awaitable[Stage]]
READY = reply("À toi !")
STOPPED = "C’est arrêté."
TOO_LATE = "Tu as déjà répondu"
EMOJI = "👩🏽‍🏫"
"""One grapheme of four code points, seven UTF-16 units."""


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """The dialects are compared elsewhere."""
    return sqlite_url


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    with start_redis() as server:
        yield server


@pytest.fixture
async def driver(request: pytest.FixtureRequest) -> AsyncIterator[Driver]:
    async with open_driver(request.param) as driver:
        yield driver
        assert driver.violations == []


@pytest.fixture
async def stage(driver: Driver, make_settings: Callable[..., Settings]) -> AsyncIterator[MakeStage]:
    async with AsyncExitStack() as stack:

        async def make(model: Model, **values: object) -> Stage:
            settings = make_settings(**shared_settings(driver), **values)
            return await stack.enter_async_context(open_stage(driver, settings, model))

        yield make


def newest(model: FakeModel) -> UserMessage:
    """What the model was told last."""
    message = model.requests[-1].messages[-1]
    assert isinstance(message, UserMessage)
    return message


def text_of(message: UserMessage) -> str:
    return "\n".join(part.text for part in message.parts if isinstance(part, Text))


# The table


def test_every_question_is_asked_of_every_adapter_or_excused() -> None:
    for question in QUESTIONS:
        for name in (*ALL, HTTP, CONSOLE, EMAIL):
            is_asked = name in asked().get(question, [])
            assert is_asked != bool(reason(question, name)), (question, name)


def test_the_twenty_cases_are_there_and_nothing_else_is_asked_or_excused() -> None:
    assert {int(re.sub("[a-z]", "", question)) for question in QUESTIONS} == set(range(1, 21))
    assert set(asked()) == set(QUESTIONS)
    assert set(EXCUSED) <= set(QUESTIONS)


def test_an_adapter_that_is_not_listed_fails() -> None:
    assert adapters_there_are() == {*ALL, HTTP, CONSOLE, EMAIL}, "ALL: conformance/table.py"


# What arrives


@asks("1")
async def test_many_deliveries_at_one_moment_give_one_turn_one_charge_one_reply(
    stage: MakeStage,
) -> None:
    one = await stage(FakeModel(reply("once")))
    await one.log_in()
    parcel = one.driver.text("bonjour")
    statuses = await asyncio.gather(*(one.driver.post(parcel) for _ in range(20)))
    assert {status // 100 for status in statuses} == {2}
    await one.told(1)
    await one.settle()
    assert one.driver.shown() == ["once"]
    kinds = await read_values(one.database, "ledger", "kind")
    assert kinds.count("reserve") == kinds.count("settle") == 1


@asks("1b")
async def test_many_deliveries_of_one_tap_give_one_verdict_and_no_rebuke(
    stage: MakeStage,
) -> None:
    one = await stage(FakeModel(quiz(), READY))
    await one.ask_quiz()
    tap = one.driver.choose("Bamako")
    await asyncio.gather(*(one.take(tap) for _ in range(10)))
    await one.heard(BAMAKO)
    await one.settle()
    assert graded(one) == 1
    assert not any(TOO_LATE in told for told in one.words())


@asks("2")
async def test_what_was_acknowledged_is_answered_by_the_next_process(
    driver: Driver, make_settings: Callable[..., Settings], redis: RedisServer
) -> None:
    settings = make_settings(**shared_settings(driver), redis_url=redis.url)
    parcel = driver.text("bonjour")
    async with open_stage(driver, settings, FakeModel(), worker=False) as one:
        await one.take(parcel)
    assert driver.shown() == []
    async with open_stage(driver, settings, FakeModel(reply("me voici"), reply("encore"))) as one:
        assert await one.told(1) == ["me voici"]
        await one.take(parcel)
        await one.settle()
        assert driver.shown() == ["me voici"]


@asks("3")
async def test_what_cannot_be_read_stores_nothing_and_blocks_nothing(stage: MakeStage) -> None:
    one = await stage(FakeModel(reply("bien")))
    assert await one.driver.post(one.driver.poison()) < 500
    assert await read_rows(one.database, "inbox") == []
    await one.say("bonjour")
    assert await one.told(1) == ["bien"]


@asks("3b")
async def test_a_turn_that_cannot_succeed_says_so_once_and_blocks_nothing(
    stage: MakeStage,
) -> None:
    one = await stage(FakeModel(ModelRefused("no"), reply("bien")))
    await one.say("poison")
    await one.say("bonjour")
    apology, answer = await one.told(2)
    assert "Un problème est survenu" in apology
    assert answer == "bien"
    await one.settle()
    assert len(one.driver.shown()) == 2


@asks("4")
async def test_a_tap_that_overtakes_a_message_is_graded_and_both_are_answered(
    stage: MakeStage,
) -> None:
    one = await stage(FakeModel(quiz(), READY, reply("la suite")))
    await one.ask_quiz()
    message, tap = one.driver.text("et après ?"), one.driver.choose("Bamako")
    await one.take(tap, message)
    await one.told(one.quiz_messages + 2)
    await one.settle()
    assert graded(one) == 1
    assert one.driver.shown().count("la suite") == 1


@asks("15")
async def test_five_photos_sent_at_once_are_one_turn(stage: MakeStage) -> None:
    model = FakeModel(reply("cinq photos"))
    one = await stage(model, burst_seconds=0.4)
    await asyncio.gather(*(one.take(photo) for photo in one.driver.photos(5)))
    assert await one.told(1) == ["cinq photos"]
    await one.settle()
    assert len(model.requests) == 1
    pictures = [part for part in newest(model).parts if isinstance(part, Media)]
    assert len(pictures) == 5


@asks("16")
async def test_an_authentic_delivery_is_taken_behind_any_proxy_and_in_any_form(
    stage: MakeStage,
) -> None:
    text = "Ça va 😀 ? 1+1=2 & 50% de “é” / \\"
    headers = {
        "Host": "internal:8080",
        "X-Forwarded-Proto": "http",
        "X-Forwarded-Host": "elsewhere.example",
        "X-Forwarded-Port": "8443",
        "X-Forwarded-For": "203.0.113.9",
        "Forwarded": "for=203.0.113.9;host=elsewhere.example;proto=http",
    }
    model = FakeModel(*(reply(str(number)) for number in range(9)))
    one = await stage(model)
    for count, parcel in enumerate(one.driver.odd(text), 1):
        assert await one.driver.post(parcel, headers) // 100 == 2
        await one.told(count)
        assert text_of(newest(model)) == text


@asks("16b")
async def test_a_forged_delivery_is_403_and_stores_nothing(stage: MakeStage) -> None:
    one = await stage(FakeModel(reply("authentique")))
    parcel = one.driver.text("bonjour")
    statuses = await one.driver.forge(parcel)
    assert len(statuses) > 3
    assert set(statuses) == {403}
    assert await read_rows(one.database, "inbox") == []
    await one.take(parcel)
    assert await one.told(1) == ["authentique"]


@asks("20")
async def test_a_batch_is_taken_apart_and_its_bad_item_harms_no_other(stage: MakeStage) -> None:
    one = await stage(FakeModel(reply("un"), reply("deux"), reply("trois")))
    await one.say("un")
    await one.told(1)
    await one.take(one.driver.mix("deux"))
    assert await one.told(2) == ["un", "deux"]
    await one.say("trois", BINTA)
    assert await one.told(1, BINTA) == ["trois"]
    assert (await read_values(one.database, "outbox", "receipt"))[0] == "read"


@asks("20c")
async def test_media_that_are_gone_leave_a_turn_that_says_so(stage: MakeStage) -> None:
    model = FakeModel(reply("renvoie-la"))
    one = await stage(model)
    [photo] = one.driver.photos(1)
    one.driver.lose_media()
    await one.take(photo)
    assert await one.told(1) == ["renvoie-la"]
    assert "that could not be had" in text_of(newest(model))


# What is tapped


@asks("5")
async def test_of_two_taps_on_one_option_one_counts_and_the_other_gets_a_word(
    stage: MakeStage,
) -> None:
    one = await stage(FakeModel(quiz(), READY, reply("Deux quoi ?")))
    await one.ask_quiz()
    taps = [one.driver.choose("Bamako") for _ in range(2)]
    await asyncio.gather(*(one.take(tap) for tap in taps))
    await one.heard(BAMAKO)
    await one.settle()
    assert graded(one) == 1
    assert any(TOO_LATE in told or told == "Deux quoi ?" for told in one.words())


@asks("5b")
async def test_a_tap_on_a_quiz_that_is_over_gets_a_word_and_no_grade(stage: MakeStage) -> None:
    one = await stage(FakeModel(quiz(), READY))
    await one.ask_quiz()
    await change_rows(one.database, "quiz", {"expires_at": 0})
    await change_rows(one.database, "button", {"expires_at": 0})
    await one.choose("Bamako")
    await one.heard("Ce quiz est terminé")
    assert graded(one) == 0


@asks("5c")
async def test_another_persons_tap_gets_a_word_and_leaves_the_quiz_open(
    stage: MakeStage,
) -> None:
    one = await stage(FakeModel(quiz(), READY))
    await one.ask_quiz()
    await one.log_in(BINTA)
    await one.take(one.driver.choose("Bamako", BINTA))
    await one.heard("pour une autre personne", BINTA)
    assert graded(one) == 0
    await one.choose("Bamako")
    await one.heard(BAMAKO)


@asks("5d")
async def test_in_a_group_only_the_one_who_was_asked_answers(stage: MakeStage) -> None:
    one = await stage(FakeModel(quiz(), READY))
    driver: Any = one.driver
    telegram, group = driver.telegram, -42
    await one.until(lambda: telegram.webhook)
    await one.log_in(AWA, BINTA)
    await one.take(telegram.text_update(group, "@griot_bot un quiz", sender=1001))
    await one.until(lambda: len(telegram.messages(group)) == 2)
    asked = telegram.messages(group)[1]
    buttons = [button for row in asked.buttons for button in row]

    def tap(sender: int) -> Any:
        told = (group, buttons[1]["callback_data"])
        return telegram.callback_update(*told, message_id=asked.message_id, sender=sender)

    await one.take(tap(1002))
    await one.heard("pour une autre personne")
    assert telegram.messages(group)[1].buttons
    await one.take(tap(1001))
    await one.until(lambda: BAMAKO in telegram.messages(group)[-1].text)


@asks("6")
async def test_a_payload_is_measured_in_bytes(stage: MakeStage) -> None:
    options = [letter * 64 for letter in "éèê"]
    one = await stage(FakeModel(quiz(*options), READY, reply("Pardon ?")))
    await one.ask_quiz()
    payloads = [payload for _, payload in one.driver.options()]
    assert len(payloads) == 3
    assert all(len(payload.encode()) <= 64 for payload in payloads)
    before = len(one.words())
    await one.take(one.driver.press("é" * 64))
    await one.until(lambda: len(one.words()) > before)
    assert graded(one) == 0
    await one.take(one.driver.press(payloads[1]))
    await one.heard(BAMAKO)


@asks("9")
async def test_not_modified_counts_as_done(stage: MakeStage) -> None:
    one = await stage(FakeModel(quiz(), READY))
    await one.ask_quiz()
    driver: Any = one.driver
    told = "Bad Request: message is not modified: specified new message content and reply markup"
    driver.telegram.fail_next("editMessageReplyMarkup", 400, told, times=9)
    await one.choose("Bamako")
    await one.heard(BAMAKO)
    await one.settle()
    assert set(await one.states()) == {"sent"}
    edits = [call for call in driver.telegram.attempts if call.method.startswith("edit")]
    assert len(edits) == 1


@asks("14")
async def test_a_tap_that_does_not_tell_on_which_message_is_graded(stage: MakeStage) -> None:
    one = await stage(FakeModel(quiz(), READY))
    await one.ask_quiz()
    await one.take(one.driver.press(dict(one.driver.options())["Bamako"], locate=False))
    await one.heard(BAMAKO)
    await one.settle()
    assert set(await one.states()) == {"sent"}
    if one.driver.name == TELEGRAM:
        driver: Any = one.driver
        assert len(driver.toasts()) == 1
        assert driver.telegram.calls_of("editMessageReplyMarkup") == []


@asks("19b")
async def test_yes_answers_a_quiz(stage: MakeStage) -> None:
    await _answer_by_a_word_of_carriers(stage, "No", "Yes")


@asks("19c")
async def test_end_answers_a_quiz(stage: MakeStage) -> None:
    await _answer_by_a_word_of_carriers(stage, "Debut", "End")


async def _answer_by_a_word_of_carriers(stage: MakeStage, other: str, word: str) -> None:
    """By SMS, where carriers act on it, no quiz may need it."""
    one = await stage(FakeModel(quiz(other, word), READY))
    if one.driver.channel == "sms":
        await one.log_in()
        await one.say("un quiz")
        await one.settle()
        assert len(one.driver.shown()) == 1
        return
    await one.ask_quiz()
    await one.say(word.upper())
    await one.heard(BAMAKO)


@asks("19c")
async def test_end_does_not_answer_another_quiz(stage: MakeStage) -> None:
    one = await stage(FakeModel(quiz(), READY, reply("compris")))
    await one.ask_quiz()
    await one.say("END")
    await one.settle()
    if one.driver.channel == "sms":
        await one.say("et alors ?")
        await one.settle()
        assert len(one.driver.shown()) == one.quiz_messages
        await one.say("START")
    await one.told(one.quiz_messages + 1)
    assert graded(one) == 0


# What is said


@asks("7")
async def test_nothing_is_lost_or_split_where_the_limit_lies(stage: MakeStage) -> None:
    holder: list[Driver] = []
    model = FakeModel(lambda *_: reply(_long_answer(holder[0].page)))
    one = await stage(model)
    holder.append(one.driver)
    count = one.driver.page // 7 + 5
    await one.say("raconte")
    await one.told(1)
    await one.settle()
    while one.driver.channel == "sms" and "SUITE" in one.driver.shown()[-1]:
        pages = len(one.driver.shown())
        await one.say("SUITE")
        await one.told(pages + 1)
    shown = one.driver.shown()
    assert len(shown) > 2
    assert sum(text.count(EMOJI) for text in shown) == count
    words = [f"gras{n:04d}" for n in range(one.driver.page // 7)]
    words += [f"code{n:04d}" for n in range(one.driver.page // 7)]
    assert words_in(shown) == words
    assert all(text.count("```") % 2 == 0 for text in shown)
    assert all(re.search("[\ud800-\udfff]", text) is None for text in shown)


def _long_answer(page: int) -> str:
    """Each part is longer than a page, and the first begins at an odd place."""
    count = page // 7
    bold = " ".join(f"gras{n:04d}" for n in range(count))
    code = [f"code{n:04d}" for n in range(count)]
    width = count // 20 + 1
    lines = [" ".join(code[at : at + width]) for at in range(0, count, width)]
    fence = "\n".join(lines)
    return f"x{EMOJI * (count + 5)}\n\n**{bold}**\n\n```\n{fence}\n```"


@asks("7b")
@pytest.mark.parametrize("nothing", ["#", "```\n\n```"])
async def test_an_answer_of_which_nothing_is_left_is_not_silence(
    stage: MakeStage, nothing: str
) -> None:
    one = await stage(FakeModel(reply(nothing), reply("encore")))
    await one.say("bonjour")
    await one.settle()
    assert len(one.driver.shown()) == 1


@asks("7c")
async def test_formulas_in_options_are_shown_as_formulas(stage: MakeStage) -> None:
    options = (r"$x^{2}$", r"$\frac{1}{2}$", r"$\sqrt{3}$")
    one = await stage(FakeModel(quiz(*options), READY))
    await one.ask_quiz()
    shown = " ".join([*one.driver.shown(), *(title for title, _ in one.driver.options())])
    assert "$" not in shown
    assert "\\" not in shown
    assert "½" in shown or "1/2" in shown


@asks("8")
async def test_where_the_form_is_refused_plain_text_is_sent_once(stage: MakeStage) -> None:
    one = await stage(FakeModel(quiz(), reply("**À toi** !")))
    one.driver.refuse_form()
    await one.ask_quiz()
    assert len(one.driver.shown()) == one.quiz_messages
    assert one.driver.tries() == one.quiz_messages + 1
    assert set(await one.states()) == {"sent"}
    readable = "".join([*one.driver.shown(), *(title for title, _ in one.driver.options())])
    assert all(option in readable for option in ("Dakar", "Bamako", "Niamey"))
    await one.say("Bamako")
    await one.heard(BAMAKO)


@asks("8b")
async def test_what_is_refused_in_every_form_is_given_up(stage: MakeStage) -> None:
    one = await stage(FakeModel(reply("**un**"), reply("**deux**")))
    one.driver.refuse_messages(AWA, 99)
    await one.say("x")
    await one.settle()
    assert 1 <= one.driver.tries() <= 2
    await one.say("y")
    await one.settle()
    assert await one.states() == ["refused", "refused"]


@asks("10")
async def test_a_throttled_chat_delays_no_other(stage: MakeStage) -> None:
    one = await stage(FakeModel(reply("pour Awa"), reply("pour Binta")))
    one.driver.throttle(AWA)
    await one.say("bonjour")
    await one.put_off()
    await one.say("bonjour", BINTA)
    assert await one.told(1, BINTA) == ["pour Binta"]
    assert one.driver.shown() == []

    async def is_hurried() -> bool:
        await one.hurry()
        return bool(one.driver.shown())

    await until(is_hurried)
    await one.settle()
    assert one.driver.shown() == ["pour Awa"]
    assert one.driver.tries() == 2


@asks("11")
async def test_a_person_who_blocks_us_in_mid_turn_is_left_in_peace(stage: MakeStage) -> None:
    model = SlowModel(quiz(), READY, reply("de retour"))
    one = await stage(model)
    await one.log_in()
    await one.say("un quiz")
    await model.begun.wait()
    one.driver.block(AWA)
    model.may_go_on.set()

    async def is_refused() -> bool:
        return await one.states() == ["refused"] * one.quiz_messages

    await until(is_refused)
    assert one.driver.shown() == []
    assert one.driver.tries() <= 2  # what was refused with buttons may be tried without, once
    await one.take(one.driver.come_back())
    assert len(await one.told(1)) == 1


@asks("12")
async def test_a_chat_that_migrates_in_mid_turn_keeps_its_conversation(stage: MakeStage) -> None:
    model = SlowModel(reply("ici"), reply("toujours"))
    one = await stage(model)
    driver: Any = one.driver
    telegram, old, new = driver.telegram, -42, -1000042
    await one.until(lambda: bool(telegram.webhook))
    await one.take(telegram.text_update(old, "@griot_bot où es-tu ?", sender=1001))
    await model.begun.wait()
    updates = telegram.migrate(old, to=new)
    model.may_go_on.set()
    await one.until(lambda: bool(telegram.messages(new)))
    await one.take(*updates)
    await one.take(telegram.text_update(new, "@griot_bot encore là ?", sender=1001))
    await one.until(lambda: len(telegram.messages(new)) == 2)
    assert [each.text for each in telegram.messages(new)] == ["ici", "toujours"]
    assert telegram.messages(old) == []
    assert "où es-tu" in str(model.requests[1].messages)
    lanes = {row["lane"] for row in await read_rows(one.database, "inbox")}
    assert lanes == {f"telegram:{old}"}


@asks("13")
async def test_a_payment_is_answered_while_the_loop_is_busy(stage: MakeStage) -> None:
    model = SlowModel(reply("enfin"))
    one = await stage(model)
    driver: Any = one.driver
    await one.say("une longue question")
    await model.begun.wait()
    update = driver.telegram.checkout_update(1001, "pack-1", 100)
    await one.take(update)
    checkout = driver.telegram.checkouts[update["pre_checkout_query"]["id"]]
    await one.until(lambda: checkout.ok is not None)
    model.may_go_on.set()
    assert await one.told(1) == ["enfin"]


@asks("13b")
async def test_a_payment_that_is_told_twice_is_stored_once(stage: MakeStage) -> None:
    one = await stage(FakeModel())
    driver: Any = one.driver
    for _ in range(2):
        await one.take(driver.telegram.payment_update(1001, "pack-1", 100, charge="stx1"))
    await one.settle()
    assert await count_rows(one.database, "inbox") == 1


@asks("17")
async def test_what_may_have_arrived_is_not_sent_again(stage: MakeStage) -> None:
    one = await stage(FakeModel(reply("en doute"), reply("la suite")))
    one.driver.lose_answer(AWA)
    await one.say("x")
    await one.say("y")
    assert await one.told(2) == ["en doute", "la suite"]
    await one.settle()
    assert await one.states() == ["unknown", "sent"]
    assert one.driver.tries() == 2


@asks("18")
async def test_after_a_day_of_silence_a_template_goes_and_the_answer_waits(
    stage: MakeStage,
) -> None:
    model = SlowModel(reply("enfin"), reply("re"))
    one = await stage(model)
    await one.say("une longue question")
    await model.begun.wait()
    await one.go_silent()
    model.may_go_on.set()
    first = await one.told(1)
    await one.settle()
    if one.driver.channel != "whatsapp":
        assert first == ["enfin"]
        return
    assert one.driver.shown() == ["Du nouveau : enfin"]
    await one.say("me voilà")
    assert await one.told(3) == ["Du nouveau : enfin", "enfin", "re"]


@asks("18b")
async def test_where_the_provider_finds_the_window_closed_the_answer_waits(
    stage: MakeStage,
) -> None:
    model = SlowModel(reply("enfin"), reply("re"))
    one = await stage(model)
    await one.say("une longue question")
    await model.begun.wait()
    one.driver.close_window()
    model.may_go_on.set()
    assert await one.told(1) == ["Du nouveau : enfin"]
    await one.settle()
    await one.say("me voilà")
    assert await one.told(3) == ["Du nouveau : enfin", "enfin", "re"]


@asks("19")
async def test_stop_ends_a_running_turn(stage: MakeStage) -> None:
    model = SlowModel(reply("de retour"))
    one = await stage(model)
    await one.say("une longue question")
    await model.begun.wait()
    if one.driver.channel == "sms":
        await one.say("STOP")
        await one.settle()
        assert one.driver.shown() == []
        await one.say("START")
    else:
        await one.say("/stop")
        await one.told(1)
        await one.settle()
        assert one.driver.shown() == [STOPPED]
    model.may_go_on.set()
    await one.say("encore")
    assert (await one.told(2))[1] == "de retour"


@asks("19d")
async def test_after_21610_nothing_is_tried_until_start(stage: MakeStage) -> None:
    one = await stage(FakeModel(reply("un"), reply("deux")))
    one.driver.block(AWA)
    await one.say("x")

    async def is_refused() -> bool:
        return await one.states() == ["refused"]

    await until(is_refused)
    await one.say("y")
    await one.settle()
    assert one.driver.tries() == 1
    await one.say("START")
    await one.told(1)
    await one.say("z")
    assert (await one.told(2))[1] == "deux"


@asks("20b")
async def test_statuses_in_the_wrong_order_undo_nothing(stage: MakeStage) -> None:
    one = await stage(FakeModel(reply("lu")))
    await one.say("x")
    await one.told(1)
    await one.settle()
    latest: Status = "delivered" if one.driver.channel == "sms" else "read"
    for status in (latest, "delivered", "sent", latest, "failed"):
        await one.driver.report(status)
    row = await read_row(one.database, "outbox")
    assert (row["state"], row["receipt"]) == ("sent", latest)


@asks("20d")
async def test_a_link_opens_twice_but_not_when_tampered_with_or_expired(stage: MakeStage) -> None:
    call = ("generate_md", '{"filename": "fiche.md", "content": "# Les fractions"}')
    one = await stage(FakeModel(reply("", call), reply("Voici.")))
    await one.log_in()
    await one.say("une fiche")
    texts = " ".join(await one.told(one.quiz_messages))
    found = re.search(r"https://griot\.example(/files/\S+?)\)?(?:\s|$)", texts)
    assert found is not None
    path = found[1]
    for _ in range(2):
        status, content = await one.griot.request("GET", path)
        assert status == 200
        assert "Les fractions" in content
    for wrong in (path[:-1], path + "A", path.replace(".", "1.", 1)):
        status, _ = await one.griot.request("GET", wrong)
        assert status in (403, 404)
    file_id = path.removeprefix("/files/").split(".")[0]
    expired = Links(one.griot.app.settings, clock=lambda: time.time() - 90_000).make(file_id)
    status, _ = await one.griot.request("GET", expired.removeprefix("https://griot.example"))
    assert status == 410
