"""Generators of lower secondary school (6e to 3e): keys found again from what is asked."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from statistics import mean, median

import pytest

from bot.practice.catalogue import find_generator
from bot.practice.generator import Item
from tests.support.seeds import over_seeds

GRADES = {
    "6e": "priorities divisibility divide-decimals add-fractions triangle-angles circle-perimeter "
    "euclidean-division volume-cuboid",
    "5e": "relative-add relative-subtract multiply-fractions area-triangle mean "
    "coordinates area-disc literal-expression",
    "4e": "relative-multiply divide-fractions powers powers-of-ten equation-first-degree "
    "expand-simple pythagoras percentage-change scientific-notation speed fourth-proportional",
    "3e": "expand-double factor-identities product-equation square-roots thales trigonometry "
    "linear-function system-two-equations probability-simple median prime-factors gcd",
}
EVERY = pytest.mark.parametrize("name", [name for row in GRADES.values() for name in row.split()])
ONE_VALUE = ("prime-factors", "euclidean-division")
"""Skills whose options may have one value: what is asked is how it is written."""
NUMBER = re.compile(r"(?<![\d.])-?\d+(?:\.\d+)?")
FORMULA = re.compile(r"\$([^$]*)\$")
UNITS = re.compile(r"\s?(km/h|[cd]?m²|c?m³|FCFA|cm|km|m|%|°)$")


def make(name: str, seed: int, difficulty: int, language: str = "fr") -> Item:
    generator = find_generator(f"maths.{name}")
    assert generator is not None
    return generator.make(seed, difficulty=difficulty, language=language)


# Reading ------------------------------------------------------------------------------------------


def unwrap(text: str, language: str = "fr") -> str:
    """Text with LaTeX and numbers in plain notation: `\\frac{3{,}5}{2}` is `((3.5)/(2))`."""
    text = text.replace("{,}", ",").replace("\\,", "").replace("\u202f", "").replace("°", "")
    text = re.sub(r"(?<=\d),(?=\d)", "." if language == "fr" else "", text)
    text = text.replace("\\times", "*").replace("\\div", "/")
    before = ""
    while text != before:
        before = text
        text = re.sub(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", r"((\1)/(\2))", text)
        text = re.sub(r"\^\{([^{}]*)\}", r"^(\1)", text)
        text = re.sub(r"\\sqrt\{([^{}]*)\}", r"r(\1)", text)
    return text


def evaluate(text: str, language: str = "fr", **letters: Fraction) -> Fraction:
    """The value of an expression in LaTeX or plain notation; a root makes it a float."""
    plain = re.sub(r"[ $]", "", unwrap(text, language)).replace("[", "(").replace("]", ")")
    plain = re.sub(r"(?<=[\dxy)])(?=[xyr(])", "*", plain).replace("r*(", "r(").replace("^", "**")
    plain = re.sub(r"\d+(?:\.\d+)?", r"F('\g<0>')", plain)
    return eval(plain, {"F": Fraction, "r": math.sqrt, **letters})


def formulas(item: Item) -> list[str]:
    """What stands between `$` in the statement."""
    return FORMULA.findall(item.statement)


def numbers_of(text: str) -> list[Fraction]:
    return [Fraction(found) for found in NUMBER.findall(unwrap(text))]


def key_of(item: Item) -> Fraction:
    """The number of a key such as `12,5 cm`, `$x = 3$` or `3/4`."""
    return evaluate(UNITS.sub("", item.key).replace("x =", ""))


def close(one: float | Fraction, other: float | Fraction) -> bool:
    return math.isclose(float(one), float(other), rel_tol=1e-9, abs_tol=1e-9)


# What every item owes -----------------------------------------------------------------------------


def words_of(text: str, language: str) -> list[str]:
    """The numbers and expressions of a text, in plain notation without spaces."""
    formula_words = [part for found in FORMULA.findall(text) for part in re.split("[=≈]", found)]
    other_words = re.split(r"\s+", FORMULA.sub(" ", text))
    spelled = [unwrap(word, language).replace(" ", "") for word in formula_words + other_words]
    return [re.sub(r"\(\((\d+)\)/\((\d+)\)\)", r"\1/\2", word).strip(".,:;") for word in spelled]


@EVERY
def test_grade_is_that_of_the_curriculum(name: str) -> None:
    generator = find_generator(f"maths.{name}")
    assert generator is not None
    assert name in GRADES[generator.grade].split()


def test_right_triangles_are_many() -> None:
    asked = {make("pythagoras", seed, 1).statement for seed in range(200)}
    assert len(asked) >= 25


@EVERY
@over_seeds(200)
def test_only_the_last_step_tells_the_key(
    name: str, seed: int, difficulty: int, language: str
) -> None:
    item = make(name, seed, difficulty, language)
    key = unwrap(UNITS.sub("", item.key), language).replace(" ", "").strip("$")
    last = unwrap(item.steps[-1], language).replace(" ", "").replace("$", "")
    last = re.sub(r"\(\((\d+)\)/\((\d+)\)\)", r"\1/\2", last)
    assert re.search(rf"(?<![\d.]){re.escape(key)}(?![\d]|\.\d)", last)
    if key in words_of(item.statement, language):
        return  # a number that is given cannot be kept from the hints
    for text in (*item.hints, *(each.feedback for each in item.misconceptions)):
        assert key not in words_of(text, language), text


@EVERY
@over_seeds(200)
def test_options_differ_in_value(name: str, seed: int, difficulty: int) -> None:
    item = make(name, seed, difficulty)
    if item.kind != "choice":
        return
    assert len(item.options) >= 3
    values: set[str | float] = set()
    for option in item.options:
        if ";" in option or option.startswith("{") or name in ONE_VALUE:
            values.add(option)
        else:
            text = UNITS.sub("", option).replace("x =", "")
            values.add(float(f"{float(evaluate(text, x=Fraction(22, 7))):.12g}"))
    assert len(values) == len(item.options)


# Keys ---------------------------------------------------------------------------------------------


def check_value(item: Item) -> None:
    """The only formula is to be worked out; of two, the operation follows from the skill."""
    asked = [evaluate(each) for each in formulas(item)]
    if len(asked) == 1:
        found = asked[0]
    elif item.skill in ("maths.relative-add", "maths.add-fractions"):
        found = asked[0] + asked[1]
    elif item.skill == "maths.relative-subtract":
        found = asked[1] - asked[0]
    elif item.skill == "maths.multiply-fractions":
        found = asked[0] * asked[1]
    else:
        found = asked[0] / asked[1]
    assert found == key_of(item)


def check_divisibility(item: Item) -> None:
    if item.kind == "choice":
        *_, divisor = numbers_of(item.statement)
        assert [option for option in item.options if int(option) % divisor == 0] == [item.key]
        return
    holed = re.search(r"\d*#\d*", item.statement)
    assert holed
    divisors = [int(found) for found in formulas(item)]
    numbers = {digit: int(holed.group().replace("#", digit)) for digit in "0123456789"}
    good = [digit for digit, n in numbers.items() if all(n % each == 0 for each in divisors)]
    assert good == [item.key]


@pytest.mark.parametrize("name", ["add-fractions", "multiply-fractions"])
@over_seeds(50)
def test_no_story_says_to_simplify_what_may_be_simple(name: str, seed: int) -> None:
    assert not make(name, seed, 3).statement.endswith("Simplifie.")
    assert not make(name, seed, 3, "en").statement.endswith("? Simplify.")


@over_seeds(200)
def test_a_minus_put_in_brackets_gives_another_power(seed: int) -> None:
    item = make("powers", seed, 2, "en")
    mistakes = {each.name: each.option for each in item.misconceptions}
    if "sign taken with the number" in mistakes:
        [written] = FORMULA.findall(item.statement)
        base, _, exponent = unwrap(written).partition("^")
        value = math.prod([int(base)] * int(exponent.strip("()")))
        assert value == int(mistakes["sign taken with the number"])


def check_power(item: Item) -> None:
    written = formulas(item)[0]
    if item.kind == "choice":
        assert evaluate(written) == evaluate(item.key)
        return
    left, _, right = written.partition("=")
    power = Fraction(10) ** int(item.key)
    if right:
        mantissa = evaluate(right.split("\\times")[0])
        assert 1 <= mantissa < 10
        assert evaluate(left) == mantissa * power
    else:
        assert evaluate(left) == power


def check_division(item: Item) -> None:
    if item.kind == "choice":
        check_value(item)
        return
    total, count = numbers_of(item.statement)
    assert key_of(item) * count == total


def check_any_power(item: Item) -> None:
    assert evaluate(formulas(item)[0]) == evaluate(item.key)


def check_coordinates(item: Item) -> None:
    *given, (x, y) = [
        tuple(Fraction(each.strip()) for each in found.split(";"))
        for found in re.findall(r"\(([^()]*;[^()]*)\)", f"{item.statement} {item.key}")
    ]
    asked = item.statement
    if "rectangle" in asked:
        (xa, ya), (xb, yb), (xc, yc) = given
        assert (x, y) == (xa + xc - xb, ya + yc - yb)
    elif "symétrique" in asked:
        [(xa, ya)] = given
        assert x == (xa if "abscisses" in asked else -xa)
        assert y == (ya if "axe des ordonnées" in asked else -ya)
    else:
        [(xa, ya)] = given or [(Fraction(0), Fraction(0))]
        across, rise = (evaluate(found) for found in formulas(item) if found.isdigit())
        assert x == xa + (across if "droite" in asked else -across)
        assert y == ya + (rise if "haut" in asked else -rise)


def check_scientific(item: Item) -> None:
    check_power(item)
    if item.kind == "choice":
        mantissa = evaluate(item.key.strip("$").split("\\times")[0])
        assert 1 <= mantissa < 10


def check_root(item: Item) -> None:
    assert close(evaluate(formulas(item)[0]), evaluate(item.key))
    inside = re.search(r"sqrt\{(\d+)\}", item.key)
    if inside:
        assert all(int(inside.group(1)) % (n * n) for n in range(2, 20))


def check_same_function(item: Item) -> None:
    for x in (Fraction(0), Fraction(3), Fraction(-7, 2), Fraction(11, 5)):
        assert evaluate(formulas(item)[0], x=x) == evaluate(item.key, x=x)
    assert ("(" in item.key) == (item.skill == "maths.factor-identities")


def check_equation(item: Item) -> None:
    key = key_of(item)
    if "taxi" in item.statement:
        start, each, total = (evaluate(found) for found in formulas(item))
        assert start + each * key == total
    else:
        left, right = formulas(item)[0].split("=")
        assert evaluate(left, x=key) == evaluate(right, x=key)
        assert evaluate(left, x=key + 1) != evaluate(right, x=key + 1)


def check_product_equation(item: Item) -> None:
    left, right = formulas(item)[0].split("=")
    solutions = [evaluate(each) for each in item.key.strip("{}").split(";")]
    assert len(solutions) == 2
    assert solutions == sorted(set(solutions))
    for x in solutions:
        assert evaluate(left, x=x) == evaluate(right, x=x)
    for x in (Fraction(1, 7), Fraction(-101, 11), Fraction(55, 13)):
        assert evaluate(left, x=x) != evaluate(right, x=x)


def check_function(item: Item) -> None:
    written = formulas(item)
    if "FCFA" in item.statement:
        start, each = evaluate(written[0]), evaluate(written[1])
        assert evaluate(item.key, x=Fraction(7)) == start + 7 * each
    elif item.kind == "expression":
        images = re.findall(r"f\((\d+)\) = (-?\d+)", item.statement)
        assert len(images) == 2
        for x, image in images:
            assert evaluate(item.key, x=Fraction(x)) == Fraction(image)
        assert "^" not in item.key
    else:
        function = written[0].removeprefix("f(x) = ")
        if "image" in item.statement:
            assert evaluate(function, x=key_of(item)) == evaluate(written[1])
        else:
            x = evaluate(written[1].removeprefix("f"))
            assert evaluate(function, x=x) == key_of(item)


def check_system(item: Item) -> None:
    if item.kind == "choice":
        x, y = (evaluate(each) for each in item.key.strip("()").split(";"))
        for equation in formulas(item)[:2]:
            left, right = equation.split("=")
            assert evaluate(left, x=x, y=y) == evaluate(right)
        for option in item.options:
            if option != item.key:
                x, y = (evaluate(each) for each in option.strip("()").split(";"))
                sides = [each.split("=") for each in formulas(item)[:2]]
                assert any(evaluate(one, x=x, y=y) != evaluate(two) for one, two in sides)
        return
    a, b, e, c, d, f = (evaluate(each) for each in formulas(item))
    assert (e * d - b * f) / (a * d - b * c) == key_of(item)
    assert (a * f - e * c) / (a * d - b * c) > 0


def check_angle(item: Item) -> None:
    given_angles = [int(found) for found in re.findall(r"(\d+)°", item.statement)]
    key = int(item.key.strip("°"))
    if "isocèle" in item.statement:
        asked_top = item.statement.endswith("en A ?")
        top, base = (key, given_angles[0]) if asked_top else (given_angles[0], key)
        assert top + 2 * base == 180
    elif "ACD" in item.statement:
        assert given_angles[0] + key == given_angles[1] < 180
    elif "double" in item.statement or "triple" in item.statement:
        times = 2 if "double" in item.statement else 3
        assert given_angles[0] + key + times * key == 180
    else:
        assert sum(given_angles) + key == 180
    assert key > 0


def check_circle(item: Item) -> None:
    pi, key = Fraction("3.14"), key_of(item)
    first, *others = numbers_of(item.statement)
    if "tours" in item.statement:
        assert key * pi * first / 100 == others[0]
    elif "bassin" in item.statement:
        assert pi * key == first
    else:
        assert key == pi * first * (2 if "rayon" in item.statement else 1)


def check_area(item: Item) -> None:
    key, given_lengths = key_of(item), numbers_of(item.statement)
    if "champ" in item.statement:
        *sides, height = (float(n) for n in given_lengths)
        half = sum(sides) / 2
        heron = math.sqrt(half * math.prod(half - side for side in sides))
        assert close(heron, key)
        assert close(sides[2] * height / 2, key)
    elif item.kind == "number":
        assert given_lengths[1] * key / 2 == given_lengths[0]
    else:
        assert given_lengths[0] * given_lengths[1] / 2 == key


def check_pythagoras(item: Item) -> None:
    one, two = (float(n) for n in numbers_of(item.statement))
    key = float(key_of(item))
    if "football" in item.statement:
        assert close(one + two - math.hypot(one, two), key)
    elif "Calcule BC" in item.statement:
        assert close(math.hypot(one, two), key)
    else:
        known, hypotenuse = sorted((one, two))
        assert close(math.hypot(known, key), hypotenuse)


def check_thales(item: Item) -> None:
    one, two, three = numbers_of(item.statement)
    key = key_of(item)
    if "Calcule AC" in item.statement:
        assert one / two == three / key
        assert two > one
    elif "Calcule MN." in item.statement:
        assert one / (one + two) == key / three
    elif "ombre" in item.statement:
        assert one / two == key / three
    else:
        assert two / one == key / three


def check_trigonometry(item: Item) -> None:
    numbers, key = [float(n) for n in numbers_of(item.statement)], float(key_of(item))
    if item.difficulty == 1:
        angle = math.atan2(numbers[1], numbers[0])
        assert close(math.hypot(numbers[0], numbers[1]), numbers[2])
        ratios = {"cosinus": math.cos, "sinus": math.sin, "tangente": math.tan}
        name = next(each for each in ratios if f" {each} " in item.statement)
        assert close(ratios[name](angle), key)
    elif item.difficulty == 2:
        hypotenuse, cosine, sine, tangent = numbers
        assert close(cosine**2 + sine**2, 1)
        assert abs(sine / cosine - tangent) < 0.01
        ratio = cosine if item.statement.endswith("AB.") else sine
        assert close(hypotenuse * ratio, key)
    else:
        length, angle, _, ratio = numbers
        exact = math.tan if "tan" in item.statement else math.sin
        assert abs(exact(math.radians(angle)) - ratio) < 0.0051
        found = length * ratio if "tan" in item.statement else length / ratio
        assert close(found, key)


def check_mean(item: Item) -> None:
    numbers, key = numbers_of(item.statement), key_of(item)
    if "coefficients" in item.statement:
        marks, weights = numbers[::2], numbers[1::2]
        total = sum(mark * weight for mark, weight in zip(marks, weights, strict=True))
        assert key == total / sum(weights)
    elif "atteindre" in item.statement:
        *marks, wanted = numbers
        assert mean([*marks, key]) == wanted
        assert 0 <= key <= 20
    else:
        listed = item.statement.split(" : ")[1].split(".")[0]
        assert key == mean(numbers_of(listed))


def check_median(item: Item) -> None:
    numbers = numbers_of(item.statement)
    if item.difficulty == 3:
        pairs = zip(numbers[::2], numbers[1::2], strict=True)
        numbers = [age for count, age in pairs for _ in range(int(count))]
    assert key_of(item) == median(numbers)


def check_probability(item: Item) -> None:
    one, two, *others = (int(n) for n in numbers_of(item.statement))
    key = key_of(item)
    if item.difficulty == 2:
        total, divisor = two, others[0]
        cases = [card % divisor != 0 for card in range(1, total + 1)]
    elif item.difficulty == 1:
        cases = [ball < one for ball in range(one + two)]
    else:
        balls = range(one + two)
        cases = [first < one and second < one for first, second in product(balls, balls)]
    assert Fraction(sum(cases), len(cases)) == key


def check_percentage(item: Item) -> None:
    numbers, key = numbers_of(item.statement), key_of(item)
    if "Après" in item.statement:
        percent, after = numbers
        assert key * (1 - percent / 100) == after
    elif "puis" in item.statement:
        price, up, down = numbers
        assert key == price * (1 + up / 100) * (1 - down / 100)
    elif "pourcentage" in item.statement:
        before, after = numbers
        sign = 1 if "augmenté" in item.statement else -1
        assert before * (1 + sign * key / 100) == after
    else:
        price, percent = numbers
        sign = 1 if "augmente" in item.statement else -1
        assert key == price * (1 + sign * percent / 100)


def check_speed(item: Item) -> None:
    numbers, key = numbers_of(item.statement), key_of(item)
    if item.difficulty == 1:
        distance, hours = numbers
        assert key * hours == distance
    elif item.difficulty == 2:
        speed, hours, minutes = numbers
        assert key == speed * (60 * hours + minutes) / 60
    elif len(numbers) == 2:
        metres, seconds = numbers
        assert key == metres / 1000 / (seconds / 3600)
    else:
        assert key == (numbers[1] + numbers[3]) / (numbers[0] + numbers[2])


def check_division_with_remainder(item: Item) -> None:
    numbers, key = numbers_of(item.statement), item.key
    if item.difficulty == 1:
        quotient, rest = divmod(*numbers)
        assert Fraction(key) == (rest if "reste" in item.statement else quotient)
    elif item.difficulty == 2:
        number, divisor = numbers
        for option in item.options:
            left, right = option.split("=")
            assert evaluate(left) == evaluate(right) == number
            first, _, last = right.rpartition(" ")
            rest = evaluate(last) * (1 if first.endswith("+") else -1)
            assert (0 <= rest < divisor) == (option == key)
    elif "dividende" in item.statement:
        divisor, quotient, rest = numbers
        assert divmod(Fraction(key), divisor) == (quotient, rest)
    else:
        number, size = numbers
        assert 0 < int(key) < size
        assert (number + int(key)) % size == 0


def factors_of(option: str) -> list[int]:
    """The bases of a product of powers."""
    return [int(power.split("^")[0]) for power in unwrap(option).strip("$").split("*")]


def is_prime(number: int) -> bool:
    return number > 1 and all(number % n for n in range(2, number))


def check_prime_factors(item: Item) -> None:
    if item.kind == "choice":
        numbers = [evaluate(each.partition("=")[2] or each) for each in formulas(item)[:2]]
        assert evaluate(item.key) == math.lcm(*map(int, numbers))
        assert all(map(is_prime, factors_of(item.key)))
        for option in item.options:
            is_right = evaluate(option) == evaluate(item.key) and all(
                map(is_prime, factors_of(option))
            )
            assert is_right == (option == item.key)
    elif "exposant" in item.statement:
        number = int(formulas(item)[0])
        assert number % 2 ** int(item.key) == 0
        assert number % 2 ** (int(item.key) + 1) > 0
    else:
        assert key_of(item) == math.lcm(*map(int, numbers_of(item.statement)))
        assert key_of(item) not in {math.prod(numbers_of(item.statement))}


def check_common_divisor(item: Item) -> None:
    one, other = map(int, numbers_of(item.statement))
    groups = math.gcd(one, other)
    assert key_of(item) == (one // groups if "dans chaque" in item.statement else groups)
    assert groups not in (one, other)


def check_expression(item: Item) -> None:
    expression = formulas(item)[0]
    letters = {
        name: Fraction(value) for name, value in re.findall(r"\$([xy]) = (\d+)\$", item.statement)
    }
    assert evaluate(expression, **letters) == key_of(item)


def check_proportion(item: Item) -> None:
    key, numbers = key_of(item), numbers_of(item.statement)
    if item.difficulty == 2:
        left, right = formulas(item)[1].split("=")
        assert evaluate(left, x=key) == evaluate(right, x=key)
    elif item.difficulty == 3:
        assert numbers[0] * numbers[2] == numbers[1] * key
    else:
        assert numbers[1] * numbers[2] == numbers[0] * key


def check_disc(item: Item) -> None:
    *lengths, pi = numbers_of(item.statement)
    assert pi == Fraction("3.14")
    if "allée" in item.statement:
        inner, outer = lengths
        assert key_of(item) == pi * (outer * outer - inner * inner)
    else:
        [length] = lengths
        radius = length / 2 if "diamètre" in item.statement else length
        assert key_of(item) == pi * radius * radius / (2 if "demi" in item.statement else 1)


def check_volume(item: Item) -> None:
    *sides, last = numbers_of(item.statement)
    if "bac" in item.statement:
        assert key_of(item) * math.prod(sides) == last
    else:
        litre = 1000 if item.unit == "L" else 1
        assert key_of(item) * litre == math.prod(sides) * last


CHECKS: dict[str, Callable[[Item], None]] = {
    "divisibility": check_divisibility,
    "divide-decimals": check_division,
    "powers": check_any_power,
    "coordinates": check_coordinates,
    "powers-of-ten": check_power,
    "scientific-notation": check_scientific,
    "square-roots": check_root,
    "expand-simple": check_same_function,
    "expand-double": check_same_function,
    "factor-identities": check_same_function,
    "equation-first-degree": check_equation,
    "product-equation": check_product_equation,
    "linear-function": check_function,
    "system-two-equations": check_system,
    "triangle-angles": check_angle,
    "circle-perimeter": check_circle,
    "area-triangle": check_area,
    "pythagoras": check_pythagoras,
    "thales": check_thales,
    "trigonometry": check_trigonometry,
    "mean": check_mean,
    "median": check_median,
    "probability-simple": check_probability,
    "percentage-change": check_percentage,
    "speed": check_speed,
    "euclidean-division": check_division_with_remainder,
    "prime-factors": check_prime_factors,
    "gcd": check_common_divisor,
    "literal-expression": check_expression,
    "fourth-proportional": check_proportion,
    "area-disc": check_disc,
    "volume-cuboid": check_volume,
}
"""How keys are found again, by skill; the others ask for the value of an expression."""


@EVERY
@over_seeds(300)
def test_key_follows_from_the_statement(name: str, seed: int, difficulty: int) -> None:
    CHECKS.get(name, check_value)(make(name, seed, difficulty))
