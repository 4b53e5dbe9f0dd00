"""What is asked beside an answer: one question, or none."""

from __future__ import annotations

from collections.abc import Sequence

from bot.agent.turn import Turn
from bot.contracts import Capabilities, Transaction
from bot.events import EndReason
from bot.gateway.jobs import is_job
from bot.gateway.replies.preferences import greet_beside
from bot.gateway.threads import SHARING
from bot.messages import AskApproval, AskQuiz, Say, Update
from bot.storage.buttons import offer_commands
from bot.texts import say


async def ask_beside(
    tx: Transaction, turn: Turn, update: Update, capabilities: Capabilities, reason: EndReason
) -> Sequence[Say]:
    """Whether to go on in the background, where the answer was cut short; how Griot is to speak
    with someone new; not beside another question, and nothing beside a job's answer."""
    if is_job(update.lane) or any(isinstance(one, AskQuiz | AskApproval) for one in turn.outgoing):
        return ()
    if reason == "limit" and turn.is_cut_short and _may_go_on(turn, update):
        return [await _offer_to_go_on(tx, turn, update, capabilities)]
    return await greet_beside(tx, turn.person, update, capabilities)


def _may_go_on(turn: Turn, update: Update) -> bool:
    return turn.person.account is not None and update.channel in SHARING and not update.group


async def _offer_to_go_on(
    tx: Transaction, turn: Turn, update: Update, capabilities: Capabilities
) -> Say:
    language = turn.person.language
    words = say(language, "This will take a while.")
    if not capabilities.max_buttons:
        ask = say(language, "Write /job, and I go on in the background.")
        return Say(f"{words} {ask}")
    ask = say(language, "Shall I go on in the background, and write when it is done?")
    choices = [(say(language, "Go on"), "/job")]
    buttons = await offer_commands(tx, update.lane, update.sender.address, choices)
    return Say(f"{words} {ask}", buttons)
