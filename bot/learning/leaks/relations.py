"""Find a number that is told by what relates it to another: `2 de plus que 13`. Pure.

`deux ans après 1787`, `le double de 21`, `à mi-chemin entre 10 et 20`, `dix degrés de plus que
l'angle B` where the statement says how great that is, `54, 55, et la suivante`, `autant que de
jours dans une semaine`; eight dots for 8; a limit by what tends to it; and a negative number by its
size and its sign, `7 - 3 = 4, avec le signe moins`. Where all numbers are the statement's, this is
the computation that it asks.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final, TypeAlias

from bot.learning.leaks.reading import SENTENCE, read_decimal, squeeze
from bot.learning.leaks.values import LABEL
from bot.maths.exact.units import find_unit

if TYPE_CHECKING:
    from bot.learning.leaks.reading import Literal, Reading
    from bot.learning.leaks.values import ValueSearch

_ONE: Final = r"(?<![\w.,/])(-?\d{1,9}(?:[.,]\d{1,6})?(?:/\d{1,3})?|une?|one)"
_OTHER: Final = (
    r"(?:(?:le |la |l'|the )?(?:cote |angle |nombre |segment |number |side )?)"
    r"(-?\d{1,9}(?:[.,]\d{1,6})?(?:/\d{1,3})?|[a-z]{1,3})(?![\w/]|[.,]\d| ?[-+*÷^=] ?[\da-z(?…])"
)
_BY: Final = r"(?<![\w.,/])(\d{1,4}(?:[.,]\d{1,3})?|une?|one)(?![\d/]|[.,]\d)"
_SIDE: Final = r"(?<![\w+*/-])([a-z]{2})"
"""The name of a segment, such as `AC`."""
_UNIT: Final = r"(?: (?!de\b|que\b|qu'|plus\b|moins\b)[a-z°/]{1,12}\.?){0,2} (?:de |d')?"
_THAN: Final = r" (?:(?:grand|petit)e? )?(?:que |qu'|than )"
_BOUND: Final = r"(?: grande?| petite?)? (?:que|de|qu'|than) "
_STEPS: Final = (
    r" (?:ans?|annees?|years?|siecles?|nombres?|unites?|numbers?|rangs?|crans?|pas|steps?) "
)
_OF: Final = r"(?: de | d'| of )"
_NEXT: Final = (
    r"\b(?:juste|just|right|immediately|immediatement|directement|tout de suite"
    r"|(?:qui|that|which|il|it) (?:vient|comes)(?: \w+)?) "
)
AMOUNTS: Final = {
    "dizaine": 10, "douzaine": 12, "quinzaine": 15, "vingtaine": 20, "trentaine": 30,
    "quarantaine": 40, "cinquantaine": 50, "soixantaine": 60, "centaine": 100, "millier": 1000,
    "dozen": 12, "hundred": 100, "thousand": 1000, "un": 1, "une": 1, "one": 1,
    "dixieme": 0.1, "centieme": 0.01, "millieme": 0.001, "tenth": 0.1, "hundredth": 0.01,
}  # fmt: skip
"""Numbers by their names, without accents."""
_WHOLE: Final = r"(-?\d{1,9})\b"
_FOLLOWED: Final = (
    r",? (?:mais |et |puis |but |and )?(?:c'est |tu t'arretes |voila |prends |it's )?(?:sur |au )?"
    r"(?:juste )?(?:le |la |l'|the )?(?:nombre |annee |entier |number |year )?"
)
_Compute: TypeAlias = Callable[[Sequence[float]], float]


def _find_between(numbers: Sequence[float]) -> float:
    """Return the only whole number between two others; nan: there are more."""
    low, high = numbers
    return low + 1 if high - low == 2 else math.nan


def _count_zeros(numbers: Sequence[float]) -> float:
    """Return how many zeros 1000 ends with."""
    digits = f"{numbers[0]:.0f}"
    return float(len(digits) - len(digits.rstrip("0")))


_RELATIONS: Final[Sequence[tuple[str, _Compute]]] = (
    (rf"{_ONE}{_UNIT}(?:plus|more|greater){_THAN}{_OTHER}", lambda n: n[1] + n[0]),
    (rf"{_ONE}{_UNIT}(?:moins|less|fewer){_THAN}{_OTHER}", lambda n: n[1] - n[0]),
    (
        rf"{_ONE}{_STEPS}(?:plus tard que|apres|after|au-dessus de|above) {_OTHER}",
        lambda n: n[1] + n[0],
    ),
    (
        rf"{_ONE}{_STEPS}(?:avant|before|below|(?:en|au)[ -]dessous de) {_OTHER}",
        lambda n: n[1] - n[0],
    ),
    (rf"{_NEXT}(?:apres|after) {_OTHER}", lambda n: n[0] + 1),
    (rf"{_NEXT}(?:avant|before) {_OTHER}", lambda n: n[0] - 1),
    (
        rf"\b(?:qui|that|which|il|it|nombre|number) (?:suit|follows)(?: \w+ment)? {_OTHER}",
        lambda n: n[0] + 1,
    ),
    (rf"\b(?:qui|that|which|il|it) precedes?(?: \w+ment)? {_OTHER}", lambda n: n[0] - 1),
    (
        r"\b(?:retire[rsz]?|enleve[rsz]?|ote[rsz]?|take|remove) (?:1|un|one) (?:a|de|from) "
        rf"{_OTHER}",
        lambda n: n[0] - 1,
    ),
    (rf"\b(?:ajoute[rsz]?|add) (?:1|un|one) (?:a|to) {_OTHER}", lambda n: n[0] + 1),
    (
        rf"{_ONE} (?:billet|piece|coin|note)s? (?:de |of ){_OTHER}(?!,? (?:et|and|plus)\b)",
        lambda n: n[0] * n[1],
    ),
    (
        rf"{_ONE} (?:billet|piece|coin|note)s? (?:de |of ){_WHOLE}(?: f\w*)?,? (?:et|and|plus) "
        rf"{_ONE} (?:billet|piece|coin|note)s? (?:de |of ){_OTHER}",
        lambda n: n[0] * n[1] + n[2] * n[3],
    ),
    (rf"\bsuccess(?:eu|o)r{_OF}{_OTHER}", lambda n: n[0] + 1),
    (rf"\bpredecess(?:eu|o)r{_OF}{_OTHER}", lambda n: n[0] - 1),
    (
        rf"\b(?:avant|before|gauche|left)\b[^\d.!?;\n]{{0,25}}{_WHOLE}[^\d!?\n]{{1,30}}"
        rf"\b(?:apres|after|droite|right)\b[^\d.!?;\n]{{0,25}}{_WHOLE}(?![.,]\d)",
        _find_between,
    ),
    (
        rf"\b(?:compte[rz]?|count|nombre de|how many|number of) (?:les |the )?(?:zeros?|0) "
        rf"(?:de |dans |derriere le 1 de |in |of |after the 1 in ){_WHOLE}",
        _count_zeros,
    ),
    (rf"\b(?:double{_OF}|twice ){_OTHER}", lambda n: 2 * n[0]),
    (rf"{_ONE} (?:doublee?s?|fois deux|doubled)\b", lambda n: 2 * n[0]),
    (rf"\btriple{_OF}{_OTHER}", lambda n: 3 * n[0]),
    (rf"\bquadruple{_OF}{_OTHER}", lambda n: 4 * n[0]),
    (rf"\b(?:moitie|half){_OF}{_OTHER}", lambda n: n[0] / 2),
    (rf"{_SIDE} (?:plus|\+) {_BY}", lambda n: n[0] + n[1]),
    (rf"{_SIDE} (?:moins|-) {_BY}", lambda n: n[0] - n[1]),
    (rf"\b(?:tiers|third){_OF}{_OTHER}", lambda n: n[0] / 3),
    (rf"\b(?:quart|quarter){_OF}{_OTHER}", lambda n: n[0] / 4),
    (rf"\b(?:dixieme|tenth){_OF}{_OTHER}", lambda n: n[0] / 10),
    (rf"\b(?:carre|square){_OF}{_OTHER}", lambda n: n[0] ** 2),
    (rf"\bcube{_OF}{_OTHER}", lambda n: n[0] ** 3),
    (rf"\boppos(?:e|ite){_OF}{_OTHER}", lambda n: -n[0]),
    (rf"\b(?:somme|sum){_OF}{_ONE} (?:et|and) {_OTHER}", lambda n: n[0] + n[1]),
    (rf"\bproduct{_OF}{_ONE} and {_OTHER}", lambda n: n[0] * n[1]),
    (rf"\bproduit{_OF}{_ONE} (?:et|par) {_OTHER}", lambda n: n[0] * n[1]),
    (
        rf"\bquotient{_OF}{_ONE} (?:par|by|and) {_OTHER}",
        lambda n: n[0] / (n[1] or math.nan),
    ),
    (
        rf"\bdifference (?:entre|de|between) {_ONE} (?:et|and) {_OTHER}",
        lambda n: abs(n[0] - n[1]),
    ),
    (
        rf"\b(?:mi-chemin|milieu|halfway|moyenne|middle|midway)(?: exacte?(?:ment)?)? "
        rf"(?:entre|between|of|de) {_ONE} (?:et|and) {_OTHER}",
        lambda n: (n[0] + n[1]) / 2,
    ),
    (
        rf"\bmanque (?:juste |seulement )?{_ONE}(?: \w+){{0,2}} (?:pour|a) \w+(?: a)? {_OTHER}",
        lambda n: n[1] - n[0],
    ),
    (rf"{_ONE}{_FOLLOWED}(?:suivante?|d'apres|next one|following)\b", lambda n: n[0] + 1),
    (rf"{_ONE}{_FOLLOWED}(?:precedente?|d'avant|previous one)\b", lambda n: n[0] - 1),
    (
        r"(?:\b(?:reponse|resultat|solution|answer|result|il|elle|it|c'est|case|lies|situe|tombe)\b"
        r"|\b(?:seul|unique|l'|le|the|the only) ?(?:nombre |whole )?(?:entier|nombre|integer"
        r"|number)|carre parfait|\b(?:im)?pair|perfect square|multiple de \d+|\bstrict\w*)"
        rf" (?:\w+ ){{0,5}}?(?:entre|between) {_WHOLE}[a-z ]{{0,9}} (?:et|and) {_WHOLE}",
        _find_between,
    ),
    (
        rf"\b(?:plus|more|greater){_BOUND}{_WHOLE}[^\d.!?\n]{{1,20}}"
        rf"\b(?:moins|plus|less|fewer|smaller){_BOUND}{_WHOLE}",
        _find_between,
    ),
    (
        rf"\b(?:pas|not|ni) {_WHOLE}[^\d\n]{{1,30}}\b(?:pas|not|ni|nor) {_WHOLE}[^\d\n]{{1,40}}"
        r"\b(?:entre|between) (?:les |the )?(?:2|two|eux)\b",
        _find_between,
    ),
    (
        rf"(?<![\d.,]){_WHOLE}[^\d\n]{{1,20}}(?:trop petit|too small)[^\d\n]{{1,30}}{_WHOLE}"
        r"[^\d\n]{1,20}(?:trop grand|too big)[^\n]{0,80}\b(?:entier|integer|whole)",
        _find_between,
    ),
    (
        rf"\b(?:antecedent|preimage) (?:de |of )?{_ONE}(?: par [a-z])? ?"
        rf"(?:est|vaut|=|is) {_OTHER}",
        lambda n: n[0],
    ),
    (
        r"(?:=|\b(?:obtien\w{1,3}|trouve[sz]?|c'est|est|vaut|reste|soit|donne|fait|is|get|gives))"
        r"(?: bien| exactement| juste| donc)? (?:une |a )([a-z]{5,12})\b"
        r"(?! (?:de|d'|et|of|and|environ)\b)",
        lambda n: n[0],
    ),
    (
        rf"{_ONE} (?:et|and) {_WHOLE} ((?:dix|cent|mill)ieme|(?:hundred|ten)th)s?\b",
        lambda n: n[0] + n[1] * n[2],
    ),
)
"""What relates a number to one or more others, and how it is computed from these."""
_PATTERNS: Final = [(re.compile(pattern), compute) for pattern, compute in _RELATIONS]
_OF_GIVEN: Final = (_find_between, _count_zeros)
"""What may be computed of the statement's numbers without being its task."""
_GUESS: Final = re.compile(
    r"\b(?:(?:ce que|celui que|celle que|(?:le|du|au) nombre que) (?:tu as|tu viens de|vous avez)"
    r" (?:dit|ecrit|trouve|propose|donne|mis|obtenu|repondu|dire|ecrire|trouver|proposer)"
    r"|(?:ta|ton|votre) (?:propre )?(?:reponse|resultat|nombre|proposition|essai|chiffre|tentative)"
    r"|what you(?: just|'ve| have)? (?:said|say|wrote|got|found|answered|put|typed)"
    r"|(?:the )?number you(?: just)? (?:said|gave|wrote|got|typed)"
    r"|your (?:own )?(?:answer|guess|number|result|try|attempt))\b"
)
_GUESS_STEMS: Final = (
    "ta rep", "ta prop", "ton ", "ta ten", "tu as", "que tu", "votre ", "vous avez", "you", "trop",
    "too ", "manque", "short", "ajoute", "enleve", "retire",
)  # fmt: skip
_QUOTED_GUESS: Final = re.compile(
    r"\b(?:(?:tu as|vous avez) (?:dit|ecrit|trouve|propose|donne|mis|obtenu|repondu|choisi)"
    r"|you (?:said|wrote|got|found|answered|put|typed|chose)) (?:[a-z]{2} ?= ?)?"
    r"(-?(?:\d{1,3}(?: \d{3}){1,3}|\d{1,9})(?:[.,]\d{1,6})?)(?![\w/]|[.,]\d)"
)
"""The pupil's number, as a text repeats it: `tu as trouvé 55`."""
_OF_UNIT: Final = r"(?: (?!(?:de|trop|too|a|to|from|peu|petit|bit|little)\b)[a-z°]{1,12}){0,2}"
_NOT_DONE: Final = r"(?<!\bas )(?<!\ba )(?<!\bavez )(?<!\bai )\b"
"""Before a verb, but not in what the pupil has done: `tu as enlevé 2`."""
_BY_COIN: Final = rf"(?:encore |juste |just )?(?:(?:une piece|un billet) de )?{_BY}"
_OFFSETS: Final = tuple(
    (re.compile(pattern), sign)
    for pattern, sign in (
        (rf"{_BY}{_OF_UNIT} (?:de )?(?:plus|more|greater|higher) (?:que |than )@", 1),
        (rf"{_BY}{_OF_UNIT} (?:de )?(?:moins|less|fewer|lower) (?:que |than )@", -1),
        (rf"{_BY}{_OF_UNIT} (?:au-dessus de|above|apres|after|plus loin que|up from) @", 1),
        (rf"{_BY}{_OF_UNIT} (?:au-dessous de|en dessous de|below|avant|before|down from) @", -1),
        (rf"{_NOT_DONE}(?:r?ajoute[rsz]?|add|mets) {_BY_COIN}", 1),
        (
            rf"{_NOT_DONE}(?:enleve[rsz]?|retire[rsz]?|ote[rsz]?|soustra\w+|subtract"
            rf"|take(?: away)?|remove) {_BY_COIN}",
            -1,
        ),
        (rf"\bc'est {_BY}{_OF_UNIT} de plus\b", 1),
        (rf"\bc'est {_BY}{_OF_UNIT} de moins\b", -1),
        (rf"@,? ?(?:\+|plus|et encore|and another) ?{_BY}", 1),
        (rf"@,? ?(?:-|moins|minus) ?{_BY}", -1),
        (rf"{_BY}{_OF_UNIT} (?:de trop|trop (?:grand|haut)e?)\b", -1),
        (rf"{_BY}{_OF_UNIT} too (?:many|much|high|big|large)\b", -1),
        (rf"\b(?:trop (?:grand|haut|eleve)e?|too (?:high|big|large)) (?:de |d'|by ){_BY}", -1),
        (rf"{_BY}{_OF_UNIT} (?:trop (?:petit|bas)\w*|too (?:small|low|few|little)|short)\b", 1),
        (
            r"(?:\bil (?:te |t'en |en )?manque(?: encore| juste)? |\bshort by "
            rf"|\btrop (?:petit|bas)\w* de |\btoo (?:small|low) by ){_BY}",
            1,
        ),
    )
)
"""What says by how much the pupil's number, which is written `@`, is too small or too great."""
_MOST_GUESSES: Final = 3
_QUESTIONED: Final = re.compile(
    r"(?<![\d.,/])\d{1,4}(?: ?[|,;→] ?\d{1,4}){2,12} ?(?:[|,;→]|, puis) ?\?"
)
"""Numbers in a row of a table or a list, and a question mark for the next one."""
_INTO_UNIT: Final = re.compile(r"\b(?:en|in|into|to) ([a-z]{1,12})\b")
_MEASURE: Final = re.compile(r"(?<![\d.,/])(\d{1,9}(?:[.,]\d{1,6})?) ?([a-z]{1,12})\b")
_TO_COMPUTE: Final = re.compile(
    r"\b(?:calcul\w*|compute|prend\w*|take|fai[st]|cherch\w*|pens\w*|find|trouve[rz]?|utilis\w*|use)"
    r" (?:donc |alors |ensuite |d'abord |a )*(?:le |la |l'|au |the )*$"
)
"""Before a relation that is a step for the pupil."""
_OF_ONE: Final = (
    r" (?:qu'il y a )?(?:(?:de|du|dans|a|sur|of|in|on) |d'|qu')?"
    r"(?:(?:la|le|les|une?|ta|chaque|notre|tes|an?|the|one) |l')?\W?"
)
_KNOWN: Final = tuple(
    (re.compile(words.replace("_", _OF_ONE)), count)
    for words, count in (
        ("(?:cotes|sommets)_triangle|sides_triangle", 3),
        (r"(?:cotes|sommets)_carre\b|sides_square|saisons_an(?:nee)?\b|seasons_year", 4),
        (r"doigts_main|fingers_hand|\b(?:ta|une) main\b[^.!?\n]{0,30}\bdoigts", 5),
        (r"faces_de\b|(?:sides|faces)_di(?:c?e)\b|pattes_insecte|legs_insect", 6),
        ("jours_semaine|days_week", 7),
        ("pattes_(?:araignee|pieuvre)|legs_spider|bras_pieuvre|arms_octopus", 8),
        (
            r"doigts_(?:deux|2) mains|(?:deux|2) mains\b[^.!?\n]{0,30}\bdoigts"
            r"|(?:two|both|2) hands\b[^.!?\n]{0,30}fingers"
            r"|fingers\b[^.!?\n]{0,30}(?:two|both|2) hands",
            10,
        ),
        ("joueurs_equipe de foot", 11),
        (r"mois_an(?:nee)?\b|months_year", 12),
        ("heures_jour(?:nee)?|hours_day", 24),
        ("lettres_alphabet|letters_alphabet", 26),
        ("voleurs_ali baba|thieves of ali baba|ali baba's thieves", 40),
        ("minutes_heure|minutes_hour", 60),
        ("(?:cases|carreaux)_echiquier|squares_chessboard", 64),
    )
)
"""How many of what everybody knows."""
_AS_MANY: Final = re.compile(
    r"\b(?:autant|nombre de|meme nombre|comme|as many|same number|number of|c'est|that number"
    r"|ce nombre)\b"
)
_NEGATIVE: Final = re.compile(
    r"\bsigne (?:est |sera )?(?:donc )?(?:\"|\()?(?:-|moins|negatif)|\bsigne du \w+,? moins"
    r"|\b(?:un|le) (?:signe )?moins (?:devant|avant)|\bminus sign|\bnegative sign"
    r"|\b(?:est|sera|is|be) (?:donc )?negati(?:f|ve)\b|\bsous (?:le )?zero|\bdessous de (?:zero|0)"
    r"|\bbelow (?:zero|0)\b|\bsous 0\b|\bgauche de (?:zero|0)\b|\bleft of (?:zero|0)\b"
    r"|\b(?:dette|perte|deficit|debt|loss|decouvert)s? (?:est |is )?(?:de|of)\b"
    r"|\b(?:baisse|diminution|reduction|decrease|drop|fall)\b|\bless\b|\bde moins\b|\boppose\b"
)
_RESULT: Final = (
    r"(?:(?:=|font|reste|(?:distance a (?:zero|0)|valeur absolue|absolute value) (?:est|is)(?: de)?"
    r"|dette de|perte de|deficit de|decouvert de|debt of|loss of"
    r"|(?:baisse|diminution|reduction) de|(?:decrease|drop|fall) of)"
    r" ?(?:une dette de |une perte de |a debt of )?{0}(?![\w]|[.,]\d| ?[-+*÷/^=])"
    r"|(?<![\w.,]){0}(?: \w+| ?%)? (?:less|de moins|sous|(?:en|au)[ -]dessous|below|a gauche"
    r"|left)\b)"
)
_NEAR: Final = 90
_NUMBER_END: Final = r"(?![\w%]|[.,]\d| ?[-+*÷/^=] ?[\da-z(])"
_TENDS: Final = (
    r"\b(?:suite|limite|fonction|courbe|elle|on|quotient|expression|tout|ca|cela|sequence|function|it"
    r"|u_?\(?n\)?|[fgu]\([nx]\))[^.!?;\n,]{0,30}?"
    r"\b(?:tend\w*|converge\w*|s'approche\w*|approche\w*|se rapproche\w*|goes|gets? close\w*)"
    r"(?: \w+)?(?: (?:vers|de|to|towards))? (?:\w+ )?[,:]? ?"
)
"""What comes before the limit; `1/n tend vers 0` is a step."""
_TRIPLE: Final = re.compile(r"(?<![\d-])(\d{1,4})-(\d{1,4})-(\d{1,4})(?![\d-])")
_SAYS: Final = re.compile(
    r"(?:=|\b(?:c'est|it's|est|is|vaut))(?: donc| juste| bien| just)? (?:le |la |l'|the )?$"
)
"""Before a relation that is said as the result."""
_COUNTED_RUN: Final = re.compile(r"(?<![\d.,])\d{1,4}(?:, ?\d{1,4}){2,12}(?= ?(?:[.!;:\n]|$))")
_RUN: Final = re.compile(
    r"([^\w\s.,;:!?'\"’()\[\]{}|*=+<>#~`…–—/\\$%^&\ufe0f-])(?:[\s\ufe0f]?\1){3,}"
)
_FEWEST_SYMBOLS: Final = 4
_LONGEST_LINE: Final = 80


class RelationSearch:
    """A search for the value by what relates it to other numbers, not all of the statement."""

    def __init__(self, solution: Literal, statement: Reading) -> None:
        self._value = solution.value
        self._given = statement.values
        self._names = _list_names(statement)
        self._statement = statement.plain
        self._others = (
            self._find_triple, self._find_known, self._find_offset, self._find_row,
            self._find_converted, self._find_symbols,
        )  # fmt: skip

    def find(self, reading: Reading) -> str | None:
        found = next(self._list_found(reading.plain), None)
        if found:
            return reading.cut(*found.span())
        return next(filter(None, (each(reading) for each in self._others)), None)

    def _list_found(self, plain: str) -> Iterator[re.Match[str]]:
        """Yield the words that relate the value to other numbers, or count up to it."""
        for pattern, compute in _PATTERNS:
            for found in pattern.finditer(plain):
                numbers = [each for each in map(self._read, found.groups()) if each is not None]
                before = plain[max(0, found.start() - 40) : found.start()]
                if (
                    len(numbers) < len(found.groups())
                    or _TO_COMPUTE.search(before)
                    or LABEL.search(before)
                ):
                    continue
                written = {self._read(each) for each in found.groups() if each[-1].isdigit()}
                is_known = written and written <= self._given and compute not in _OF_GIVEN
                is_task = is_known and (
                    len(numbers) > 1 or pattern.search(self._statement) or not _SAYS.search(before)
                )
                if math.isclose(compute(numbers), self._value, rel_tol=1e-9) and not is_task:
                    yield found
        for found in _COUNTED_RUN.finditer(plain):
            run = [int(each) for each in found[0].split(",")]
            steps = {two - one for one, two in pairwise(run)}
            if steps in ({1}, {-1}) and run[-1] == self._value and run[0] != 1:
                yield found

    def _read(self, written: str) -> float | None:
        """Return a number, or that of a side or angle of the statement by its name."""
        if written in AMOUNTS:
            return AMOUNTS[written]
        if written[0].isalpha():
            return self._names.get(written)
        above, _, below = written.replace(",", ".").partition("/")
        return float(above) / (float(below or 1) or math.nan)

    def _find_triple(self, reading: Reading) -> str | None:
        """Return the sides of a triangle, of which the value is one: `3-4-5`."""
        for found in _TRIPLE.finditer(reading.plain) if "triangle" in reading.plain else ():
            sides = set(map(float, found.groups()))
            if self._value in sides and sides - {self._value} <= self._given:
                return reading.cut(*found.span())
        return None

    def _find_offset(self, reading: Reading) -> str | None:
        """Return words that say how far the pupil's number is from the value: `2 de moins que ta
        réponse`; a number of the statement is a step: `ajoute 7 à ton résultat`."""
        if not any(stem in reading.plain for stem in _GUESS_STEMS):
            return None
        guesses = {each.value for each in reading.known.literals[:_MOST_GUESSES]}
        guesses |= {read_decimal(each[1]) for each in _QUOTED_GUESS.finditer(reading.plain)}
        guesses.discard(self._value)
        written = _GUESS.sub("@", reading.plain)
        for pattern, sign in _OFFSETS:
            for found in pattern.finditer(written):
                offset = self._read(next(filter(None, found.groups())))
                if (
                    offset
                    and offset not in self._given
                    and any(math.isclose(guess + sign * offset, self._value) for guess in guesses)
                ):
                    return found[0]
        for guess in guesses if "@" in written else ():
            named = written.replace("@", f"{guess:.10g}")
            if found := next(self._list_found(named), None):
                return found[0]
        return None

    def _find_row(self, reading: Reading) -> str | None:
        """Return numbers that are counted up to a question mark: `| 1 | 2 | 3 | ? |`."""
        for found in _QUESTIONED.finditer(reading.plain) if "?" in reading.plain else ():
            run = [int(each) for each in re.findall(r"\d+", found[0])]
            steps = {two - one for one, two in pairwise(run)}
            if steps in ({1}, {-1}) and run[-1] + steps.pop() == self._value:
                return found[0] if squeeze(found[0]) not in squeeze(self._statement) else None
        return None

    def _find_converted(self, reading: Reading) -> str | None:
        """Return a sentence with a measure that is the value in another unit, which it names: `si
        on le convertit en minutes, on trouve 2 heures`."""
        for sentence in SENTENCE.finditer(reading.plain) if "conver" in reading.plain else ():
            names = (find_unit(each) for each in _INTO_UNIT.findall(sentence[0]))
            units = [each for each in names if each]
            for number, name in _MEASURE.findall(sentence[0]) if units else ():
                own, size = find_unit(name), read_decimal(number)
                if (
                    own
                    and size not in self._given
                    and any(
                        own.dimensions == each.dimensions
                        and own.size != each.size
                        and self._value
                        in (size * float(own.size / each.size), size * float(each.size / own.size))
                        for each in units
                    )
                ):
                    return sentence[0]
        return None

    def _find_known(self, reading: Reading) -> str | None:
        plain = reading.plain
        if not _AS_MANY.search(plain):
            return None
        wanted = -self._value if "oppos" in plain else self._value
        for pattern, count in _KNOWN:
            if count == wanted and (found := pattern.search(plain)):
                return None if pattern.search(self._statement) else found[0]
        return None

    def _find_symbols(self, reading: Reading) -> str | None:
        """Return a line with as many equal symbols, or with the part of two kinds of them, as the
        value is; symbols for numbers of the statement only draw it."""
        text = reading.text
        if self._value in self._given or text.isascii():
            return None
        for line in text.split("\n"):
            found = _RUN.search(line[:_LONGEST_LINE])
            counted = Counter(line) if found else Counter[str]()
            counts = [
                count
                for sign, count in counted.items()
                if not (sign.isalnum() or sign.isspace() or sign.isascii() or sign == "\ufe0f")
            ]
            parts = [counts[0] / sum(counts), counts[1] / sum(counts)] if len(counts) == 2 else []
            if counts == [self._value] and counts[0] >= _FEWEST_SYMBOLS:
                return line
            if any(math.isclose(each, self._value) for each in parts):
                return line
        return None


class LimitSearch:
    """A search for the limit that is asked, said as what a sequence or function tends to.

    Args:
        value: may be infinite.
    """

    def __init__(self, value: float, statement: Reading) -> None:
        size = "∞" if math.isinf(value) else f"{abs(value):.10g}".replace(".", "[.,]") + _NUMBER_END
        sign = r"\+? ?" if math.isinf(value) else r"(?<!-)(?<!- )"
        number = ("- ?" if value < 0 else sign) + size
        self._is_asked = bool(re.search(r"\blimite?s?\b|\blim\b|\\lim", statement.plain))
        self._said = re.compile(_TENDS + number)
        self._asymptote = re.compile(
            rf"\basymptote\b[^.!?\n]{{0,40}}y ?= ?{number}|y ?= ?{number}[^.!?\n]{{0,40}}asymptote"
        )

    def find(self, reading: Reading) -> str | None:
        """Return the words that tell the limit; None: none do."""
        if not self._is_asked:
            return None
        plain = reading.compared
        found = self._said.search(plain) or self._asymptote.search(plain)
        return found[0] if found else None


class SignSizeSearch:
    """A search for a negative value by its size, said as a result, and its sign."""

    def __init__(self, values: ValueSearch) -> None:
        size = f"{-values.value:.10g}"
        self._result = re.compile(_RESULT.format(re.escape(size).replace(r"\.", "[.,]")))

    def find(self, reading: Reading) -> str | None:
        """Return the words that say the size and the sign; None: none do."""
        plain = reading.plain
        for found in self._result.finditer(plain):
            start, end = found.start() - _NEAR, found.end() + _NEAR
            if _NEGATIVE.search(plain[max(0, start) : end]):
                return reading.cut(*found.span())
        return None


def _list_names(statement: Reading) -> dict[str, float]:
    """Map the names of sides, angles and points in a statement to their values: `AC = 8 cm`."""
    named = re.finditer(
        r"\b([A-Z]{1,3})\b(?:\s?=\s?|[^\d.\n;,A-Z]{1,14}?)(\d{1,6}(?:[.,]\d+)?)", statement.text
    )
    return {found[1].lower(): float(found[2].replace(",", ".")) for found in named}
