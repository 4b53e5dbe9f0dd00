"""`/email`: an address of one's own, proven by a code, to which letters and reminders may go."""

from __future__ import annotations

from bot.accounts.codes import PLACE, Asker, CodeRefused, Codes
from bot.accounts.profile import email_of, set_email
from bot.errors import ToolFailed
from bot.gateway.receiving.arguments import REMOVE
from bot.gateway.receiving.expectations import expect
from bot.gateway.replies.response import Request, Response
from bot.mail.addresses import parse_address
from bot.mail.letters import Body, New, keep
from bot.settings import Settings
from bot.texts import fold


class Mailboxes:
    def __init__(self, settings: Settings, codes: Codes) -> None:
        self._is_open = bool(settings.smtp_url and settings.mail_from)
        self._codes = codes

    async def begin(self, request: Request) -> Response:
        """`/email ADDRESS`: a code goes there. Alone, it tells the address."""
        account = request.person.account
        if account is None:
            return request.reply("Log in with /login first: I keep nothing of guests.")
        if not self._is_open:
            return request.reply("No mail is set up here. Ask whoever runs this Griot.")
        if fold(request.argument) in REMOVE:
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

    async def _send_code(self, request: Request) -> Response:
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
        body = Body((address,), words, code_id=issued.id)
        subject = request.phrase("Your Griot code")
        lane = request.update.lane
        await keep(request.tx, New(f"code:{issued.id}", None, lane, subject, body))
        await expect(request.tx, lane, "code")
        return request.reply(
            "I have sent a code to {address}. Type it here within 5 minutes.", address=address
        )


def asker_of(request: Request) -> Asker:
    update = request.update
    return Asker(update.channel, update.sender.address, request.person.language)
