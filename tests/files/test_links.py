"""Links that were changed, are late, or were made for another place, open nothing."""

from __future__ import annotations

import pytest

from bot.files.links import LinkExpired, LinkInvalid, LinkPlace, Links
from bot.settings import Settings
from tests.support.fakes import Clock


def links(
    place: LinkPlace = "files", secret: str = "a secret", clock: Clock | None = None
) -> Links:
    settings = Settings.model_validate(
        {"secret_key": secret, "public_url": "https://griot.example", "link_seconds": 100}
    )
    return Links(settings, clock or Clock(), place=place)


def token_of(link: str) -> str:
    return link.rpartition("/")[2]


@pytest.mark.parametrize("place", ["files", "progress"])
def test_a_link_is_read_again_for_as_long_as_it_lives(place: LinkPlace) -> None:
    clock = Clock()
    one = links(place, clock=clock)
    link = one.make("some.thing-1_2")
    assert link.startswith(f"https://griot.example/{place}/")
    clock.now += 100
    assert one.read(token_of(link)) == "some.thing-1_2"
    clock.now += 1
    with pytest.raises(LinkExpired):
        one.read(token_of(link))


@pytest.mark.parametrize(("one", "other"), [("files", "progress"), ("progress", "files")])
def test_a_token_of_one_place_opens_nothing_at_another(one: LinkPlace, other: LinkPlace) -> None:
    token = token_of(links(one).make("7"))
    with pytest.raises(LinkInvalid):
        links(other).read(token)


def test_a_token_of_another_secret_opens_nothing() -> None:
    token = token_of(links("progress", secret="another").make("7"))
    with pytest.raises(LinkInvalid):
        links("progress").read(token)


def test_no_character_of_a_token_can_be_changed() -> None:
    one = links("progress")
    token = token_of(one.make("7"))
    for place in range(len(token)):
        other = "8" if token[place] != "8" else "9"
        with pytest.raises(LinkInvalid):
            one.read(token[:place] + other + token[place + 1 :])


@pytest.mark.parametrize(
    "token", ["", ".", "..", "7", "7.99999999999.", "é.1.ü", "\ud800.1.\udfff"]
)
def test_what_was_never_a_token_is_not_valid(token: str) -> None:
    with pytest.raises(LinkInvalid):
        links("progress").read(token)


def test_a_link_made_before_the_secret_was_changed_is_still_good() -> None:
    token = token_of(links(secret="older").make("7"))
    changed = {"secret_key": "newer", "secret_key_previous": "older"}
    during, after = (
        Links(Settings.model_validate(values), Clock())
        for values in (changed, {"secret_key": "newer"})
    )
    assert during.read(token) == "7"
    assert after.read(token_of(during.make("8"))) == "8"
    with pytest.raises(LinkInvalid):
        after.read(token)
