"""Tokens of short links: of which key and route they are."""

from __future__ import annotations

import pytest

from bot.files.links import LinkInvalid
from bot.gateway.short_links import TOKEN_LENGTH, PageRoute, ShortLinks
from bot.render.sms import is_gsm7
from bot.settings import Settings


def links(key: str, previous: str = "") -> ShortLinks:
    values = {"secret_key": key, "secret_key_previous": previous, "public_url": "https://g.example"}
    return ShortLinks(Settings.model_validate(values))


def token_of(made: ShortLinks, route: PageRoute) -> tuple[str, str]:
    link = made.make(route)
    assert is_gsm7(link.url)
    return link.id, link.url.rpartition("/")[2]


def test_a_token_is_good_for_its_route_and_key() -> None:
    link_id, token = token_of(links("one"), "q")
    assert len(token) == TOKEN_LENGTH
    assert links("one").read("q", token) == link_id
    assert links("two", previous="one").read("q", token) == link_id
    for other in ("m", "stop"):
        with pytest.raises(LinkInvalid):
            links("one").read(other, token)
    with pytest.raises(LinkInvalid):
        links("two").read("q", token)


def test_each_page_has_its_own_way_to_opt_out() -> None:
    made = links("one")
    link = made.make("m")
    token = made.path("stop", link.id).rpartition("/")[2]
    assert made.read("stop", token) == link.id


@pytest.mark.parametrize("token", ["", "a", "é" * 14, "0" * 14, "0" * 15, "\ud800" * 14, "A" * 14])
def test_what_was_not_made_here_is_refused(token: str) -> None:
    with pytest.raises(LinkInvalid):
        links("one").read("q", token)
