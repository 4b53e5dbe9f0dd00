"""Remember the options and the exercise asked last, and decide whether a message answers them."""

from __future__ import annotations

import re
import string
import time
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from bot.contracts.storage import Transaction
from bot.gateway.lanes import (
    note_open_exercise,
    note_open_question,
    note_question_in_words,
    read_open_question,
)
from bot.i18n import fold
from bot.learning.exercises import Exercise, OpenExercise, is_solved_by
from bot.learning.exercises import find as find_exercise
from bot.learning.grading.answer_feedback import find_step_left
from bot.learning.grading.answer_readings import strip_frame
from bot.learning.grading.exercise_grading import asks_spelling, is_answer
from bot.learning.grading.named_options import UNKNOWING, find_option
from bot.messages.incoming import Attempt, Command, Said
from bot.messages.outgoing import AskExercise, Body, Button, TextBody
from bot.messages.value import decode, encode
from bot.storage.buttons import is_exercise_button, is_quiz_button

_CLOSING_WORDS: Final = 40
"""A text with a question mark in its last so many characters is a question."""
_LONGEST_ANSWER = 200
_YES_AND_NO: Final = frozenset({"oui", "non", "yes", "no"})
_MORE: Final = frozenset({"encore", "another"})
"""First words of labels that are typed in their place, folded."""
_MARKED = re.compile(
    r"(?:(?:la |le |l['’]|the )?(?:réponse|reponse|lettre|option|numéro|numero|n°|answer|number"
    r"|letter) ?:? ?|(?:la|le) )?"
    r"[(\[]?(?:(\d{1,2})|([a-z]))[)\].:]?",
    re.IGNORECASE,
)
_CHOOSES = re.compile(
    r"(?:c['’ ]?est|je (?:choisis|prends)|i (?:choose|pick)|it['’]?s) ", re.IGNORECASE
)
_EXERCISE_COMMANDS: Final = {
    "hint": f"{UNKNOWING}|je (bloque|suis bloquee?)|(aide|aidez|help)[- ]?(moi|me)"
    "|(donne([- ]moi)? |je veux |encore )?(un( autre)? |l.)indice|(give me )?(a|another) hint",
    "solution": "((donne|dis|montre)([- ]moi)? |je veux |c.est quoi )?la (solution|reponse)"
    "|je donne ma langue au chat|j.abandonne"
    "|(give me |tell me |show me )?the (solution|answer)|i give up",
    "skip": "passer?|je passe|suivante?|(la |question |l.)?(exercice )?suivante?"
    "|(un |une )?autre( exercice| question)?|skip( it)?|next( one| exercise| question)?"
    "|another( one| exercise)?",
}
"""What people write, folded, in place of an answer while an exercise of a series is open."""
_HELP_WORDS: Final = {"indice": "hint", "hint": "hint", "solution": "solution"}
"""The words, folded, with which Griot tells people to ask for help with any open exercise."""
_POLITE: Final = re.compile(
    r"(,? (stp|svp|merci|monsieur|madame|please|pls|s.il (te|vous) plait))*[ .!?…]*$"
)


class OpenQuestion(msgspec.Struct, frozen=True):
    """The options that a conversation was offered last."""

    choices: tuple[Button, ...]
    numbered: bool
    """They were shown as `1) …` lines, so a number is first read as that of a line."""
    marked: bool = True
    """A number or a letter stands for each: they were listed, or are answers to a question. Other
    buttons are named by their words only."""
    is_quiz: bool = False
    """They are of a quiz, to which people answer in the same words as to an exercise."""
    is_graded: bool = False
    """They are of a quiz or an exercise, which takes one answer."""
    is_over: bool = False
    """That was given: one of them that is named alone is a second answer."""
    before: OpenQuestion | None = None
    """Marked options that were offered before these, which are not: they still wait for an
    answer."""

    def drop(self, token: str) -> OpenQuestion | None:
        """Return what is open once the question that offers `token` is answered; None: nothing."""
        if any(choice.token == token for choice in self.choices):
            return self.end()
        before = self.before.drop(token) if self.before else None
        return msgspec.structs.replace(self, before=before)

    def end(self) -> OpenQuestion | None:
        """Return what is open once this question is over; None: nothing."""
        if not self.is_graded:
            return self.before
        return msgspec.structs.replace(self, is_over=True, marked=True, before=None)

    def drop_ended(self) -> OpenQuestion | None:
        """Return this without the question that is over; None: nothing is left."""
        if self.is_over:
            return None
        before = self.before.drop_ended() if self.before else None
        return msgspec.structs.replace(self, before=before)


async def remember_question(
    tx: Transaction, lane: str, bodies: Sequence[Body], *, by_model: bool
) -> None:
    """Remember the options that the last of these deliveries offers, if any does.

    If none does, but the last text is the model's and ends in a question of its own, a short answer
    is to that question, unless it solves an exercise asked before. What was answered before a text
    of the model is forgotten.
    """
    texts = [body for body in bodies if isinstance(body, TextBody)]
    exercises = [body.exercise for body in texts if body.exercise]
    for asked in exercises:
        await remember_exercise(tx, lane, asked)
    if by_model and texts and (asked := await _read_open_question(tx, lane)):
        await _note_question(tx, lane, asked.drop_ended())
    offers = [body for body in texts if body.choices]
    for body in offers:
        await _remember_options(tx, lane, body)
    if offers or exercises or not (by_model and texts):
        return
    if "?" in texts[-1].text[-_CLOSING_WORDS:]:
        await note_question_in_words(tx, lane)


async def _remember_options(tx: Transaction, lane: str, body: TextBody) -> None:
    """Remember the options of a delivery. They take the place of those offered before, but buttons
    without numbers or letters leave a question open that is answered by one."""
    shown = {button.token: button.label for row in body.buttons for button in row}
    is_listed = any(shown.get(choice.token) != choice.label for choice in body.choices)
    token, is_exercise = body.choices[0].token, body.exercise is not None
    is_quiz = await is_quiz_button(tx, token)
    is_graded = is_quiz or is_exercise or await is_exercise_button(tx, token)
    is_marked = is_listed or is_quiz or is_exercise
    before = None if is_marked else await _read_open_question(tx, lane)
    if before and not before.marked:
        before = before.before
    question = OpenQuestion(
        body.choices, not body.buttons, is_marked, is_quiz, is_graded, before=before
    )
    await _note_question(tx, lane, question)


async def _read_open_question(tx: Transaction, lane: str) -> OpenQuestion | None:
    question = await read_open_question(tx, lane)
    return decode(question, OpenQuestion) if question else None


async def _note_question(tx: Transaction, lane: str, question: OpenQuestion | None) -> None:
    await note_open_question(tx, lane, encode(question) if question else "")


async def remember_exercise(tx: Transaction, lane: str, asked: AskExercise) -> None:
    """Remember the exercise that was asked, to recognise an answer to it later."""
    exercise = await find_exercise(tx, asked.id) if asked.kind == "text" else None
    open_one = OpenExercise(
        asked.id,
        asked.kind,
        asked.options,
        asked.unit,
        asked.expires_at,
        asked.statement,
        talk_counts=exercise is not None and exercise.talk_counts,
    )
    await note_open_exercise(tx, lane, encode(open_one))


async def forget_exercise(tx: Transaction, lane: str) -> None:
    """Note that no answer to an exercise is expected in the conversation any more."""
    await note_open_exercise(tx, lane, "")
    await end_question(tx, lane)


async def end_question(tx: Transaction, lane: str) -> None:
    """Note that the options offered last were answered, or are not to be answered any more."""
    asked = await _read_open_question(tx, lane)
    while asked and not asked.is_graded:
        asked = asked.before
    await _note_question(tx, lane, asked and asked.end())


async def forget_answered(tx: Transaction, lane: str, token: str) -> None:
    """Forget the options that `token` is one of, once it is chosen."""
    if asked := await _read_open_question(tx, lane):
        await _note_question(tx, lane, asked.drop(token))


async def note_options_listed(tx: Transaction, lane: str, body: TextBody) -> None:
    """Note that the options of a delivery were sent as lines with numbers or letters, as their
    buttons were refused; do nothing if others were offered since."""
    asked = await _read_open_question(tx, lane)
    if asked and asked.choices == body.choices:
        listed = msgspec.structs.replace(asked, marked=True, before=None)
        await _note_question(tx, lane, listed)


def first_token(question: str) -> str:
    """Return the token of the first of the options that were offered last."""
    asked: OpenQuestion = decode(question, OpenQuestion)
    return asked.choices[0].token


def read_answer(said: Said, question: str) -> str:
    """Return the token of the option that the text names; empty if it names none."""
    text = said.text.strip()
    for asked in _list_questions(said, question):
        if asked.is_over:
            continue
        if found := _find_framed(text, asked):
            return found
        if asked.is_quiz and (found := _find_as_in_exercises(text, asked.choices)):
            return found
    return ""


def read_second_answer(said: Said, question: str) -> str:
    """Return the token of the option that the text names, and says no more, of a question that was
    answered; empty if it names none. Commands do not; a question, yes and no are for the tutor."""
    text = said.text.strip()
    if "?" in text or said.command or said.forwarded or _fold_label(text) in _YES_AND_NO:
        return ""
    named = (_find_framed(text, each) for each in _list_questions(said, question) if each.is_over)
    return next(filter(None, named), "")


def _list_questions(said: Said, question: str) -> Iterator[OpenQuestion]:
    """Return the questions, the last one first, that a message may answer by its form."""
    asked = decode(question, OpenQuestion) if question else None
    while asked and 0 < len(said.text.strip()) <= _LONGEST_ANSWER and not said.attachments:
        yield asked
        asked = asked.before


def _find_framed(text: str, asked: OpenQuestion) -> str:
    """Return the token of the option that is named, in no words but those that often frame it."""
    plain = strip_frame(text)
    readings = dict.fromkeys((text, plain, _CHOOSES.sub("", plain, count=1)))
    return next(filter(None, (_find_option(each, asked) for each in readings)), "")


def _find_as_in_exercises(text: str, choices: Sequence[Button]) -> str:
    """Return the token of the option that a text names as an answer to an exercise would."""
    labels = [choice.label for choice in choices]
    place = find_option(text, labels) if is_answer(text, "choice", labels, "") else None
    return "" if place is None else choices[place].token


def _find_option(text: str, asked: OpenQuestion) -> str:
    by_label = _by_label(text, asked.choices)
    by_mark = _by_mark(text, asked.choices) if asked.marked else ""
    return by_mark or by_label if asked.numbered else by_label or by_mark


def _by_mark(text: str, choices: Sequence[Button]) -> str:
    found = _MARKED.fullmatch(text)
    if found is None:
        return ""
    number, letter = found.groups()
    index = int(number) - 1 if number else string.ascii_uppercase.index(letter.upper())
    is_named = 0 <= index < len(choices) and not choices[index].tap_only
    return choices[index].token if is_named else ""


def _by_label(text: str, choices: Sequence[Button]) -> str:
    """Return the token of the choice with this label; of several that differ by accents or capitals
    only, of the one that is spelled so. “Encore” alone names “Encore une série”."""
    wanted = _fold_label(text)
    named = [choice for choice in choices if _fold_label(choice.label) == wanted]
    if not named and wanted in _MORE:
        named = [each for each in choices if _fold_label(each.label).startswith(f"{wanted} ")]
    exact = [choice for choice in named if choice.label == text]
    found = exact if len(named) > 1 else named
    return found[0].token if len(found) == 1 else ""


def _fold_label(text: str) -> str:
    """Remove accents, case and outer punctuation, which people leave out on small keyboards."""
    return " ".join(fold(text).split()).strip(".!?;: ")


async def answers_other_question(tx: Transaction, attempt: Attempt) -> bool:
    """Return whether an answer is rather to the question that was asked after the exercise: it does
    not solve the exercise, which is no part of a placement."""
    exercise = await find_exercise(tx, attempt.exercise)
    if exercise is None:  # it was deleted with what it belonged to
        return True
    step_left = find_step_left(attempt.text, exercise)
    is_its_own = is_solved_by(exercise, attempt.text) or step_left not in (None, "choose")
    return not exercise.is_placing and not is_its_own


async def read_exercise_command(tx: Transaction, said: Said, open_exercise: str) -> Command | None:
    """Return what a message asks for in place of an answer, such as “je sais pas” (a hint) or
    “suivante”; None if it does not, or if the exercise is no practice: then it is for the model."""
    if said.command or said.attachments or said.forwarded or len(said.text) > _LONGEST_ANSWER:
        return None
    name = _name_request(said.text)
    if not name:
        return None
    exercise = await find_exercise(tx, decode(open_exercise, OpenExercise).id)
    if exercise is None:  # it was deleted with what it belonged to
        return None
    is_of_series = exercise.body.source != "exercise" and not exercise.is_placing
    return Command(name) if is_of_series and exercise.state == "open" else None


def _name_request(text: str) -> str:
    """Return the command that a text, with or without a slash, means in place of an answer."""
    plain = _POLITE.sub("", " ".join(fold(text).split())).removeprefix("/")
    return next(
        (name for name, words in _EXERCISE_COMMANDS.items() if re.fullmatch(words, plain)), ""
    )


async def read_help_word(tx: Transaction, said: Said, open_exercise: str) -> Command | None:
    """Return the command that a bare word for help is, such as “INDICE”, on every channel while an
    exercise is open; None if it is none, or answers the exercise."""
    if said.command or said.attachments or said.forwarded or len(said.text) > _LONGEST_ANSWER:
        return None
    if _fold_help_word(said.text) not in _HELP_WORDS:
        return None
    exercise = await find_exercise(tx, decode(open_exercise, OpenExercise).id)
    if exercise is None or exercise.state != "open" or exercise.is_expired:
        return None
    name = find_help_word(exercise, said.text)
    return Command(name) if name else None


def find_help_word(exercise: Exercise, text: str) -> str:
    """Return `hint` or `solution` for a text that asks for it in one word, with or without a slash;
    empty if it does not, or if the bare word is an option of the exercise, or solves it."""
    word = _fold_help_word(text)
    if word.startswith("/"):
        return _HELP_WORDS.get(word[1:], "")
    if word not in _HELP_WORDS or word in map(_fold_label, exercise.body.options):
        return ""
    return "" if is_solved_by(exercise, text) else _HELP_WORDS[word]


def find_help_request(exercise: Exercise, text: str) -> str:
    """Return `hint` or `solution` for what is written into the field of an exercise, where no tutor
    reads it: also in a sentence, “je ne sais pas”; empty if it asks for neither, or if it may be an
    answer to the exercise."""
    name = _name_request(text) if len(text) <= _LONGEST_ANSWER else ""
    is_option = exercise.is_placing or _fold_label(text) in map(_fold_label, exercise.body.options)
    if name not in ("hint", "solution") or is_option or is_solved_by(exercise, text):
        name = ""
    return find_help_word(exercise, text) or name


def _fold_help_word(text: str) -> str:
    return _POLITE.sub("", fold(text[: _LONGEST_ANSWER + 1]).strip())


async def solves_exercise(tx: Transaction, said: Said, open_exercise: str) -> bool:
    """Return whether a message, without regard to the command that it may be, solves the open
    exercise."""
    asked = decode(open_exercise, OpenExercise)
    if said.attachments or said.forwarded or time.time() > asked.expires_at:
        return False
    exercise = await find_exercise(tx, asked.id)
    return exercise is not None and exercise.state == "open" and is_solved_by(exercise, said.text)


async def read_spoken_option(tx: Transaction, words: str, open_exercise: str) -> Attempt | None:
    """Return the name of an option that was spoken as an answer to the open exercise; None if it is
    none, or if the options may sound alike, as `écoute` and `écoutent` do."""
    attempt = read_attempt(Said(words), open_exercise, is_option=False)
    if attempt is None:
        return None
    exercise = await find_exercise(tx, attempt.exercise)
    return attempt if exercise and not asks_spelling(exercise.skill) else None


def read_attempt(said: Said, open_exercise: str, *, is_option: bool) -> Attempt | None:
    """Return a message as an answer to the open exercise; None if it cannot be one.

    Args:
        is_option: the message names an option offered last; for a choice that counts as a tap.
    """
    asked = decode(open_exercise, OpenExercise)
    is_tap = is_option and asked.kind == "choice"
    if is_tap or said.attachments or said.forwarded or time.time() > asked.expires_at:
        return None
    if not is_answer(
        said.text,
        asked.kind,
        asked.options,
        asked.unit,
        asked.statement,
        talk_counts=asked.talk_counts,
    ):
        return None
    return Attempt(asked.id, said.text.strip())
