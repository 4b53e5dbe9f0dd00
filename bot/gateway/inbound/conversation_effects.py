"""Apply what an update changes about its conversation the moment it is stored.

The person can be reached again, or opts out; deliveries that waited for them may be sent; the
conversation has moved; a typed "B" answers an open question; a number or a code was asked for.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Final, Literal

from msgspec.structs import replace

from bot.accounts.aliases import list_addresses
from bot.accounts.phone_numbers import is_written_number, normalise_digits
from bot.contracts.storage import Row, Transaction
from bot.gateway.inbound.command_parser import (
    parse_command,
    read_choice,
    read_early_choice,
    set_command,
)
from bot.gateway.inbox_rows import drop_notices, drop_queued, find_last_waiting
from bot.gateway.lanes import (
    accept_notices,
    list_lanes_moved_to,
    note_expected_input,
    note_moved,
    note_person_wrote,
    note_reachable,
    note_unreachable,
    refuse_notices,
)
from bot.gateway.open_questions import (
    answers_other_question,
    first_token,
    forget_answered,
    read_answer,
    read_attempt,
    read_exercise_command,
    read_help_word,
    read_second_answer,
    read_spoken_option,
    solves_exercise,
)
from bot.gateway.outbox_rows import refuse_notices_on_their_way, release_waiting
from bot.i18n import fold
from bot.messages.channels import CHANNELS, WEB, Channel
from bot.messages.incoming import (
    Attempt,
    Checkout,
    Command,
    Edited,
    Migrated,
    Notice,
    OptedOut,
    Paid,
    Reachable,
    Reacted,
    Said,
    SharedContact,
    SharedLocation,
    Tapped,
    TypedCode,
    Unsupported,
    Update,
    Woken,
)
from bot.messages.value import decode
from bot.storage.buttons import find_command, is_quiz_button

RETURNS: Final = "again"
"""The argument of `/start` of a person who takes an opting out back."""
ExpectedInput = Literal["", "number", "code"]
PATIENCE = 15 * 60.0
_SECONDS_UNTIL_ASKED: Final = 60.0
"""Seconds for which a `/login` that is not answered yet makes the next message the number."""
_CODE = re.compile(r"(?<![\d+-])(?:\d{3}[ -]?\d{3}|(?<!\d )\d(?:[ -]\d){5}(?! \d))(?![\d-])")
"""A one-time code within a text; its halves or all of its digits may be apart."""
_AROUND_CODE: Final = """
a ai alors bonjour c ca ce code codes connecter connexion d de donc est eu got griot hello here hi i
ici is it j l la le les login ma me merci mon my numero ok oui otp please pls pour que received recu
s salut sms stp svp thank thanks that the this tiens ton un verification voici voila you your
"""
_WORDS_AROUND_CODE: Final = frozenset(_AROUND_CODE.split())
"""The words, folded, that people write around a code. With others a message is a sentence."""
_PASTED: Final = re.compile(r"(?=.*\bcode\b).*(?:\bgriot\b|\bverification\b)", re.DOTALL)
"""The folded message that brought a code."""
_COMPUTES: Final = re.compile(r"[+×÷=<>^%√]")
_MISTYPED: Final = re.compile(r"\d{5}")
"""A one-time code with a digit too few. One with a digit too many is read as a number."""
_LONGEST_INPUT = 200
_LONGEST_CHOICE: Final = 40
_MOST_CODES = 20
"""Codes of one message that are compared with open codes at most."""


async def expect_input(
    tx: Transaction, lane: str, expected: ExpectedInput, seconds: float = PATIENCE
) -> None:
    """Store what the person was asked to type, for so many seconds; empty: nothing."""
    until = int(time.time() + seconds)
    await note_expected_input(tx, lane, f"{expected}:{until}" if expected else "")


def read_expected_input(
    said: Said, awaited: str, seal: Callable[[str], str]
) -> Said | TypedCode | None:
    """Read a plain message as the number or the code that is awaited; None: it is neither.

    While a code is awaited the person may give another number instead; while a number is awaited
    they may type a code that came before.

    Args:
        awaited: as `expect_input` has stored it.
        seal: turns a code into the form in which it may be stored.
    """
    text = said.text.strip()
    if not _is_expecting(awaited):
        return None
    if said.attachments or said.forwarded or len(text) > _LONGEST_INPUT or text.startswith("/"):
        return None
    if is_written_number(text):
        number = normalise_digits(text)
        return Said(f"/login {number}", command=Command("login", number))
    code = _read_code(normalise_digits(text))
    return TypedCode(seal(code)) if code else None


def _is_expecting(awaited: str) -> bool:
    """Return whether what `expect_input` has stored still holds."""
    until = awaited.partition(":")[2]
    return bool(until) and time.time() <= float(until)


def _read_code(text: str) -> str:
    """Return the digits of the code that a message is, alone, with the few words that people put
    around one, or within the message that brought it; empty: it is none. A sentence or a
    computation with six digits is no try of a code."""
    codes = _CODE.findall(text)
    if len(codes) != 1:
        return ""
    rest = fold(text.replace(codes[0], " ", 1))
    has_few_words = _WORDS_AROUND_CODE.issuperset(re.findall(r"[^\W_]+", rest))
    if _COMPUTES.search(rest) or not (has_few_words or _PASTED.match(rest)):
        return ""
    return re.sub(r"\D", "", codes[0])


def find_codes(said: Said) -> list[str]:
    """Return the one-time codes that a message may hold, as digits."""
    found = _CODE.findall(normalise_digits(said.text))
    return [re.sub(r"\D", "", each) for each in found[:_MOST_CODES]]


_FINE = 60.0
"""Seconds within which the time of the person's last message is stored once, not each time."""
_ANSWERED = (
    Said,
    Attempt,
    Tapped,
    SharedContact,
    SharedLocation,
    TypedCode,
    Edited,
    Reacted,
    Unsupported,
    Notice,
    Woken,
)
"""Contents of updates that we answer, or act upon for the person."""


async def find_first_conversation(tx: Transaction, update: Update) -> Update:
    """Return a group's update with the first id of its conversation, by which its lane is named
    even after the group got a new id; other updates as they are."""
    if not update.group:
        return update
    lanes = await list_lanes_moved_to(tx, update.lane)
    if not lanes:
        return update
    return replace(update, conversation=lanes[0].partition(":")[2])


def note_return(update: Update, lane: Row) -> Update:
    """Return the update as the command `/start` with the argument `RETURNS`, if the person takes an
    opting out back with it, by that command or by a word such as YES; others as they are."""
    said = update.content
    if not (lane["opted_out"] or lane["notices_off"]) or not _consents(update):
        return update
    if not isinstance(said, Said):
        return update
    return set_command(update, said, Command("start", RETURNS))


async def interpret_early_choice(tx: Transaction, update: Update) -> Update:
    """Return a message right behind a command that offers options, before these are shown, as the
    choice of one: `2` behind `/buy`, `CM2` behind `/grade`; any other message as it is."""
    said = update.content
    if not isinstance(said, Said) or said.command or said.attachments or said.forwarded:
        return update
    may_choose = len(said.text) <= _LONGEST_CHOICE and any(
        read_early_choice(name, said.text) for name in ("buy", "grade", "language", "mode")
    )
    if update.group or not may_choose:
        return update
    row = await find_last_waiting(tx, update.lane)
    before = decode(row["body"], Update).content if row else None
    asked = before.command if isinstance(before, Said) else None
    chosen = read_early_choice(asked.name, said.text) if asked and not asked.argument else ""
    return set_command(update, said, Command(asked.name, chosen)) if asked and chosen else update


async def interpret_request(tx: Transaction, update: Update, lane: Row) -> Update:
    """Return the update with the command that its text means while an exercise is open: none where
    a bare word such as “révision” solves it, and in a series the next exercise for “suivante”. The
    same update if neither is so. After a question that was asked since, only “indice” and
    “solution” are about the exercise."""
    said = update.content
    if not isinstance(said, Said) or not lane["open_exercise"]:
        return update
    if lane["opted_out"] or update.group:
        return update
    if command := await read_help_word(tx, said, lane["open_exercise"]):
        return set_command(update, said, command)
    if lane["asked_since"]:
        return update
    if said.command and await _is_answer_in_words(tx, said, said.command, lane["open_exercise"]):
        return set_command(update, said, None)
    command = await read_exercise_command(tx, said, lane["open_exercise"])
    return set_command(update, said, command) if command else update


async def _is_answer_in_words(
    tx: Transaction, said: Said, command: Command, open_exercise: str
) -> bool:
    """Return whether a word that is a command without its slash solves the open exercise. Opting
    out and in go before any answer."""
    if said.text.lstrip().startswith("/") or command.name in ("stop", "start"):
        return False
    return await solves_exercise(tx, said, open_exercise)


def interpret_text(update: Update, lane: Row, seal: Callable[[str], str]) -> Update:
    """Return the update with what its text means: the number or the code that was asked for, an
    option, or an answer to the open exercise; the same update if it is none of these.

    Args:
        seal: turns a code into the form in which it may be stored.
    """
    if lane["opted_out"] or update.group or not isinstance(update.content, Said):
        return update  # after opting out a word like YES consents, whatever was asked before
    expected_input = "" if update.content.command else lane["expected_input"]
    if expected_input and (expected := read_expected_input(update.content, expected_input, seal)):
        return replace(update, content=expected)
    token = lane["open_question"] and read_answer(update.content, lane["open_question"])
    if lane["open_exercise"] and not update.content.command:
        attempt = read_attempt(update.content, lane["open_exercise"], is_option=bool(token))
        if attempt:
            return replace(update, content=attempt)
    token = token or read_second_answer(update.content, lane["open_question"])
    return replace(update, content=Tapped(token)) if token else update


async def settle_attempt(tx: Transaction, update: Update, answer: Update, lane: Row) -> Update:
    """Return what an answer to the open exercise (any other is returned as it is) is rather.

    A message that names an option of a quiz asked after the exercise is a tap on it. What does not
    solve the exercise is a mistyped code, where a code is awaited and it looks like one, or for the
    agent, if it came after a question in words.
    """
    said, attempt = update.content, answer.content
    if not isinstance(attempt, Attempt) or not isinstance(said, Said):
        return answer
    token = lane["open_question"] and read_answer(said, lane["open_question"])
    if token and await is_quiz_button(tx, token):
        return replace(update, content=Tapped(token))
    if _mistypes_code(attempt, lane["expected_input"]):
        is_right = not await answers_other_question(tx, attempt)
        mistyped = replace(update, content=TypedCode("", mistyped=True))
        return answer if is_right else mistyped
    if lane["asked_since"] and await answers_other_question(tx, attempt):
        return update
    return answer


async def read_spoken_answer(tx: Transaction, update: Update, words: str) -> Update | None:
    """Return a voice note as the typed answer to the open exercise, or to a quiz, that its
    transcript is, or as the request for help or the next exercise, with a key of its own; None: it
    is none of these, and for the agent."""
    lane = await tx.fetch_one(_LANE, lane=update.lane)
    if lane is None:
        return None
    said = await interpret_request(tx, replace(update, content=Said(words)), lane)
    answer = await settle_attempt(tx, said, interpret_text(said, lane, str), lane)
    content = answer.content
    is_quiz = isinstance(content, Tapped) and await is_quiz_button(tx, content.token)
    if isinstance(content, Tapped) and not is_quiz and lane["open_exercise"]:
        content = await read_spoken_option(tx, words, lane["open_exercise"])
    is_request = isinstance(content, Said) and content.command is not None
    if isinstance(content, Attempt):
        content = replace(content, spoken=True)
    elif not is_quiz and not is_request:
        return None
    key = f"{update.message_key}/spoken"
    return replace(answer, content=content, delivery_key=key, message_key=key)


async def resolve_label(tx: Transaction, update: Update, answer: Update) -> Update:
    """Return a message that names a button for a command as that command, which is then answered
    at once and not as a message that follows; any other answer as it is."""
    said, tap = update.content, answer.content
    if not isinstance(said, Said) or not isinstance(tap, Tapped):
        return answer
    text = await find_command(tx, tap.token, update.lane, update.sender.address)
    command = parse_command(update.channel, Said(text)) if text else None
    if command is None:
        return answer
    await forget_answered(tx, update.lane, tap.token)
    return set_command(update, said, command)


async def resolve_choice(tx: Transaction, answer: Update, lane: Row) -> Update:
    """Return a message that answers the question for the class, the mode or the language in other
    words than its buttons, such as “je suis en CM2” where they name schools, as the command that
    chooses it; any other as it is."""
    said = answer.content
    if not isinstance(said, Said) or said.command or said.attachments or said.forwarded:
        return answer
    if answer.group or lane["opted_out"] or not lane["open_question"]:
        return answer
    token = first_token(lane["open_question"])
    offered = await find_command(tx, token, answer.lane, answer.sender.address)
    command = parse_command(answer.channel, Said(offered)) if offered else None
    argument = read_choice(command.name, said.text) if command else ""
    if command is None or not argument:
        return answer
    await forget_answered(tx, answer.lane, token)
    return set_command(answer, said, Command(command.name, argument))


def _mistypes_code(attempt: Attempt, awaited: str) -> bool:
    """Return whether an answer looks like the code that is awaited with a digit too few."""
    if not awaited.startswith("code:") or not _is_expecting(awaited):
        return False
    return _MISTYPED.fullmatch(normalise_digits(attempt.text)) is not None


def is_silenced(update: Update, lane: Row) -> bool:
    """Return whether nothing may be sent, as the person has opted out and does not consent now."""
    if not lane["opted_out"] or not isinstance(update.content, _ANSWERED):
        return False
    return not _consents(update)


async def opt_out(tx: Transaction, channel: Channel, address: str, *, is_own: bool = True) -> None:
    """Send nothing more to this conversation until the person consents again.

    Args:
        is_own: it is one person's, who then gets no notices on other channels of the number either.
    """
    lane = f"{channel}:{address}"
    await note_unreachable(tx, lane, opted_out=True)
    await drop_queued(tx, lane)
    if is_own:
        await turn_off_notices(tx, channel, address)


async def opt_in(tx: Transaction, channel: Channel, address: str) -> None:
    """Allow messages to this number again, as the person consents."""
    await note_person_wrote(tx, f"{channel}:{address}", age=0.0, opens=True)
    await _accept_notices(tx, channel, address)


async def turn_off_notices(tx: Transaction, channel: Channel, address: str) -> None:
    """Send this number only answers to its messages, on every channel where it has an address.

    Reminders and other notices to it that are not sent yet are given up.
    """
    for each, where in await list_addresses(tx, channel, address):
        lane = f"{each}:{where}"
        await refuse_notices(tx, lane)
        await refuse_notices_on_their_way(tx, lane)
        await drop_notices(tx, lane)


async def apply_conversation_effects(
    tx: Transaction, update: Update, lane: Row, window: float
) -> None:
    """Store in the lane what the update says about it: reachability, consent, a new address.

    Args:
        window: seconds after a message in which its provider takes answers; 0: it always does.
    """
    age = max(0.0, lane["now"] - update.at) if update.at else 0.0
    if _consents(update):
        await _accept_notices(tx, update.channel, update.conversation)
    await _expect_number_after_login(tx, update, lane)
    match update.content:
        case OptedOut():
            await opt_out(tx, update.channel, update.conversation, is_own=not update.group)
        case Reachable(yes=yes):
            await note_reachable(tx, update.lane, yes)
        case Migrated(to=to):
            moved_to = f"{update.channel}:{to}"
            await note_moved(tx, update.lane, moved_to)
        case Checkout() | Paid() | Edited() | Notice() | Woken():
            pass
        case _ if lane["window_closed"] or not lane["reachable"] or lane["silence"] - age > _FINE:
            opens_window = not window or age < window
            await note_person_wrote(tx, update.lane, age=age, opens=opens_window)
            if lane["window_closed"] and opens_window:
                await release_waiting(tx, update.lane, via=update.via)
        case _:
            pass


async def _expect_number_after_login(tx: Transaction, update: Update, lane: Row) -> None:
    """Expect a number after `/login` alone, as it may come before that is answered."""
    content, is_private = update.content, not update.group and update.channel != WEB
    asks = isinstance(content, Said) and content.command == Command("login") and is_private
    if asks and not _is_expecting(lane["expected_input"]):
        await expect_input(tx, update.lane, "number", _SECONDS_UNTIL_ASKED)


async def _accept_notices(tx: Transaction, channel: Channel, address: str) -> None:
    for each, where in await list_addresses(tx, channel, address):
        await accept_notices(tx, f"{each}:{where}")


def _consents(update: Update) -> bool:
    """Return whether the person consents to messages again, by the carrier's word START or by
    `/start`."""
    if not isinstance(update.content, Said) or update.group:
        return False
    if update.content.consents:
        return True
    command = update.content.command
    is_phone = CHANNELS[update.channel].phone_is_identity
    return is_phone and command is not None and command.name == "start"


_LANE = """
SELECT * FROM lane WHERE id = :lane
"""
