"""Commands that people send: what each word means, and what it answers. None costs credits."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from bot.accounts import ledger
from bot.accounts.people import VOUCHED
from bot.accounts.shop import explain_credits
from bot.carriers import STOP
from bot.contracts import Transaction
from bot.gateway.background import Background
from bot.gateway.jobs import is_job
from bot.gateway.receiving.hearing import turn_off_notices
from bot.gateway.replies import preferences
from bot.gateway.replies.listings import tell_memory
from bot.gateway.replies.logins import Logins
from bot.gateway.replies.mailboxes import Mailboxes
from bot.gateway.replies.response import Request, Respond, Response
from bot.gateway.replies.tasks import tell_tasks
from bot.gateway.replies.working import Working
from bot.gateway.sending.rest import next_page
from bot.gateway.threads import begin_anew
from bot.gateway.turns.consent import forget_all
from bot.messages import Channel, Person, Said, Say
from bot.texts import say, say_count

_WHERE_WORDS_COST: frozenset[Channel] = frozenset({"sms"})


class Commands:
    """Answers commands within the transaction that also marks them as done."""

    def __init__(self, logins: Logins, mailboxes: Mailboxes, background: Background) -> None:
        self._background = background
        self._answers: Mapping[str, Respond] = {
            **_ANSWERS,
            "stop": self._stop,
            "job": Working(background).respond,
            "login": logins.begin,
            "logout": logins.end,
            "email": mailboxes.begin,
        }

    async def respond(self, request: Request, name: str) -> Response:
        """Answer the command of this name."""
        return await self._answers[name](request)

    async def _stop(self, request: Request) -> Response:
        tx, lane, account = request.tx, request.update.lane, request.person.account
        leaves = await self._leaves(request)
        await stop_turn(tx, lane)
        await forget_all(tx, lane)
        if account is not None and not is_job(lane):
            await self._background.stop_all(tx, account)
        response = request.reply("Stopped.")
        if leaves:
            await turn_off_notices(tx, request.update.channel, request.update.conversation)
            response = request.reply(
                "Stopped. From now on I only answer you: no reminders, no other messages. "
                "To get them again, write START."
            )
        return Response(response.outgoing, stop=True)

    async def _leaves(self, request: Request) -> bool:
        """Whether this is the bare word STOP where nothing runs that it could stop: on a phone
        number that means to be left alone, as it does by SMS."""
        update, account = request.update, request.person.account
        if update.channel not in VOUCHED or not isinstance(update.content, Said):
            return False
        word = update.content.text.strip().lower()
        if word not in STOP or is_job(update.lane):
            return False
        running = await request.tx.fetch_one(_AT_WORK, lane=update.lane, seq=request.seq)
        jobs = await self._background.list_running(request.tx, account or 0)
        return running is None and not jobs


async def _help(request: Request) -> Response:
    if request.person.channel in _WHERE_WORDS_COST:
        return request.reply(
            "Griot, your tutor and assistant: write me your question. "
            "NEW: new conversation. BALANCE: credits. "
            "MORE: the rest of an answer. STOP: no more messages."
        )
    return request.reply(
        "Write to me as to a friend. Commands:\n\n"
        "- /new: begin a new conversation\n"
        "- /stop: stop what I am doing\n"
        "- /job: something that takes long, in the background\n"
        "- /balance, /buy: your credits, and more of them\n"
        "- /progress, /tasks, /memory: what you have learnt, have to do, what I remember\n"
        "- /files: your files\n"
        "- /login, /logout: your number, and your account with it\n"
        "- /email: an address for your e-mails\n"
        "- /mode child or /mode pro, /grade CM2, /language fr or /language en: "
        "how I speak with you\n"
        "- /export, /delete: all I have of you, to keep or to erase\n"
        "- /help: this list"
    )


async def stop_turn(tx: Transaction, lane: str) -> None:
    """Have a turn that nobody works on just now (between two attempts) cancelled when it is taken
    up, and that at once. Where none has begun, what still waits for the rest of its burst is
    dropped."""
    await tx.execute(_DROP_BURST, lane=lane)
    await tx.execute(_STOP_TURN, lane=lane)
    await tx.execute(_HURRY, lane=lane)


async def _new(request: Request) -> Response:
    await forget_all(request.tx, request.update.lane)
    await begin_anew(request.tx, request.update.lane, request.seq)
    return request.reply("A new conversation begins. What is it about?")


async def _more(request: Request) -> Response:
    bodies = await next_page(request.tx, request.update.lane, request.person.language)
    return Response(bodies=bodies) if bodies else request.reply("That was all.")


async def _balance(request: Request) -> Response:
    account = request.person.account
    if account is None:
        return request.reply("You are a guest. Log in with /login to have credits.")
    balance = await ledger.balance_of_snapshot(request.tx, account)
    language = request.person.language
    words = say_count(language, "You have {number} credit.", "You have {number} credits.", balance)
    if held := await ledger.held_of(request.tx, account):
        words += " " + say(language, "Kept for an answer on its way: {number}.", number=held)
    words += " " + explain_credits(language, request.least_credits)
    return Response((Say(words),))


_Tell = Callable[[Transaction, int, Person, str], Awaitable[str]]


def _listing(tell: _Tell) -> Respond:
    """A command about what belongs to the person's account."""

    async def respond(request: Request) -> Response:
        account = request.person.account
        if account is None:
            return request.reply("Log in with /login first: I keep nothing of guests.")
        words = await tell(request.tx, account, request.person, request.argument)
        return Response((Say(words),))

    return respond


_ANSWERS: Mapping[str, Respond] = {
    "start": preferences.start,
    "mode": preferences.choose_mode,
    "grade": preferences.choose_grade,
    "language": preferences.choose_language,
    "help": _help,
    "new": _new,
    "more": _more,
    "balance": _balance,
    "tasks": _listing(tell_tasks),
    "memory": _listing(tell_memory),
}

_DROP_BURST = """
UPDATE inbox SET state = 'done' WHERE lane = :lane AND state = 'pending' AND joins = 1
    AND ready_at > {now}
    AND NOT EXISTS (SELECT 1 FROM turn WHERE lane = :lane AND state = 'running')
"""

_AT_WORK = """
SELECT id FROM lane WHERE id = :lane AND (
    EXISTS (SELECT 1 FROM turn WHERE lane = :lane AND state = 'running') OR EXISTS (
        SELECT 1 FROM inbox WHERE lane = :lane AND state = 'pending' AND seq < :seq
    )
)
"""

_STOP_TURN = """
UPDATE turn SET reason = 'stopping' WHERE lane = :lane AND state = 'running'
"""

_HURRY = """
UPDATE inbox SET ready_at = {now} WHERE lane = :lane AND state = 'pending'
    AND seq IN (SELECT id FROM turn WHERE lane = :lane AND state = 'running')
"""
