"""Check conclusions that compare: the best of two offers, `4 jours de plus`, ages that keep their
difference, the probability of the opposite event."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from bot.maths.checks.passages import Line, Passage, decide, list_numbers, write_number
from bot.maths.exact.algebra_questions import Statement
from bot.maths.reading.plain_words import DIGITS, read_values

_MARK: Final = r"(?:\d|[a-e])\b(?!')"
_LABEL: Final = (
    r"(?:promo\w*|magasin|offre|offer|lot|pack|boutique|paquet|shop|store|option|deal|formule"
    r"|marque|brand|banque|bank|vendeur|seller|marchand|tarif|plan|bus|voiture|car|train|coureur"
    r"|runner|velo|robinet)"
)
_NAMED: Final = re.compile(rf"\b(?P<name>{_LABEL}) (?P<mark>{_MARK})")
_LAST: Final = re.compile(
    rf"(?:[=≈:]|soit|donc|so|is|est(?: de)?|cout\w*|costs?|revien\w* a) ?(?P<n>{DIGITS}) ?"
    r"(?P<u>[a-z€$]+(?: ?/ ?[a-z]+)?)(?: cfa)?"
    r"(?: (?:le|la|l'|par|per|the|a|each|chacun\w*|piece|pour)\b[^.;\d]*)?[\s.;)*!]*$"
)
_LEAST: Final = re.compile(
    r"\b(?:plus avantageu\w+|moins cher\w*|meilleur\w* (?:prix|offre|marche|affaire"
    r"|choix)|plus economique|plus interessant\w*|cheap\w+|best (?:deal|buy|value|offer)"
    r"|better (?:deal|buy|value|offer)|moins couteu\w+|less expensive)"
)
_MOST: Final = re.compile(r"\b(?:plus cher\w*|more expensive|plus couteu\w+|dearer)\b")
_FAST: Final = re.compile(r"\b(?:plus rapide|plus vite|faster|fastest|quicker)\b")
_DENIED: Final = re.compile(
    r"\b(?:pas|not|ne|n'|si|if|sauf|unless|semble|parait|moins que|quand)\b"
)


def read_comparison_conclusions(passage: Passage) -> Iterator[Statement]:
    """Yield the conclusions of an answer that compare what it computed."""
    own = [line for line in passage.lines if line.is_own]
    yield from _read_best(own)
    if any(_MORE.search(line.text) for line in own):
        yield from _read_more(passage, own)
    if not passage.has_example:
        yield from _read_ages(passage, own)
    yield from _read_opposite(own)
    if any(_SUPERLATIVE.search(line.text) for line in own):
        yield from _read_measured(own)


# Offers -------------------------------------------------------------------------------------------


def _read_best(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `Promo 1 : 1 000 ÷ 3 ≈ 333 F. Promo 2 : 320 F. La promo 2 est la plus avantageuse`."""
    known: dict[str, tuple[Fraction, str]] = {}
    for line in lines:
        names = [f"{found['name']} {found['mark']}" for found in _NAMED.finditer(line.text)]
        last = _LAST.search(line.text)
        if len(set(names)) == 1 and last and len(values := read_values(last["n"])) == 1:
            known[names[0]] = (min(values), last["u"])
            continue
        is_two = len(known) == 2 and len({unit for _, unit in known.values()}) == 1
        if not is_two or not names or names[0] not in known or _DENIED.search(line.text):
            continue
        (unit,) = {unit for _, unit in known.values()}
        said = re.search(rf"{names[0]}(?![^.;]*\b{_LABEL} {_MARK})[^.;]*", line.text)
        if said is None or len({value for value, _ in known.values()}) == 1:
            continue
        if best := _find_best(said[0], unit, known):
            yield decide(said[0], "" if best == names[0] else f"it is {best}")


def _find_best(said: str, unit: str, known: dict[str, tuple[Fraction, str]]) -> str | None:
    """Return the label that fits the comparison that is said; None: it says none that is known."""
    low, high = sorted(known, key=lambda name: known[name][0])
    is_money = re.fullmatch(r"f|fcfa|francs?|€|euros?|\$|cfa|f ?/ ?\w+", unit) is not None
    kinds = [bool(each.search(said)) for each in (_LEAST, _MOST, _FAST)]
    if sum(kinds) != 1:
        return None
    if is_money and not kinds[2]:
        return low if kinds[0] else high
    if kinds[2] and re.fullmatch(r"(?:k?m|km) ?/ ?(?:h|s|min)", unit):
        return high
    return low if kinds[2] and re.fullmatch(r"min|minutes|s|secondes?|seconds?|h", unit) else None


# More and less ------------------------------------------------------------------------------------

_AMOUNT: Final = rf"(?P<n>{DIGITS}) (?P<u>[a-z]+)"
_THEN: Final = re.compile(
    rf"(?<![\w.,/])(?<![×*+/÷=-] ){_AMOUNT} "
    r"(?:(?P<up>de plus|more|longer)|(?P<down>de moins|less|fewer|shorter))"
    rf",? (?:soit|donc|c'est-a-dire|so|that is) (?:donc )?(?P<m>{DIGITS}) (?P=u)\b"
    r"(?! (?:de|of) (?:plus|moins))"
)
_MORE: Final = re.compile(
    rf"(?<![\w.,/])(?<![×*+/÷=-] ){_AMOUNT} "
    r"(?P<way>de plus|more|de moins|less|fewer)\b(?! que \d| than \d)"
)
_MOST_NUMBERS: Final = 80
_RESULT: Final = re.compile(rf"= ?(?P<n>{DIGITS}) (?P<u>[a-z]+)[\s.;)*!]*$")
_GIVEN: Final = re.compile(rf"(?<![\w.,/])(?P<n>{DIGITS}) (?P<u>[a-z]+)")


def _read_more(passage: Passage, lines: Sequence[Line]) -> Iterator[Statement]:
    before, result = list_numbers(passage.asked), ("", Fraction(0))
    for line in lines:
        said = line.text
        for found in _THEN.finditer(said):
            before = [*before, *list_numbers(said[: found.start()])][-_MOST_NUMBERS:]
            sign = 1 if found["up"] else -1
            ends, gaps = read_values(found["m"]), read_values(found["n"])
            is_right = any(end - sign * gap in before for end in ends for gap in gaps)
            yield decide(found[0], "" if is_right else "no number of the text gives this")
        if (more := _MORE.search(said)) and more["u"].rstrip("s") == result[0]:
            yield from _compare_with_given(passage, more, result)
        if ended := _RESULT.search(said):
            result = (ended["u"].rstrip("s"), min(read_values(ended["n"])))
        before = [*before, *list_numbers(said)][-_MOST_NUMBERS:]


def _compare_with_given(
    passage: Passage, more: re.Match[str], result: tuple[str, Fraction]
) -> Iterator[Statement]:
    """Read `48 ÷ 4 = 12 jours. Il faut 4 jours de plus` after `en 8 jours` in the question."""
    given = {
        value
        for found in _GIVEN.finditer(passage.asked)
        if found["u"].rstrip("s") == result[0]
        for value in read_values(found["n"])
    }
    gap = min(read_values(more["n"]))
    if len(given) == 1 and abs(result[1] - min(given)) == gap != 0:
        is_more = result[1] > min(given)
        is_right = is_more == (more["way"] in ("de plus", "more"))
        yield decide(more[0], "" if is_right else f"{write_number(result[1])} is not so")


# Ages ---------------------------------------------------------------------------------------------

_AGES: Final = re.compile(
    r"\b(?:a|ont|is|am|are|aged?) (?:\w+ )?(?P<one>\d{1,2})(?: (?:ans|years(?: old)?))?\b[^.?]*?"
    r"\b(?:et|and|,)\b[^.?\d]*?\b(?P<other>\d{1,2})\b(?: ans| years)?"
)
_LATER: Final = re.compile(
    r"\b(?:aura|will be|aurait|avait|was) (?P<one>\d{1,3})"
    r"(?: (?:ans|years(?: old)?))?,? (?:et|and)\b[^.?\d=]*?"
    r"(?P<other>\d{1,3})(?: ans| years)?(?![\d.,]*\d)(?! (?:fois|times))"
)


def _read_ages(passage: Passage, lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `Le père aura 60 ans et le fils 30 ans`: the difference of two ages stays."""
    given = _AGES.search(passage.asked)
    if given is None or not re.search(r"\b(?:ans?|age|years?|old)\b", passage.asked):
        return
    if len(re.findall(r"\d+", passage.asked)) != 2:
        return
    gap = abs(int(given["one"]) - int(given["other"]))
    for line in lines:
        if found := _LATER.search(line.text):
            is_right = abs(int(found["one"]) - int(found["other"])) == gap
            yield decide(found[0], "" if is_right else f"the difference stays {gap} years")


# The opposite event -------------------------------------------------------------------------------

_PART: Final = r"\d{1,4} ?/ ?\d{1,4}(?![\d/])|0[.,]\d+|\d{1,2}(?:[.,]\d+)? ?%"
_OPPOSITE: Final = re.compile(
    r"\b(?:probabilit\w*|chances?)\b[^.;=\d]*?"
    r"\b(?:ne pas|n'en pas|not|contraire|complement\w*|opposite)\b"
    r"[^.;=\d]*?(?:est|vaut|is|=|:)(?: (?:donc|de|alors|egale a|so|then))* "
    rf"(?P<p>{_PART})(?![\d/]| ?[-+×/])"
)


_WINS: Final = re.compile(r"\b(?:gagner|reussir|winning|win)\b")
_LOSES: Final = re.compile(
    r"\b(?:probabilit\w*|chances?|celle)\b[^.;=\d]*?\b(?:perdre|echouer|losing|lose)\b"
    rf"[^.;=\d]*?(?:est|vaut|is|=|:)(?: (?:donc|de|alors|so))* (?P<p>{_PART})(?![\d/]| ?[-+×/])"
)
_OTHER_EVENT: Final = re.compile(
    r"\b(?:nuls?|draws?|premiere?|seconde?|deuxieme|autres?|first|second|other|deux|two|fois|times|sachant|given"
    r"|both|ni)\b"
)


def _read_opposite(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `P(as) = 1/13. La probabilité de ne pas en avoir est 12/13`."""
    known: list[Fraction] = []
    is_won = False
    for line in lines:
        if _OTHER_EVENT.search(line.text):
            return
        is_won |= bool(_WINS.search(line.text))
        found = _OPPOSITE.search(line.text) or (is_won and _LOSES.search(line.text)) or None
        before = line.text[: found.start()] if found else line.text
        known += [_read_part(each) for each in re.findall(_PART, before)]
        if found and known:
            shown = _read_part(found["p"])
            slack = Fraction(1, 100) if "/" not in found["p"] else Fraction(0)
            is_right = any(abs(1 - each - shown) <= slack for each in known)
            yield decide(found[0], "" if is_right else f"it is {1 - known[0]}")


def _read_part(text: str) -> Fraction:
    if "/" in text:
        above, below = (int(each) for each in text.split("/"))
        return Fraction(above, below or 1)
    value = Fraction(text.rstrip(" %").replace(",", "."))
    return value / 100 if text.endswith("%") else value


# Things with one measure each ---------------------------------------------------------------------

_KINDS: Final = (
    (r"lour\w+|heav\w+", r"pes\w*|weigh\w*", True),
    (r"leger\w*|light\w+", r"pes\w*|weigh\w*", False),
    (r"cher\w*|expensive|couteu\w+", r"cout\w*|vaut|costs?", True),
    (r"cheap\w+|economique", r"cout\w*|vaut|costs?", False),
    (r"grande?s?|haute?s?|longue?s?|tall\w+|long\w+|high\w+", r"mesur\w*|is|a|has|measures", True),
    (r"petite?s?|courte?s?|bas(?:se)?|short\w+|small\w+", r"mesur\w*|is|a|has|measures", False),
    (r"agee?s?|vieu\w+|old\w+", r"a|has|is", True), (r"jeunes?|young\w+", r"a|has|is", False),
)  # fmt: skip
_ADJECTIVE: Final = "|".join(f"(?:{adjective})" for adjective, _, _ in _KINDS)
_SUPERLATIVE: Final = re.compile(
    rf"\b(?:(?P<less>moins|less|least)|plus|more|most|the) (?P<adj>{_ADJECTIVE})\b"
)
_THING: Final = r"(?P<thing>[a-z][a-z' -]{1,40}?)"
_HAS: Final = re.compile(
    rf"(?:^|[.,;:]|\bet\b|\band\b)\W*(?:(?:une?|le|la|les|l'|the|an?|si|mais|but) ?)?{_THING}"
    rf" (?P<verb>pes\w*|weigh\w*|cout\w*|vaut|costs?|mesur\w*|measures|a|has|is)"
    rf" (?P<n>{DIGITS}) ?(?P<u>k?g|[ckdm]?m|ans|years old|years|f|fcfa|francs|l|t)\b(?! ?[×+*/÷-])"
)
_IT_IS: Final = re.compile(
    rf"\b(?:le|la|the|l'objet|celui) (?:(?P<less>moins|less|least)|plus|more"
    rf"|most)? ?(?P<adj>{_ADJECTIVE})"
    rf"(?: des deux)?(?:,? (?:est|is|c'est)| ?:)(?: donc)? (?:(?:une?|le|la|l'|the"
    rf"|an?) ?)?{_THING}\W*$"
    rf"|(?:^|donc |so |alors )\W*(?:(?:une?|le|la|l'|the"
    rf"|an?) ?)?(?P<other>[a-z][a-z' -]{{1,40}}?) (?:est|is)"
    rf" (?:(?:le|la|the) )?(?:(?P<fewer>moins|less|least)|plus|more"
    rf"|most)? ?(?P<adj2>{_ADJECTIVE})\W*$"
)


def _read_measured(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `Un sac de riz pèse 25 kg et un sac de mil 18 kg. Le plus lourd est le sac de riz`."""
    known: dict[str, tuple[Fraction, str, str]] = {}
    for line in lines:
        said = _IT_IS.search(line.text)
        if said is None or _DENIED.search(line.text):
            for found in _HAS.finditer(line.text):
                value = min(read_values(found["n"]))
                known[found["thing"].strip()] = (value, found["u"], found["verb"])
            continue
        adjective = said["adj"] or said["adj2"]
        verbs, is_most = next((v, m) for a, v, m in _KINDS if re.fullmatch(a, adjective))
        measured = {
            name: value for name, (value, _, verb) in known.items() if re.fullmatch(verbs, verb)
        }
        units = {known[name][1] for name in measured}
        meant = _find_thing(said["thing"] or said["other"], list(measured))
        if len(units) != 1 or len(set(measured.values())) < 2 or meant is None:
            continue
        is_most ^= bool(said["less"] or said["fewer"])
        best = (max if is_most else min)(measured, key=lambda name: measured[name])
        is_right = measured[meant] == measured[best]
        yield decide(line.text, "" if is_right else f"it is {best}")


def _find_thing(said: str, names: Sequence[str]) -> str | None:
    """Return the only name whose words a thing has; None: there is none, or several."""
    words = set(re.findall(r"[a-z]{2,}", said))
    fitting = [each for each in names if words <= set(re.findall(r"[a-z]{2,}", each))]
    return fitting[0] if len(fitting) == 1 and words else None
