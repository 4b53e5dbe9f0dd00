"""Logging in by a code: who is asked for what, where the code goes, and what follows from it."""

from __future__ import annotations

import json
from dataclasses import replace

import msgspec
import pytest
from structlog.testing import capture_logs

from bot.accounts import ledger
from bot.errors import OutcomeUnknown, Undeliverable, WindowClosed
from bot.messages.incoming import OptedOut, Receipt, Said, Sender, SharedContact
from bot.messages.outgoing import TemplateBody
from tests.support.app import MakeApp
from tests.support.fakes import FakeChannel, FakeModel, reply
from tests.support.outbox import make_receipts
from tests.support.phones import AWA, BINTA, CODE, WHATSAPP, MakePhones, Phones, phones_of
from tests.support.queries import Like, Not, Plus, change_rows, read_row, read_rows, read_values
from tests.support.waiting import until
from tools.give_exercise import TOOL as GIVE_EXERCISE


@pytest.fixture
async def phones(app: MakeApp) -> MakePhones:
    return phones_of(app)


async def test_a_number_a_code_and_in(phones: MakePhones) -> None:
    one = await phones(welcome_credits=50)
    await one.say(f"/login {AWA}")
    assert one.told()[-1].startswith("I have sent a code to +225••••••••04 by WhatsApp.")
    await one.say(one.code())
    assert one.told()[-1].startswith("You are logged in. Welcome! Credits: 50.")
    assert await one.account_of("telegram", "1") is not None


@pytest.mark.parametrize("channel", ["sms", "whatsapp"])
async def test_no_code_is_said_to_go_to_a_number_that_sent_stop(
    phones: MakePhones, channel: str
) -> None:
    one = await phones(FakeModel(), welcome_credits=50)
    await one.say(OptedOut(), channel, AWA)
    sent = len(one.told("sms", AWA)), len(one.told("whatsapp", AWA))
    await one.say(f"/login {AWA}")
    assert one.told()[-1] == (
        "The number +225••••••••04 has asked me not to write to it (STOP), so no code was sent. "
        "To lift this, send START to me from that number, then ask for a code again."
    )
    assert (len(one.told("sms", AWA)), len(one.told("whatsapp", AWA))) == sent
    assert await read_rows(one.database, "code", state="open") == []
    await one.say(Said("START", consents=True), channel, AWA)
    await one.say(f"/login {AWA}")
    assert one.told()[-1].startswith("I have sent a code to +225••••••••04 by WhatsApp.")
    await one.say(one.code())
    assert "You are logged in" in one.told()[-1]


async def test_each_step_may_be_a_message_of_its_own(phones: MakePhones) -> None:
    one = await phones()
    await one.say("/login")
    assert "Share your own contact" in one.told()[-1]
    await one.say("+225 07 01 02 03 04")
    assert "I have sent a code" in one.told()[-1]
    code = one.code()
    await one.say(f"{code[:3]} {code[3:]}")
    assert "You are logged in" in one.told()[-1]


async def test_a_number_may_come_before_login_is_answered(phones: MakePhones) -> None:
    one = await phones("This is a number.")
    sent = [one.update(text, "telegram", "1") for text in ("/login", AWA)]
    await one.app.app.inbox.store(sent)
    await until(one.app.settled)
    assert "I have sent a code" in one.told()[-1]
    await one.say(one.code())
    assert "You are logged in" in one.told()[-1]


async def test_a_code_is_awaited_still_after_another_login(phones: MakePhones) -> None:
    one = await phones()
    await one.say(f"/login {AWA}")
    code = one.code()
    await one.app.app.inbox.store([one.update(text, "telegram", "1") for text in ("/login", code)])
    await until(one.app.settled)
    assert "You are logged in" in one.told()[-1]


WRITTEN = [
    "(+225) 07 01 02 03 04",
    "(00225) 07.01.02.03.04",
    "00225-07-01-02-03-04",
    "+225\u00a007\u202f01\u00a002\u00a003\u00a004",
    "\u202a+225 07\u201101\u201302\u201303\u201304\u202c",
    "\uff0b\uff12\uff12\uff15 07 01 02 03 04",
]


@pytest.mark.parametrize("number", WRITTEN)
async def test_a_number_is_understood_as_people_write_it(phones: MakePhones, number: str) -> None:
    one = await phones()
    await one.say(f"/login {number}")
    assert one.told()[-1].startswith("I have sent a code to +225••••••••04")


@pytest.mark.parametrize("number", WRITTEN)
async def test_a_number_alone_is_understood_as_people_write_it(
    phones: MakePhones, number: str
) -> None:
    one = await phones()
    await one.say("/login")
    await one.say(number)
    assert one.told()[-1].startswith("I have sent a code to +225••••••••04")


async def test_a_bare_login_takes_a_number_in_brackets(phones: MakePhones) -> None:
    one = await phones("Hi")
    await one.say("hi", "whatsapp", BINTA)
    await one.say("login (+225) 07 01 02 03 04", "whatsapp", BINTA)
    assert one.told("whatsapp", BINTA)[-1].startswith("I have sent a code to +225••••••••04")


async def test_a_code_may_be_typed_in_full_width_digits(phones: MakePhones) -> None:
    one = await phones()
    await one.say(f"/login {AWA}")
    await one.say("".join(chr(ord(digit) + 0xFEE0) for digit in one.code()))
    assert "You are logged in" in one.told()[-1]


async def test_who_is_logged_in_is_told_so_and_not_asked_for_a_number(phones: MakePhones) -> None:
    one = await phones()
    await one.say(f"/login {AWA}")
    await one.say(one.code())
    await one.say("/login")
    assert one.told()[-1].startswith("You are logged in with +225••••••••04.")
    assert "/login +225" in one.told()[-1]


async def test_a_login_tells_what_a_credit_buys(phones: MakePhones) -> None:
    one = await phones(welcome_credits=50)
    await one.say(f"/login {AWA}")
    await one.say(one.code())
    assert "A question costs at least 1 credit;" in one.told()[-1]


async def test_the_language_is_not_asked_of_who_has_written_in_one(phones: MakePhones) -> None:
    one = await phones("Bonjour.")
    await one.say("Explique-moi les fractions avec une image")
    await one.say(f"/login {AWA}")
    await one.say(one.code())
    assert "Comment utilises-tu Griot" in one.told()[-1]
    assert "Which language" not in one.told()[-1]
    await one.say("/start")
    assert "Which language" not in one.told()[-1]


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        (["Bonjour"], "Comment utilises-tu Griot"),
        (["Hello!"], "How do you use Griot?"),
        (["Hello!", "Explique-moi les fractions"], "Comment utilises-tu Griot"),
    ],
)
async def test_a_greeting_shows_the_language_unless_a_sentence_does(
    phones: MakePhones, said: list[str], asked: str
) -> None:
    one = await phones(*["2"] * len(said))
    for words in said:
        await one.say(words)
    await one.say(f"/login {AWA}")
    await one.say(one.code())
    assert asked in one.told()[-1]
    assert "Which language" not in one.told()[-1]


async def test_a_guest_is_asked_for_their_language_at_the_first_start_only(
    phones: MakePhones,
) -> None:
    one = await phones()
    await one.say("/start")
    assert "Which language" in one.told()[-1]
    await one.say("/start")
    assert "Which language" not in one.told()[-1]


async def test_who_chose_a_language_as_a_guest_is_not_asked_again(phones: MakePhones) -> None:
    one = await phones()
    await one.say("/start")
    await one.say("/language fr")
    await one.say(f"/login {AWA}")
    await one.say(one.code())
    assert "Which language" not in one.told()[-1]
    assert "Comment utilises-tu Griot" in one.told()[-1]


async def test_who_cannot_answer_is_asked_nothing_at_the_start(phones: MakePhones) -> None:
    one = await phones(public_url="https://griot.example.org")
    one.sms.capabilities = replace(one.sms.capabilities, answers="never")
    await one.say("/start", "sms", AWA)
    assert "I am Griot" in one.told("sms", AWA)[-1]
    assert "Which language" not in one.told("sms", AWA)[-1]


async def test_a_wrong_code_is_said_and_the_right_one_still_counts(phones: MakePhones) -> None:
    one = await phones()
    await one.say(f"/login {AWA}")
    code = one.code()
    await one.say(f"{(int(code) + 1) % 1_000_000:06d}")
    assert one.told()[-1].startswith("This code is wrong or too old.")
    await one.say(code)
    assert "You are logged in" in one.told()[-1]


async def test_a_code_that_cannot_be_tried_again_is_not_to_be_looked_at_again(
    phones: MakePhones,
) -> None:
    one = await phones()
    await one.say(f"/login {AWA}")
    code = one.code()
    for n in range(1, 6):
        assert not one.told()[-1].startswith("The code no longer works.")
        await one.say(f"{(int(code) + n) % 1_000_000:06d}")
    for typed in (code, code):
        assert one.told()[-1] == "The code no longer works. Ask for a new one: /login"
        await one.say(typed)
    await one.say(f"/login {AWA}")
    assert one.told()[-1] == "You can ask for a new code in a minute."
    await change_rows(one.app.database, "code", {"created_at": Plus(-61)})
    await one.say(f"/login {AWA}")
    assert one.told()[-1].startswith("I have sent a code to +225••••••••04")
    await one.say(one.code("sms"))
    assert "You are logged in" in one.told()[-1]


@pytest.mark.parametrize(
    "words",
    [
        "Combien font 123456 + 1 ?",
        "123456 + 1",
        "Écris 123456 en lettres",
        "un code Python qui affiche 123456",
        "code = 123456",
        "123456 habitants",
    ],
)
async def test_a_sentence_with_six_digits_is_no_try_of_the_code(
    phones: MakePhones, words: str
) -> None:
    one = await phones("I see.")
    await one.say(f"/login {AWA}")
    await one.say(words)
    assert one.told()[-1] == "I see."
    assert [row["tries"] for row in await read_rows(one.database, "code")] == [0]


@pytest.mark.parametrize(
    "words",
    [
        "{a} {b}",
        "c’est {a}{b} 😊",
        "Mon code, c'est {a} {b} merci",
        "My code is {a}-{b}",
        "*{a}{b}*",
        "J’ai reçu le code {a}{b}",
        "{a}{b} est ton code Griot, pendant 5 minutes. Ne le donne à personne.",
        "Your Griot verification code is: {a}{b}. Do not share it.",
        "{a}-{b}.",
        "mon code est {a}{b}",
        "{a}{b} is your Griot code, for 5 minutes.",
        "{c}",
        "le code : {c}.",
    ],
)
async def test_the_code_is_found_in_what_is_typed(phones: MakePhones, words: str) -> None:
    one = await phones()
    await one.say(f"/login {AWA}")
    code = one.code()
    await one.say(words.format(a=code[:3], b=code[3:], c=" ".join(code)))
    assert "You are logged in" in one.told()[-1]
    assert code not in str(await read_values(one.database, "inbox", "body"))


async def test_a_command_beside_an_awaited_code_is_a_command(phones: MakePhones) -> None:
    one = await phones("Hi")
    await one.say("hi", "whatsapp", BINTA)
    await one.say(f"/login {AWA}", "whatsapp", BINTA)
    await one.say("login +225 070 102 03 05", "whatsapp", BINTA)
    assert "already" in one.told("whatsapp", BINTA)[-1]


async def test_who_asks_again_impatiently_can_still_type_the_first(phones: MakePhones) -> None:
    one = await phones()
    await one.say(f"/login {AWA}")
    await one.say("/login")
    await one.say(one.code())
    assert "You are logged in" in one.told()[-1]


async def test_somebody_else_cannot_type_it(phones: MakePhones) -> None:
    one = await phones("What is it about?")
    await one.say(f"/login {AWA}")
    await one.say(one.code(), who="2")
    assert one.told(who="2") == ["What is it about?"]
    assert await one.account_of("telegram", "2") is None


@pytest.mark.parametrize("words", ["{a}{b}", "voici {a} {b} merci", "{c}"])
async def test_a_code_in_the_wrong_chat_is_neither_kept_nor_told_the_model(
    phones: MakePhones, words: str
) -> None:
    model = FakeModel(reply("Hi"))
    one = await phones(model)
    await one.say("hi", "whatsapp", AWA)
    await one.say(f"/login {AWA}")
    code = one.code()
    await one.say(words.format(a=code[:3], b=code[3:], c=" ".join(code)), "whatsapp", AWA)
    assert one.told("whatsapp", AWA)[-1].startswith("This is a login code.")
    for table in ("inbox", "journal", "outbox"):
        bodies = str(await read_values(one.database, table, "body"))
        assert not {code, f"{code[:3]} {code[3:]}", " ".join(code)} & {*bodies.split('"')}
        assert code not in bodies
    assert len(model.requests) == 1
    await one.say(code)
    assert "You are logged in" in one.told()[-1]


async def test_a_right_code_that_comes_twice_at_once_is_right(phones: MakePhones) -> None:
    one = await phones()
    await one.say(f"/login {AWA}")
    code = one.code()
    await one.app.app.inbox.store([one.update(code, "telegram", "1") for _ in range(2)])
    await until(one.app.settled)
    *_, entered, again = one.told()
    assert entered.startswith("You are logged in. Welcome!")
    assert again == "You are logged in with this number already."
    await one.say("/logout")
    await one.say("/login +2250701020305")
    await one.say(code)
    assert one.told()[-1].startswith("This code is wrong or too old.")


@pytest.mark.parametrize(("channel", "who"), [("telegram", "1"), ("whatsapp", AWA)])
async def test_a_used_code_that_is_typed_again_is_not_told_the_model(
    phones: MakePhones, channel: str, who: str
) -> None:
    model = FakeModel(reply("Hi"))
    one = await phones(model)
    await one.say("hi", "whatsapp", AWA)
    await one.say(f"/login {AWA}")
    code = one.code()
    await one.say(code)
    await one.say(code, channel, who)
    assert one.told(channel, who)[-1].startswith("This is a login code.")
    assert len(model.requests) == 1


async def _ask_exercise_and_code(phones: MakePhones) -> Phones:
    """Somebody whom the model gave an exercise, and who then asked for a code."""
    exercise = {"statement": "Combien font 5 × 2469 ?", "kind": "number", "solution": "12345"}
    given = json.dumps({**exercise, "hints": ["Double first."], "steps": ["5 × 2469 = 12345"]})
    model = FakeModel(reply("", ("give_exercise", given)), reply("Go!"))
    one = await phones(model, tools=[GIVE_EXERCISE])
    await one.say("an exercise, please", "whatsapp", AWA)
    await one.say(f"/login {BINTA}", "whatsapp", AWA)
    return one


async def test_a_mistyped_code_is_no_answer_to_an_exercise(phones: MakePhones) -> None:
    one = await _ask_exercise_and_code(phones)
    code = one.code(who=BINTA)
    await one.say(code[:5], "whatsapp", AWA)
    assert one.told("whatsapp", AWA)[-1].startswith("A code has six digits.")
    [exercise] = await read_rows(one.database, "exercise")
    assert (exercise["state"], exercise["tries"]) == ("open", "[]")
    await one.say(code, "whatsapp", AWA)
    assert one.told("whatsapp", AWA)[-1].startswith("You are logged in")


@pytest.mark.parametrize(("typed", "state"), [("12345", "right"), ("1234", "open")])
async def test_an_answer_is_one_though_a_code_is_awaited(
    phones: MakePhones, typed: str, state: str
) -> None:
    one = await _ask_exercise_and_code(phones)
    await one.say(typed, "whatsapp", AWA)
    [exercise] = await read_rows(one.database, "exercise")
    assert exercise["state"] == state
    assert not one.told("whatsapp", AWA)[-1].startswith("A code has")


async def test_other_digits_beside_an_open_code_are_words(phones: MakePhones) -> None:
    one = await phones("Hi", "It is even.")
    await one.say("hi", "whatsapp", AWA)
    await one.say(f"/login {AWA}")
    number = f"{(int(one.code()) + 1) % 1_000_000:06d}"
    await one.say(f"is {number} even?", "whatsapp", AWA)
    assert one.told("whatsapp", AWA)[-1] == "It is even."


async def test_seven_digits_apart_are_words_while_a_code_is_awaited(phones: MakePhones) -> None:
    one = await phones("Digits.")
    await one.say(f"/login {AWA}")
    await one.say("les chiffres 1 2 3 4 5 6 7")
    assert one.told()[-1] == "Digits."


async def test_six_digits_are_words_where_no_code_is_awaited(phones: MakePhones) -> None:
    one = await phones("A number.")
    await one.say("123456")
    assert one.told() == ["A number."]


async def test_no_code_is_in_the_database(phones: MakePhones) -> None:
    one = await phones()
    await one.say(f"/login {AWA}")
    code = one.code()
    await one.say(f"{(int(code) + 1) % 1_000_000:06d}")
    await one.say(code)
    for table in ("inbox", "outbox", "journal", "code", "turn", "lane", "allowance"):
        kept = await read_rows(one.database, table)
        assert code not in str(kept), table


@pytest.mark.parametrize(
    "number", ["+225", "12", "+33 1 42 68 53 00", "+33 899 70 12 34", "+1 800 555 0199", "hello"]
)
async def test_numbers_that_take_no_messages_get_no_code(phones: MakePhones, number: str) -> None:
    """Fixed lines, premium-rate, toll-free, and what is no number at all."""
    one = await phones()
    await one.say(f"/login {number}")
    assert one.told()[-1].startswith("I cannot send a code to this number.")
    assert await read_rows(one.database, "code") == []
    assert one.whatsapp.delivered == one.sms.delivered == []


async def test_a_second_request_at_once_is_asked_to_wait_and_later_goes_by_sms(
    phones: MakePhones,
) -> None:
    one = await phones()
    await one.say(f"/login {AWA}")
    await one.say(f"/login {AWA}")
    assert "on its way" in one.told()[-1]
    await change_rows(one.app.database, "code", {"created_at": Plus(-61)})
    await one.say(f"/login {AWA}")
    assert one.told()[-1].endswith("by SMS. Type it here within 5 minutes.")
    await one.say(one.code("sms"))
    assert "You are logged in" in one.told()[-1]


@pytest.mark.parametrize(
    "failure", [WindowClosed("63016"), Undeliverable("63003"), OutcomeUnknown("500")]
)
async def test_sms_where_whatsapp_fails(phones: MakePhones, failure: Exception) -> None:
    one = await phones()
    one.whatsapp.failures.append(failure)
    await one.say(f"/login {AWA}")
    await until(one.app.settled)
    assert one.told("whatsapp", AWA) == []
    await one.say(one.code("sms"))
    assert "You are logged in" in one.told()[-1]


async def test_sms_where_whatsapp_fails_late(phones: MakePhones) -> None:
    one = await phones()
    await one.say(f"/login {AWA}")
    row = await read_row(one.database, "outbox", lane=Like("whatsapp:%"))
    parts = one.app.app.context
    fall_back = one.app.app.code_sender.fall_back
    receipts = make_receipts(one.app.database, parts.adapters, when_refused=fall_back)
    failed = Receipt("wa", row["provider_id"], "failed", "63016", cause="window")
    for _ in range(2):
        await receipts.take([failed])
    await until(one.app.settled)
    assert len(one.told("sms", AWA)) == 1
    assert one.code("sms") == one.code()


async def test_who_asked_hears_that_no_way_took_the_code(phones: MakePhones) -> None:
    one = await phones()
    one.whatsapp.failures.append(WindowClosed("131047"))
    one.sms.failures.append(Undeliverable("21610"))
    with capture_logs() as logs:
        await one.say(f"/login {AWA}")
        await until(one.app.settled)
    assert one.told()[-1].startswith("The code could not be delivered to +225••••••••04.")
    assert [each["log_level"] for each in logs if each["event"] == "code_undeliverable"] == [
        "warning"
    ]
    assert AWA not in str([each for each in logs if each["event"] == "code_undeliverable"])


async def test_a_code_to_a_number_behind_a_user_id_goes_on_by_sms(phones: MakePhones) -> None:
    one = await phones("Hi", "Hi again")
    hidden = one.update("hi", "whatsapp", "CI.134")
    sender = Sender("CI.134", "Awa", "en", user_id="CI.134")
    await one.app.app.inbox.store([msgspec.structs.replace(hidden, sender=sender)])
    await until(one.app.settled)
    known = one.update("hi again", "whatsapp", AWA)
    sender = Sender(AWA, "Awa", "en", user_id="CI.134")
    await one.app.app.inbox.store([msgspec.structs.replace(known, sender=sender)])
    await until(one.app.settled)
    one.whatsapp.failures.append(WindowClosed("131047"))
    await one.say(f"/login {AWA}")
    await until(one.app.settled)
    await one.say(one.code("sms"))
    assert "You are logged in" in one.told()[-1]


async def test_a_template_is_used_where_there_is_one(phones: MakePhones) -> None:
    one = await phones(whatsapp=replace(WHATSAPP, template=True))
    await one.say(f"/login {AWA}")
    [delivery] = one.whatsapp.delivered
    assert isinstance(delivery.body, TemplateBody)
    assert CODE.search(delivery.body.text)


# What is one then ---------------------------------------------------------------------------------


async def test_a_number_is_an_account_from_its_first_message_on_both_channels(
    phones: MakePhones,
) -> None:
    one = await phones("Hello", "Hello again", welcome_credits=50)
    await one.say("a question", "sms", AWA)
    await one.say("another", "whatsapp", AWA)
    assert await one.account_of("sms", AWA) == await one.account_of("whatsapp", AWA) is not None
    account = await read_row(one.database, "account")
    assert (account["country"], account["timezone"]) == ("CI", "Africa/Abidjan")
    kinds = await read_rows(one.database, "ledger", kind="welcome")
    assert len(kinds) == 1


async def test_a_short_code_is_nobodys_number(phones: MakePhones) -> None:
    one = await phones("Hello")
    await one.say("hi", "sms", "98101")
    assert await one.account_of("sms", "98101") is None


async def test_one_history_and_one_balance_on_three_channels(phones: MakePhones) -> None:
    model = FakeModel(*(reply(f"answer {n}") for n in range(4)))
    one = await phones(model, welcome_credits=50)
    await one.say("the first matter", "sms", AWA)
    await one.say("the second matter")
    await one.say(f"/login {AWA}")
    await one.say(one.code())
    await one.say("the third matter")
    await one.say("the fourth matter", "whatsapp", AWA)
    told = [str(message) for message in model.requests[-1].messages]
    positions = [
        next(n for n, text in enumerate(told) if words in text)
        for words in ("first matter", "second matter", "third matter", "fourth matter")
    ]
    assert positions == sorted(positions)
    account = await read_row(one.database, "account")
    spent = await read_values(one.database, "turn", "credits", account=Not(None))
    assert account["balance"] == 50 - sum(spent)
    assert await ledger.check(one.app.database) == []


async def test_a_new_conversation_is_new_on_all_of_them(phones: MakePhones) -> None:
    model = FakeModel(*(reply(f"answer {n}") for n in range(3)))
    one = await phones(model)
    await one.say("an old matter", "sms", AWA)
    await one.say("again an old matter", "whatsapp", AWA)
    await one.say("/new", "sms", AWA)
    await one.say("a new one", "whatsapp", AWA)
    assert "old matter" not in str(model.requests[-1].messages)


async def test_other_conversations_are_told_of_a_new_place(phones: MakePhones) -> None:
    one = await phones("Hello")
    await one.say("hi", "whatsapp", AWA)
    await one.say(f"/login {AWA}")
    await one.say(one.code())
    told = "Your account is now used on Telegram too."
    assert one.told("whatsapp", AWA)[-1].startswith(told)
    assert one.told("sms", AWA) == []
    assert not any("is now used" in text for text in one.told())


async def test_what_no_other_conversation_takes_now_is_told_when_they_write(
    phones: MakePhones,
) -> None:
    one = await phones("Hello", "Hello again")
    await one.say("hi", "whatsapp", AWA)
    await change_rows(one.database, "lane", {"person_wrote_at": Plus(-90000)})
    before = one.told("whatsapp", AWA)
    await one.say(SharedContact(AWA, owner="1"))
    assert one.told("whatsapp", AWA) == before
    await one.say("hi", "whatsapp", AWA)
    [news] = [text for text in one.told("whatsapp", AWA) if "now used on" in text]
    assert news == "Your account is now used on Telegram too. If it was not you, send /logout all."


async def test_the_persons_own_contact_needs_no_code(phones: MakePhones) -> None:
    one = await phones()
    await one.say(SharedContact(AWA, owner="1"))
    assert "You are logged in" in one.told()[-1]
    assert one.whatsapp.delivered == one.sms.delivered == []


async def test_an_anonymous_number_of_telegram_is_nobodys(phones: MakePhones) -> None:
    one = await phones()
    await one.say(SharedContact("+88801234567", owner="1"))
    assert "this kind of number" in one.told()[-1]
    assert await one.account_of("telegram", "1") is None


async def test_a_forwarded_contact_proves_nothing(phones: MakePhones) -> None:
    one = await phones()
    await one.say(SharedContact(AWA, owner="2"))
    await one.say(SharedContact(AWA))
    assert await one.account_of("telegram", "1") is None


async def test_the_language_that_a_guest_chose_stays(phones: MakePhones) -> None:
    one = await phones()
    await one.say("/language fr")
    await one.say(SharedContact(AWA, owner="1"))
    assert one.told()[-1].startswith("Connexion réussie.")


async def test_what_cannot_be_sent_was_never_asked_for(app: MakeApp) -> None:
    opened = await app(FakeChannel())
    await opened.start(FakeModel())
    for _ in range(2):
        await opened.send(f"/login {AWA}")
        await until(opened.settled)
        assert opened.said()[-1].startswith("I cannot send codes here.")
