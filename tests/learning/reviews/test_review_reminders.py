"""The days and the hour of reminders: read, found by the person's clock, and fading."""

from __future__ import annotations

import time
from datetime import date, datetime, timedelta

import pytest

from bot.contracts.storage import Database, Transaction
from bot.i18n import find_zone
from bot.learning.reviews.review_reminders import (
    DAYS,
    Nudge,
    Schedule,
    adopt_schedule,
    bring_forward,
    find_next_moment,
    has_minutes,
    is_schedule,
    list_due_groups,
    list_due_nudges,
    note_nudged,
    note_waiting,
    parse_schedule,
    read_schedule,
    set_schedule,
    skip_group,
    stop_nudges,
)
from tests.support.queries import (
    FromNow,
    add_row,
    add_rows,
    change_rows,
    read_clock,
    read_row,
    read_rows,
)

ABIDJAN = "Africa/Abidjan"
PARIS = "Europe/Paris"
MWF = ("mon", "wed", "fri")
EVERY_DAY = Schedule(DAYS, 18)


@pytest.mark.parametrize(
    ("words", "days", "hour"),
    [
        ("18h lun mer ven", MWF, 18),
        ("ven MER lun 18h00", MWF, 18),
        ("6pm mon, wed, fri", MWF, 18),
        ("6 p.m. Monday and Friday", ("mon", "fri"), 18),
        ("18:00 sam dim", ("sat", "sun"), 18),
        ("à 7h le mardi et le jeudi", ("tue", "thu"), 7),
        ("12am sun", ("sun",), 0),
        ("12pm sun", ("sun",), 12),
        ("0h sun", ("sun",), 0),
        ("20 h mar", ("tue",), 20),
        ("19h", DAYS, 19),
        ("every day 9:00", DAYS, 9),
        ("tous les jours 9h", DAYS, 9),
        ("lun", ("mon",), 18),
        ("à 19 heures le mardi", ("tue",), 19),
        ("lun-ven 18h", DAYS[:5], 18),
        ("du lundi au vendredi à 18h", DAYS[:5], 18),
        ("sam - mar 9h", ("mon", "tue", "sat", "sun"), 9),
        ("en semaine 17h", DAYS[:5], 17),
        ("le week-end 10h", ("sat", "sun"), 10),
        ("chaque lundi 18h", ("mon",), 18),
        ("every Monday 6pm", ("mon",), 18),
        ("tous les lundis et jeudis", ("mon", "thu"), 18),
        ("tous les soirs 7h", DAYS, 19),
        ("6h du matin", DAYS, 6),
    ],
)
def test_days_and_hours_are_read_in_both_languages(
    words: str, days: tuple[str, ...], hour: int
) -> None:
    assert parse_schedule(words) == Schedule(days, hour)


@pytest.mark.parametrize(
    "words",
    ["", "24h lun", "18h30 lun", "13pm lun", "18h 19h lun", "lun foo", "fractions", "à", "le soir"],
)
def test_other_words_are_no_schedule(words: str) -> None:
    assert parse_schedule(words) is None
    assert not is_schedule(words)


@pytest.mark.parametrize(
    ("words", "expected"),
    [("18h30 lun", True), ("à 6:30pm", True), ("18h00 lun", False), ("24h30", False), ("", False)],
)
def test_a_schedule_with_minutes_is_told_from_other_words(words: str, expected: bool) -> None:
    assert has_minutes(words) is expected


def test_days_alone_keep_the_hour_that_was_chosen() -> None:
    assert parse_schedule("lun", Schedule(DAYS, 7)) == Schedule(("mon",), 7)


def at(zone: str, *moment: int) -> float:
    return datetime(*moment, tzinfo=find_zone(zone)).timestamp()  # type: ignore[arg-type]


def describe(moment: float, zone: str) -> str:
    return datetime.fromtimestamp(moment, find_zone(zone)).isoformat(timespec="minutes")


def test_the_next_moment_is_later_today_or_on_the_next_day() -> None:
    tuesday = at(ABIDJAN, 2026, 11, 24, 12)
    moment = find_next_moment(Schedule(MWF, 18), ABIDJAN, tuesday)
    assert describe(moment, ABIDJAN) == "2026-11-25T18:00+00:00"
    assert find_next_moment(Schedule(MWF, 18), ABIDJAN, moment - 1) == moment
    following = find_next_moment(Schedule(MWF, 18), ABIDJAN, moment)
    assert describe(following, ABIDJAN) == "2026-11-27T18:00+00:00"


def test_the_hour_stays_when_clocks_are_changed() -> None:
    saturday = at(PARIS, 2026, 10, 24, 18)
    moments = [saturday]
    for _ in range(2):
        moments.append(find_next_moment(EVERY_DAY, PARIS, moments[-1]))
    assert [describe(each, PARIS) for each in moments] == [
        "2026-10-24T18:00+02:00",
        "2026-10-25T18:00+01:00",
        "2026-10-26T18:00+01:00",
    ]


def test_an_hour_that_clocks_skip_or_repeat_comes_once() -> None:
    skipped = Schedule(DAYS, 2)
    moment = find_next_moment(skipped, PARIS, at(PARIS, 2026, 3, 29, 0))
    assert describe(moment, PARIS) == "2026-03-29T03:00+02:00"
    assert describe(find_next_moment(skipped, PARIS, moment), PARIS) == "2026-03-30T02:00+02:00"
    first = find_next_moment(skipped, PARIS, at(PARIS, 2026, 10, 25, 0))
    assert describe(first, PARIS) == "2026-10-25T02:00+02:00"
    assert describe(find_next_moment(skipped, PARIS, first), PARIS) == "2026-10-26T02:00+01:00"


def test_a_day_may_be_too_early() -> None:
    tuesday = at(ABIDJAN, 2026, 11, 24, 12)
    moment = find_next_moment(EVERY_DAY, ABIDJAN, tuesday, not_before=date(2026, 12, 1))
    assert describe(moment, ABIDJAN) == "2026-12-01T18:00+00:00"


async def choose(database: Database, schedule: Schedule, account: int = 7) -> None:
    await database.write(
        lambda tx: set_schedule(tx, account, schedule, zone=ABIDJAN, channel="telegram")
    )


async def test_what_was_chosen_is_kept_until_it_is_ended(database: Database) -> None:
    assert await database.read(lambda tx: read_schedule(tx, 7)) == (None, None)
    await choose(database, Schedule(MWF, 18))
    schedule, nudge_at = await database.read(lambda tx: read_schedule(tx, 7))
    assert schedule == Schedule(MWF, 18)
    assert nudge_at is not None
    assert datetime.fromtimestamp(nudge_at, find_zone(ABIDJAN)).hour == 18
    await database.write(lambda tx: stop_nudges(tx, 7))
    assert await database.read(lambda tx: read_schedule(tx, 7)) == (None, None)


@pytest.mark.parametrize(
    ("ignored", "answered", "days"), [(1, False, 1), (2, False, 7), (4, False, 7), (2, True, 1)]
)
async def test_after_three_that_were_ignored_the_next_is_in_a_week(
    database: Database, ignored: int, answered: bool, days: int
) -> None:
    await choose(database, EVERY_DAY)
    columns = {"nudged_at": FromNow(-60), "ignored": ignored}
    await change_rows(database, "review", columns | {"nudge_at": FromNow(86_340)})
    if answered:
        values = {"account": 7, "subject": "maths", "topic": "", "correct": 1, "source": "review"}
        await add_row(database, "result", key="r", **values, at=FromNow(-30))
    _, next_at = await database.read(lambda tx: read_schedule(tx, 7))
    assert next_at is not None
    assert (days - 0.5) * 86_400 < next_at - await read_clock(database) < (days + 0.9) * 86_400


async def test_who_was_reminded_today_is_not_again_for_another_hour(database: Database) -> None:
    await choose(database, EVERY_DAY)
    await change_rows(database, "review", {"nudged_at": FromNow(0)})
    today = datetime.fromtimestamp((await read_row(database, "review"))["nudged_at"], find_zone(""))
    for hour in (0, 12, 23):
        await choose(database, Schedule(DAYS, hour))
        nudge_at = (await read_row(database, "review"))["nudge_at"]
        moment = datetime.fromtimestamp(nudge_at, find_zone(ABIDJAN))
        assert moment.date() == today.date() + timedelta(days=1)


# Fading -----------------------------------------------------------------------------------------


async def look(database: Database, *, answered: bool = False) -> Nudge:
    """Look at the reminder a day after the last one."""
    await change_rows(database, "review", {"nudge_at": FromNow(-1)})
    if answered:
        await add_row(database, "result", key="r", account=7, at=FromNow(0), source="quiz")
    [nudge] = await database.write(lambda tx: list_due_nudges(tx, 10))
    return nudge


async def pass_days(database: Database, days: float) -> None:
    row = await read_row(database, "review")
    if row["nudged_at"] is not None:
        await change_rows(database, "review", {"nudged_at": row["nudged_at"] - days * 86_400})


async def test_three_ignored_come_once_a_week_and_three_more_stop(database: Database) -> None:
    await choose(database, EVERY_DAY)
    steps: list[str] = []
    for _ in range(40):
        nudge = await look(database)
        steps.append(nudge.step)
        if nudge.step == "stop":
            break
        if nudge.step == "send":
            await database.write(lambda tx, nudge=nudge: note_nudged(tx, [nudge]))
        else:
            await database.write(lambda tx, nudge=nudge: note_waiting(tx, [nudge]))
        await pass_days(database, 1)
    week = ["wait"] * 6
    weekly = [*week, "send"] * 3
    assert steps == ["send", "send", "send", *weekly, *week, "stop"]


async def test_a_weekly_reminder_waits_for_the_first_chosen_day_after_a_week(
    database: Database,
) -> None:
    await choose(database, EVERY_DAY)
    await change_rows(database, "review", {"nudged_at": FromNow(-86_400), "ignored": 2})
    nudge = await look(database)
    assert nudge.step == "wait"
    await database.write(lambda tx: note_waiting(tx, [nudge]))
    row = await read_row(database, "review")
    last, following = (
        datetime.fromtimestamp(row[name], find_zone(ABIDJAN)) for name in ("nudged_at", "nudge_at")
    )
    assert (following.date() - last.date()).days == 7


async def test_a_clock_that_went_back_delays_reminders_by_a_day_at_most(
    database: Database,
) -> None:
    await choose(database, EVERY_DAY)
    await change_rows(database, "review", {"nudged_at": FromNow(90 * 86_400)})
    await choose(database, EVERY_DAY)
    row = await read_row(database, "review")
    assert row["nudge_at"] - time.time() < 2 * 86_400


@pytest.mark.parametrize(("ignored", "most"), [(0, 2), (-1, 2), (2, 8)])
async def test_reminders_come_forward_after_the_clock_was_set_back(
    database: Database, ignored: int, most: int
) -> None:
    await choose(database, EVERY_DAY)
    ahead = {"nudged_at": FromNow(30 * 86_400), "nudge_at": FromNow(31 * 86_400)}
    await change_rows(database, "review", {**ahead, "ignored": ignored})
    assert await database.write(bring_forward) == 1
    row = await read_row(database, "review")
    assert row["nudged_at"] <= time.time()
    tomorrow = datetime.now(find_zone(ABIDJAN)).date() + timedelta(days=1)
    moment = datetime.fromtimestamp(row["nudge_at"], find_zone(ABIDJAN))
    assert tomorrow <= moment.date() <= tomorrow + timedelta(days=most - 1)
    assert await database.write(bring_forward) == 0
    assert await read_row(database, "review") == row


async def test_reminders_that_are_planned_rightly_stay(database: Database) -> None:
    await choose(database, Schedule(("mon",), 9))
    [nudge] = [await look(database)]
    await database.write(lambda tx: note_nudged(tx, [nudge]))
    await change_rows(database, "review", {"ignored": 2})
    nudge = await look(database)
    await database.write(lambda tx: note_waiting(tx, [nudge]))
    row = await read_row(database, "review")
    assert await database.write(bring_forward) == 0
    assert await read_row(database, "review") == row


async def test_an_answer_begins_anew(database: Database) -> None:
    await choose(database, EVERY_DAY)
    await change_rows(database, "review", {"nudged_at": FromNow(-86_400), "ignored": 4})
    nudge = await look(database, answered=True)
    assert (nudge.step, nudge.ignored) == ("send", 0)


async def test_choosing_days_begins_anew(database: Database) -> None:
    await choose(database, EVERY_DAY)
    await change_rows(database, "review", {"nudged_at": FromNow(-86_400), "ignored": 5})
    await choose(database, Schedule(MWF, 9))
    nudge = await look(database)
    assert (nudge.step, nudge.ignored) == ("send", 0)


async def test_what_is_hours_late_waits_for_the_next_day(database: Database) -> None:
    await choose(database, EVERY_DAY)
    await change_rows(database, "review", {"nudge_at": FromNow(-4 * 3600)})
    [nudge] = await database.write(lambda tx: list_due_nudges(tx, 10))
    assert nudge.step == "wait"
    await database.write(lambda tx: note_waiting(tx, [nudge]))
    assert await database.write(lambda tx: list_due_nudges(tx, 10)) == []


@pytest.mark.parametrize("most", [1, 2, 100])
async def test_who_has_nothing_due_is_skipped_in_groups(database: Database, most: int) -> None:
    zones = [ABIDJAN if account % 3 else PARIS for account in range(1, 10)]
    rows = [
        {"account": account, "days": "mon", "hour": 9, "zone": zone, "nudge_at": FromNow(-1)}
        for account, zone in enumerate(zones, 1)
    ]
    await add_rows(database, "review", rows)
    cards = [{"account": account, "key": "", "due_at": FromNow(-5)} for account in (2, 3)]
    await add_rows(database, "card", [{"lane": "", **card} for card in cards])
    groups = await database.read(lambda tx: list_due_groups(tx, most))
    assert len(groups) == -(-6 // most) + -(-3 // most)
    for group in groups:
        await database.write(lambda tx, group=group: skip_group(tx, group, all_of_it=False))
    left = await database.write(lambda tx: list_due_nudges(tx, 100))
    assert [(nudge.account, nudge.due) for nudge in left] == [(2, 1), (3, 1)]
    for group in groups:
        await database.write(lambda tx, group=group: skip_group(tx, group, all_of_it=True))
    assert await database.write(lambda tx: list_due_nudges(tx, 100)) == []


# Accounts that become one -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "own", "stays"),
    [("mon", "", "mon"), ("mon", None, "mon"), ("mon", "tue", "tue"), ("", "tue", "tue")],
)
async def test_of_two_accounts_the_schedule_in_use_stays(
    database: Database, old: str, own: str | None, stays: str
) -> None:
    chosen = {7: old} if own is None else {7: old, 8: own}
    rows = [{"account": account, "days": days} for account, days in chosen.items()]
    await add_rows(database, "review", rows)

    async def work(tx: Transaction) -> None:
        await adopt_schedule(tx, 7, 8)

    await database.write(work)
    found = await read_rows(database, "review")
    assert [(row["account"], row["days"]) for row in found] == [(8, stays)]
