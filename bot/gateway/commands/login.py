"""Log in and out, and prove an e-mail address: by a code, or by a contact shared on Telegram."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Final

import structlog

from bot.accounts.aliases import find_first_number
from bot.accounts.email_addresses import parse_address
from bot.accounts.ledger import balance_of_snapshot
from bot.accounts.one_time_codes import PLACE, Asker, CodeRefused, Issued, OneTimeCodes, Tried
from bot.accounts.people import email_of, number_of
from bot.accounts.phone_numbers import (
    InvalidNumber,
    calling_code_of,
    country_of,
    has_calling_code,
    has_country,
    is_number,
    mask,
    parse_mobile,
    parse_number,
)
from bot.billing.packs import explain_credits
from bot.contracts.channels import CodeService
from bot.contracts.storage import Database, Transaction
from bot.errors import CodeUnsent, PersonError, ToolFailed
from bot.gateway.commands.preferences import greet, one_message
from bot.gateway.commands.reply import CommandHandler, CommandRequest, Reply, ask_to_log_in
from bot.gateway.delivery.notify import Notifier
from bot.gateway.inbound.command_parser import EVERYWHERE_WORDS, REMOVE_WORDS
from bot.gateway.inbound.conversation_effects import expect_input
from bot.gateway.outbox_rows import find_reported
from bot.gateway.people.linking import AccountLinking
from bot.i18n import fold, say, say_count
from bot.messages.channels import CHANNELS, CODE_CHANNELS, WEB, Channel
from bot.messages.incoming import Person, Said, SharedContact, TypedCode, Update
from bot.messages.outgoing import Say, SendEmail, TextBody, decode_body
from bot.storage.accounts import set_email

_NOBODY: Final = "none"
log = structlog.get_logger()


class NoAnswer(PersonError):
    """The code service does not answer, through no fault of the person."""

    code = "unavailable"


class CodeVerification:
    def __init__(self, database: Database, codes: OneTimeCodes, service: CodeService) -> None:
        self._database = database
        self._codes = codes
        self._service = service

    async def send(self, number: str, issued: Issued, language: str) -> Channel:
        """Send a code to a number (E.164); return the channel that it was sent by.

        Raises:
            CodeRefused, NoAnswer: no code was sent, and none is counted for the person.
        """
        try:
            return await self._service.send(number, again=issued.again)
        except (CodeUnsent, ConnectionError) as error:
            await self._database.write(lambda tx: self._codes.withdraw(tx, issued.id))
            raise _explain_refusal(error, language) from None

    async def prove(self, tried: Tried, sealed: str, language: str, number: str = "") -> str:
        """Return the number or address that a typed code proves; empty: none.

        The caller has to call `OneTimeCodes.use` next.

        Args:
            tried: the codes that may be meant.
            sealed: the typed code as `OneTimeCodes.keep_typed` returned it.
            number: asked about in any case, so that it does not show whether it has a code.

        Raises:
            NoAnswer: the service does not answer.
        """
        own = self._codes.match(_of_mailboxes(tried), sealed)
        typed = self._codes.read_typed(sealed)
        asked = {target for target in tried.targets.values() if "@" not in target}
        proven = ""
        for each in sorted(asked | {number} - {"", _NOBODY}):
            if typed and await self._check(each, typed, language) and each in asked:
                proven = each
        return own or proven

    async def _check(self, number: str, typed: str, language: str) -> bool:
        try:
            return await self._service.check(number, typed)
        except ConnectionError as error:
            log.warning("code_unchecked", reason=str(error))
            raise _explain_refusal(error, language) from None


def _of_mailboxes(tried: Tried) -> Tried:
    """Keep only the codes to e-mail addresses, which are our own and not the service's."""
    kept = {code_id: target for code_id, target in tried.targets.items() if "@" in target}
    return Tried(kept)


def _explain_refusal(error: CodeUnsent | ConnectionError, language: str) -> PersonError:
    if isinstance(error, ConnectionError):
        return NoAnswer(
            say(language, "I cannot send codes right now. Please try again in a few minutes.")
        )
    if error.too_many:
        return CodeRefused(say(language, "You asked for many codes. Please try again in an hour."))
    return CodeRefused(say(language, "No code can be sent to this number. Try another one."))


ProveNumber = Callable[[Transaction, Update, str], Awaitable[None]]
"""Stores that the number (E.164) is the sender's own on their channel, with all that it has."""


SendCode = Callable[[Transaction, str, Issued, str], Awaitable[Channel | None]]
"""Sends a code to a number (E.164) in a language, within the transaction that issues it; returns
the channel used, None if there is none. Raises `CodeRefused` if nothing may be sent there."""


class LoginCommands:
    def __init__(
        self,
        codes: OneTimeCodes,
        send_code: SendCode,
        joining: AccountLinking,
        prove_number: ProveNumber,
    ) -> None:
        self._codes = codes
        self._send_code = send_code
        self._joining = joining
        self._prove_number = prove_number

    async def begin(self, request: CommandRequest, send_code: SendCode | None = None) -> Reply:
        """Answer `/login`, with or without a number.

        Args:
            send_code: replaces the function by which codes are sent.
        """
        channel = request.update.channel
        if channel == WEB:
            return _explain_web_login(request)
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
        return await self._issue_code(request, number, send_code or self._send_code)

    async def prove(self, request: CommandRequest, proof: TypedCode | SharedContact) -> Reply:
        """Answer a typed code or a shared contact card."""
        if isinstance(proof, SharedContact):
            return await self._prove_by_card(request, proof)
        asker = asker_of(request)
        tried = await self._codes.take_tries(request.tx, asker)
        proven = self._codes.match(tried, proof.sealed)
        await self._codes.use(request.tx, proven, asker)
        used = "" if proven else await self._codes.find_used(request.tx, proof.sealed, asker)
        if used and await self._is_theirs(request, used):  # the message came twice
            return request.reply("You are logged in with this number already.")
        return await self.let_in(request, proven, can_retry=tried.can_retry)

    async def let_in(self, request: CommandRequest, proven: str, *, can_retry: bool) -> Reply:
        """Log the sender in with a number, or store an address, that they have proven; empty: the
        code was wrong.

        Args:
            can_retry: a wrong code can be typed again.
        """
        if not proven and can_retry:
            return request.reply(
                "This code is wrong or too old. Look again and type it, or ask for another: /login"
            )
        if not proven:
            return request.reply("The code no longer works. Ask for a new one: /login")
        if "@" in proven:
            return await self._enter_mailbox(request, proven)
        return await self._enter(request, proven)

    async def _enter_mailbox(self, request: CommandRequest, address: str) -> Reply:
        """Store a proven address as that of the sender's account."""
        await expect_input(request.tx, request.update.lane, "")
        account = request.person.account
        if account is None:
            return ask_to_log_in(request.person.language)
        await set_email(request.tx, account, address)
        await self._joining.tell_of_mailbox(request.tx, account, request.update, address)
        return request.reply("Your e-mails go to {address}.", address=address)

    async def _prove_by_card(self, request: CommandRequest, card: SharedContact) -> Reply:
        """Log the sender in with their own contact card, which proves their number; a forwarded
        card proves nothing. Someone else's card is a message to the agent, if the sender has an
        account."""
        if CHANNELS[request.update.channel].user_ids and not await self._known_number(request):
            return await self._take_number_of_card(request, card)
        if not card.owner or card.owner != request.update.sender.address:
            if request.person.account is not None:
                return Reply(follow_up=Said(f"[contact: {card.name} {card.phone}]"))
            return request.reply("To log in, share your own contact, not someone else's.")
        try:
            number = parse_number(card.phone)
        except InvalidNumber:
            number = ""
        if not has_country(number):
            return request.reply("I do not know this kind of number.")
        return await self._enter(request, number)

    async def _take_number_of_card(self, request: CommandRequest, card: SharedContact) -> Reply:
        """Take the number from the card of a person who is known by a user id alone.

        A card that answers our request proves the number of its account. Any other card only claims
        a number, which a code has to prove.
        """
        number = card.owner if is_number(card.owner) else ""
        if not number or not await _answers_request(request, card):
            return await self.begin(replace(request, argument=number or card.phone))
        await self._prove_number(request.tx, request.update, number)
        await expect_input(request.tx, request.update.lane, "")
        return request.reply("Thank you! I have noted your number, {number}.", number=mask(number))

    async def _enter(self, request: CommandRequest, number: str) -> Reply:
        """Log the sender in with `number` (E.164), which they have proven."""
        person = await self._joining.join(
            request.tx, request.update, request.person, number, request.seq
        )
        entered = replace(request, person=person)
        balance = await balance_of_snapshot(request.tx, person.account or 0)
        words = entered.phrase("You are logged in. Welcome! Credits: {number}.", number=balance)
        if balance:
            words += " " + explain_credits(person.language, request.least_credits)
        await expect_input(request.tx, request.update.lane, "")
        question = await greet(request.tx, person, request.update.lane)
        return Reply((one_message(Say(words), *question),))

    async def end(self, request: CommandRequest) -> Reply:
        """Answer `/logout`: log out here, or everywhere else."""
        person, update = request.person, request.update
        if person.account is None:
            return request.reply("You are not logged in.")
        if fold(request.argument) in EVERYWHERE_WORDS:
            ended = await self._joining.leave_others(request.tx, update, person, request.seq)
            words = (
                say_count(
                    person.language,
                    "Done: {number} other connection is ended.",
                    "Done: {number} other connections are ended.",
                    ended,
                )
                if ended
                else request.phrase("There is no other connection.")
            )
            if address := await email_of(request.tx, person.account):
                words += " " + request.phrase("Your e-mails go to {address}.", address=address)
            return Reply((Say(words),))
        if await _is_at_home(request):
            return request.reply(
                "This number is your account, so it stays logged in. "
                "/logout all ends all other connections."
            )
        await self._joining.leave(request.tx, update, request.seq)
        return request.reply("You are logged out here. /login brings you back.")

    async def _ask_number(self, request: CommandRequest) -> Reply:
        await expect_input(request.tx, request.update.lane, "number")
        if CHANNELS[request.update.channel].shares_contact:
            return request.reply(
                "Share your own contact with me (📎, then Contact), or send me your number with "
                "its country code, like +225 07 01 02 03 04."
            )
        words = request.phrase(
            "Send me your number with its country code, like +225 07 01 02 03 04."
        )
        return Reply((Say(words, asks_number=True),))

    async def _issue_code(self, request: CommandRequest, number: str, send_code: SendCode) -> Reply:
        prefix = calling_code_of(number)
        try:
            issued = await self._codes.issue(request.tx, number, prefix, asker_of(request))
            way = await send_code(request.tx, number, issued, request.person.language)
        except CodeRefused as error:
            return request.reply(str(error))
        if way is None:
            await self._codes.withdraw(request.tx, issued.id)
            return request.reply("I cannot send codes here. Ask whoever runs this Griot.")
        return await tell_sent(request, number, way)

    async def _is_theirs(self, request: CommandRequest, number: str) -> bool:
        """Return whether the number is the one of the account that is logged in."""
        account = request.person.account
        return account is not None and await number_of(request.tx, account) == number

    async def _known_number(self, request: CommandRequest) -> str:
        """Return the number of the account that is logged in, or empty."""
        account = request.person.account
        return "" if account is None else await number_of(request.tx, account)

    def _country(self, request: CommandRequest) -> str | None:
        """Return the country of a number without its calling code: that of the sender's own number;
        None: unknown, or the number has its code."""
        channel: Channel = request.update.channel
        if has_calling_code(request.argument) or not CHANNELS[channel].phone_is_identity:
            return None
        return country_of(find_first_number(request.update.sender.address)) or None


async def _answers_request(request: CommandRequest, card: SharedContact) -> bool:
    """Return whether a card answers our request for a number in this conversation."""
    row = await find_reported(request.tx, card.request) if card.request else None
    if row is None or row["lane"] != request.update.lane:
        return False
    body = decode_body(row["body"])
    return isinstance(body, TextBody) and body.asks_number


def _explain_web_login(request: CommandRequest) -> Reply:
    if request.person.account is not None:
        return request.reply("You are logged in. To use another number, first send /logout.")
    return request.reply("Log in on the page: your number first, then the code.")


def _tell_known(request: CommandRequest, number: str) -> Reply:
    return request.reply(
        "You are logged in with {number}. For another one, send it with the command: "
        "/login +225 07 01 02 03 04",
        number=mask(number),
    )


async def tell_sent(request: CommandRequest, number: str, way: Channel) -> Reply:
    """Say that a code was sent, and expect it; warn of what cannot be undone afterwards."""
    await expect_input(request.tx, request.update.lane, "code")
    words = request.phrase(
        "I have sent a code to {number} by {channel}. Type it here within 5 minutes.",
        number=mask(number),
        channel=CHANNELS[way].display_name,
    )
    if await _is_at_home(request):
        words += " " + request.phrase(
            "Then all that you have here goes to that account for good: credits, files, history."
        )
    return Reply((Say(words),))


async def _is_at_home(request: CommandRequest) -> bool:
    """Return whether the person writes from the very number that their account has."""
    person = request.person
    if person.account is None or not CHANNELS[request.update.channel].phone_is_identity:
        return False
    return await number_of(request.tx, person.account) == person.address


class EmailCommand:
    def __init__(self, codes: OneTimeCodes, notifier: Notifier) -> None:
        self._codes = codes
        self._notifier = notifier

    async def begin(self, request: CommandRequest) -> Reply:
        """Answer `/email ADDRESS`: send a code there. Without an address, tell the known one."""
        account = request.person.account
        if account is None:
            return ask_to_log_in(request.person.language)
        if not self._notifier.has_email:
            return request.reply("No mail is set up here. Ask whoever runs this Griot.")
        if fold(request.argument) in REMOVE_WORDS:
            await set_email(request.tx, account, "")
            return request.reply("Done: I will not e-mail you any more.")
        if not request.argument:
            known = await email_of(request.tx, account)
            return (
                request.reply("Your e-mails go to {address}.", address=known)
                if known
                else request.reply("Send your address, like this: /email name@example.org")
            )
        return await self._send_code(request)

    async def _send_code(self, request: CommandRequest) -> Reply:
        try:
            address = parse_address(request.argument)
            issued = await self._codes.issue(request.tx, address, "", asker_of(request))
        except ToolFailed:
            return request.reply("Send your address, like this: /email name@example.org")
        except CodeRefused as error:
            return request.reply(str(error))
        words = request.phrase(
            "{code} is your Griot code, for 5 minutes. Give it to nobody.", code=PLACE
        )
        lane, subject = request.update.lane, request.phrase("Your Griot code")
        email = SendEmail((address,), subject, words, code_id=issued.id)
        await self._notifier.hand_over_email(request.tx, email, key=f"code:{issued.id}", owner=lane)
        await expect_input(request.tx, lane, "code")
        return request.reply(
            "I have sent a code to {address}. Type it here within 5 minutes.", address=address
        )


def asker_of(request: CommandRequest) -> Asker:
    update = request.update
    return Asker(update.channel, update.sender.address, request.person.language)


class VerifiedLoginCommands:
    """Answers `/login` and typed codes; both are a `SlowCommandHandler`."""

    def __init__(
        self,
        database: Database,
        codes: OneTimeCodes,
        logins: LoginCommands,
        proving: CodeVerification,
    ) -> None:
        self._database = database
        self._codes = codes
        self._logins = logins
        self._proving = proving

    async def begin(self, person: Person, update: Update, argument: str) -> Reply | CommandHandler:
        """Answer `/login`, with or without a number."""
        issued_to: dict[str, Issued] = {}

        async def send_later(_: Transaction, number: str, issued: Issued, __: str) -> Channel:
            issued_to[number] = issued
            return CODE_CHANNELS[0]

        async def plan(tx: Transaction) -> Reply:
            issued_to.clear()
            request = CommandRequest(tx, person, update, 0, argument)
            return await self._logins.begin(request, send_later)

        response = await self._database.write(plan)
        if not issued_to:
            return response
        [(number, issued)] = issued_to.items()
        try:
            way = await self._proving.send(number, issued, person.language)
        except PersonError as error:
            return _await_nothing(str(error))
        return lambda request: tell_sent(request, number, way)

    async def prove(self, person: Person, update: Update, sealed: str) -> Reply | CommandHandler:
        """Answer a typed code, which the service checks."""
        asker = Asker(update.channel, update.sender.address, person.language)
        tried = await self._database.write(lambda tx: self._codes.take_tries(tx, asker))
        try:
            proven = await self._proving.prove(tried, sealed, person.language)
        except NoAnswer as error:
            return Reply((Say(str(error)),))

        async def respond(request: CommandRequest) -> Reply:
            await self._codes.use(request.tx, proven, asker)
            return await self._logins.let_in(request, proven, can_retry=tried.can_retry)

        return respond


def _await_nothing(words: str) -> CommandHandler:
    async def respond(request: CommandRequest) -> Reply:
        await expect_input(request.tx, request.update.lane, "")
        return Reply((Say(words),))

    return respond
