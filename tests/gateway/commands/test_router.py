"""What is answered without a model: found by its kind, answered in one transaction, or given up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec
import pytest

from bot.errors import LeaseLost
from bot.events import Content, End, Event, Failure, Start
from bot.gateway.commands.reply import CommandHandler, Reply, SlowCommandHandler
from bot.gateway.commands.router import CommandRouter
from bot.gateway.deliveries import keep_pages
from bot.gateway.inbound.bursts import bypasses_queue
from bot.gateway.inbound.command_parser import note_command
from bot.gateway.inbound.inbox import Pending
from bot.gateway.lanes import Claim
from bot.gateway.turns.journal import read_history
from bot.gateway.turns.retry import TurnFailures
from bot.messages.incoming import (
    Attachment,
    Attempt,
    Checkout,
    Decided,
    Edited,
    IdentityChanged,
    Migrated,
    Notice,
    OptedOut,
    Paid,
    Person,
    Reachable,
    Reacted,
    Said,
    SharedContact,
    SharedLocation,
    Tapped,
    TypedCode,
    Unsupported,
    Update,
    UpdateContent,
    Woken,
)
from bot.messages.outgoing import AnswerCheckout, Say, TextBody, decode_body
from bot.messages.transcript import Message
from tests.support.app import MakeApp, TestApp, update
from tests.support.fakes import FakeChannel
from tests.support.phones import AWA, phones_of
from tests.support.queries import change_rows, count_rows, read_row, read_rows
from tests.support.turns import RecordedEvents, lose_to_another, make_user_messages, store_and_claim
from tests.support.waiting import until

AT_ONCE: tuple[UpdateContent, ...] = (
    Said("/help"),
    Tapped("token"),
    Attempt("an exercise that is gone", "12"),
    SharedContact("+2250701020304", owner="1"),
    Edited("corrected"),
    Reacted("👍"),
    Reachable(yes=False),
    OptedOut(),
    Migrated("-100"),
    TypedCode("a keyed hash"),
    Unsupported(),
    Checkout("k1", "pack", 100, "XTR"),
    Paid("ch1", "pack", 100, "XTR"),
    Notice((Say("It is time."),)),
)
SILENT = (Edited, Reacted, Reachable, OptedOut, Migrated, Paid)
FOR_THE_AGENT: tuple[UpdateContent, ...] = (
    Said("a question"),
    Said("/dance"),
    Said("/help", (Attachment("image", "p"),)),
    Said("/help", forwarded=True),
    SharedLocation(5.3, -4.0),
    Decided("a1", "approve"),
    Woken("It has ended."),
)


@dataclass
class Counter:
    """An update that came in, before whoever answers it."""

    app: TestApp
    claim: Claim
    pending: Pending
    heard: RecordedEvents = field(default_factory=RecordedEvents)
    slow_handlers: dict[str, SlowCommandHandler] = field(
        default_factory=dict[str, SlowCommandHandler]
    )

    def failures(self) -> TurnFailures:
        parts = replace(self.app.app.context, momentary=self.heard)
        return TurnFailures(parts, self.app.app.people, self.app.app.background)

    def replies(self) -> CommandRouter:
        app = self.app.app
        return CommandRouter(
            replace(app.context, momentary=self.heard),
            app.people,
            self.failures(),
            app.inbox,
            app.logins,
            app.practice,
            app.commands,
            self.slow_handlers,
        )

    async def answer(self, respond: CommandHandler | None = None) -> Reply:
        found = respond or self.replies().find(self.pending.update)
        assert found is not None
        return await self.replies().answer(self.claim, self.pending, found)

    async def bodies(self) -> list[Any]:
        rows = await read_rows(self.app.database, "outbox")
        return [decode_body(row["body"]) for row in rows]

    async def states(self) -> list[str]:
        """Of the update, and of its turn if it has one."""
        [first, *_] = await read_rows(self.app.database, "inbox")
        turns = await read_rows(self.app.database, "turn", id=first["seq"])
        return [
            first["state"],
            *(text for turn in turns for text in (turn["state"], turn["reason"])),
        ]

    @property
    def events(self) -> Sequence[Event]:
        return self.heard.events


async def _bring(app: TestApp, content: UpdateContent | str) -> Counter:
    return Counter(app, *await store_and_claim(app.database, content))


def _watched() -> FakeChannel:
    channel = FakeChannel()
    channel.capabilities = replace(channel.capabilities, streams=True)
    return channel


async def test_a_command_on_an_errand_is_answered_by_what_it_brings(app: MakeApp) -> None:
    asked: list[str] = []

    async def fetch_files(person: Person, update: Update, argument: str) -> Reply:
        asked.append(f"{person.address} {update.lane} {argument}")
        return Reply((Say("Two files."),))

    counter = await _bring(await app(), "/files all")
    counter.slow_handlers["files"] = fetch_files
    response = await counter.answer()
    assert asked == ["1 telegram:1 all"]
    assert response.outgoing == (Say("Two files."),)
    assert [body.text for body in await counter.bodies()] == ["Two files."]
    assert await counter.states() == ["done", "done", "answered"]


async def test_an_errand_that_fails_ends_in_an_apology(app: MakeApp) -> None:
    async def fail(*_: object) -> Reply:
        raise OSError("no disk")

    counter = await _bring(await app(), "/files")
    counter.slow_handlers["files"] = fail
    assert await counter.answer() == Reply()
    [apology] = await counter.bodies()
    assert "disk" not in apology.text
    assert (await counter.states())[0] == "dead"


async def test_what_never_waits_is_answered_without_the_agent(app: MakeApp) -> None:
    """Else nobody would answer it beside a running turn."""
    replies = (await _bring(await app(), "hello")).replies()
    for content in AT_ONCE:
        assert replies.find(note_command(update(content))) is not None, content
    for content in FOR_THE_AGENT:
        assert replies.find(note_command(update(content))) is None, content
        assert not bypasses_queue(note_command(update(content))), content
    kinds = {*map(type, (*AT_ONCE, *FOR_THE_AGENT)), IdentityChanged}  # which is never handled
    assert kinds == {*UpdateContent.__args__}


@pytest.mark.parametrize("content", AT_ONCE, ids=lambda content: type(content).__name__)
async def test_it_is_answered_at_once_and_handled(app: MakeApp, content: UpdateContent) -> None:
    counter = await _bring(await app(), content)
    response = await counter.answer()
    assert await counter.states() == ["done", "done", "answered"]
    assert bool(await counter.bodies()) is not isinstance(content, SILENT)
    assert response.stop is isinstance(content, OptedOut)


async def test_a_payment_inside_the_channel_is_declined(app: MakeApp) -> None:
    counter = await _bring(await app(), Checkout("k1", "pack", 100, "XTR"))
    await counter.answer()
    [body] = await counter.bodies()
    assert isinstance(body, AnswerCheckout)
    assert body.checkout_id == "k1"
    assert body.error


async def _history(counter: Counter) -> list[Message]:
    async def work(tx: Any) -> list[Message]:
        return (await read_history(tx, counter.claim.lane, 999, counter.claim.lane)).messages

    return await counter.app.database.read(work)


async def test_what_the_model_is_to_know_is_told_in_the_conversation(app: MakeApp) -> None:
    counter = await _bring(await app(), Tapped("token"))

    async def respond(*_: object) -> Reply:
        return Reply((Say("Right!"),), note="[I answered: Dakar]", bodies=(TextBody("page 2"),))

    await counter.answer(respond)
    assert await _history(counter) == make_user_messages("[I answered: Dakar]")
    assert await counter.bodies() == [TextBody("Right!"), TextBody("page 2")]


async def test_a_command_is_nothing_to_the_model(app: MakeApp) -> None:
    counter = await _bring(await app(), "/help")
    await counter.answer()
    assert await _history(counter) == []


async def test_who_watches_sees_it_from_start_to_end(app: MakeApp) -> None:
    counter = await _bring(await app(_watched()), "/mode pro")
    [said_] = (await counter.answer()).outgoing
    assert isinstance(said_, Say)
    assert counter.events == [
        Start("1", str(counter.pending.seq)),
        Content(said_.markdown),
        End("answered"),
    ]


async def test_a_short_answer_leaves_the_rest_of_a_long_one(app: MakeApp) -> None:
    channel = FakeChannel()
    channel.capabilities = replace(channel.capabilities, markup="plain", page=600)
    counter = await _bring(await app(channel), "/balance")

    async def keep(tx: Any) -> None:
        await keep_pages(tx, counter.claim.lane, 1, [TextBody("page two")])

    await counter.app.database.write(keep)
    await counter.answer()
    assert await count_rows(counter.app.database, "rest") == 1


async def test_one_that_cannot_be_answered_is_given_up_aloud(app: MakeApp) -> None:
    counter = await _bring(await app(_watched()), Tapped("token"))

    async def respond(*_: object) -> Reply:
        raise KeyError("a bug, with a secret")

    assert await counter.answer(respond) == Reply()
    assert await counter.states() == ["dead", "dead", "failed"]
    [body] = await counter.bodies()
    assert "went wrong" in body.text
    assert "secret" not in body.text
    assert isinstance(counter.events[0], Failure)
    assert counter.events[-1] == End("failed")


async def test_of_one_that_cannot_be_answered_nothing_is_kept(app: MakeApp) -> None:
    site = await app()
    await site.log_in()
    counter = await _bring(site, "/mode pro")

    async def respond(tx: Any, *_: object) -> Reply:
        await change_rows(tx, "account", {"mode": "pro"})
        raise KeyError("a bug")

    await counter.answer(respond)
    account = await read_row(site.database, "account")
    assert account["mode"] == "child"


async def test_who_lost_the_lane_answers_nothing(app: MakeApp) -> None:
    site = await app(_watched())
    await site.log_in()
    counter = await _bring(site, "/mode pro")
    await lose_to_another(site.database)
    with pytest.raises(LeaseLost):
        await counter.answer()
    with pytest.raises(LeaseLost):
        await counter.failures().turn_away(counter.claim, counter.pending, "no")
    account = await read_row(site.database, "account")
    assert account["mode"] == "child"
    assert await counter.states() == ["pending"]
    assert (await counter.bodies(), counter.events) == ([], [])


@pytest.mark.parametrize("words", ["Please wait.", ""])
async def test_who_is_turned_away_hears_why_or_nothing(app: MakeApp, words: str) -> None:
    counter = await _bring(await app(), "a question")
    await counter.failures().turn_away(counter.claim, counter.pending, words)
    assert await counter.states() == ["done", "done", "refused"]
    assert await counter.bodies() == ([TextBody(words)] if words else [])
    turn = await read_row(counter.app.database, "turn")
    assert (turn["attempts"], turn["credits"]) == (1, 0)


async def test_a_new_face_is_remembered_as_they_came(app: MakeApp) -> None:
    counter = await _bring(await app(), "/help")
    sender = msgspec.structs.replace(counter.pending.update.sender, address="77", language="fr")
    asked = msgspec.structs.replace(counter.pending.update, sender=sender)
    counter.pending = replace(counter.pending, update=asked)
    await counter.answer()
    [body] = await counter.bodies()
    assert body.text.startswith("Écris-moi")
    identity = await read_row(counter.app.database, "identity")
    assert (identity["address"], identity["language"]) == ("77", "fr")


@pytest.mark.parametrize("channel", ["telegram", "whatsapp", "sms"])
@pytest.mark.parametrize(
    ("command", "choice", "told"),
    [
        ("/mode", "2", "I am your assistant at work now."),
        ("/mode", "élève", "I am your tutor now."),
        ("/language", "A", "Je parle maintenant français."),
        ("/grade", "CM2", "Noted: CM2."),
    ],
)
async def test_an_option_right_behind_its_command_is_chosen(
    app: MakeApp, channel: str, command: str, choice: str, told: str
) -> None:
    one = await phones_of(app)()
    who = "1" if channel == "telegram" else AWA
    await one.app.log_in()
    await one.say("/language en", channel, who)
    await one.say("/language", channel, who)  # older options
    sent = [one.update(text, channel, who) for text in (command, choice)]
    await one.app.app.inbox.store(sent)
    await until(one.app.settled)
    *_, asked, chosen = one.told(channel, who)
    assert (asked.startswith(told), chosen.startswith(told)) == (False, True)
