"""Compare words that a person typed with a solution in words. Pure.

One slip of typing, an article, words around the answer and the order of a person's names do not
count, unless the exercise is about spelling.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Final

from bot.i18n import fold
from bot.learning.grading.answer_readings import clean
from bot.learning.grading.answer_remarks import (
    correct_words,
    is_hedged,
    split_brackets,
    strip_label,
    strip_reason,
)
from bot.learning.grading.typed_numbers import LONG_NAMES
from bot.learning.grading.typing_slips import is_one_slip, sounds_like
from bot.typography import drop_accents

_OF_FORMULAS: Final = re.compile(r"[\d<>=≤≥≠+*/×÷^()]")
"""Digits and signs, in which no slip is forgiven."""
_FORMULA: Final = re.compile(r"[\d$∞√]|^\w$")
"""Marks of an option that is a number or formula, or one letter."""
_SIGNS: Final = frozenset("-\u2212+*/×÷^=√%²³")
_FORMULA_MARKS: Final = (
    (re.compile(r"_\{?(\d+)\}?"), r"\1"),
    (re.compile(r"\\(?:text|mathrm|rm|ce) ?\{([^{}]*)\}"), r"\1"),
    (re.compile(r"\$"), ""),
)
"""Marks of LaTeX around and within a formula: `$\\mathrm{H_2O}$`."""
_SHORT: Final = 6
"""Letters of a word that with another first letter is another word."""
MOST_WORDS: Final = 6
"""Words of an answer in words; a longer text is talk, unless the statement has its words."""
SMALL_WORDS: Final = frozenset(
    "je j tu il elle on nous vous ils elles c est sont un une le la l les des d du de au aux "  # noqa: SIM905
    "ce et a an the i you he she it we they is are".split()
)
LEADING_WORDS: Final = frozenset(
    "je pense crois dirais que qu reponse i think it s answer of dit dis appelle agit ca se ecrit "  # noqa: SIM905
    "devient ville pays gaz mot terme city town country gas word term called".split()
)
"""Words before an answer that say nothing of it, or what kind of thing it is."""
WORD: Final = re.compile(r"[^\W_]+|[^\w\s]")
ARTICLE: Final = re.compile(r"^(?:l'|(?:le|la|les|un|une|des|du|the|an?) )(?=\w)")
_PRONOUN: Final = re.compile(
    r"^(?:(?:je|tu|il|elle|on|nous|vous|ils|elles|i|you|he|she|it|we|they) |j['’])"
)
_TO_LAST_ACCENT: Final = re.compile(r"[a-z]*$")
"""The end of a word, behind its last letter with an accent."""
_NEGATED: Final = re.compile(r"\b(do|does|did|is|are|was|were|has|have|had|would|should)n['’]?t\b")
"""Short forms of negations: `don't`, or `dont`."""
_BETWEEN_WORDS: Final = re.compile(r"(?<=[^\W\d])[\s'-]+(?=[^\W\d])")
_ASKS_FORM: Final = re.compile(
    r"conjug|\baccorde[rz]?\b|orthograph|dictee|pluriel|feminin|particip|terminaison|homophone"
    r"|spell|plural|tense|verb|preterit|imparfait|passe (?:compose|simple)"
    r"|\b(?:present|past|futur) simple\b|\b(?:compara|superla)ti[fv]"
    r"|\bforme (?:negative|affirmative|passive|active)"
    r"|\b(?:au|du) (?:futur|present|conditionnel|subjonctif)\b|(?:…|\.{3}|__)[^()]{0,80}\(\w+\)"
)
_GAPPED: Final = re.compile(r"[«“\"]([^«»“”\"…]*…[^«»“”\"…]*)[»”\"]")
_ASKS_QUESTION: Final = re.compile(
    r"\b(?:en|into|make|form|pose|as) (?:a |la |une )?question|interrogati"
)
_ASKS_TRANSLATION: Final = re.compile(
    r"\b(?:tradu\w+|translat\w+|dit[ -]on|dis[ -]tu|dirais|(?:do|would) you say|(?:en|in|into|to)"
    r" (?:anglais|francais|espagnol|arabe|english|french|spanish))\b"
)
_LONGEST: Final = 300
"""Most characters of an answer in which remarks are searched."""
_FEWEST_ABBREVIATED: Final = 4
"""Letters of the short form of a word: `ouaga`."""
_SYMBOL: Final = re.compile(r"(?=.*[A-Z\d])(?:[A-Z][a-z]?|\d)+")
"""A formula or an abbreviation: `CO2`, `ONU`."""
_NAMED_AS: Final = re.compile(
    r"^(?:(?:le|la|the|son|sa|leur|its?) |l['’])[^\W\d_]+"
    r" (?:est|c['’]est|s['’]appelle|is|is called) ",
    re.IGNORECASE,
)
"""The start of a sentence that names what is asked: `l'auteur est`."""
_SPELLED_WITH: Final = re.compile(
    r"(?<=\w),? (?:avec|with) (?:(?:une?|an?|deux|two|des|le) )?[«\"' ]*[a-zéèêàçù]{1,2}[»\"' ]*"
    r"(?: (?:à la fin|au bout|at the end))?$",
    re.IGNORECASE,
)
"""A remark on the letters of an answer: `bijoux avec un x`."""
_INITIALS: Final = re.compile(r"(?<!\w)[^\W\d_](?:\. ?[^\W\d_])+\b\.?")
"""A short form with points: `C.O.D.`."""
SUBSTANCES: Final = (
    ("co2", "dioxyde de carbone", "gaz carbonique"),
    ("o2", "dioxygene", "oxygene"),
    ("n2", "diazote", "azote"),
    ("h2", "dihydrogene", "hydrogene"),
    ("h2o", "eau"),
    ("ch4", "methane"),
    ("nh3", "ammoniac"),
    ("nacl", "chlorure de sodium"),
    ("o3", "ozone"),
    ("co", "monoxyde de carbone"),
)
"""The formula of a substance and its names in French."""
_SHORT_FORMS: Final = """
cod, complement d'objet direct, complement direct; cos, complement d'objet second
coi, complement d'objet indirect, complement indirect; cc, complement circonstanciel
gn, groupe nominal; gv, groupe verbal
cct, complement circonstanciel de temps; ccl, complement circonstanciel de lieu
ccm, complement circonstanciel de maniere; adn, acide desoxyribonucleique
pgcd, plus grand commun diviseur, plus grand diviseur commun
ppcm, plus petit commun multiple, plus petit multiple commun
onu, organisation des nations unies, nations unies; ue, union europeenne; ua, union africaine
"""
_NAMES: Final = (
    *SUBSTANCES,
    *((fold(symbol), name) for name, symbol in LONG_NAMES.items()),
    *(tuple(each.strip().split(", ")) for each in re.split(r"[;\n]", _SHORT_FORMS.strip())),
)
"""Names of one thing in each line, folded."""
_TRUTHS: Final = (("vrai", "true", "v", "juste"), ("faux", "false", "f"))
_ASKS_TRUTH: Final = re.compile(r"\bvrai ou faux\b|\btrue or false\b")
_BETWEEN_ITEMS: Final = re.compile(r"\s*(?:[,;]|(?<!\w)(?:et|and)(?!\w))\s*(?:(?:et|and)\s+)?")
_ITEM: Final = re.compile(r"[^\W\d_]{3}[^\d=<>()]{0,30}")
_ASKS_ORDER: Final = re.compile(
    r"\b(?:ordre|rang\w*|class(?:e|er|ez)|chronolog\w*|successi\w*|etapes|order|arrange|steps)\b"
)
_ASKS_SYMBOL: Final = re.compile(r"\b(?:formule|symbole|abreviation|sigle|formula|symbol)s?\b")
_ASKS_IN_FULL: Final = re.compile(
    r"toutes lettres|in full"
    r"|\b(?:atomes?|elements?|signifi\w*|veu(?:t|lent) dire|stands? for|mean)\b"
)
_OR: Final = re.compile(r"^(?:(?:ou bien|ou encore|ou|or|aussi|also) +|= *)(?=\S)")
_ASKS_PERSON: Final = re.compile(
    r"\b(?:qui|who|auteure?|author|ecrivaine?|writer|president|explorateur|explorer|navigateur"
    r"|navigator|savante?|scientist|inventeur|inventor|physicien(?:ne)?|physicist|chimiste|chemist"
    r"|mathematicien(?:ne)?|mathematician|philosoph(?:e|er)|peintre|painter|poete|poet|romanci(?:er|ere)"
    r"|novelist|compositeur|composer|chanteu(?:r|se)|singer|roi|king|reine|queen|empereur|emperor"
    r"|ministre|minister|heros|hero|resistante?|astronaute?|footballeur|footballer|homme|femme|man"
    r"|woman)\b"
)


def asks_form(statement: str) -> bool:
    """Return whether a statement asks for the spelling of a word, where a slip is a mistake."""
    return asks_question(statement) or _ASKS_FORM.search(fold(statement)) is not None


def asks_question(statement: str) -> bool:
    """Return whether a statement asks to write a question."""
    return _ASKS_QUESTION.search(fold(statement)) is not None


def is_about_accents(statement: str, options: Sequence[str], solutions: Sequence[str]) -> bool:
    """Return whether a question cannot be answered from a text without the accents that SMS leaves
    out: options differ by these alone, or the spelling that is asked for has them."""
    if len({drop_accents(each) for each in options}) < len({*options}):
        return True
    has_accents = any(drop_accents(each) != each for each in options or solutions)
    return has_accents and asks_form(statement)


def same_words(text: str, solution: str, statement: str, *, slips: bool) -> bool:
    """Return whether an answer has the words of the solution, alone or in a sentence of the
    statement.

    Args:
        slips: a slip does not count, as accents and endings are not what is asked.
    """
    if list_words(text, str.casefold) == _fill_gap(solution, statement):
        return True
    if slips:
        return _has_same_sense(text, solution, statement)
    return _is_spelled(text, solution, statement) or is_sentence_with(text, solution, statement)


def list_alternatives(solution: str, statement: str) -> list[str]:
    """Return what counts as a solution: itself, also without a label, or with one of two names that
    it gives, `le dioxyde de carbone (CO2)`, or without a noun of the statement: `équilatéral` for
    `triangle équilatéral`."""
    asked = frozenset(list_words(statement, fold))
    plain = strip_label(solution, asked)
    found = [solution, plain]
    name, inner = split_brackets(plain)
    if inner and re.search(r"[^\W\d_]{2}", name) and not re.search(r"[;=+]", inner):
        found += [name, f"{name} {inner}"]
        kin = (fold(ARTICLE.sub("", each))[:_FEWEST_ABBREVIATED] for each in (name, inner))
        is_inflected = len(set(kin)) == 1 and not asks_form(statement)
        if is_inflected or _OR.match(inner) or any(map(_SYMBOL.fullmatch, (name, inner))):
            found.append(_OR.sub("", inner))
    first, _, rest = ARTICLE.sub("", name).partition(" ")
    is_noun = len(first) > 2 and fold(first) in asked and "…" not in statement
    is_one_word = re.fullmatch(r"[^\W\d_]{4,}", rest) is not None
    if is_noun and is_one_word and fold(rest) not in asked and not asks_form(statement):
        found.append(rest)
    truths = _TRUTHS if _ASKS_TRUTH.search(fold(statement)) else ()
    found += (each for line in truths if fold(solution) in line for each in line)
    return [*dict.fromkeys(found), *_list_other_names(found, statement)]


def same_list(text: str, solution: str, statement: str, *, slips: bool) -> bool:
    """Return whether an answer lists the same words as the solution, in any order unless the
    statement asks for one: `gazeux, liquide et solide`."""
    wanted = _BETWEEN_ITEMS.split(solution)
    if len(text) > _LONGEST or len(wanted) < 2 or not all(map(_ITEM.fullmatch, wanted)):
        return False
    if asks_form(statement) or _ASKS_ORDER.search(fold(statement)):
        return False
    given = _BETWEEN_ITEMS.split(text.strip(" .!"))
    if len(given) < 2:
        given = text.split()
    for one in wanted:
        found = next(
            (each for each in given if same_words(each, one, statement, slips=slips)), None
        )
        if found is None:
            return False
        given.remove(found)
    return not given


def _list_other_names(names: Sequence[str], statement: str) -> list[str]:
    """Return the formula, symbol, short form and other names of what is named, which the statement
    does not have; no name where a formula or symbol is asked, and nothing where a spelling, a
    translation or the name in full is."""
    asked = fold(statement)
    if asks_form(statement) or _ASKS_TRANSLATION.search(asked) or _ASKS_IN_FULL.search(asked):
        return []
    known = {ARTICLE.sub("", fold_words(each.replace("’", "'"))) for each in names}
    others = [each for line in _NAMES if known & {*line} for each in line if each not in known]
    if _ASKS_SYMBOL.search(asked):
        others = [each for each in others if re.search(r"\d", each)]
    return [each for each in others if not re.search(rf"\b{re.escape(each)}\b", asked)]


def list_word_readings(text: str, statement: str) -> list[str]:
    """Return an answer in words, whole and without a reason, a label, a former answer that it
    corrects, or brackets that explain it."""
    if len(text) > _LONGEST:
        return [text]
    asked = frozenset(list_words(statement, fold))
    plain = correct_words(_SPELLED_WITH.sub("", strip_reason(text)), asked | SMALL_WORDS)
    name, inner = split_brackets(plain)
    name = plain if is_hedged(inner) else name
    labels = (strip_label(each, asked | SMALL_WORDS) for each in (plain, name))
    found = [text, plain, name, *labels, _NAMED_AS.sub("", name)]
    found.append(_INITIALS.sub(lambda each: re.sub(r"[. ]", "", each[0]), name))
    short, full = fold(name.strip()), fold(inner)
    is_short = len(short) >= _FEWEST_ABBREVIATED and full.startswith(short)
    if is_short or full.endswith(f" {short}"):
        found.append(inner)
    return list(dict.fromkeys(each for each in found if each.strip())) or [text]


def _is_spelled(text: str, solution: str, statement: str) -> bool:
    given, right = (
        _NEGATED.sub(r"\1 not", " ".join(each.split()).strip(" .!?").casefold())
        for each in (clean(text), solution)
    )
    is_form = asks_form(statement) and " " not in given
    wanted = {right, ARTICLE.sub("", right), _PRONOUN.sub("", right) if is_form else right}
    wanted |= {re.sub(r"\bj['’] ?", start, right) for start in ("j", "j ", "j'")}
    return given in wanted or _lacks_accents(given, right, statement)


def _has_same_sense(text: str, solution: str, statement: str) -> bool:
    given, right = fold_words(text), fold_words(solution)
    cleaned = fold_words(clean(text))
    readings = {each for start in (given, cleaned)
                for each in (start, _strip_lead(start, right, fold(statement)))}  # fmt: skip
    if _ASKS_PERSON.search(fold(statement)) and _is_name(readings, solution):
        return True
    articles = [found[0] for found in map(ARTICLE.match, (cleaned, right)) if found]
    leaves_article = len(articles) < 2 or articles[0] == articles[1]
    wanted = join_words(right, leaves_article=leaves_article)
    joined = {join_words(each, leaves_article=leaves_article) for each in readings}
    others = joined.difference(list_words(statement, fold))  # another word of it is no slip
    if wanted in joined or any(
        _is_typo(each, wanted, statement) or sounds_like(each, wanted) for each in others
    ):
        return True
    noun = ARTICLE.sub("", right) if leaves_article else right
    return is_sentence_with(fold(text), noun, statement)


def _is_typo(given: str, right: str, statement: str) -> bool:
    """Return whether an answer has only one slip; in a translation, another letter or a plural is
    another word: `horse` for `house`."""
    if not is_slip(given, right):
        return False
    if not _ASKS_TRANSLATION.search(fold(statement)):
        return True
    is_other_letter = len(given) == len(right) and sorted(given) != sorted(right)
    return not is_other_letter and f"{given}s" != right and given != f"{right}s"


def _fill_gap(solution: str, statement: str) -> list[str]:
    """Return the words of the sentence with a gap that a statement quotes, with the solution in
    it; nothing: there is no such sentence."""
    found = _GAPPED.search(statement)
    filled = found[1].replace("…", f" {solution} ") if found else ""
    return list_words(re.sub(r"\([^()]*\)|[.!?]\s*$", " ", filled), str.casefold)


def _lacks_accents(given: str, right: str, statement: str) -> bool:
    """Return whether an answer lacks only accents that words of the statement have, in the part
    that both share: `gateaux` where `un gâteau` is asked, but not `mange` for `mangé`."""
    words, asked = zip(given.split(), right.split(), strict=False), statement.casefold()
    return fold(given) == fold(right) and all(
        one == other or f" {_TO_LAST_ACCENT.sub('', other)}" in re.sub(r"\W", " ", f" {asked}")
        for one, other in words
    )


def join_words(text: str, *, leaves_article: bool = False) -> str:
    """Return a text without the spaces and hyphens between words, also without its article."""
    text = text.replace("’", "'")
    return _BETWEEN_WORDS.sub("", ARTICLE.sub("", text) if leaves_article else text)


def list_surnames(solution: str, statement: str) -> list[str]:
    """Return the surname of a person whose name is asked, which is enough as an answer; else
    nothing."""
    words = solution.split()
    is_full = len(words) > 1 and all(each[:1].isupper() for each in words)
    return words[-1:] if is_full and _ASKS_PERSON.search(fold(statement)) else []


def _is_name(readings: Collection[str], solution: str) -> bool:
    """Return whether a text is a person's name as people write it: the surname first or alone, or
    after an initial."""
    words = solution.split()
    if len(words) < 2 or not all(each[:1].isupper() for each in words):
        return False
    first, last = fold(" ".join(words[:-1])), fold(words[-1])
    names = (
        f"{last} {first}",
        last,
        f"{fold(words[0])} {last}",
        f"{first[0]}. {last}",
        f"{first[0]} {last}",
    )
    is_slip_of_name = any(is_slip(each, last) for each in readings)
    return is_slip_of_name or any(each in readings for each in names)


def _strip_lead(given: str, right: str, statement: str) -> str:
    """Return an answer in words without a lead such as `je pense que c'est`."""
    known = {*WORD.findall(statement), *SMALL_WORDS, *LEADING_WORDS} - {*WORD.findall(right)}
    for word in WORD.finditer(given):
        if word[0].isalnum() and word[0] not in known:
            return given[word.start() :]
    return given


def is_slip(given: str, right: str) -> bool:
    """Return whether an answer to a word of five letters or more has only one slip, in no digit or
    sign, and no other ending or start of a short word: `finis` is no slip of `finit`, nor `seins`
    of `reins`."""
    is_long = len(right) >= 5 and _OF_FORMULAS.findall(given) == _OF_FORMULAS.findall(right)
    is_other_ending = given[:-1] == right[:-1] and given != right
    is_other_start = given[1:] == right[1:] and given != right and len(right) <= _SHORT
    return is_long and not is_other_ending and not is_other_start and is_one_slip(given, right)


def is_sentence_with(text: str, solution: str, statement: str, *, is_option: bool = False) -> bool:
    """Return whether a text is a sentence with the solution: its other words are those of the
    statement or small words, and it has the solution's first word more often than the statement.

    Args:
        is_option: the solution is an option, which the statement may name as often if it is a
            number or formula: `c'est 73 le plus grand`.
    """
    written = (re.sub(r"(?<=\d)\.(?=\d)", ",", each) for each in (text, solution))
    words, right = (list_words(each, str.casefold) for each in written)
    places = [at for at in range(len(words)) if words[at : at + len(right)] == right]
    if not statement or not right or len(places) != 1:
        return False
    asked = list_words(re.sub(r"\([^()]*\)", " ", statement), str.casefold)
    is_named = is_option and _FORMULA.search(solution) is not None
    if not is_named and Counter(asked)[right[0]] >= Counter(words)[right[0]]:
        return False
    others = words[: places[0]] + words[places[0] + len(right) :]
    if _FORMULA.search(solution) and not _stands_alone(words, places[0], len(right)):
        return False
    known = {fold(each) for each in asked} | SMALL_WORDS | LEADING_WORDS
    return all(
        fold(each) in known
        or not each.isalnum()
        or _is_short_form(each, right[0])
        or _misspells(fold(each), known)
        for each in others
    )


def _misspells(word: str, known: Collection[str]) -> bool:
    """Return whether a word is a long one of these with a slip: `gran` for `grand`."""
    return len(word) >= _FEWEST_ABBREVIATED and any(
        len(each) > _FEWEST_ABBREVIATED and is_one_slip(word, each) for each in known
    )


def _is_short_form(word: str, right: str) -> bool:
    """Return whether a word is the start of another, as people say it: `ouaga`."""
    return _FEWEST_ABBREVIATED <= len(word) < len(right) and fold(right).startswith(fold(word))


def _stands_alone(words: Sequence[str], at: int, count: int) -> bool:
    """Return whether no sign or decimals in a sentence make another value of the formula at this
    place."""
    before, after = words[max(0, at - 2) : at], words[at + count : at + count + 2]
    is_decimal = "".join(before[-2:])[-1:] in (".", ",") and before[0].isdigit()
    is_decimal = is_decimal or (len(after) > 1 and after[0] in ".," and after[1].isdigit())
    others = {*words[:at], *words[at + count :]}
    neighbours = {*before[-1:], *after[:1]}
    return not (is_decimal or others & _SIGNS or any(map(str.isdigit, neighbours)))


def list_words(text: str, read: Callable[[str], str]) -> list[str]:
    return WORD.findall(read(_strip_marks(text.replace("’", "'"))))


def fold_words(text: str) -> str:
    plain = " ".join(fold(_strip_marks(text)).split()).strip(".!?;: ")
    return _NEGATED.sub(r"\1 not", plain)


def _strip_marks(text: str) -> str:
    for pattern, written in _FORMULA_MARKS:
        text = pattern.sub(written, text)
    return text
