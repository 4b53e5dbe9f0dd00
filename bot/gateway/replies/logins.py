"""Logging in and out: a number is proven by a code, or by the person's own contact on Telegram.

What follows from a proven number is the same either way: the conversation belongs to the number's
account from then on, and the account's other conversations are told.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, Protocol

from bot.accounts.codes import CodeRefused, Codes, Issued
from bot.accounts.ledger import balance_of_snapshot
from bot.accounts.numbers import (
    InvalidNumber,
    calling_code_of,
    country_of,
    has_calling_code,
    has_country,
    mask,
    parse_mobile,
    parse_number,
)
from bot.accounts.people import VOUCHED
from bot.accounts.profile import email_of, number_of, set_email
from bot.accounts.shop import explain_credits
from bot.contracts import Transaction
from bot.gateway.joining import Joining
from bot.gateway.receiving.arguments import EVERYWHERE
from bot.gateway.receiving.expectations import expect
from bot.gateway.replies.mailboxes import asker_of
from bot.gateway.replies.preferences import greet, one_message
from bot.gateway.replies.response import Request, Response
from bot.messages import Channel, Say, SharedContact, TypedCode
from bot.texts import fold, say_count

_NAMES: Final = {"sms": "SMS", "whatsapp": "WhatsApp"}


class Post(Protocol):
    """Sends codes within the transaction that issues them; see `CodePost.send`."""

    async def send(
        self, tx: Transaction, number: str, issued: Issued, language: str
    ) -> Channel | None: ...


class Logins:
    def __init__(self, codes: Codes, post: Post, joining: Joining) -> None:
        self._codes = codes
        self._post = post
        self._joining = joining

    async def begin(self, request: Request) -> Response:
        """`/login`, with the number or before it."""
        channel = request.update.channel
        if channel == "http":
            return request.reply("Log in on the page: your number first, then the code.")
        if request.update.group:
            return request.reply("Not in a group: write to me alone to log in.")
        if not request.argument:
            known = await self._known_number(request)
            return _tell_known(request, known) if known else await self._ask_number(request)
        try:
            number = parse_mobile(request.argument, self._country(request))
        except InvalidNumber:
            return request.reply(
                "I cannot send a code to this number. Write a mobile number with its country code, "
                "like +225 07 01 02 03 04."
            )
        if await self._is_theirs(request, number):
            return request.reply("You are logged in with this number already.")
        return await self._send_code(request, number)

    async def prove(self, request: Request, proof: TypedCode | SharedContact) -> Response:
        """A code was typed, or a contact card shared."""
        if isinstance(proof, SharedContact):
            return await self._prove_by_card(request, proof)
        proven = await self._codes.redeem(request.tx, proof.sealed, asker_of(request))
        return await self.let_in(request, proven or "")

    async def let_in(self, request: Request, proven: str) -> Response:
        """The sender has proven that this number or address is theirs; empty: nothing."""
        if not proven:
            return request.reply("This code is wrong or too old. Ask for another.")
        if "@" in proven:
            return await self._enter_mailbox(request, proven)
        return await self._enter(request, proven)

    async def _enter_mailbox(self, request: Request, address: str) -> Response:
        """The sender has proven that the address is theirs."""
        await expect(request.tx, request.update.lane, "")
        account = request.person.account
        if account is None:
            return request.reply("Log in with /login first: I keep nothing of guests.")
        await set_email(request.tx, account, address)
        await self._joining.tell_of_mailbox(request.tx, account, request.update, address)
        return request.reply("Your e-mails go to {address}.", address=address)

    async def _prove_by_card(self, request: Request, card: SharedContact) -> Response:
        """The sender's own contact card proves their number; a forwarded one proves nothing."""
        if not card.owner or card.owner != request.update.sender.address:
            return request.reply("To log in, share your own contact, not someone else's.")
        try:
            number = parse_number(card.phone)
        except InvalidNumber:
            number = ""
        if not has_country(number):
            return request.reply("I do not know this kind of number.")
        return await self._enter(request, number)

    async def _enter(self, request: Request, number: str) -> Response:
        """The sender has proven that `number` (E.164) is theirs."""
        person = await self._joining.join(
            request.tx, request.update, request.person, number, request.seq
        )
        entered = replace(request, person=person)
        balance = await balance_of_snapshot(request.tx, person.account or 0)
        words = entered.phrase("You are logged in. Welcome! Credits: {number}.", number=balance)
        if balance:
            words += " " + explain_credits(person.language, request.least_credits)
        await expect(request.tx, request.update.lane, "")
        question = await greet(request.tx, person, request.update.lane)
        return Response((one_message(Say(words), *question),))

    async def end(self, request: Request) -> Response:
        """`/logout`: here, or everywhere else."""
        person, update = request.person, request.update
        if person.account is None:
            return request.reply("You are not logged in.")
        if fold(request.argument) in EVERYWHERE:
            ended = await self._joining.leave_others(request.tx, update, person, request.seq)
            words = say_count(
                person.language,
                "Done: {number} other connection is ended.",
                "Done: {number} other connections are ended.",
                ended,
            )
            if address := await email_of(request.tx, person.account):
                words += " " + request.phrase("Your e-mails go to {address}.", address=address)
            return Response((Say(words),))
        if await _is_at_home(request):
            return request.reply(
                "This number is your account, so it stays logged in. "
                "/logout all ends all other connections."
            )
        await self._joining.leave(request.tx, update, request.seq)
        return request.reply("You are logged out here. /login brings you back.")

    async def _ask_number(self, request: Request) -> Response:
        await expect(request.tx, request.update.lane, "number")
        if request.update.channel == "telegram":
            return request.reply(
                "Share your own contact with me (📎, then Contact), or send me your number with "
                "its country code, like +225 07 01 02 03 04."
            )
        return request.reply("Send me your number with its country code, like +225 07 01 02 03 04.")

    async def _send_code(self, request: Request, number: str) -> Response:
        prefix = calling_code_of(number)
        try:
            issued = await self._codes.issue(request.tx, number, prefix, asker_of(request))
        except CodeRefused as error:
            return request.reply(str(error))
        way = await self._post.send(request.tx, number, issued, request.person.language)
        if way is None:
            await self._codes.withdraw(request.tx, issued.id)
            return request.reply("I cannot send codes here. Ask whoever runs this Griot.")
        return await tell_sent(request, number, way)

    async def _is_theirs(self, request: Request, number: str) -> bool:
        """Whether the number is the one of the account that is logged in."""
        account = request.person.account
        return account is not None and await number_of(request.tx, account) == number

    async def _known_number(self, request: Request) -> str:
        """The number of the account that is logged in, or empty."""
        account = request.person.account
        return "" if account is None else await number_of(request.tx, account)

    def _country(self, request: Request) -> str | None:
        """The country in which a number without its code is meant: that of the sender's own."""
        channel: Channel = request.update.channel
        if has_calling_code(request.argument) or channel not in VOUCHED:
            return None
        return country_of(request.update.sender.address) or None


def _tell_known(request: Request, number: str) -> Response:
    return request.reply(
        "You are logged in with {number}. For another one, send it with the command: "
        "/login +225 07 01 02 03 04",
        number=mask(number),
    )


async def tell_sent(request: Request, number: str, way: Channel) -> Response:
    """A code is on its way, and is awaited. What follows from it for good is said before."""
    await expect(request.tx, request.update.lane, "code")
    words = request.phrase(
        "I have sent a code to {number} by {channel}. Type it here within 5 minutes.",
        number=mask(number),
        channel=_NAMES[way],
    )
    if await _is_at_home(request):
        words += " " + request.phrase(
            "Then all that you have here goes to that account for good: credits, files, history."
        )
    return Response((Say(words),))


async def _is_at_home(request: Request) -> bool:
    """Whether they write from the very number whose account it is."""
    person = request.person
    if person.account is None or request.update.channel not in VOUCHED:
        return False
    return await number_of(request.tx, person.account) == person.address
