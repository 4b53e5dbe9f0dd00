"""Exercises on decimals: places and comparing (CM1), sums, products, quotients (CM2 and 6e)."""

from __future__ import annotations

from decimal import Decimal

from bot.practice.generator import Draw, Item, generates
from bot.practice.notation import Pair, make_decimal, write_number


@generates("maths.add-decimals", "CM2")
def add_decimals(draw: Draw) -> Item:
    """Ask to add tenths with a carry, then tenths and hundredths, then three masses in a story."""
    return draw.by_level(_add_tenths, _add_tenths_and_hundredths, _add_masses)(draw)


def _add_tenths(draw: Draw) -> Item:
    tenth_a = draw.between(3, 9)
    tenth_b = draw.between(11 - tenth_a, 9)
    whole_a, whole_b = draw.between(2, 9), draw.between(2, 9)
    a, b = make_decimal(10 * whole_a + tenth_a, 1), make_decimal(10 * whole_b + tenth_b, 1)
    key = a + b
    tenths = tenth_a + tenth_b
    exercise = draw.exercise("add_tenths", a=a, b=b, tenth_a=tenth_a, tenth_b=tenth_b)
    return exercise.choice(
        key,
        (make_decimal(100 * (whole_a + whole_b) + tenths, 2), "whole-and-decimal-parts-apart"),
        (key - 1, "no-carry"),
        (key * 10, "misplaced-comma"),
    )


def _add_tenths_and_hundredths(draw: Draw) -> Item:
    whole_a, tenth_a = draw.between(2, 9), draw.between(2, 5)
    whole_b, part_b = draw.between(1, 9), 10 * draw.between(1, 4) + draw.between(1, 9)
    a, b = make_decimal(10 * whole_a + tenth_a, 1), make_decimal(100 * whole_b + part_b, 2)
    if draw.flip():
        a, b = b, a
    key = a + b
    exercise = draw.exercise(
        "add_tenths_and_hundredths",
        a=a,
        b=b,
        whole_a=whole_a,
        tenth_a=tenth_a,
        whole_b=whole_b,
        part_b=part_b,
    )
    return exercise.choice(
        key,
        (
            make_decimal(100 * (whole_a + whole_b) + tenth_a + part_b, 2),
            "tenths-added-to-hundredths",
        ),
        (make_decimal(10 * whole_a + tenth_a + 100 * whole_b + part_b, 2), "lined-up-on-the-right"),
        (key * 10, "misplaced-comma"),
    )


def _add_masses(draw: Draw) -> Item:
    a = make_decimal(10 * draw.between(1, 4) + draw.between(1, 9), 1)
    b = make_decimal(100 * draw.between(1, 4) + draw.one_of([25, 75, 35, 45, 65]), 2)
    c = draw.between(2, 5)
    key = a + b + c
    return draw.exercise("add_masses", a=a, b=b, c=c).open(
        key,
        (a + b, "stopped-early"),
        (a + b + make_decimal(c, 1), "whole-number-badly-lined-up"),
        (key * 10, "misplaced-comma"),
        unit="kg",
    )


@generates("maths.multiply-decimals", "CM2")
def multiply_decimals(draw: Draw) -> Item:
    """Ask to multiply by a whole number, then by a decimal, then for a price by the kilogram."""
    if draw.difficulty == 3:
        return _pay_by_weight(draw)
    by = draw.between(4, 9)
    # A product that ends in zero would lose a digit after the point.
    tenth = draw.one_of([n for n in range(3, 10) if n * by % 10])
    whole = draw.between(1, 6)
    a = make_decimal(10 * whole + tenth, 1)
    b, places = (Decimal(by), 1) if draw.difficulty == 1 else (make_decimal(by, 1), 2)
    digits = (10 * whole + tenth) * by
    key = a * b
    apart = make_decimal(whole * by * 100 + tenth * by, 2)
    exercise = draw.exercise(
        "multiply_decimals", a=a, b=b, tenth=tenth, whole=whole, by=by, digits=digits, places=places
    )
    return exercise.choice(
        key,
        (make_decimal(digits, places - 1), "misplaced-comma"),
        (make_decimal(digits, places + 1), "misplaced-comma"),
        (apart, "whole-and-decimal-parts-apart") if draw.difficulty == 1 else (a + b, "added"),
        (a + b, "added"),
    )


def _pay_by_weight(draw: Draw) -> Item:
    name, prices = draw.one_of(
        [
            (("de riz", "of rice"), (450, 500, 550, 600)),
            (("de tomates", "of tomatoes"), (500, 600, 700, 800)),
            (("de mil", "of millet"), (300, 350, 400)),
            (("de poisson", "of fish"), (1500, 1800, 2000)),
        ]
    )
    price = draw.one_of(prices)
    tenths = draw.one_of([15, 25, 35, 12, 14, 16, 18, 24])
    mass = make_decimal(tenths, 1)
    key = price * tenths // 10
    whole = tenths // 10
    exercise = draw.exercise(
        "pay_by_weight",
        name=name,
        price=price,
        mass=mass,
        whole=whole,
        rest=make_decimal(tenths % 10, 1),
        tenths=tenths,
    )
    return exercise.open(
        key,
        (price * tenths, "misplaced-comma"),
        (price * whole, "stopped-early"),
        (price + mass, "added"),
        unit="FCFA",
    )


_PLACES: tuple[Pair, ...] = (
    ("dizaines", "tens"),
    ("unités", "ones"),
    ("dixièmes", "tenths"),
    ("centièmes", "hundredths"),
)


@generates("maths.decimal-place-value", "CM1")
def decimal_place_value(draw: Draw) -> Item:
    """Ask for the digit of a place, then a number from its places, then the greatest of three."""
    return draw.by_level(_find_digit, _write_places, _find_greatest)(draw)


def _find_digit(draw: Draw) -> Item:
    digits = draw.random.sample(range(1, 10), 4)
    number = make_decimal(int("".join(map(str, digits))), 2)
    asked = draw.between(0, 3)
    place = _PLACES[asked]
    wrong = [(digits[index], _explain_place(asked, index)) for index in range(4) if index != asked]
    exercise = draw.exercise("find_digit", number=number, place=place, digits=digits, asked=asked)
    return exercise.choice(digits[asked], *wrong)


def _explain_place(asked: int, given: int) -> str:
    """Return the mistake of a pupil who gives the digit of one place for another."""
    if {asked, given} == {0, 2}:
        return "tens-and-tenths-mixed"
    return "wrong-side-of-the-point" if asked // 2 != given // 2 else "neighbouring-place"


def _write_places(draw: Draw) -> Item:
    whole = draw.between(2, 9)
    tenth, hundredth = draw.one_of([0, draw.between(2, 9)]), draw.between(2, 9)
    part = 10 * tenth + hundredth
    key = make_decimal(100 * whole + part, 2)
    exercise = draw.exercise(
        "write_places", whole=whole, part=part, tenth=tenth, hundredth=hundredth
    )
    return exercise.choice(
        key,
        (make_decimal(10 * whole + part, 1), "hundredths-taken-as-tenths"),
        (make_decimal(1000 * whole + part, 3), "hundredths-taken-as-thousandths"),
        (100 * whole + part, "point-left-out"),
    )


def _draw_lengths(draw: Draw) -> list[tuple[Decimal, int]]:
    """Draw three numbers, the greatest first, each with how many digits it has after the point.

    The greatest is not the longest, and not always the shortest.
    """
    whole, tenth = draw.between(0, 9), draw.between(3, 9)
    lengths = draw.one_of([(1, 2, 3), (1, 3, 2), (2, 1, 3), (2, 3, 1)])
    tails = {1: 0, 2: 10 * draw.between(5, 9), 3: 10 * draw.between(0, 4) + 8}
    if lengths[0] == 2:
        tails[2] = 10 * draw.between(1, 4)
    return [
        (make_decimal(1000 * whole + 100 * (tenth - less) + tails[length], 3), length)
        for less, length in enumerate(lengths)
    ]


def _find_greatest(draw: Draw) -> Item:
    (greatest, places), *others = _draw_lengths(draw)
    wrong = [
        (other, "most-digits" if length > places else "fewest-digits") for other, length in others
    ]
    tenth = int(greatest * 10) % 10
    numbers = [greatest, *(other for other, _ in others)]
    draw.random.shuffle(numbers)
    return draw.exercise("find_greatest", numbers=numbers, tenth=tenth).choice(greatest, *wrong)


@generates("maths.compare-decimals", "CM1")
def compare_decimals(draw: Draw) -> Item:
    """Ask for the sign between two decimals, then for three in order, then for a number between two
    or the best time of a race."""
    hard = draw.one_of([_find_between, _find_best_time])
    return draw.by_level(_choose_decimal_sign, _choose_decimal_order, hard)(draw)


def _write_hundredths(number: Decimal) -> Pair:
    """Write a number in LaTeX with two digits after the point, even where they are zeros."""
    return f"{number:.2f}".replace(".", "{,}"), f"{number:.2f}"


def _choose_decimal_sign(draw: Draw) -> Item:
    """Ask for the sign between a number of tenths and one of hundredths, which may be the same."""
    tenths = 10 * draw.between(1, 9) + draw.between(2, 8)
    short = make_decimal(tenths, 1)
    hundredths = draw.one_of(
        [10 * tenths, 10 * (tenths - 1) + draw.between(5, 9), 10 * (tenths + 1) + 5]
    )
    long = make_decimal(hundredths, 2)
    swapped = draw.flip()
    first, second = (long, short) if swapped else (short, long)
    key = "=" if first == second else "<" if first < second else ">"
    # The name of the mistake says which of the two was taken for the greater one.
    named = {"<": "fewest-digits" if swapped else "most-digits", "=": "decimals-taken-as-equal",
             ">": "most-digits" if swapped else "fewest-digits"}  # fmt: skip
    wrong = [
        (sign, "zero-counted" if key == "=" else name)
        for sign, name in named.items()
        if sign != key
    ]
    written = tuple(map(_write_hundredths, (first, second)))
    shown = (written[0], second) if swapped else (first, written[1])
    exercise = draw.exercise(
        "choose_decimal_sign",
        shown=shown,
        short=short,
        filled=_write_hundredths(short),
        written=written,
    )
    return exercise.choice(key, *wrong)


def _draw_close(
    draw: Draw, whole: int, *, longest_is_least: bool
) -> tuple[Decimal, Decimal, Decimal]:
    """Draw numbers with one, two and three digits after the point, and this whole part.

    The one with two digits is the greatest. The one with three is the least, or between.
    """
    base = 10 * whole + draw.between(3, 8)
    hundredths = 10 * base + draw.between(2, 9)
    thousandths = 100 * base + draw.between(2, 9)
    if longest_is_least:
        thousandths = 100 * (base - 1) + 10 * draw.between(5, 9) + draw.between(1, 9)
    return make_decimal(base, 1), make_decimal(hundredths, 2), make_decimal(thousandths, 3)


def _choose_decimal_order(draw: Draw) -> Item:
    short, middle, long = _draw_close(draw, draw.between(1, 9), longest_is_least=draw.flip())
    rising = sorted((short, middle, long))
    asked = rising.copy()
    while asked in (rising, rising[::-1]):
        draw.random.shuffle(asked)

    def write(*numbers: Decimal) -> Pair:
        french, english = (
            " < ".join(write_number(each, language) for each in numbers)
            for language in ("fr", "en")
        )
        return french, english

    exercise = draw.exercise("choose_decimal_order", asked=asked, rising=rising, least=rising[0])
    return exercise.choice(
        write(*rising),
        (write(short, middle, long), "ordered-by-most-digits"),
        (write(long, middle, short), "ordered-by-fewest-digits"),
        (write(*rising[::-1]), "order-reversed"),
    )


def _find_between(draw: Draw) -> Item:
    whole, tenth, hundredth = draw.between(1, 9), draw.between(2, 7), draw.between(2, 9)
    low, high = (make_decimal(10 * whole + each, 1) for each in (tenth, tenth + 1))
    key = make_decimal(100 * whole + 10 * tenth + hundredth, 2)
    below = make_decimal(1000 * whole + 10 * tenth + hundredth, 3)
    exercise = draw.exercise(
        "find_between", low=low, high=high, filled=tuple(map(_write_hundredths, (low, high)))
    )
    return exercise.choice(
        key,
        (below, "zero-after-the-point-ignored"),
        (make_decimal(100 * whole + 10 * (tenth + 1) + hundredth, 2), "above-the-greater"),
        (make_decimal(100 * whole + 10 * (tenth - 1) + hundredth, 2), "below-the-smaller"),
    )


def _find_best_time(draw: Draw) -> Item:
    longest_is_least = draw.flip()
    short, middle, long = _draw_close(draw, draw.between(12, 17), longest_is_least=longest_is_least)
    times = [short, middle, long]
    draw.random.shuffle(times)
    key, other = (long, short) if longest_is_least else (short, long)
    return draw.exercise("find_best_time", times=times, rising=sorted(times)).choice(
        key,
        (other, "shortest-number-taken" if longest_is_least else "longest-number-taken"),
        (middle, "longest-time-taken"),
        unit="s",
    )


@generates("maths.divide-decimals-by-10-100", "CM2")
def divide_decimals_by_10_100(draw: Draw) -> Item:
    """Ask to divide whole numbers by 10, then decimals by 10 or 100, then for the mass of one
    thing."""
    if draw.difficulty == 3:
        return _weigh_one(draw)
    digits = 10 * draw.between(11, 98) + draw.between(1, 9)
    number = Decimal(digits) if draw.difficulty == 1 else make_decimal(digits, 1)
    power = 1 if draw.difficulty == 1 else draw.between(1, 2)
    divisor = 10**power
    key = number.scaleb(-power)
    ranks = ("d'un rang", "one place") if power == 1 else ("de deux rangs", "two places")
    wrong = [
        (number * divisor, "multiplied-instead"),
        (number.scaleb(-power - 1), "misplaced-comma"),
        (number.scaleb(1 - power), "misplaced-comma"),
        (number.scaleb(-power - 2), "misplaced-comma"),
    ]
    exercise = draw.exercise(
        "divide_decimals_by_10_100", number=number, divisor=divisor, ranks=ranks
    )
    return exercise.choice(key, *[each for each in wrong if each[0] != number])


def _weigh_one(draw: Draw) -> Item:
    count = draw.one_of([10, 100])
    many, one, masses = draw.one_of(
        [
            (("savons", "bars of soap"), ("un savon", "one bar"), (85, 120, 125, 150, 225)),
            (("mangues", "mangoes"), ("une mangue", "one mango"), (245, 315, 325, 405, 450)),
            (("cahiers", "exercise books"), ("un cahier", "one book"), (85, 95, 105, 125)),
        ]
    )
    key = make_decimal(draw.one_of(masses), 3)
    total = key * count
    exercise = draw.exercise("weigh_one", count=count, many=many, one=one, total=total)
    return exercise.open(
        key,
        (key * 10, "misplaced-comma"),
        (key.scaleb(-1), "misplaced-comma"),
        (total * count, "box-multiplied"),
        unit="kg",
    )


@generates("maths.divide-decimals", "6e")
def divide_decimals(draw: Draw) -> Item:
    """Ask to divide a decimal by one digit, then whole numbers with a decimal quotient, then for
    the size of equal parts."""
    return draw.by_level(_divide_tenths, _divide_whole_numbers, _share_equally)(draw)


def _divide_tenths(draw: Draw) -> Item:
    """Ask for a quotient whose whole part leaves a remainder, which goes on with the tenths."""
    divisor = draw.between(2, 9)
    quotients = [n for n in range(11, 99) if n * divisor % 10 and n * divisor // 10 % divisor]
    quotient = draw.one_of(quotients)
    digits = quotient * divisor
    whole, tenth = divmod(digits, 10)
    number, key = make_decimal(digits, 1), make_decimal(quotient, 1)
    exercise = draw.exercise(
        "divide_tenths", number=number, divisor=divisor, whole=whole, rest=whole % divisor
    )
    return exercise.choice(
        key,
        (quotient, "point-forgotten"),
        (make_decimal(10 * (whole // divisor) + tenth // divisor, 1), "remainder-forgotten"),
        (key.scaleb(-1), "misplaced-comma"),
        (number * divisor, "multiplied-instead"),
    )


def _divide_by_places(thousandths: int, divisor: int) -> dict[str, str]:
    """Return the lines of a division by place, `20 = 8 × 2 + 4`; empty after its end."""
    lines = {"ones": "", "tenths": "", "hundredths": "", "thousandths": ""}
    rest, unit = 0, 1000
    for place in lines:
        part, thousandths = divmod(thousandths, unit)
        if place == "ones" or rest or part or thousandths:
            digit, new_rest = divmod(10 * rest + part, divisor)
            left = f" + {new_rest}" if new_rest else ""
            lines[place] = rf"{10 * rest + part} = {divisor} \times {digit}{left}"
            rest = new_rest
        unit //= 10
    return lines


def _divide_whole_numbers(draw: Draw) -> Item:
    divisor = draw.one_of((2, 4, 5, 8))
    whole, rest = draw.between(2, 19), draw.between(1, divisor - 1)
    number = whole * divisor + rest
    key = whole + Decimal(rest) / divisor
    lines = _divide_by_places(1000 * number, divisor)
    exercise = draw.exercise(
        "divide_whole_numbers", number=number, divisor=divisor, rest=rest, **lines
    )
    return exercise.choice(
        key,
        (make_decimal(10 * whole + rest, 1), "remainder-written-after-the-point"),
        (whole, "remainder-left-out"),
        (key * 10, "misplaced-comma"),
    )


def _share_equally(draw: Draw) -> Item:
    story, unit, counts = draw.one_of(
        [("rice", "kg", (4, 6, 8, 12)), ("rope", "m", (4, 6, 8)), ("oil", "L", (4, 6, 8, 12))]
    )
    count = draw.one_of(counts)
    # The quotient has two digits after the point, the total one.
    hundredths = draw.one_of([n for n in range(115, 500, 10) if n * count % 100])
    key, total = make_decimal(hundredths, 2), make_decimal(hundredths * count, 2)
    lines = _divide_by_places(10 * hundredths * count, count)
    exercise = draw.exercise("share_equally", story=story, count=count, total=total, **lines)
    return exercise.open(
        key,
        (make_decimal(hundredths // 10, 1), "division-stopped"),
        (key * 10, "misplaced-comma"),
        (total * count, "parts-multiplied"),
        unit=unit,
    )
