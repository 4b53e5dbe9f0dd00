"""What is shown of an answer while it is being written: never more than was inspected."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

import pytest

from bot.agent.stream_gate import StreamGate, find_whole_lines
from bot.contracts.turn import Objection
from bot.events import Content, Event, Thinking, ToolProgress
from bot.maths.checker import may_begin_maths
from tests.support.guardrails import WordGuardrail


class Screen:
    def __init__(self, rule: WordGuardrail | None, pause: float = 0.0) -> None:
        self.events: list[Event] = []
        self.gate = StreamGate(self.events.append, rule, pause=pause)

    @property
    def shown(self) -> str:
        return "".join(event.text for event in self.events if isinstance(event, Content))

    async def say(self, *pieces: str, separator: str = "") -> None:
        self.gate.begin(separator)
        for piece in pieces:
            self.gate(Content(piece))
            for _ in range(4):
                await asyncio.sleep(0)


@pytest.fixture
def screen() -> Screen:
    return Screen(WordGuardrail())


async def test_words_pass_as_they_come(screen: Screen) -> None:
    await screen.say("Bon", "jour ", "à toi")
    assert [event.text for event in screen.events if isinstance(event, Content)] == [
        "Bon",
        "jour ",
        "à toi",
    ]


async def test_a_line_with_numbers_waits_until_it_is_whole(screen: Screen) -> None:
    await screen.say("Donc ", "3 + 4", " = 7")
    assert screen.shown == "Donc "
    await screen.gate.release()
    assert screen.shown == "Donc 3 + 4 = 7"


async def test_a_whole_line_that_passed_is_shown_at_once(screen: Screen) -> None:
    await screen.say("3 + 4 = 7\n", "Et main")
    assert screen.shown == "3 + 4 = 7\nEt main"


async def test_nothing_after_an_objection_is_shown(screen: Screen) -> None:
    await screen.say("Voici\n", "WRONG 1\n", "La suite\n")
    assert screen.shown == "Voici\n"
    await screen.gate.drop()
    assert screen.shown == "Voici\n"


async def test_the_next_reply_does_not_repeat_what_was_shown(screen: Screen) -> None:
    await screen.say("Voici\n", "WRONG 1\n")
    await screen.gate.drop()
    await screen.say("Voici\n", "juste 1\n")
    await screen.gate.release()
    assert screen.shown == "Voici\njuste 1\n"


async def test_another_beginning_is_set_apart(screen: Screen) -> None:
    await screen.say("Voici\n", "WRONG 1\n")
    await screen.gate.drop()
    await screen.say("Reprenons : ", "juste")
    await screen.gate.release()
    assert screen.shown == "Voici\n\n\nReprenons : juste"


async def test_what_is_said_instead_follows_what_was_shown(screen: Screen) -> None:
    await screen.say("Voici\n", "WRONG 1\n", "Fin")
    await screen.gate.drop("Voici\nFin")
    assert screen.shown == "Voici\nFin"


@pytest.mark.parametrize(
    ("begun", "closed"),
    [
        ("Voici :\n```python\nx = input()\n", "```\n\n"),
        ("~~~\n```\nx", "\n~~~\n\n"),
        ("```\nx\n```\nPuis :\n", "\n\n"),
    ],
)
async def test_what_is_said_instead_is_not_in_the_code_that_was_begun(
    screen: Screen, begun: str, closed: str
) -> None:
    await screen.say(begun, "WRONG 7\n", "```\n")
    await screen.gate.drop("Cherche encore.")
    assert screen.shown == f"{begun}{closed}Cherche encore."


async def test_a_separator_stands_before_the_first_words(screen: Screen) -> None:
    await screen.say("Un ", "deux", separator="\n\n")
    assert screen.shown == "\n\nUn deux"


async def test_a_line_that_waits_is_a_sign_of_life(screen: Screen) -> None:
    await screen.say("1", "2")
    assert len(screen.events) == 2
    assert screen.shown == ""


async def test_other_events_pass(screen: Screen) -> None:
    screen.gate.begin("")
    screen.gate(Thinking("hm"))
    screen.gate(ToolProgress("c", "generate_md", delta="text"))
    assert len(screen.events) == 2


async def test_arguments_and_thoughts_are_not_shown_while_there_is_a_secret() -> None:
    screen = Screen(WordGuardrail(keeps_secrets=True))
    screen.gate.begin("")
    screen.gate(Thinking("It is 56."))
    screen.gate(ToolProgress("c", "generate_md", delta="text"))
    screen.gate(ToolProgress("c", "generate_md", elapsed_s=2.0))
    assert screen.events == [ToolProgress("c", "generate_md", elapsed_s=2.0)]


async def test_text_that_was_a_thought_is_not_shown_any_more(screen: Screen) -> None:
    await screen.say("Il pense ", "3 + 4 = 7")
    screen.gate(Thinking("Il pense 3 + 4 = 7", replaces_content=True))
    screen.gate(Content("À toi"))
    await screen.gate.release()
    assert screen.shown == "Il pense \n\nÀ toi"
    [thought] = [event for event in screen.events if isinstance(event, Thinking)]
    assert thought.replaces_content


async def test_a_thought_that_was_held_back_leaves_no_trace() -> None:
    screen = Screen(WordGuardrail(keeps_secrets=True))
    await screen.say("SECRET 1236\n", "mais chut.\n")
    screen.gate(Thinking("SECRET 1236\nmais chut.\n", replaces_content=True))
    screen.gate(Content("Commence par isoler x.\n"))
    await screen.gate.release()
    assert screen.shown == "Commence par isoler x.\n"


async def test_what_was_wrong_in_a_thought_stops_nothing(screen: Screen) -> None:
    await screen.say("WRONG 1\n")
    screen.gate(Thinking("WRONG 1\n", replaces_content=True))
    for piece in ("juste 1\n", "Et main"):
        screen.gate(Content(piece))
        await asyncio.sleep(0.01)
    assert screen.shown == "juste 1\nEt main"


async def test_arguments_are_shown_until_they_need_inspection(screen: Screen) -> None:
    screen.gate.begin("")
    for piece in ("Les ", "tables", " : 6 ", "× 7 = 43", " et fin"):
        screen.gate(ToolProgress("c", "generate_md", delta=piece))
    screen.gate(ToolProgress("d", "generate_md", delta="autre"))
    shown = [event.delta for event in screen.events if isinstance(event, ToolProgress)]
    assert shown == ["Les ", "tables", "autre"]


@pytest.mark.parametrize(
    ("pieces", "shown"),
    [
        (("# Titre\\n\\nUn ", 'mot \\"dit\\".'), 2),
        (("# Titre\\", "nUn mot \\u00", "e9crit.", " \\ud83d\\ude00 Fin."), 4),
        (("Donc \\\\", "frac"), 0),
        (("Cela \\u00e9g", "ale six."), 1),
    ],
    ids=["lines", "cut", "formula", "word"],
)
async def test_escapes_in_arguments_are_no_maths(pieces: Sequence[str], shown: int) -> None:
    """The arguments are JSON, in which each new line has a backslash."""

    class MathsGuardrail(WordGuardrail):
        def is_harmless(self, text: str) -> bool:
            return not may_begin_maths(text)

    screen = Screen(MathsGuardrail())
    screen.gate.begin("")
    for piece in pieces:
        screen.gate(ToolProgress("c", "generate_md", delta=piece))
    deltas = [event.delta for event in screen.events if isinstance(event, ToolProgress)]
    assert deltas == [*pieces[:shown]]


@pytest.mark.parametrize(
    "pieces",
    [
        ("Voici.\n$$\n", "6 \\times 7 WRONG\n", "$$\n"),
        ("Voici.\n\\[\n", "6 \\times 7 WRONG\n", "\\]\n"),
        ("$$\n\\begin{aligned}\n", "6 &= 42 \\\\\n", "&WRONG\n", "\\end{aligned}\n$$\n"),
        ("Donc.\n6 × 7\n", "= 43 WRONG\n"),
    ],
)
async def test_a_statement_over_lines_is_inspected_whole(pieces: tuple[str, ...]) -> None:
    class Whole(WordGuardrail):
        async def inspect(self, text: str) -> Sequence[Objection]:
            return await super().inspect(text if text == "".join(pieces) else "")

    screen = Screen(Whole())
    await screen.say(*pieces)
    assert "6" not in screen.shown
    assert "WRONG" not in screen.shown


def test_whole_lines_are_found_in_linear_time() -> None:
    began = time.process_time()
    for line in ("1" * 200_000 + ".\n", "= 1\n" * 2_000, "$$\n" * 20_000, "1.\n" * 20_000):
        find_whole_lines(line)
        find_whole_lines(f"{line}fin")
    assert time.process_time() - began < 5


async def test_signs_of_formulas_in_code_hold_nothing_back(screen: Screen) -> None:
    pieces = ("```\n$$\n```\nx = 1.\n", "fin 2.\n")
    await screen.say(*pieces)
    assert screen.shown == "".join(pieces)


async def test_without_a_preview_nothing_is_inspected_before_the_end() -> None:
    screen = Screen(None)
    await screen.say("3 + 4 = 7\n", "WRONG")
    assert screen.shown == "3 + 4 = 7\nWRONG"


async def test_however_it_is_cut_the_same_is_shown() -> None:
    text = "Un\n2 + 2 = 4\nDeux\n5 WRONG\nTrois"
    for size in range(1, len(text)):
        screen = Screen(WordGuardrail())
        await screen.say(*(text[at : at + size] for at in range(0, len(text), size)))
        assert "Un\n2 + 2 = 4\nDeux\n".startswith(screen.shown)
        await screen.gate.drop("Un\n2 + 2 = 4\nDeux\nTrois")
        assert screen.shown == "Un\n2 + 2 = 4\nDeux\nTrois"


async def test_lines_are_inspected_together_after_a_pause() -> None:
    rule = WordGuardrail()
    screen = Screen(rule, pause=0.5)
    await screen.say("1.\n", "2.\n")
    assert rule.inspected == []
    async with asyncio.timeout(20):
        while screen.shown != "1.\n2.\n":
            await asyncio.sleep(0.01)
        for piece in ("3.\n", "4.\n"):
            screen.gate(Content(piece))
        while screen.shown != "1.\n2.\n3.\n4.\n":
            await asyncio.sleep(0.01)
    assert len(rule.inspected) == 2


async def test_a_reply_that_arrives_at_once_is_inspected_by_its_reader_only() -> None:
    rule = WordGuardrail()
    screen = Screen(rule, pause=0.5)
    await screen.say("1.\n", "2.\n")
    await screen.gate.release()
    assert (rule.inspected, screen.shown) == ([], "1.\n2.\n")


async def test_inspections_that_take_long_come_seldom() -> None:
    class SlowGuardrail(WordGuardrail):
        async def inspect(self, text: str) -> Sequence[Objection]:
            await asyncio.sleep(0.05)
            return await super().inspect(text)

    screen = Screen(SlowGuardrail(), pause=0.01)
    await screen.say("1.\n")
    started = time.monotonic()
    async with asyncio.timeout(20):
        while screen.shown != "1.\n":
            await asyncio.sleep(0.01)
        screen.gate(Content("2.\n"))
        while screen.shown != "1.\n2.\n":
            await asyncio.sleep(0.01)
    assert time.monotonic() - started > 0.5


async def test_sentences_without_figures_pass_one_by_one() -> None:
    screen = Screen(WordGuardrail(careful="fraction"))
    await screen.say("Une ", "fraction a deux parties. ", "Le haut ", "compte ", "les parts")
    assert screen.shown == "Une fraction a deux parties. Le haut compte les parts"


async def test_a_sentence_with_a_figure_waits_for_the_end_of_its_line(screen: Screen) -> None:
    await screen.say("On a ", "3 parts. ", "Donc ", "un tiers")
    assert screen.shown == "On a "


async def test_while_there_is_a_secret_sentences_wait_for_their_line() -> None:
    screen = Screen(WordGuardrail(keeps_secrets=True, careful="Le"))
    await screen.say("Le premier est grand. ", "Le second")
    assert screen.shown == ""
