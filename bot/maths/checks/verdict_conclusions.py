"""Check the verdict that a computation decides.

`3 × 2 − 6 × 1 = 0. Les vecteurs sont colinéaires`, `144 ≠ 130. The triangle is not right-angled`,
`6 = 10, impossible : aucune solution`, `Par 9 : oui`, `P(noire) = 3/10`, so white is more likely.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from bot.maths.checks.passages import Line, Passage, decide, list_numbers, write_number
from bot.maths.exact.algebra_questions import Statement
from bot.maths.reading.disowned import disowns
from bot.maths.reading.plain_words import DIGITS, read_values

_NOT: Final = re.compile(r"\b(?:pas|not|ni|non|never|jamais|aucune?)\b|n't\b")
_NEGATION: Final = re.compile(
    r"\bn(?:e |')(?:est|sont)(?: (?:donc|alors|bien))* pas\b|\b(?:is|are) not\b|\b(?:is|are)n't\b"
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
    r"(?:est|is|vaut|=|egal a|equals)(?: (?:bien|donc|egal a|equal to))*"
    r" (?:nul|zero|0)(?![\d.,]*\d)"
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
_CLAUSE: Final = re.compile(r"[,:]|\b(?:donc|so|alors)\b")
_ARE: Final = r"\b(?:sont|est|are|is)(?: (?:donc|bien|alors|ainsi|pas|not|indeed|then))* "
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
            values.add(_read_signed(found[-1]["n"]))
        if topic and len(values) == 1 and _is_stated(line):
            (value,) = values
            if verdict := _judge_vectors(line.text, topic, value):
                yield verdict
                topic = ""


def _read_signed(text: str) -> Fraction:
    value = min(read_values(text.lstrip("- ")))
    return -value if text.startswith("-") else value


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
    r"\b(?:est|is)(?: (?:donc|bien|indeed|alors|pas|not))*"
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
    rf"(?: (?:alors|donc|then|:))* )(?P<one>-?{DIGITS}) ?= ?(?P<other>-?{DIGITS})"
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
            one, other = (_read_signed(found[group]) for group in ("one", "other"))
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

_MOST: Final = re.compile(r"\b(?:maxim\w+|limite?|au plus|at most|pas plus de|no more than)\b")
_COMPARED: Final = re.compile(
    rf"(?<![\w.,/×*+÷=-])(?<![×*+/÷=-] )(?P<a>{DIGITS})(?: [a-z]+)? ?(?P<sign>[<>]) ?"
    rf"(?P<b>{DIGITS})(?: [a-z]+)? ?(?:,|donc|so|:)[^.;<>]*?"
    r"\b(?:est|is|sont|are)(?: (?:donc|bien))*(?P<not> (?:pas|not))? (?:trop|too) [a-z]+"
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
        if line.is_own and _MOST.search(line.text):
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
            value = _read_signed(found[-1]["n"].replace(" ", ""))
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
