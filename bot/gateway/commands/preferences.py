"""Choose how Griot speaks with a person: language, pupil or professional, grade.

A new account is asked for these with buttons, one question after another, with the first answer; a
person who does not press is treated as a pupil, in the language of their country. Each can be set
at any time by its command.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from bot.accounts import people
from bot.contracts.channels import Capabilities
from bot.contracts.storage import Transaction
from bot.gateway.commands.reply import CommandRequest, Reply
from bot.gateway.inbound.command_parser import LANGUAGE_WORDS, MODE_WORDS
from bot.gateway.inbound.inbox import read_last_words
from bot.gateway.render.renderer import escape_markdown
from bot.i18n import detect_language, fold, languages, say
from bot.messages.channels import WEB
from bot.messages.incoming import Person, Update
from bot.messages.outgoing import Say
from bot.practice.grades import names_class
from bot.storage import accounts
from bot.storage.buttons import offer_commands
from bot.typography import to_one_line

_LANGUAGES: Final = (("Français", "fr"), ("English", "en"))
_BANDS: Final[Mapping[str, Sequence[str]]] = {
    "primaire": ("CP", "CE1", "CE2", "CM1", "CM2"),
    "college": ("6e", "5e", "4e", "3e"),
    "lycee": ("2nde", "1re", "Tle"),
}
_LONGEST_GRADE: Final = 40
ASKED_LANGUAGE: Final = 1
ASKED_MODE: Final = 2
ASKED_ALL: Final = 3
"""Stages of `account.greeted`; 0: nothing was asked yet."""


async def ask_language(tx: Transaction, person: Person, lane: str) -> Say:
    """Return the first question to a new person, in both languages, as theirs is not known yet."""
    question = "Dans quelle langue ? / Which language?"
    if person.channel == WEB:
        named = [(label, say(tag, "/language {tag}", tag=tag)) for label, tag in _LANGUAGES]
        return _list_commands(question, named)
    choices = [(label, f"/language {tag}") for label, tag in _LANGUAGES]
    return Say(question, await offer_commands(tx, lane, person.address, choices))


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
    if person.account is None or await people.read_greeted(tx, person.account):
        return ()
    words = (await read_last_words(tx, lane))[int(starts) :]
    language = _find_language(words) or (person.language if _was_asked(words) else "")
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


def _find_language(words: Sequence[str]) -> str:
    """Return the language of the last messages that show one; empty: none does."""
    for text in words:
        if not text.startswith("/") and (language := detect_language(text)):
            return language
    return ""


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
    """Answer `/start`: say who Griot is, and ask the first question."""
    hello = request.phrase(
        "Hello, I am Griot. Ask me anything: a lesson, an exercise, a question. "
        "/help shows what else I can do."
    )
    person, lane = request.person, request.update.lane
    if request.is_one_way:  # they could not answer a question
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
    return _was_asked(before) or any(map(detect_language, before))


async def choose_language(request: CommandRequest) -> Reply:
    wanted = fold(request.argument)
    language = LANGUAGE_WORDS.get(wanted, wanted)
    if language not in languages():
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
    if mode is None:
        question = await _ask_mode(
            request.tx, request.person, request.update.lane, request.person.language
        )
        return Reply((question,))
    await accounts.set_mode(request.tx, request.person.account or 0, mode)
    going_on = await _goes_on(request, ASKED_MODE, ASKED_ALL)
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
    grade = to_one_line(request.argument, _LONGEST_GRADE)
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
    await accounts.set_grade(request.tx, request.person.account or 0, grade)
    return request.reply("Noted: {grade}. I explain things as for your class.", grade=grade)


async def _goes_on(request: CommandRequest, stage: int, following: int) -> bool:
    """Return whether this answers the question of this stage, and the next one is asked; if it
    answers it, store the following stage. Who chooses before anything was asked is asked nothing.
    """
    account = request.person.account
    if account is None:
        return False
    asked = await people.read_greeted(request.tx, account)
    if not asked:
        await accounts.set_greeted(request.tx, account, ASKED_ALL)
    if asked != stage:
        return False
    await accounts.set_greeted(request.tx, account, following)
    return not request.is_one_way  # a question would get no answer


async def _ask_mode(tx: Transaction, person: Person, lane: str, language: str) -> Say:
    question = say(language, "How do you use Griot?")
    pupil, professional = say(language, "Pupil or student"), say(language, "Professional")
    if person.channel == WEB:
        named = [(pupil, say(language, "/mode child")), (professional, "/mode pro")]
        return _list_commands(question, named)
    choices = [(pupil, "/mode child"), (professional, "/mode pro")]
    return Say(question, await offer_commands(tx, lane, person.address, choices))


async def _ask_band(request: CommandRequest) -> Say:
    return await _ask_class(request, request.phrase("Where are you at school?"), _bands(request))


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
    lane, address = request.update.lane, request.person.address
    if request.person.channel == WEB:
        named = [(label, request.phrase("/grade {name}", name=name)) for label, name in choices]
        return _list_commands(question, named)
    commands = [(label, f"/grade {name}") for label, name in choices]
    return Say(question, await offer_commands(request.tx, lane, address, commands))


def _list_commands(question: str, choices: Sequence[tuple[str, str]]) -> Say:
    """Return a question with labels and their commands in words, for HTTP, where no buttons are
    shown."""
    return Say("\n".join([question, "", *(f"- {label} ({command})" for label, command in choices)]))
