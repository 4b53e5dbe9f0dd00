from __future__ import annotations

import pytest
from aiohttp import ClientResponse

from bot.errors import SettingsError
from bot.settings import load
from tests.support.fakes import FakeModel, reply
from tests.support.site import MakeSite, Site

FRIEND, STRANGER = "https://app.example.org", "https://evil.example.com"
PATHS = ["/api/v1/chat", "/v1/chat/completions"]


async def _preflight(griot: Site, path: str, origin: str) -> ClientResponse:
    headers = {
        "Origin": origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type,x-stainless-lang",
    }
    async with griot.session.options(griot.url + path, headers=headers) as answer:
        await answer.read()
        return answer


@pytest.mark.parametrize("path", PATHS)
async def test_a_page_that_is_named_may_ask(site: MakeSite, path: str) -> None:
    griot = await site(FakeModel(), cors_origins=f"{FRIEND},http://localhost:3000")
    answer = await _preflight(griot, path, FRIEND)
    assert answer.status == 204
    assert answer.headers["Access-Control-Allow-Origin"] == FRIEND
    assert answer.headers["Access-Control-Allow-Credentials"] == "true"
    assert "POST" in answer.headers["Access-Control-Allow-Methods"]
    assert "x-stainless-lang" in answer.headers["Access-Control-Allow-Headers"]
    assert answer.headers["Vary"] == "Origin"


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("origin", [STRANGER, "null", f"{FRIEND}.evil.example.com", "*"])
async def test_any_other_page_may_not(site: MakeSite, path: str, origin: str) -> None:
    griot = await site(FakeModel(), cors_origins=FRIEND)
    answer = await _preflight(griot, path, origin)
    assert answer.status == 405
    assert "Access-Control-Allow-Origin" not in answer.headers


async def test_without_the_setting_no_page_may(site: MakeSite) -> None:
    griot = await site(FakeModel())
    answer = await _preflight(griot, PATHS[0], FRIEND)
    assert (answer.status, "Vary" in answer.headers) == (405, False)


async def test_any_page_that_may_is_given_no_cookie_to_be_known_by(site: MakeSite) -> None:
    griot = await site(FakeModel(), cors_origins="*")
    answer = await _preflight(griot, PATHS[0], STRANGER)
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in answer.headers


@pytest.mark.parametrize("origin", [FRIEND, STRANGER])
async def test_streams_and_errors_can_be_read_by_the_same_pages(
    site: MakeSite, origin: str
) -> None:
    griot = await site(FakeModel(reply("hello")), cors_origins=FRIEND)
    for body, status in (({"message": "x"}, 200), ({"message": ""}, 400)):
        url, headers = f"{griot.url}/api/v1/chat", {"Origin": origin}
        async with griot.session.post(url, json=body, headers=headers) as answer:
            assert answer.status == status
            allowed = answer.headers.get("Access-Control-Allow-Origin")
            assert allowed == (FRIEND if origin == FRIEND else None)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("where", ["cross-site", "same-site"])
async def test_a_page_elsewhere_has_nobody_ask_at_our_cost(
    site: MakeSite, path: str, where: str
) -> None:
    """A form, or a script that gives up reading the answer, is sent without a preflight."""
    model = FakeModel()
    griot = await site(model, cors_origins=FRIEND)
    headers = {"Origin": STRANGER, "Sec-Fetch-Site": where, "Content-Type": "text/plain"}
    async with griot.session.post(griot.url + path, data='{"message": "x"}', headers=headers) as no:
        assert no.status == 403
        assert "CORS_ORIGINS" in await no.text()
    assert model.requests == []


@pytest.mark.parametrize(
    ("named", "origin", "where"),
    [
        (FRIEND, FRIEND, "cross-site"),
        ("*", STRANGER, "cross-site"),
        ("", "{own}", "same-origin"),
        ("", "", "none"),
    ],
)
async def test_our_own_page_and_those_that_are_named_ask(
    site: MakeSite, named: str, origin: str, where: str
) -> None:
    griot = await site(FakeModel(reply("hello")), cors_origins=named)
    headers = {"Sec-Fetch-Site": where}
    if origin:
        headers["Origin"] = origin.format(own=griot.url)
    url = f"{griot.url}/api/v1/chat"
    async with griot.session.post(url, json={"message": "x"}, headers=headers) as answer:
        assert answer.status == 200


async def test_what_a_provider_sends_is_taken_from_wherever_it_comes(site: MakeSite) -> None:
    """A webhook has a signature of its own."""
    griot = await site(FakeModel())
    headers = {"Sec-Fetch-Site": "cross-site"}
    async with griot.session.post(f"{griot.url}/webhooks/nobody", headers=headers) as answer:
        assert answer.status == 404


async def test_what_is_no_api_is_for_no_other_page(site: MakeSite) -> None:
    griot = await site(FakeModel(), cors_origins=FRIEND)
    for path in ("/healthz", "/files/x", "/webhooks/telegram"):
        async with griot.session.get(griot.url + path, headers={"Origin": FRIEND}) as answer:
            assert "Access-Control-Allow-Origin" not in answer.headers


@pytest.mark.parametrize("value", ["example.org", "https://example.org/", "https://*.example.org"])
def test_what_is_no_origin_is_named_at_start(value: str) -> None:
    with pytest.raises(SettingsError, match="CORS_ORIGINS"):
        load({"CORS_ORIGINS": value})
