"""Find the school facts that sentences state, and decide them.

A fact is decided only where the text states it in general and as its own: not in a quotation, under
a condition, in the words of somebody else, or as something to choose from.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from functools import cache
from typing import Final

from bot.maths.exact.algebra_questions import Known, Statement
from bot.maths.reading.number_words import NUMBER_STARTS
from bot.maths.reading.plain_words import write_plainly
from bot.maths.reading.prose import Sentence
from bot.maths.reading.vocabulary import DIGITS, NO_MORE_DIGITS
from bot.maths.school_facts.calendar_rules import CALENDAR_RULES
from bot.maths.school_facts.fact_patterns import FactRule, list_words
from bot.maths.school_facts.facts_by_heart import list_school_rules
from bot.maths.school_facts.number_rules import NUMBER_RULES
from bot.maths.school_facts.numeration import NUMERATION_RULES

LONGEST: Final = 500
"""Most characters of a sentence in which facts are looked for."""
_MOST_STARTS: Final = 12
"""Most clauses of a sentence in which facts are looked for."""
_WORD: Final = re.compile(r"[a-z]+")
_ANY_WORD: Final = re.compile(r"[a-zà-ÿœ]+")
_START: Final = re.compile(
    r"(?:^|[,;:(—–!•→](?= )|\()\s*[«“\"]?"
    r"|\b(?:et|and|mais|but|car|donc|que|that|because|so|alors|puisque|or|ainsi|since) |\bqu'"
)
_LABEL: Final = re.compile(
    r"\W*(?:(?:etape|regle|exemple|rappel|step|rule) )?\d{1,2} ?[.):-]+ (?=[a-z«])"
)
_FILLERS: Final = re.compile(
    r"(?:\W*(?:donc|alors|oui|ainsi|en effet|en fait|bravo|attention|rappel|exact|super|voila"
    r"|bien sur|par exemple"
    r"|en general|remember|yes|well|now|indeed|ok|eh bien|or|et|and|mais|but|so|great|right"
    r"|note)\b)+[,:! ]*"
)
_THAT: Final = re.compile(
    r"\b(?:rappel\w*|souvien\w*|sai[ts]|savez|savoir|savons|sache\w*|oubli\w*|not[eoz]\w*"
    r"|retien\w*|retenir|voi[ts]|voyons"
    r"|remember|know|notice|recall|see|apprend\w*|appris|dire|signifie|regle|forget)"
    r"(?:[ -](?:toi|vous|bien|pas|donc|aussi|jamais))* (?:que |qu'|that )$"
)
_REPORTED: Final = re.compile(
    r"(?<!se )(?<!on )(?<!autrement )(?<!nous )\b(?:dit|disent|dis|disait)\b|\b(?:croi[st]"
    r"|croyai\w+|croient|pens\w+)\b"
    r"|(?<!s')(?<!on )(?<!nous )\becri[st]?\b|\b(?:repond\w*|affirm\w*|pretend\w*|selon|d'apres"
    r"|propos[ea]\w*|option|choix"
    r"|imagin\w*|suppos\w*|said|says|thinks?|wrote|claims?|answers|answered|according|suppose"
    r"|imagine|pari\w*|parions"
    r"|demand\w+|ton idee|ta phrase|your idea|pour toi|selon toi|hypothese|admettons|disons"
    r"|verifions|voyons|devine\w*|vrai ou faux|true or false|faux|fausse|wrong|false|erreur"
    r"|mistake|a tort)\b"
)
_CONDITION: Final = re.compile(
    r"\b(?:si|s'ils?|quand|lorsqu\w*|sauf|condition|if|when|unless|except|hormis|autres?|others?"
    r"|sinon|otherwise|parfois"
    r"|sometimes|souvent|cependant|en plus|de plus|troisieme|third|il (?:en |lui )?reste|dernier"
    r"|supplementaire|visibles?|au moins|en general pas)\b"
)
_PLACE: Final = re.compile(
    r"\b(?:sur|chez|selon|dans (?:ce|cet|cette|son|sa|leur|ton|notre|un jeu|le jeu|la figure|ma"
    r"|mon)|pour (?:son|sa|cette|ce)"
    r"|for (?:his|her|this)|in (?:this|his|her)|figure|dessin|schema|planete?|lune|moon|planet"
    r"|calendrier (?:lunaire|musulman"
    r"|hegirien|republicain|maya|copte|hebraique)|ecole|school|travail|work|scolaire|jeu|game"
    r"|bureau|office)\b"
)
_OTHER_WORLDS: Final = re.compile(
    r"\b(?:planete?s?|planets?|venus|jupiter|saturne?|mercure|mercury|neptune|uranus|(?:sur|on)"
    r" (?:mars|la lune|the moon|une sphere|a sphere)"
    r"|martien\w*|martian|lunaires?|hegirien\w*|hijri|copte|maya|republicain|spherique|spherical"
    r"|imagin\w+|inventons|conte|fiction)\b"
)
_CHOICE: Final = re.compile(
    r"\b(?:vrai ou faux|vrai/faux|vrai-faux|true or false|true/false|laquelle|lequel|lesquel\w+"
    r"|which|choisi\w*|choose|choix"
    r"|coche\w*|entoure\w*|souligne\w*|barre\w*|affirmations?|propositions?|statements?|phrases?"
    r"|corrige\w*|intrus|qcm|quiz|options?"
    r"|dis si|sont-elles|est-elle|juge\w*|trouve\w* (?:l'|les )(?:erreur|faute)s?|cherche\w*"
    r" (?:l'|les )(?:erreur|faute)s?|true|vraie?s?"
    r"|(?:spot|find) the (?:mistake|error)|mensonges?|lies?)\b"
)
_QUIZ: Final = re.compile(r"\b(?:vrai ?(?:ou|/|-) ?faux|true ?(?:or|/) ?false|qcm|quiz)\b")
_OPTION: Final = re.compile(r"\W*(?:[a-h] ?[).:]|[a-h] -|🅰|🅱|🅲|🅾)")
_DOUBTED: Final = re.compile(
    r"\W*(?:non\b|no\b|faux|erreur|pas |not |wrong|mais non|presque|hmm|attention|vrai\b|true\b"
    r"|est-ce|es-tu|is (?:this|that|it)"
    r"|c'est (?:faux|possible|impossible|une erreur|bizarre)|d'accord|qu'en|pourquoi|why|do you"
    r" agree|are you|really|vraiment"
    r"|ah bon|justifie|oups|oops|je me suis|i made|pardon|sorry)"
)
_OPENED: Final = re.compile(r"[«“]")
_CLOSED: Final = re.compile(r"[»”]")


@cache
def _index_rules() -> dict[str, list[FactRule]]:
    """Return the rules for each word of which they need one."""
    index: dict[str, list[FactRule]] = {}
    for rule in (*NUMERATION_RULES, *CALENDAR_RULES, *NUMBER_RULES, *list_school_rules()):
        for word in rule.keys:
            index.setdefault(word, []).append(rule)
    return index


_ALONE: Final = list_words(
    "triangle triangles carré carrés rectangle rectangles losange losanges parallélogramme "
    "pentagone hexagone octogone heptagone décagone polygone quadrilatère cube pavé arêtes "
    "sommets côtés côté angle angles hypoténuse segment droites diagonale diagonales diamètre "
    "rayon périmètre aire volume vitesse dividende quotient reste produit somme différence "
    "numérateur dénominateur pair pairs impair impairs divisible divisibles multiplier "
    "multiplie multiplying diviser médiatrice bissectrice isocèle équilatéral équilatéraux "
    "opposés inverses décimaux symétrie square pentagon hexagon octagon polygon edges sides "
    "vertices hypotenuse diameter radius perimeter area speed product sum difference "
    "remainder numerator denominator even odd parallelogram rhombus parallel lendemain veille "
    "surlendemain demain tomorrow fraction fractions vecteurs médiatrices médianes bissectrices "
    "circonscrit croissante décroissante ampères volts newtons joules hertz ampèremètre voltmètre "
    "logarithme cosinus sinus tangente discriminant exposants affine incompatibles négatif "
    "négatifs probabilité convergente converge watts intensités parabole médiane linéaire courbe"
)
"""Words of facts that may do without a number."""
_WITH_NUMBERS: Final = list_words(
    "jour jours semaine semaines mois année heure heures minute minutes siècle an ans million "
    "milliard mille cent zéros week month year hour century days day midi dizaines centaines "
    "milliers unités lundi mardi mercredi jeudi vendredi samedi dimanche février kilomètre "
    "litre mètre kilo douzaine past quarter dixièmes centièmes"
)
_DATES: Final = list_words(
    "lundi mardi mercredi jeudi vendredi samedi dimanche monday tuesday wednesday thursday "
    "friday saturday sunday janvier février mars avril mai juin juillet août septembre "
    "octobre novembre décembre january february march april may june july august september "
    "october november december"
)


def find_words(text: str) -> Set[str]:
    """Return the different words of a text in small letters."""
    return frozenset(_ANY_WORD.findall(text))


def may_state_facts(words: Set[str]) -> bool:
    """Return whether a text with these words, in small letters, may state a fact."""
    if not _ALONE.isdisjoint(words) or len(_DATES & words) > 1:
        return True
    return not _WITH_NUMBERS.isdisjoint(words) and not NUMBER_STARTS.isdisjoint(words)


def find_facts(sentences: Sequence[Sentence]) -> Iterator[tuple[int, Statement]]:
    """Yield the facts that sentences state, each with the index of its sentence."""
    for at, sentence in enumerate(_resolve_subjects(sentences)):
        if sentence.is_disowned or len(sentence.text) > LONGEST:
            continue
        rules = _find_rules(sentence.text)
        found = list(_decide(write_plainly(sentence.text), rules)) if rules else []
        if found and not _is_in_doubt(sentences, at):
            for statement in found:
                yield at, statement


def _find_rules(text: str) -> list[FactRule]:
    """Return the rules that may apply to a sentence, each once."""
    index = _index_rules()
    found = {
        id(rule): rule for word in set(_WORD.findall(text)) if word in index for rule in index[word]
    }
    return list(found.values())


def _decide(text: str, rules: Sequence[FactRule]) -> Iterator[Statement]:
    """Yield the facts of a sentence."""
    starts = _find_starts(text)
    for rule in rules:
        for start in starts:
            match = rule.match(text, start)
            if match and _is_stated(text, match.start(), match.end()):
                for why in rule.decide(match):
                    verdict = "wrong" if why else "right"
                    yield Statement(match[0].strip(), [[Known(verdict, why)]])


def _is_in_doubt(sentences: Sequence[Sentence], at: int) -> bool:
    """Return whether a sentence is in the words of somebody else, denied by the next one, an option
    of a quiz, or about another world than ours."""
    sentence = sentences[at]
    text = write_plainly(sentence.text)
    after = write_plainly(sentences[at + 1].text) if at + 1 < len(sentences) else ""
    if _REPORTED.search(text) or _OPTION.match(text) or _DOUBTED.match(after):
        return True
    before = sentences[: at + 1]
    return any(_OTHER_WORLDS.search(each.text) for each in before) or any(
        each.section == sentence.section and _offers_choice(each.text) for each in before
    )


def _offers_choice(text: str) -> bool:
    """Return whether a sentence announces statements of which some may be wrong."""
    text = write_plainly(text)
    last = text[-1:]
    if last in (":", "?") and _CHOICE.search(text):
        return True
    return bool(_QUIZ.search(text)) or (last == ":" and bool(_REPORTED.search(text)))


def _find_starts(text: str) -> list[int]:
    """Return the places at which a clause may begin, each once."""
    label = _LABEL.match(text)
    starts = [label.end()] if label else []
    for found in _START.finditer(text):
        end = found.end()
        starts += [end] if found.start() else [0, end]
        if filler := _FILLERS.match(text, end):
            starts.append(filler.end())
        while end < len(text) and not (text[end].isalnum() or text[end] in '«“"('):
            end += 1
        starts.append(end)
    return sorted(set(starts))[: 2 * _MOST_STARTS]


def _is_stated(text: str, start: int, end: int) -> bool:
    """Return whether a clause stands for itself: no condition or quotation around it."""
    before, after = text[:start], text[end:]
    is_that = before.rstrip().endswith(("que", "that")) or before.endswith("qu'")
    if is_that and not _THAT.search(before):
        return False
    is_quoted = len(_OPENED.findall(before)) > len(_CLOSED.findall(before)) or before.count('"') % 2
    if is_quoted or _PLACE.search(before) or _CONDITION.search(before):
        return False
    return not _CONDITION.search(after)


# Subjects -----------------------------------------------------------------------------------------

_NAMED: Final = re.compile(
    rf"\b(?:nombre|number) (?P<number>{DIGITS}){NO_MORE_DIGITS}"
    rf"|^\W*(?:dans|in|decompos\w+|prenons|regard\w+|take"
    rf"|look at) (?P<other>{DIGITS})(?= ?(?:[:,.!=]|$|on\b))"
    rf"|^\W*(?P<first>{DIGITS}) ?=(?=[^=]*[+×][^=]*$)"
)
_PRONOUN: Final = re.compile(
    r"^(?P<lead>\W*(?:(?:donc|so|here|ici),? )?)"
    r"(?:il|elle|it|ce nombre|ce dernier|this number) (?=(?:a|has|contient|se lit|s'ecrit|est"
    r"|is|vaut)\b)"
)
_PART: Final = re.compile(
    r"^(?P<lead>\W*)(?=(?:(?:le )?chiffre (?:des|de)|(?:the )?(?:digit|[a-z]+s digit)"
    r"|le nombre d[e'])"
    r"[^\d]*(?:est|is|:|=) |(?:le )?\d (?:est|is) (?:le chiffre|the (?:digit|[a-z]+s digit)))"
)


def _resolve_subjects(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return the sentences, those that only refer to the last number named with it in their text:
    `Le nombre 86 … Il a 8 dizaines`, `Dans le nombre 582 :`, `le chiffre des dizaines est 8`."""
    number, section, found = "", 0, list[Sentence]()
    for sentence in sentences:
        if sentence.section != section:
            number, section = "", sentence.section
        named = {next(filter(None, each.groups())) for each in _NAMED.finditer(sentence.text)}
        if named:
            number = min(named) if len(named) == 1 else ""
        elif number:
            text = _PRONOUN.sub(rf"\g<lead>{number} ", sentence.text)
            text = _PART.sub(rf"\g<lead>dans {number}, ", text)
            sentence = replace(sentence, text=text) if text != sentence.text else sentence
        found.append(sentence)
    return found
