"""Logging in over HTTP: a code to a phone, and the code back for a bearer token."""

from __future__ import annotations

from typing import Any

import pytest
from structlog.testing import capture_logs

from tests.support.fakes import FakeChannel
from tests.support.phones import SMS
from tests.support.queries import NOW, FromNow, Plus, add_row, change_rows, read_rows
from tests.support.site import greet_as_guest
from tests.support.waiting import until
from tests.support.web_login import AWA, BINTA, MakeWebLogin, WebLogin, make_whatsapp


def sms() -> FakeChannel:
    return FakeChannel("sms", "sms", SMS)


async def test_a_code_is_exchanged_for_a_token_that_is_the_numbers_account(
    web: MakeWebLogin,
) -> None:
    one = await web(make_whatsapp(), welcome_credits=50)
    assert await one.ask() == (202, {"phone": AWA})
    status, answer = await one.give(await one.code())
    assert status == 200
    one.site.headers["Authorization"] = f"Bearer {answer['token']}"
    status, me = await one.site.request("GET", "/api/v1/me")
    assert (status, me["balance"]) == (200, 50)
    assert me["identities"] == [
        {"channel": "http", "address": "session"},
        {"channel": "sms", "address": AWA},
    ]


async def test_asking_makes_no_account(web: MakeWebLogin) -> None:
    one = await web(make_whatsapp())
    await one.ask()
    await one.code()
    database = one.site.app.database
    await until(lambda: read_rows(database, "outbox", state="sent"))
    assert await read_rows(database, "account") == []


@pytest.mark.parametrize("phone", ["", "12", "+33 1 42 68 53 00", "+1 900 555 0100", "x" * 5000])
async def test_what_is_no_mobile_number_is_400(web: MakeWebLogin, phone: str) -> None:
    one = await web(make_whatsapp())
    status, answer = await one.ask(phone)
    assert (status, answer["error"]["code"]) == (400, "invalid_number")


@pytest.mark.parametrize("body", [{}, {"phone": 5}, [], "x", None])
async def test_a_body_of_another_shape_is_400(web: MakeWebLogin, body: Any) -> None:
    one = await web(make_whatsapp())
    for path in ("otp", "verify"):
        status, answer = await one.site.request("POST", f"/api/v1/login/{path}", json=body)
        assert (status, answer["error"]["code"]) == (400, "bad_request")


async def test_null_in_what_is_optional_is_nothing(web: MakeWebLogin) -> None:
    one = await web(make_whatsapp())
    asked = {"phone": AWA, "country": None}
    assert (await one.site.request("POST", "/api/v1/login/otp", json=asked))[0] == 202
    given = {"phone": AWA, "code": await one.code(), "sessions": None}
    assert (await one.site.request("POST", "/api/v1/login/verify", json=given))[0] == 200
    status, answer = await one.ask(None)
    assert (status, answer["error"]["code"]) == (400, "bad_request")


async def test_too_soon_and_too_many_are_429(web: MakeWebLogin) -> None:
    one = await web(make_whatsapp())
    assert (await one.ask())[0] == 202
    status, answer = await one.ask()
    assert (status, answer["error"]["code"]) == (429, "too_many_codes")
    for _ in range(4):
        await change_rows(one.site.app.database, "code", {"created_at": Plus(-61)})
        assert (await one.ask())[0] == 202
    await change_rows(one.site.app.database, "code", {"created_at": Plus(-61)})
    assert (await one.ask())[0] == 429


async def test_everything_wrong_is_said_alike(web: MakeWebLogin) -> None:
    one = await web(make_whatsapp())
    unknown = await one.give("123456", BINTA)
    await one.ask()
    code = await one.code()
    wrong = await one.give(f"{(int(code) + 1) % 1_000_000:06d}")
    assert (await one.give(code))[0] == 200
    used = await one.give(code)
    nonsense = await one.give("", "nobody")
    assert unknown == wrong == used == nonsense
    assert unknown[0] == 400


async def test_what_is_no_code_costs_no_try(web: MakeWebLogin) -> None:
    one = await web(make_whatsapp())
    await one.ask()
    code = await one.code()
    for nonsense in ("", "abcdef", "12345", "1234567", "x" * 5000, "١٢٣٤٥٦"):
        assert (await one.give(nonsense))[0] == 400
    assert (await one.give(f" {code[:3]} {code[3:]} "))[0] == 200


async def test_five_tries_and_no_more(web: MakeWebLogin) -> None:
    one = await web(make_whatsapp())
    await one.ask()
    code = await one.code()
    for n in range(1, 6):
        assert (await one.give(f"{(int(code) + n) % 1_000_000:06d}"))[0] == 400
    assert (await one.give(code))[0] == 400


async def test_where_no_phone_can_be_reached_it_is_said(web: MakeWebLogin) -> None:
    one = await web(FakeChannel())
    status, answer = await one.ask()
    assert (status, answer["error"]["code"]) == (503, "unavailable")


async def test_of_a_number_that_sent_stop_it_is_said_as_slowly_as_codes_go(
    web: MakeWebLogin,
) -> None:
    phone = sms()
    one = await web(phone)
    database = one.site.app.database
    await add_row(database, "lane", id=f"sms:{AWA}", opted_out=1)
    with capture_logs() as logs:
        asked = [await one.ask(each) for each in (AWA, AWA, AWA, AWA, AWA, BINTA)]
    assert [status for status, _ in asked] == [*[400] * 5, 202]
    assert asked[0][1]["error"]["code"] == "opted_out"
    assert [(await one.ask(each))[0] for each in (AWA, BINTA)] == [429, 429]
    assert (await one.give("123456"))[0] == 400

    await one.code()
    assert [each.conversation for each in phone.delivered] == [BINTA]
    line, *_ = [each for each in logs if each["event"] == "code_unwanted"]
    assert (line["channel"], AWA in str(line)) == ("sms", False)


async def test_errors_speak_the_clients_language(web: MakeWebLogin) -> None:
    one = await web(make_whatsapp())
    await one.ask()
    _, english = await one.ask(**{"Accept-Language": "en-GB,en;q=0.9"})
    assert english["error"]["message"].startswith("A code is on its way.")


async def test_the_phone_is_told_of_the_new_place(web: MakeWebLogin) -> None:
    phone = make_whatsapp()
    one = await web(phone)
    await one.ask()
    code = await one.code()
    database = one.site.app.database
    await change_rows(database, "lane", {"person_wrote_at": NOW})
    await add_row(database, "account", id=7, phone=AWA, language="en", created_at=NOW)
    await add_row(database, "identity", channel="whatsapp", address=AWA, account=7, created_at=NOW)
    assert (await one.give(code))[0] == 200

    async def told() -> bool:
        texts = [getattr(each.body, "text", "") for each in phone.delivered]
        return any("now used on the website too." in text for text in texts)

    await until(told)


async def test_who_is_logged_in_is_not_told_to_log_in(web: MakeWebLogin) -> None:
    one = await web()
    await one.site.log_in(AWA)
    events = await one.site.chat("/login")
    words = "".join(data["text"] for name, data in events if name == "content")
    first = "La connexion est déjà faite."
    assert words == f"{first} Pour un autre numéro, envoie d’abord /deconnexion."


async def test_logging_out_ends_the_token(web: MakeWebLogin) -> None:
    one = await web(make_whatsapp(), sms())
    await one.ask()
    _, answer = await one.give(await one.code())
    one.site.headers["Authorization"] = f"Bearer {answer['token']}"
    events = await one.site.chat("/logout")
    assert "Déconnexion faite" in str(events)
    assert (await one.site.request("GET", "/api/v1/me"))[0] == 401


@pytest.mark.parametrize(
    ("phone", "country"),
    [
        ("07 01 02 03 04", "ci"),
        (AWA, "FR"),
        ("00225 0701020304", "GH"),
        (AWA, ""),
        ("(+225) 07 01 02 03 04", "FR"),
        ("(00225) 07.01.02.03.04", ""),
    ],
)
async def test_a_number_may_be_written_as_in_its_country(
    web: MakeWebLogin, phone: str, country: str
) -> None:
    one = await web(make_whatsapp())
    body = {"phone": phone, "country": country}
    assert await one.site.request("POST", "/api/v1/login/otp", json=body) == (202, {"phone": AWA})
    assert (await one.give(await one.code()))[0] == 200


async def test_what_is_wrong_with_a_number_is_said_in_the_askers_language(
    web: MakeWebLogin,
) -> None:
    one = await web(make_whatsapp())
    for tag, words in (("fr-CI", "indicatif du pays"), ("en", "country code")):
        status, answer = await one.ask("0701", **{"Accept-Language": tag})
        assert (status, answer["error"]["code"]) == (400, "invalid_number")
        assert words in answer["error"]["message"]


# What a guest has said goes along ---------------------------------------------------------------


async def _log_in(one: WebLogin, *sessions: str, **headers: str) -> None:
    """Exchange a code for a token, taking these conversations along."""
    await one.ask()
    body = {"phone": AWA, "code": await one.code(), "sessions": list(sessions)}
    status, answer = await one.site.request(
        "POST", "/api/v1/login/verify", json=body, headers=headers
    )
    assert status == 200, answer
    assert set(answer) == {"token"}
    one.site.headers = {"Authorization": f"Bearer {answer['token']}"}


async def _titles(one: WebLogin) -> set[str]:
    _, body = await one.site.request("GET", "/api/v1/sessions")
    return {each["title"] for each in body["sessions"]}


async def test_the_guests_conversation_goes_on_as_the_accounts(web: MakeWebLogin) -> None:
    one = await web(make_whatsapp())
    cookie = await greet_as_guest(one.site, "photosynthesis", "s")
    await _log_in(one, "s", "unknown", "s", Cookie=cookie)
    assert await _titles(one) == {"photosynthesis"}
    events = await one.site.chat("a quiz on it", session_id="s")
    assert ("end", {"reason": "answered"}) in events
    _, body = await one.site.request("GET", "/api/v1/sessions/s/turns")
    assert [turn["said"] for turn in body["turns"]] == [["photosynthesis"], ["a quiz on it"]]
    _, told = await one.site.request("GET", "/api/v1/sessions/s/events")
    assert told["events"][0]["content"] == "photosynthesis"
    one.site.headers = {"Cookie": cookie}
    assert await _titles(one) == set()


async def test_the_level_that_a_guest_was_placed_at_goes_along(web: MakeWebLogin) -> None:
    one = await web(make_whatsapp())
    cookie = await greet_as_guest(one.site, "hello", "s")
    one.site.headers = {"Cookie": cookie}
    events = await one.site.chat("/grade CM2", session_id="s")
    asked = next(fields for name, fields in events if name == "exercise")
    for _ in range(3):
        path = f"/api/v1/exercises/{asked['id']}/answer"
        _, graded = await one.site.request("POST", path, json={"text": asked["options"][-2]})
        asked = graded["next"]
    await one.site.chat("/stop", session_id="s")
    await one.site.chat("/level", session_id="s")
    await _log_in(one, "s", Cookie=cookie)
    [placement] = await read_rows(one.site.app.database, "placement")
    assert placement["account"]
    assert not placement["lane"]
    events = await one.site.chat("/level", session_id="s")
    said = "".join(fields["text"] for name, fields in events if name == "content")
    assert "question 4" in said


async def test_nothing_of_another_guest_can_be_taken(web: MakeWebLogin) -> None:
    one = await web(make_whatsapp())
    mine = await greet_as_guest(one.site, "mine", "a")
    await greet_as_guest(one.site, "someone else's", "b")
    await one.site.chat("of no cookie", session_id="c")
    await _log_in(one, "a", "b", "c", "phone", "job:x", "\0", Cookie=mine)
    assert await _titles(one) == {"mine"}


async def test_without_a_cookie_only_an_id_that_cannot_be_guessed_counts(web: MakeWebLogin) -> None:
    one = await web(make_whatsapp())
    made = (await one.site.chat("made here"))[0][1]["session_id"]
    await one.site.chat("named by a client", session_id="s")
    await _log_in(one, made, "s")
    assert await _titles(one) == {"made here"}


async def test_what_is_an_accounts_stays_its(web: MakeWebLogin) -> None:
    one = await web(make_whatsapp())
    await one.site.log_in(BINTA)
    await one.site.chat("Binta's", session_id="s")
    one.site.headers = {}
    cookie = await greet_as_guest(one.site, "Awa's", "t")
    await _log_in(one, "s", Cookie=cookie)
    assert await _titles(one) == set()


async def test_at_most_twenty_go_along(web: MakeWebLogin) -> None:
    one = await web(make_whatsapp())
    cookie = await greet_as_guest(one.site, "mine", "a")
    await _log_in(one, *[f"n{number}" for number in range(20)], "a", Cookie=cookie)
    assert await _titles(one) == set()


async def test_a_guests_cards_go_along(web: MakeWebLogin) -> None:
    one = await web(make_whatsapp())
    cookie = await greet_as_guest(one.site, "mine", "a")
    await greet_as_guest(one.site, "other", "b")
    for lane in ("http:a", "http:b"):
        card = {"account": 0, "lane": lane, "key": "maths.add-to-100"}
        await add_row(one.site.app.database, "card", **card, stability=1.0, due_at=FromNow(-1))
    await _log_in(one, "a", Cookie=cookie)
    _, review = await one.site.request("GET", "/api/v1/review")
    assert review["due"] == 1


async def test_results_of_a_guests_quizzes_go_along(web: MakeWebLogin) -> None:
    one = await web(make_whatsapp())
    cookie = await greet_as_guest(one.site, "mine", "a")
    await greet_as_guest(one.site, "other", "b")
    database = one.site.app.database
    for lane in ("a", "b"):
        await add_row(
            database,
            "quiz",
            id=f"q{lane}",
            lane=f"http:{lane}",
            account=0,
            kind="true_false_quiz",
            question="?",
            options='["a", "b"]',
            correct_index=0,
            explanation="",
            expires_at=FromNow(60),
            answered_index=0,
            answered_at=NOW,
        )
        for key in (f"quiz:q{lane}", f"exercise:http:{lane}/1/call"):
            await add_row(
                database,
                "result",
                key=key,
                account=0,
                lane=f"http:{lane}",
                subject="maths",
                topic="",
                correct=1,
                source="quiz",
                at=NOW,
            )
    await _log_in(one, "a", Cookie=cookie)
    _, progress = await one.site.request("GET", "/api/v1/progress")
    assert sum(subject["answered"] for subject in progress["subjects"]) == 2
    left = await read_rows(database, "result", account=0)
    assert [row["key"] for row in left] == ["exercise:http:b/1/call", "quiz:qb"]


@pytest.mark.parametrize("sessions", ["s", [1], {"a": 1}])
async def test_sessions_of_another_shape_are_400(web: MakeWebLogin, sessions: Any) -> None:
    one = await web(make_whatsapp())
    body = {"phone": AWA, "code": "123456", "sessions": sessions}
    status, answer = await one.site.request("POST", "/api/v1/login/verify", json=body)
    assert (status, answer["error"]["code"]) == (400, "bad_request")
