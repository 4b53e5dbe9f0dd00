"""Who asks, as far as proxies can be believed."""

from __future__ import annotations

import pytest
from aiohttp.test_utils import make_mocked_request
from multidict import CIMultiDict

from bot.errors import TooLarge
from bot.settings import load
from bot.web.requests import (
    GUEST_COOKIE,
    Guest,
    client_address,
    known_guest,
    network,
    read_body,
    sign,
)


def _asked(peer: str, *said: str, header: str = "X-Forwarded-For", **settings: str) -> str:
    """Whom we take for the client of a request from `peer`, with these headers."""
    headers = CIMultiDict([(header, value) for value in said])
    request = make_mocked_request("GET", "/", headers=headers).clone(remote=peer)
    return client_address(request, load({name.upper(): v for name, v in settings.items()}))


def test_the_proxy_on_this_machine_is_believed() -> None:
    assert _asked("127.0.0.1", "203.0.113.7") == "203.0.113.7"
    assert _asked("::1", "2001:db8::7") == "2001:db8::7"
    assert _asked("::ffff:127.0.0.1", "203.0.113.7") == "203.0.113.7"


@pytest.mark.parametrize("peer", ["198.51.100.1", "10.0.0.7", "172.16.3.2", "fdaa::3"])
def test_nobody_else_is_unless_the_operator_trusts_it(peer: str) -> None:
    assert _asked(peer, "203.0.113.7") == peer
    trusted = "10.0.0.0/8,172.16.0.0/12,fdaa::/16,198.51.100.1"
    assert _asked(peer, "203.0.113.7", trusted_proxies=trusted) == "203.0.113.7"


def test_what_the_client_itself_claims_is_not_believed() -> None:
    assert _asked("127.0.0.1", "1.1.1.1, 203.0.113.7") == "203.0.113.7"
    assert _asked("127.0.0.1", "1.1.1.1", "203.0.113.7") == "203.0.113.7"


def test_a_chain_of_trusted_proxies_leads_to_the_client() -> None:
    trusted = {"trusted_proxies": "127.0.0.1,10.0.0.0/8"}
    assert _asked("127.0.0.1", "1.1.1.1, 203.0.113.7, 10.0.0.2", **trusted) == "203.0.113.7"
    assert _asked("127.0.0.1", "10.0.0.3, 10.0.0.2", **trusted) == "10.0.0.3"


@pytest.mark.parametrize("said", ["", "unknown", "203.0.113.7, ", "203.0.113.7, <script>"])
def test_what_is_no_address_is_not_believed(said: str) -> None:
    assert _asked("127.0.0.1", said) == "127.0.0.1"


def test_another_header_may_say_it() -> None:
    """Fly.io's own: the last address of its X-Forwarded-For is ours, not the client's."""
    fly = {"trusted_proxies": "172.16.0.0/12", "client_address_header": "Fly-Client-IP"}
    assert _asked("172.16.3.2", "203.0.113.7", header="Fly-Client-IP", **fly) == "203.0.113.7"
    assert _asked("172.16.3.2", "203.0.113.7", **fly) == "172.16.3.2"


def test_a_client_over_ipv6_has_a_whole_network() -> None:
    assert network("2001:db8:1:2:3:4:5:6") == network("2001:db8:1:2::1") == "2001:db8:1:2::/64"
    assert network("2001:db8:1:3::1") != network("2001:db8:1:2::1")
    assert network("203.0.113.7") == network("::ffff:203.0.113.7") == "203.0.113.7"
    assert network("") == ""


def test_a_guest_stays_the_same_while_the_secret_is_changed() -> None:
    older = load({"SECRET_KEY": "older"})
    cookie = f"guest-1.{sign(older, 'guest:guest-1')}"
    request = make_mocked_request("GET", "/", headers={"Cookie": f"{GUEST_COOKIE}={cookie}"})
    request = request.clone(remote="203.0.113.7")
    both = load({"SECRET_KEY": "newer", "SECRET_KEY_PREVIOUS": "older"})
    assert known_guest(request, both) == Guest("guest:guest-1", has_cookie=True)
    assert not known_guest(request, load({"SECRET_KEY": "newer"})).has_cookie


@pytest.mark.parametrize(("most", "size"), [(2**13, "8 KiB"), (2**21, "2 MiB")])
async def test_a_body_that_is_too_large_is_told_the_limit(most: int, size: str) -> None:
    headers = CIMultiDict({"Content-Length": str(most + 1)})
    with pytest.raises(TooLarge, match=f"larger than {size}"):
        await read_body(make_mocked_request("POST", "/", headers=headers), most)
