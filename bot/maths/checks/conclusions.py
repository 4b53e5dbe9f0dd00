"""Check conclusions: the verdict that a computation decides, and what compares, such as the best of
two offers, `4 jours de plus`, ages that keep their difference.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from bot.maths.checks.passages import Line, Passage, list_numbers, read_signed, write_number
from bot.maths.exact.algebra_questions import Statement, decide
from bot.maths.reading.disowned import disowns
from bot.maths.reading.plain_words import read_values
from bot.maths.reading.vocabulary import DIGITS, FREE, NO_MORE_DIGITS, SO, THEN

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
    own = passage.own
    yield from _read_best(own)
    if any(_MORE.search(line.text) for line in own):
        yield from _read_more(passage, own)
    if not passage.has_example:
        yield from _read_ages(passage, own)
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
    rf"{FREE}{_AMOUNT} "
    r"(?:(?P<up>de plus|more|longer)|(?P<down>de moins|less|fewer|shorter))"
    rf",? (?:soit|donc|c'est-a-dire|so|that is) (?:donc )?(?P<m>{DIGITS}) (?P=u)\b"
    r"(?! (?:de|of) (?:plus|moins))"
)
_MORE: Final = re.compile(
    rf"{FREE}{_AMOUNT} "
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
    rf"(?P<other>\d{{1,3}})(?: ans| years)?{NO_MORE_DIGITS}(?! (?:fois|times))"
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


_NOT: Final = re.compile(r"\b(?:pas|not|ni|non|never|jamais|aucune?)\b|n't\b")
_NEGATION: Final = re.compile(
    rf"\bn(?:e |')(?:est|sont)(?: {THEN})* pas\b|\b(?:is|are) not\b|\b(?:is|are)n't\b"
)
_SUPPOSED: Final = re.compile(
    r"[?«»\"“”]|\b(?:si|if|alors que|contrairement|whereas|whether|serai\w*|would|quand|when|ssi"
    r"|iff|lorsque|equivaut|veut dire|signifie|means|rappel\w*|regle|rule|propriete|definition"
    r"|on veut|pour que|montr\w+|prouv\w+|verifi(?:er|ons)|show|prove|check|cherch\w+)\b"
    r"|(?<!les )(?<!ces )(?<!the )(?<!these )\b(?:deux|two|des) (?:vecteurs|vectors)\b"
)
"""Signs and words with which a sentence gives a rule, an aim or a case, and no verdict."""
_NEARBY: Final = 4
"""Most sentences between a computation and its verdict."""


def read_verdict_conclusions(passage: Passage) -> Iterator[Statement]:
    """Yield the verdicts of an answer whose computation stands before them."""
    lines = [line for line in passage.lines if line.text]
    yield from _read_vectors(lines)
    yield from _read_triangles(lines)
    yield from _read_systems(lines)
    yield from _read_criteria(passage, lines)
    if not passage.has_example:
        yield from _read_chances(lines)
    yield from _read_limits(lines)
    yield from _read_discriminants(lines)
    yield from _read_extrema(lines)


def _is_stated(line: Line) -> bool:
    """Return whether the writer states a line; one that only says that something is not so counts
    too."""
    if _SUPPOSED.search(line.text):
        return False
    return line.is_own or not disowns(_NEGATION.sub(" ", line.text))


# Vectors ------------------------------------------------------------------------------------------

_ENDS: Final = re.compile(
    rf"(?:^|[=:] ?|\b(?:is|est|vaut) )[\d ()×*.,+-]*\d\)? ?[×*+-][\d ()×*.,+-]*= ?\(?"
    rf"(?P<n>-? ?{DIGITS})\)?(?= ?(?:$|[.,;:!](?!\d)|≠|\\ne|donc|so\b))"
)
"""A computation with numbers alone, and its result."""
_PRODUCTS: Final = (
    (re.compile(r"\b(?:determinants?|det)\b|xy' ?- ?(?:x'y|yx')"), "collinear"),
    (
        re.compile(r"\b(?:produits? scalaires?|(?:dot|scalar) products?)\b|xx' ?\+ ?yy'"),
        "orthogonal",
    ),
)
_ZERO: Final = (
    rf"(?:est|is|vaut|=|egal a|equals)(?: (?:{THEN}|egal a|equal to))*"
    rf" (?:nul|zero|0){NO_MORE_DIGITS}"
)
_SAID: Final = (
    (
        re.compile(rf"\b(?:determinants?|det\b[^=.;]*?) {_ZERO}[^.;]*?(?:donc|so|alors|:|,)"),
        "collinear",
    ),
    (
        re.compile(
            rf"\b(?:produits? scalaires?|(?:dot|scalar) products?)\b[^=.;]*? {_ZERO}"
            r"[^.;]*?(?:donc|so|alors|:|,)"
        ),
        "orthogonal",
    ),
)
_CLAUSE: Final = re.compile(rf"[,:]|\b{SO}\b")
_ARE: Final = rf"\b(?:sont|est|are|is)(?: (?:{THEN}|pas|not))* "
_VERDICTS: Final = (
    (re.compile(rf"{_ARE}(?:colineaires?|collinear|alignes)\b"), "collinear"),
    (re.compile(rf"{_ARE}(?:orthogona(?:ux|les?|l)|perpendicul\w+)\b"), "orthogonal"),
)


def _read_vectors(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read whether vectors are collinear or orthogonal, after their determinant or dot product."""
    topic, left = "", 0
    values: set[Fraction] = set()
    for line in lines:
        left -= 1
        topic = topic if left else ""
        for pattern, kind in _PRODUCTS:
            if pattern.search(line.text) and topic != kind:
                topic, left, values = kind, _NEARBY, set[Fraction]()
        if topic and line.is_own and (found := list(_ENDS.finditer(line.text))):
            left = _NEARBY
            values.add(read_signed(found[-1]["n"]))
        if topic and len(values) == 1 and _is_stated(line):
            (value,) = values
            if verdict := _judge_vectors(line.text, topic, value):
                yield verdict
                topic = ""


def _judge_vectors(text: str, topic: str, value: Fraction) -> Statement | None:
    """Return the verdict on vectors that a sentence says; None: it says none that is known."""
    found = [(each, kind) for pattern, kind in _VERDICTS for each in pattern.finditer(text)]
    if len(found) != 1:
        return None
    verdict, kind = found[0]
    is_denied = bool(_NOT.search(_CLAUSE.split(text[: verdict.end()])[-1]))
    if kind == topic:
        is_right = (value == 0) != is_denied
        return decide(text, "" if is_right else f"the computation gives {write_number(value)}")
    is_crossed = any(each == topic and said.search(text) for said, each in _SAID)
    if is_crossed and value == 0 and not is_denied:
        return decide(text, f"it shows that they are {topic}")
    return None


# Right-angled triangles ---------------------------------------------------------------------------

_SIDE: Final = rf"(?:[a-z]{{2}}|{DIGITS}) ?²"
_SQUARE: Final = re.compile(
    rf"(?<![\w²+)-])(?<![+×-] )(?P<sum>{_SIDE} ?\+ ?)?{_SIDE} ?="
    rf"(?:(?:(?! et | and |, )[^=.;≈?])*=)* ?(?P<n>{DIGITS})(?=$|[.,;!) ](?!\d| ?[+×÷²-]))"
)
_RIGHT: Final = re.compile(
    rf"\b(?:est|is)(?: (?:{THEN}|pas|not))*"
    r" (?:(?:un triangle )?(?:rectangle|(?P<plain>quelconque))\b|(?:a )?right[- ]angled"
    r"|a right triangle)"
)
_CONCLUDES: Final = re.compile(
    r"\b(?:donc|so|alors|d'apres|therefore|by|hence|ainsi|conclu\w*|d'ou)\b"
)


def _read_triangles(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read whether a triangle is right-angled, after the square of a side and the sum of two."""
    squares: dict[bool, set[Fraction]] = {True: set(), False: set()}
    section = -1
    for line in lines:
        if line.section != section:
            squares, section = {True: set[Fraction](), False: set[Fraction]()}, line.section
        if line.is_own:
            for found in _SQUARE.finditer(line.text):
                squares[bool(found["sum"])].add(min(read_values(found["n"])))
        said = _RIGHT.search(line.text)
        if said is None or not _CONCLUDES.search(line.text) or not _is_stated(line):
            continue
        if len(squares[True]) == 1 and squares[False]:
            total, longest = min(squares[True]), max(squares[False])
            is_denied = bool(_NOT.search(line.text[: said.end()]) or said["plain"])
            sign = "=" if total == longest else "≠"
            why = f"{write_number(total)} {sign} {write_number(longest)}"
            yield decide(line.text, "" if (total == longest) != is_denied else why)
        squares = {True: set[Fraction](), False: set[Fraction]()}


# Systems ------------------------------------------------------------------------------------------

_CONSTANTS: Final = re.compile(
    r"(?:^|\b(?:obtient|obtenons|aurait|a|donne|reste|get|have|gives?|soit|donc|alors|que)"
    rf"(?: (?:{THEN}|:))* )(?P<one>-?{DIGITS}) ?= ?(?P<other>-?{DIGITS})"
    r"(?=$|[,.;:!](?!\d)| (?:ce|qui|which|et|this|c'est|that|:|est|is)\b)"
)
_NONE: Final = re.compile(
    r"\b(?:aucune|pas de|no) solutions?\b|\bensemble vide\b|\bs = (?:∅|\\emptyset)"
)
_ENDLESS: Final = re.compile(
    r"\b(?:une infinite de|infinitely many|infinite number of) solutions?\b"
)


def _read_systems(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read how many solutions a system has, after `6 = 10` or `0 = 0`."""
    known: dict[bool, str] = {}
    left = 0
    for line in lines:
        left -= 1
        if not left:
            known = {}
        if found := _CONSTANTS.search(line.text):
            one, other = (read_signed(found[group]) for group in ("one", "other"))
            known[one == other], left = f"{found['one']} = {found['other']}", _NEARBY
        none, endless = _NONE.search(line.text), _ENDLESS.search(line.text)
        if not known or bool(none) == bool(endless) or not line.is_own:
            continue
        if _SUPPOSED.search(line.text) or (endless and _NOT.search(line.text)):
            continue
        if len(known) == 1:
            is_right = bool(endless) in known
            yield decide(line.text, "" if is_right else f"it says {min(known.values())} before")
        known = {}


# Divisibility -------------------------------------------------------------------------------------

_ASKED: Final = re.compile(
    rf"(?P<n>{DIGITS}) est[- ]il divisible|\b(?:is|que) (?P<m>{DIGITS}) (?:est )?divisible"
    rf"|\bdivisibilit[ey] (?:de|of) (?P<k>{DIGITS})"
)
_CRITERION: Final = re.compile(
    r"^\W*(?:divisib\w+ )?(?:par|by) (?P<d>\d{1,2}) ?(?::|->|→|,)[^?]*?"
    r"\b(?P<said>oui|non|yes|no)\b\W*$"
)


def _read_criteria(passage: Passage, lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `Par 9 : 4 + 5 + 7 + 2 = 18, donc oui` after the number that is asked about."""
    text = "\n".join((passage.asked, *(line.text for line in lines)))
    asked = {
        min(list_numbers(number))
        for found in _ASKED.finditer(text)
        for number in found.groups()
        if number and len(read_values(number)) == 1
    }
    if len(asked) != 1:
        return
    (number,) = asked
    for line in lines:
        found = _CRITERION.search(line.text)
        is_one = len(re.findall(r"\b(?:oui|non|yes|no)\b", line.text)) == 1
        if found and line.is_own and is_one and int(found["d"]):
            is_divisible = (number / int(found["d"])).denominator == 1
            is_right = is_divisible == (found["said"] in ("oui", "yes"))
            rest = number % int(found["d"])
            yield decide(line.text, "" if is_right else f"the remainder is {rest}")


# Chances ------------------------------------------------------------------------------------------

_EVENT: Final = re.compile(
    r"\bp ?\( ?(?P<name>(?:non |not )?[a-z][a-z ]{0,30}) ?\) ?[=≈](?:[^=≈;]*[=≈])? ?"
    r"\(?(?P<a>\d{1,6}(?:[.,]\d+)?)\)?(?: ?/ ?\(?(?P<b>[1-9]\d{0,5})\)?)?(?P<percent> ?%)?"
    r"(?=$|[ .,;)](?!\d| ?[+×÷*/-]))"
)
_LIKELY: Final = re.compile(
    r"\b(?P<way>plus|moins|more|less) (?P<of>(?:de |of a )?chances?|probable|likely)\b"
    r"(?P<rest>[^.;]*)"
)
_ANYONE: Final = re.compile(
    r"\W*(?:(?:donc|so|on|il y|tu|nous|vous|you|we|there|is|are|a|as|avons|avez|have|it)\W+)*"
)
"""The words before `plus de chances` where no two persons are compared."""
_NEGATIVE: Final = re.compile(r"\b(?:ne|not|pas|aucune?|no)\b|\bn'")


def _read_chances(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `P(noire) = 3/10, P(blanche) = 7/10. On a plus de chances de tirer une blanche`."""
    known: dict[str, Fraction] = {}
    for at, line in enumerate(lines):
        for found in _EVENT.finditer(line.text):
            scale = int(found["b"] or 1) * (100 if found["percent"] else 1)
            known[found["name"].strip()] = min(read_values(found["a"])) / scale
        said = _LIKELY.search(line.text)
        if said is None or len(known) != 2 or len(set(known.values())) == 1:
            continue
        if max(known.values()) > 1 or not line.is_own or _SUPPOSED.search(line.text):
            continue
        if name := _find_event(lines[: at + 1], said, list(known)):
            best = max(known, key=lambda each: known[each])
            is_right = (name == best) == (said["way"] in ("plus", "more"))
            yield decide(line.text, "" if is_right else f"p({best}) is the greater one")


def _find_event(lines: Sequence[Line], said: re.Match[str], names: Sequence[str]) -> str | None:
    """Return the event that is called more or less likely; None: it is not clear."""
    before = said.string[: said.start()]
    one = re.split(r"\b(?:que\b|qu'|than\b)", said["rest"])[0]
    is_chance = said["of"] not in ("likely", "probable")
    if is_chance and not _ANYONE.fullmatch(before):
        return None
    short, opposite = sorted(names, key=len)
    if is_chance and opposite in (f"non {short}", f"not {short}"):
        defined = [each.text for each in lines if re.match(rf"\W*{short} ?:", each.text)]
        if len(defined) != 1 or _NEGATIVE.search(defined[0]):
            return None
        return opposite if _NEGATIVE.search(one) else short
    one = one if is_chance else before
    stems = {name: name.rstrip("es") for name in names}
    meant = [name for name in names if re.search(rf"\b{re.escape(stems[name])}", one)]
    is_clear = len(meant) == 1 and min(map(len, stems.values())) > 2
    return meant[0] if is_clear and not _NEGATIVE.search(one) else None


# Limits -------------------------------------------------------------------------------------------

_MOST_VERDICTS: Final = re.compile(
    r"\b(?:maxim\w+|limite?|au plus|at most|pas plus de|no more than)\b"
)
_COMPARED: Final = re.compile(
    rf"{FREE}(?P<a>{DIGITS})(?: [a-z]+)? ?(?P<sign>[<>]) ?"
    rf"(?P<b>{DIGITS})(?: [a-z]+)? ?(?:,|donc|so|:)[^.;<>]*?"
    rf"\b(?:est|is|sont|are)(?: {THEN})*(?P<not> (?:pas|not))? (?:trop|too) [a-z]+"
)


def _read_limits(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `au maximum 2,5 t` and later `Comme 2,88 > 2,5, le camion est trop chargé`."""
    known: set[Fraction] = set()
    for line in lines:
        if (found := _COMPARED.search(line.text)) and _is_stated(line):
            one, other = list_numbers(found["a"])[0], list_numbers(found["b"])[0]
            if (one in known) != (other in known):
                is_above = (found["sign"] == ">") == (other in known)
                is_right = is_above != bool(found["not"])
                yield decide(found[0], "" if is_right else "the comparison says the opposite")
        if line.is_own and _MOST_VERDICTS.search(line.text):
            known |= set(list_numbers(line.text)[-1:])


# Discriminants ------------------------------------------------------------------------------------

_DISCRIMINANT: Final = re.compile(
    r"(?:\bdiscriminant\b|δ|\\delta)[^=.;]{0,60}=(?:[^=.;?]*=)* ?\(?"
    rf"(?P<n>-? ?{DIGITS})\)?(?=$|[.,;!:)](?!\d)| (?:[<>(]|donc|et|so|and|est|is|\\[lg])| ?[<>])"
)
_ROOTS: Final = re.compile(
    r"\b(?:(?P<none>aucune|pas de|no)|(?P<one>une (?:seule |unique )?|a single |one |exactly one )"
    r"|(?P<two>deux|two|2))(?: (?:real|distinct|reelles?|distinctes?))* ?(?:racines?|solutions?"
    r"|roots?)"
    r"\b(?P<after>(?: (?:double|reelles?|distinctes?))*)"
)
_OF_OTHERS: Final = re.compile(
    r"[≤≥]|inequa|inequality|\bcomplex\w*|conjugu\w*|\bℂ|\bdans c\b|\\mathbb ?\{?c"
)


def _read_discriminants(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `Δ = 4 - 20 = -16` and then how many roots there are."""
    value: Fraction | None = None
    for line in lines:
        found = list(_DISCRIMINANT.finditer(line.text)) if line.is_own else []
        rest = line.text
        if found:
            value = read_signed(found[-1]["n"])
            rest = line.text[found[-1].end() :]
        said = list(_ROOTS.finditer(rest))
        if value is None or len(said) != 1 or _OF_OTHERS.search(line.text):
            continue
        if _SUPPOSED.search(line.text) or (said[0]["none"] is None and _NOT.search(rest)):
            continue
        count = 1 + (value > 0) - (value < 0)
        claimed = 0 if said[0]["none"] else 1 if said[0]["one"] else 2
        yield decide(
            line.text, "" if claimed == count else f"the discriminant is {write_number(value)}"
        )
        value = None


# Extrema ------------------------------------------------------------------------------------------

_SIGNS: Final = re.compile(
    r"(?P<down><|\\lt|negati\w+|decroiss\w+|decroit|decreas\w+)(?: 0)?[^.<>]{0,40}?"
    r"\b(?:avant|before|puis|then|a gauche|pour x <|si x <|sur \]-)|(?P<up>>|\\gt|positi\w+"
    r"|croiss\w+|croit"
    r"|increas\w+)(?: 0)?[^.<>]{0,40}?\b(?:avant|before|puis|then|a gauche|pour x <|si x <|sur \]-)"
)
_EXTREMUM: Final = re.compile(r"\b(?:(?P<low>minimum)|maximum)\b")


def _read_extrema(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `f'(x) < 0 avant 3 et f'(x) > 0 après. f admet donc un maximum`."""
    before: set[bool] = set()
    for line in lines:
        before |= {bool(found["down"]) for found in _SIGNS.finditer(line.text)}
        said = _EXTREMUM.findall(line.text)
        found = _EXTREMUM.search(line.text)
        if found is None or len(said) != 1 or len(before) != 1 or not line.is_own:
            continue
        if _SUPPOSED.search(line.text) or _NOT.search(line.text):
            continue
        is_right = (True in before) == bool(found["low"])
        yield decide(line.text, "" if is_right else "the signs before say the other")
        before = set()
