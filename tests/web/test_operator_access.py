"""Who may see the operator page, and that nobody is led to do something there."""

from __future__ import annotations

import re

import aiohttp
import pytest
from aiohttp.test_utils import make_mocked_request

from bot.web.errors import Unauthorized
from bot.web.operator.operator_auth import COOKIE, MOST_TRIES, SESSION_SECONDS, OperatorAuth
from tests.support.operator_pages import TOKEN, bearer, log_in, see, send
from tests.support.site import MakeSite

PAGES = ("", "/now", "/turns", "/turns/1", "/deliveries", "/money", "/people", "/people/1")


async def test_without_a_token_there_is_no_page(site: MakeSite) -> None:
    one = await site()
    for path in (*PAGES, "/page.js"):
        assert (await see(one, path, **bearer("")))[0] == 404
    assert (await send(one, "/login", token=""))[0] == 404


async def test_nobody_sees_anything_but_the_form_to_log_in(site: MakeSite) -> None:
    one = await site(operator_token=TOKEN)
    for path in PAGES:
        status, page, headers = await see(one, path)
        assert status == 401
        assert headers["WWW-Authenticate"].startswith("Bearer")
        assert "Operator token" in page
        assert 'id="now"' not in page
    for path in ("/turns/1/replay", "/people/1/grant", "/turns/find", "/people/find", "/logout"):
        assert (await send(one, path, amount="5"))[0] == 401


async def test_the_token_opens_as_bearer_and_by_logging_in(site: MakeSite) -> None:
    one = await site(operator_token=TOKEN)
    assert (await see(one, **bearer()))[0] == 200
    assert (await see(one, **bearer(TOKEN + "x")))[0] == 401
    assert (await see(one, **bearer("")))[0] == 401
    await log_in(one)
    status, page, _ = await see(one)
    assert status == 200
    assert "Workers alive" in page


async def test_the_cookie_is_for_this_page_and_for_no_script(site: MakeSite) -> None:
    one = await site(operator_token=TOKEN, public_url="https://griot.example")
    _, _, headers = await send(one, "/login", token=TOKEN)
    cookie = headers["Set-Cookie"]
    for part in (
        "HttpOnly",
        "SameSite=Strict",
        "Path=/operator",
        "Secure",
        f"Max-Age={SESSION_SECONDS}",
    ):
        assert part in cookie
    assert TOKEN not in cookie


async def test_pages_run_nothing_foreign_and_are_kept_nowhere(site: MakeSite) -> None:
    one = await site(operator_token=TOKEN)
    for path in ("", "/turns", "/deliveries", "/money", "/people"):
        for headers in (bearer(), {}):
            _, page, answer = await see(one, path, **headers)
            policy = answer["Content-Security-Policy"]
            assert policy.startswith("default-src 'none'")
            assert "unsafe" not in policy
            assert "frame-ancestors 'none'" in policy
            assert answer["Cache-Control"] == "no-store"
            [(nonce, inner)] = re.findall(r"<script [^>]*nonce=\"(\S+)\"[^>]*>(.*)</script>", page)
            assert f"'nonce-{nonce}'" in policy
            assert inner == ""
            assert not re.search(r"\son\w+=|\sstyle=|https?://", page)


async def test_a_cookie_that_was_changed_is_worth_nothing(site: MakeSite) -> None:
    one = await site(operator_token=TOKEN)
    await log_in(one)
    name, ends, mark = one.session.headers["Cookie"].partition("=")[2].split(".")
    one.session.headers.clear()
    for wrong in (
        f"{name}.{int(ends) + 1}.{mark}",
        f"x.{ends}.{mark}",
        "",
        "..",
        f"{name}.{ends}.",
    ):
        assert (await see(one, Cookie=f"{COOKIE}={wrong}"))[0] == 401
    assert (await see(one, Cookie=f"{COOKIE}={name}.{ends}.{mark}"))[0] == 200


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_a_login_ends_by_itself_and_with_the_token(site: MakeSite) -> None:
    one = await site(operator_token=TOKEN)
    await log_in(one)
    cookie = one.session.headers["Cookie"].partition("=")[2]
    parts = one.app.context
    changed = one.app.settings.model_copy(update={"operator_token": "another"})
    request = make_mocked_request("GET", "/operator", headers={"Cookie": f"{COOKIE}={cookie}"})
    await OperatorAuth(one.app.settings, parts.momentary).authenticate(request)
    late = OperatorAuth(one.app.settings, parts.momentary, lambda: 9e9)
    for other in (OperatorAuth(changed, parts.momentary), late):
        with pytest.raises(Unauthorized):
            await other.authenticate(request)


async def test_who_has_left_is_out_with_every_copy_of_the_cookie(site: MakeSite) -> None:
    one = await site(operator_token=TOKEN)
    key = await log_in(one)
    status, _, headers = await send(one, "/logout", key=key)
    assert status == 303
    assert "Max-Age=0" in headers["Set-Cookie"]
    assert (await see(one))[0] == 401


async def test_guessing_is_stopped_by_network(site: MakeSite) -> None:
    one = await site(operator_token=TOKEN)
    for number in range(MOST_TRIES):
        wrong = await send(
            one, "/login", token=f"guess {number}", headers={"X-Forwarded-For": "192.0.2.1"}
        )
        assert wrong[0] == 401
    for headers in ({}, bearer("guess")):
        status, page, _ = await send(
            one, "/login", token=TOKEN, headers={"X-Forwarded-For": "192.0.2.1"} | headers
        )
        assert status == 429
        assert "Too many" in page
    assert (await see(one, **bearer(), **{"X-Forwarded-For": "192.0.2.1"}))[0] == 429
    assert (await see(one, **bearer(), **{"X-Forwarded-For": "192.0.2.2"}))[0] == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
    ids=str,
)
async def test_forms_of_other_pages_do_nothing(site: MakeSite, headers: dict[str, str]) -> None:
    one = await site(operator_token=TOKEN)
    assert (await send(one, "/login", token=TOKEN, headers=headers))[0] == 403
    key = await log_in(one)
    assert (await send(one, "/people/find", key=key, wanted="1", headers=headers))[0] == 403


async def test_a_form_needs_the_key_of_its_session(site: MakeSite) -> None:
    one = await site(operator_token=TOKEN)
    key = await log_in(one)
    for wrong in ("", key[:-1], "0" * len(key)):
        assert (await send(one, "/people/find", key=wrong, wanted="1"))[0] == 403
    assert (await send(one, "/people/find", key=key, wanted="1"))[0] == 404
    own = {"Origin": one.url, "Sec-Fetch-Site": "same-origin"}
    assert (await send(one, "/people/find", key=key, wanted="1", headers=own))[0] == 404


async def test_nothing_is_done_by_get(site: MakeSite) -> None:
    one = await site(operator_token=TOKEN)
    for path in ("/turns/1/replay", "/people/1/grant", "/logout", "/login"):
        assert (await see(one, path, **bearer()))[0] == 405


@pytest.mark.parametrize(
    "path",
    [
        "/turns?state=x",
        "/turns?channel=x",
        "/turns?before=-1",
        "/turns?before=1e9",
        "/turns?before=99999999999999999999",
        "/turns?before=0000000000000000000199999999999999999999",
        "/people?before=9223372036854775808",
        "/turns?like=%27",
        "/deliveries?state=%27%20OR%201=1",
        "/money?show=x",
        "/money?before=x",
        "/people?before=%00",
    ],
)
async def test_an_odd_address_is_told_so(site: MakeSite, path: str) -> None:
    one = await site(operator_token=TOKEN)
    assert (await see(one, path, **bearer()))[0] == 400


@pytest.mark.parametrize("path", ["/turns/99", "/turns?like=99", "/people/99", "/x"])
async def test_what_is_not_there_is_404(site: MakeSite, path: str) -> None:
    one = await site(operator_token=TOKEN)
    assert (await see(one, path, **bearer()))[0] == 404


async def test_a_form_that_is_none_is_told_so(site: MakeSite) -> None:
    one = await site(operator_token=TOKEN)
    url = f"{one.url}/operator/people/find"
    for body in (b"\xff\xfe", b"a=" + b"x" * 9_000, b"&".join(b"a%d=1" % n for n in range(50))):
        async with one.session.post(url, data=body, headers=bearer()) as answer:
            assert answer.status == 400


async def test_the_script_is_small_and_ours(site: MakeSite) -> None:
    one = await site(operator_token=TOKEN)
    async with aiohttp.ClientSession() as session, session.get(f"{one.url}/operator/page.js") as js:
        assert js.content_type == "text/javascript"
        assert len(await js.text()) < 2_000
