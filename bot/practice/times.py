"""Reading the clock and working with durations in primary school."""

from __future__ import annotations

from bot.practice.generator import Draw, Item, generates
from bot.practice.mistakes import say_each


def write_time(draw: Draw, minutes: int) -> str:
    """A time of day, given in minutes from midnight: `3 h 05` or `3:05`."""
    return write_clock(draw, minutes // 60, minutes % 60)


def write_clock(draw: Draw, hour: int, minute: int) -> str:
    """A time as a pupil might write it: the minutes may be 60 or more."""
    return draw.say(f"{hour} h {minute:02}", f"{hour}:{minute:02}")


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
    where = (f"sur {hour}", f"points to {hour}")
    if minute:
        where = (f"entre {hour} et {hour + 1}", f"is between {hour} and {hour + 1}")
    wrong = [
        (write_clock(draw, mark, hour * 5 % 60), "hands-swapped"),
        (write_clock(draw, hour, mark), "minutes-read-as-the-number"),
        (write_clock(draw, hour + 1, minute), "next-hour"),
    ]
    exercise = draw.exercise(
        "read_clock", where=where, mark=mark, v1=_read_hands(draw, hour, minute)
    )
    return exercise.choice(write_clock(draw, hour, minute), *wrong)


def _read_hands(draw: Draw, hour: int, minute: int) -> list[str]:
    time = write_clock(draw, hour, minute)
    plural = "s" if hour > 1 else ""
    long_hand = (
        f"Grande aiguille : ${minute // 5} \\times 5 = {minute}$ minutes.",
        f"Long hand: ${minute // 5} \\times 5 = {minute}$ minutes.",
    )
    if not minute:
        long_hand = (
            "Grande aiguille sur 12 : l'heure juste, sans minutes.",
            "Long hand on 12: exactly on the hour, no minutes.",
        )
    return say_each(
        draw,
        (
            f"Petite aiguille : {hour} heure{plural}{f' passée{plural}' if minute else ''}.",
            f"Short hand: {'past ' if minute else ''}{hour} o'clock.",
        ),
        long_hand,
        (f"Il est {time}.", f"It is {time}."),
    )


def _find_later_time(draw: Draw) -> Item:
    hour, minute = draw.between(7, 11), 5 * draw.between(6, 11)
    added = 5 * draw.between(13 - minute // 5, 9)
    start = 60 * hour + minute
    to_hour = 60 - minute
    key = write_time(draw, start + added)
    wrong = [
        (write_clock(draw, hour, minute + added), "minutes-past-sixty"),
        (write_clock(draw, hour, minute + added - 60), "hour-not-changed"),
        (write_time(draw, start - added), "time-taken-away"),
    ]
    exercise = draw.exercise(
        "find_later_time",
        time_start=write_time(draw, start),
        added=added,
        to_hour=to_hour,
        clock_hour_plus_1_0=write_clock(draw, hour + 1, 0),
    )
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

    began, ended = write_time(draw, start), write_time(draw, end)
    full = write_clock(draw, start_hour + 1, 0)
    key = f"{hours} h {minutes:02} min"
    exercise = draw.exercise(
        "find_duration",
        began=began,
        ended=ended,
        full=full,
        start_minute=start_minute,
        end_hour=end_hour,
        start_hour=start_hour,
        end_minute=end_minute,
    )
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
    after_hours = write_time(draw, start + 60 * hours)
    key = write_time(draw, end)
    wrong = [
        (write_clock(draw, hour + hours, minute + minutes), "minutes-past-sixty"),
        (write_clock(draw, hour + hours, end % 60), "carried-hour-forgotten"),
        (write_time(draw, start + 60 * hours), "minutes-forgotten"),
    ]
    exercise = draw.exercise(
        "find_arrival",
        time_start=write_time(draw, start),
        hours=hours,
        minutes=minutes,
        after_hours=after_hours,
        minute=minute,
    )
    return exercise.choice(key, *wrong)
