"""What the operator page tells, what it hides, and what it does."""

from __future__ import annotations

import re
import time

import pytest
from structlog.testing import capture_logs

from bot.accounts import ledger
from bot.gateway.admin import show_turn
from bot.learning.new_exercise import Body
from bot.learning.skills.skill_map import installed_skills
from bot.messages.value import decode
from bot.web.operator.page_frame import PAGE
from tests.support.fakes import FakeModel, reply
from tests.support.operator_pages import (
    HOSTILE,
    PHONE,
    TOKEN,
    add_dead_turn,
    bearer,
    log_in,
    see,
    send,
)
from tests.support.queries import add_row, change_rows, read_row, read_values
from tests.support.site import MakeSite, Site
from tests.support.waiting import until


async def person(site: Site) -> int:
    await site.log_in(PHONE)
    row = await read_row(site.app.database, "account")
    return row["id"]


async def test_numbers_are_masked_wherever_they_stand(site: MakeSite) -> None:
    one = await site(operator_token=TOKEN)
    account = await person(one)
    turn = await add_dead_turn(one)
    pages = ("", "/turns", "/turns?state=dead", f"/turns/{turn}", f"/turns?like={turn}")
    for path in (*pages, "/deliveries", "/people", f"/people/{account}", "/money", "/skills"):
        status, page, _ = await see(one, path, **bearer())
        assert status == 200
        for digits in (PHONE, PHONE[1:], PHONE[5:]):
            assert digits not in page, path
    _, page, _ = await see(one, f"/people/{account}", **bearer())
    assert "+225••••••••04" in page


async def test_a_number_is_shown_on_a_click_that_is_logged(site: MakeSite) -> None:
    one = await site(operator_token=TOKEN)
    account = await person(one)
    with capture_logs() as logs:
        _, page, _ = await see(one, f"/people/{account}?number=1", **bearer())
    assert PHONE in page
    acted = {"event": "operator_acted", "action": "read_number", "operator": "bearer"}
    assert [log for log in logs if acted.items() <= log.items()]


async def test_names_errors_and_models_are_text(site: MakeSite) -> None:
    one = await site(operator_token=TOKEN)
    account = await person(one)
    turn = await add_dead_turn(one)
    await change_rows(one.app.database, "account", {"name": f"{HOSTILE}\u202e\" onload='x"})
    await add_row(
        one.app.database,
        "spending",
        lane=f"whatsapp:{PHONE}",
        turn=7,
        kind="model",
        name=HOSTILE,
        calls=1,
    )
    for path in ("", "/turns", f"/turns/{turn}", "/people", f"/people/{account}"):
        _, page, _ = await see(one, path, **bearer())
        assert "&lt;script&gt;alert(1)" in page, path
        assert "<script>" not in page
        assert '" onload' not in page
        assert "\u202e" not in page


async def test_texts_are_shown_only_on_a_click_that_is_logged(site: MakeSite) -> None:
    one = await site(FakeModel(reply(f"the secret answer {HOSTILE}")), operator_token=TOKEN)
    await person(one)
    await one.chat("my secret question")
    path = f"/turns/{max(await read_values(one.app.database, 'turn', 'id'))}"
    _, page, _ = await see(one, path, **bearer())
    assert "user_message" in page
    assert "secret" not in page
    with capture_logs() as logs:
        _, page, _ = await see(one, f"{path}?texts=1", **bearer())
    assert "my secret question" in page
    assert "the secret answer &lt;script&gt;" in page
    assert "personal" in page
    assert [log for log in logs if log.get("action") == "read_texts"]


async def test_a_dead_turn_is_replayed_once(site: MakeSite) -> None:
    one = await site(operator_token=TOKEN)
    turn = await add_dead_turn(one)
    key = await log_in(one)
    _, page, _ = await see(one, f"/turns/{turn}")
    assert f'action="/operator/turns/{turn}/replay"' in page
    with capture_logs() as logs:
        status, _, headers = await send(one, f"/turns/{turn}/replay", key=key)
    assert (status, headers["Location"]) == (303, f"/operator/turns/{turn}?told=replayed")
    [acted] = [log for log in logs if log["event"] == "operator_acted"]
    assert (acted["action"], acted["turn"]) == ("replayed", turn)
    assert re.fullmatch("[0-9a-f]{12}", acted["operator"])
    assert (await show_turn(one.app.database, turn))["state"] == "running"
    _, page, _ = await see(one, headers["Location"].removeprefix("/operator"))
    assert "It waits to be tried again." in page
    status, page, _ = await send(one, f"/turns/{turn}/replay", key=key)
    assert status == 409
    assert "only a dead turn" in page


async def test_a_grant_is_booked_once_a_form(site: MakeSite) -> None:
    one = await site(operator_token=TOKEN)
    account = await person(one)
    key = await log_in(one)
    path = f"/people/{account}"
    _, page, _ = await see(one, path)
    [once] = re.findall(r'name="once" value="([0-9a-f]+)"', page)
    with capture_logs() as logs:
        first = await send(one, f"{path}/grant", key=key, amount="25", once=once)
        second = await send(one, f"{path}/grant", key=key, amount="25", once=once)
    assert first[2]["Location"] == f"/operator{path}?told=granted"
    assert second[2]["Location"] == f"/operator{path}?told=before"
    balance, entries = await ledger.entries(one.app.database, account)
    assert (balance, entries[-1].kind, entries[-1].amount) == (75, "grant", 25)
    [acted] = [log for log in logs if log["event"] == "operator_acted"]
    assert (acted["action"], acted["account"], acted["amount"]) == ("granted", account, 25)
    _, page, _ = await see(one, f"{path}?told=granted")
    assert "The credits are booked." in page
    assert "+25" in page


@pytest.mark.parametrize(
    "amount",
    ["", "0", "-5", "1.5", "1e3", "1000001", "9" * 30, "0" * 11 + "19999999", "٣"],
)
async def test_no_other_amount_is_granted(site: MakeSite, amount: str) -> None:
    one = await site(operator_token=TOKEN)
    account = await person(one)
    sent = await send(
        one, f"/people/{account}/grant", headers=bearer(), amount=amount, once="0123456789"
    )
    assert sent[0] == 400
    assert (await ledger.entries(one.app.database, account))[0] == 50


async def test_nobody_who_is_erased_is_given_credits(site: MakeSite) -> None:
    one = await site(operator_token=TOKEN)
    account = await person(one)
    await change_rows(one.app.database, "account", {"erased": 1, "phone": None})
    form = {"amount": "5", "once": "0123456789"}
    assert (await send(one, f"/people/{account}/grant", headers=bearer(), **form))[0] == 404
    _, page, _ = await see(one, f"/people/{account}", **bearer())
    assert "erased" in page
    assert "/grant" not in page


@pytest.mark.parametrize("wanted", [PHONE, "225 07 01 02 03 04", "1"])
async def test_people_are_found_by_number_and_id(site: MakeSite, wanted: str) -> None:
    one = await site(operator_token=TOKEN)
    account = await person(one)
    asked = str(account) if wanted == "1" else wanted
    status, _, headers = await send(one, "/people/find", headers=bearer(), wanted=asked)
    assert (status, headers["Location"]) == (303, f"/operator/people/{account}")


@pytest.mark.parametrize("wanted", ["", "nobody", "99", "+33612345678", "9" * 40, "' OR 1=1"])
async def test_whoever_is_not_here_is_not_found(site: MakeSite, wanted: str) -> None:
    one = await site(operator_token=TOKEN)
    await person(one)
    assert (await send(one, "/people/find", headers=bearer(), wanted=wanted))[0] == 404


async def test_turns_are_found_by_id_and_by_conversation(site: MakeSite) -> None:
    one = await site(operator_token=TOKEN)
    turn = await add_dead_turn(one)
    for wanted, place in (
        (f"{turn}", f"/turns/{turn}"),
        (f"whatsapp:{PHONE}", f"/turns?like={turn}"),
    ):
        _, _, headers = await send(one, "/turns/find", headers=bearer(), wanted=wanted)
        assert headers["Location"] == f"/operator{place}"
    assert (await send(one, "/turns/find", headers=bearer(), wanted="telegram:0"))[0] == 404


async def test_lists_are_paged(site: MakeSite) -> None:
    one = await site(operator_token=TOKEN)
    for number in range(PAGE + 1):
        await one.app.people.issue_token(f"+22507010203{number:02d}")
    _, page, _ = await see(one, "/people", **bearer())
    assert page.count("<li>") == PAGE
    [older] = re.findall(r'href="/operator(/people\?before=\d+)" rel="next"', page)
    _, page, _ = await see(one, older, **bearer())
    assert page.count("<li>") == 1
    assert 'rel="next"' not in page


async def test_the_overview_counts_what_there_is(site: MakeSite) -> None:
    one = await site(FakeModel(reply("yes")), operator_token=TOKEN)
    await person(one)
    await one.chat("one")
    await add_dead_turn(one)

    async def alive() -> bool:
        _, page, _ = await see(one, **bearer())
        return "<dt>Workers alive</dt><dd>1</dd>" in page

    await until(alive)
    _, page, _ = await see(one, **bearer())
    assert re.search(r"Dead turns</a>.*?</dt><dd>1</dd>", page)
    assert re.search(r"Refused in 24 h</a>.*?</dt><dd>1</dd>", page)
    for span in ("", "?span=month"):
        _, page, _ = await see(one, span, **bearer())
        assert re.search(r'<h2 id="turns">Turns</h2><strong>2</strong>', page)
        assert "whatsapp" in page


async def test_what_needs_a_look_among_purchases(site: MakeSite) -> None:
    one = await site(operator_token=TOKEN)
    for number, (state, charge, asked, reason) in enumerate(
        [("paid", "c", 1, ""), ("failed", "c", 1, "400 XOF paid"), ("failed", "", 1, "declined"),
         ("open", "", 9, ""), ("open", "", 0, "")]
    ):  # fmt: skip
        await add_row(
            one.app.database,
            "purchase",
            id=f"{number:024x}",
            key=f"{number:024x}",
            account=1,
            lane="",
            address="",
            pack="500",
            credits=500,
            provider="wave",
            currency="XOF",
            amount=500,
            state=state,
            reason=reason,
            charge=charge,
            asked=asked,
            created_at=time.time() - number,
        )
    _, page, _ = await see(one, "/money?show=look", **bearer())
    assert re.findall(r"<code><bdi>0+(\d)", page) == ["1", "3"]
    assert "to look at <b>2</b>" in page
    assert "400 XOF paid" in page
    _, page, _ = await see(one, "/money?show=failed", **bearer())
    assert re.findall(r"<code><bdi>0*(\d)<", page) == ["1", "2"]


async def test_books_that_do_not_sum_up_are_told(site: MakeSite) -> None:
    one = await site(operator_token=TOKEN)
    account = await person(one)
    _, page, _ = await see(one, "/money?check=1", **bearer())
    assert "The books sum up" in page
    assert "Every balance is the sum of its entries." in page
    await change_rows(one.app.database, "account", {"balance": 51})
    _, page, _ = await see(one, "/money?check=1", **bearer())
    assert "The books do not sum up" in page
    assert f"/operator/people/{account}" in page


async def test_the_page_in_french_is_french_and_says_the_day(site: MakeSite) -> None:
    one = await site(FakeModel(reply("Bonjour")), operator_token=TOKEN)
    account = await person(one)
    await one.chat("Bonjour")
    french = bearer() | {"Accept-Language": "fr"}
    _, page, _ = await see(one, "/turns", **french)
    assert "répondu" in page
    assert "answered" not in page
    assert re.search(r">\d+ \w+\.? \d\d:\d\d UTC</time>", page)
    _, page, _ = await see(one, f"/people/{account}", **french)
    for word in ("élève", "Français", "crédits de bienvenue"):
        assert word in page
    for word in ("<bdi>child", "</b> <bdi>welcome"):
        assert word not in page


@pytest.mark.parametrize(
    ("language", "usd", "shown"),
    [("en", 0.5, "$0.50<"), ("en", 0.0025, "$0.0025<"), ("fr", 0.5, "0,50 $<")],
)
async def test_whole_cents_have_two_digits(
    site: MakeSite, language: str, usd: float, shown: str
) -> None:
    one = await site(operator_token=TOKEN)
    await add_dead_turn(one)
    await add_row(
        one.app.database,
        "spending",
        lane=f"whatsapp:{PHONE}",
        turn=7,
        kind="model",
        name="a",
        calls=1,
        usd=usd,
    )
    _, page, _ = await see(one, "", **(bearer() | {"Accept-Language": language}))
    assert shown in page.replace("\u00a0", " ")


async def test_skills_of_a_placement_are_counted_too(site: MakeSite) -> None:
    one = await site(FakeModel(), operator_token=TOKEN)
    await one.chat("/grade 6e", session_id="guest")  # whom nobody counts
    await one.log_in(PHONE)
    await one.chat("/grade 6e", session_id="s1")
    account = (await read_row(one.app.database, "account"))["id"]
    asked = await read_row(one.app.database, "exercise", account=account)
    path = f"/api/v1/exercises/{asked['id']}/answer"
    await one.request("POST", path, json={"text": decode(asked["body"], Body).options[-2]})
    status, page, _ = await see(one, "/skills", **bearer())
    assert status == 200
    assert "1 person learns." in page
    name = installed_skills().by_id[asked["skill"]].name("en")
    row = page.partition(name)[2].partition("</li>")[0]
    assert "0 mastered, 1 in progress, 0 to begin" in row


async def test_skills_are_counted_by_state_without_a_name(site: MakeSite) -> None:
    one = await site(operator_token=TOKEN)
    database = one.app.database
    skill = "maths.add-to-100"
    for account, p in enumerate((0.97, 0.5, 0.4), 1):
        await add_row(database, "mastery", account=account, skill=skill, p=p, answers=2)
    await add_row(database, "mastery", account=4, skill="maths.pythagoras", p=0.3, answers=1)
    await add_row(database, "mastery", account=4, skill="maths.gone", p=0.3, answers=1)
    status, page, _ = await see(one, "/skills", **bearer())
    assert status == 200
    assert "4 people learn." in page
    row = page.partition("Add up to 100")[2].partition("</li>")[0]
    assert "1 mastered, 2 in progress, 1 to begin" in row
    _, older, _ = await see(one, "/skills?grade=4e", **bearer())
    assert "Pythagoras" in older
    assert "Add up to 100" not in older
