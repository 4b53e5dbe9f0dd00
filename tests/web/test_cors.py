from __future__ import annotations

import pytest
from aiohttp import ClientResponse

from bot.errors import SettingsError
from bot.settings import load
from tests.fakes import FakeModel, reply
from tests.site import Site
from tests.web.conftest import MakeSite

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


async def test_what_is_no_api_is_for_no_other_page(site: MakeSite) -> None:
    griot = await site(FakeModel(), cors_origins=FRIEND)
    for path in ("/healthz", "/files/x", "/webhooks/telegram"):
        async with griot.session.get(griot.url + path, headers={"Origin": FRIEND}) as answer:
            assert "Access-Control-Allow-Origin" not in answer.headers


@pytest.mark.parametrize("value", ["example.org", "https://example.org/", "https://*.example.org"])
def test_what_is_no_origin_is_named_at_start(value: str) -> None:
    with pytest.raises(SettingsError, match="CORS_ORIGINS"):
        load({"CORS_ORIGINS": value})
