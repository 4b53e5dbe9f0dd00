"""Find the right option of a choice by its letter or place, or as the only one left over. Pure."""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from bot.learning.leaks.reading import ARTICLE
from bot.learning.leaks.words import COMMON, cut_near, cut_words, is_negated
from bot.learning.plain_notation import fold_letters, fold_notation

if TYPE_CHECKING:
    from bot.learning.leaks.reading import Reading

_ORDINALS: Final = (
    ("premiere?|1er|1ere|1re|first|1st", "a"), ("deuxieme|seconde?|2e|2eme|2nde?|second|2nd", "b"),
    ("troisieme|3e|3eme|third|3rd", "c"), ("quatrieme|4e|4eme|fourth|4th", "d"),
    ("cinquieme|5e|5eme|fifth|5th", "e"), ("sixieme|6e|6eme|sixth|6th", "f"),
)  # fmt: skip
_IN_WORDS: Final = (
    "", "|deux|two", "|trois|three", "|quatre|four", "|cinq|five", "|six",
)  # fmt: skip
"""The number of an option in words; `un` is an article as well."""
_OPTION: Final = (
    r"(?:options?|reponses?|propositions?|choix|possibilites?|cases?|answers?|choices?|boutons?"
    r"|ronds?|bulles?|bubbles?|buttons?|box(?:es)?)"
)
_SENTENCE: Final = re.compile(r"[^.!?\n]+(?:\.(?=\d)[^.!?\n]+)*[.!?\n]?")
_REJECTS: Final = re.compile(
    r"\b(?:pas|ni|non|aucune?|none|faux|fausses?|elimin\w*|barr\w*|exclu\w*|ecart\w*|aussi|convien\w*|incorrect\w*"
    r"|ray\w{1,4}|supprim\w*|enlev\w*|retir\w*|rejet\w*|oubli\w*|laisse\w* tomber"
    r"|trop (?:petite?s?|grande?s?)|not|nor|neither|wrong|false|rule out|cross(?:ed)? (?:out|off)"
    r"|eliminate|remove|discard|ignore|too (?:small|big|large))\b"
)
_LEFT_OVER: Final = re.compile(
    r"\breste (?:plus )?qu(?:'|e )|\breste (?:donc )?(?:une? seule?|celui|celle|la derniere)\b"
    r"|\bpar elimination\b|\bl'autre\b|\b(?:seule?|unique) (?:qui|option|reponse|proposition|choix)"
    r"|\bonly (?:one|option|answer)\b|\bthe (?:other|remaining) one\b|\b(?:is|one) left\b"
)
"""Words of a text that names all other options, and that only one is left."""
_NO_ORDINAL: Final = r"(?<!\bun )(?<!\bune )(?<!\bone )(?<!\ba )(?<!\bmon )"
_OF_OTHERS: Final = (
    r"(?! (?:coup|indices?|essais?|fois|chance|remarque|conseil|chose|etape|astuce|regle|ligne|hint"
    r"|try|time|step|thing|rule)\b)"
)
_FIRST_OR_LAST: Final = re.compile(
    r"\b(?:(2|3|4|deux|trois|quatre|two|three|four) (premier|dernier)e?s"
    r"|(first|last) (two|three|four))\b"
)
_ABOUT_ANSWER: Final = re.compile(
    r"\b(?:reponse|bonne?|bouton|case|option|choisis|coche|answer|right|correct|choose|pick|lettre"
    r"|letter|dirais|say|prends|mise|penche\w*)\b"
)
_MARKS: Final = "✓✔✅☑←⇐⬅👈👉→⇒➡★⭐🎯✗✘❌✖☐☒"
"""Signs by which an option is marked as right or wrong."""
_FIRST_OR_LAST_LETTERS: Final = re.compile(
    r"\b(?:(?:commenc|debut|start|begin)\w* (?:par|avec|with|by)"
    r" (?:la lettre |le chiffre |the letter |une? |an? )?[\"']? ?(\w{1,12})"
    r"|(?:fini|termin|end)\w* (?:par|avec|en|with|in)"
    r" (?:la lettre |le chiffre |the letter |une? |an? )?[\"']? ?(\w{1,12})"
    r"|(?:faut|donc|alors|mets?|ecri[st]|choisis|ajoute|c'est|need|so|use|add|put|bonne|right)\b"
    r"[^.!?\n]{0,20}\b(?:terminaison|desinence|finale|ending|suffixe?)(?: en| est| is| :|:)?"
    r"[\"' ]{1,3}-?(\w{1,12})"
    r"|(?:celle|celui|fraction|one)\b[^.!?\n]{0,20}\b(num|denom)[a-z]+"
    r" (?:est|vaut|is|de) (\d+))(?![\w'])"
)
_WORD: Final = re.compile(r"[a-z]{3,}")
_ASKS_REASON: Final = re.compile(r"\b(?:pourquoi|why)\b")
_REASON: Final = re.compile(
    r"(?:(?<=[.!?:\n] )|(?<![^\n]))(?:(?:oui|yes|et|and|c'est|it's)\W+){0,2}"
    r"(?:parce qu|car\b|because|a cause d|due to)[^.!?\n]*[.!?]?"
)
"""A sentence that begins with a reason."""
_COUNTS: Final = {"deux": 2, "two": 2, "trois": 3, "three": 3, "quatre": 4, "four": 4}
_SHORTEST_NAME: Final = 4
"""Letters of an option that is not said by chance."""


class PlaceSearch:
    """A search for the right option named by its letter, number or place."""

    def __init__(self, options: Sequence[str], right: str) -> None:
        at = options.index(right) if right in options else -1
        self._others = [
            _compile_place(place, len(options)) for place in range(min(len(options), 6))
        ]
        self._right = self._others.pop(at) if 0 <= at < len(self._others) else None
        self._next = _compile_next(options, at)
        ordinal, letter = _ORDINALS[at] if self._right else ("", "")
        self._mark = re.compile(
            rf"\b(?:{letter}|{at + 1}{_IN_WORDS[at % 6]}|{ordinal}|last|derni\w+|milieu|middle"
            r"|fin|bas|end|bottom|penultimate|du (?:haut|debut)|the top)\b"
        )

    def find(self, reading: Reading) -> str | None:
        text = fold_notation(_LITTLE_WORD.sub("_", reading.text))
        if found := self._find_between(text):
            return found
        if self._right is None or not self._mark.search(text):
            return None
        for found in self._right.finditer(text):
            if not is_negated(text, found) and not self._names_others(text, found):
                return cut_words(text, found)
        return None

    def _find_between(self, text: str) -> str | None:
        """Return words that name the option next to the right one: `juste après « adjectif »`."""
        for pattern in self._next:
            for found in pattern.finditer(text):
                before = re.split(r"[.!?\n]", text[max(0, found.start() - 80) : found.start()])[-1]
                after = re.match(r"[^.!?\n]*[.!?\n]?", text[found.end() : found.end() + 80])
                sentence = before + found[0] + (after[0] if after else "")
                if _ABOUT_ANSWER.search(sentence) and not sentence.endswith("?"):
                    return sentence
        return None

    def _names_others(self, text: str, found: re.Match[str]) -> bool:
        if _CHOOSES.match(found[0]):
            return False
        near = cut_near(text, found)
        return any(
            not is_negated(near, each) for other in self._others for each in other.finditer(near)
        )


_MEASURE: Final = re.compile(r"(\d[\d ,.]*\d|\d) (?:f|fcfa|francs?|[a-z]{1,3}[²³]?)")
_CHOOSES: Final = re.compile(
    r"(?:choisis|coche|entoure|selectionne|opte pour|valide|pick|choose|select|go (?:for|with)) "
    r"(?:donc |then )?(?:la |the )?"
)
"""Words that leave no doubt that what follows is the answer, whatever else the line names."""
_LITTLE_WORD: Final = re.compile(
    r"\bà\b(?=\s)|\ba\b(?=\s+(?!(?:est|is|car|parce|because|et)\b)(?:[\"“«'‘*_]+\s?)?[^\W_])"
)
"""`a` before a word, also a quoted one, in small letters, names no option: “la réponse a trois
chiffres”, “the answer is a ‘city’”; nor does `à` before anything: “la réponse à « Pourquoi ? »”."""


def _compile_next(options: Sequence[str], at: int) -> list[re.Pattern[str]]:
    """Compile patterns for the options before and after the right one, by their text."""
    names = [re.escape(fold_notation(each).strip()) for each in options]
    gap = r"\W{1,4}(?:(?:la |l'|the )?(?:option|reponse|proposition|lettre) )?\W{0,3}"
    found: list[str] = []
    if at > 0:
        letter = string.ascii_lowercase[at - 1]
        found.append(
            rf"\b(?:apres|after|sous|dessous d[eu'])(?: the)?{gap}(?:{names[at - 1]}|{letter})"
        )
    if 0 <= at < len(options) - 1:
        letter = string.ascii_lowercase[at + 1]
        found.append(
            rf"\b(?:avant|before|au-dessus d[eu'])(?: the)?{gap}(?:{names[at + 1]}|{letter})"
        )
    if 0 < at < len(options) - 1:
        before, after = string.ascii_lowercase[at - 1], string.ascii_lowercase[at + 1]
        found.append(
            rf"\b(?:entre|between){gap}(?:{names[at - 1]}|{before})\W{{1,3}}(?:et|and){gap}"
            rf"(?:{names[at + 1]}|{after})"
        )
    return [re.compile(f"{each}(?![^\\W_])") for each in found]


_IS_END: Final = (
    r"(?=[\"')\]}\s]*(?:[.,;:!?)\n]|$"
    r"|\b(?:est|is|car|parce|because|et|and|puis|then|de la liste|of the list|in the list)\b))"
)
_LEAD: Final = (
    r"(?:c'est|choisis|prends|coche|entoure|reponds|selectionne|tape|clique sur|pick|choose"
    r"|select|opte pour|(?:va|vas-y|penche\w*|vote\w*) pour|mise sur|valide|garde"
    r"|go (?:for|with)"
    r"|reponse (?:est|:)|reponse|it's|answer is|answer:?|est)(?: donc| bien)?"
)
"""What follows the place of an option, and what leads to it."""


def _compile_place(place: int, count: int) -> re.Pattern[str]:
    ordinal, letter = _ORDINALS[place]
    if place == count - 1 and count > 2:
        ordinal += "|(?<!avant-)derniere?|(?<!to )(?<!to-)last"
    if place == count - 2 and count > 2:
        ordinal += "|avant-derniere?|penultimate|(?:second|next) to last|second-to-last"
    from_end = _ORDINALS[count - place - 1][0] if count - place <= len(_ORDINALS) else "(?!)"
    middle = "|(?:du |au |in the )?(?:milieu|middle)" if count % 2 and place == count // 2 else ""
    in_the_middle = rf"|\b(?:{_OPTION} du milieu|middle {_OPTION})\b" if middle else ""
    mark = rf"(?:{letter}|{place + 1}{_IN_WORDS[place]})"
    return re.compile(
        rf"\b{_OPTION}\s?(?:correcte? |juste |exacte? |numero |n° ?|lettre )*(?:c'est |est |is "
        rf"|: ?)?(?:donc )?"
        rf"(?:la |le |l'|the )?(?:lettre |letter |option |numero |n° ?"
        rf"|reponse )?[\"'(]*{mark}(?![\w,.]*\w)(?!'| ?[=+*/÷<>-])"
        rf"|\b(?:lettre|letter|numero|n°)\s?[\"'(]*{mark}(?!\w)"
        rf"|\b{_LEAD} (?:la |le |l'|the )?[\"'(]*(?:{letter}\b{_IS_END}(?!')|(?:la"
        rf"|le) {place + 1}\b{_IS_END})"
        rf"|\b(?:reponds|tape|choisis|coche|envoie)(?: (?:le|la))? [\"'(]*{place + 1}\b{_IS_END}"
        rf"|(?:^|(?<=\n))[\"'(]*{letter}[\"').! ]*(?=\s*(?:$|\n))"
        rf"|(?:^|\n)[\"'(]*{letter}[\"')]*,(?: [a-z']+){{1,3}} ?[.!]"
        rf"|(?:\bq(?:uestion)? ?|(?:^|[\n:;]) ?)\d{{1,2}} ?[:.)=-]{{0,2}} ?{letter}"
        rf"(?=[\"').]*(?:\n|$))"
        rf"|\b(?:options?|choices|choix|reponses)\[[\"']?{letter}[\"']?\]"
        rf"|\b(?:correct|right|key|cle|solution|answer|reponse|resultat|juste|bonne)\w*[\"'\])]{{0,2}}"
        rf" ?[:=]{{1,2}} ?[\"'(\[]*{letter}[\"')\]}}\s]*(?:[.,;\n]|$)"
        rf"|(?:^|[.!\n] ?)(?:(?:la|le|the|celle|celui) |l')(?:{ordinal}{middle})(?: one)?"
        rf"(?:,(?: [a-z']+){{1,3}}|, (?:celle|celui|the one)\b[^.!?\n]{{1,40}})? ?(?:[.!]|$)"
        rf"|\b(?:la|the) [\"'(]*{letter}\b{_IS_END}(?!')"
        rf"|\b(?:{ordinal}) {_OPTION}\b"
        rf"|\b(?:bon choix|bonne reponse|bonne option|right answer|right choice)(?: est| is| :|:)?"
        rf" (?:la |le |l'|the )(?:{ordinal})\b"
        rf"{in_the_middle}"
        rf"|\b(?:la|le|the|celle|celui) (?:{ordinal}{middle})(?: one)? (?:est|is) "
        rf"(?:la |le |the )?(?:bonne?|right|correcte?|juste|exacte?|good one){_IS_END}"
        rf"|\b{letter} is the (?:good|right|correct) (?:one|answer|choice)\b"
        rf"|\b(?:celle|celui|one)(?: (?:qui|que|that|you)(?: \w+){{1,3}}?)? (?:en |placee? en )?"
        rf"(?:{ordinal})(?: (?:place|position|in (?:the|your|this) list|(?:de|dans) la liste"
        rf"|dans l'ordre)\b|{_IS_END})"
        rf"|\b{_LEAD} (?:la|le|l'|the|celle|celui) ?(?:{ordinal}{middle})(?: one)?{_IS_END}"
        rf"|\b(?:la|le|the) (?:{ordinal})(?: (?:one|mot|nombre|word|number))? (?:de|dans|of|in)"
        rf" (?:la|cette|the|this) list"
        rf"|\b(?:{from_end}) (?:{_OPTION} )?(?:en partant|a partir|en commencant|(?:counting )?from"
        rf"|starting) (?:de |par |from )?(?:la |the )?(?:fin|bas|end|bottom)\b"
        rf"|\b(?:{ordinal}) (?:{_OPTION} )?(?:en partant|a partir|from) "
        rf"(?:du |the )(?:haut|debut|top)\b"
    )


class MarkedOptionSearch:
    """A search for the right option by a sign that no other one has in a text with all of them
    (`- [x] adverbe`, `29 ✅`), or by its first or last letters (`celui qui finit par 9`), or a part
    of its fraction (`celle dont le dénominateur est 4`)."""

    def __init__(self, options: Sequence[str], right: str) -> None:
        self._right = options.index(right) if right in options else -1
        words = [rf"(?<![^\W_]){re.escape(each.lower())}(?![^\W_])" for each in options]
        sign = rf"(?:[{_MARKS}]|\*\*|\[[x ]\]|\b(?:bonne|juste|right|correct)\b)"
        self._before = [re.compile(rf"({sign})[^\w\n]{{0,5}}{each}") for each in words]
        self._after = [re.compile(rf"{each}[^\w\n]{{0,5}}?({sign})") for each in words]
        self._words = list(map(re.compile, words))
        self._names = [fold_notation(each) for each in options]

    def find(self, reading: Reading) -> str | None:
        """Return the mark of the right option, or the words that tell its letters."""
        for found in _FIRST_OR_LAST_LETTERS.finditer(reading.folded):
            first, last, ending, part, number = found.groups()
            last = last or ending
            if number:
                first, last = (f"{number}/", "") if part == "num" else ("", f"/{number}")
            fitting = [
                at
                for at, name in enumerate(self._names)
                if (name.startswith(first) if first else name.endswith(last))
            ]
            if fitting == [self._right]:
                return found[0]
        text = reading.text.lower()
        if self._right < 0 or not all(each.search(text) for each in self._words):
            return None
        for patterns in (self._before, self._after):
            marks = [found[1] if (found := each.search(text)) else "" for each in patterns]
            mark = marks.pop(self._right)
            if mark and mark not in marks and len({*marks}) == 1:
                return mark
        return None


class ReasonSearch:
    """A search for a sentence that gives the right one of several reasons, in words that only this
    option has: `Parce que l'axe est penché.`"""

    def __init__(self, options: Sequence[str], right: str, statement: str) -> None:
        folded = fold_notation(" ".join((statement, *(each for each in options if each != right))))
        words = (
            {*_WORD.findall(fold_notation(right))} if _ASKS_REASON.search(folded) else set[str]()
        )
        self._own = words - COMMON - {*_WORD.findall(folded)}

    def find(self, reading: Reading) -> str | None:
        """Return the sentence; None: there is none."""
        for found in _REASON.finditer(reading.folded) if self._own else ():
            if self._own & {*_WORD.findall(found[0])} and not found[0].endswith("?"):
                return found[0]
        return None


class EliminationSearch:
    """A search for a text that rules out every option but the right one, by its text, letter or
    place; or that names all others and says that one is left, or what they are."""

    def __init__(self, options: Sequence[str], solution: str) -> None:
        self._options = [_bound(each, options) for each in options]
        self._right = options.index(solution) if solution in options else -1
        self._letters = string.ascii_uppercase[: len(options)]
        others = [each for each in options if each != solution]
        self._are_names = all(
            len(each) >= _SHORTEST_NAME and re.search(r"[^\W\d_]{3}", each) for each in others
        )
        ordinals = [ordinal for ordinal, _ in _ORDINALS[: len(options)]]
        if len(options) > 2:
            ordinals[-1:] = [f"{ordinals[-1]}|derniere?|last"]
        self._ordinals = [
            re.compile(rf"{_NO_ORDINAL}\b(?:{each})\b{_OF_OTHERS}") for each in ordinals
        ]

    def find(self, reading: Reading) -> str | None:
        """Return the beginning of a text, or of a paragraph of it, that leaves only one option."""
        if not 2 < len(self._options) <= len(_ORDINALS) or self._right < 0:
            return None
        parts = [reading.text, *(reading.text.split("\n\n") if "\n\n" in reading.text else ())]
        return next((part[:80] for part in parts if self._leaves_one(part)), None)

    def _leaves_one(self, text: str) -> bool:
        rejected: set[int] = set()
        named: set[int] = set()
        for found in _SENTENCE.finditer(text):
            folded = fold_letters(found[0])
            places = self._list_places(found[0])
            if "?" in folded:
                named |= places & {self._right}
                continue
            named |= places
            if not _REJECTS.search(folded):
                continue
            places |= self._list_ordinals(folded)
            if self._right in places:
                return False
            rejected |= places
        others = len(self._options) - 1
        is_left = len(named) == others and (
            self._are_names or bool(_LEFT_OVER.search(fold_letters(text)))
        )
        return len(rejected) == others or (is_left and self._right not in named)

    def _list_places(self, sentence: str) -> set[int]:
        """Return the options that a sentence names by their text or letter."""
        places = {at for at, each in enumerate(self._options) if each.search(sentence.lower())}
        letters = re.findall(r"(?<![\w'’])[A-H](?![\w'’])", sentence)
        return places | {self._letters.index(each) for each in letters if each in self._letters}

    def _list_ordinals(self, folded: str) -> set[int]:
        """Return the options that a sentence names by their place: `les trois premières`."""
        places = {at for at, each in enumerate(self._ordinals) if each.search(folded)}
        for found in _FIRST_OR_LAST.finditer(folded):
            number = found[1] or found[4]
            count = _COUNTS.get(number) or int(number)
            every = range(len(self._options))
            is_first = (found[2] or found[3]) in ("premier", "first")
            places |= set(every[:count] if is_first else every[-count:])
        return places


def _bound(option: str, options: Sequence[str]) -> re.Pattern[str]:
    """Compile a pattern for an option, also without its article or unit, or in the plural."""
    elided = "" if len(option) > 3 else "(?<!['’])"
    bare = ARTICLE.sub("", option.strip("$").lower())
    number = _MEASURE.fullmatch(bare)
    has_plural = f"{bare}s" in (each.lower() for each in options)
    written = re.escape(number[1] if number else bare) + ("" if number or has_plural else "s?")
    return re.compile(rf"(?<![\w,.]){elided}{written}(?![\w]|[,.]\d)")
