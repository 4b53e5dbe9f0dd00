"""No byte that leaves the process tells the answer of a quiz before it is given [7.1].

The model asks quizzes in each way that a model has: a native call in many fragments behind a text
that streams, a call that is wrong at first and then comes as prose, a statement to judge. All that
people, clients and operators can ask for is asked for. What explains an answer may be nowhere in
it; and where another option is the right one, nothing may be different.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from tests.flows.street import CHAT, CLOUD, LANES, SMS, WHATSAPP, Street, open_street, run_command
from tests.support.model_endpoint import DONE, call_delta, delta, endpoint, event, stream
from tests.support.site import parse_sse

MARKS = ("Zambalou", "Wagadougalou", "Kilimandjarou")
"""Words that stand in explanations only."""
ENCOURAGED = "Courage, c'est facile."
EXPORTED = "tout ce que je garde"
END = event({"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 10}}) + DONE
QUESTION, STATEMENT = "La capitale du Mali ?", "Le Niger passe au Mali."
ASKED = (("un quiz", QUESTION, 1), ("une faute", QUESTION, 2), ("vrai ou faux", STATEMENT, 1))
"""What people say, what they are asked then, and how often by then."""

pytestmark = [pytest.mark.timeout(180)]


# The model


def ask(right: int, mark: str) -> dict[str, Any]:
    return {
        "question": QUESTION,
        "options": ["Bamako", "Dakar"],
        "correct_index": right,
        "explanation": f"Le fleuve {mark} y passe.",
    }


def judge(right: int) -> dict[str, Any]:
    told = {"statement": STATEMENT, "explanation": f"Le {MARKS[2]} le sait."}
    return {**told, "is_true": right == 0}


def called(name: str, arguments: dict[str, Any], before: str = "") -> list[bytes]:
    """A native call in pieces of three characters, behind a text."""
    written = json.dumps(arguments)
    pieces = [written[at : at + 3] for at in range(0, len(written), 3)]
    first = delta(tool_calls=[call_delta(index=0, id="call_1", name=name, arguments="")])
    rest = (delta(tool_calls=[call_delta(index=0, arguments=piece)]) for piece in pieces)
    said = (delta(content=word) for word in re.findall(r"\S+\s*", before))
    return [*said, first, *rest, delta("tool_calls") + END]


def written(name: str, arguments: dict[str, Any]) -> list[bytes]:
    """The call as prose, in small pieces."""
    prose = f'<tool_call>{{"name": "{name}", "arguments": {json.dumps(arguments)}}}</tool_call>'
    pieces = [prose[at : at + 5] for at in range(0, len(prose), 5)]
    return [*(delta(content=piece) for piece in pieces), delta("stop") + END]


def tutor(right: int) -> Callable[[web.Request], Any]:
    """A model in whose quizzes this option is the right one."""

    def answer(messages: list[dict[str, Any]]) -> list[bytes]:
        newest = messages[-1]
        if newest["role"] == "tool" and "Wrong arguments" in newest["content"]:
            return written("interactive_quiz", ask(right, MARKS[1]))
        if newest["role"] == "tool":
            return [delta(content=ENCOURAGED), delta("stop") + END]
        if "faute" in newest["content"]:
            return called("interactive_quiz", ask(right + 7, MARKS[1]))
        if "vrai" in newest["content"]:
            return called("true_false_quiz", judge(right))
        return called("interactive_quiz", ask(right, MARKS[0]), "Voici une question pour toi. ")

    async def play(request: web.Request) -> web.StreamResponse:
        pieces = answer((await request.json())["messages"])
        return await stream(*pieces, pause=0.02)(request)

    return play


# What the world hears


async def hear_before(street: Street) -> list[str]:
    """All that leaves the process while no quiz is answered."""
    await street.log_in()
    for message, asked, times in ASKED:
        await street.say(message)
        await street.told(asked, times)
    await street.say("/export")
    await street.told(EXPORTED)
    return [*await ask_around(street), *heard(street)]


async def ask_around(street: Street) -> list[str]:
    """Ask over the wire what clients may; what operators ask, and the log, are the result."""
    for path in sorted(set(re.findall(r"/files/[A-Za-z0-9_.~%-]+", "".join(heard(street))))):
        await street.request("GET", path)
    paths = ("sessions/web/events", "me", "progress", "files")
    for path in (*(f"/api/v1/{each}" for each in paths), "/metrics", "/readyz"):
        await street.request("GET", path)
    commands = [*(("events", lane, "--json") for lane in LANES), ("events", "web")]
    said = [await run_command(street, *each) for each in (*commands, ("turns", "list", "--json"))]
    return [*said, *street.node.log.splitlines()]


def heard(street: Street) -> list[str]:
    return [each.text for each in street.wire.heard]


async def answer(street: Street) -> None:
    """Each of the five chooses the first option of the newest quiz."""
    [*_, asked] = [each for each in street.telegram.messages(CHAT) if each.buttons]
    token = asked.buttons[0][0]["callback_data"]
    await street.post(street.telegram.callback_update(CHAT, token, message_id=asked.message_id))
    [*_, options] = [each.options for each in street.twilio.chat(WHATSAPP) if each.options]
    await street.twilio.tap(WHATSAPP, options[0].title)
    await street.twilio.say(SMS, "1")
    [*_, options] = [each.options for each in street.cloud.chat(CLOUD.lstrip("+")) if each.options]
    await street.cloud.deliver(street.cloud.tap(CLOUD.lstrip("+"), options[0].title))
    events = [each for stream in street.streamed for each in parse_sse(stream)]
    [*_, quiz] = [fields["id"] for name, fields in events if name == "quiz"]
    path = f"/api/v1/quizzes/{quiz}/answer"
    street.streamed.append(await street.request("POST", path, json={"index": 0}))


async def live(right: int, database_url: str, folder: Path) -> tuple[list[str], str]:
    """All that was heard before any answer, and what came after the answers."""
    await asyncio.to_thread(folder.mkdir)
    async with (
        endpoint(tutor(right)) as model,
        open_street(model.url, database_url, folder) as street,
    ):
        before = await hear_before(street)
        count = len(street.wire.heard)
        await answer(street)
        await street.told(MARKS[2])
        return before, "\n".join(heard(street)[count:])


async def test_nothing_tells_the_answer_of_a_quiz_before_it_is_given(
    make_sqlite: Callable[[], str], tmp_path: Path
) -> None:
    before, after = await live(0, make_sqlite(), tmp_path / "first")
    other_before, other_after = await live(1, make_sqlite(), tmp_path / "second")
    for told in (*before, *other_before):
        assert [mark for mark in MARKS if mark in told] == [], told
    assert MARKS[2] in after
    assert MARKS[2] in other_after
    assert alike(before) ^ alike(other_before) == set()
    assert alike([after]) != alike([other_after])


_OF_CHANCE = re.compile(
    r"/files/[\w.~%-]\S*|\d{4}-\d\d-\d\dT\S*|[A-Za-z0-9_+/=-]{16,}|\d+[.:]\d+\S*|\d{3,}|\b\d+ m?s\b"
)
"""Ids, tokens, times, numbers of many digits: what no two runs share."""
_CUT = re.compile(r'"}\s+event: content\s+data: {"text":"')
"""Between two pieces of one text, which is cut as the network likes."""


def alike(told: list[str]) -> set[str]:
    """Lines, without what chance and time make of them: which of the five comes last in a list;
    drafts show what there is at the time, and a slow machine leaves a preview unanswered now and
    then, or tells that a tool takes its time."""
    lasting = (each for each in told if "sendMessageDraft" not in each and "no answer" not in each)
    lines = (line for each in lasting for line in _CUT.sub("", each).splitlines())
    timeless = (line for line in lines if "tool_progress" not in line and "elapsed_s" not in line)
    return {_OF_CHANCE.sub("#", line).rstrip(",") for line in timeless}
