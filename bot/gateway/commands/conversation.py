"""Answer `/new`, `/stop`, `/more` and `/job`, which change how a conversation goes on."""

from __future__ import annotations

from bot.accounts.approvals import drop_all
from bot.contracts.storage import MAX_BIGINT, Transaction
from bot.errors import OutOfCredits, PersonError
from bot.gateway.commands.reply import CommandRequest, Reply
from bot.gateway.deliveries import take_next_page
from bot.gateway.inbound.conversation_effects import turn_off_notices
from bot.gateway.inbox_rows import drop_burst, hurry_turn_update
from bot.gateway.jobs import BackgroundJobs, is_job
from bot.gateway.lanes import begin_thread_anew, note_open_exercise, thread_of
from bot.gateway.short_links import ShortLinks, find_last_page
from bot.gateway.turn_rows import note_stopping
from bot.gateway.turns.admission import TurnAdmission
from bot.learning.exercises import drop_in, find_open
from bot.messages.channels import CHANNELS, SMS_STOP_KEYWORDS, STOP_WORDS, read_keyword
from bot.messages.incoming import Said
from bot.messages.outgoing import Say

_TASK = "I want this done in the background, while I do other things: {task}"
_GO_ON = (
    "Go on in the background with what you were doing for me, and bring it to its end. I am not "
    "there to be asked."
)


class ConversationCommands:
    """Answers commands about the conversation that they are sent in."""

    def __init__(
        self, background: BackgroundJobs, admission: TurnAdmission, links: ShortLinks
    ) -> None:
        self._background = background
        self._admission = admission
        self._links = links

    async def stop(self, request: CommandRequest) -> Reply:
        """Answer `/stop`: end the turn, the jobs and the open questions; for the bare word STOP or
        ARRET notices too."""
        tx, lane, account = request.tx, request.update.lane, request.person.account
        leaves = _leaves(request)
        has_exercise = leaves and await find_open(tx, lane, account or 0) is not None
        was_busy = await self._is_busy(request)
        await drop_burst(tx, lane, before=request.seq)
        await stop_turn(tx, lane, before=request.seq)
        was_busy |= await drop_all(tx, lane)
        was_busy |= await drop_in(tx, lane)
        await note_open_exercise(tx, lane, "")
        if account is not None and not is_job(lane):
            await self._background.stop_all(tx, account)
        words = request.phrase("Stopped.") if was_busy else request.phrase("Nothing was running.")
        further = request.phrase("To get no more SMS, reply STOP.")
        has_keyword = _has_stop_keyword(request)  # which means more than this command
        link = "stop" if request.is_one_way else ""
        response = Reply((Say(f"{words} {further}" if has_keyword else words, link=link),))
        if leaves and _stops_only_open_work(request, has_exercise=has_exercise, was_busy=was_busy):
            if not has_keyword:
                words = request.phrase("Stopped. To get no more messages, write STOP again.")
                response = Reply((Say(words),))
        elif leaves:
            await turn_off_notices(tx, request.update.channel, request.update.conversation)
            response = request.reply(
                "Stopped. From now on I only answer you: no reminders, no other messages. "
                "To get them again, write START."
            )
        return Reply(response.outgoing, stop=True)

    async def show_more(self, request: CommandRequest) -> Reply:
        """Answer `/more` with the next page; to a person who cannot answer, with the last link."""
        lane, language = request.update.lane, request.person.language
        if bodies := await take_next_page(request.tx, lane, language):
            return Reply(bodies=bodies)
        if request.is_one_way and (link := await find_last_page(request.tx, lane)):
            return request.reply("Read it all: {url}", url=self._links.url("m", link))
        return request.reply("That was all.")

    async def begin_job(self, request: CommandRequest) -> Reply:
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
        try:
            await self._admission.check_means(request.tx, request.person, update.lane)
        except PersonError as error:
            return await _refuse_for_means(request, error)
        await self._background.begin(request.tx, update, account, task)
        return request.reply(
            "I do it in the background, and write here when it is done. /stop ends it."
        )

    async def _is_busy(self, request: CommandRequest) -> bool:
        """Return whether a turn runs or waits here, or a job of the person runs."""
        lane, account = request.update.lane, request.person.account
        if await request.tx.fetch_one(_AT_WORK, lane=lane, seq=request.seq):
            return True
        return bool(await self._background.list_running(request.tx, account or 0))


def _stops_only_open_work(request: CommandRequest, *, has_exercise: bool, was_busy: bool) -> bool:
    """Return whether STOP or ARRET ends only what is open: an exercise with its series or, by
    ARRET, which is a command, a turn. Never a word on which carriers act, nor one such as
    « désabonner », which can mean nothing else."""
    update = request.update
    word = read_keyword(update.content.text) if isinstance(update.content, Said) else ""
    if word not in ("stop", "arret") or (word == "stop" and _has_stop_keyword(request)):
        return False
    return has_exercise or (was_busy and word == "arret")


def _has_stop_keyword(request: CommandRequest) -> bool:
    """Return whether carriers act on the word STOP in this channel."""
    return bool(CHANNELS[request.update.channel].reserved_words & SMS_STOP_KEYWORDS)


def _leaves(request: CommandRequest) -> bool:
    """Return whether this is the bare word STOP or ARRET from a phone number: the person wants no
    more messages."""
    update = request.update
    if not CHANNELS[update.channel].phone_is_identity or not isinstance(update.content, Said):
        return False
    is_word = read_keyword(update.content.text) in STOP_WORDS
    return is_word and not is_job(update.lane)


async def stop_turn(tx: Transaction, lane: str, *, before: int = MAX_BIGINT) -> None:
    """Have a turn that no worker runs just now (between two tries, or not begun, of an update
    stored before `before`) taken up at once and cancelled."""
    await note_stopping(tx, lane, before=before)
    await hurry_turn_update(tx, lane)


async def begin_anew(request: CommandRequest) -> Reply:
    """Answer `/new`: begin a conversation without what was said before."""
    await drop_all(request.tx, request.update.lane)
    await begin_thread_anew(request.tx, request.update.lane, request.seq)
    return request.reply("A new conversation begins. What is it about?")


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


async def _refuse_for_means(request: CommandRequest, error: PersonError) -> Reply:
    choices = [(request.phrase("Buy credits"), "/buy")]
    can_buy = isinstance(error, OutOfCredits) and error.can_buy
    return Reply((Say(str(error), await request.offer(choices) if can_buy else ()),))


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
