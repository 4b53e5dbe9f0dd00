"""Choose how Griot speaks with a person: language, pupil or professional, grade.

A new account is asked for these with buttons, one question after another, with the first answer; a
person who does not press is treated as a pupil, in the language of their country. Each can be set
at any time by its command.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bot.accounts import people
from bot.contracts.channels import Capabilities
from bot.contracts.storage import Transaction
from bot.errors import NotFound
from bot.gateway.commands.reply import CommandRequest, Reply
from bot.gateway.inbound.command_parser import LANGUAGE_WORDS, MODE_WORDS
from bot.gateway.inbound.conversation_effects import RETURNS
from bot.gateway.inbound.first_language import adopt_first_language, find_language, read_last_words
from bot.gateway.short_links import CHOICE
from bot.i18n import fold, languages, say
from bot.learning.skills.learner_model import limit_levels
from bot.messages.channels import WEB
from bot.messages.incoming import Person, Update
from bot.messages.outgoing import Say
from bot.practice.grades import names_class, trim_grade
from bot.render.renderer import escape_markdown
from bot.storage import accounts
from bot.storage.buttons import offer_commands
from bot.typography import to_one_line

_LANGUAGES: Final = (("Français", "fr"), ("English", "en"))
_BANDS: Final[Mapping[str, Sequence[str]]] = {
    "primaire": ("CP", "CE1", "CE2", "CM1", "CM2"),
    "college": ("6e", "5e", "4e", "3e"),
    "lycee": ("2nde", "1re", "Tle"),
}
_WHICH_LANGUAGE: Final = "Dans quelle langue ? / Which language?"
_LONGEST_GRADE: Final = 40
ASKED_LANGUAGE: Final = 1
ASKED_MODE: Final = 2
ASKED_ALL: Final = 3
"""Stages of `account.greeted`; 0: nothing was asked yet."""


async def ask_language(tx: Transaction, person: Person, lane: str) -> Say:
    """Return the first question to a new person, in both languages, as theirs is not known yet."""
    choices = [
        (label, f"/language {tag}", say(tag, "/language {tag}", tag=tag))
        for label, tag in _LANGUAGES
    ]
    return await _offer(tx, person, lane, _WHICH_LANGUAGE, choices)


def one_message(first: Say, *others: Say) -> Say:
    """Join messages and their buttons into one, as each message costs money."""
    buttons = tuple(button for each in others for button in each.buttons)
    return Say("\n\n".join(each.markdown for each in (first, *others)), buttons)


async def greet(
    tx: Transaction, person: Person, lane: str, *, starts: bool = False
) -> Sequence[Say]:
    """Return the first question to a new account, once: the language, or, if the person's messages
    show that or they were asked as a guest, how they use Griot.

    Args:
        starts: the newest message is `/start`.
    """
    if person.account is None or await accounts.read_greeted(tx, person.account):
        return ()
    words = (await read_last_words(tx, lane))[int(starts) :]
    said = [text for text in words if not text.startswith("/")]
    language = find_language(said) or (person.language if _was_asked(words) else "")
    if not language:
        await accounts.set_greeted(tx, person.account, ASKED_LANGUAGE)
        return (await ask_language(tx, person, lane),)
    if language != person.language:
        await people.set_language(tx, person, language)
    await accounts.set_greeted(tx, person.account, ASKED_MODE)
    return (await _ask_mode(tx, person, lane, language),)


def _was_asked(words: Sequence[str]) -> bool:
    """Return whether somebody who wrote this was asked for their language."""
    return any(text.startswith(("/start", "/lang")) for text in words)


async def greet_newcomer(
    tx: Transaction, person: Person, update: Update, capabilities: Capabilities
) -> Sequence[Say]:
    """Return the first question, to follow the first answer.

    Not in a group, not by SMS, where it would cost as much as the answer, nor over HTTP.
    """
    if capabilities.streams or not capabilities.max_buttons or update.group:
        return ()
    return await greet(tx, person, update.lane)


async def start(request: CommandRequest) -> Reply:
    """Answer `/start`: say who Griot is, and ask the first question; not of who comes back."""
    lane = request.update.lane
    person = await adopt_first_language(request.tx, request.person, lane)
    hello = say(
        person.language,
        "Hello, I am Griot. Ask me anything: a lesson, an exercise, a question. "
        "/help shows what else I can do.",
    )
    is_back = request.argument == RETURNS
    if is_back:
        hello = say(
            person.language, "Hello again! Reminders and other messages come again from now on."
        )
    if is_back or request.is_one_way:  # they are known, or could not answer a question
        return Reply((Say(hello),))
    if person.account is not None and person.is_new:
        return Reply(
            (one_message(Say(hello), *await greet(request.tx, person, lane, starts=True)),)
        )
    if person.account is not None or await _is_known(request.tx, lane):
        return Reply((Say(hello),))
    return Reply((one_message(Say(hello), await ask_language(request.tx, person, lane)),))


async def _is_known(tx: Transaction, lane: str) -> bool:
    """Return whether a guest was asked for their language before, or has written in one."""
    before = (await read_last_words(tx, lane))[1:]
    return _was_asked(before) or bool(find_language(before))


async def choose_language(request: CommandRequest) -> Reply:
    wanted = fold(request.argument)
    language = LANGUAGE_WORDS.get(wanted, wanted)
    if language not in languages():
        if request.is_one_way:
            return Reply((_lead_to_choice(_WHICH_LANGUAGE, "language"),))
        question = await ask_language(request.tx, request.person, request.update.lane)
        return Reply((question,))
    await people.set_language(request.tx, request.person, language)
    done = Say(say(language, "I speak English now."))
    if not await _goes_on(request, ASKED_LANGUAGE, ASKED_MODE):
        return Reply((done,))
    return Reply(
        (
            one_message(
                done, await _ask_mode(request.tx, request.person, request.update.lane, language)
            ),
        )
    )


async def choose_mode(request: CommandRequest) -> Reply:
    if request.person.is_guest:
        return request.reply("Log in with /login first: guests have no mode.")
    mode = MODE_WORDS.get(fold(request.argument))
    if mode is None and request.is_one_way:
        return Reply((_lead_to_choice(request.phrase("How do you use Griot?"), "mode"),))
    if mode is None:
        question = await _ask_mode(
            request.tx, request.person, request.update.lane, request.person.language
        )
        return Reply((question,))
    await accounts.set_mode(request.tx, request.person.account or 0, mode)
    going_on = await _goes_on(request, ASKED_MODE, ASKED_ALL) and not request.person.grade
    if mode == "pro":
        return request.reply("I am your assistant at work now.")
    done = Say(request.phrase("I am your tutor now."))
    return Reply((one_message(done, await _ask_band(request)) if going_on else done,))


async def choose_grade(request: CommandRequest) -> Reply:
    if request.person.is_guest and request.update.group:
        return request.reply("Log in with /login first: guests have no grade.")
    band = _BANDS.get(fold(request.argument))
    if band:
        return Reply((await _ask_grade(request, band),))
    grade = to_one_line(trim_grade(request.argument), _LONGEST_GRADE)
    if not grade:
        return Reply((await _ask_band(request),))
    if request.person.is_guest and names_class(grade):
        return request.reply("Log in with /login first: guests have no grade.")
    if request.person.mode == "child" and not names_class(grade):
        words = request.phrase(
            "I do not know the class “{grade}”. Which one is yours? For example CM2, 4e, Tle D or "
            "Licence 2.",
            grade=escape_markdown(grade),
        )
        return Reply((await _ask_class(request, words, _bands(request)),))
    account = request.person.account or 0
    await limit_levels(request.tx, account, request.person.grade, grade)
    await accounts.set_grade(request.tx, account, grade)
    return request.reply(
        "Noted: {grade}. I will explain things the way your class needs.", grade=grade
    )


async def _goes_on(request: CommandRequest, stage: int, following: int) -> bool:
    """Return whether this answers the question of this stage, and the next one is asked; if it
    answers it, even before it was asked, store the following stage. Who chooses before anything was
    asked is asked nothing.
    """
    account = request.person.account
    if account is None:
        return False
    asked = await accounts.read_greeted(request.tx, account)
    if not asked:
        await accounts.set_greeted(request.tx, account, ASKED_ALL)
    if not asked or asked > stage:
        return False
    await accounts.set_greeted(request.tx, account, following)
    return not request.is_one_way  # a question would get no answer


async def _ask_mode(tx: Transaction, person: Person, lane: str, language: str) -> Say:
    choices = [
        (say(language, "Pupil or student"), "/mode child", say(language, "/mode child")),
        (say(language, "Professional"), "/mode pro", "/mode pro"),
    ]
    return await _offer(tx, person, lane, say(language, "How do you use Griot?"), choices)


async def _ask_band(request: CommandRequest) -> Say:
    return await _ask_class(request, request.phrase("Which class are you in?"), _bands(request))


def _bands(request: CommandRequest) -> list[tuple[str, str]]:
    return [
        (request.phrase("Primary school"), "primaire"),
        (request.phrase("Lower secondary"), "college"),
        (request.phrase("Upper secondary"), "lycee"),
    ]


async def _ask_grade(request: CommandRequest, band: Sequence[str]) -> Say:
    return await _ask_class(
        request, request.phrase("Which class?"), [(each, each) for each in band]
    )


async def _ask_class(
    request: CommandRequest, question: str, choices: Sequence[tuple[str, str]]
) -> Say:
    """Ask for a class.

    Args:
        choices: for each, its label and the argument of `/grade`.
    """
    if request.is_one_way:
        return _lead_to_choice(question, "grade")
    commands = [
        (label, f"/grade {name}", request.phrase("/grade {name}", name=name))
        for label, name in choices
    ]
    return await _offer(request.tx, request.person, request.update.lane, question, commands)


async def _offer(
    tx: Transaction,
    person: Person,
    lane: str,
    question: str,
    choices: Sequence[tuple[str, str, str]],
) -> Say:
    """Ask a question with buttons; over HTTP, where none are shown, with the commands in words.

    Args:
        choices: for each, its label, its command, and the command in the language of the question.
    """
    if person.channel == WEB:
        return Say(
            "\n".join([question, "", *(f"- {label} ({said})" for label, _, said in choices)])
        )
    commands = [(label, command) for label, command, _ in choices]
    return Say(question, await offer_commands(tx, lane, person.address, commands))


# Choices on a page, for people who cannot answer -------------------------------------------------


@dataclass(frozen=True, slots=True)
class PreferenceChoice:
    """A question about a preference, with its options: for each, its label and its value."""

    question: str
    options: Sequence[tuple[str, str]]


def _lead_to_choice(question: str, name: str) -> Say:
    return Say(question, link="question", target=f"{CHOICE}:{name}")


def offer_choice(name: str, language: str) -> PreferenceChoice:
    """Return the choice of a preference: language, mode or grade. Raises `NotFound`."""
    match name:
        case "language":
            return PreferenceChoice(_WHICH_LANGUAGE, _LANGUAGES)
        case "mode":
            pupil, professional = say(language, "Pupil or student"), say(language, "Professional")
            options = ((pupil, "child"), (professional, "pro"))
            return PreferenceChoice(say(language, "How do you use Griot?"), options)
        case "grade":
            options = tuple((each, each) for band in _BANDS.values() for each in band)
            return PreferenceChoice(say(language, "Which class are you in?"), options)
        case _:
            raise NotFound("There is no such choice.")


async def apply_choice(tx: Transaction, person: Person, name: str, value: str) -> str:
    """Store what a person with an account has chosen; return the words that say so, empty if it is
    none of the options."""
    options = offer_choice(name, person.language).options
    if person.account is None or value not in [each for _, each in options]:
        return ""
    if name == "language":
        await people.set_language(tx, person, value)
        return say(value, "I speak English now.")
    if name == "mode":
        await accounts.set_mode(tx, person.account, MODE_WORDS[value])
        if value == "pro":
            return say(person.language, "I am your assistant at work now.")
        return say(person.language, "I am your tutor now.")
    await limit_levels(tx, person.account, person.grade, value)
    await accounts.set_grade(tx, person.account, value)
    words = "Noted: {grade}. I will explain things the way your class needs."
    return say(person.language, words, grade=value)
