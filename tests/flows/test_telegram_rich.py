"""Rich messages through the whole app: what the person sees, and what a refusal costs."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable

import pytest

from bot.settings import Settings
from tests.support.fakes import FakeModel, reply
from tests.support.queries import read_values
from tests.support.telegram_scene import CHAT, MakeScene, Scene, open_scenes
from tests.support.waiting import until

LESSON = (
    "## Les racines\n\n| $\\Delta$ | racines |\n|---|--:|\n| > 0 | 2 |\n\n"
    r"Alors $x=\frac{-b\pm\sqrt{b^2-4ac}}{2a}$, et cela ne coûte pas $5."
)
ROOT = r"$x=\frac{-b\pm\sqrt{b^2-4ac}}{2a}$"
LINE = "x=(-b±√(b²-4ac))/(2a)"


@pytest.fixture
async def scene(make_settings: Callable[..., Settings]) -> AsyncIterator[MakeScene]:
    async with open_scenes(make_settings) as make:
        yield make


def messages_sent(one: Scene) -> list[str]:
    return [call.method for call in one.telegram.attempts if call.method in SENDING]


SENDING = {"sendMessage", "sendRichMessage", "sendPhoto", "sendDocument"}


async def test_a_lesson_is_one_rich_message(scene: MakeScene) -> None:
    one = await scene(FakeModel(reply(LESSON)))
    await one.say("les racines ?")
    [text] = await one.told(1)
    assert messages_sent(one) == ["sendRichMessage"]
    assert text.splitlines() == [
        "Les racines",
        "$\\Delta$ | racines",
        "> 0 | 2",
        "Alors $x=\\frac{-b\\pm\\sqrt{b^2-4ac}}{2a}$, et cela ne coûte pas $5.",
    ]


async def test_a_refused_one_is_said_plainly_once_with_its_picture(scene: MakeScene) -> None:
    one = await scene(FakeModel(reply(LESSON), reply(LESSON)))
    one.telegram.fail_next("sendRichMessage", 400, "Bad Request: RICH_MESSAGE_INVALID", times=9)
    await one.say("les racines ?")
    await one.told(2)
    text, picture = one.telegram.messages(CHAT)
    assert messages_sent(one) == ["sendRichMessage", "sendMessage", "sendPhoto"]
    assert (LINE in text.text, "$5" in text.text) == (True, True)
    assert (text.rich, picture.photo is None) == (None, False)
    await one.say("encore")
    await one.told(4)
    assert messages_sent(one)[3:] == ["sendMessage", "sendPhoto"]
    await until(one.settled)
    assert await read_values(one.griot.app.database, "outbox", "state") == ["sent", "sent"]


async def test_an_older_server_gets_what_it_always_got(scene: MakeScene) -> None:
    one = await scene(FakeModel(reply(LESSON), reply(LESSON)))
    one.telegram.fail_next("sendRichMessage", 404, "Not Found: method not found", times=9)
    await one.say("les racines ?")
    await one.told(2)
    await one.say("encore")
    await one.told(4)
    assert messages_sent(one) == ["sendRichMessage", *["sendMessage", "sendPhoto"] * 2]
    await until(one.settled)
    states = await read_values(one.griot.app.database, "outbox", "state")
    assert states == ["sent"] * 3  # the second answer was composed plainly


async def test_a_quiz_with_a_formula_is_tapped_and_graded(scene: MakeScene) -> None:
    quiz = {
        "question": f"Combien de valeurs a {ROOT} ?",
        "options": [r"$\frac{1}{2}$", "$x_2$", "deux"],
        "correct_index": 2,
        "explanation": "Une pour chaque signe.",
    }
    calls = reply("", ("interactive_quiz", json.dumps(quiz)))
    one = await scene(FakeModel(calls, reply("À toi !")))
    await one.log_in()
    await one.say("un quiz")
    await one.told(3)
    asked = one.telegram.messages(CHAT)[2]
    assert asked.rich is not None
    assert asked.photo is None
    buttons = [button for row in asked.buttons for button in row]
    assert [button["text"] for button in buttons] == ["1/2", "x₂", "deux"]
    tap = one.telegram.callback_update(
        CHAT, buttons[2]["callback_data"], message_id=asked.message_id
    )
    await one.post(tap)
    assert "Une pour chaque signe." in (await one.told(4))[3]
    [[chosen]] = one.telegram.messages(CHAT)[2].buttons
    assert chosen["text"] == "✅ deux"
