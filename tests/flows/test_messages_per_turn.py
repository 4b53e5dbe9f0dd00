"""How many paid WhatsApp messages the answers of recorded turns take, and what they show."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from bot.settings import Settings
from tests.adapters.conformance.driver import PNG
from tests.adapters.conformance.stage import MakeStage, Stage, staging
from tests.adapters.conformance.table import CLOUD, WHATSAPP
from tests.standins.twilio import TwilioStandIn
from tests.standins.whatsapp_phones import Shown
from tests.support.fakes import FakeModel, reply
from tests.support.samples import TAKES_ALL

TURNS = [
    json.loads(line)
    for line in Path(__file__).with_name("recorded_turns.jsonl").read_text("utf-8").splitlines()
]
"""What pupils wrote and a model answered. A turn has `pupil` (their words) or `tap` (the title of
an option of the message before), `photo` where a picture comes with the words, and `model`: its
replies in order, each with `text` and `calls`, pairs of a tool's name and its arguments."""
MOST_A_TURN = 1.2
"""Messages on average."""
TURNS_A_PUPIL = 20
FORMULA = re.compile(r"\$\$.*?\$\$|\$[^$]*\$|```.*?```|`[^`]*`|\]\([^)]*\)", re.DOTALL)


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


@pytest.fixture
async def stage(make_settings: Callable[..., Settings]) -> AsyncIterator[MakeStage]:
    async with staging(make_settings) as make:
        yield make


def say(turn: dict[str, Any], one: Stage, phone: str) -> Any:
    """What the pupil's phone sends."""
    driver: Any = one.driver
    if one.driver.name == CLOUD:
        if "tap" in turn:
            return driver.whatsapp.tap(phone, turn["tap"])
        if turn.get("photo"):
            return driver.whatsapp.image_message(phone, caption=turn["pupil"])
        return driver.whatsapp.text_message(phone, turn["pupil"])
    if "tap" in turn:
        return tap_by_twilio(turn["tap"], driver.twilio, phone)
    media = [(PNG, "image/png")] if turn.get("photo") else []
    return driver.twilio.write(phone, turn["pupil"], media=media, whatsapp=True)


def tap_by_twilio(title: str, twilio: TwilioStandIn, phone: str) -> Any:
    asked, option = next(
        (message, option)
        for message in reversed(twilio.chat(phone))
        for option in message.options
        if option.title == title
    )
    how = "list_reply" if asked.list_button else "button"
    choice: Any = {how: (option.payload, title)}
    return twilio.write(phone, whatsapp=True, reply_to=asked.sid, **choice)


async def deliver(parcel: Any, one: Stage) -> None:
    driver: Any = one.driver
    await (driver.whatsapp if one.driver.name == CLOUD else driver.twilio).deliver(parcel)


def read_chat(one: Stage, phone: str) -> list[Shown]:
    """What the phone shows, oldest first."""
    driver: Any = one.driver
    if one.driver.name == CLOUD:
        return driver.whatsapp.chat(phone)
    return [
        Shown(
            message.sid,
            message.kind,
            message.body,
            options=tuple(message.options),
            media_type=next((media.mime_type for media in message.media.values()), ""),
        )
        for message in driver.twilio.chat(phone)
    ]


async def play(
    turns: list[dict[str, Any]], one: Stage, model: FakeModel, phone: str
) -> list[list[Shown]]:
    """The messages that each turn put on the pupil's phone."""
    turned: list[list[Shown]] = []
    await one.log_in(f"+{phone.removeprefix('+')}")
    for turn in turns:
        before = len(read_chat(one, phone))
        model.add(*(reply(each["text"], *read_calls(each)) for each in turn.get("model", ())))
        await deliver(say(turn, one, phone), one)
        await one.settle()
        turned.append(read_chat(one, phone)[before:])
    return turned


def read_calls(answer: dict[str, Any]) -> list[tuple[str, str]]:
    return [(name, json.dumps(arguments)) for name, arguments in answer.get("calls", ())]


def find_lost(turn: dict[str, Any], shown: list[Shown]) -> list[str]:
    """What the model said or made in the turn, and the pupil was not shown."""
    answers = turn.get("model", ())
    called = [each for answer in answers for each in answer.get("calls", ())]
    made = [name for name, _ in called if name.startswith("generate_")]
    files = [each for each in shown if each.media_type.startswith(("application/", "text/"))]
    said = [answer["text"] for answer in answers]
    for _, arguments in called:
        said += [arguments.get(name, "") for name in ("question", "statement", "caption")]
        said += arguments.get("options", ())
    words = {word for text in said for word in read_words(FORMULA.sub(" ", text))}
    seen = {word for each in shown for word in read_words(show_all(each))}
    return [*sorted(words - seen), *made[len(files) :]]


def read_words(text: str) -> list[str]:
    """Return the words; the stars of bold letters within one (`enfant**s**`) do not part it."""
    whole = re.sub(r"(?<=[^\W\d_]{2})\*\*([^\W\d_]+)\*\*", r"\1", text)
    return re.findall(r"[^\W\d_]{3,}", whole.casefold())


def show_all(one: Shown) -> str:
    options = [f"{option.title} {option.description}" for option in one.options]
    return " ".join((one.text, one.caption, one.header, one.footer, *options))


@pytest.mark.parametrize(
    ("provider", "pupils"), [(CLOUD, 10 if TAKES_ALL else 5), (WHATSAPP, 3 if TAKES_ALL else 2)]
)
async def test_recorded_turns_take_few_messages_and_lose_no_word(
    provider: str, pupils: int, stage: MakeStage
) -> None:
    counts: list[int] = []
    model = FakeModel()
    one = await stage(provider, model)
    plus = "+" if provider == WHATSAPP else ""
    for start in range(0, pupils * TURNS_A_PUPIL, TURNS_A_PUPIL):
        turns = TURNS[start : start + TURNS_A_PUPIL]
        phone = f"{plus}22177{start:07}"
        for number, shown in enumerate(await play(turns, one, model, phone)):
            lost = find_lost(turns[number], shown)
            assert not lost, f"line {start + number + 1}: {lost}"
            counts.append(len(shown))
        assert not model.steps_left, f"lines {start + 1} and following: the model was asked less"
    assert len(counts) == pupils * TURNS_A_PUPIL
    assert sum(counts) / len(counts) <= MOST_A_TURN
