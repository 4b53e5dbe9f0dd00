from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import msgspec
import pytest

from bot.events import Content, End, Event, Failure, Progress, Start, Thinking
from bot.gateway.turns.preview import Shown, encode_live, topic_of
from bot.messages.incoming import Person, Said
from bot.web import turn_streams
from bot.web.sessions import make_update
from bot.web.turn_streams import FollowedTurn, TurnStreams
from tests.support.queries import delete_rows
from tests.support.site import MakeSite

START, END = Start("s1", "7"), End("answered")
WRITES = Progress(2, 10, "write")


async def follow(site: MakeSite, *shown: Shown) -> list[list[Event]]:
    """The batches that are told of turn 7, of which nothing is kept."""

    async def payloads() -> AsyncIterator[bytes]:
        for each in shown:
            yield encode_live(each)

    streams = TurnStreams((await site()).app.context)
    return [batch async for batch in streams.follow(payloads(), FollowedTurn("http:s1", 7, "en"))]


async def test_all_is_told_whose_beginning_is_seen(site: MakeSite) -> None:
    events = [START, Content("Here "), WRITES, Content("it is."), END]
    said = [0, 0, 1, 1, 2]
    shown = [Shown(7, *each) for each in zip(said, events, strict=True)]
    assert await follow(site, *shown) == [[event] for event in events]


async def test_of_a_text_whose_beginning_was_missed_no_piece_is_told(site: MakeSite) -> None:
    shown = [Shown(7, 3, Content("it ")), Shown(7, 4, WRITES), Shown(7, 4, Thinking("Hm."))]
    assert await follow(site, *shown, Shown(7, 4, END)) == [[], [WRITES], [END]]


async def test_a_sign_of_life_is_given_at_first_and_then_seldom(site: MakeSite) -> None:
    pieces = [Shown(7, number, Content("more ")) for number in range(3, 300)]
    assert await follow(site, *pieces, Shown(7, 300, END)) == [[], [END]]


async def test_what_another_turn_says_in_the_lane_is_not_told(site: MakeSite) -> None:
    others = [Shown(6, 0, Start("s1", "6")), Shown(6, 0, Content("old"))]
    batches = await follow(site, *others, Shown(7, 1, Content("late")), Shown(7, 2, END))
    assert [event for batch in batches for event in batch] == [END]


async def test_it_ends_when_nothing_of_its_turn_is_there_any_more(
    site: MakeSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its person was erased while it ran."""
    monkeypatch.setattr(turn_streams, "_KEEP_ALIVE", 0.05)

    one = await site()
    streams = TurnStreams(one.app.context)
    update = make_update("s1", Person("http", "awa"), Said("Hello"))
    turn = await one.app.inbox.store_if_idle(msgspec.structs.replace(update, via="elsewhere"))
    silence = one.app.context.momentary.subscribe(topic_of(update.lane))
    async with asyncio.timeout(10), silence as payloads:
        batches = streams.follow(payloads, FollowedTurn(update.lane, turn, "en"))
        assert await anext(batches) == []
        await delete_rows(one.app.database, "inbox")
        rest = [batch async for batch in batches]
    assert rest[-1][-1] == End("cancelled")


@pytest.mark.parametrize("rounds", range(6))
async def test_the_process_may_end_at_the_moment_at_which_a_stream_has_waited_long_enough(
    site: MakeSite, monkeypatch: pytest.MonkeyPatch, rounds: int
) -> None:
    monkeypatch.setattr(turn_streams, "_KEEP_ALIVE", 0)
    one = await site()
    streams = TurnStreams(one.app.context)
    silence = one.app.context.momentary.subscribe(topic_of("http:s1"))
    async with asyncio.timeout(10), silence as payloads:
        batches = streams.follow(payloads, FollowedTurn("http:s1", 1, "en"))
        batch = asyncio.ensure_future(anext(batches))
        for _ in range(rounds):
            await asyncio.sleep(0)
        streams.end_all()
        assert End in [type(event) for event in await batch]


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "The stream broke off. Your answer will be kept."),
        ("", "La connexion s’est interrompue. Ta réponse sera gardée."),  # not known
    ],
)
async def test_whoever_reads_is_told_in_their_language_that_the_process_ends(
    site: MakeSite, language: str, words: str
) -> None:
    streams = TurnStreams((await site()).app.context)
    streams.end_all()

    async def silence() -> AsyncIterator[bytes]:
        await asyncio.Event().wait()
        yield b""

    followed = FollowedTurn("http:s1", 1, language)
    told = [batch async for batch in streams.follow(silence(), followed)]
    assert told == [[Failure("unavailable", words), End("failed")]]
