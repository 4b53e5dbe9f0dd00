"""Check word problems whose sentence states all numbers, for the rules of `claims.txt`.

A check says nothing if there are other numbers than it needs, since they may change the result.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final, TypeAlias

from bot.maths.exact.algebra_questions import Check, Known, Pair
from bot.maths.exact.arithmetic import Undecidable, evaluate, find_step
from bot.maths.exact.expression import (
    Apply,
    Expr,
    Num,
    Quantity,
    apply,
    drop_sign,
    find_letters,
    has_operation,
    is_percent,
    number,
    substitute,
    walk,
)
from bot.maths.exact.units import multiply
from bot.maths.reading.vocabulary import ABOUT, FALLS, RISES
from bot.maths.reading.wording import Found, Wording, claim, get_dimensions, is_computed, plain

Shapes: TypeAlias = dict[tuple[str, str], Expr]
"""Formulas of the letters a, b and c by shape and property."""
_MONEY: Final = frozenset(("franc", "euro", "dollar", "naira", "cedi", "pound"))
_LOSS: Final = (
    r"perd\w*|donn\w*|mange\w*|depens\w*|retir\w*|enlev\w*|vend\w*|offr\w*|casse\w*|utilis\w*|pri[st]"
    r"|lose\w*|lost|gives?|gave|eats?|ate|spen\w*|sells?|sold|uses?|used|descend\w*|pay\w*"
    r"|envol\w*|parten\w*|quitt\w*|fl(?:y|ew)"
)
_GAIN: Final = (
    r"gagn\w*|recoi\w*|recu\w*|trouve\w*|achet\w*|ajout\w*|ramass\w*|cueill\w*|mont\w*|gets?|got"
    r"|wins?|won|finds?|found|buys?|bought|receiv\w*|arriv\w*"
)

_GIVEN: Final = re.compile(
    r"\b(?:lui|leur)(?: en)? (?:donn|offr|pret|rend)\w*"
    r"|\b(?:gives?|gave|offers?|lends?|lent) (?:him|her|them|you)\b"
)
"""Words that may tell of a gain or of a loss: `Awa a 9 mangues. Maman lui en donne 4`."""


def _unit_of(expr: Expr) -> str:
    """Return the dimension of a single plain unit: `length`, `franc`; else empty."""
    try:
        dimensions = get_dimensions(expr)
    except Undecidable:
        return ""
    return dimensions[0][0] if len(dimensions) == 1 and dimensions[0][1] == 1 else ""


def _is_percent(expr: Expr) -> bool:
    return is_percent(drop_sign(expr))


# Prices, proportions, shares ----------------------------------------------------------------------


def _check_price(found: Found) -> list[Check] | None:
    """Read `3 cahiers à 250 F et 2 stylos à 100 F coûtent 950 F`, `4 sacs de 25 kg pèsent 100
    kg`."""
    numbers, claimed = found.list_values("items"), found.name_values()["c"]
    counts, prices = numbers[::2], numbers[1::2]
    kinds = {get_dimensions(each) for each in prices}
    is_money = all(_unit_of(each) in _MONEY for each in prices)
    if len(kinds) != 1 or () in kinds or get_dimensions(claimed) not in ((), *kinds):
        return None
    measured = [each for each in counts if get_dimensions(each)]
    if measured and not (is_money and {_unit_of(each) for each in measured} <= {"mass", "length"}):
        return None
    products = [
        apply("*", number(plain(count)), price) for count, price in zip(counts, prices, strict=True)
    ]
    total: Expr = products[0]
    for each in products[1:]:
        total = apply("+", total, each)
    return [claim(total, claimed)]


_COUNTED: Final = re.compile(
    r"(#|\b(?:une?|an?|one|chaque|each)\b)(?: (?:de|d|of)\b)?(?: ([a-z]{2,}))?"
)


_OF_THEM: Final = re.compile(r"\ben (?:faut|faudra|a|compte|utilise|consomme)(?: donc)? $")
"""Words before a number of what is counted already: `il en faut 12`."""
_UNIT: Final = "="
"""Begins the label of a measure; other labels are nouns, which have several forms."""


def _list_counted(found: Found, *, by_name: bool) -> list[tuple[Fraction, str]]:
    """List each number with its unit's dimension (or name) or its noun; an article counts as one if
    its noun comes again."""
    counted: list[tuple[Fraction, str]] = []
    values = iter(found.list_values())
    for match in _COUNTED.finditer(found.wording.text):
        noun = (match[2] or "").rstrip("sx")
        if match[1] != "#":
            counted.append((Fraction(0), noun))
            continue
        value = next(values)
        measure = evaluate(value)
        label = f"{_UNIT}{measure.unit.dimensions}" if measure.unit.dimensions else noun
        if isinstance(value, Quantity) and not measure.unit.dimensions:
            label = value.unit
        elif isinstance(value, Quantity) and by_name:
            label = f"{_UNIT}{value.unit}"
        if not label and len(counted) == 3 and _OF_THEM.search(match.string[: match.start()]):
            label = counted[1][1]
        counted.append((measure.number * measure.unit.size, label))
    nouns = [noun for count, noun in counted if count]
    return [
        (count or Fraction(1), noun)
        for count, noun in counted
        if count or any(_are_same(noun, other) for other in nouns)
    ]


def _are_same(one: str, other: str) -> bool:
    """Return whether two nouns are forms of the same noun."""
    if one.startswith(_UNIT) or other.startswith(_UNIT):
        return one == other
    short, long = sorted((one, other), key=len)
    is_begun = bool(short) and long.startswith(short[: max(3, len(short) - 1)])
    return is_begun and len(long) - len(short) <= 2


_NO_AMOUNTS: Final = ("mole", "celsius", "kelvin", "fahrenheit")


def _check_proportion(found: Found) -> list[Check] | None:
    """Read `5 kg coûtent 3 000 F, donc 8 kg coûtent 4 800 F`: the quotients are equal."""
    text = found.wording.text
    grows_faster = found.has("carre|cube|disque|cercle|rayon|angle")  # areas, not sides
    is_concluded = found.has(_PROPORTIONAL) or _FRAMED.search(text)
    if "%" in text or not is_concluded or _CHANGED.search(text) or grows_faster:
        return None
    if any(_unit_of(each) in _NO_AMOUNTS for each in found.list_values()) or found.has_division():
        return None
    for by_name in (False, True):
        counted = _list_counted(found, by_name=by_name)
        has_one = any(count == 1 for count, _ in counted)
        if len(counted) != 4 and not (len(counted) == 6 and has_one):
            return None
        (first, a), (second, b), *others = counted
        pairs = list(zip(others[::2], others[1::2], strict=True))
        if all(_are_same(a, other[1]) and _are_same(b, one[1]) for one, other in pairs):
            pairs = [(other, one) for one, other in pairs]
        is_full = bool(_CONTAINERS.search(text)) and any(
            _is_full(one[0], other[0] / second) for one, other in pairs
        )
        if (
            is_full
            or _are_same(a, b)
            or not all(_are_same(a, one[1]) and _are_same(b, other[1]) for one, other in pairs)
        ):
            continue
        products = [(first * other[0], second * one[0]) for one, other in pairs]
        off = abs(products[-1][0] / (products[-1][1] or 1) - 1)
        checks: list[Check] = [Pair(number(one), "=", number(other)) for one, other in products]
        return [*checks[:-1], Known("right") if _is_rounded(found, off) else checks[-1]]
    return None


_CONTAINERS: Final = re.compile(
    r"\b(?:une?|an?|chaque|each) (?P<w>[a-z]{3,}?)s? [^#]*#.*\b(?:faut|faudra|besoin|need\w*"
    r"|rempli\w*|fill\w*)(?: [a-z]+){0,3} # (?P=w)s?\b"
)
"""How many containers are needed, or can be filled."""


def _is_full(count: Fraction, quotient: Fraction) -> bool:
    """Return whether a number of containers is the whole one below or above a quotient: `Une boîte
    contient 12 crayons, il faut 9 boîtes pour 100 crayons`."""
    return count.denominator == 1 and 0 < abs(count - quotient) < 1


def _is_rounded(found: Found, part: Fraction) -> bool:
    """Return whether the last value, which is off by this part of itself, is rounded: `environ
    41,8 km`."""
    last = found.list_values()[-1]
    shown = last.number if isinstance(last, Quantity) else last
    is_said = re.search(rf"(?:≈|{ABOUT})(?: de)? #[^#]*$", found.wording.text)
    is_decimal = isinstance(shown, Num) and shown.is_decimal
    return bool(is_said or is_decimal) and part * abs(plain(shown)) <= find_step(shown, shown)


_CHANGED: Final = re.compile(
    r"\b(?:une?|an?) (?P<noun>[a-z]{3,}?)s? (?:de|of) #.*# (?P=noun)s? (?:de|of) #"
    r"|^[^#.]*#[^#.]* \. (?:une?|an?|chaque|each|one) (?P<thing>[a-z]{3,}?)s? [^#.]*#[^#]*#"
    r" (?P=thing)s?\b"
)
"""One thing for several smaller ones: `un billet de 10 000 F, c'est 5 billets de 2 000 F`; a stock,
and what one thing takes of it: `15 m de tissu. Une robe demande 2,5 m. … 6 robes`."""
_FRAMED: Final = re.compile(
    r"^ (?P<p>pour|for|avec|with) (?:une?|an?|one|#) [^#]*\b(?:faut|need\w*|utilis\w+|couvr\w*"
    r"|cover\w*"
    r"|use\w*) # [^#]*[.;,] (?P=p) # [^#]*\b(?:faut|need\w*|utilis\w+|couvr\w*|cover\w*|use\w*) "
    r"|^ (?:(?:sur|a|in|on|dans) )?(?:une?|an?|one|#) [^#]*# (?P<w>doigt|orteil|patte|roue|aile"
    r"|oreille"
    r"|antenne|corde|finger|toe|leg|wheel|wing|ear)s?\b[^#]*[.;,](?: (?:sur|pour|avec|on|for"
    r"|with|in))? # "
    r"[^#]*# (?P=w)s?\b"
)
"""One thing and then several, of which each has or needs as much: `Sur une main, il y a 5 doigts.
Sur deux mains, …`."""
_PROPORTIONAL: Final = (
    r"(?:donc|alors|so|then|si|if|each|chaque|consomm\w*|cout\w*|costs?|conti\w+|contains?|font"
    r"|faut|valent)\b"
)


_SHARED_BY: Final = re.compile(
    r"\b(?:sont|sommes|etes|etaient|seront|are) # (?:[a-z]+ )?(?:a|qui|pour|to|who) "
    r"(?:(?:se|nous|vous|de) )*(?:partag|repart|share)"
)
"""Words of a number of people that stands before what they share."""


def _check_share(found: Found) -> list[Check] | None:
    """Read `On partage 25 bonbons entre 6 enfants : chacun en reçoit 4 et il en reste 1`."""
    values = found.list_values()
    kinds = [_unit_of(each) for each in values]
    is_shared_by = _SHARED_BY.search(found.wording.text)  # `Ils sont 5 à partager 32 bonbons`
    if is_shared_by or kinds[0] == "" != kinds[1] == kinds[2]:  # `3 frères partagent 90 000 F`
        values[:2] = reversed(values[:2])
    total, count, part, *left = map(plain, values)
    if left and {total.denominator, count.denominator, part.denominator} != {
        1
    }:  # `1250 ÷ 24 ≈ 52,08`
        return None
    if bool(left) != found.has("reste|left"):
        return None
    return [Pair(number(count * part + sum(left)), "=", number(total))]


def _check_change(found: Found) -> list[Check] | None:
    """Read `Tu as 15 billes, tu en perds 6 : il t'en reste 9`, `Tu as 3 sacs de 12 billes …`."""
    *groups, one, other, claimed = found.list_values()
    before = found.wording.text[found.match.end("a") : found.match.start("c")]
    said = re.sub(r"\b(?:te|t|me|m|nous) (?:en )?(?:donn|offr)", "recoi", before)
    if _unit_of(one) in _MONEY:
        said = re.sub(r"\b(?:achet|buy|bought)", "depens", said)
    is_loss = bool(re.search(rf"\b(?:{_LOSS})\b", said))
    is_gain = bool(re.search(rf"\b(?:{_GAIN})\b", said))
    kinds = [bool(get_dimensions(each)) for each in (one, other, claimed)]
    is_clear = is_loss != is_gain and not _GIVEN.search(said)
    if not is_clear or _is_percent(other) or kinds[0] != kinds[1] or kinds[2] > kinds[0]:
        return None
    had = apply("*", number(plain(groups[0])), one) if groups else one
    return [claim(apply("-" if is_loss else "+", had, other), claimed)]


def _check_after(found: Found) -> list[Check] | None:
    """Read `Un article à 12 000 F est soldé à −30 % : il coûte 8 400 F`, or the discount itself."""
    *given, claimed = found.list_values()
    percents = [each for each in given if _is_percent(each)]
    bases = [each for each in given if not _is_percent(each)]
    is_up, is_down = found.has(RISES), found.has(FALLS)
    if len(percents) != 1 or len(bases) != 1 or is_up == is_down or _is_percent(claimed):
        return None
    if isinstance(bases[0], Apply) and bases[0].op == "/":  # the rate: `car 10/40 = 0,25`
        return None
    base_at = "b" if _is_percent(given[0]) else "a"
    is_change = _AMOUNT.search(found.wording.text[: found.match.start(base_at)])
    if is_change or get_dimensions(claimed) not in ((), get_dimensions(bases[0])):
        return None
    change = apply("*", apply("abs", percents[0]), bases[0])
    new = apply("+" if is_up else "-", bases[0], change)
    before = found.wording.text[found.match.end("b") : found.match.start("c")]
    said = re.findall(rf"\b(?:{_NEW}|({RISES}|{FALLS}|economi\w*|saves?))", before)
    if said and said[-1]:
        return [claim(change, claimed)]
    if not said and not re.search(r" (?:est|is|vaut|soit|represent\w*|correspond\w*|donn\w+"
                                  r"|eleve|gives?|font|fait|=|:) ", before):  # fmt: skip
        return None
    is_change = not said and evaluate(change).number == plain(claimed)  # either may be meant
    return [claim(change if is_change else new, claimed)]


_AMOUNT: Final = re.compile(
    r"(?:\b(?:economi\w*|epargn\w*|gagn\w*|sav(?:es?|ed|ing)|soit|represent\w*|correspond\w* a"
    r"|c est(?: a dire)?|(?:remise|rabais|reduction|hausse|augmentation|discount|increase)"
    r" (?:de|of))|=) $"
)
"""Words before the amount of a change, which is no price: `il économise 400 F`."""
_NEW: Final = (
    r"(?:pri[xc]e? (?:reduit|sold|remis|promo|diminu|baiss|augment|major)"
    r"|(?:apres|after|reduced|discount\w*|sale) (?:[a-z]{1,5} )?(?:reduc|remis|rabais|discount"
    r"|baisse|hausse|augment|price)|cout|cost|pai|pay|pri[xc]|devien|nouve|passe|now|new)\w*"
)
"""Words of the price after a change, or the price before it: `le prix réduit`, `après remise`."""


# Measures -----------------------------------------------------------------------------------------


_LOT: Final = re.compile(
    r"# (?:(?:le|la|les|l|un|une|du|the|a|per|kilo|kg|litre|piece) )*(?:,|et|ou|mais|and|or|but) "
    r"(?:[a-z]+ ){0,3}?# (?:le|la|les|the|un|une|a|for|pour)\b|"
    r"# (?:[a-z,]+ ){0,6}(?:le|la|un|une|the|a) (?:bidon|sac|carton|paquet|lot|pack|bag|box|sachet"
    r"|boite|panier) (?:de|of|d) #"
)
"""The price of one beside the price of a lot, which may be cheaper: `900 F le litre, 4 200 F le
bidon de 5 L`."""


def _check_rate(found: Found) -> list[Check] | None:
    """Check three measures of which one has the product of the other units: km/h, h and km; V, Ω
    and A."""
    values = found.list_values()
    is_money = any(_unit_of(each) in _MONEY for each in values)
    if is_money and _LOT.search(found.wording.text):
        return None
    units = [evaluate(each).unit for each in values]
    for rate, unit in enumerate(units):
        for factor, product in ((0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)):
            is_rate = len(unit.dimensions) > 1 and rate not in (factor, product)
            is_rate &= bool(units[factor].dimensions)
            if is_rate and multiply(unit, units[factor]).dimensions == units[product].dimensions:
                if product == 2:
                    return [claim(apply("*", values[rate], values[factor]), values[2])]
                below = rate if factor == 2 else factor
                return [claim(apply("/", values[product], values[below]), values[2])]
    return None


def _check_saved(found: Found) -> list[Check] | None:
    """Read `Ama saves 200 francs each week. After 6 weeks she has 1 200 francs`."""
    values = found.name_values()
    times = values["n"]
    if not isinstance(times, Quantity) or not times.unit.startswith(found["w"]):
        return None
    return [claim(apply("*", times.number, values["a"]), values["c"])]


def _check_urn(found: Found) -> list[Check] | None:
    """Read `Une urne contient 3 boules rouges et 5 bleues. La probabilité d'une rouge est 3/8`."""
    counts = [plain(each) for each in found.list_values("counts")]
    colours = re.findall(r"# (?:[a-z]+ )*?([a-z]+)(?= (?:et|,|and|\.)|$)", found["counts"] + " .")
    asked = [at for at, each in enumerate(colours) if _are_same(each, found["asked"])]
    if len(colours) != len(counts) or len(asked) != 1:
        return None
    named = found.name_values()
    claimed = apply("/", named["n"], named["d"]) if "n" in named else named["c"]
    return [claim(number(counts[asked[0]] / sum(counts)), claimed)]


# Shapes -------------------------------------------------------------------------------------------

_NAMES: Final = (
    (r"equilatera\w+", "equilateral"), (r"carree?|square", "carre"),
    (r"rectang(?:le|ulaire)(?! en)", "rectangle"), (r"triangle", "triangle"),
    (r"losange|rhombus", "losange"), (r"parallelogramm?e?", "parallelogramme"),
    (r"disque|cercle|circle|disc|disk", "disque"), (r"cube", "cube"),
    (r"pave(?: droit)?|parallelepipede\w*|cuboid", "pave"), (r"cylind\w+", "cylindre"),
    (r"pentagone regulier|regular pentagon", "pentagone"),
    (r"hexagone regulier|regular hexagon", "hexagone"),
    (r"octogone regulier|regular octagon", "octogone"),
    (r"cone", "cone"), (r"boule|sphere|ball", "boule"),
)  # fmt: skip
_KINDS: Final = {
    "aire": "aire", "surfa": "aire", "super": "aire", "area": "aire", "diago": "diagonale",
    "volum": "volume",
}  # fmt: skip


_PARTS: Final = re.compile(
    r"# (?:(?:petite?s|small|little|unit) )?(?:cotes|sides|angles|sommets|faces|aretes|edges"
    r"|corners|couches|layers|rangees|rows|lignes|cubes|carres|squares|triangles|rectangles"
    r"|disques|cercles|circles|boules|balls)\b"
)
"""Numbers of parts or of shapes, which are no sizes."""


def check_shape(found: Found, shapes: Shapes, claimed: re.Pattern[str]) -> list[Check] | None:
    """Read `Un rectangle de 8 cm sur 5 cm a une aire de 40 cm²`: check each property with its
    value.

    Args:
        claimed: matches a property up to its value; the first group is the property.
    """
    text, values = found.wording.text, found.list_values()
    claims = list(claimed.finditer(text))
    shape = _find_shape(text)
    places, passed = _find_results(found.wording, claims)
    counts = {found.wording.marks.index(each.start()) for each in _PARTS.finditer(text)}
    sizes = [values[at] for at in sorted({*range(len(values))} - {*places} - passed - counts)]
    if not _are_used(sizes, values, passed):
        return None
    relation = "≈" if re.search(r"≈|environ|about|approx", text) else "="
    checks: list[Check] = []
    for each, place in zip(claims, places, strict=True):
        kind = _KINDS.get(each[1][:5], "perimetre")
        formula = shapes.get((shape, kind))
        names = "abc"[: len(sizes)]
        if formula is None or not _are_sizes(text, shape, kind, sizes):
            return None
        if find_letters(formula) - {"π"} != set(names):
            return None
        placed = dict(zip(names, sizes, strict=True))
        if re.search(r"diametre|diameter", text):
            placed["a"] = apply("/", placed["a"], number(2))
        checks.append(claim(substitute(formula, placed), values[place], relation))
    return checks


def _find_results(wording: Wording, claims: Sequence[re.Match[str]]) -> tuple[list[int], set[int]]:
    """Return the place of the last member of each claimed value, and those of its other members:
    `aire = 4 × 9 = 36 cm²`."""
    results = {
        at
        for at, mark in enumerate(wording.marks)
        if wording.text[:mark].endswith(("# = ", "# ≈ "))
    }
    places, passed = list[int](), set[int]()
    for each in claims:
        place = wording.marks.index(each.end() - 1)
        while place + 1 in results:
            passed.add(place)
            place += 1
        places.append(place)
    return places, passed


def _are_used(sizes: Sequence[Expr], values: Sequence[Expr], passed: set[int]) -> bool:
    """Return whether what is computed for a claim has the numbers of the sizes, in one unit."""
    computed = [at for at, each in enumerate(values) if is_computed(each)]
    used = {node for at in passed for node in walk(values[at]) if isinstance(node, Num)}
    units = {each.unit if isinstance(each, Quantity) else "" for each in sizes}
    numbers = {each.number if isinstance(each, Quantity) else each for each in sizes}
    if not passed and not computed:
        return True
    return len(units) == 1 and passed.issuperset(computed) and numbers <= used


def _find_shape(text: str) -> str:
    """Return the only shape that the text names; empty if it names none or several."""
    names = {name for pattern, name in _NAMES if re.search(rf"\b(?:{pattern})s?\b", text)}
    if re.search(r"\bcarres\b", text):  # `carrés` counts squares that cover a figure
        names -= {"carre"}
    if names >= {"triangle"}:
        names -= {"rectangle"}
    if "equilateral" in names:
        names -= {"triangle"}
    if not names and re.search(r"# (?:sur|par|by) #", text):
        return "rectangle"  # `un terrain de 40 m sur 25 m`
    return names.pop() if len(names) == 1 else ""


def _are_sizes(text: str, shape: str, kind: str, sizes: Sequence[Expr]) -> bool:
    """Return whether the numbers are the sizes that the formula of the shape needs."""
    if not 1 <= len(sizes) <= 3 or any(_unit_of(each) not in ("length", "") for each in sizes):
        return False
    if shape in ("disque", "boule", "cylindre", "cone"):
        return bool(re.search(r"rayon|radius|diametre|diameter", text))
    if shape in ("triangle", "losange") and kind == "aire":
        is_sized = re.search(r"base|hauteur|height|diagonal|angle droit|triangle rectangle", text)
        return bool(is_sized) and "hypot" not in text
    return kind == "diagonale" or "diagonal" not in text


def _check_right_angle(found: Found) -> list[Check]:
    """Read `Un triangle de côtés 5, 12 et 13 est rectangle`."""
    sides = sorted(found.list_values(), key=plain)
    one, other, longest = (apply("^", each, number(2)) for each in sides)
    return [Pair(apply("+", one, other), "=", longest)]


def _check_angles(found: Found) -> list[Check] | None:
    """Check that angles of a triangle make 180°, or acute ones of a right-angled one 90°."""
    kinds: list[str] = re.findall(r"\b(comp|supp)lementair", found.wording.text)
    sums = {90 if kind == "comp" else 180 for kind in kinds} or {180}
    angles = [each for each in found.list_values() if _unit_of(each) == "angle"]
    if any(map(has_operation, angles)):
        return None
    angles = [each for each in angles if plain(each) not in sums]
    if kinds and not found.has("triangle"):
        return _check_adjacent(found, angles, kinds)
    is_pair = len(angles) == 2 and found.has(r"triangle rectangle|right|(?:comp|supp)lementair")
    if not is_pair and len(angles) != 3:
        return None
    total = Quantity(number(180 if not is_pair or found.has("supplementair") else 90), "°")
    for each in angles[:-1]:
        total = apply("-", total, each)
    return [claim(total, angles[-1])]


def _check_adjacent(
    found: Found, angles: Sequence[Expr], kinds: Sequence[str]
) -> list[Check] | None:
    """Read `Le supplémentaire de 47° est 133° et son complémentaire est 43°`."""
    is_first = re.search(r"lementaire?s?\b[^#]*#", found.wording.text) is not None
    if len(set(kinds)) == 1 and len(angles) == 2:
        pairs = [(kinds[0], angles[0], angles[1])]
    elif len(kinds) == 2 and len(angles) == 3 and is_first:
        pairs = [(kind, angles[0], each) for kind, each in zip(kinds, angles[1:], strict=True)]
    elif len(kinds) == 2 and len(angles) == 4:
        pairs = [(kinds[0], *angles[:2]), (kinds[1], *angles[2:])]
    else:
        return None
    totals = {"comp": Quantity(number(90), "°"), "supp": Quantity(number(180), "°")}
    return [claim(apply("-", totals[kind], one), other) for kind, one, other in pairs]


PROBLEM_CHECKS: Final[dict[str, Callable[[Found], Sequence[Check] | None]]] = {
    "price": _check_price, "proportion": _check_proportion, "share": _check_share,
    "change": _check_change, "change_of_groups": _check_change, "after": _check_after,
    "rate": _check_rate, "saved": _check_saved, "urn": _check_urn,
    "right_angle": _check_right_angle, "angles": _check_angles,
}  # fmt: skip
"""Checks by their names in `claims.txt`."""
