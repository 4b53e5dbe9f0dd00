"""A typed answer stands for a button."""

from __future__ import annotations

from functools import partial
from typing import Any

import msgspec
import pytest

from bot.contracts.storage import Database
from bot.gateway.deliveries import Composed
from bot.gateway.inbound.inbox import Inbox
from bot.gateway.open_questions import (
    end_question,
    forget_answered,
    forget_exercise,
    note_options_listed,
    read_answer,
)
from bot.gateway.outbox_rows import store_deliveries
from bot.messages.incoming import Command, Said, Tapped, Update
from bot.messages.outgoing import (
    Acknowledge,
    AskExercise,
    Body,
    Button,
    FileBody,
    ShareFile,
    TextBody,
)
from bot.messages.value import decode
from bot.storage.buttons import keep_buttons
from tests.support.app import update
from tests.support.queries import read_rows

CITIES = tuple(Button(label, f"t{n}") for n, label in enumerate(("Bamako", "Dakar", "Abidjan")))
NUMBERS = tuple(Button(label, f"t{n}") for n, label in enumerate(("3", "4", "1")))


def _question(choices: tuple[Button, ...], *, numbered: bool = True, is_quiz: bool = False) -> str:
    question = {"choices": choices, "numbered": numbered, "is_quiz": is_quiz}
    return msgspec.json.encode(question).decode()


@pytest.mark.parametrize(
    ("text", "token"),
    [
        ("2", "t1"),
        (" 2) ", "t1"),
        ("B", "t1"),
        ("b)", "t1"),
        ("(c)", "t2"),
        ("a.", "t0"),
        ("dakar", "t1"),
        ("Dakar !", "t1"),
        ("euh B", "t1"),
        ("c'est la B", "t1"),
        ("C’est B !", "t1"),
        ("je choisis b stp", "t1"),
        ("la lettre B", "t1"),
        ("le 2", "t1"),
        ("je pense que c'est Dakar 😊", "t1"),
        ("*Dakar*", "t1"),
        ("c'est dans la B", ""),
        ("4", ""),
        ("0", ""),
        ("d", ""),
        ("22", ""),
        ("Dakar or Bamako?", ""),
        ("²", ""),
        ("", ""),
        ("B" * 300, ""),
    ],
)
def test_what_counts_as_an_answer(text: str, token: str) -> None:
    assert read_answer(Said(text), _question(CITIES)) == token


@pytest.mark.parametrize(("text", "token"), [("Encore !", "t0"), ("encore une", ""), ("une", "")])
def test_the_first_word_asks_for_more(text: str, token: str) -> None:
    offered = (Button("Encore une série", "t0"), Button("Progrès", "t1"))
    assert read_answer(Said(text), _question(offered)) == token


def test_accents_may_be_left_out() -> None:
    choices = (Button("Été", "t0"), Button("Forêt", "t1"))
    assert read_answer(Said("foret"), _question(choices)) == "t1"


def test_of_labels_that_differ_by_an_accent_the_exact_spelling_wins() -> None:
    choices = (Button("lançons", "t0"), Button("lancons", "t1"))
    assert read_answer(Said("lancons"), _question(choices)) == "t1"
    assert read_answer(Said("lançons"), _question(choices, numbered=False)) == "t0"


@pytest.mark.parametrize(
    ("text", "labels", "token"),
    [
        ("la première", ("Bamako", "Dakar", "Abidjan"), "t0"),
        ("la deuxième réponse", ("Bamako", "Dakar", "Abidjan"), "t1"),
        ("abijan", ("Bamako", "Dakar", "Abidjan"), "t2"),
        ("V", ("Vrai", "Faux"), "t0"),
        ("F", ("Vrai", "Faux"), "t1"),
        ("non", ("Vrai", "Faux"), "t1"),
        ("oui", ("True", "False"), "t0"),
        ("t", ("True", "False"), "t0"),
        ("pourquoi Dakar ?", ("Bamako", "Dakar", "Abidjan"), ""),
        ("je ne comprends pas", ("Vrai", "Faux"), ""),
    ],
)
def test_a_quiz_is_answered_in_the_words_of_an_exercise(
    text: str, labels: tuple[str, ...], token: str
) -> None:
    choices = tuple(Button(label, f"t{n}") for n, label in enumerate(labels))
    assert read_answer(Said(text), _question(choices, is_quiz=True)) == token
    assert read_answer(Said(text), _question(choices)) == ""


def test_a_word_that_is_an_option_is_no_letter() -> None:
    choices = (Button("as", "t0"), Button("a", "t1"))
    assert read_answer(Said("c'est a"), _question(choices, numbered=False)) == "t1"


def test_under_numbered_lines_a_number_is_a_line_and_on_buttons_it_is_a_text() -> None:
    assert read_answer(Said("1"), _question(NUMBERS)) == "t0"
    assert read_answer(Said("1"), _question(NUMBERS, numbered=False)) == "t2"
    assert read_answer(Said("4"), _question(NUMBERS)) == "t1"


async def _post(turn: int, composed: Composed, tx: Any) -> None:
    await store_deliveries(tx, "telegram:1", turn, composed)


async def _asked(database: Database) -> None:
    async def work(tx: Any) -> None:
        await store_deliveries(tx, "telegram:1", 1, Composed([TextBody("Which?", choices=CITIES)]))

    await Inbox(database).store([update("quiz me")])
    await database.write(work)


async def _contents(database: Database) -> list[Any]:
    rows = await read_rows(database, "inbox")
    return [(decode(row["body"], Update).content, row["bypass_queue"]) for row in rows]


async def test_it_is_a_tap_from_the_moment_it_is_stored(database: Database) -> None:
    await _asked(database)
    await Inbox(database).store([update("b")])
    assert (await _contents(database))[-1] == (Tapped("t1"), 1)


async def test_once_it_is_answered_the_same_word_is_only_a_word(database: Database) -> None:
    await _asked(database)

    async def work(tx: Any) -> None:
        await end_question(tx, "telegram:1")

    await database.write(work)
    await Inbox(database).store([update("b")])
    assert (await _contents(database))[-1] == (Said("b"), 0)


def _lines(*bodies: str | Body) -> Composed:
    return Composed([TextBody(body) if isinstance(body, str) else body for body in bodies])


@pytest.mark.parametrize(
    "later",
    [
        _lines("Shall we go on?"),
        _lines("Continuons, tu veux ? 😊"),
        _lines("Well done.", "Which chapter is next?"),
        _lines("Which one?", FileBody(ShareFile("f1", "a.pdf", "application/pdf", 1))),
        _lines("x" * 5000 + " Do you see?"),
    ],
)
async def test_after_a_later_question_a_short_answer_is_to_that(
    database: Database, later: Composed
) -> None:
    await _asked(database)
    await database.write(partial(_post, 2, later))
    await Inbox(database).store([update("b")])
    assert (await _contents(database))[-1] == (Said("b"), 0)


@pytest.mark.parametrize(
    "later",
    [
        _lines("Take your time."),
        _lines("Remember the rule? You learnt it last week, when we spoke of rivers and capitals."),
        _lines("Ready?", "Then choose one of the three above."),
        _lines(),
        _lines(Acknowledge("c1", "Which?")),
        _lines(FileBody(ShareFile("f1", "what?.pdf", "application/pdf", 1, caption="What?"))),
    ],
)
async def test_what_asks_nothing_leaves_the_options_open(
    database: Database, later: Composed
) -> None:
    await _asked(database)
    await database.write(partial(_post, 2, later))
    await Inbox(database).store([update("b")])
    assert (await _contents(database))[-1] == (Tapped("t1"), 1)


async def test_new_options_take_the_place_of_the_old_ones(database: Database) -> None:
    await _asked(database)
    others = Composed([TextBody("How many?", choices=NUMBERS)])
    await database.write(partial(_post, 2, others))
    await Inbox(database).store([update("Dakar"), update("4")])
    assert [content for content, _ in (await _contents(database))[-2:]] == [
        Said("Dakar"),
        Tapped("t1"),
    ]


async def test_a_question_beside_its_options_does_not_hide_them(database: Database) -> None:
    """Whichever comes first: it is the one question of this turn."""
    await Inbox(database).store([update("quiz me")])
    asked = TextBody("Which?", choices=CITIES)
    for turn, texts in enumerate([("Ready?", asked), (asked, "Well?")]):
        await database.write(partial(_post, turn, _lines(*texts)))
        await Inbox(database).store([update("b")])
        assert (await _contents(database))[-1] == (Tapped("t1"), 1)


async def test_elsewhere_a_question_changes_nothing_here(database: Database) -> None:
    await _asked(database)
    await Inbox(database).store([update("hello", chat="2")])
    await database.write(lambda tx: store_deliveries(tx, "telegram:2", 2, _lines("What is it?")))
    await Inbox(database).store([update("b")])
    assert (await _contents(database))[-1] == (Tapped("t1"), 1)


async def test_in_a_group_a_letter_is_talk(database: Database) -> None:
    await _asked(database)
    await Inbox(database).store([msgspec.structs.replace(update("b"), group=True)])
    assert (await _contents(database))[-1][0] == Said("b")


# Buttons that show no number and no letter ----------------------------------------------------

REMINDER = tuple(Button(label, f"r{n}") for n, label in enumerate(("Done", "In 1 hour")))
LANGUAGES = tuple(Button(label, f"l{n}") for n, label in enumerate(("Français", "English")))
LETTERS = tuple(Button(letter, city.token) for letter, city in zip("ABC", CITIES, strict=True))


def _buttons(text: str, choices: tuple[Button, ...]) -> TextBody:
    return TextBody(text, buttons=tuple((each,) for each in choices), choices=choices)


async def _offer(database: Database, *bodies: TextBody, quiz: tuple[Button, ...] = ()) -> None:
    """Send these, of which the `quiz` buttons are answers and all others are commands."""
    answers = {each.token: {"quiz": "q"} for each in quiz}

    async def work(tx: Any) -> None:
        await keep_buttons(tx, "telegram:1", "1", answers)
        for turn, body in enumerate(bodies, 1):
            await store_deliveries(tx, "telegram:1", turn, Composed([body]))

    await Inbox(database).store([update("hello")])
    await database.write(work)


async def _read(database: Database, text: str) -> Any:
    await Inbox(database).store([update(text)])
    return (await _contents(database))[-1][0]


@pytest.mark.parametrize("typed", ["2", "b", "B)", "c'est la 2"])
async def test_a_number_names_no_button_that_shows_none(database: Database, typed: str) -> None:
    await _offer(database, _buttons("Which language?", LANGUAGES))
    assert await _read(database, typed) == Said(typed)
    assert await _read(database, "english") == Tapped("l1")


async def test_a_letter_names_a_button_that_shows_it(database: Database) -> None:
    rows = tuple((each,) for each in LETTERS)
    await _offer(database, TextBody("Which? A) Bamako …", buttons=rows, choices=CITIES))
    assert await _read(database, "2") == Tapped("t1")


@pytest.mark.parametrize(
    ("typed", "token"), [("2", "t1"), ("c", "t2"), ("Dakar", "t1"), ("done", "r0")]
)
async def test_a_reminder_by_buttons_leaves_the_quiz_before_it_open(
    database: Database, typed: str, token: str
) -> None:
    quiz = _buttons("Which?", CITIES)
    reminders = [_buttons("Reminder", REMINDER), _buttons("Your language?", LANGUAGES)]
    await _offer(database, quiz, *reversed(reminders), quiz=CITIES)
    assert await _read(database, typed) == Tapped(token)


async def test_a_reminder_with_numbers_takes_the_number(database: Database) -> None:
    await _offer(
        database, _buttons("Which?", CITIES), TextBody("1) Done", choices=REMINDER), quiz=CITIES
    )
    assert await _read(database, "2") == Tapped("r1")
    assert await _read(database, "Dakar") == Said("Dakar")


@pytest.mark.parametrize(
    ("chosen", "typed", "left"), [("r0", "je crois que la 2e", "t1"), ("t0", "Done", "r0")]
)
async def test_an_answer_to_one_leaves_the_other_open(
    database: Database, chosen: str, typed: str, left: str
) -> None:
    await _offer(database, _buttons("Which?", CITIES), _buttons("Reminder", REMINDER), quiz=CITIES)
    await database.write(lambda tx: forget_answered(tx, "telegram:1", chosen))
    assert await _read(database, typed) == Tapped(left)
    await database.write(lambda tx: forget_answered(tx, "telegram:1", left))
    assert await _read(database, typed) == Said(typed)


async def test_buttons_that_were_sent_as_lines_are_named_by_numbers(database: Database) -> None:
    offered = _buttons("Which language?", LANGUAGES)
    await _offer(database, offered)
    await database.write(lambda tx: note_options_listed(tx, "telegram:1", offered))
    assert await _read(database, "2") == Tapped("l1")


async def test_lines_of_an_earlier_message_change_nothing(database: Database) -> None:
    offered = _buttons("Which language?", LANGUAGES)
    await _offer(database, offered, _buttons("Reminder", REMINDER))
    await database.write(lambda tx: note_options_listed(tx, "telegram:1", offered))
    assert await _read(database, "2") == Said("2")


# After the answer -----------------------------------------------------------------------------


async def _answer(database: Database, *, exercise: AskExercise | None = None) -> None:
    """Ask a quiz, or an exercise with options, and answer it by its first one."""
    asked = TextBody("Which?", choices=CITIES, exercise=exercise)
    await _offer(database, asked, quiz=() if exercise else CITIES)
    await database.write(lambda tx: forget_answered(tx, "telegram:1", "t0"))


@pytest.mark.parametrize("typed", ["2", "b)", "c'est la B", "je pense que c'est Dakar"])
async def test_a_second_answer_is_a_tap_too(database: Database, typed: str) -> None:
    await _answer(database)
    assert await _read(database, typed) == Tapped("t1")
    await database.write(lambda tx: forget_answered(tx, "telegram:1", "t1"))
    assert await _read(database, typed) == Tapped("t1")


@pytest.mark.parametrize("typed", ["Dakar ?", "Dakar est loin", "4", "la première"])
async def test_other_words_after_the_answer_are_for_the_tutor(
    database: Database, typed: str
) -> None:
    await _answer(database)
    assert await _read(database, typed) == Said(typed)


async def test_after_a_choice_ends_its_options_are_no_words(database: Database) -> None:
    asked = AskExercise("e1", "Which?", "choice", 0.0)
    await _answer(database, exercise=asked)
    await database.write(lambda tx: forget_exercise(tx, "telegram:1"))
    assert await _read(database, "2") == Tapped("t1")


@pytest.mark.parametrize("typed", ["oui", "No", "Yes!"])
async def test_yes_and_no_after_the_answer_are_words(database: Database, typed: str) -> None:
    """Such as to the question whether to go on."""
    options = tuple(Button(label, f"t{n}") for n, label in enumerate(("Oui", "No", "Yes")))
    await _offer(database, TextBody("Which?", choices=options), quiz=options)
    await database.write(lambda tx: forget_answered(tx, "telegram:1", "t0"))
    assert await _read(database, typed) == Said(typed)


async def test_a_command_after_the_answer_is_one(database: Database) -> None:
    options = tuple(Button(label, f"t{n}") for n, label in enumerate(("Solde", "Vente")))
    await _offer(database, TextBody("Which?", choices=options), quiz=options)
    await database.write(lambda tx: forget_answered(tx, "telegram:1", "t1"))
    typed = Said("Solde", command=Command("balance"))
    await Inbox(database).store([update(typed)])
    assert (await _contents(database))[-1][0] == typed


@pytest.mark.parametrize("later", [_lines("Choose A or B."), _lines("What is 1 + 1?")])
async def test_what_the_tutor_says_next_ends_the_answered_quiz(
    database: Database, later: Composed
) -> None:
    await _answer(database)
    await database.write(partial(_post, 9, later))
    assert await _read(database, "b") == Said("b")


async def test_buttons_under_the_verdict_leave_it_answered(database: Database) -> None:
    await _answer(database)
    more = Composed([_buttons("Not quite.", (Button("Another question", "r0"),))])
    await database.write(lambda tx: store_deliveries(tx, "telegram:1", 9, more, by_model=False))
    assert await _read(database, "2") == Tapped("t1")
    assert await _read(database, "another question") == Tapped("r0")
