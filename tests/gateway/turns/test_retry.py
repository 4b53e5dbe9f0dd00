"""What failed is tried again after longer and longer pauses, and in the end given up aloud."""

from __future__ import annotations

import itertools
import math
import time
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec
import pytest

from bot.errors import LeaseLost, ModelRefused, ModelUnavailable, ScriptExhausted
from bot.events import End, Failure, Notice, UsageReport
from bot.gateway.inbound.inbox import Pending
from bot.gateway.lanes import Claim
from bot.gateway.turns.open import MAX_FAILURES, TriedTooOften
from bot.gateway.turns.preview import LivePreview
from bot.gateway.turns.retry import TurnFailures
from bot.gateway.turns.state import TurnState
from bot.messages.outgoing import Draft, TextBody, decode_body
from tests.support.app import MakeApp, TestApp, update
from tests.support.fakes import FakeChannel
from tests.support.queries import read_row, read_rows, read_seconds_until
from tests.support.turns import RecordedEvents, lose_to_another, store_updates_and_claim

DOWN = ModelUnavailable("the endpoint is down: key sk-123")


@dataclass
class Ward:
    """An update whose handling failed."""

    app: TestApp
    claim: Claim
    pending: Pending
    heard: RecordedEvents = field(default_factory=RecordedEvents)
    told: set[int] = field(default_factory=set[int])

    async def fail(
        self, error: Exception = DOWN, *, earlier: int = 0, seconds: float = 0.1
    ) -> None:
        """It fails after `seconds`, having failed so many times before."""
        pending = replace(self.pending, failures=earlier)
        preview = LivePreview(self.heard, self.app.channel, self.claim, pending, self.told)
        failures = TurnFailures(self.app.app.context, self.app.app.people, self.app.app.background)
        started = time.monotonic() - seconds
        state = TurnState(self.claim, pending, self.app.channel, preview, started=started)
        await failures.fail(state, error)

    async def pause(self) -> float:
        """Seconds until it is tried again."""
        return (await read_seconds_until(self.app.database, "inbox", "ready_at"))[0]

    async def state(self) -> str:
        """Of the turn, and of the update."""
        turn = await read_row(self.app.database, "turn")
        stored = await read_row(self.app.database, "inbox")
        return f"{turn['state']}, {stored['state']}"

    async def words(self) -> list[str]:
        rows = await read_rows(self.app.database, "outbox")
        bodies: list[Any] = [decode_body(row["body"]) for row in rows]
        return [body.text for body in bodies if isinstance(body, TextBody)]


async def _fall_ill(app: TestApp, language: str = "en") -> Ward:
    sent = update("my question")
    sender = msgspec.structs.replace(sent.sender, language=language)
    claim, pending = await store_updates_and_claim(
        app.database, msgspec.structs.replace(sent, sender=sender)
    )
    return Ward(app, claim, pending)


def _watched() -> FakeChannel:
    channel = FakeChannel()
    channel.capabilities = replace(channel.capabilities, streams=True)
    return channel


async def _pauses(ward: Ward) -> list[float]:
    pauses: list[float] = []
    for earlier in range(MAX_FAILURES - 1):
        await ward.fail(earlier=earlier)
        assert await ward.state() == "running, pending"
        pauses.append(await ward.pause())
    return pauses


async def test_each_try_waits_longer_than_the_one_before(app: MakeApp) -> None:
    ward = await _fall_ill(await app())
    pauses = await _pauses(ward)
    assert all(later > 2 * earlier > 0 for earlier, later in itertools.pairwise(pauses))
    assert sum(pauses) < 60
    assert await ward.words() == []
    assert ward.heard.events == []


async def test_where_someone_watches_it_goes_faster(app: MakeApp) -> None:
    ward = await _fall_ill(await app())
    patient = await _pauses(ward)
    ward.app.channel.capabilities = _watched().capabilities
    pauses = zip(await _pauses(ward), patient, strict=True)
    assert all(hurry < pause / 2 for hurry, pause in pauses)


@pytest.mark.parametrize("earlier", [0, MAX_FAILURES - 1])
async def test_the_reason_is_kept_for_operators(app: MakeApp, earlier: int) -> None:
    ward = await _fall_ill(await app())
    await ward.fail(earlier=earlier)
    turn = await read_row(ward.app.database, "turn")
    assert turn["error"] == f"ModelUnavailable: {DOWN}"


async def test_the_fifth_failure_is_the_last(app: MakeApp) -> None:
    ward = await _fall_ill(await app())
    await ward.fail(earlier=MAX_FAILURES - 2)
    assert await ward.state() == "running, pending"
    await ward.fail(earlier=MAX_FAILURES - 1)
    assert await ward.state() == "dead, dead"
    assert MAX_FAILURES == 5


@pytest.mark.parametrize(
    "error",
    [
        ModelRefused("bad"),
        ScriptExhausted("no entry left"),
        TriedTooOften("5 times"),
        ModelUnavailable("401", after=math.inf),
        ModelUnavailable("429", after=3600.0),
    ],
)
async def test_what_cannot_help_is_not_tried_again(app: MakeApp, error: Exception) -> None:
    ward = await _fall_ill(await app())
    await ward.fail(error)
    assert await ward.state() == "dead, dead"


async def test_it_waits_as_long_as_the_endpoint_asks(app: MakeApp) -> None:
    ward = await _fall_ill(await app())
    await ward.fail(ModelUnavailable("429", after=40.0))
    assert 38 < await ward.pause() <= 40


async def test_all_tries_and_pauses_share_one_time_limit(app: MakeApp) -> None:
    ward = await _fall_ill(await app(turn_timeout=180))
    await ward.fail(seconds=120.0)
    turn = await read_row(ward.app.database, "turn")
    assert round(turn["seconds_used"], 2) == 121.0
    ward.pending = replace(ward.pending, seconds_used=121.0)
    await ward.fail(seconds=55.0, earlier=1)
    assert await ward.state() == "dead, dead"


async def test_a_wait_is_told_once_to_who_watches(app: MakeApp) -> None:
    ward = await _fall_ill(await app(_watched()))
    await ward.fail()
    assert ward.heard.events == []
    await ward.fail(ModelUnavailable("429", after=20.0))
    [notice] = ward.heard.events
    assert notice == Notice("This takes longer than usual. I am still on it.")
    await ward.fail(ModelUnavailable("429", after=20.0), earlier=1)
    assert ward.heard.events == [notice]


async def test_a_wait_is_told_in_the_draft(app: MakeApp) -> None:
    channel = FakeChannel()
    channel.capabilities = replace(channel.capabilities, drafts=True)
    ward = await _fall_ill(await app(channel), "fr")
    await ward.fail(ModelUnavailable("429", after=20.0))
    [draft] = channel.shown
    assert isinstance(draft, Draft)
    assert draft.text.startswith("C’est plus long que d’habitude")


@pytest.mark.parametrize(
    ("language", "words"), [("en", "Something went wrong"), ("fr", "Un problème est survenu")]
)
async def test_the_person_is_told_once_in_plain_words(
    app: MakeApp, language: str, words: str
) -> None:
    ward = await _fall_ill(await app(_watched()), language)
    for _ in range(2):
        await ward.fail(earlier=MAX_FAILURES - 1)
    [told] = await ward.words()
    assert told.startswith(words)
    assert "sk-123" not in told
    failure, usage, end = ward.heard.events[:3]
    assert failure == Failure("turn_failed", told)
    assert usage == UsageReport(0, 0, 0.0, 0)
    assert end == End("failed")


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", ("not your fault", "later")), ("fr", ("pas ta faute", "plus tard"))],
)
async def test_who_cannot_mend_it_is_not_asked_to_send_it_again(
    app: MakeApp, language: str, words: tuple[str, str]
) -> None:
    ward = await _fall_ill(await app(), language)
    await ward.fail(ModelUnavailable("401: wrong key sk-123", after=math.inf))
    [told] = await ward.words()
    assert all(each in told for each in words)
    assert not any(each in told for each in ("again;", "Renvoie", "sk-123", "401"))


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", ("in 11 minutes", "/practice")), ("fr", ("dans 11 minutes", "/exercice"))],
)
async def test_a_long_outage_says_when_to_write_again(
    app: MakeApp, language: str, words: tuple[str, str]
) -> None:
    ward = await _fall_ill(await app(), language)
    await ward.fail(ModelUnavailable("429", after=600.0))
    [told] = await ward.words()
    assert all(each in told for each in words)


@pytest.mark.parametrize("earlier", [0, MAX_FAILURES - 1])
async def test_who_lost_the_lane_decides_nothing(app: MakeApp, earlier: int) -> None:
    ward = await _fall_ill(await app(_watched()))
    await lose_to_another(ward.app.database)
    with pytest.raises(LeaseLost):
        await ward.fail(earlier=earlier)
    assert await read_rows(ward.app.database, "turn") == []
    assert await ward.words() == []
    assert ward.heard.events == []
