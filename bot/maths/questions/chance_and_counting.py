"""State the answer to a question about chance or about how many ways there are: draws from a bag,
opposite and joint events, handshakes, orders, choices. Pure.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from fractions import Fraction
from math import comb, factorial, prod
from typing import Final

from bot.maths.questions.question_sentences import Asked
from bot.maths.reading.number_words import fold
from bot.maths.reading.plain_words import read_values, write_plainly
from bot.maths.reading.vocabulary import DIGITS, WORDS

_LONGEST: Final = 500
"""Most characters of a question that is read."""
_MOST: Final = 12
"""Most things of which the orders are counted."""
_ROUNDED: Final = re.compile(r"\b(?:environ|about|arrondi\w*|round\w*|approx\w*|nearest)\b|≈")


def state_chance(asked: Asked, answer: str) -> str:
    """Return that the answer equals the chance or the number of ways; empty: it asks for neither.

    The numbers of the question that have no part in it leave it undecided.
    """
    whole = asked.whole
    if len(whole) > _LONGEST or _ROUNDED.search(whole) or "=" in answer:
        return ""
    text, sentence = write_plainly(fold(whole)), write_plainly(fold(asked.sentence))
    if re.search(r"probab|\bp ?\(|\bp_[a-z] ?\(|chances?\b", sentence):
        value = (
            _find_event(whole, asked.sentence)
            or _find_opposite(text, sentence)
            or _find_draw(text, sentence)
        )
    else:
        value = _count_ways(text, sentence)
    return f"{value} = {answer}" if value is not None else ""


# Chances ------------------------------------------------------------------------------------------

_CHANCE: Final = re.compile(
    r"\b[pP] ?\( ?(?P<of>[^()=\s][^()=]{0,19}) ?\) ?= ?(?P<n>\d+[.,]\d+|\d+ ?/ ?\d+|[01]\b)"
    r"|\b[pP]_\{?(?P<given>[A-Z])\}? ?\((?P<what>[A-Z])\) ?= ?(?P<m>\d+[.,]\d+|\d+ ?/ ?\d+)"
)
_ASKED_CHANCE: Final = re.compile(
    r"\b[pP](?:_\{?(?P<given>[a-zA-Z])\}?)? ?\( ?(?P<of>[^()=\s][^()=]{0,19}) ?\)(?! ?= ?\d)"
)
_JOINED: Final = re.compile(r"([a-z]) ?(?:(∩|et|and)|(∪|ou|or)|([|/])) ?([a-z])")
_NOT_EVENT: Final = re.compile(
    r"(?:non |not |pas |no |¬|~)([a-z])|([a-z])(?:['\u0304\u0305]|\u0302|barre)|([a-z])̄"
)
_INDEPENDENT: Final = re.compile(r"\bind[ée]pendant|\bindependent", re.I)
_DISJOINT: Final = re.compile(r"\bincompatible|\bdisjoint|\bmutually exclusive|\bs'excluent", re.I)


def _find_event(whole: str, sentence: str) -> Fraction | None:
    """Return the probability of an event that is written as `P(A ∪ B)`."""
    known: dict[str, Fraction] = {}
    for found in _CHANCE.finditer(whole.replace("\\cap", "∩").replace("\\cup", "∪")):
        name = f"{found['what']}|{found['given']}" if found["given"] else found["of"]
        known[_name_event(name)] = _read_fraction(found["n"] or found["m"])
    wanted = list(_ASKED_CHANCE.finditer(sentence.replace("\\cap", "∩").replace("\\cup", "∪")))
    if not known or len(wanted) != 1:
        return None
    given = wanted[0]["given"]
    name = _name_event(f"{wanted[0]['of']}|{given}" if given else wanted[0]["of"])
    ways = _list_ways(name, known, whole)
    return ways[0] if ways and name not in known else None


def _name_event(text: str) -> str:
    """Return a name in one form: `a`, `!a`, `a∩b`, `a∪b`, `a|b`; letters in order but after `|`."""
    plain = unicodedata.normalize("NFD", text.strip()).lower()
    if found := _NOT_EVENT.fullmatch(plain):
        return "!" + next(filter(None, found.groups()))
    if found := _JOINED.fullmatch(plain):
        one, both, either, _, other = found.groups()
        sign = "∩" if both else "∪" if either else "|"
        names = (one, other) if sign == "|" else sorted((one, other))
        return sign.join(names)
    return plain


def _list_ways(name: str, known: dict[str, Fraction], whole: str) -> list[Fraction]:
    """List the value of an event as each law gives it whose values are all known."""
    one, other = name[0], name[-1]
    a, b = known.get(one), known.get(other)
    both, either = (
        known.get(f"{min(one, other)}∩{max(one, other)}"),
        known.get(f"{min(one, other)}∪{max(one, other)}"),
    )
    found: list[Fraction | None] = []
    if name.startswith("!"):
        found = [1 - known[name[1:]] if name[1:] in known else None]
    elif "|" in name:
        found = [both / b if both is not None and b else None]
    elif a is None or b is None:
        return []
    elif "∩" in name:
        after = known.get(f"{other}|{one}"), known.get(f"{one}|{other}")
        found = [
            a * b if _INDEPENDENT.search(whole) else None,
            a + b - either if either is not None else None,
            a * after[0] if after[0] is not None else None,
            b * after[1] if after[1] is not None else None,
        ]
    elif "∪" in name:
        found = [
            a + b - both if both is not None else None,
            a + b if _DISJOINT.search(whole) else None,
            a + b - a * b if _INDEPENDENT.search(whole) else None,
        ]
    return [each for each in found if each is not None]


def _read_fraction(text: str) -> Fraction:
    above, _, below = text.replace(",", ".").replace(" ", "").partition("/")
    return Fraction(above) / (Fraction(below or 1) or 1)


_VALUE: Final = re.compile(
    r"(?<![\w.,/])(?:0[.,]\d+|\d{1,3} ?/ ?\d{1,4}|\d{1,2}(?:[.,]\d+)? ?%)(?![\w/])"
)
_OPPOSITE: Final = re.compile(
    r"\b(?:ne |n')[^.;?]{1,30}?\bpas\b|\bne pas\b|n't\b"
    r"|\b(?:contraire|opposite|complement(?:ary)?|not|losing|perdre|rater|echouer|fail\w*)\b"
)
_DESCRIBED: Final = re.compile(r"\bprobab|\bchance|\bp ?\(")


def _find_opposite(text: str, sentence: str) -> Fraction | None:
    """Return the chance of the event that is opposite to the only one whose chance is told."""
    values = list(_VALUE.finditer(text))
    rest = _VALUE.sub(" ", text)
    if len(values) != 1 or re.search(r"\d", rest) or len(_OPPOSITE.findall(text)) != 1:
        return None
    if not _OPPOSITE.search(sentence) or not _DESCRIBED.search(text[: values[0].start()]):
        return None
    if re.search(r"\b(?:fois|times|deux|two|independan\w*|sachant|given|aucun\w*|none)\b", text):
        return None
    shown = values[0][0]
    chance = _read_fraction(shown.replace("%", "").strip()) / (100 if "%" in shown else 1)
    return 1 - chance if 0 < chance < 1 else None


_VESSEL: Final = re.compile(
    r"\b(?:urnes?|sacs?|sachets?|boites?|paniers?|bags?|box(?:es)?|urns?|jars?|baskets?|trousses?"
    r"|bocal"
    r"|tiroirs?|drawers?|corbeilles?|classe|class|groupe|group)\b"
)
_SEVERAL: Final = re.compile(
    r"\b(?:remise|replacement|replacing|remet\w*|successi\w+|simultane\w*|deux|trois|two|three"
    r"|twice"
    r"|second|deuxieme|autres?|others?|another|fois|times|si|if|sachant|given|puis|then|ajout\w*"
    r"|enlev\w*|retir\w*|add\w*|remov\w*|numerot\w*|numbered|pairs?|multiples?|same|meme|mais|dont"
    r"|chaque|each|%|au moins|at least|plus|more)\b"
)
_PART: Final = re.compile(r"(?<![\w.,/])(?P<n>\d{1,3}) (?P<w>[a-z]+)(?: (?P<c>[a-z]+))?")
_FILLERS: Final = frozenset((
    "et", "and", "boules", "boule", "billes", "bille", "jetons", "balls", "marbles", "pens",
    "bonbons", "stylos", "sweets", "cartes", "counters", "cubes", "crayons", "beads", "perles",
    "in", "dans", "on", "sont", "are", "de", "a", "of", "one",
))  # fmt: skip
_DENIED: Final = re.compile(r"\b(?:non|not|pas|ne|n'|autre)\b|n't\b")


def _find_draw(text: str, sentence: str) -> Fraction | None:
    """Return the chance of drawing a thing of one kind out of a vessel of which all is told."""
    parts = _list_parts(text)
    if not parts or not _VESSEL.search(text) or _SEVERAL.search(text):
        return None
    asked = re.sub(r"^.*?\b(?=probab|p ?\(|chance)", "", sentence)
    drawn = [stem for stem in parts if re.search(rf"\b{stem}", asked)]
    if not drawn or any(char.isdigit() for char in asked):
        return None
    is_either = bool(re.search(r"\b(?:ou|or)\b", asked))
    is_denied = bool(_DENIED.search(asked))
    if (len(drawn) > 1) != is_either or (is_denied and is_either):
        return None
    share = Fraction(sum(parts[each] for each in drawn), sum(parts.values()))
    return 1 - share if is_denied else share


def _list_parts(text: str) -> dict[str, int]:
    """Return how many things there are of each kind, by the beginning of its name; empty: a number
    counts no kind."""
    parts: dict[str, int] = {}
    for found in _PART.finditer(text):
        names = [each for each in (found["w"], found["c"]) if each and each not in _FILLERS]
        if len(names) != 1:
            return {}
        parts[names[0][:4]] = int(found["n"])
    is_whole = len(parts) == len(re.findall(r"\d+", text)) and len(parts) > 1
    return parts if is_whole and all(parts.values()) else {}


# Ways ---------------------------------------------------------------------------------------------

_HANDSHAKES: Final = re.compile(
    r"\bpoignees? de mains?\b|\bhandshakes?\b|\bserr\w+ .{0,20}\bmains?\b|\bshakes? hands\b"
)
_MATCHES: Final = re.compile(
    r"\b(?:chaque equipe|chacune?|each team|every team|each player|chaque joueur)\b.{0,60}"
    r"\b(?:une (?:seule )?fois|once|exactly once)\b"
)
_ASKS_MATCHES: Final = re.compile(
    r"\b(?:combien|how many)\b.*\b(?:matchs?|matches|games|parties|rencontres)\b"
)
_RETURN_MATCH: Final = re.compile(
    r"\b(?:aller|retour|home and away|twice|groupes?|groups?|poules?)\b"
)
_ALL_MEET: Final = re.compile(
    r"\b(?:chacune?|chaque|tou(?:s|tes)|each|every(?:one)?|all|entre eux|entre elles)\b"
)
_TWICE: Final = re.compile(
    r"\b(?:deux fois|twice|aller|retour|equipes?|teams?|adverses?|sauf|except|couples?|femmes?"
    r"|hommes?"
    r"|men|women|deja|already|matchs?|chaque groupe)\b"
)
_WAYS: Final = re.compile(
    r"\bcombien (?:de |d')(?:facons?|manieres?|ordres?|rangements?|possibilites)"
    r"|\bde combien de (?:facons|manieres)"
    r"|\bhow many (?:different )?(?:ways|orders|arrangements)|\bin how many (?:different )?(?:ways"
    r"|orders)|\bnombre de (?:facons|manieres)"
)
_ORDERS: Final = re.compile(
    r"\b(?:rang\w+|align\w+|ordonn\w+|class\w+|dispos\w+|plac\w+|arrang\w+|line\w*|order\w*"
    r"|asseoir|sit|seat\w*)\b"
)
_NOT_ORDERS: Final = re.compile(
    r"\b(?:cercle|circle|circular|rond\w*|round|identiques?|identical|dont|cote a cote|toujours"
    r"|always|premiere?|first|last"
    r"|dernier|memes?|same|podium|parmi|among|from|of them|chiffres?|digits?|lettres?|letters?"
    r"|choisi\w*|choos\w*|groupes?|groups?"
    r"|boites|boxes|dans \d|in \d|sur \d|places|chaises|chairs)\b"
)
_CHOSEN: Final = re.compile(
    r"\b(?:choisir|choose|select|former|form|elire|elect|constituer"
    r"|pick)\b[^\d]{0,40}(?P<k>\d+)[^\d]{1,40}"
    r"\b(?:parmi|among|from|out of|of|de|dans)\b[^\d]{0,12}(?P<n>\d+)[^\d]*$"
)
_NOT_CHOICES: Final = re.compile(
    r"\b(?:ordre|order|president\w*|vice|secretaire|secretary|podium|premiere?|first|second|remise"
    r"|replacement"
    r"|repetition|successi\w*|capitaine|captain|code|mots?|words?|nombres?|numbers?|dont|au moins"
    r"|at least|et une?|titulaire|suppleant)\b"
)
_MENUS: Final = re.compile(
    r"\b(?:menus?|repas|meals?|tenues?|outfits?|combinaisons?|combinations?)\b"
)
_NOT_MENUS: Final = re.compile(
    r"\b(?:ou|or|sans|without|sauf|except|deux|two|code|cadenas|lock|chiffres?|digits?|parmi"
    r"|among)\b"
)
_FLIPS: Final = re.compile(r"\b(?P<what>pieces?|coins?|des?|dice|die)\b")
_OUTCOMES: Final = re.compile(
    r"\b(?:combien|how many)\b.*\b(?:issues?|resultats?|outcomes?|results?)\b"
)
_ANAGRAMS: Final = re.compile(
    r"\banagram\w*\b.*\b(?:(?:mot|word)|lettres d[eu]|letters of)(?: the word"
    r"| mot)? \"?(?P<w>[a-z]{2,10})\b"
)
_SOME_WORDS: Final = re.compile(
    r"\b(?:commen\w*|finiss\w*|termin\w*|start\w*|begin\w*|end\w*|voyelles?|vowels?|sans|with"
    r"|cote|sens|real|exist\w*)\b"
)
"""Words with which only some of the anagrams are counted."""
_BINOMIAL: Final = re.compile(
    r"\bc ?\( ?(\d{1,2}) ?[,;] ?(\d{1,2}) ?\)(?: (?:vaut|est egale? a|is|equals))?$"
    r"|^(?:combien vaut |calculer? |que vaut )?[«\" ]*(\d{1,2}) parmi (\d{1,2})[»\" ]*$"
)


def _count_ways(text: str, sentence: str) -> Fraction | None:
    """Return how many ways there are; None: they are not counted by one law."""
    quoted = text.replace("«", "").replace("»", "").replace("  ", " ")
    if (found := _ANAGRAMS.search(quoted)) and not _SOME_WORDS.search(text):
        letters = [found["w"].count(each) for each in set(found["w"])]
        return Fraction(factorial(len(found["w"])), prod(map(factorial, letters)))
    if found := _BINOMIAL.search(sentence.rstrip(" =:")):
        few, many = sorted(int(each) for each in found.groups() if each)
        return Fraction(comb(many, few))
    bare = re.sub(r"\b(?:une?|one) (?:seule )?fois\b|\b(?:une?|one|once)\b", " ", text)
    numbers = [
        int(min(read_values(each), default=0))
        for each in re.findall(rf"(?<![\w,.]){DIGITS}|{WORDS}", bare)
    ]
    if not numbers or min(numbers) < 1 or max(numbers) > 1000:
        return None
    return (
        _count_of_one(text, sentence, numbers[0])
        if len(numbers) == 1
        else _count_of_several(text, sentence, numbers)
    )


def _count_of_several(text: str, sentence: str, numbers: Sequence[int]) -> Fraction | None:
    """Return the ways to choose some of many things, or one of each kind."""
    if (found := _CHOSEN.search(text)) and len(numbers) == 2 and not _NOT_CHOICES.search(text):
        few, many = int(found["k"]), int(found["n"])
        return Fraction(comb(many, few)) if _WAYS.search(text) and few <= many else None
    is_menu = _MENUS.search(sentence) and re.search(r"\b(?:combien|how many)\b", sentence)
    if is_menu and not _NOT_MENUS.search(text) and len(numbers) <= 4:
        return Fraction(prod(numbers))
    return None


def _do_all_meet(text: str, sentence: str) -> bool:
    """Return whether each two of some people or teams shake hands or play once."""
    if _MATCHES.search(text) and _ASKS_MATCHES.search(sentence):
        return not _RETURN_MATCH.search(text)
    is_counted = bool(re.search(r"\b(?:combien|how many|nombre)\b", sentence))
    is_greeting = _HANDSHAKES.search(text) and _ALL_MEET.search(text)
    return is_counted and bool(is_greeting) and not _TWICE.search(text)


def _count_of_one(text: str, sentence: str, count: int) -> Fraction | None:
    """Return the ways of so many people or things, the question's only number."""
    if _do_all_meet(text, sentence):
        return Fraction(comb(count, 2))
    if _WAYS.search(sentence) and _ORDERS.search(text) and not _NOT_ORDERS.search(text):
        return Fraction(factorial(count)) if count <= _MOST else None
    if _OUTCOMES.search(sentence) and (found := _FLIPS.search(text)) and count <= _MOST:
        is_flipped = re.search(rf"\b{count} (?:fois|times|pieces|coins|des|dice)\b", text)
        sides = 2 if found["what"].startswith(("piece", "coin")) else 6
        return (
            Fraction(sides**count)
            if is_flipped and not re.search(r"\bsomme|\bsum|\btotal", text)
            else None
        )
    return None
