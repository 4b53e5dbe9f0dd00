"""Answer `/review` with days and an hour, to be reminded then; say that no review is due."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from bot.contracts.storage import Transaction
from bot.gateway.commands.reply import CommandRequest, Reply, ask_to_log_in
from bot.gateway.lanes import accepts_notices
from bot.i18n import FAR, find_zone, say, say_count, write_day, write_time
from bot.learning.quiet_hours import QuietHours
from bot.learning.reviews.cards import count_due
from bot.learning.reviews.next_review import count_reviewed_today
from bot.learning.reviews.review_reminders import (
    DAYS,
    Schedule,
    find_impossible_hour,
    has_minutes,
    is_off,
    parse_schedule,
    read_schedule,
    set_schedule,
    stop_nudges,
)
from bot.messages.channels import PUSH_CHANNELS
from bot.messages.incoming import Person
from bot.messages.outgoing import Say

_FRENCH_DAYS: Final = ("lun", "mar", "mer", "jeu", "ven", "sam", "dim")


async def choose_days(request: CommandRequest, quiet: QuietHours) -> Reply:
    """Answer `/review 18h lun mer ven`, `/review off`."""
    account = request.person.account
    if account is None:
        return ask_to_log_in(request.person.language)
    if is_off(request.argument):
        await stop_nudges(request.tx, account)
        return request.reply("I no longer remind you to review. /review works at any time.")
    known, _ = await read_schedule(request.tx, account)
    chosen = parse_schedule(request.argument, known)
    if chosen is None:
        return _explain_unreadable(request)
    person = request.person
    if quiet.covers(chosen.hour):
        return request.reply(
            "From {start} to {end} I write to nobody. Choose another hour, such as /review 18h.",
            start=write_time(person.language, quiet.start),
            end=write_time(person.language, quiet.end),
        )
    await set_schedule(request.tx, account, chosen, zone=person.timezone, channel=person.channel)
    words = request.phrase(
        "When something is due, I write to you: {days}, {hour}. /review off ends it.",
        days=_name_days(person.language, chosen),
        hour=write_time(person.language, chosen.hour),
    )
    if not await accepts_notices(request.tx, request.update.lane):
        words += " " + (
            request.phrase("But you wanted no more messages here.")
            if request.is_one_way
            else request.phrase(
                "But you wanted no more messages here: write START to get them again."
            )
        )
    elif person.channel not in PUSH_CHANNELS:
        words += " " + request.phrase("It comes to your phone, where you write to me too.")
    return Reply((Say(words),))


def _explain_unreadable(request: CommandRequest) -> Reply:
    """Return the reply to words that are no schedule, which says what is wrong with them."""
    if has_minutes(request.argument):
        return request.reply("I remind at full hours only: /review 18h mon wed fri, for example.")
    if hour := find_impossible_hour(request.argument):
        return request.reply(
            "There is no hour {hour}: choose one from 0 to 23, such as /review 18h.", hour=hour
        )
    return request.reply("Write an hour and days: /review 18h mon wed fri. Or: /review off")


async def describe_rest(tx: Transaction, person: Person, lane: str, a_day: int) -> str:
    """Return the message for when there is no exercise to review (any more): that none is due, or
    that it is enough for today, and when the next one comes."""
    language = person.language
    cards = await count_due(tx, person.account or 0, lane)
    if cards.due and await count_reviewed_today(tx, person, lane) >= a_day:
        return say_count(
            language,
            "That was today’s review: {number} waits for tomorrow.",
            "That was today’s review: {number} wait for tomorrow.",
            cards.due,
        )
    if cards.next_at is None:
        return say(
            language,
            "Nothing to review yet. Do some exercises, /practice: I bring them back to you before "
            "you forget them.",
        )
    zone = find_zone(person.timezone)
    now, next_one = (datetime.fromtimestamp(at, zone) for at in (cards.now, cards.next_at))
    if now.date() == next_one.date():
        return say(
            language,
            "Nothing more to review now. The next: today at {time}.",
            time=write_time(language, next_one.hour, next_one.minute),
        )
    if next_one.date() == now.date() + timedelta(days=1):
        return say(language, "Nothing more to review now. The next: tomorrow.")
    is_far = next_one - now > FAR
    day = write_day(language, next_one.date(), whole=True, with_year=is_far)
    return say(language, "Nothing more to review now. The next: {day}.", day=day)


def write_schedule(language: str, schedule: Schedule) -> str:
    """Return the command that chooses this schedule."""
    names = _FRENCH_DAYS if language == "fr" else DAYS
    days = " ".join(names[DAYS.index(day)] for day in schedule.days)
    return say(language, "/review {hour}h {days}", hour=schedule.hour, days=days)


def _name_days(language: str, schedule: Schedule) -> str:
    from babel.dates import get_day_names  # imported on first use: babel is slow to load

    if len(schedule.days) == len(DAYS):
        return say(language, "every day")
    names = get_day_names("wide", locale=language)
    return ", ".join(names[DAYS.index(day)] for day in schedule.days)
