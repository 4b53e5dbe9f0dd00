"""Answer `/help`, `/new`, `/stop`, `/more`, `/balance` and `/job`."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping

from bot.accounts import ledger
from bot.accounts.approvals import drop_all
from bot.billing.packs import explain_credits
from bot.contracts.storage import Transaction
from bot.gateway.commands import preferences
from bot.gateway.commands.account_data import list_memory
from bot.gateway.commands.login import EmailCommand, LoginCommands
from bot.gateway.commands.practice import PracticeCommands
from bot.gateway.commands.reply import CommandHandler, CommandRequest, Reply
from bot.gateway.commands.tasks import answer_tasks
from bot.gateway.deliveries import take_next_page
from bot.gateway.inbound.effects import turn_off_notices
from bot.gateway.inbox_rows import drop_burst, hurry_turn_update
from bot.gateway.jobs import BackgroundJobs, is_job
from bot.gateway.lanes import begin_thread_anew, note_open_exercise, thread_of
from bot.gateway.short_links import ShortLinks, find_last_page
from bot.gateway.turn_rows import note_stopping
from bot.i18n import say, say_count
from bot.learning.exercises import drop_in
from bot.messages.channels import CHANNELS, SMS_STOP_KEYWORDS, read_keyword
from bot.messages.incoming import Said
from bot.messages.outgoing import Say


class GeneralCommands:
    """Answers commands within the transaction that also marks them as done."""

    def __init__(
        self,
        logins: LoginCommands,
        mailboxes: EmailCommand,
        background: BackgroundJobs,
        practice: PracticeCommands,
        links: ShortLinks,
    ) -> None:
        self._background = background
        self._links = links
        self.practice = practice
        self._answers: Mapping[str, CommandHandler] = {
            **_ANSWERS,
            "stop": self._stop,
            "more": self._more,
            "job": JobCommand(background).respond,
            "login": logins.begin,
            "logout": logins.end,
            "email": mailboxes.begin,
            "practice": practice.practice,
            "review": practice.review,
            "hint": practice.hint,
            "solution": practice.solution,
            "skip": practice.skip,  # a word, not a command: see `read_exercise_command`
            "level": practice.levels.level,
            "grade": practice.levels.choose_grade,
        }

    async def respond(self, request: CommandRequest, name: str) -> Reply:
        """Answer the command of this name."""
        return await self._answers[name](request)

    async def _stop(self, request: CommandRequest) -> Reply:
        tx, lane, account = request.tx, request.update.lane, request.person.account
        leaves = await self._leaves(request)
        await stop_turn(tx, lane)
        await drop_all(tx, lane)
        await drop_in(tx, lane)
        await note_open_exercise(tx, lane, "")
        if account is not None and not is_job(lane):
            await self._background.stop_all(tx, account)
        response = request.reply("Stopped.")
        if leaves:
            await turn_off_notices(tx, request.update.channel, request.update.conversation)
            response = request.reply(
                "Stopped. From now on I only answer you: no reminders, no other messages. "
                "To get them again, write START."
            )
        return Reply(response.outgoing, stop=True)

    async def _more(self, request: CommandRequest) -> Reply:
        """Reply with the next page; to a person who cannot answer, with the last link to all."""
        lane, language = request.update.lane, request.person.language
        if bodies := await take_next_page(request.tx, lane, language):
            return Reply(bodies=bodies)
        if request.is_one_way and (link := await find_last_page(request.tx, lane)):
            return request.reply("Read it all: {url}", url=self._links.url("m", link))
        return request.reply("That was all.")

    async def _leaves(self, request: CommandRequest) -> bool:
        """Return whether this is the bare word STOP, from a phone number, while nothing runs.

        As by SMS, it then means that the person wants no more messages.
        """
        update, account = request.update, request.person.account
        if not CHANNELS[update.channel].phone_is_identity or not isinstance(update.content, Said):
            return False
        word = read_keyword(update.content.text)
        if word not in SMS_STOP_KEYWORDS or is_job(update.lane):
            return False
        running = await request.tx.fetch_one(_AT_WORK, lane=update.lane, seq=request.seq)
        jobs = await self._background.list_running(request.tx, account or 0)
        return running is None and not jobs


async def _help(request: CommandRequest) -> Reply:
    if request.is_one_way:
        words = request.phrase(
            "Griot, your tutor and assistant. I write to you by SMS; you answer by the links in it."
        )
        return Reply((Say(words, link="stop"),))
    if CHANNELS[request.person.channel].message_costs:
        return request.reply(
            "Griot, your tutor and assistant: write me your question. "
            "NEW: new conversation. BALANCE: credits. "
            "MORE: the rest of an answer. STOP: no more messages."
        )
    words = request.phrase(
        "Write to me as to a friend. Commands:\n\n"
        "- /new: begin a new conversation\n"
        "- /stop: stop what I am doing\n"
        "- /job: something that takes long, in the background\n"
        "- /balance, /buy: your credits, and more of them\n"
        "- /practice: exercises one after another, with hints\n"
        "- /review: what you may forget soon; /review 18h mon wed fri reminds you\n"
        "- /level: find out where you are at school\n"
        "- /progress, /tasks, /memory: what you have learnt, have to do, what I remember\n"
        "- /files: your files\n"
        "- /login, /logout: your number, and your account with it\n"
        "- /email: an address for your e-mails\n"
        "- /mode child or /mode pro, /grade CM2, /language fr or /language en: "
        "how I speak with you\n"
        "- /export, /delete: all I have of you, to keep or to erase\n"
        "- /help: this list"
    )
    if CHANNELS[request.update.channel].shared_thread:
        return Reply((Say(words),))
    return Reply((Say(re.sub(r"^- /job.*\n", "", words, flags=re.MULTILINE)),))


async def stop_turn(tx: Transaction, lane: str) -> None:
    """Have a turn that no worker runs just now (between two tries) taken up at once and cancelled.

    If none has begun, messages that wait for the rest of their burst are dropped.
    """
    await drop_burst(tx, lane)
    await note_stopping(tx, lane)
    await hurry_turn_update(tx, lane)


async def _new(request: CommandRequest) -> Reply:
    await drop_all(request.tx, request.update.lane)
    await begin_thread_anew(request.tx, request.update.lane, request.seq)
    return request.reply("A new conversation begins. What is it about?")


async def _balance(request: CommandRequest) -> Reply:
    account = request.person.account
    if account is None:
        return request.reply("You are a guest. Log in with /login to have credits.")
    balance = await ledger.balance_of_snapshot(request.tx, account)
    language = request.person.language
    words = say_count(language, "You have {number} credit.", "You have {number} credits.", balance)
    if held := await ledger.held_of(request.tx, account):
        words += " " + say(language, "Kept for an answer on its way: {number}.", number=held)
    words += " " + explain_credits(language, request.least_credits)
    return Reply((Say(words),))


_Tell = Callable[[CommandRequest, int], Awaitable[str]]


def _listing(tell: _Tell) -> CommandHandler:
    """Return a handler that answers with a text about the person's account; guests have none."""

    async def respond(request: CommandRequest) -> Reply:
        account = request.person.account
        if account is None:
            return request.reply("Log in with /login first: this needs an account.")
        return Reply((Say(await tell(request, account)),))

    return respond


_TASK = "I want this done in the background, while I do other things: {task}"
_GO_ON = (
    "Go on in the background with what you were doing for me, and bring it to its end. I am not "
    "there to be asked."
)


class JobCommand:
    def __init__(self, background: BackgroundJobs) -> None:
        self._background = background

    async def respond(self, request: CommandRequest) -> Reply:
        """Answer `/job`: begin the given task, or continue the turn that was cut short, as a job;
        while a job runs, say how far it is."""
        update, account = request.update, request.person.account or 0
        if refused := _refuse_job(request):
            return refused
        if running := await self._background.list_running(request.tx, account):
            if request.argument:
                return request.reply(
                    "I can do one at a time, and have not begun this one. Send it again when the "
                    "other is done; /stop ends that one."
                )
            return request.reply(
                "I am at it: step {step}, {minutes} min so far. /stop ends it.",
                step=running[0]["steps"] + 1,
                minutes=int(running[0]["seconds"] // 60),
            )
        task = await _task_of(request, account)
        if not task:
            return request.reply("Write what I shall do after it: /job a summary of my notes")
        await self._background.begin(request.tx, update, account, task)
        return request.reply(
            "I do it in the background, and write here when it is done. /stop ends it."
        )


def _refuse_job(request: CommandRequest) -> Reply | None:
    """Return the answer if no job can be begun here."""
    if not CHANNELS[request.update.channel].shared_thread:  # Griot cannot write there later
        return request.reply(
            "Here I only answer at once. Send me /job on WhatsApp, Telegram or by SMS: there I can "
            "write to you when it is done."
        )
    if request.person.account is None:
        return request.reply("Log in with /login first: guests have no jobs.")
    if request.update.group:
        return request.reply("Jobs are for your own chat with me.")
    return None


async def _task_of(request: CommandRequest, account: int) -> str:
    """Return the task for the model; empty: there is nothing to do."""
    if request.argument:
        return _TASK.format(task=request.argument)
    lane, thread = request.update.lane, thread_of(account)
    return _GO_ON if await _was_cut_short(request.tx, lane, thread) else ""


async def _was_cut_short(tx: Transaction, lane: str, thread: str) -> bool:
    """Return whether the last turn here was cut short, and no job has been begun since."""
    row = await tx.fetch_one(_LAST, lane=lane, thread=thread)
    return row is not None and row["reason"] == "limit" and not row["gone_on"]


_ANSWERS: Mapping[str, CommandHandler] = {
    "start": preferences.start,
    "mode": preferences.choose_mode,
    "language": preferences.choose_language,
    "help": _help,
    "new": _new,
    "balance": _balance,
    "tasks": _listing(answer_tasks),
    "memory": _listing(list_memory),
}

_AT_WORK = """
SELECT id FROM lane WHERE id = :lane AND (
    EXISTS (SELECT 1 FROM turn WHERE lane = :lane AND state = 'running') OR EXISTS (
        SELECT 1 FROM inbox WHERE lane = :lane AND state = 'pending' AND seq < :seq
    )
)
"""

_LAST = """
SELECT reason, EXISTS (
    SELECT 1 FROM lane JOIN inbox ON inbox.lane = lane.id AND inbox.delivery_key = 'begin'
    WHERE lane.thread = :thread AND inbox.seq > turn.id
) AS gone_on
FROM turn WHERE lane = :lane AND attempts > 0 ORDER BY id DESC LIMIT 1
"""
