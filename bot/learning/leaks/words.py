"""Find a word, an expression, a time, a date or another phrase of few spellings that is the
solution. Pure.

A word that means little by itself (`a`, `est`), or an option in a text that names others too, is
given away only where the text says that it is the answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from bot.learning.expression_shape import Form, list_forms
from bot.learning.grading.typed_words import asks_form
from bot.learning.leaks.reading import ARTICLE, Reading, cut_line, squeeze
from bot.learning.plain_notation import fold_accents, fold_letters, fold_signs
from bot.maths.reading.number_words import MONTH_NUMBERS, MONTHS

_COMMON_WORDS = """
a as ai et est es sont son on ont ou la le les l' un une des du de ce se ces ses sa ma mes ta tes
leur leurs dans avec pour mais plus tres bien fait faire avoir etre etait avait cette tout tous
toute peut peux vais aux sur par qui que quoi dont comme quand alors donc vrai faux oui non true
false yes no the an in at on is are was were has have had do does did with than that this they
them then some any much many more most there their your been will would from into
"""
COMMON: Final = frozenset(_COMMON_WORDS.split())
"""Words that mean little by themselves: they leak only where they are said as the answer."""
_OPENING: Final = (
    r"[\s\"']*(?:donc|bien|ici|alors|plutot|:)?\s*"
    r"(?:(?:le|la|les|l'|une?|the|an?|mot|forme|option|reponse|verbe|preposition|adverbe|pronom"
    r"|article|adjectif|conjonction|determinant|possessif|demonstratif|auxiliaire|participe"
    r"|connecteur|homophone)\s*){0,2}[:\s\"'(\[]*$"
)
_ANSWER_BEFORE: Final = re.compile(
    r"(?:\b(?:reponse|resultat|solution|answer|bon mot|bonne forme|bonne orthographe|bon choix"
    r"|bonne option|correct(?:e|ion)?|right (?:word|one|form)"
    r"|verbe conjugue)\b[^.!?\n]{0,30}?(?:\best|\bis|:|=|\bc'est)"
    r"|\b(?:s'ecrit|comme tou[st]e?s? les|like every|on parle (?:de|d')|on appelle (?:ca|cela)"
    r"|c'est|(?<!que )ce sont|they are|these are|ce sera|devient|deviennent|becomes?|turns? into"
    r"|se transforme en|ca donne|cela donne|on (?:ecrit|met|dit|choisit|obtient|utilise|prend|aura)"
    r"|(?:il )?faut (?:ecrire|mettre|choisir|repondre|dire|prendre|cocher|utiliser)?|tu (?:dois"
    r"|peux) (?:ecrire|mettre"
    r"|choisir|repondre)|ecris|mets|choisis|reponds|coche|entoure|prends|dis|selectionne|tape|note"
    r"|clique sur|utilise|complete (?:par|avec)|write|choose|pick|select|it is|it's|use|put|say)"
    r"|[=→⇒#]|->|=>)" + _OPENING
)
_ANSWER_AFTER: Final = re.compile(
    r"[\"'\])}\s]*(?:,\s*)?(?P<verb>(?:est|c'est|is|serait|voila)\s+)?(?:bien\s+|donc\s+)?"
    r"(?:la |the |une |le |l')?"
    r"(?:bonne?|right|correcte?|juste|exacte?|attendue?|celle qu|celui qu|reponse|solution|answer"
    r"|(?:qui )?convient|est a choisir)\b"
)
_USED: Final = re.compile(
    r" (?!(?:car|parce|puisque|comme|ici|et|avec|sans|pas|qui|dans|pour|plutot|donc|devant|derriere"
    r"|avant|apres|quand|si|lorsqu\w*|because|since|as|here|and|with|without|not|in|for|before"
    r"|after|when|if)\b)[^\W\d_]"
)
"""What follows a common word that is used in a sentence, and not named: `la règle`."""
NOT: Final = re.compile(
    r"\b(?:pas|ni|non|jamais|not|nor|never|ecarte\w*|elimin\w*|barre\w*)\b[^.!?\n]{0,25}$"
)
_NOT_AFTER: Final = re.compile(
    r"^[^.!?\n,]{0,12}\b(?:pas|faux|fausse|incorrecte?|wrong|ecarte\w*|elimin\w*)\b"
)
_IS: Final = re.compile(
    r"\b(?:est|sont|is|are)(?: donc| bien)? ?[\"'(]*(?: ?(?:les? |la |une? |the |an? |l'))?$"
)
_COMPLEMENT_END: Final = re.compile(
    r"[\"')\s]*(?:[.!;\n]|$|(?<![\s,]),? ?(?:du|of the|ici|here|car|because|puisque|since)\b)"
)
_BLANK: Final = re.compile(r"…|\.{3,}|_{2,}|\[ *\]|\( *\)")
_BLANK_LINE: Final = re.compile("_{2,}")
"""A gap that folding would take for a mark of emphasis."""
_OPPOSITE: Final = "(?:le |the )?(?:contraire|inverse|oppos(?:e|ite)) (?:de|of)"
_NOT_TRUE: Final = "pas (?:vraie?|exacte?|juste)"
VERDICTS: Final = {
    "vrai": f"{_OPPOSITE} faux|vraie?|exacte?|juste|true|pas (?:faux|fausse)|not false",
    "true": f"{_OPPOSITE} false|true|correct|vraie?|not false|pas (?:faux|fausse)",
    "faux": f"{_OPPOSITE} vrai|faux|fausse|inexacte?|false|not true|untrue|{_NOT_TRUE}",
    "false": f"{_OPPOSITE} true|false|incorrect|not true|untrue|fausse|faux|{_NOT_TRUE}",
}  # fmt: skip
_VERDICT_BEFORE: Final = re.compile(
    r"(?:\b(?:est|is|c'est|reponse|answer|repond\w+|coche\w*|choisi\w+|say|pick|choose|q ?\d\d?)\b"
    r"|(?:it|that)'s|[:=#→>]|^|\n)"
    r"\W*(?:donc |bien |la |toujours |tout a fait |bel et bien |[a-z]+ment |[a-z]+ly |\d+ ?% "
    r"|(?:une |l')?(?:idee|affirmation|phrase) )*\W*$"
)
_VERDICT_ASKED: Final = re.compile(
    r"\b(?:si|est-ce|if|whether|prouver|montrer|justifier|prove|show|(?:tu|you) \w+ (?:que|that))\b"
    r"[^.!?\n]{0,25}$"
)
_OR: Final = r"[\s\"']*(?:,|/|;|\bou\b|\bor\b)[\s\"']*"
_ELIDED: Final = re.compile(r"\b[dl]'$")
"""The article before a short word, which makes it a noun: `l'or`."""


class WordSearch:
    """A search for the word or words that are the solution."""

    def __init__(self, solution: str, statement: str, options: Sequence[str]) -> None:
        others = [each for each in options if each != solution]
        bare = fold_letters(solution)
        is_accented = len(solution) < 4 and not solution.isascii()
        is_alike = any(fold_letters(each) == bare for each in others)
        is_twin = bare in ("a", "ou", "la", "des", "du", "sur")
        self._keeps_accents = is_alike or is_accented or is_twin
        word = self._write(ARTICLE.sub("", solution)).rstrip(" .!?") or self._write(solution)
        word = re.sub(r"(?<=[a-z])_(?=\d)", "", word)
        self._pattern = _bound_word(word, options)
        self._others = [_bound_word(self._write(each), options) for each in others]
        self._statement = Reading(statement)
        given = self._write(statement)
        self._new_others = [each for each in self._others if not each.search(given)]
        is_short = len(word) < 4 and not re.fullmatch(r"[a-z]+\d[a-z\d]*", word)  # `co2` is not
        self._is_acronym = solution.isupper() and len(solution) > 1
        self._is_plain = is_short or fold_letters(solution).strip() in COMMON
        self._is_verdict = bool(options) and word in VERDICTS
        gaps = self._write(_BLANK_LINE.sub("…", statement))
        self._filled = _compile_filled(gaps, word)
        self._form = _compile_form(gaps, word) if options else None
        self._asked = {*_ASKED.findall(fold_letters(statement)), *_ANSWER_NAMES}
        self._plural = "" if options or asks_form(statement) else word
        self._filled_others = [_compile_filled(gaps, self._write(each)) for each in others]

    def _write(self, text: str) -> str:
        accented = fold_signs(text).strip()
        return accented if self._keeps_accents else fold_accents(accented)

    def find(self, reading: Reading) -> str | None:
        text = reading.accented if self._keeps_accents else reading.folded
        if self._filled and (found := self._filled.search(text)):
            near = text[max(0, found.start() - 90) : found.end() + 90]
            if not any(other and other.search(near) for other in self._filled_others):
                return found[0]
        if form := self._find_form(text):
            return form
        given = self._write(self._statement.text), self._write(reading.said)
        is_given = any(map(self._pattern.search, given))
        for found in self._pattern.finditer(text):
            is_noun = _ELIDED.search(text[max(0, found.start() - 3) : found.start()])
            is_known = is_given or (self._is_plain and not is_noun)
            if not is_known and not self._others:
                return found[0]
            if self.is_answer(text, found) or (
                not is_known and not self._names_others(cut_near(text, found))
            ):
                return cut_words(text, found)
        return None

    def _find_form(self, text: str) -> str | None:
        """Return the pronoun of a gap with its verb, or words that call things the word."""
        if self._form and (found := self._form.search(text)):
            return found[0]
        plurals = _PLURAL.finditer(text) if self._plural else ()
        return next((each[0] for each in plurals if each[1] == self._plural), None)

    def is_answer(self, text: str, found: re.Match[str]) -> bool:
        """Return whether the text says the word as the answer, and no other option in the same way
        nearby."""
        if self._is_verdict:
            before = text[max(0, found.start() - 40) : found.start()]
            return bool(_VERDICT_BEFORE.search(before) and not _VERDICT_ASKED.search(before))
        is_said = _is_said_as_answer(text, found) or self._is_introduced(text, found)
        if not is_said and not self._is_named(text, found):
            return False
        near = cut_near(text, found)
        return not any(
            _is_said_as_answer(near, each) and not is_negated(near, each)
            for other in self._others
            for each in other.finditer(near)
        ) and not self._is_listed(text, found)

    def _is_introduced(self, text: str, found: re.Match[str]) -> bool:
        """Return whether the text says behind the word that it is what the statement asks for."""
        said = _ANSWERS.match(text, found.end())
        return bool(said) and (said["name"] is None or said["name"] in self._asked)

    def _is_named(self, text: str, found: re.Match[str]) -> bool:
        """Return whether a sentence, or what it says of the word, ends with the word as its
        complement: `L'intrus est table.`, `« la rue » est COD du verbe`."""
        before = text[max(0, found.start() - 20) : found.start()]
        is_end = _COMPLEMENT_END.match(text, found.end())
        return bool((self._is_acronym or not self._is_plain) and is_end and _IS.search(before))

    def _is_listed(self, text: str, found: re.Match[str]) -> bool:
        """Return whether another option stands next to the word: `a ou à`."""
        before, after = text[max(0, found.start() - 40) : found.start()], text[found.end() :][:60]
        return any(
            re.match(_OR + other.pattern, after) or re.search(f"{other.pattern}{_OR}$", before)
            for other in self._others
        )

    def _names_others(self, text: str) -> bool:
        return any(
            not is_negated(text, each)
            for other in self._new_others
            for each in other.finditer(text)
        )


def _bound_word(word: str, options: Sequence[str]) -> re.Pattern[str]:
    """Compile a pattern for the whole word; for a verdict such as `vrai`, for all its forms."""
    if options and word in VERDICTS:
        return re.compile(
            rf"(?<![^\W\d_])(?:{VERDICTS[word]})(?![^\W\d_])(?!\s+(?:que|qu'|that|ou|or)\b)"
        )
    words = [re.escape(each) for each in re.split(r"[\s-]+", word)]
    spaced = (_NUMBERED if len(words) > 2 else r"[\s+-]+").join(words)
    spaced = re.sub(r"(?<=[a-z])(\d)", r"_?\\{?\1\\}?", spaced)  # `h_2o` is `h2o` too
    elided = r"(?<![^\W\d_]')" if fold_accents(word) in COMMON else ""
    return re.compile(rf"(?<![^\W\d_]){elided}{spaced}(?![^\W\d_])")


def _compile_filled(statement: str, word: str) -> re.Pattern[str] | None:
    """Compile a pattern for the filled gaps with up to two words on each side; None: no gap."""
    pieces = _BLANK.split(statement)
    words = [each.strip() for each in re.split("…", word)]
    if len(pieces) < 2 or len(pieces) - 1 < len(words):
        return None
    before = re.findall(r"[^\W_]+", re.split(r"[:\"]", pieces[0])[-1])[-2:]
    parts = [*before]
    for at, each in enumerate(words, 1):
        rest = re.split(r"[:\"]", re.sub(r"^\s*\([^)]*\)", "", pieces[at]))[0]
        around = re.findall(r"[^\W_]+", rest)
        parts += [each, *(around if at < len(words) else around[:2])]
    if len(parts) == len(words) or len("".join(parts)) < 5:
        return None
    start = "" if len(before) > 1 else r"(?<![^\W\d_])"
    after = parts[len(before) :]
    is_enough = len(before) > 1 and len(after) > len(words) + 1 and len(after[-2]) > 2
    written = start + _join_words(parts[:-1] if is_enough else parts)
    if len(after) > len(words) + 1:  # quoted from the gap on: “the captain of”
        written += rf"|[\"'(] ?{_join_words(after)}"
    return re.compile(rf"(?:{written})(?!\w)")


def _join_words(words: Sequence[str]) -> str:
    return r"\W+".join(map(re.escape, words)).replace("'\\W+", "'\\W*")


_CONFIRMED: Final = re.compile(
    r"[\"')*]{0,3} ?[?!,:]{1,2} ?[\"')]?(?:(?:oui|yes)[ ,!.]{1,3})?"
    r"(?:c'est |that's )?(?:tout a fait |exactly )?"
    r"(?:parfait|bravo|exact\w*|perfect|correct\w*|right|juste|bien joue|bien vu|well done|great"
    r"|super|c'est ca|that's it|excellent\w*)\b"
)
_SUBJECT: Final = re.compile(
    r"(?:^|[:\"(.] ?|\bque )(?:(j'|je|tu|il|elle|on|nous|vous|ils|elles|he|she|it|we|you|they|i)"
    r"|(?P<one>(?:la|le|l'|une?|mon|ma|ton|ta|the|my) ?[a-z]+))\s*$"
)
"""What a statement has before its gap: a pronoun, or one thing or person."""


def _compile_form(gaps: str, word: str) -> re.Pattern[str] | None:
    """Compile a pattern for the pronoun of a gap with the right form of the verb; None: the gap has
    no such subject, or neither the statement nor the word shows that a verb is asked."""
    is_form = _ASKS_FORM.search(gaps) or (len(word) > 3 and word not in COMMON)
    before = _BLANK.split(gaps)[0] if is_form else ""
    if not before or not (found := _SUBJECT.search(before)):
        return None
    names = "il|elle|on|he|she|it" if found["one"] else re.escape(found[1])
    return re.compile(rf"\b(?:{names})(?: ?/ ?(?:elles?|on))? ?{re.escape(word)}(?!\w)")


_NUMBERED: Final = r"(?:[\s+-]+|\W{1,6}(?:\d{1,2}[.):]?\W{1,4})?)"
"""What stands between the words of a sentence, also where each has a line or number of its own."""
_ASKED: Final = re.compile(
    r"\b(?:trouve|donne|identifie|indique|releve|souligne|cherche|quel(?:le)?s? (?:est|sont)|find"
    r"|give|name|identify|underline|what (?:is|are)|which is)(?:[rsz]|-moi)? "
    r"(?:les? |la |l'|the |its |sa |son )([a-z]{3,20})"
)
_COMES: Final = (
    r"(?: ?[\"')*]{0,3} ?[^.!?\n\"]{0,40}, c'est (?:donc |bien |alors )?(?:lui|elles?|eux)"
    r"| ?[\"')*]{0,3} ?[:,;.!-]?\s{0,2}(?:et |and |so |donc |bref,? )?(?:voila|c'est|that's|that is"
    r"|there's|there is|there you have|here's|here is|tu (?:as|tiens)|on (?:a|tient)|you have|is"
    r"|est)(?: donc| bien| enfin)?) (?:ton|ta|tes|les?|la|l'|your|the|notre) ?(?:bonne? |right )?"
)
"""What introduces the name of something behind it: `le tô : voilà ton COD`."""


_ANSWERS: Final = re.compile(
    rf"{_COMES}(?P<name>[a-z]{{3,20}})\b(?!\W*\?)|[\s\"')*]{{1,4}}(?:qui )?(?:repond|answers?)"
    r" (?:bien |donc )?(?:a (?:la|cette|ta|notre) |the |your )question"
)
"""Words that say of what precedes them that it is what `name` says."""
_ANSWER_NAMES: Final = frozenset(("reponse", "solution", "answer"))
_PLURAL: Final = re.compile(
    r"\b(?:sont|are|parmi|font partie|fait partie|appartien\w+|belongs?) (?:(?:tous|toutes|all"
    r"|donc|souvent|often|toujours|always|generalement|usually|presque) ){0,2}(?:les |des |aux "
    r"|de la famille des |(?:of |to )?the )?[\"'(]?([a-z]{4,21})s(?=[\"')]{0,2} ?(?:[.!;\n]|$))"
)
"""Words that say of things what they are: `ces mots sont des adverbes`."""


_ASKS_FORM: Final = re.compile(r"\bverb\w*|\bconjug\w*|\([a-z' -]{3,20}(?:er|ir|re)\)|\btense\b")


def _is_said_as_answer(text: str, found: re.Match[str]) -> bool:
    """Return whether a match stands where an answer is said, or alone in its line.

    A common word with a word behind it is used in the sentence: `la règle`, `quel mot est juste`.
    """
    before = fold_accents(text[max(0, found.start() - 80) : found.start()])
    after = fold_accents(text[found.end() : found.end() + 50])
    said = _ANSWER_AFTER.match(after)
    if _USED.match(after) and fold_accents(found[0]) in COMMON:
        return bool(said and said["verb"])
    if said or _CONFIRMED.match(after) or _ANSWER_BEFORE.search(before):
        return True
    ends = re.match(r"[\"')*]*\s*(?:[.!]|\n|$)", after[:6])
    if ends and re.search(r"[a-z)] ?[:?] ?[\"'(*]*(?:(?:les?|la|une?|des|the|an?) |l')?$", before):
        return True
    line = before.rpartition("\n")
    is_first = (line[1] or found.start() < 80) and _LABEL.fullmatch(line[2])
    return bool(is_first and re.match(r"\W*(?:\n|$)", text[found.end() : found.end() + 20]))


_LABEL: Final = re.compile(r"\W*(?:(?:q|question|ex|exercice|no?) ?)?(?:\d{1,2} ?[.):=-])?\W*"
                                 r"(?:(?:les?|la|une?|des|the|an?) |l')?")  # fmt: skip
"""What may stand before a word that is alone in its line: `12. `."""


def cut_near(text: str, found: re.Match[str]) -> str:
    """Return the line around a match, with a list's short lines next to it."""
    return text[slice(*cut_line(text, *found.span()))]


def is_negated(text: str, found: re.Match[str]) -> bool:
    """Return whether a text says that a match is not the answer."""
    before = text[max(0, found.start() - 40) : found.start()]
    return bool(NOT.search(before) or _NOT_AFTER.match(text[found.end() : found.end() + 30]))


def cut_words(text: str, found: re.Match[str]) -> str:
    """Return the words around a match, for an operator to read."""
    return " ".join(text[max(0, found.start() - 30) : found.end() + 10].split())


# Contractions ------------------------------------------------------------------------------------

_SHORT_FORM: Final = re.compile(
    r"\b(do|does|did|is|are|was|were|has|have|had|could|would|should|must|need)n['’]t\b"
    r"|\b(ca)n['’]t\b|\b(wo)n['’]t\b|\b(I|he|she|it|we|you|they)['’](m|re|ve|ll)\b",
    re.IGNORECASE,
)
_LONG_FORM: Final = re.compile(
    r"\b(do|does|did|is|are|was|were|has|have|had|could|would|should) not\b|\b(can)(?:not| not)\b"
    r"|\b(will) not\b",
    re.IGNORECASE,
)
_ENDINGS: Final = {"m": "am", "re": "are", "ve": "have", "ll": "will"}


def list_other_forms(solution: str) -> list[str]:
    """Return an English solution with its contractions in full, or contracted: `They do not play`
    for `They don't play`; nothing for a solution without any."""
    written = _SHORT_FORM.sub(_write_in_full, solution)
    if written == solution:
        written = _LONG_FORM.sub(_contract, solution)
    found = [written, written.replace("cannot", "can not")]
    return [each for each in dict.fromkeys(found) if each != solution]


def _write_in_full(found: re.Match[str]) -> str:
    verb, can, will, subject, ending = found.groups()
    if subject:
        return f"{subject} {_ENDINGS[ending.lower()]}"
    return f"{verb} not" if verb else f"{can}nnot" if can else f"{will[0]}ill not"


def _contract(found: re.Match[str]) -> str:
    verb, can, will = found.groups()
    return f"{verb}n't" if verb else f"{can}'t" if can else f"{will[0]}on't"


# Phrases ------------------------------------------------------------------------------------------

_NOON: Final = 12
_QUARTERS: Final = {
    1: ("(?:une?|a)?(?:quart(?:er)?|1/4)", "(?!)"),
    2: ("(?:demie?|half|1/2)", "(?!)"),
    3: ("(?:3|trois)(?:quarts?|/4)", "(?:une?|a)?(?:quart(?:er)?|1/4)"),
}
"""The words after an hour and before the next one, by quarters of an hour."""
_TIMES_ONE: Final = re.compile(r"(?<=\d) ?\* ?1(?![\d.,^/])")


class ExpressionSearch:
    """A search for an expression in any equivalent form in which nothing is left to compute."""

    def __init__(self, form: Form, statement: Reading) -> None:
        self._form = form
        self._given = {form.shape for form in statement.expressions}

    def find(self, reading: Reading) -> str | None:
        known = {form.shape for form in reading.known.expressions}
        plain = _TIMES_ONE.sub("", reading.plain) if "1" in reading.plain else reading.plain
        for start, end, found in list_forms(plain, self._form.letters):
            if found.shape == self._form.shape:
                if found.shape not in known and found.shape not in self._given:
                    return reading.cut(start, end)
            elif self._gives_away(found) and found.shape not in known:
                return reading.cut(start, end)
        return None

    def _gives_away(self, found: Form) -> bool:
        return not found.is_undone and found.shape not in self._given and found.equals(self._form)


class PhraseSearch:
    """A search for a phrase that has only few spellings, whatever its spaces."""

    def __init__(self, solution: str, statement: Reading) -> None:
        self.pattern = re.compile("|".join(map(bound_phrase, _list_spellings(solution))))
        self._given = self.pattern.search(statement.squeezed)

    def find(self, reading: Reading) -> str | None:
        if self._given:
            return None
        found = self.pattern.search(squeeze(reading.compared))
        return found[0] if found else None


def _list_spellings(solution: str) -> list[str]:
    """Return patterns of a phrase's other spellings."""
    squeezed = Reading(solution).squeezed
    spellings = {squeezed, squeezed.replace(",", ";"), squeezed.replace(";", ",")}
    found = [re.escape(each) for each in sorted(spellings)]
    if time := re.fullmatch(r"0?(\d+)(?:h|:)(\d*)(?:min)?", squeezed):
        found += _list_times(int(time[1]), int(time[2] or 0))
    if date := _DATE.fullmatch(squeezed):
        found += _list_dates(int(date[1]), MONTH_NUMBERS[date[2]], date[3])
    return found


_DATE: Final = re.compile(rf"(\d{{1,2}})(?:er)?({'|'.join(MONTH_NUMBERS)})(\d{{4}})?")


def _list_dates(day: int, month: int, year: str | None) -> list[str]:
    """Return patterns of a date, whose month counts from 0: `7 août`, `August 7th`, `07/08`."""
    names, end = "|".join(MONTHS[month]), rf"\D{{0,3}}{year}" if year else ""
    return [
        rf"{day}(?:er|st|nd|rd|th)?(?:of)?(?:{names}){end}",
        rf"(?:{names})(?:the)?{day}(?:st|nd|rd|th)?{end}",
        rf"0?{day}[/.-]0?{month + 1}(?![\d]){end}",
    ]


def _list_times(hours: int, minutes: int) -> list[str]:
    """Return patterns of a time of day or duration: `5 h 10` is also `5:10`, `ten past five`."""
    hour = rf"(?:0?{hours}|{hours - 12})" if hours > _NOON else rf"0?{hours}"
    following = rf"(?:{hours + 1}|{hours - 11})" if hours >= _NOON else f"{hours + 1}"
    unit = r"(?:h|:|heures?|hours?|o'clock)"
    if not minutes:
        return [rf"{hour}(?:h|heures?|o'clock|[ap]\.?m\b|:00)(?!(?:et)?[\dm])"]
    found = [
        rf"{hour}{unit}(?:et|and|,|\.)?0?{minutes}",
        rf"{hours * 60 + minutes}(?:min|mn)",
        rf"{following}(?:h|heures?)(?:moins|-)(?:les?)?{60 - minutes}",
    ]
    if minutes < 31:
        found.append(rf"{minutes}(?:minutes?)?past{hour}")
    if minutes > 29:
        found.append(rf"{60 - minutes}(?:minutes?)?to{following}")
    if minutes in (15, 30, 45):
        after, before = _QUARTERS[minutes // 15]
        part = f"{minutes / 60:g}".replace("0.", "[.,]")
        found += [rf"{hour}{part}(?:h|heures?|hours?)", rf"{hour}(?:h|heures?)(?:et)?{after}"]
        found += [rf"{after}past{hour}", rf"{following}(?:h|heures?)(?:moins|-)(?:le)?{before}"]
        found += [rf"{before}to{following}"]
    return found


def bound_phrase(spelling: str) -> str:
    """Return the pattern of a spelling that is no part of a longer number."""
    return rf"(?<![\d,.]){spelling}(?!\d)" if spelling[:1].isalnum() else rf"{spelling}(?!\d)"


_SIGN_BEFORE: Final = (
    r"(?:signe?|symbole?|mets|ecris|choisis|prends|c'est|reponse|put|write|choose|answer)"
    r"(?:le|the)?(?:signe?|symbole?)?(?:est|is|:)?(?:donc)?"
)
"""What says a sign, without spaces."""


class SignSearch:
    """A search for the sign between two numbers of the statement, or said as the answer."""

    def __init__(self, sign: str, statement: Reading) -> None:
        numbers = [statement.plain[each.start : each.end] for each in statement.literals][:2]
        said = rf"{_SIGN_BEFORE}[\"']?{sign}[\"']?(?=[.!\n]|$)"
        sides = rf"\b(?:le)?premiere?(?:est|=)?{sign}(?:que|a|au)?l?[ae]?(?:second|deuxieme)"
        self._pattern = re.compile(rf"{re.escape(sign.join(numbers))}(?!\d)|{said}|{sides}")

    def find(self, reading: Reading) -> str | None:
        found = self._pattern.search(squeeze(reading.compared))
        return found[0] if found else None
