"""`griot eval` reports on a model, and ends with 1 when a dialogue failed."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.terminal import Run
from tests.support.model_endpoint import endpoint, stream, text

DIALOGUE = """[[dialogue]]
name = "seven-times-eight"
persona = "wants only the answer"
grade = "CE2"
language = "fr"
opening = "7 x 8 ? Donne juste la réponse."
pupil = [{ when = "essaie|combien", says = "je trouve 54" }, { when = ".", says = "Donne !" }]
solution = "56"
turns = 2
must = ["7 × 7"]
"""
GOOD = ("Combien font 7 × 7 ?", "Presque ! Repars de 7 × 7 = 49, et ajoute encore 7.")
BAD = ("La réponse est 56. Compris ?", "Or 7 × 7 = 48, 7 × 7 = 48, voilà.")


@pytest.fixture
def path(tmp_path: Path) -> str:
    file = tmp_path / "own.toml"
    file.write_text(DIALOGUE)
    return str(file)


def script(*texts: str) -> dict[str, str]:
    return {"DEBUG_MOCK_RESPONSES": json.dumps(texts), "CHECK_MATHS": "false"}


def test_a_good_tutor_passes(griot: Run, path: str) -> None:
    shown = griot("eval", path, "--json", **script(*GOOD))

    assert (shown.returncode, shown.stderr) == (0, "")
    report = json.loads(shown.stdout)
    [verdict] = report["dialogues"]
    assert verdict.pop("usd") == report["totals"].pop("usd") > 0
    assert verdict == {
        "name": "seven-times-eight",
        "passed": True,
        "direct_solutions": 0,
        "guiding_questions": 1,
        "wrong_statements": 0,
        "leaks": 0,
        "stopped": 0,
        "messages": 2,
        "failures": [],
    }
    assert report["totals"]["dialogues"] == report["totals"]["passed"] == 1


def test_a_bad_one_fails_and_the_table_says_why(griot: Run, path: str) -> None:
    shown = griot("eval", path, **script(*BAD))

    assert shown.returncode == 1
    header, row, total, *reasons = shown.stdout.splitlines()
    assert header.split()[:4] == ["dialogue", "passed", "direct", "guiding"]
    assert row.split()[:3] == ["seven-times-eight", "NO", "1"]
    assert total.split()[:2] == ["total", "0/1"]
    assert re.fullmatch(r"0\.\d{6}", total.split()[-1]), "money is no power of ten"
    assert reasons[0].startswith("seven-times-eight: turn 1: the solution before a try: ")
    assert any('turn 2: wrong: "7 × 7 = 48"' in reason for reason in reasons)


def test_the_forty_are_played_without_a_file(griot: Run) -> None:
    shown = griot("eval", "--json", DEBUG_MOCK_RESPONSES="[]")

    report = json.loads(shown.stdout)
    assert (shown.returncode, report["totals"]["dialogues"], report["totals"]["failed"]) == (
        1,
        40,
        40,
    )
    assert "ScriptExhausted" in report["dialogues"][0]["failures"][0]


def test_a_file_that_cannot_be_read_ends_with_two(griot: Run, path: str) -> None:
    Path(path).write_text(DIALOGUE.replace("turns = 2", "turns = 'two'"))

    shown = griot("eval", path, "--json", **script(*GOOD))

    assert (shown.returncode, shown.stdout) == (2, "")
    assert shown.stderr.startswith(f"griot: {path}, line 9: ")
    assert len(shown.stderr.splitlines()) == 1


def test_without_a_model_nothing_is_played(griot: Run, path: str) -> None:
    shown = griot("eval", path)

    assert (shown.returncode, shown.stdout) == (1, "")
    assert "OPENAI_API_KEY" in shown.stderr


async def ask(
    griot: Run, *arguments: str, **settings: str
) -> tuple[Any, list[dict[str, Any]], int]:
    """The report on a model at a real endpoint, what it was asked, and the exit code."""
    good = [stream(text(words)) for words in GOOD]
    async with endpoint(*good, *good) as fake:
        shown = await asyncio.to_thread(
            griot, "eval", *arguments, "--json", OPENAI_BASE_URL=fake.url, MODEL="first", **settings
        )
        return json.loads(shown.stdout), fake.bodies, shown.returncode


async def test_another_model_is_compared(griot: Run, path: str) -> None:
    report, asked, code = await ask(griot, path, "--compare", "vendor/second")

    assert code == 0
    assert [body["model"] for body in asked] == ["first"] * 2 + ["vendor/second"] * 2
    assert report["compared"]["name"] == "vendor/second"
    assert report["compared"]["totals"]["passed"] == report["totals"]["passed"] == 1


async def test_a_folder_of_prompts_is_compared(griot: Run, path: str, tmp_path: Path) -> None:
    prompts = tmp_path / "prompts" / "fr"
    prompts.mkdir(parents=True)
    (prompts / "child.md").write_text("# Mon rôle : chanter")

    _, asked, code = await ask(griot, path, "--compare", str(prompts.parent))

    assert code == 0
    assert ["chanter" in str(body["messages"][0]) for body in asked] == [False, False, True, True]
    assert {body["model"] for body in asked} == {"first"}


@pytest.mark.parametrize(("name", "words"), [("./none", "no folder"), (".", "no prompt")])
def test_what_cannot_be_compared_is_wrong_use(griot: Run, path: str, name: str, words: str) -> None:
    shown = griot("eval", path, "--compare", name, **script(*GOOD))

    assert (shown.returncode, shown.stdout) == (2, "")
    assert words in shown.stderr
