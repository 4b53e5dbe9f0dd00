"""Find the value that an answer gives for the one question that it answers. Pure.

`La réponse est 60 °C`, `Il lui reste **750 F**.` or the bare `60 °C`: a value after a word for an
answer, alone, or after words that all stand in the question.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from bot.formulas.line_text import to_line
from bot.maths.exact.units import find_unit
from bot.maths.questions.question_sentences import (
    count_asked,
    find_computation,
    is_unit,
    read_question,
)
from bot.maths.reading.number_words import fold
from bot.maths.reading.vocabulary import THEN

_I: Final = re.IGNORECASE
_LONGEST: Final = 3_000
"""Most characters of an answer that is searched."""
_LONGEST_QUESTION: Final = 600
_MOST_SENTENCES: Final = 40
_MOST_VALUES: Final = 16
"""Most values of one answer."""
_FORMULA: Final = re.compile(r"\$\$([^$]{1,500})\$\$|\$([^$\n]{1,500})\$|\\\(([^\n]{1,500}?)\\\)")
_MARKS: Final = re.compile(
    r"\*\*|__|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)|\\[()\[\]]|[\u200b-\u200f\ufe0f]"
)
"""Marks of Markdown, and those around formulas."""
_PICTURES: Final = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf\u2b50\u2b55]")
_BULLET: Final = re.compile(r"^\s*(?:[-*•–#>]+|\d{1,2}[.)])\s+(?=\S)")
_END: Final = re.compile(
    r"(?<=[!?])\s+|(?<=[^\s.…]\.)\s+(?=[^\s\d=×+])|(?<=[^\W\d]{3}\.)\s+|\n+|, (?=(?:so|donc"
    r"|alors) )|\ue000"
)
_ANSWER: Final = re.compile(
    r"(?:[^=]*\b)?(?:r[ée]ponse|r[ée]sultat|answer|result)"
    r"(?: (?:finale?|exacte?|correcte?|attendue?|est|is|donc|bien|then|so|was|vaut|alors|here|ici"
    r"|[àa] (?:la|ta) question))*\s*[:=→]?\s*(?P<value>.+)",
    _I,
)
_LEAD: Final = (
    r"(?:(?:donc|alors|ainsi|au total|en tout|finalement|conclusion|so|therefore|thus|hence|oui|ok"
    r"|bien s[ûu]r|yes|bravo|voil[àa]|salut|bonjour|hello|hi|d['’]o[ùu]|ici|here)"
    r"(?:\s*+[,:!]\s++|\s++))*"
)
_SAYS: Final = (
    r"(?:c['’]est|ce sont(?: les nombres)?|(?:[çc]a|cela) (?:fait|donne|vaut)|il y en a"
    r"|(?:on|tu|you|we) (?:obtien[st]|obtient|trouve[sz]?|get|find)"
    r"|(?:ils?|elles?|on|tu|you|he|she|they) (?:lui |leur |te |t['’])?(?:(?:en |y en )?(?:a|as|ont"
    r"|aura|reste(?:ra)?)|(?:en )?re[çc]oi[ts]|have|has|pa(?:ie|ye))"
    r"|it['’]?s|it is|that['’]s|that is|that makes|this gives|ce sera|(?:il|elle) (?:fait|mesure"
    r"|vaut|p[èe]se|co[ûu]te|est)"
    r"(?: de| [ée]gale? [àa])?|it (?:costs|measures|weighs|equals)|c['’]est le nombre)(?: (?:donc"
    r"|bien|[ée]gal [àa]|exactly|exactement|une?|an?))*\s*:?\s+"
)
_ALONE: Final = re.compile(f"{_LEAD}(?P<says>{_SAYS})?(?P<value>.+)", _I)
_VALUE: Final = re.compile(
    r"[-−+]?(?:\\[dt]?frac\{[^{}]{1,12}\}\{[^{}]{1,12}\}|[\d√π(x]|\\?sqrt|\{"
    r"|(?:sin|cos|tan|ln|exp)\b|e\^)[^?]{0,40}"
)
_MEASURE: Final = re.compile(
    r"(?<![\w.,/^²³])[-−+]?(?:\\[dt]?frac\{\d+\}\{\d+\}|\d[\d \u00a0\u202f]*(?:(?:[.,]|\{,\})\d+)?"
    r"(?: ?/ ?\d+)?(?: ?(?:×|\*|\\times) ?10(?:[⁻⁰¹²³⁴-⁹]+|\^(?:\{[-−]?\d+\}|[-−]?\d+)))?)"
    r"(?:[²³⁴-⁹⁻]*)"
    r"(?: ?(?P<unit>%|°C?|π|h(?: ?\d+(?: ?min)?)?(?!\w)|[^\W\d]+(?:/[^\W\d]+)?[²³]?(?:\^-?\d)?"
    r"(?: (?:F|francs?|CFA|carr[ée]s?|cubes?)\b)*))?"
)
_GOES_ON: Final = re.compile(r" ?/ ?[(√a-z]|[(√]")
"""What makes a number the beginning of a formula: `1/x`."""
_DIGITS: Final = re.compile(r"\d[\d ]*(?:[.,]\d+)?(?:/\d+)?")
_REMARK: Final = re.compile(
    r"\s*(?:\([^()]*[a-z]{3}[^()]*\)|,? (?:car|parce que|because|since|puisque|soit|that is"
    r"|(?<!\btu )(?<!\btu en )(?<!\btu y )as"
    r"|i\.e\."
    r"|c['’]est-[àa]-dire|et donc|et il|and (?:so|it|there|that))\b.*)$",
    _I,
)
_OTHER_CASE: Final = re.compile(
    r"\b(?:if|would|\w{2,}(?:rait|raient)|exemple|example|imagin\w*|suppos\w*|environ|about"
    r"|presque|entre|between|plus (?:de|d['’])|moins (?:de|d['’])|more|less|pas|not"
    r"|v[ée]rif\w*|check\w*|rappel\w*|remember|[ée]tape|step|d['’]abord|first|ensuite|then|chaque|each"
    r"|compar\w*|autre|other|essaie|try|test)\b|\bn['’]|\bne\b|^si\b",
    _I,
)
"""Words of a sentence that may speak of something else than the answer."""
_TASK: Final = re.compile(
    r"\b(?:commence\w*|essai\w*|compte\w*|pense\w*|(?<!\bon )cherche\w*|continue\w*|start|try"
    r"|think|count|hint"
    r"|indice|[àa] toi|your turn|now you|que (?:trouves|obtiens)|trouves-tu|obtiens-tu"
    r"|do you (?:get|find))\b",
    _I,
)
"""Words of a text that leaves something to be done."""
_NAMED: Final = re.compile(
    r"(?:.*[,:] )?(?:(?:donc|alors|so|on (?:trouve|obtient)|you get|we get) )*"
    r"(?P<name>[A-Za-zρλΔ]{1,3}|\\rho|\\lambda) ?[=≈] ?(?P<value>[^=≈×÷+*]*\d[^=≈×÷+*]*)"
)
"""A value by its name: `BC = 3 cm`, `ρ = 0,37 g/cm³`."""
_EXPRESSED: Final = re.compile(
    r"(?P<words>[^\d=≈:²³⁴-⁹√]+?)(?: (?:est|sont|is|are|vaut)|:)"
    r"(?: (?:donc|alors|then|de|[ée]gale? [àa]|equal to))* "
    r"(?P<value>[-−+]?(?:[\dπ√($]|[a-z](?![a-zà-ÿ]))[^=≈]{0,40})"
)
"""A formula after its name: `The nth term is 4n + 3`."""
_SIGNS: Final = {"∫": "integ", "\\int": "integ", "√": "racin", "lim": "limit", "Δ": "discr"}
"""Signs of a question, and the first letters of the words by which answers take them up."""
_RESULTS: Final = {"÷": "quoti", "×": "produ", "+": "somme", "-": "diffe", "−": "diffe"}
"""Signs of a computation, and the first letters of the name of its result."""
_REDUCES: Final = re.compile(r"\birreducti|\bsimplifi")
_REDUCED: Final = frozenset(("irred", "simpl"))
_FORMS: Final = frozenset(("fract", "forme"))
"""The same of what a fraction in lowest terms is called: `la fraction irréductible`."""
_NAMES: Final = {"P": "probabilit", "Δ": "discriminant", "V": "volume", "A": "aire"}
"""Names of values that a question asks for in words, and the beginnings of these."""
_BEFORE_CLAUSE: Final = re.compile(r"^.*(?:, |: | car )(?=\D)")
_UNIT_WORD: Final = re.compile(
    r"(?<=\d) ?(?:minutes?|secondes?|seconds?|heures?|hours?|jours?|days?|francs?|fcfa|euros?"
    r"|litres?"
    r"|(?:kilo|centi|milli)?(?:m[èe]tres?|grammes?))\b|\bcarr[ée]s?\b|\bcubes?\b",
    _I,
)
_FOUND: Final = re.compile(
    r"\b(?:on|tu|you|we) (?:dois |devrais |should )?(?:trouve[sr]?|obtien[st]|obtenir|get|find)\b",
    _I,
)
_COMPUTED_RESULT: Final = re.compile(
    r"(?P<words>[^\d=]{3,40}?) ?[:=] ?(?:[^=]*\d[^=]*= ?)?(?P<value>[^=]*\d[^=]*)"
)
"""A value at the end of its computation: `Nouveau prix : 8 000 + 1 600 = 9 600 F`."""
_LISTED: Final = re.compile(r"\d[^\s\d]* ?(?:et|ou|and|or|;|,) [-−]?\d")
_OF_FORMULA: Final = re.compile(
    r"\b(?:d[ée]riv[ée]e|primitive|(?:anti)?derivative) (?:de|of) [$\\\w(−-]*[\dx)].* (?:est|is)\b",
    _I,
)
"""A sentence that names its own function, which may be a part of the one in question."""
_OUTCOME: Final = re.compile(
    rf"(?:\b(?:ce qui|on obtient|on trouve)\b(?: (?:{THEN}|donne|fait))*|\bc['’]est[- ]à[- ]dire"
    r"|^(?:c['’]est|on reconna[iî]t) une? [^\d=≈:]{3,30} ?(?=:)"
    rf"|(?:^|[,;:] )(?:cela|[çc]a|donc|soit|il reste)(?: (?:{THEN}|donne|fait))*)"
    r" ?:? ?(?P<value>[^=≈:]*[\dx)][^=≈:]*)$",
    _I,
)
"""The value with which a text ends: `ce qui donne 5,3 × 10⁶`."""
_UNKNOWNS: Final = frozenset("xyabnt")
_PART: Final = re.compile(r"\W*(?:en|pour|sur|dans|apr[èe]s|avec|in|for|over|after|with) ", _I)
_WORD: Final = re.compile(r"[a-z]{3,}")
_FUNCTION: Final = re.compile(r"\b(?:sin|cos|tan|ln|log|exp|lim)|∫")
_SHOWS_VALUE: Final = re.compile(r"\d|π|\b(?:sin|cos|tan|ln)\b")
_LETTER: Final = re.compile(r"(?<![A-Za-z\\])[A-Za-z](?![A-Za-zµ/²³])")
_SINGLE: Final = re.compile(r"(?<![A-Za-z\\])[A-Za-z](?![A-Za-zµ])")
_TERMS: Final = re.compile(r"(?=.*[a-z])[-−+ \d().,/²³⁴√]*(?:[xyzntikab][-−+ \d().,/²³⁴√^]*)+")
"""A sum of terms with letters, which is a result: `6 + i`."""
_WHOLE_FORMULA: Final = re.compile(r"\$[^$=]{1,60}\$")
_CLAUSE: Final = re.compile(
    r",\s*[^\W\d]|\b(?:c['’]est|est|is|are|font|fait|vaut|of|de|du|des|dans|in)\b", _I
)
"""Words of a sentence that only begins with a number."""
_COMPUTED: Final = re.compile(r"\d[^\w]*[×÷*+=≈]|\d ?[-−/:] ?\d.*=")
_EQUAL: Final = re.compile(r".*[=≈]\s*")
_FREE: Final = frozenset((
    "les", "une", "des", "aux", "est", "sont", "vaut", "valent", "fait", "font", "faire", "donne",
    "coute", "mesure", "ont", "elle", "ils", "elles", "cela", "donc", "alors", "ainsi", "bien",
    "egal", "egale", "exactement", "dans", "ses", "son", "leur", "leurs", "lui", "ton", "nous",
    "vous", "qui", "que", "pour", "par", "sur", "avec", "tout", "peut", "peux", "pourra", "pendant",
    "restera", "doit", "devra", "payer", "paie", "paye", "paiera", "recoit", "recevra", "aura",
    "obtient", "obtenir", "finalement", "voila", "oui", "total", "cette", "cet", "possede", "then",
    "the", "are", "was", "will", "its", "she", "they", "you", "your", "has", "have", "had", "can",
    "able", "therefore", "thus", "hence", "exactly", "equal", "equals", "makes", "gives", "costs",
    "measures", "yes", "for", "during", "there", "after", "this", "that",
))  # fmt: skip
"""Words that a sentence may have beside those of the question."""


@dataclass(frozen=True, slots=True)
class FinalAnswer:
    """A value that a text gives for the question."""

    value: str
    sentence: str


def find_final_answers(text: str, question: str) -> list[FinalAnswer]:
    """Return the values that a text gives as the answer to a question, first to last; none if the
    question asks for more than one thing, or for nothing."""
    if len(text) > _LONGEST or not 0 < len(question) <= _LONGEST_QUESTION:
        return []
    if count_asked(question) != 1:
        return []
    asked = read_question(question)
    data = frozenset(each.strip() for each in _DIGITS.findall(asked.whole))
    leaves_task = bool(_TASK.search(text))
    signs = frozenset(stem for sign, stem in _SIGNS.items() if sign in asked.sentence)
    computation = find_computation(asked.sentence)
    results = {stem for sign, stem in _RESULTS.items() if sign in computation}
    signs |= results if len(results) == 1 else set[str]()
    is_reduced = _REDUCES.search(fold(asked.sentence))
    signs |= _REDUCED if is_reduced else frozenset[str]()
    words, known = _list_stems(asked.sentence) | signs, _list_stems(asked.whole) | signs
    known |= _FORMS if is_reduced else frozenset[str]()
    reader = _Reader(words, known, asked.whole.lower(), leaves_task, data)
    sentences = [each for each in _split(text) if not each.endswith("?")]
    numbered = [at for at, each in enumerate(sentences) if _SHOWS_VALUE.search(each)]
    places = dict.fromkeys((*numbered[:1], *numbered[-2:]))
    letters = {*_SINGLE.findall(asked.whole), *"CkeiFn"}
    found: list[FinalAnswer] = []
    for at in places:
        is_last = at == numbered[-1]
        value = reader.read(sentences[at], is_first=at == 0, is_last=is_last)
        if value and (_MEASURE.fullmatch(value) or set(_LETTER.findall(value)) <= letters):
            found.append(FinalAnswer(value, sentences[at]))
    return found


def list_values(text: str) -> list[str]:
    """List the numbers of a text, with their units."""
    found = _MEASURE.finditer(" ".join(_split(text)))
    return list(dict.fromkeys(map(_write_measure, found)))[:_MOST_VALUES]


def _write_measure(found: re.Match[str]) -> str:
    """Return a number with its unit, without a word after it that is none."""
    unit = found["unit"] or ""
    is_word = unit.isalpha() and not is_unit(unit) and unit != "π" and find_unit(unit) is None
    return found[0].removesuffix(unit).strip() if is_word else found[0].strip()


def _split(text: str) -> list[str]:
    plain = _FORMULA.sub(_write_formula, text)
    plain = _PICTURES.sub("\ue000", _MARKS.sub("", plain))
    lines = (_BULLET.sub("", each) for each in plain.split("\n"))
    parts = (part.strip(" \t\ue000") for line in lines for part in _END.split(line))
    return [each for each in parts if each][:_MOST_SENTENCES]


def _write_formula(found: re.Match[str]) -> str:
    """Return a formula in one line, or between `$` if it has names of functions."""
    latex = found[1] or found[2] or found[3]
    line = to_line(latex)
    return f"${latex}$" if _FUNCTION.search(line) else line


@dataclass(frozen=True, slots=True)
class _Reader:
    """A reader of sentences that may answer a question."""

    words: frozenset[str]
    """The first letters of the words of the sentence that asks."""
    known: frozenset[str]
    """The same of all words of the question."""
    question: str
    """The whole question in small letters."""
    leaves_task: bool
    """Whether the answer leaves something to be done."""
    data: frozenset[str]
    """The numbers that are given."""

    def read(self, sentence: str, *, is_first: bool, is_last: bool) -> str:
        """Return the value that a sentence gives as the answer; empty: it gives none."""
        bare = _REMARK.sub("", sentence.rstrip(" .!:;,"))
        is_other = self._is_of_other_case(bare)
        if found := _ANSWER.fullmatch(bare):
            if is_other:
                return ""
            if value := _clean(found["value"]):
                return value
        if is_first and (value := self._read_alone(bare)):
            return value
        if is_other or self.leaves_task:
            return ""
        if value := self._read_stated(bare, is_last=is_last):
            return value
        clause = "" if _PART.match(bare) else _BEFORE_CLAUSE.sub("", bare)
        return self._read_stated(clause, is_last=is_last)

    def _is_of_other_case(self, sentence: str) -> bool:
        cases = {found[0].lower() for found in _OTHER_CASE.finditer(sentence)}
        is_part = _OF_FORMULA.search(sentence) is not None
        return is_part or any(each not in self.question for each in cases)

    def _read_alone(self, sentence: str) -> str:
        """Return a value that stands alone, or after what is to be worked out."""
        found = _ALONE.fullmatch(sentence)
        value = _clean(found["value"]) if found else ""
        if found and found["says"] and self.leaves_task and _FOUND.match(found["says"]):
            return ""
        if found is None or found["says"] or "=" not in found["value"]:
            return value
        left = found["value"].partition("=")[0].replace(" ", "")
        is_asked = len(left) > 1 and left in self.question.replace(" ", "")
        is_asked = is_asked and "=" not in self.question
        return value if is_asked and found["value"].count("=") == 1 else ""

    def _read_stated(self, sentence: str, *, is_last: bool) -> str:
        """Return the value of a sentence that takes up the question."""
        outcome = _OUTCOME.search(sentence) if is_last else None
        value = _clean(outcome["value"]) if outcome else ""
        if value and not _WORD.search(_UNIT_WORD.sub("", value)) and self._may_be(value):
            return value
        if named := _NAMED.fullmatch(sentence):
            return _clean(named["value"]) if self._is_asked(named) else ""
        if (found := _EXPRESSED.fullmatch(sentence)) and self._is_about(found["words"]):
            return _clean(found["value"])
        found = _COMPUTED_RESULT.fullmatch(sentence)
        if found and self._is_about(found["words"]) and _MEASURE.match(found["value"].strip()):
            return _clean(found["value"])
        is_about = self._is_about(sentence) or (is_last and _FOUND.search(sentence))
        return self._find_new(sentence) if is_about else ""

    def _may_be(self, value: str) -> bool:
        """Return whether a value has letters if the expression of the question has some."""
        asked = set(_SINGLE.findall(self.question)) & _UNKNOWNS
        return "=" not in self.question and (not asked or bool(set(_SINGLE.findall(value)) & asked))

    def _find_new(self, sentence: str) -> str:
        """Return the one measure of a sentence that the question does not give."""
        if re.search("[×÷*+=≈]", sentence.replace("× 10", "")):
            return ""
        numbers = list(_MEASURE.finditer(sentence))
        new = [each for each in numbers if self._is_new(each[0])]
        if any(_GOES_ON.match(sentence, each.end()) for each in new):
            return ""
        is_part = len(numbers) > 1 and (_PART.match(sentence) or _LISTED.search(sentence))
        return _write_measure(new[0]) if len(new) == 1 and not is_part else ""

    def _is_asked(self, named: re.Match[str]) -> bool:
        """Return whether a value is that of a name that the question has, or a size with a unit."""
        measure = _MEASURE.fullmatch(named["value"].strip(" ."))
        if measure is None:
            return False
        has_unit = bool(measure["unit"]) and measure["unit"] != "π"
        word = _NAMES.get(named["name"], "")
        if word and word in fold(self.question):
            return True
        return has_unit or (len(named["name"]) > 1 and named["name"].lower() in self.words)

    def _is_new(self, value: str) -> bool:
        number = _DIGITS.search(value)
        return number is None or number[0].strip() not in self.data

    def _is_about(self, said: str) -> bool:
        """Return whether a sentence has a word of the one that asks, and no word of its own."""
        own = _list_stems(_UNIT_WORD.sub(" ", said))
        return bool(own & self.words) and own <= self.known


def _list_stems(text: str) -> frozenset[str]:
    return frozenset(each[:5] for each in _WORD.findall(fold(text)) if each not in _FREE)


def _clean(value: str) -> str:
    """Return a value without what follows it; empty: it is none, or a computation."""
    bare = _REMARK.sub("", value.strip().rstrip(" .!:;,"))
    if _MEASURE.fullmatch(bare) or _WHOLE_FORMULA.fullmatch(bare):
        return bare
    if _TERMS.fullmatch(bare):
        return bare
    if _COMPUTED.search(bare):
        bare = _EQUAL.sub("", bare)
    bare = bare.strip().rstrip(" .!:;,")
    is_value = _MEASURE.fullmatch(bare) or (_VALUE.fullmatch(bare) and not _COMPUTED.search(bare))
    if not is_value or _CLAUSE.search(bare):
        return ""
    return bare if len(_WORD.findall(fold(bare))) <= 2 else ""
