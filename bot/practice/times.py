"""Reading the clock and working with durations in primary school."""

from __future__ import annotations

from bot.practice.generator import Draw, Item, generates
from bot.practice.notation import write_clock, write_time


@generates("maths.read-clock", "CE1")
def read_clock(draw: Draw) -> Item:
    """Whole and half hours, then five minutes, then the time some minutes later."""
    if draw.difficulty == 3:
        return _find_later_time(draw)
    minute = (
        draw.one_of([0, 30])
        if draw.difficulty == 1
        else 5 * draw.one_of([1, 2, 3, 4, 5, 7, 8, 9, 10])
    )
    mark = minute // 5 or 12
    hour = draw.one_of([hour for hour in range(1, 12) if mark not in (hour, hour + 1)])
    wrong = [
        (write_clock(mark, hour * 5 % 60), "hands-swapped"),
        (write_clock(hour, mark), "minutes-read-as-the-number"),
        (write_clock(hour + 1, minute), "next-hour"),
    ]
    exercise = draw.exercise("read_clock", hour=hour, minute=minute, mark=mark)
    return exercise.choice(write_clock(hour, minute), *wrong)


def _find_later_time(draw: Draw) -> Item:
    hour, minute = draw.between(7, 11), 5 * draw.between(6, 11)
    added = 5 * draw.between(13 - minute // 5, 9)
    start = 60 * hour + minute
    to_hour = 60 - minute
    key = write_time(start + added)
    wrong = [
        (write_clock(hour, minute + added), "minutes-past-sixty"),
        (write_clock(hour, minute + added - 60), "hour-not-changed"),
        (write_time(start - added), "time-taken-away"),
    ]
    exercise = draw.exercise("find_later_time", start=start, added=added, to_hour=to_hour)
    return exercise.choice(key, *wrong)


@generates("maths.durations", "CM1")
def durations(draw: Draw) -> Item:
    """Hours and minutes in minutes, the time between two moments, the time of arrival."""
    return draw.by_level(_write_in_minutes, _find_duration, _find_arrival)(draw)


def _write_in_minutes(draw: Draw) -> Item:
    hours, minutes = draw.between(1, 4), 5 * draw.between(2, 11)
    key = 60 * hours + minutes
    return draw.exercise("write_in_minutes", hours=hours, minutes=minutes).open(
        key,
        (100 * hours + minutes, "a-hundred-minutes-in-an-hour"),
        (hours + minutes, "hours-and-minutes-added"),
        (60 * hours, "stopped-early"),
        unit="min",
    )


def _find_duration(draw: Draw) -> Item:
    start_hour, start_minute = draw.between(7, 15), 5 * draw.between(5, 10)
    end_hour = start_hour + draw.between(2, 4)
    # Twenty minutes less would make two of the wrong answers the same length of time.
    end_minute = draw.one_of([n for n in range(5, start_minute - 5, 5) if start_minute - n != 20])
    start, end = 60 * start_hour + start_minute, 60 * end_hour + end_minute
    hours, minutes = divmod(end - start, 60)

    key = f"{hours} h {minutes:02} min"
    exercise = draw.exercise("find_duration", start=start, end=end)
    return exercise.choice(
        key,
        (f"{hours} h {minutes + 40:02} min", "hour-of-a-hundred-minutes"),
        (f"{hours + 1} h {start_minute - end_minute:02} min", "smaller-minutes-taken-off"),
        (f"{hours + 1} h {minutes:02} min", "one-hour-too-many"),
    )


def _find_arrival(draw: Draw) -> Item:
    hour, minute = draw.between(6, 13), 5 * draw.between(4, 11)
    hours, minutes = draw.between(2, 6), 5 * draw.between(13 - minute // 5, 11)
    start = 60 * hour + minute
    end = start + 60 * hours + minutes
    key = write_time(end)
    wrong = [
        (write_clock(hour + hours, minute + minutes), "minutes-past-sixty"),
        (write_clock(hour + hours, end % 60), "carried-hour-forgotten"),
        (write_time(start + 60 * hours), "minutes-forgotten"),
    ]
    exercise = draw.exercise("find_arrival", start=start, hours=hours, minutes=minutes)
    return exercise.choice(key, *wrong)
