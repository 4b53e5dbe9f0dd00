"""Exercises of primary school: keys found again from the statement; options, hints and steps."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import pytest

from bot.practice.catalogue import all_generators, find_generator
from bot.practice.generator import Generator, Item
from tests.support.seeds import over_seeds

GRADES = {"CP", "CE1", "CE2", "CM1", "CM2"}
PRIMARY = [
    each for each in all_generators() if each.grade in GRADES and each.skill.startswith("maths.")
]
EVERY = pytest.mark.parametrize("generator", PRIMARY, ids=lambda each: each.skill)

NUMBER = re.compile(r"\d+/\d+|\d+(?:\.\d+)?")
FRACTION = re.compile(r"\\frac\{(\d+)\}\{(\d+)\}")
EQUALITY = re.compile(r"\$([^$]*[=<>][^$]*)\$")
GROUPED = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
UNITS = {"m": 1000, "cm": 10, "km": 10**6, "kg": 1000, "g": 1, "t": 10**6, "L": 100, "cL": 1}
PLACES = {"à la dizaine": 10, "à la centaine": 100, "au millier": 1000}
UNITS_IN_WORDS = {
    "centimètres": "cm",
    "mètres": "m",
    "grammes": "g",
    "centilitres": "cL",
    "kilogrammes": "kg",
}


def plain(text: str, language: str = "fr") -> str:
    """The text with numbers as Python writes them, without grouping; fractions as `3/4`."""
    text = FRACTION.sub(r"\1/\2", text).replace("\\,", "").replace("\u202f", "")
    text = text.replace("{,}", ",")
    if language != "fr":
        return GROUPED.sub("", text)
    return re.sub(r"(?<=\d),(?=\d)", ".", text)


def numbers(text: str, language: str = "fr") -> list[Fraction]:
    """All numbers of a text, in their order."""
    return [Fraction(found) for found in NUMBER.findall(plain(text, language))]


def evaluate(expression: str, language: str) -> Fraction:
    """The value of sums, products and quotients in LaTeX."""
    text = plain(expression, language).replace("\\times", "*").replace("\\div", "/")
    assert re.fullmatch(r"[\d+\-*/. ]+", text), text
    return Fraction(eval(NUMBER.sub(lambda found: f"Fraction('{found[0]}')", text)))


def read_minutes(text: str) -> int:
    """Minutes of the time or duration with which a French text begins: `3 h 05`."""
    hours, minutes = re.findall(r"\d+", text)[:2]
    return 60 * int(hours) + int(minutes)


def read_times(text: str) -> list[int]:
    """Minutes of all times and durations of a French text."""
    return [read_minutes(found) for found in re.findall(r"\d+ h \d+", text)]


# Every item -----------------------------------------------------------------------------------


@EVERY
@over_seeds(300)
def test_three_options_of_different_value(generator: Generator, seed: int, difficulty: int) -> None:
    item = generator.make(seed, difficulty=difficulty)
    if item.kind != "choice":
        assert item.misconceptions
        return
    assert len(item.options) >= 3
    single = [numbers(option)[0] for option in item.options if len(numbers(option)) == 1]
    assert len(set(single)) == len(single)
    durations = [read_minutes(option) for option in item.options if "min" in option]
    assert len(set(durations)) == len(durations)


@EVERY
@over_seeds(100)
def test_hints_and_feedback_do_not_hold_the_key(
    generator: Generator, seed: int, difficulty: int, language: str
) -> None:
    item = generator.make(seed, difficulty=difficulty, language=language)
    key = numbers(item.key, language)
    for hint in item.hints:
        if len(key) == 1:
            assert key[0] not in numbers(hint, language)
        elif key:
            assert plain(item.key, language) not in plain(hint, language)
        else:
            assert item.key not in hint
    if len(key) == 1 and key != [1]:
        for each in item.misconceptions:
            assert key[0] not in numbers(each.feedback, language)


@EVERY
@over_seeds(100)
def test_steps_are_true_and_end_in_the_key(
    generator: Generator, seed: int, difficulty: int, language: str
) -> None:
    item = generator.make(seed, difficulty=difficulty, language=language)
    last = item.steps[-1]
    if numbers(item.key, language):
        key, found = numbers(item.key, language), numbers(last, language)
        assert found[-len(key) :] == key or key[0] in found
    else:
        assert item.key in last
    for statement in EQUALITY.findall(" ".join(item.steps)):
        sides = re.split(r"([=<>])", statement)
        values = [evaluate(side, language) for side in sides[::2]]
        for sign, left, right in zip(sides[1::2], values, values[1:], strict=False):
            assert {"=": left == right, "<": left < right, ">": left > right}[sign], statement


@EVERY
@over_seeds(100)
def test_first_classes_need_no_product_and_no_quotient(
    generator: Generator, seed: int, difficulty: int
) -> None:
    if generator.grade not in ("CP", "CE1"):
        return
    item = generator.make(seed, difficulty=difficulty)
    said = " ".join([*item.hints, *item.steps, *(each.feedback for each in item.misconceptions)])
    assert "\\div" not in said
    assert "\\times" not in said or generator.skill == "maths.tables-2-5-10"


@pytest.mark.parametrize("skill", ["add-within-20", "subtract-within-20", "read-clock"])
@over_seeds(100)
def test_counting_is_written_out(skill: str, seed: int) -> None:
    item = make(f"maths.{skill}", seed, 1)
    counted = [int(each) for each in re.findall(r"\d+(?=,| et |\.| minutes)", item.steps[-2])]
    if skill == "read-clock":
        assert item.key.endswith("00") or counted == [5, 10, 15, 20, 25, 30]
    else:
        assert counted[-1] == int(item.key)
        assert {abs(b - a) for a, b in pairwise(counted)} <= {1}


@over_seeds(100)
def test_a_price_is_multiplied_by_its_digits(seed: int) -> None:
    steps = make("maths.multiply-one-digit", seed, 3).steps
    factors = re.findall(r"(\d+) \\times", " ".join(steps))
    assert all(len(each.rstrip("0")) == 1 for each in factors)


@pytest.mark.parametrize("skill", ["share-equally", "add-to-100"])
def test_stories_are_of_several_things(skill: str) -> None:
    stories = {re.sub(r"\d+", "", make(f"maths.{skill}", seed, 3).statement) for seed in range(40)}
    assert len(stories) >= 4


@EVERY
@over_seeds(100)
def test_answers_are_well_written(generator: Generator, seed: int, difficulty: int) -> None:
    item = generator.make(seed, difficulty=difficulty)
    assert not any(option.startswith(("-", "−")) for option in [item.key, *item.options])
    assert all(len(option) <= 24 for option in item.options)
    for answer in [item.key, *item.options, *(each.option for each in item.misconceptions)]:
        assert not re.search(r",\d*0\b", answer)


# Keys -----------------------------------------------------------------------------------------


def work_out(item: Item) -> Fraction:
    """The value of the operation that stands in the statement."""
    found = re.search(r"(?:Calcule|Combien font) \$([^$]*)\$", item.statement)
    assert found
    return evaluate(found[1], "fr")


def by_level(*finders: Callable[[Item], Fraction]) -> Callable[[Item], Fraction]:
    return lambda item: finders[item.difficulty - 1](item)


def total(item: Item) -> Fraction:
    return sum(numbers(item.statement), Fraction(0))


def difference(item: Item) -> Fraction:
    first, second = numbers(item.statement)
    return abs(first - second)


def product(item: Item) -> Fraction:
    first, second = numbers(item.statement)
    return first * second


def quotient(item: Item) -> Fraction:
    first, second = numbers(item.statement)
    return max(first, second) / min(first, second)


def greatest(item: Item) -> Fraction:
    return max(numbers(item.statement))


def one_of_many(item: Item) -> Fraction:
    count, mass = numbers(item.statement)[:2]
    return mass / count


def double_or_half(item: Item) -> Fraction:
    return numbers(item.statement)[0] * (2 if "double" in item.statement else Fraction(1, 2))


def tens_and_ones(item: Item) -> Fraction:
    tens, ones = numbers(item.statement)[0], numbers(item.statement)[-1]
    return 10 * tens + ones


def digit(item: Item) -> Fraction:
    number, place = re.findall(r"\$(\d+)\$.*chiffre des (\w+)", item.statement)[0]
    return Fraction(number[{"dizaines": -2, "unités": -1}[place]])


def decimal_digit(item: Item) -> Fraction:
    number = numbers(item.statement)[0]
    place = re.findall(r"chiffre des (\w+)", item.statement)[0]
    size = {
        "dizaines": Fraction(10),
        "unités": Fraction(1),
        "dixièmes": Fraction(1, 10),
        "centièmes": Fraction(1, 100),
    }[place]
    return Fraction(number // size % 10)


def ones_and_hundredths(item: Item) -> Fraction:
    ones, hundredths = numbers(item.statement)
    return ones + hundredths / 100


def change_from(given: int) -> Callable[[Item], Fraction]:
    return lambda item: Fraction(given) - sum(n for n in numbers(item.statement) if n != given)


def share(item: Item) -> Fraction:
    found = numbers(item.statement)
    more, fewer = max(found), min(found)
    return Fraction(more % fewer if item.difficulty == 3 else more // fewer)


def journeys(item: Item) -> Fraction:
    seats, people = numbers(item.statement)
    return Fraction(-(-people // seats))


def convert(item: Item) -> Fraction:
    target = next(UNITS_IN_WORDS[word] for word in UNITS_IN_WORDS if f" {word}" in item.statement)
    amounts = re.findall(r"(\d+) (km|cm|cL|kg|m|g|t|L)\b", item.statement)
    return Fraction(sum(int(amount) * UNITS[unit] for amount, unit in amounts), UNITS[target])


def fill(item: Item) -> Fraction:
    (amount, large), (size, small) = re.findall(r"(\d+) (cL|kg|g|L)\b", item.statement)
    return Fraction(int(amount) * UNITS[large], int(size) * UNITS[small])


def fraction_of(item: Item) -> Fraction:
    part, whole = numbers(item.statement)
    return part * whole


def rest_of_money(item: Item) -> Fraction:
    whole, part = numbers(item.statement)
    return whole - part * whole


def rest_of_field(item: Item) -> Fraction:
    return 1 - total(item)


def equal_fraction(item: Item) -> Fraction:
    return numbers(item.statement)[0]


def new_numerator(item: Item) -> Fraction:
    fraction, below = numbers(item.statement)
    return fraction * below


def perimeter(item: Item) -> Fraction:
    sides = numbers(item.statement)
    return 2 * (sides[0] + sides[-1])


def width(item: Item) -> Fraction:
    around, length = numbers(item.statement)
    return around / 2 - length


def area(item: Item) -> Fraction:
    sides = numbers(item.statement)
    return sides[0] * sides[1]


def area_around(item: Item) -> Fraction:
    length, wide, side = numbers(item.statement)
    return length * wide - side * side


def proportion(item: Item) -> Fraction:
    count, price, other = numbers(item.statement)
    return price * other / count


def count_for_sum(item: Item) -> Fraction:
    count, price, money = numbers(item.statement)
    return money * count / price


def percentage(item: Item) -> Fraction:
    whole, percent = numbers(item.statement)
    return whole * percent / 100


def reduced(item: Item) -> Fraction:
    whole, percent = numbers(item.statement)
    return whole - whole * percent / 100


def rounded(item: Item) -> Fraction:
    place = next(size for word, size in PLACES.items() if word in item.statement)
    near = [round(number / place) * place for number in numbers(item.statement)]
    return Fraction(sum(near))


def boxes(item: Item) -> Fraction:
    first, second = numbers(item.statement)
    return first / second if "Combien de boîtes" in item.statement else first * second


FINDERS: dict[str, Callable[[Item], Fraction]] = {
    "maths.add-to-100": by_level(work_out, work_out, total),
    "maths.add-within-20": by_level(work_out, work_out, difference),
    "maths.subtract-within-20": by_level(work_out, work_out, difference),
    "maths.tens-and-ones": by_level(tens_and_ones, digit, tens_and_ones),
    "maths.subtract-to-100": by_level(work_out, work_out, difference),
    "maths.double-half": double_or_half,
    "maths.tables-2-5-10": by_level(work_out, work_out, quotient),
    "maths.money-fcfa": by_level(total, change_from(500), change_from(1000)),
    "maths.add-to-1000": by_level(work_out, work_out, total),
    "maths.subtract-to-1000": by_level(work_out, work_out, difference),
    "maths.multiplication-tables": by_level(work_out, work_out, quotient),
    "maths.multiply-one-digit": by_level(work_out, work_out, product),
    "maths.share-equally": share,
    "maths.length-units": convert,
    "maths.multiply-two-digits": by_level(work_out, work_out, product),
    "maths.divide-one-digit": by_level(work_out, work_out, journeys),
    "maths.fraction-of-quantity": by_level(fraction_of, fraction_of, rest_of_money),
    "maths.decimal-place-value": by_level(decimal_digit, ones_and_hundredths, greatest),
    "maths.mass-capacity-units": by_level(convert, convert, fill),
    "maths.perimeter-rectangle": by_level(perimeter, perimeter, width),
    "maths.add-decimals": by_level(work_out, work_out, total),
    "maths.multiply-decimals": by_level(work_out, work_out, product),
    "maths.equivalent-fractions": by_level(equal_fraction, new_numerator, equal_fraction),
    "maths.add-fractions-same-denominator": by_level(work_out, work_out, rest_of_field),
    "maths.area-rectangle": by_level(area, area, area_around),
    "maths.proportionality-price": by_level(proportion, proportion, count_for_sum),
    "maths.percentage-simple": by_level(percentage, percentage, reduced),
    "maths.divide-decimals-by-10-100": by_level(work_out, work_out, one_of_many),
    "maths.round-numbers": rounded,
    "maths.multiply-by-10-100": by_level(work_out, work_out, boxes),
}
OTHERS = {
    "maths.compare-to-100",
    "maths.compare-fractions-same-denominator",
    "maths.compare-decimals",
    "maths.read-clock",
    "maths.durations",
}


def test_every_skill_has_its_key_found_again() -> None:
    assert {each.skill for each in PRIMARY} <= FINDERS.keys() | OTHERS


@pytest.mark.parametrize("skill", FINDERS)
@over_seeds(300)
def test_key_follows_from_the_statement(skill: str, seed: int, difficulty: int) -> None:
    item = make(skill, seed, difficulty)
    assert numbers(item.key) == [FINDERS[skill](item)]


def make(skill: str, seed: int, difficulty: int) -> Item:
    generator = find_generator(skill)
    assert generator
    return generator.make(seed, difficulty=difficulty)


@pytest.mark.parametrize(
    "skill",
    ["maths.compare-to-100", "maths.compare-fractions-same-denominator", "maths.compare-decimals"],
)
@over_seeds(300)
def test_comparisons_follow_from_the_statement(skill: str, seed: int, difficulty: int) -> None:
    item = make(skill, seed, difficulty)
    asked = numbers(item.statement)
    if "signe" in item.statement:
        first, second = asked
        assert item.key == ("<" if first < second else ">" if first > second else "=")
    elif "Range" in item.statement:
        assert numbers(item.key) == sorted(asked)
    elif "compris" in item.statement:
        within = [each for each in item.options if asked[0] < numbers(each)[0] < asked[1]]
        assert within == [item.key]
    elif "gagnante" in item.statement:
        assert numbers(item.key) == [min(asked)]
    else:
        assert numbers(item.key) == [max(asked)]


@over_seeds(300)
def test_hands_show_the_time(seed: int) -> None:
    for level in (1, 2):
        item = make("maths.read-clock", seed, level)
        *hour, mark = map(int, numbers(item.statement))
        assert read_minutes(item.key) == 60 * hour[0] + mark % 12 * 5
        assert len(hour) == (1 if mark == 12 else 2)


@over_seeds(300)
def test_later_times_and_durations_are_right(seed: int) -> None:
    later = make("maths.read-clock", seed, 3)
    assert read_minutes(later.key) == read_times(later.statement)[0] + numbers(later.statement)[-1]
    minutes = make("maths.durations", seed, 1)
    assert int(minutes.key) == read_times(minutes.statement)[0]
    lasting = make("maths.durations", seed, 2)
    start, end = read_times(lasting.statement)
    assert read_minutes(lasting.key) == end - start
    arrival = make("maths.durations", seed, 3)
    start, journey = read_times(arrival.statement)
    assert read_minutes(arrival.key) == start + journey < 24 * 60
