"""Reading the clock and working with durations in primary school."""

from __future__ import annotations

from typing import Final

from bot.practice.generator import Draw, Item, generates
from bot.practice.mistakes import (
    STOPPED_EARLY,
    MistakeKind,
    mistake,
    say_each,
)

MINUTES_PAST_SIXTY: Final = MistakeKind(
    ("minutes au-delà de 60", "minutes past 60"),
    (
        "Une heure a 60 minutes, pas 100 : au-delà de 60, une heure de plus.",
        "An hour has 60 minutes, not 100: past 60, it is one more hour.",
    ),
)
HANDS_SWAPPED: Final = MistakeKind(
    ("aiguilles échangées", "hands swapped"),
    (
        "Tu as échangé les aiguilles : la petite montre les heures.",
        "You swapped the hands: the short one shows the hours.",
    ),
)
MINUTES_READ_AS_THE_NUMBER: Final = MistakeKind(
    ("minutes lues comme le nombre", "minutes read as the number"),
    (
        "Chaque nombre du cadran vaut 5 minutes pour la grande aiguille.",
        "Each number on the clock is 5 minutes for the long hand.",
    ),
)
NEXT_HOUR: Final = MistakeKind(
    ("heure suivante", "next hour"),
    (
        "La petite aiguille n'a pas encore atteint l'heure suivante.",
        "The short hand has not reached the next hour yet.",
    ),
)
HOUR_NOT_CHANGED: Final = MistakeKind(
    ("heure non changée", "hour not changed"),
    (
        "Tu as passé une heure pleine : l'heure change aussi.",
        "You went past a full hour: the hour changes as well.",
    ),
)
TIME_TAKEN_AWAY: Final = MistakeKind(
    ("temps enlevé", "time taken away"),
    (
        "Tu as reculé : on demande l'heure plus tard.",
        "You went back: you are asked for a later time.",
    ),
)
CARRIED_HOUR_FORGOTTEN: Final = MistakeKind(
    ("heure de retenue oubliée", "carried hour forgotten"),
    (
        "Les minutes ont passé une heure pleine : ajoute-la aux heures.",
        "The minutes went past a full hour: add it to the hours.",
    ),
)
MINUTES_FORGOTTEN: Final = MistakeKind(
    ("minutes oubliées", "minutes forgotten"),
    (
        "Tu as ajouté les heures : ajoute aussi les minutes.",
        "You added the hours: add the minutes as well.",
    ),
)
A_HUNDRED_MINUTES_IN_AN_HOUR: Final = MistakeKind(
    ("cent minutes par heure", "a hundred minutes in an hour"),
    (
        "Une heure n'a pas cent minutes. Regarde un cadran !",
        "An hour does not have a hundred minutes. Look at a clock!",
    ),
)
HOURS_AND_MINUTES_ADDED: Final = MistakeKind(
    ("heures et minutes additionnées", "hours and minutes added"),
    (
        "Tu as additionné des heures et des minutes : change d'abord les heures.",
        "You added hours and minutes: change the hours first.",
    ),
)
HOUR_OF_A_HUNDRED_MINUTES: Final = MistakeKind(
    ("heure de cent minutes", "hour of a hundred minutes"),
    (
        "Tu as compté 100 minutes dans une heure.",
        "You counted 100 minutes in an hour.",
    ),
)
SMALLER_MINUTES_TAKEN_OFF: Final = MistakeKind(
    ("petites minutes ôtées des grandes", "smaller minutes taken off the greater"),
    (
        "Les minutes du départ sont plus grandes : avance d'heure en heure.",
        "The minutes at the start are greater: go on hour by hour.",
    ),
)
ONE_HOUR_TOO_MANY: Final = MistakeKind(
    ("une heure de trop", "one hour too many"),
    (
        "Les minutes sont justes : recompte les heures pleines.",
        "The minutes are right: count the full hours again.",
    ),
)


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
        mistake(draw, write_clock(draw, mark, hour * 5 % 60), HANDS_SWAPPED),
        mistake(draw, write_clock(draw, hour, mark), MINUTES_READ_AS_THE_NUMBER),
        mistake(draw, write_clock(draw, hour + 1, minute), NEXT_HOUR),
    ]
    return draw.choice(
        draw.say(
            f"La petite aiguille est {where[0]} et la grande aiguille est sur {mark}. "
            "Quelle heure est-il ?",
            f"The short hand {where[1]} and the long hand points to {mark}. What time is it?",
        ),
        key=write_clock(draw, hour, minute),
        wrong=wrong,
        hints=say_each(
            draw,
            (
                "La petite aiguille montre les heures, la grande les minutes.",
                "The short hand shows the hours, the long one the minutes.",
            ),
            (
                "Pour les minutes, compte de 5 en 5 à partir du 12.",
                "For the minutes, count in fives from the 12.",
            ),
        ),
        steps=_read_hands(draw, hour, minute),
    )


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
        mistake(
            draw,
            write_clock(draw, hour, minute + added),
            MINUTES_PAST_SIXTY,
        ),
        mistake(draw, write_clock(draw, hour, minute + added - 60), HOUR_NOT_CHANGED),
        mistake(draw, write_time(draw, start - added), TIME_TAKEN_AWAY),
    ]
    return draw.choice(
        draw.say(
            f"Il est {write_time(draw, start)}. Quelle heure sera-t-il dans {added} minutes ?",
            f"It is {write_time(draw, start)}. What time will it be in {added} minutes?",
        ),
        key=key,
        wrong=wrong,
        hints=say_each(
            draw,
            (
                "Avance d'abord jusqu'à l'heure pleine suivante.",
                "First go on to the next full hour.",
            ),
            (
                f"Jusqu'à l'heure pleine, il y a {to_hour} minutes. Combien en reste-t-il ?",
                f"It is {to_hour} minutes to the full hour. How many are left?",
            ),
        ),
        steps=[
            draw.say(
                f"Jusqu'à {write_clock(draw, hour + 1, 0)}, il y a {to_hour} minutes.",
                f"It is {to_hour} minutes to {write_clock(draw, hour + 1, 0)}.",
            ),
            draw.say(
                f"Il reste ${added} - {to_hour} = {added - to_hour}$ minutes.",
                f"There are ${added} - {to_hour} = {added - to_hour}$ minutes left.",
            ),
            draw.say(f"Il sera {key}.", f"It will be {key}."),
        ],
    )


@generates("maths.durations", "CM1")
def durations(draw: Draw) -> Item:
    """Hours and minutes in minutes, the time between two moments, the time of arrival."""
    return draw.by_level(_write_in_minutes, _find_duration, _find_arrival)(draw)


def _write_in_minutes(draw: Draw) -> Item:
    hours, minutes = draw.between(1, 4), 5 * draw.between(2, 11)
    key = 60 * hours + minutes
    return draw.open(
        draw.say(
            f"Combien de minutes y a-t-il dans {hours} h {minutes} min ?",
            f"How many minutes are there in {hours} h {minutes} min?",
        ),
        key=key,
        wrong=[
            mistake(draw, 100 * hours + minutes, A_HUNDRED_MINUTES_IN_AN_HOUR),
            mistake(draw, hours + minutes, HOURS_AND_MINUTES_ADDED),
            mistake(draw, 60 * hours, STOPPED_EARLY),
        ],
        hints=say_each(
            draw,
            ("Combien de minutes y a-t-il dans une heure ?", "How many minutes are in an hour?"),
            (
                f"${hours} \\times 60 = {60 * hours}$. Ajoute les minutes.",
                f"${hours} \\times 60 = {60 * hours}$. Add the minutes.",
            ),
        ),
        steps=[
            f"${hours} \\times 60 = {60 * hours}$",
            f"${60 * hours} + {minutes} = {key}$",
        ],
        unit="min",
    )


def _find_duration(draw: Draw) -> Item:
    start_hour, start_minute = draw.between(7, 15), 5 * draw.between(5, 10)
    end_hour = start_hour + draw.between(2, 4)
    # Twenty minutes less would make two of the wrong answers the same length of time.
    end_minute = draw.one_of([n for n in range(5, start_minute - 5, 5) if start_minute - n != 20])
    start, end = 60 * start_hour + start_minute, 60 * end_hour + end_minute
    hours, minutes = divmod(end - start, 60)
    to_hour = 60 - start_minute
    began, ended = write_time(draw, start), write_time(draw, end)
    full = write_clock(draw, start_hour + 1, 0)
    key = f"{hours} h {minutes:02} min"
    return draw.choice(
        draw.say(
            f"Une réunion commence à {began} et finit à {ended}. Combien de temps dure-t-elle ?",
            f"A meeting begins at {began} and ends at {ended}. How long does it last?",
        ),
        key=key,
        wrong=[
            mistake(draw, f"{hours} h {minutes + 40:02} min", HOUR_OF_A_HUNDRED_MINUTES),
            mistake(
                draw, f"{hours + 1} h {start_minute - end_minute:02} min", SMALLER_MINUTES_TAKEN_OFF
            ),
            mistake(draw, f"{hours + 1} h {minutes:02} min", ONE_HOUR_TOO_MANY),
        ],
        hints=say_each(
            draw,
            (
                "Avance du début jusqu'à l'heure pleine, puis jusqu'à la fin.",
                "Go on from the start to the full hour, then to the end.",
            ),
            (
                f"De {began} à {full}, il y a {to_hour} min.",
                f"From {began} to {full} it is {to_hour} min.",
            ),
        ),
        steps=say_each(
            draw,
            (f"De {began} à {full} : {to_hour} min.", f"From {began} to {full}: {to_hour} min."),
            (
                f"De {full} à {ended} : {end_hour - start_hour - 1} h {end_minute:02} min.",
                f"From {full} to {ended}: {end_hour - start_hour - 1} h {end_minute:02} min.",
            ),
            (f"En tout : {key}.", f"Altogether: {key}."),
        ),
    )


def _find_arrival(draw: Draw) -> Item:
    hour, minute = draw.between(6, 13), 5 * draw.between(4, 11)
    hours, minutes = draw.between(2, 6), 5 * draw.between(13 - minute // 5, 11)
    start = 60 * hour + minute
    end = start + 60 * hours + minutes
    after_hours = write_time(draw, start + 60 * hours)
    key = write_time(draw, end)
    wrong = [
        mistake(
            draw,
            write_clock(draw, hour + hours, minute + minutes),
            MINUTES_PAST_SIXTY,
        ),
        mistake(draw, write_clock(draw, hour + hours, end % 60), CARRIED_HOUR_FORGOTTEN),
        mistake(draw, write_time(draw, start + 60 * hours), MINUTES_FORGOTTEN),
    ]
    return draw.choice(
        draw.say(
            f"Un car part à {write_time(draw, start)}. "
            f"Le trajet dure {hours} h {minutes:02} min. À quelle heure arrive-t-il ?",
            f"A coach leaves at {write_time(draw, start)}. "
            f"The journey takes {hours} h {minutes:02} min. At what time does it arrive?",
        ),
        key=key,
        wrong=wrong,
        hints=say_each(
            draw,
            ("Ajoute d'abord les heures, puis les minutes.", "Add the hours, then the minutes."),
            (
                f"{hours} h plus tard, il est {after_hours}. Ajoute encore {minutes} min.",
                f"{hours} h later it is {after_hours}. Add {minutes} min more.",
            ),
        ),
        steps=say_each(
            draw,
            (
                f"{hours} h après le départ, il est {after_hours}.",
                f"{hours} h after the start it is {after_hours}.",
            ),
            (
                f"${minute} + {minutes} = {minute + minutes}$ minutes, "
                f"c'est 1 h {minute + minutes - 60:02} min.",
                f"${minute} + {minutes} = {minute + minutes}$ minutes, "
                f"that is 1 h {minute + minutes - 60:02} min.",
            ),
            (f"Le car arrive à {key}.", f"The coach arrives at {key}."),
        ),
    )
