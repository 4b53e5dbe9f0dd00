"""Work out what standard word problems ask: speeds, shares, common divisors and multiples, means,
growth, what fractions leave, full boxes and their rest; what purchases cost, change and profit.

Each reader yields nothing unless all numbers of the question have their place in it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Final

from bot.maths.questions.figure_sizes import list_figure_results
from bot.maths.questions.question_measures import (
    Measure,
    Question,
    Sought,
    exactly,
    nearly,
)
from bot.maths.reading.number_words import PART_NAME, read_part_name
from bot.maths.reading.plain_words import read_values
from bot.maths.reading.vocabulary import DIGITS

_MONTHS: Final = 12
_MOST_ITEMS: Final = 4


def _list_money_results(question: Question) -> Iterator[Sought]:
    """Yield the sums that a question asks for."""
    yield from _list_payments(question)
    yield from _list_profit(question)
    yield from _list_interest(question)


_EACH: Final = re.compile(
    r" ?,? ?(?:(?:le|la|l'|par|per|a|the) ?(?:kg|kilo\w*|litre|liter|sac|metre|piece|paquet|boite"
    r"|unite|un|une|bag|packet|bottle|bouteille|carton|douzaine|cahier|stylo|livre|poulet|bidon"
    r"|panier|tas|box)\b|chacun\w*|each|apiece|piece\b)"
)
_PAYS: Final = (
    r"\b(?:pai\w*|pay\w*|donn\w*|remet|tend|gives?|gave|hands?|billets?|notes?|paid)\b[^.;]*$"
)
_BUYS: Final = (
    r"achet\w*|buys?|bought|pieces? de|billets? de|coins?|notes?|prend|takes?|commande\w*"
)
_RETURNED: Final = r"rend\w*|monnaie|change|reviendra"
_PRICED: Final = re.compile(
    r"(?:^|\s)(?P<one>une?|an?|one)\b[^.;,\d]*?\b(?P<w>a|at|coutant|costing|qui coute"
    r"|de|of|for|pour) (?:seulement )?$"
)
_COUNTED: Final = re.compile(
    r"^[^.;]*?\b(?P<w>a|at|coutant|costing|qui coutent|de|of)(?: seulement)? $"
)
_BAD_MONEY: Final = (
    r"benefices?|profits?|perte|loss|economis\w*|saves?|parts?|partag\w*|shar\w*|interets?|interest"
    r"|vend\w*|sells?|sold|revend\w*|place|livraison|delivery|transport|gratuit\w*|free|offert\w*"
    r"|deja|already|avait|had|reste|left|chaque|every|par (?:jour|mois|semaine|personne)|per (?:day"
    r"|month|week)|tous les|ensemble|together|manque|besoin|plus|more|moins|less|lot|pack|autre"
)


def _list_payments(question: Question) -> Iterator[Sought]:
    """Yield what purchases cost together, or the change for them."""
    if question.has(_BAD_MONEY) or not question.has(_BUYS):
        return
    items, paid = _read_items(question)
    if not items or len(items) > _MOST_ITEMS:
        return
    totals = frozenset(sum(each, Fraction(0)) for each in product(*items))
    partial = frozenset(value for each in items for value in each)
    if paid is not None and question.has(_RETURNED):
        total = max(totals)
        if len(totals) == 1 and total < paid:
            label = r"\b(?:rend\w*|monnaie|change)"
            yield Sought(label, "money", *exactly(paid - total), frozenset((total,)))
    elif paid is None and question.has(r"combien|how much|total\w*|quel\w*|what"):
        label = (
            r"\b(?:pai\w*|depens\w*|cout\w*|total\w*|doit|dois|pays?|spends?|costs?|en tout"
            r"|altogether|tu as|il a|elle a|j'ai|on a|you have|has|have|somme)"
        )
        if len(totals) == 1 and (len(items) > 1 or partial != totals):
            ends = r"en tout|au total|altogether|in all|in total"
            others = partial - totals
            yield Sought(label, "money", *exactly(max(totals)), others, follows=ends)


def _read_items(question: Question) -> tuple[list[set[Fraction]], Fraction | None]:
    """Return the possible costs of each purchase, and what is paid; no costs if a number is of no
    known kind."""
    items: list[set[Fraction]] = []
    paid: Fraction | None = None
    count: Measure | None = None
    end = 0
    for measure in question.measures:
        before = question.text[end : measure.start]
        end = measure.end
        if measure.dimension != "money":
            is_counted = measure.dimension == "" or measure.noun
            if count is not None or not is_counted or "\0" in before:
                return [], None
            count = measure
            continue
        is_each = bool(_EACH.match(question.text, measure.end))
        if count is None and re.search(_PAYS, before) and paid is None:
            paid = measure.value
            continue
        if count is None:
            if not _PRICED.search(before):
                return [], None
            items.append({measure.value})
            continue
        matched = _COUNTED.match(question.text[count.end : measure.start])
        is_coin = re.match(r" ?(?:pieces?|billets?|coins?|notes?)\b", question.text[count.end :])
        if not matched or (matched["w"] in ("de", "of") and not is_coin):
            return [], None
        costs = {count.value * measure.value}
        items.append(costs if is_each or is_coin or count.value == 1 else costs | {measure.value})
        count = None
    return ([], None) if count is not None else (items, paid)


def _list_profit(question: Question) -> Iterator[Sought]:
    """Yield the profit of what is bought and sold whole."""
    text = question.text
    if not question.has(r"benefices?|profits?") or question.has(
        r"transport|frais|pertes?|%|chacun vend|par jour|deux|autres?|reste"
    ):
        return
    sold = re.search(r"\b(?:re)?vend\w*|\b(?:re)?sells?\b|\b(?:re)?sold\b", text)
    bought = re.search(r"\bachet\w*|\bbuys?\b|\bbought\b", text)
    if sold is None or bought is None or bought.start() > sold.start():
        return
    before = [each for each in question.measures if each.start < sold.start()]
    after = [each for each in question.measures if each.start > sold.start()]
    if len(after) == 1 and after[0].dimension == "money" and 1 <= len(before) <= 2:
        sale = text[sold.start() :]
        is_each = bool(_EACH.match(text, after[0].end) or _EACH_SOLD.search(sale))
        found = _find_profit(text, before, after[0].value, is_each=is_each)
        if found and found[1] > found[0]:
            label = r"\b(?:benefice|profit|gagne\w*|gain)"
            price, income = found
            yield Sought(label, "money", *exactly(income - price), frozenset(found))


_EACH_SOLD: Final = re.compile(
    r"\b(?:chacun\w*|chaque|each|piece|le (?:kg|sac|kilo|litre)|l'unite|apiece)\b"
)


def _find_profit(
    text: str, bought: Sequence[Measure], income: Fraction, *, is_each: bool
) -> tuple[Fraction, Fraction] | None:
    """Return what is paid and earned; None: it is not clear for how many things each price is."""
    price = bought[-1]
    is_for_each = bool(_EACH.match(text, price.end))
    if price.dimension != "money":
        return None
    if len(bought) == 2:
        count = bought[0]
        is_clear = not count.dimension and is_for_each
        total = income * count.value if is_each else income
        return (price.value * count.value, total) if is_clear else None
    return None if is_for_each or is_each else (price.value, income)


def _list_interest(question: Question) -> Iterator[Sought]:
    """Yield the simple interest on a sum."""
    money, rates = question.list_values("money"), question.list_values("percent")
    times = [each for each in question.measures if each.dimension in ("", "time")]
    is_compound = question.has(r"compos\w*|compound\w*|capitalis\w*|deux|chaque mois|per month")
    if not question.has(r"interets?|interest") or is_compound or question.has(r"par mois|monthly"):
        return
    if len(money) != 1 or len(rates) != 1 or len(times) != 1 or len(question.measures) != 3:
        return
    years = _count_years(times[0])
    if years is None:
        return
    a_year = money[0] * rates[0]
    interest = a_year * years
    label = r"\b(?:interets?|interest)"
    if years <= 1:
        others = frozenset((a_year, a_year / _MONTHS, money[0] + interest))
        yield Sought(label, "money", *exactly(interest), others)
    elif question.has(r"simples?"):
        others = frozenset((a_year, money[0] + interest))
        yield Sought(label, "money", *exactly(interest), others)


def _count_years(time: Measure) -> Fraction | None:
    """Return a number of years or months in years; None: it is of something else."""
    if re.match(r"(?:mois|months?)\b", time.noun):
        return time.value / _MONTHS
    return time.value if re.match(r"(?:ans?|annees?|years?)\b", time.noun) else None


_MOST_YEARS: Final = 40


def list_results(question: Question) -> list[Sought]:
    """List the values that a question about one figure, or a word problem, asks for; none if a
    size is zero, by which some would be divided."""
    if not all(each.value for each in question.measures):
        return []
    return [*list_figure_results(question), *_list_story_results(question)]


def _list_story_results(question: Question) -> Iterator[Sought]:
    """Yield the values that a word problem asks for."""
    yield from _list_series(question)
    yield from _list_shares_of_fractions(question)
    if not question.measures:
        return
    yield from _list_mean(question)
    yield from _list_parts(question)
    yield from _list_growth(question)
    if question.has_plain_numbers:
        yield from _list_motions(question)
        yield from _list_money_results(question)
        yield from _list_common(question)
        yield from _list_boxes(question)
        yield from _list_coins(question)
        yield from _list_pieces(question)
        yield from _list_free(question)


# Speeds, distances and times ----------------------------------------------------------------------

_JOURNEYS: Final = (
    r"aller|retour|return|back|arrets?|pauses?|stops?|puis|then|ensuite|rattrap\w*|son|sound|echo"
    r"|accel\w*|chute|fall\w*|tomb\w*|courant|current|croise\w*|meet|relais|tours?|laps?"
    r"|chaque|each|par jour|heure d'arrivee|quelle heure|what time|minutes? plus|de plus|de moins"
    r"|augment\w*|metres? par|km par jour|litres?|consomm\w*"
)
_SPEED: Final = r"\b(?:vitesse|speed|allure|roule a|roule|rate)"
_DISTANCE: Final = r"\b(?:distance|parcour\w*|travel\w*|covers?|covered|trajet|parcouru)"
_TIME: Final = r"\b(?:temps|duree|dure|durera|met|mettra|time|takes?|needs?|lasts?|faut|faudra)"


def _list_motions(question: Question) -> Iterator[Sought]:
    if len(question.measures) != 2 or question.has(_JOURNEYS):
        return
    if not all(each.value for each in question.measures):
        return
    kinds = {each.dimension: each.value for each in question.measures}
    if kinds.keys() == {"length", "time"} and question.has(
        r"vitesse|speed|how fast|allure|km/h|m/s"
    ):
        if kinds["time"]:
            follows = r"(?!)"
            yield Sought(
                _SPEED, "speed", *exactly(kinds["length"] / kinds["time"]), follows=follows
            )
    elif kinds.keys() == {"speed", "time"} and question.has(
        r"distance|how far|parcour\w*|combien de (?:km|kilometres|metres)"
        r"|how many (?:km|kilometres|kilometers|metres|meters)"
    ):
        yield Sought(_DISTANCE, "length", *exactly(kinds["speed"] * kinds["time"]))
    elif kinds.keys() == {"speed", "length"} and question.has(
        r"combien de temps|how long|how much time|duree|en combien|how many (?:hours|minutes)"
        r"|quel temps|combien d'heures"
    ):
        yield Sought(_TIME, "time", *exactly(kinds["length"] / kinds["speed"]))


# Shares -------------------------------------------------------------------------------------------

_PARTS: Final = re.compile(r"(?<![\d.,])(?P<k>\d{1,2}) (?:parts?|shares?)\b")


def _list_parts(question: Question) -> Iterator[Sought]:
    """Yield what people receive who share a sum in parts."""
    if question.has(
        r"de plus|more|moins|less|reste\w*|egales?|equal|chaque part"
    ) or not question.has(r"partag\w*|shar\w*|divide\w*|repart\w*"):
        return
    parts = [Fraction(each["k"]) for each in _PARTS.finditer(question.text)]
    totals = [each for each in question.measures if each.dimension]
    if len(parts) < 2 or len(totals) != 1 or len(question.measures) != len(parts) + 1:
        return
    one = totals[0].value / sum(parts, Fraction(0))
    receives = r"\b(?:recoi\w*|recevra|aura|touche\w*|receives?|gets?|got)"
    values = [each * one for each in parts]
    for value in values:
        others = frozenset({*values, one, totals[0].value} - {value})
        yield Sought(receives, totals[0].dimension, *exactly(value), others)


_FRACTION: Final = re.compile(
    r"(?<![\d./,])\(?(?P<a>\d)\)?/\(?(?P<b>\d{1,2})\)?(?![\d/])"
    rf"|\b(?P<w>{PART_NAME})\b"
)
_OF_REST: Final = (
    r"du reste|de ce qui|of the (?:rest|remainder|remaining)|restante?s?|of what|remaining|puis le"
    r"|d'abord|ajout\w*|plus|more|than|recoit encore|chaque|each|par (?:jour|mois)"
)


def _list_shares_of_fractions(question: Question) -> Iterator[Sought]:
    """Yield what is left of an amount of which fractions are taken."""
    found = list(_FRACTION.finditer(question.text))
    is_asked = question.has(r"(?:lui |te |me |leur )?reste(?:ra)?(?:-t-il)?|left")
    if not found or not is_asked or question.has(_OF_REST):
        return
    parts = [_read_part(each) for each in found]
    taken = sum(parts, Fraction(0))
    text = _FRACTION.sub(lambda each: " " * len(each[0]), question.text)
    numbers = [each for each in question.measures if text[each.start].isdigit()]
    is_plain = not re.search(r"\b(?:double|triple|fois|times|%|si|if)\b", text)
    if len(numbers) != 1 or not is_plain or not 0 < taken < 1:
        return
    amount = numbers[0]
    if _IS_REST.search(text[: amount.start]):
        return
    steps = {amount.value * (1 - each) for each in parts} | {amount.value * each for each in parts}
    rest = amount.value * (1 - taken)
    label = r"\b(?:rest\w*|left|remain\w*)"
    others = frozenset(steps | {amount.value * taken}) - {rest}
    yield Sought(label, amount.dimension, *exactly(rest), others, follows="left")


_IS_REST: Final = re.compile(r"\b(?:reste\w*|left with|remain\w*)(?: (?:que|encore|only))* $")
"""Words before an amount that is left already: `il me reste 2 500 F`."""


def _read_part(found: re.Match[str]) -> Fraction:
    if found["a"]:
        return Fraction(int(found["a"]), int(found["b"]) or 1)
    return read_part_name(found["w"]) or Fraction(0)


_GROUPS: Final = re.compile(
    r"\b(?P<box>boxes|bags|packets|packs|crates|baskets|trays|groups|teams|rows|cartons|boites|sacs"
    r"|paquets|caisses|paniers|sachets|plateaux|groupes|equipes|rangees|bottles|bouteilles|casiers)"
    rf" (?:de|of|contenant|holding)(?: chacun\w*)? (?P<d>{DIGITS})\b"
)


def _list_boxes(question: Question) -> Iterator[Sought]:
    """Yield how many boxes can be filled, and how many things are left over."""
    group = _GROUPS.search(question.text)
    if group is None or len(question.measures) != 2:
        return
    if any(each.dimension for each in question.measures) or question.has(
        r"deja|already|faut|need\w*|necessaires?|minimum|au moins|at least|prix|coute\w*|cost\w*"
    ):
        return
    is_first = question.measures[0].start == group.start("d")  # `des paquets de 6 avec 50 œufs`
    stock, pack = question.measures[::-1] if is_first else question.measures
    whole, size = stock.value, pack.value
    if pack.start != group.start("d") or whole.denominator != 1 or size <= 1:
        return
    if size.denominator != 1 or whole <= size:
        return
    quotient, rest = divmod(whole, size)
    box = group["box"].rstrip("sx").removesuffix("e") + r"\w*"
    asked = rf"(?:combien d[e'] ?|how many )(?:full |complete )?{box}"
    if question.has(asked):
        is_full = question.has("pleine?s?|pleins|full|complete?s?|complets")
        others = frozenset[Fraction]() if is_full else frozenset((Fraction(quotient + 1),))
        counted = rf"(?:full |complete )?{box}"
        yield Sought(r"(?!)", "", *exactly(quotient), others, noun=box, follows=counted)
    asks_rest = question.has(r"reste\w*|left|remain\w*")
    may_tell_rest = is_first and bool(stock.noun) and question.has(asked)
    if (asks_rest or may_tell_rest) and rest:
        things = stock.noun.rstrip("s")
        noun = rf"(?:{re.escape(things)}\w*|left|over|remain\w*|)" if things else ""
        ends = rf"(?:{re.escape(things)}\w* )?(?:left|over|remaining|de reste)"
        label = r"\b(?:restera|reste(?! de)|resteront|restent|left over|left|remainder)"
        rivals = "quotient|divis"
        others = frozenset[Fraction]() if asks_rest else frozenset((Fraction(quotient),))
        yield Sought(label, "", *exactly(rest), others, noun=noun, rivals=rivals, follows=ends)


_COINS: Final = re.compile(
    rf"(?:combien (?:de |faut-il de )?|how many )(?P<u>{DIGITS} ?[a-z]+ )?"
    r"(?P<coin>pieces?|billets?|coins?|notes?)\b"
)


def _list_coins(question: Question) -> Iterator[Sought]:
    """Yield how many equal coins make a sum."""
    found = _COINS.search(question.text)
    if found is None or len(question.measures) != 2:
        return
    coin, total = question.measures
    is_money = {coin.dimension, total.dimension} <= {"money", ""} and coin.dimension
    is_other = question.has(r"reste\w*|left|rend\w*|change|monnaie|et|and|deja|already|avec|with")
    if not is_money or is_other or not coin.value or total.value % coin.value:
        return
    if coin.value >= total.value or coin.start > found.end() + 8:
        return
    word = found["coin"].rstrip("s")
    noun = rf"{word}s?"
    count = total.value / coin.value
    yield Sought(r"(?!)", "", *exactly(count), noun=noun, follows=noun)


def _list_pieces(question: Question) -> Iterator[Sought]:
    """Yield what is left of a length or volume of which equal pieces are taken."""
    sizes = sorted(each.value for each in question.measures)
    kind, *others = {each.dimension for each in question.measures}
    is_cut = question.has(r"(?:de)?coup\w*|cuts?|rempli\w*|fill\w*")
    is_other = question.has(
        r"deja|already|chaque|each|tous les|perimetre|aire|area|carres?|cotes?|trous?|chutes?"
    )
    if len(sizes) != 2 or others or kind not in ("length", "volume"):
        return
    if not is_cut or is_other or not sizes[0] or not sizes[1] % sizes[0]:
        return
    label = r"\b(?:restera|reste(?! de)|left over|left|remainder)"
    ends = r"(?:(?:is|are) )?(?:left|remaining)|de reste"
    rest = exactly(sizes[1] % sizes[0])
    yield Sought(label, kind, *rest, may_be_given=True, follows=ends)


_SEATS: Final = r"(?:seats?|places?|sieges?|chairs?|chaises?|rooms?|chambres?|beds?|lits?)"


def _list_free(question: Question) -> Iterator[Sought]:
    """Yield how many seats are free of a number of them."""
    if len(question.measures) != 2 or any(each.dimension for each in question.measures):
        return
    all_seats, taken = question.measures
    is_asked = question.has(
        rf"(?:free|empty|libres?|vides?|available|disponibles?|vacant)(?: {_SEATS})?"
        rf"|{_SEATS} (?:are )?(?:left|restent)"
    )
    changes = r"montent|descendent|get (?:on|off)|puis|then|rows?|rangees?|chaque|each|more|autres?"
    if not re.fullmatch(_SEATS, all_seats.noun) or not is_asked or question.has(changes):
        return
    if all_seats.value > taken.value:
        free = rf"(?:(?:free|empty|vacant|available|more) )?{_SEATS}"
        yield Sought(
            r"(?!)", "", *exactly(all_seats.value - taken.value), noun=_SEATS, follows=free
        )


_PRODUCT: Final = re.compile(r"\d ?(?:[×*·^²³]|\\times|\\cdot)")
_LETTERED: Final = re.compile(
    r"= ?-?\d|\d ?[+/] ?\d|\d - \d|\)/|\b[a-z]\(|\b(?:et|and) [b-z]\b(?!['’])"
    r"|\b[b-z] (?:et|and) \d"
    r"|\b(?:superieur|inferieur|entre|apres|avant|greater|smaller|less|above|below|between)\w*\b"
)
"""Numbers that a question has computed, calls by a letter, or only compares with."""
_COMMON: Final = {
    "gcd": r"pgcd|gcd|hcf|gcf|(?:plus grand|greatest|highest) [a-z ]*?(?:diviseur|divisor|factor)",
    "lcm": r"ppcm|lcm|(?:plus petit|least|lowest) [a-z ]*?multiple",
}


def _list_common(question: Question) -> Iterator[Sought]:
    """Yield the greatest common divisor and the least common multiple of all numbers."""
    values = [each.value for each in question.measures]
    if len({*values}) < 2 or any(each.denominator > 1 or each < 1 for each in values):
        return
    if _PRODUCT.search(question.text) or _LETTERED.search(question.text):
        return  # `A = 2 × 3²` is one number
    wholes = [each.numerator for each in values]
    common = {"gcd": math.gcd(*wholes), "lcm": math.lcm(*wholes)}
    for kind, words in _COMMON.items():
        if question.has(words) and not any(each.dimension for each in question.measures):
            rivals = _COMMON["lcm" if kind == "gcd" else "gcd"]
            others = frozenset(values) - {Fraction(common[kind])}
            yield Sought(
                rf"\b(?:{words})\b", "", *exactly(common[kind]), others, rivals=rivals,
                may_be_given=True, may_be_listed=True,
            )  # fmt: skip


# Means and series ---------------------------------------------------------------------------------

_COEFFICIENT: Final = re.compile(
    rf"(?P<v>{DIGITS})(?: ?/ ?20)?(?: (?:en|in|a|de|for) (?:[a-z-]+ ?){{1,3}})?,? ?\(?"
    rf"(?:avec (?:un |le )?)?(?:coefs?|coefficients?|weight)\.?(?: (?:de|of))? ?[:=]? ?"
    rf"(?P<k>\d{{1,2}})\)?"
)
_MEAN: Final = r"\b(?:moyennes?|average|mean)\b"


def _list_mean(question: Question) -> Iterator[Sought]:
    """Yield the mean of marks with coefficients."""
    pairs = list(_COEFFICIENT.finditer(question.text))
    if len(pairs) < 2 or len(question.measures) != 2 * len(pairs) or not question.has(_MEAN):
        return
    if question.has(r"quelle note|which mark|doit|must|prochain\w*|next|pour avoir|obtenir"):
        return
    marks = [min(read_values(each["v"])) for each in pairs]
    weights = [Fraction(each["k"]) for each in pairs]
    products = (mark * weight for mark, weight in zip(marks, weights, strict=True))
    sums, total = sum(products, Fraction(0)), sum(weights, Fraction(0))
    mean = sums / total
    others = frozenset((sums, total)) - {mean}
    yield Sought(
        _MEAN, "", *exactly(mean), others, rivals="simple|sans|arithmet", may_be_given=True
    )


_LISTED: Final = re.compile(rf"{DIGITS}(?:(?: ?; ?|, (?:et |and )?| et | and ){DIGITS}){{2,}}")
_STATISTICS: Final = {
    "mean": _MEAN, "median": r"\b(?:medianes?|median)\b", "range": r"\b(?:etendues?|range)\b",
}  # fmt: skip


def _list_series(question: Question) -> Iterator[Sought]:
    """Yield the mean, median and range of a listed series."""
    listed = list(_LISTED.finditer(question.text))
    numbers = re.findall(DIGITS, question.text)
    is_unclear = listed and re.search(r"\d,\d", listed[0][0]) and ";" not in listed[0][0]
    if len(listed) != 1 or is_unclear:
        return
    values = sorted(min(read_values(each)) for each in re.findall(DIGITS, listed[0][0]))
    if len(numbers) != len(values) or question.has(
        r"effectifs?|frequen\w*|coef\w*|ponder\w*|weight\w*|ajout\w*|add\w*|deux series|table\w*"
        r"|fonction|function|x|classes?|quartiles? et|si|if|manqu\w*|missing"
    ):
        return
    half = len(values) // 2
    middle = values[half] if len(values) % 2 else (values[half - 1] + values[half]) / 2
    mean, extent = sum(values, Fraction(0)) / len(values), values[-1] - values[0]
    found = {"mean": mean, "median": middle, "range": extent}
    for name, label in _STATISTICS.items():
        others = "|".join(each for one, each in _STATISTICS.items() if one != name)
        if re.search(label, question.text):
            rivals = f"(?:{others})|position|rang"
            yield Sought(label, "", *exactly(found[name]), rivals=rivals, may_be_given=True)


_GROWS: Final = r"augment\w*|grows?|growing|croit|increas\w*|hausse|accroit"
_SHRINKS: Final = r"diminu\w*|baiss\w*|decreas\w*|falls?|loses?|perd|shrinks?"
_YEARLY: Final = (
    r"par an|chaque annee|tous les ans|each year|every year|per year|a year|annual\w*|annuel\w*"
)


def _list_growth(question: Question) -> Iterator[Sought]:
    """Yield a population that grows by the same rate for some years."""
    people = r"(?:habitants?|people|inhabitants|personnes|eleves|students)"
    rates = question.list_values("percent")
    counts = [each for each in question.measures if not each.dimension]
    is_growing, is_shrinking = question.has(_GROWS), question.has(_SHRINKS)
    if len(rates) != 1 or len(counts) != 2 or len(question.measures) != 3:
        return
    start, time = sorted(
        counts, key=lambda each: bool(re.match(r"ans?$|annees?|years?", each.noun))
    )
    years = _count_years(time)
    is_named = question.has(r"population") and question.has(people)
    if not years or is_growing == is_shrinking or not question.has(_YEARLY) or not is_named:
        return
    if years.denominator > 1 or years > _MOST_YEARS or question.has(r"quand|when|combien d'annees"):
        return
    factor = 1 + rates[0] * (1 if is_growing else -1)
    end = start.value * factor**years.numerator
    before = [start.value * factor**each for each in range(1, years.numerator)]
    others = frozenset((*before, *(Fraction(round(float(each))) for each in before)))
    label = rf"\b(?:population|{people}|ville|town|aura|comptera|will (?:be|have)|y aura)"
    low, high = nearly(float(end), 0.003)
    yield Sought(label, "", low, high, others)
