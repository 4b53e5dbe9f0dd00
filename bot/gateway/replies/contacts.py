"""A shared contact: it logs its sender in if, and only if, it is the sender's own."""

from __future__ import annotations

from bot.accounts.numbers import InvalidNumber, parse_number
from bot.accounts.people import People
from bot.contracts import Transaction
from bot.gateway.replies.commands import Response
from bot.messages import Person, Say, SharedContact, Update
from bot.texts import say


async def respond(
    tx: Transaction, person: Person, update: Update, contact: SharedContact, people: People
) -> Response:
    """Log the sender in by their own contact card; a forwarded one proves nothing."""
    if not contact.owner or contact.owner != update.sender.address:
        words = say(person.language, "To log in, share your own contact, not someone else's.")
        return Response((Say(words),))
    try:
        phone = parse_number(contact.phone)
    except InvalidNumber:
        return Response((Say(say(person.language, "I do not know this kind of number.")),))
    known = await people.log_in(tx, update.channel, update.sender, phone)
    return Response((Say(say(known.language, "You are logged in. Welcome!")),))
