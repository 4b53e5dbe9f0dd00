"""Exercises on priorities and divisibility (6e), numbers with signs (5e, 4e)."""

from __future__ import annotations

from bot.practice.generator import Draw, Item, generates
from bot.practice.notation import in_brackets

# Priorities ---------------------------------------------------------------------------------------


@generates("maths.priorities", "6e")
def respect_priorities(draw: Draw) -> Item:
    """Ask for a sum with a product, then with brackets, then with a product inside brackets."""
    if draw.difficulty == 3:
        return _nest_brackets(draw)
    a, b, c = draw.between(3, 9), draw.between(3, 9), draw.between(3, 9)
    minus = draw.flip()
    if draw.difficulty == 2:
        return _multiply_bracket(draw, a, b, c)
    a = b * c + draw.between(3, 20) if minus else draw.between(4, 20)
    sign = "-" if minus else "+"
    key = a - b * c if minus else a + b * c
    left_first = (a - b) * c if minus else (a + b) * c
    all_alike = a - (b + c) if minus else a + b + c
    written = f"{a} {sign} {b} \\times {c}"
    return draw.exercise("respect_priorities", written=written, b=b, c=c, a=a, sign=sign).choice(
        key,
        (left_first, "from-left-to-right"),
        (all_alike, "product-read-as-a-sum"),
        (a + b * c, "minus-read-as-plus") if minus else (a + b * (c + 1), "slip-in-the-table"),
    )


def _multiply_bracket(draw: Draw, a: int, b: int, c: int) -> Item:
    d = draw.between(2, b + c - 2)
    key = a * (b + c) - d
    return draw.exercise("multiply_bracket", a=a, b=b, c=c, d=d).choice(
        key,
        (a * b + c - d, "brackets-forgotten"),
        (a * (b + c - d), "subtracted-too-early"),
        (a * (b + c) + d, "last-sign-misread"),
        (a * b * c - d, "sum-read-as-a-product"),
    )


def _nest_brackets(draw: Draw) -> Item:
    """Ask for a product inside brackets, or a quotient of a bracket and a product."""
    b, c, d = draw.between(3, 9), draw.between(2, 6), draw.between(3, 9)
    if draw.flip():
        a = b + c * d + draw.between(11, 30)
        written = f"{a} - ({b} + {c} \\times {d})"
        key, left_first, no_brackets = a - b - c * d, a - (b + c) * d, a - b + c * d
        first = f"{c} \\times {d}"
        inner = [f"${first} = {c * d}$", f"${b} + {c * d} = {b + c * d}$"]
        last = f"${a} - {b + c * d} = {key}$"
    else:
        quotient, e = draw.between(4, 9), draw.between(3, 9)
        a = quotient * e - b
        while a < 2:
            a += e
        quotient = (a + b) // e
        written = f"({a} + {b}) \\div {e} + {c} \\times {d}"
        key, left_first = quotient + c * d, (quotient + c) * d
        no_brackets = a + b + c * d
        first = f"({a} + {b}) \\div {e}"
        inner = [f"${first} = {quotient}$", f"${c} \\times {d} = {c * d}$"]
        last = f"${quotient} + {c * d} = {key}$"
    exercise = draw.exercise("nest_brackets", written=written, first=first, inner=inner, last=last)
    return exercise.open(
        key,
        (left_first if left_first >= 0 else None, "sum-before-product"),
        (no_brackets if no_brackets >= 0 else None, "brackets-misread"),
    )


# Divisibility -------------------------------------------------------------------------------------


@generates("maths.divisibility", "6e")
def use_divisibility_rules(draw: Draw) -> Item:
    """Ask for a rule of the last digit, then of the sum of digits, then for a missing digit."""
    if draw.difficulty == 3:
        return _find_missing_digit(draw)
    if draw.difficulty == 2:
        return _divide_by_digit_sum(draw)
    divisor = draw.one_of((2, 5, 10))
    tens = draw.random.sample(range(11, 99), 4)
    odd, even = draw.one_of((1, 3, 7, 9)), draw.one_of((2, 4, 6, 8))
    good = {2: even, 5: draw.one_of((0, 5)), 10: 0}[divisor]
    bad = {2: (odd, 5, 3 if odd != 3 else 7), 5: (odd, even, 3 if odd != 3 else 1)}
    ends = bad.get(divisor, (even, 5, odd))
    looked_at = {2: 4, 5: 5, 10: 1}[divisor] * 100
    numbers = [looked_at + tens[0] // 10 * 10 + ends[0], tens[1] * 10 + ends[1]]
    numbers.append(tens[2] * 10 + ends[2])
    key = tens[3] * 10 + good
    wrong = [
        (numbers[0], "wrong-digit-looked-at"),
        (numbers[1], "mixed-up-with-another-rule"),
        (numbers[2], "ones-digit-not-checked"),
    ]
    listed = sorted([key, *(number for number, _ in wrong)], key=str)
    return draw.exercise("divisibility_by_ones", divisor=divisor, numbers=listed).choice(
        key, *wrong
    )


def _divide_by_digit_sum(draw: Draw) -> Item:
    """Ask which number is divisible by 3, or by 9."""
    divisor = draw.one_of((3, 9))
    all_numbers = range(112, 999)
    fits = [n for n in all_numbers if n % divisor == 0 and n % 10 not in (0, 3, 9)]
    ends = [n for n in all_numbers if n % divisor and n % 3 and n % 10 == divisor]
    others = [n for n in all_numbers if n % 3 and n % 10 == (6 if divisor == 3 else 3)]
    near = [n for n in all_numbers if (n % 9 in (3, 6) if divisor == 9 else n % 9 in (1, 8))]
    near = [n for n in near if n % 10 not in (3, 6, 9)]
    key = draw.one_of(fits)
    total = sum(map(int, str(key)))
    wrong = [
        (draw.one_of(ends), "ends-with"),
        (draw.one_of(near), "digit-sum-misjudged"),
        (draw.one_of(others), "last-digit-looked-at"),
    ]
    listed = sorted([key, *(number for number, _ in wrong)], key=str)
    exercise = draw.exercise(
        "divisibility_by_sum", divisor=divisor, numbers=listed, digits=list(str(key)), total=total
    )
    return exercise.choice(key, *wrong)


def _find_missing_digit(draw: Draw) -> Item:
    """Ask for the one digit that makes a number divisible by 9, or by 3 and 5."""
    by_nine = draw.flip()
    if by_nine:
        numbers = [n for n in range(1017, 9000, 9) if 0 < n // 10 % 10 < 9]
        number = draw.one_of(numbers)
        key, before, after = number // 10 % 10, number // 100, str(number % 10)
    else:
        number = draw.one_of(range(1005, 9990, 15))
        key, before, after = number % 10, number // 10, ""
    rest = sum(map(int, f"{before}{after}"))
    exercise = draw.exercise(
        "find_missing_digit", before=str(before), after=after, by_nine=by_nine, rest=rest
    )
    if by_nine:
        return exercise.open(key, ((key + 3) % 9 or 9, "multiple-of-3-only"))
    return exercise.open(key, (5 - key, "divisible-by-5-only"))


@generates("maths.relative-add", "5e")
def add_relative(draw: Draw) -> Item:
    """Ask for a sum of two numbers of one digit, then of two digits, then of four numbers."""
    if draw.difficulty == 3:
        return _add_four(draw)
    far = draw.by_level(draw.between(5, 9), draw.between(21, 48), 0)
    near = draw.by_level(draw.between(2, 4), draw.between(6, 19), 0)
    both_negative = draw.difficulty == 2 and draw.flip()
    warming = draw.flip()
    if both_negative:
        x, y = -near, -far
    else:
        x, y = draw.one_of(((-far, near), (far, -near), (near, -far), (-near, far)))
    warms = draw.difficulty == 2 and warming and not both_negative
    if warms:
        x, y = -far, near
    exercise = draw.exercise("add_relative", x=x, y=y, warms=warms)
    if both_negative:
        return exercise.choice(
            x + y,
            (-(x + y), "sign-rule-of-products"),
            (y - x, "distances-subtracted"),
            (x - y, "distances-subtracted-sign-lost"),
        )
    total = abs(x) + abs(y)
    return exercise.choice(
        x + y,
        (-(x + y), "sign-of-the-sum"),
        (total, "forgotten-minus-sign"),
        (-total, "distances-added-instead-of-subtracted"),
    )


def _add_four(draw: Draw) -> Item:
    """Ask for a sum of two positive and two negative numbers."""
    gains = [draw.between(4, 19), draw.between(11, 30)]
    losses = [draw.between(5, 19), draw.between(21, 35)]
    numbers = [*gains, *(-loss for loss in losses)]
    draw.random.shuffle(numbers)
    written = " + ".join([str(numbers[0]), *map(in_brackets, numbers[1:])])
    gains = [number for number in numbers if number > 0]
    losses = [-number for number in numbers if number < 0]
    up, down = sum(gains), sum(losses)
    exercise = draw.exercise(
        "add_four", written=written, up=up, down=down, gains=gains, losses=losses
    )
    return exercise.open(up - down, (up + down, "forgotten-signs"), (down - up, "wrong-sign"))


@generates("maths.relative-subtract", "5e")
def subtract_relative(draw: Draw) -> Item:
    """Ask for a small number minus a larger one, then minus a negative one, then four terms."""
    if draw.difficulty == 3:
        return _subtract_three(draw)
    near, far = draw.between(2, 9), draw.between(11, 19)
    near = near - 1 if far == 2 * near else near
    cooling = draw.flip()
    if draw.difficulty == 1:
        x, y = near, far
    else:
        x, y = draw.one_of(((near, -far), (-near, -far), (-far, -near), (-near, far), (far, -near)))
    cools = draw.difficulty == 2 and cooling and x > 0
    return draw.exercise("subtract_relative", x=x, y=y, cools=cools).choice(
        x - y,
        (y - x, "order-reversed"),
        (x + y, "added-instead-of-subtracted"),
        (-x - y, "both-signs-changed"),
    )


def _subtract_three(draw: Draw) -> Item:
    """Ask for a chain such as `5 - (-8) + (-3) - 6`."""
    first = draw.sign() * draw.between(2, 12)
    minus, plus, last = draw.between(11, 25), draw.between(3, 10), draw.between(2, 9)
    key = first + minus - plus - last
    return draw.exercise("subtract_three", first=first, minus=minus, plus=plus, last=last).open(
        key,
        (first - minus - plus - last, "minus-before-a-negative-misread"),
        (first + minus + plus - last, "plus-before-a-negative-misread"),
    )


@generates("maths.relative-multiply", "4e")
def multiply_relative(draw: Draw) -> Item:
    """Ask to multiply opposite signs, then two negatives or to divide, then several factors."""
    if draw.difficulty == 3:
        return _multiply_four(draw)
    a, b = draw.between(3, 9), draw.between(3, 9)
    divides = draw.difficulty == 2 and draw.flip()
    signs = draw.by_level(((-1, 1), (1, -1)), ((-1, -1),), ())
    sign_a, sign_b = draw.one_of(((-1, 1), (1, -1), (-1, -1))) if divides else draw.one_of(signs)
    x, y = sign_a * (a * b if divides else a), sign_b * b
    key = x // y if divides else x * y
    sign = r"\div" if divides else r"\times"
    exercise = draw.exercise("multiply_relative", x=x, sign=sign, y=y, sign_a=sign_a, sign_b=sign_b)
    return exercise.choice(
        key,
        (-key, "sign-of-the-product-of-two"),
        (x + y, "sum-instead-of-product"),
        (x - y, "subtracted-instead"),
        (key + (abs(y) if abs(key) > abs(x) else 1), "slip-in-the-tables"),
    )


def _multiply_four(draw: Draw) -> Item:
    """Ask for the product of four factors, two or three of them negative."""
    sizes = [draw.between(2, 5), draw.between(2, 5), draw.between(2, 6), draw.one_of((2, 10))]
    negative = draw.between(2, 3)
    draw.random.shuffle(sizes)
    places = draw.random.sample(range(4), negative)
    factors = [-size if place in places else size for place, size in enumerate(sizes)]
    size = sizes[0] * sizes[1] * sizes[2] * sizes[3]
    key = size if negative % 2 == 0 else -size
    written = r" \times ".join([str(factors[0]), *map(in_brackets, factors[1:])])
    plain = r" \times ".join(map(str, sizes))
    exercise = draw.exercise(
        "multiply_four", written=written, plain=plain, negative=negative, size=size
    )
    return exercise.open(key, (-key, "sign-of-the-product"), (sum(factors), "added-instead"))
