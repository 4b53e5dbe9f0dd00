"""Work out what questions about money ask: what purchases cost, the change for them, the profit of
what is bought and sold, and simple interest.

Each reader yields nothing unless all numbers of the question have their place in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Final

from bot.maths.checks.question_data import (
    Measure,
    Question,
    Sought,
    exactly,
)

_MONTHS: Final = 12
_MOST_ITEMS: Final = 4


def list_money_results(question: Question) -> Iterator[Sought]:
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
    years = count_years(times[0])
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


def count_years(time: Measure) -> Fraction | None:
    """Return a number of years or months in years; None: it is of something else."""
    if re.match(r"(?:mois|months?)\b", time.noun):
        return time.value / _MONTHS
    return time.value if re.match(r"(?:ans?|annees?|years?)\b", time.noun) else None
