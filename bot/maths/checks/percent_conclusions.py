"""Check percentages and fractions that conclude from a number in another form: `3/10, soit 30 %`,
`= 0,25. Le bénéfice est de 25 %`, `400 F, soit 4 % du prix de départ`, `2/4, soit la moitié`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Final

from bot.maths.checks.passages import Line, Passage, list_numbers, write_number
from bot.maths.exact.algebra_questions import Statement, decide
from bot.maths.reading.number_words import PART_NAME, read_part_name
from bot.maths.reading.plain_words import find_step, read_values
from bot.maths.reading.vocabulary import CLAUSE_END, DIGITS, FALLS, FREE, MONEY, RISES, THEN

_HUNDRED: Final = 100
_FRACTION: Final = r"\d{1,9} ?/ ?\d{1,9}(?![\d/]|[.,]\d)"
_SHOWN: Final = rf"(?P<p>{DIGITS}) ?(?:%|pour ?cent|percent)"
_PERCENT: Final = re.compile(rf"(?<![\d.,/])(?:{_SHOWN})")
_SO: Final = (
    r"(?:soit|c'est-a-dire|c'est|ce qui (?:fait|donne|represente)|autrement dit|that is|that's|or"
    r"|which is|i\.e\.?|donc|so|ou encore)"
)
_CHANGED: Final = (
    rf"(?:{RISES}|{FALLS}|perd\w*|gagn\w*|en (?:plus|moins)|de (?:plus|moins)|more|less|off)"
)
_CHANGE: Final = re.compile(rf"\b{_CHANGED}\b")


def read_percent_conclusions(passage: Passage) -> Iterator[Statement]:
    """Yield the percentages and fractions of an answer that say a number again."""
    own = passage.own
    has_percent = any("%" in line.text for line in own)
    has_fraction = any("/" in line.text for line in own)
    for line in own:
        if has_fraction or has_percent:
            yield from _read_fraction_words(line.text)
    if has_percent:
        yield from _read_forms(own)
        yield from _read_after_computation(passage, own)
        yield from _read_amounts(passage, own)
        yield from _read_hundredfold(own)
        yield from _read_overall(passage, own)
        yield from _read_new_value(passage, own)
        yield from _read_products(own)
    if not passage.has_example:
        yield from _read_original(passage, own)
    if has_percent or "%" in passage.asked:
        yield from _read_factors(passage, own)
    if has_fraction:
        yield from _read_rest(passage, own)


def _is_near(percent: str, expected: Fraction, *, slack: Fraction = Fraction(0)) -> bool:
    """Return whether a percentage shows an expected one, rounded or cut to its digits."""
    step = find_step(percent)
    is_whole = (expected / step).denominator == 1
    most = (Fraction(0) if is_whole else step) + slack
    return any(abs(each - expected) <= most for each in read_values(percent))


def _read_quotient(text: str) -> Fraction | None:
    above, below = (int(each) for each in text.split("/"))
    return Fraction(above, below) if below else None


# One form after another ---------------------------------------------------------------------------

_FORMS: Final = re.compile(
    rf"(?:(?<![\w.,/)×*+^-])(?<![×*+/÷-] )(?P<f>{_FRACTION})"
    r"(?: (?:du |de la |de l'|des |of the )[a-z]{2,12}(?=,? soit\b|,? or\b|,? c'est))?"
    r"|(?:[=≈:]|vaut|est|is) (?P<d>\d{1,2}[.,]\d+))"
    rf"(?: ?,)? {_SO}(?: (?:{THEN}|environ|about|exactement|egal a))* {_SHOWN}"
    r"(?! ?(?:de|d'|of|des|du)\b(?! ?(?:plus|moins|hausse|baisse)))"
)


def _read_forms(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `3/10, soit 30 %`."""
    for line in lines:
        for found in _FORMS.finditer(line.text):
            value = _read_quotient(found["f"]) if found["f"] else None
            values = read_values(found["d"]) if found["d"] else frozenset[Fraction]()
            value = min(values) if values else value
            if value is None or not 0 < value < 3:
                continue
            expected = {value * _HUNDRED}
            if value > 1 or _CHANGE.search(line.text):
                expected.add(abs(value - 1) * _HUNDRED)
            slack = find_step(found["d"]) * 50 if found["d"] else Fraction(0)
            if found["d"] and found[0].startswith("≈"):
                slack *= 2
            is_right = any(_is_near(found["p"], each, slack=slack) for each in expected)
            yield decide(found[0], "" if is_right else f"it is {write_number(value * 100)} %")


_SAME_PART: Final = re.compile(
    rf"(?<![\w.,/)×*+^-])(?<![×*+/÷-] )(?:(?P<f>{_FRACTION})|(?P<q>{DIGITS}) ?%)(?: ?,)? {_SO}"
    rf"(?: (?:{THEN}|environ|about|exactement))* (?P<w>{PART_NAME})\b(?! d'heure)"
    rf"|\b(?P<w2>{PART_NAME})(?: ?,)? (?:soit|c'est-a-dire|that is|i\.e\.?)"
    rf"(?: (?:{THEN}|les?))* (?:(?P<f2>{_FRACTION})|(?P<q2>{DIGITS}) ?%)"
)


def _read_fraction_words(text: str) -> Iterator[Statement]:
    """Read `2/4, soit la moitié`, `le quart, soit 25 %`."""
    for found in _SAME_PART.finditer(text):
        word, fraction = found["w"] or found["w2"], found["f"] or found["f2"]
        percent = found["q"] or found["q2"]
        expected = read_part_name(word) or Fraction(0)
        if percent:
            is_right = _is_near(percent, expected * _HUNDRED, slack=Fraction(1))
        else:
            is_right = _read_quotient(fraction) == expected
        yield decide(found[0], "" if is_right else f"{word} is {expected}")


# After a computation ------------------------------------------------------------------------------

_COMPUTED: Final = re.compile(
    rf"(?P<before>[^=≈;:.!?]*)(?P<sign>[=≈]) ?(?P<d>-?\d{{1,2}}(?:[.,]\d+)|-?{_FRACTION}"
    r"|\(\d{1,9}\)/\(\d{1,9}\))"
    rf"(?P<percent> ?%)?{CLAUSE_END}"
)
_CONCLUDED: Final = re.compile(
    r"\b(?:donc|soit|so|that is|means|makes?|augment\w*|baiss\w*|dimin\w*|hausse|reduction|benefice"
    r"|profit|increas\w*|decreas\w*|taux|rate|pourcentage|percentage|frequence|frequency|part"
    r"|gain|perte|loss|remise|discount|represente\w*|reussi\w*|interets?|il faut)\b"
    rf"[^%=≈?]*?(?<![\d.,/]){_SHOWN}"
)
_ANOTHER: Final = re.compile(
    r"\b(?:tva|chaque|initiale?|reste\w*|autres?|si|if|avant|before|attention|contrairement"
    r"|et non|pas|not)\b"
)


def _read_after_computation(passage: Passage, lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `3 000 ÷ 12 000 = 0,25. Le bénéfice est de 25 %`."""
    known = {found["p"] for found in _PERCENT.finditer(passage.asked)}
    last: re.Match[str] | None = None
    for line in lines:
        matches = list(_COMPUTED.finditer(line.text))
        last = matches[-1] if matches else last
        rest = line.text[matches[-1].end() :] if matches else line.text
        if last and not re.search(r"[=≈+×÷]", rest):
            claims = list(_PERCENT.finditer(rest))
            claim = _CONCLUDED.search(rest)
            is_clear = claim and len(claims) == 1 and not _ANOTHER.search(rest)
            if claim and is_clear and claim["p"] not in known:
                yield from _compare_computed(last, claim)
        elif not matches:
            last = None
        known |= {found["p"] for found in _PERCENT.finditer(line.text)}
        if not matches and re.search(r"\d", line.text):
            last = None


def _compare_computed(last: re.Match[str], claim: re.Match[str]) -> Iterator[Statement]:
    """Yield the check that a percentage is the share, the factor or the change just computed."""
    shown = re.sub("[-()]", "", last["d"])
    value = _read_quotient(shown) if "/" in shown else min(read_values(shown))
    if value is None or not 0 < value < (_HUNDRED if last["percent"] else 3):
        return
    if last["percent"]:
        value /= _HUNDRED
    is_change = last["d"].startswith("-") or re.search(r"(?:^|[^\d])1 ?- ?\d", last["before"])
    expected = {value * _HUNDRED}
    if not is_change or value > _HALF:  # `1 - 0,12 = 0,88, soit une baisse de 12 %`
        expected.add(abs(1 - value) * _HUNDRED)
    slack = Fraction(0)
    if last["sign"] == "≈" and "/" not in shown:
        slack = find_step(shown) * (1 if last["percent"] else _HUNDRED)
    is_right = any(_is_near(claim["p"], each, slack=slack) for each in expected)
    why = f"{last['d']} is {write_number(value * _HUNDRED)} %"
    yield decide(claim[0], "" if is_right else why)


_AMOUNT: Final = re.compile(
    r"(?<![\w.,/×*+÷])(?<![×*+/÷-] )(?<!\d )(?<!\ba )(?<!\bto )(?<!\bsur )(?<!\bof )(?<!\bon )"
    rf"(?<!\bet )(?<!\bin )(?<!\band )(?P<n>{DIGITS}) (?P<u>[a-z$€]+)(?: cfa)?(?: ?,)? "
    r"(?:soit|c'est-a-dire|ce qui (?:represente|fait|correspond a)|which is|that is)"
    rf"(?: (?:{THEN}|environ|about|une?|a|an))*"
    rf"(?: {_CHANGED}(?: (?:globale?|totale?|de|of))*)? {_SHOWN}"
    r"(?P<after> ?(?:de|d'|of|du|des)\b(?: (?:du |la |le |the |l')?"
    r"(?:prix|depart|total|price|original|effectif|classe"
    r"|(?:plus|moins)))?)?"
)


def _read_amounts(passage: Passage, lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `On a perdu 400 F, soit 4 % du prix de départ`: some number of the text must be the
    whole."""
    text = passage.asked
    for line in lines:
        text += f" {line.text}"
        for found in _AMOUNT.finditer(line.text):
            after = found["after"] or ""
            if after and after.strip() in ("de", "d'", "of", "du", "des"):
                continue
            amounts = read_values(found["n"])
            wholes = _list_wholes(text, amounts)
            about = Fraction(1, 2) if "environ" in found[0] or "about" in found[0] else Fraction(0)
            is_right = any(
                _is_near(found["p"], amount * _HUNDRED / each, slack=about)
                for each in wholes
                for amount in amounts
            )
            if len(wholes) > 1:
                why = "" if is_right else "no number of the text is the whole of this share"
                yield decide(found[0], why)


def _list_wholes(text: str, amounts: frozenset[Fraction]) -> set[Fraction]:
    """List the numbers of a text, sums of two of them and of all, larger than an amount."""
    numbers = set(list_numbers(text)[:40])
    sums = {one + other for one, other in combinations(numbers, 2)}
    return {each for each in numbers | sums | {sum(numbers, Fraction(0))} if each > min(amounts)}


_MULTIPLIED: Final = re.compile(
    rf"\b(?:multipli\w+|multiply)(?: (?:{THEN}|the price|le prix|ce prix|tout|it))*"
    r" (?:par|by) (?P<c>[012][.,]\d{1,4})(?![\d,.]\d|\d)"
)


_HALF: Final = Fraction(1, 2)
_MOST_TIMES: Final = 13
"""Most times that a change may be repeated, and one."""


def _read_factors(passage: Passage, lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `Diminuer de 12 %, c'est multiplier par 0,88`."""
    before = passage.asked
    for line in lines:
        for found in _MULTIPLIED.finditer(line.text):
            said = f"{before} {line.text[: found.start()]}"
            percents = {each for one in _PERCENT.finditer(said) for each in read_values(one["p"])}
            factor = min(read_values(found["c"]))
            is_known = factor in list_numbers(said) or not _CHANGE.search(said)
            if not percents or is_known:
                continue
            allowed = {each for part in percents for each in _list_factors(part / _HUNDRED)}
            pairs = {one * other for one, other in combinations(allowed, 2)}
            pairs |= {each**power for each in allowed for power in range(2, _MOST_TIMES)}
            step = find_step(found["c"])
            is_right = any(abs(each - factor) < step for each in allowed) or factor in pairs
            yield decide(found[0], "" if is_right else f"not the factor of {sorted(percents)} %")
        before += f" {line.text}"


_TIMES: Final = r"[0-2](?:[.,]\d+)?"
_PRODUCT: Final = re.compile(
    rf"(?<![\d.,+/÷-])(?<![+/÷-] ){_TIMES} × {_TIMES}(?: × {_TIMES}){{0,4}}"
    rf" = (?P<f>{DIGITS}){CLAUSE_END}"
)
_FACTOR: Final = re.compile(
    r"\b(?:coefficients?|facteurs?|factors?|multipl\w+"
    r"|(?:donc|so) (?:le|la|the) (?:prix|population|salaire|valeur|price|salary|value))\b"
)
_CHANGED_TWICE: Final = re.compile(rf"(?:\b{_CHANGED}\b[^%.;?]*%[^%.;?]*){{2}}")
"""Two changes whose factors a product has."""
_MOVES: Final = re.compile(
    r"(?:\b(?P<up>hausses?|augment\w*|increas\w*|risen?|rises?|rose|went up|gone up|goes up)"
    r"|\b(?P<down>baiss\w*|diminu\w*|decreas\w*|fallen|falls?|fell|drop\w*|went down|gone down"
    rf"|goes down|perdu))\b[^%=≈?;.\d]*{_SHOWN}"
)
_ALL: Final = re.compile(
    r"\b(?:au total|in total|globale?\w*|overall|en tout|in all|au final|finalement|donc|so)\b"
)


def _read_products(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `1,10 × 0,90 = 0,99. … Au total, le prix a baissé de 1 %`: factors of changes."""
    known: tuple[Fraction, int] | None = None
    for at, line in enumerate(lines):
        text = line.text
        if found := _PRODUCT.search(text):
            around = f"{lines[at - 1].text if at else ''} {text}"
            is_factor = _FACTOR.search(around) or _CHANGED_TWICE.search(around)
            is_factor = is_factor and len(read_values(found["f"])) == 1
            known = (min(read_values(found["f"])), at) if is_factor else None
            text = text[found.end() :]
        moved = _MOVES.search(text)
        if known is None or moved is None or at - known[1] > _NEARBY or not _ALL.search(text):
            continue
        if len(_PERCENT.findall(text)) == 1 and not _UNSURE.search(text):
            sign = 1 if moved["up"] else -1
            expected = sign * (known[0] - 1) * _HUNDRED
            is_right = expected > 0 and _is_near(moved["p"], expected)
            yield decide(moved[0], "" if is_right else f"the factor is {write_number(known[0])}")


_NEARBY: Final = 3
"""Most sentences between a product of factors and what it means."""
_UNSURE: Final = re.compile(
    r"\b(?:si|if|pas|ne|not|chaque|each|premi\w+|deuxi\w+|first|second|puis|then|par an|moyen\w*"
    r"|average|autres?|other|revenir|retrouver|back)\b|\bn'"
)


def _list_factors(part: Fraction) -> set[Fraction]:
    """List the factors that may belong to a percentage."""
    factors = {part, 1 + part, abs(1 - part)}
    return factors | {1 / each for each in factors if each}


_REST: Final = re.compile(
    r"\b(?:gard\w*|rest\w*|left|remain\w*|kept|conserv\w*)\b[^\d.;?!=]*"
    rf"\b(?:represente\w*|est|is|correspond a|fait|soit|donc)"
    rf"(?: (?:{THEN}|les?|the|a))* (?P<f>{_FRACTION})"
    r"(?! (?:du|de (?:ce|la moitie)) reste| ?[×*+/-])"
)


def _read_rest(passage: Passage, lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `Il vend les 2/5 et garde le reste. … La partie gardée représente 3/5`."""
    given = set(re.findall(_FRACTION, passage.asked))
    if len(given) != 1 or not re.search(r"\b(?:gard\w*|rest\w*|left|remain\w*)\b", passage.asked):
        return
    part = _read_quotient(given.pop())
    if part is None or not 0 < part < 1 or passage.has_example:
        return
    for line in lines:
        for found in _REST.finditer(line.text):
            rest = _read_quotient(found["f"])
            is_right = rest == 1 - part
            yield decide(found[0], "" if is_right else f"it is {1 - part}")


# Shares of a hundred, and the price before a change -----------------------------------------------

_HUNDREDFOLD: Final = re.compile(
    rf"[×*] ?100\)? ?(?P<sign>[=≈]) ?(?P<d>{DIGITS})(?: ?%)?[,.]? (?:donc|so|soit|ainsi)\b,?"
    rf"(?P<between>[^%=≈?.;\d]*) {_SHOWN}"
)
_EXPECTED: Final = re.compile(
    r"\b(?:compar\w*|prevu\w*|attendu\w*|expected|than|que|lieu|instead|objectif|target|inferieur\w*"
    r"|superieur\w*|below|above)\b"
)


def _read_hundredfold(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `3 800/20 000 × 100 = 19, so the price fell by 19 %`."""
    for line in lines:
        for found in _HUNDREDFOLD.finditer(line.text):
            between, values = found["between"], read_values(found["d"])
            if _ANOTHER.search(between) or _EXPECTED.search(between) or len(values) > 1:
                continue
            (value,) = values
            slack = find_step(found["d"]) if found["sign"] == "≈" else Fraction(0)
            expected = (value, abs(_HUNDRED - value))
            is_right = any(_is_near(found["p"], each, slack=slack) for each in expected)
            yield decide(found[0], "" if is_right else f"it is {write_number(value)} %")


_OVERALL: Final = re.compile(
    rf"\b(?:au total|in total|globalement|overall|en tout|in all)\b[^%=≈?;]*\b{_CHANGED}\b"
    rf"[^%=≈?;\d]*{_SHOWN}"
)
_PRICED: Final = re.compile(rf"(?<![\w.,/])(?P<n>{DIGITS}) {MONEY}(?![a-z])")
_MOST_PRICES: Final = 20


def _read_overall(passage: Passage, lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `12 000 F … 12 420 F. Au total, le prix a augmenté de 3,5 %`: two amounts must give
    it."""
    for at, line in enumerate(lines):
        found = _OVERALL.search(line.text)
        if not found or len(_PERCENT.findall(line.text)) != 1 or "=" in line.text:
            continue
        text = " . ".join((passage.asked, *(each.text for each in lines[:at])))
        prices = {each for one in _PRICED.findall(text) for each in read_values(one) if each}
        if 2 < len(prices) <= _MOST_PRICES:
            parts = [one / other * _HUNDRED for one in prices for other in prices]
            expected = (each for part in parts for each in (part, abs(part - _HUNDRED)))
            is_right = any(_is_shown(found["p"], each) for each in expected)
            yield decide(found[0], "" if is_right else "no two amounts of the text give this")
            return


def _is_shown(percent: str, expected: Fraction) -> bool:
    """Return whether a percentage is an expected one, rounded to the nearest or cut."""
    step = find_step(percent)
    return any(-step / 2 <= expected - each < step for each in read_values(percent))


_AFTER: Final = re.compile(
    r"\b(?:apres|after)(?: (?:une|un|a|an|sa|its))? "
    r"(?:(?P<up>hausse|augmentation|increase|rise)|baisse|reduction|remise|rabais|diminution"
    r"|decrease|discount|fall|drop)"
    rf" (?:(?:de|of) )?{_SHOWN}[^.?%=]*?\b(?:coute|vaut|costs?|est vendue?|se vend|is sold for)"
    rf"(?: (?:now|maintenant|a|at))* (?P<n>{DIGITS}) {MONEY}(?![a-z])"
)
_BEFORE: Final = re.compile(
    r"\b(?:prix (?:initial|de depart|d'origine)|(?:original|initial) price|"
    r"price before (?:that|the \w+))\b"
    rf"(?: (?:{THEN}|etait|est|vaut|was|is|de))+ "
    rf"(?P<v>{DIGITS})(?! ?[×*+/÷-])(?![\d.,]*\d| \d{{3}})"
)


def _read_original(passage: Passage, lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `Après une baisse de 20 %, il coûte 48 000 F. Le prix initial était 60 000 F`."""
    text = " . ".join((passage.asked, *(line.text for line in lines)))
    known = {(bool(found["up"]), found["p"], found["n"]) for found in _AFTER.finditer(text)}
    if len(known) != 1:
        return
    ((is_up, percent, price),) = known
    part = min(read_values(percent)) / _HUNDRED
    prices = read_values(price)
    if not 0 < part < 1 or len(prices) > 1:
        return
    original = min(prices) / (1 + part if is_up else 1 - part)
    for line in lines:
        for found in _BEFORE.finditer(line.text):
            is_right = any(
                abs(each - original) <= max(1, original / 1000) for each in read_values(found["v"])
            )
            yield decide(found[0], "" if is_right else f"it is {write_number(original)}")


# Prices and wages after one change ----------------------------------------------------------------

_PRICE: Final = re.compile(rf"{FREE}(?P<n>{DIGITS}) ?{MONEY}(?![a-z])")
_RATE: Final = re.compile(rf"(?P<p>{DIGITS}) ?%")
_GROWS: Final = re.compile(rf"\b(?:{RISES}|rose|tva|vat)\b")
_SHRINKS: Final = re.compile(rf"\b(?:{FALLS})\b")
_NEW: Final = re.compile(
    r"^\W*(?:(?:donc|so|finalement|conclusion|etape \d|step \d)[ ,:]*)?(?:(?:le|the|son|ton|its"
    r"|her|his) )?"
    r"(?:nouveau (?:prix|salaire|tarif|montant|loyer)|prix (?:final|reduit|solde|remise"
    r"|promo\w*|ttc"
    r"|apres [a-z ]{2,20})|new (?:price|salary|wage|rent)|(?:final|sale|reduced) price)"
    rf"[^\d=%]{{0,25}}(?:[^=%]*= ?)?(?P<n>{DIGITS})(?: ?{MONEY})?[\s.;!*]*$"
)


def _read_new_value(passage: Passage, lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `Un sac à 8 000 F augmente de 15 %. … Nouveau prix : 9 200 F`, where nothing else
    changes."""
    text = " . ".join([passage.asked, *(line.text for line in lines)])
    rates = {min(read_values(found["p"])) for found in _RATE.finditer(text)}
    grows, shrinks = bool(_GROWS.search(text)), bool(_SHRINKS.search(text))
    if len(rates) != 1 or grows == shrinks or passage.has_example:
        return
    change = rates.pop() / _HUNDRED * (1 if grows else -1)
    before = text[: next(_RATE.finditer(text)).end() + 40]
    prices = {min(read_values(found["n"])) for found in _PRICE.finditer(before)}
    for line in lines if len(prices) == 1 else ():
        if said := _NEW.search(line.text):
            expected = min(prices) * (1 + change)
            is_right = any(abs(each - expected) < 1 for each in read_values(said["n"]))
            yield decide(line.text, "" if is_right else f"it is {write_number(expected)}")
