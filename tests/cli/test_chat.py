from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import signal
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.cli.terminal import Run, Typist

NUMBER = "+2250701020304"
QUIZ = {
    "content": "Let us see.",
    "tool_calls": [
        {
            "name": "interactive_quiz",
            "arguments": {
                "question": "1 + 1?",
                "options": ["1", "2"],
                "correct_index": 1,
                "explanation": "One more than one.",
            },
        }
    ],
}
SHEET = {
    "tool_calls": [{"name": "generate_md", "arguments": {"filename": "fiche", "content": "#"}}]
}


def script(*entries: object) -> str:
    return json.dumps(entries)


@pytest.mark.usefixtures("on_database")
def test_each_piped_line_is_answered_in_turn_and_nothing_else_is_said(griot: Run) -> None:
    spoken = griot(
        "chat",
        typed="bonjour\n\nencore\n/help\n",
        DEBUG_MOCK_RESPONSES=script("**Un** \x1b[31m", "Deux"),
        SECRET_KEY="",
        LANG="en_GB.UTF-8",
    )

    assert (spoken.returncode, spoken.stderr) == (0, "")
    assert spoken.stdout.startswith("Un [31m\nDeux\nWrite to me as to a friend.")


def test_a_quiz_is_answered_by_its_letter_and_a_file_is_put_beside(griot: Run) -> None:
    griot("credits", "grant", NUMBER, "1")

    spoken = griot(
        "chat",
        "--as",
        NUMBER,
        typed="quiz\nb\nfiche\n",
        DEBUG_MOCK_RESPONSES=script(QUIZ, "Good luck.", SHEET, "Voilà."),
    )

    asked, _, rest = spoken.stdout.partition("✅")
    assert asked == "Let us see.\nGood luck.\n1 + 1?\n1) 1\n2) 2\n"
    assert "One more than one." in rest
    name, _, path = rest.splitlines()[-1].partition(": ")
    assert (name, Path(path).read_text().strip()) == ("fiche.md", "#")


def test_a_failed_answer_is_told_in_one_line(griot: Run) -> None:
    spoken = griot("chat", typed="bonjour\n", DEBUG_MOCK_RESPONSES="[]")

    assert spoken.returncode == 1
    assert spoken.stderr.startswith("griot: turn 1: ScriptExhausted")
    assert len(spoken.stderr.splitlines()) == 1


def test_a_database_that_another_process_runs_on_is_left_alone(griot: Run, tmp_path: Path) -> None:
    griot("people", "token", NUMBER)
    before = griot("people", "show", NUMBER).stdout
    with (tmp_path / "console.db.worker.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)

        refused = griot(
            "chat", "--as", NUMBER, typed="bonjour\n", DEBUG_MOCK_RESPONSES=script("Un")
        )

    assert (refused.returncode, refused.stdout) == (1, "")
    assert "another griot process already runs on" in refused.stderr
    assert griot("people", "show", NUMBER).stdout == before


def test_nobody_can_be_impersonated_who_has_no_account(griot: Run) -> None:
    refused = griot("chat", "--as", NUMBER, DEBUG_MOCK_RESPONSES=script("Un"))

    assert (refused.returncode, refused.stderr) == (
        1,
        f"griot: Nobody has the number, user id or account id {NUMBER}. An account is made by: "
        f"griot people token {NUMBER}\n",
    )


def test_without_a_model_it_says_so_before_it_asks_one(griot: Run) -> None:
    refused = griot("chat", typed="bonjour\n", LANG="en_GB.UTF-8")
    french = griot("chat", typed="bonjour\n", LANG="fr_CI.UTF-8")

    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.startswith(
        "griot: There is no model to ask: OPENAI_API_KEY is not set. Set it up with: griot init\n"
    )
    assert "Il n’y a pas de modèle" in french.stderr


# On a terminal ----------------------------------------------------------------------------------


@asynccontextmanager
async def endless_model() -> AsyncIterator[str]:
    """An endpoint that begins every answer and ends none; its base URL."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        chunk = {"choices": [{"index": 0, "delta": {"content": "Il etait une fois"}}]}
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
        writer.write(b"data: %s\n\n" % json.dumps(chunk).encode())
        await reader.read()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    finally:
        server.close()


async def test_ctrl_c_stops_the_answer_and_ctrl_d_ends(typist: Callable[..., Typist]) -> None:
    async with endless_model() as url:
        terminal = typist("chat", OPENAI_BASE_URL=url, LANG="en_GB.UTF-8")
        await terminal.see("› ")
        terminal.type("raconte\n")
        await terminal.see("Il etait une fois")
        terminal.process.send_signal(signal.SIGINT)
        await terminal.see("Stopped.")
        await terminal.see("› ")
        terminal.process.send_signal(signal.SIGINT)
        await terminal.see("Ctrl-D ends")
        terminal.type("\x04")

        assert await asyncio.to_thread(terminal.process.wait, 10) == 0


async def test_without_a_model_a_person_may_set_one_up_or_leave(
    typist: Callable[..., Typist],
) -> None:
    terminal = typist("chat", LANG="en_GB.UTF-8")
    await terminal.see("There is no model to ask")
    await terminal.see("Set up Griot now (griot init)")
    await terminal.see("Leave")
    await terminal.see("Your choice")
    for _ in range(10):  # one that comes just before readline waits is seen at the next key only
        terminal.process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            ended = await asyncio.to_thread(terminal.process.wait, 1)
            assert ended in {130, -signal.SIGINT}  # a second one may meet it while it leaves
            return
    pytest.fail("Ctrl-C does not end it")
