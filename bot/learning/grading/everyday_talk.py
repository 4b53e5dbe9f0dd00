"""Recognise what people say of their day while an exercise is open: `j'ai 2 frères`, `on est le 2
mai`, `ma mère m'appelle`. Pure.

The words and the unit of the exercise decide: `j'ai 2 frères` is an answer where brothers are
counted.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from bot.i18n import fold
from bot.learning.grading.answer_readings import read_amount, strip_courtesy
from bot.learning.grading.typed_numbers import split_unit
from bot.learning.grading.typed_words import asks_form
from bot.learning.time_patterns import MONTH, asks_time

_MOST_READ: Final = 300
"""Most characters of a message in which sentences are recognised."""
_RELATIVE: Final = (
    r"(?:meres?|maman|peres?|papa|parents?|freres?|soeurs?|cousin\w*|oncle|tantes?|tonton|tata"
    r"|grand[ -]\w+|ami\w*|copains?|copines?|voisin\w*|prof\w*|maitre\w*|patron\w*|bebe|fils|fille"
    r"|mother|mom|mum|father|dad|brothers?|sisters?|uncle|aunt|friends?|teacher|baby)"
)
_BELONGING: Final = (
    r"(?:telephone|tel|portable|phone|batterie|battery|forfait|credit|connexion|connection|reseau"
    r"|network|wifi|internet|ordi\w*|computer|courant|lumiere|electricite|chats?|chiens?|cat|dog)"
)
_MINE: Final = r"(?:mon|ma|mes|notre|nos|my|our)"
_BEFORE: Final = r"^(?:(?:et|mais|moi|oui|ok|alors|en fait|desole|pardon|but|and|sorry|well)[ ,]+)*"
_OWNS: Final = re.compile(
    rf"{_BEFORE}(?:(?:j'ai|j ai|tu as|i have|i've|i got|i want|je (?:mange|veux|bois|vends)"
    rf"|{_MINE} {_RELATIVE} (?:a|ont|has|have))"
    r"(?: (?:got|deja|encore|bientot|aussi|mange|achete|perdu|gagne|bu|recu|vendu|pris|vu))?"
    r"|(?P<counts>il y a|y'? ?a|(?:il|elle|on) a|nous avons|vous avez|ils ont|elles ont|we have"
    r"|(?:he|she) has|there (?:are|is|were))) "
)
"""The start of a sentence that says how many of something a person has, or that there are."""
_GENERIC: Final = frozenset(
    "reponse solution resultat racine unite dizaine centaine millier chiffre nombre facteur valeur "  # noqa: SIM905
    "fois part morceau groupe paquet lot piece cas inconnue terme point cote sommet bond pas "
    "answer root unit ten hundred digit number factor value time part piece group case term side"
    "".split()
)
"""Nouns, without the ending of a plural, that answers count though no statement names them."""
_NO_NOUNS: Final = frozenset(
    "comme pour dans avec donc mais car sur par puis alors sans plus moins fois reste restant "  # noqa: SIM905
    "total tout quand parce voila merci svp stp monsieur madame the for with left over because and "
    "remaining remain sir please environ exactement exactly seulement only virgule sur demi quart "
    "tiers millions mille cent cents est vaut soit que qui".split()
)
_CONCLUDES: Final = re.compile(r"[=≈⇒→+*×÷<>]|\b(?:donc|alors|soit|so|reponse|resultat|answer)\b")
_ASKS_COUNT: Final = re.compile(r"\bcombien\b|\bnombre d|\bhow many\b|\bnumber of\b")
_TO_A_PERSON: Final = re.compile(r"\b(?:j|je|tu|t|mon|ma|mes|ton|ta|tes|i|my|you|your)\b")

_DATE: Final = re.compile(
    rf"{_BEFORE}(?:(?:on|nous|c'est|c'etait|il|aujourd'hui|demain|hier|it's|it is|we|tomorrow"
    rf"|le|the|est|sommes|are|is|etait|du|jusqu'au|until|avant|[a-z]+(?:di|day|manche)),? )*"
    rf"(?:\d{{1,2}}(?:er|st|nd|rd|th)? (?:of )?{MONTH}|{MONTH} (?:the )?\d{{1,2}}(?:st|nd|rd|th)?)"
    r"(?: \d{4})?$"
)
_DAY: Final = re.compile(
    rf"{_BEFORE}(?:on est|nous sommes|on etait|we are|we're|aujourd'hui,?(?: on est| c'est)?"
    r"|demain,?(?: on est| c'est)?|today(?: is|'s)?,?) (?:le |the |[a-z]+(?:di|manche) )*"
    r"\d{1,2}(?:er|st|nd|rd|th)?$"
)
_CLOCK: Final = re.compile(
    rf"{_BEFORE}(?:(?:il est|il etait|c'est|it's|it is|a|at|vers|jusqu'a|until|by|deja|already"
    r"|demain|tomorrow|ce soir|tonight) )*"
    r"(?:\d{1,2} ?(?:h|heures?|hours?|o'clock|[ap]\.?m\.?)(?: ?\d\d)?(?: ?(?:min|mn|minutes?))?"
    r"(?: (?:du matin|du soir|de l'apres[ -]midi|pile|precises?))?)$"
)
_PLACE: Final = re.compile(
    r"(?<![a-z])l?'?(page|chapitre|chapter|lecon|lesson|paragraphe|paragraph|salle|room|etage|floor|tome"
    r"|exercice|exo|exercise|question)s? (?:n° ?|numero |number |no )?\d+(?: [a-z' ]{1,30})?$"
)
"""A number that says where something is, at the end of a sentence."""
_ALL: Final = re.compile(
    rf"{_BEFORE}(?:(?:c'est|ce sont|it's|they are|je dis|je pense|je crois|i think) )?"
    r"(?:(?:tous |toutes |all )?(?:les|the) (?:deux|trois|quatre|[2-9]|two|three|four)"
    r"(?: (?:reponses?|options?|propositions?|choix|answers?|choices))?"
    r"|both(?: of them)?|toutes?(?: les reponses)?|all of them)$"
)

_STATES: Final = re.compile(
    _BEFORE
    + "(?:"
    + "|".join(
        (
            r"j ?'?ai (?:(?:tres|trop|un peu|tellement|vraiment|encore|deja|si) )?"
            r"(?:faim|soif|sommeil|froid|chaud|peur|mal|cours|classe|ecole|sport|foot\w*|match"
            r"|examen|besoin|envie|hate|fini|termine|rendez[ -]vous)\b.*",
            r"je (?:(?:m|t|vous|te|me|l|la|le|les|y) ?'?)?(?:suis|vais|dois|veux|peux|dors|mange"
            r"|bois|pars|sors|rentre|reviens|revient|revenais|rigole|blague|plaisante|galere"
            r"|travaille|cuisine|couche|lave|ennuie|aime|adore|deteste|laisse|quitte|rappelle)\b.*",
            r"(?:on|quelqu'un|il|elle|[\w' ]{2,30}?) (?:m'|me |m )(?:appelle|attend|attendent"
            r"|cherche|derange|parle|demande|embete|appellent)\b.*",
            rf"{_MINE} {_RELATIVE} (?!(?:et|ou|and|or)\b)\w.*",
            rf"(?:{_MINE}|le|la|l'|the) ?{_BELONGING} (?:est|a|va|n'a|ne|marche|coupe|s'|is|has"
            r"|does|died|dies)\b.*",
            r"(?:il )?(?:n'?)?y ?'?a (?:plus|pas|coupure|une coupure)\b.*",
            r"il (?:pleut|neige|est tard|est l'heure|se fait tard)\b.*",
            r"il fait (?:(?:tres|trop|si) )?(?:chaud|froid|nuit|noir|beau|jour)\b.*",
            r"(?:i'm|i am|im) (?:(?:so|very|too|a bit|really) )?(?:hungry|thirsty|tired|sleepy|cold"
            r"|hot|sick|ill|busy|bored|done|late|lost|stuck|going|eating|sad|happy|back|here)\b.*",
            r"i (?:have|need|want|got) to \w.*|i (?:love|like|hate) (?:you|this|it|school)\b.*",
            r"it'?s (?:raining|late|so hot|so cold|time to)\b.*",
            r"[\w' ]{2,30} (?:is|are) (?:calling|waiting for|asking|looking for|bothering) me\b.*",
            r"on (?:mange|part|y va|arrete|fait une pause|joue)\b.*",
        )
    )
    + ")$"
)
"""Sentences on how a person is, what they do next, and who calls them; folded."""
_ASKS_SENTENCE: Final = re.compile(
    r"…|\.\.\.|_{2,}|\b(?:tradu\w+|translat\w+|phrases?|sentences?|dit[ -]on|dis[ -]tu|dirais|diras"
    r"|ressen\w+|expressions?|(?:en|in) (?:anglais|francais|english|french)|would you say"
    r"|do you say|complete\w*|reponds a|replique|dialogue|fill in|rewrite|reecri\w*)\b"
)
"""Statements whose answer may be any sentence."""


def counts_elsewhere(text: str, statement: str, unit: str) -> bool:
    """Return whether a text has its number in a sentence on something else than the exercise: what
    a person has, a date, a time of day, a page; or names several answers at once.

    Args:
        statement: also with the options of a choice.
    """
    plain = _fold(text)
    if _ALL.match(plain):
        return True
    asked = fold(statement).replace("’", "'")
    if not re.search(r"\d", plain) and not _OWNS.match(plain):
        return False
    if _DATE.match(plain) or _DAY.match(plain) or _CLOCK.match(plain):
        return not (asks_time(f"{asked} {fold(unit)}") or re.search(r"\bh\b", f"{asked} {unit}"))
    place = _PLACE.search(plain)
    if place is not None:
        return place[1] not in asked
    return _counts_other_things(plain, asked, fold(unit))


def _counts_other_things(plain: str, asked: str, unit: str) -> bool:
    """Return whether a folded text says how many things there are, or that a person has, of which
    neither statement nor unit speaks."""
    lead = _OWNS.match(plain)
    if lead is None or _CONCLUDES.search(plain):
        return False
    amount = read_amount(plain[lead.end() :])
    if amount is None or amount.is_fraction or re.search(r"\d", amount.rest):
        return False
    words = [each for each in re.findall(r"[a-z]+", amount.rest) if len(each) > 2]
    first = re.match(r"[a-z]{3,}", amount.rest)
    if first is None or first[0] in _NO_NOUNS or split_unit(amount.rest)[0]:
        return False
    known = {each[:4] for each in re.findall(r"[a-z]{3,}", f"{asked} {unit}")}
    if any(each[:4] in known or each.rstrip("sx") in _GENERIC for each in words):
        return False
    return not (_ASKS_COUNT.search(asked) and (lead["counts"] or _TO_A_PERSON.search(asked)))


def tells_state(text: str, statement: str = "") -> bool:
    """Return whether a text is a sentence on how a person is, or on what calls them away, with no
    word of the statement; where a sentence or the form of a verb is asked, it may be the answer."""
    if _asks_words(statement):
        return False
    if tells_of_life(text, statement):
        return True
    plain, asked = _fold(text), fold(statement).replace("’", "'")
    words, known = (set(re.findall(r"[a-z]{4,}", each)) for each in (plain, asked))
    return not words & known and _STATES.match(plain) is not None


def _asks_words(statement: str) -> bool:
    """Return whether the answer may be any word or sentence, as in a translation."""
    return asks_form(statement) or _ASKS_SENTENCE.search(fold(statement)) is not None


def _fold(text: str) -> str:
    plain = " ".join(fold(strip_courtesy(text)).replace("’", "'").split())
    return plain.strip(" .!,;:")


# A person's own life ------------------------------------------------------------------------------

_SCHOOL: Final = (
    r"(?:maths?|francais|anglais|svt|pc|physique|chimie|histoire|geo\w*|l'?interro\w*|l'?exam\w*|exam\w*"
    r"|(?:au |le )?devoir|bac|bfem|bepc|cfee|cepe|brevet|controle|test|compo\w*|trimestre)"
)
_OPENINGS: Final = (
    rf"(?:{_BEFORE.removeprefix('^')}(?:(?:moi|nous|aussi|hier|demain|aujourd'hui|ce matin|ce soir"
    r"|cette nuit|quand|si|comme|tu sais|vous savez|svp|stp|monsieur|madame|prof|griot|wallahi?"
    r"|when|today|yesterday|you know|please|sir|miss|at home|at school|(?:en|in) \d{4}"
    r"|(?:a|vers|at) \d{1,2} ?(?:h|heures?)(?: ?\d\d)?|(?:au|aux|a la) [a-z]+"
    rf"|(?:en|au|a) {_SCHOOL}|(?:dans|a|in|at) {_MINE} [a-z]+)[ ,]+){{0,3}})"
)
"""Words with which a sentence of talk begins."""
_OBJECTS: Final = r"(?:(?:ne|n'|le|la|les|l'|en|y|me|m'|te|t'|vous) ?){0,2}"
_OF_ANSWERS: Final = (
    r"(?:ne|n|le|la|les|l|en|y|me|m|te|t|vous|d|ai|do|lis|passe)\b"
    r"|(?:pens|croi|cru|di[srt]|trouv|obt|met|mis|calcul|compt|fai|fe[rs]|choisi|repon|prend|pren"
    r"|pris|multipl|divis|ajout|addition|soustra|simplif|remplac|pos|ret|voi|vu|ecri|suppos|develop"
    r"|factor|appliqu|utilis|convert|donn|propos|tomb|arriv|consider|resou|resol|transform|regroup"
    r"|isol|tromp|corrig|not|dedui|conclu|estim|devin|enlev|rest|pari|vot|opt|rappel|souv[ie]|pai"
    r"|pay|jur|reconn|verif|recalcul|recompt|refai|tap|entr|essa|tent|confirm|maintien|gard|rajout"
    r"|trac|mesur|barr|coch|sa[iy]|thin|thought|get|got|f[io]und?|have|guess|believ|choo?s|pick|did"
    r"|us|add|subtra|comput|mean|took|take|put|see|saw|would|wrote|writ|count|ma[dk]e|deriv|expan"
    r"|solv|need to|am (?:sure|at)|work(?:ed)? (?:it )?out|(?:veux|voulais) dire|hesite mais"
    r"|vais (?:dire|mettre|repondre|choisir|prendre)|sais (?:que|qu'|c)|connai[st] [\d-]"
    r"|suis (?:pas |presque |quasi |trop )?(?:sure?|certaine?|d'accord|tombe|arrive)"
    r"|av(?:ais|ions) (?:dit|mis|trouve|ecrit|fait|eu)"
    r"|doi[st] (?:payer|donner|trouver|avoir|mettre|dire|recevoir|rendre|ecrire))"
)
"""Beginnings of what a person does for an answer: `je trouve`, `je multiplie`."""
_OF_MY_ANSWER: Final = (
    r"(?:reponse|resultat|solution|calcul\w*|avis|opinion|choix|idee|methode|raisonnement"
    r"|brouillon|cahier|livre|tableau|tete|answer|result|guess|choice|calculation|head|final|second"
    r"|premiere?|deuxieme|derniere?|first|last)\b"
)
_LIFE: Final = re.compile(
    rf"^{_OPENINGS}(?:"
    + "|".join(
        (
            rf"(?:je |j ?'|j (?=[a-z])|j(?=habit)|i ){_OBJECTS}(?!{_OF_ANSWERS})[a-z]{{2,}}",
            r"(?:je|i) (?:prends|take|took) (?:le|un|mon|the|a|my) (?:bus|car|taxi|train|bike)",
            r"j ?'?ai (?:jamais|rien)\b",
            r"j ?'?ai (?:(?:deja|encore|bien|trop|pas) )?(?:dormi|paye|achete|joue|perdu|gagne"
            r"|mange|bu|vendu|recu|depense|couru|marche|voyage|attendu|grandi|fete|visite|casse"
            r"|laisse|lu|etudie|habite|vecu)\b",
            rf"j ?'?ai (?:un|une|des|mon|ma|mes) {_RELATIVE}\b",
            r"(?:j ?'?ai|(?:il|elle|i) (?:a|has|have|got)) (?:eu )?[\d.,]+"
            rf" (?:de moyenne|(?:en|au|aux|a|in) {_SCHOOL})",
            rf"(?:en|au|a) {_SCHOOL},? (?:j ?'?ai|il faut|on)",
            rf"{_MINE} (?!{_OF_MY_ANSWER})[a-z-]+ ",
            r"(?:je|j'|on|nous|moi|i|we)\b.{0,60}\b(?:a la maison|at home"
            r"|au (?:village|marche|pays|quartier)|in (?:town|the village))\b",
            r"(?:le|la|the|un|une) (?:prof\w*|maitre\w*|direct(?:eur|rice)|teacher|headmaster)\b",
            r"(?:on|nous|we) (?:est|sommes|are|were|habit\w*|jou\w*|mang\w*|vit|vivons|perd\w*"
            r"|gagn\w*|dort|dormons|fini\w*|part|partons|se (?:couche|leve|reveille|voit|parle)"
            r"|va(?! [a-z]+(?:er|ir|re)\b)|l'a (?:etudie|vu|appris|lu)|live|lost|won|went|play\w*"
            r"|earn|eat|sleep)\b",
            r"(?:on|nous|we) (?:a|avons|have|had) (?:perdu|gagne|joue|mange|achete|paye|cours|ecole"
            r"|classe|lost|won|played|school|class"
            r"|(?:(?:un|une|des|a|an) )?(?:devoir|match|exam\w*|compo\w*|interro\w*|test))\b",
        )
    )
    + ")"
)
"""Sentences on what a person does, has or is, and on those around them; folded."""
_REQUESTS: Final = re.compile(
    rf"^{_OPENINGS}(?:"
    + "|".join(
        (
            r"(?:peu[xt][ -]tu|tu peu[xt]|tu pourrais|pouvez[ -]vous|vous pouvez|can you|could you"
            r"|will you|would you|let's|lets|please)\b",
            r"(?:envoi|envoy|pret|transfer|corrig|refai|repren|relis|montr|expliqu|recharg|depann)"
            r"(?:e[szr]?|ez|s|ds|er|tes)?\b",
            r"(?:donne[zrs]?|dis|dites|ecri[sv]\w*|fai[st]e?s?|laisse[zs]?|appelle[zs]?"
            r"|rappelle[zs]?|give|tell|show|lend|send|buy)[ -](?:moi|nous|me|us)\b",
            r"(?:fai[st]e?s?|make) (?:\d+ |une? |des |le |la |les |a |some )?(?:fiche|quiz|cours"
            r"|lecon|resume|schema|dessin|tableau|exemple|lesson|summary|example)",
            r"(?:on|nous|je) (?:fai[st]|faisons|refait|corrige|passe|commence|continue|reprend)s? "
            r"(?:(?:a|avec) )?(?:le |la |l'|les |au |du )?(?:numero|exo|exercice|question|page"
            r"|lecon|chapitre|suite|devoir)",
            r"(?:do|explain|correct|repeat|skip|try|redo) (?:the )?(?:exercise|question|number"
            r"|page)\b",
        )
    )
    + ")"
)
"""What a person asks of the tutor: `envoie moi 500 f`, `corrigez l'exercice 2`."""
_AROUND_ME: Final = re.compile(
    r"\bchez (?:nous|moi|toi|vous|lui|elle|eux)\b|\bsur moi\b|\bici$|\bhere$"
    r"|\bc'?est (?:trop |tres |vraiment )?(?:cher|beaucoup)\b"
    rf"|\bde {_BELONGING}\b|\bof (?:credit|data|battery)\b"
    rf"|\b(?:de|dans|pour|a|avec|chez|in|at|of|with|for) {_MINE} (?!{_OF_MY_ANSWER})[a-z]+"
    r"|\bdepuis \d+ ?(?:h|heures?|jours?|min\w*|ans|mois|semaines?)\b"
    r"|\b(?:trop|too|tellement) (?:long|dur|difficile|complique|fort|hard|difficult|complicated)\b"
    r"|\bm'interesse\w*\b|\b(?:me |m') ?(?:fatigue|saoule|soule|enerve|gave)\w*\b"
    r"|\best (?:fini|coupe|casse|gate|decharge)e?s?\b"
)
"""Places, things and complaints of a person's life, anywhere in a sentence."""
_TIMES: Final = re.compile(
    r"^(?:hier|demain|aujourd'hui|ce matin|ce soir|cette nuit|dimanche|lundi|mardi|mercredi|jeudi"
    r"|vendredi|samedi|yesterday|tomorrow|today|tonight|last (?:week|year|night)) \w"
)
_OWN_VALUE: Final = re.compile(
    rf"^{_OPENINGS}{_MINE} ([a-z]+) (?:est|vaut|fait|is) (?:de )?[-\u2212]?[\d.,/]+"
    r" ?[a-z%]{0,10}$"
)
"""The value of what is asked, as if it were one's own: `ma moyenne est 12`."""


def tells_of_life(text: str, statement: str) -> bool:
    """Return whether a text is a sentence on a person's own life, or asks something of the tutor:
    `je joue au ludo`, `chez nous c'est 800 f`, `envoie moi 500 f`; not where the statement speaks
    of the person or may be answered by any sentence, and not a computation or conclusion."""
    plain = _fold(text[:_MOST_READ])
    asked = fold(statement).replace("’", "'").replace("-t-", "-")
    if _asks_words(statement) or _TO_A_PERSON.search(asked) or re.search(r"[=≈⇒→×÷<>]", plain):
        return False
    if _REQUESTS.match(plain):
        return True
    own = _OWN_VALUE.match(plain)
    if _CONCLUDES.search(plain) or (own and own[1] in asked):
        return False
    if any(found[0].split()[-1] not in asked for found in _AROUND_ME.finditer(plain)):
        return True
    return bool(_LIFE.match(plain)) or (bool(_TIMES.match(plain)) and not asks_time(asked))


_TALK: Final = re.compile(
    r"\b(?:comprend\w*|compris|explique\w*|pourquoi|comment|quoi|aide\w*|indice|exemples?"
    r"|exercices?|exo|questions?|etapes?|(?:sai[st]|connai[st]|souviens) pas|oublie\w*|attend\w*"
    r"|peux|peut tu|veux|voudrais"
    r"|salut|bonjour|bonsoir|help|hint|why|how|explain|understand|don t know|what"
    r"|je suis(?! sure?$)|donne moi"
    r"|quel\w*|combien|encore|suivant|passe|quand$|arrete|continue\w*|pas (?:sur|bien)"
    r"|merci|d accord|difficile|facile|reviens|wait|partir|demain)\b"
)
"""Words of a person who talks about the exercise and does not answer it."""
_DENIED: Final = re.compile(
    r"(?:\b(?:pas|not|sauf|except|jamais|never)|n't) (?:que |ce |c'est |soit |est |egal |a "
    r"|equal |to |it |is |be |de |le |la ){0,4}[-\u2212√(]*\d"
    r"|\b(?:moins|plus|less|more|fewer|greater|bigger|smaller)"
    r" (?:de|que|qu'|than|a) [-\u2212]?\d"
    r"|\d\S* (?:est |is |c'est |that's )?(?:faux|fausse|wrong|incorrect|impossible)\b"
)
_ESTIMATED: Final = re.compile(
    r"\b(?:presque|almost|nearly) \d"
    r"|\b(?:environ|about|around|approximativement) [\d.,]*\d(?![\d.,]*\d| ?[a-z%°€$])"
)
"""A number that is only near; one with its unit is a measure: `environ 2,5 km`."""
_ASKS_ESTIMATE: Final = re.compile(
    r"arrond|approch|environ|ordre de grandeur|estim|about|round|near"
)


def is_talk(text: str, statement: str = "") -> bool:
    """Return whether a text asks for something or says that it is no answer, in words that are not
    in the statement."""
    plain = re.sub(r"[\W_]+", " ", fold(strip_courtesy(text)))
    asked = re.sub(r"[\W_]+", " ", fold(statement))
    is_said = any(found[0] not in asked for found in _TALK.finditer(plain))
    return is_said and len(plain.split()) > 1


def denies_value(text: str, statement: str) -> bool:
    """Return whether a text denies a value, only compares with it, or only estimates it where no
    estimate is asked: `pas 56`, `plus que 56`, `environ 56`."""
    folded = fold(text).replace("’", "'")
    is_estimate = _ESTIMATED.search(folded) and not _ASKS_ESTIMATE.search(fold(statement))
    is_denied = bool(re.search(r"≠|(?<![\dn)])!=|=/=", text)) or bool(_DENIED.search(folded))
    return is_denied or bool(is_estimate)


# Small talk ---------------------------------------------------------------------------------------

_WORDS: Final = frozenset(
    "bonjour bonsoir salut slt bjr cc coucou hello hi hey wesh merci mrc mci thanks thank thx ok "  # noqa: SIM905
    "okay oki dac accord oui ouais ui non nn nan yes yeah yep no nope hm hmm euh heu uh um mdr "
    "ptdr lol xd "
    "bof svp stp please pls pardon desole desolee sorry super cool zut mince oups genial parfait "
    "revoir bye jsp idk wow minute attends wait patience solution reponse answer help aide ah oh "
    "eh bah hein huh pff".split()
)
"""Words that are no answer by themselves."""
_QUESTIONS_AND_DELAYS: Final = frozenset(
    "pourquoi pk pq pkoi quoi koi kwa comment quand combien why how what when hier demain bientot "  # noqa: SIM905
    "tard tantot apres yesterday tomorrow later soon after".split()
)
"""Words that are no answer by themselves either, unless a word is asked for."""
_FILLERS: Final = frozenset(
    "ah oh eh ha mais alors donc bon et tres beaucoup so and you a au d bien la le the oui non "  # noqa: SIM905
    "tout toi vous nuit soir soiree journee bonne monsieur madame mr mme maitre maitresse prof "
    "ca ce c est plus matin griot sir miss teacher mon ma my".split()
)
"""Words that may stand around them."""
_WAIT: Final = (
    r"(?:(?:attends?|wait|encore|juste|just|give me|laisse moi|dans|in) )*"
    r"(?:une?|a|one|deux|two|trois|three|cinq|five|dix|ten|\d{1,2}) ?(?:petite?s? )?"
    r"(?:minutes?|min|mn|secondes?|seconds?|sec|instants?|moments?)"
    r"(?: (?:stp|svp|please|pls|merci))*"
)
_PHRASES: Final = re.compile(
    rf"{_WAIT}"
    r"|(?:(?:c est|it s|it is|trop|tres|vraiment|too|so|very|pas) )+"
    r"(?:dur|difficile|facile|complique|long|hard|difficult|easy|boring|bon|compris|note)"
    r"(?: (?:pour moi|for me|ca|this))?"
    r"|je (?:donne|jette) ma langue aux? chats?|(?:j )?abandonne|i give up|je passe|i pass"
    r"|attends?(?: (?:un peu|moi|stp|svp))*|hold on|wait (?:a bit|please|for me)"
    r"|je (?:reflechis|cherche|lis|relis|regarde|calcule|compte)(?: encore| bien)?|j y pense"
    r"|laisse moi [a-z ]{1,30}|let me [a-z ]{1,30}|je vais [a-z ]{1,30}|i m thinking|i am thinking"
    r"|(?:donne|dis|montre|give|tell|show)(?: moi| me| nous)?(?: (?:la|the|juste|just|donc))*"
    r"(?: (?:reponse|solution|answer))?(?: (?:stp|svp|please))*"
    r"|(?:un |une |an |encore un )?(?:autre|another)(?: one| exercice| exercise| question)?"
    r"|next(?: one)?|suivante?"
    r"|(?:je |j )?(?:ne |n )?(?:l |le |la |m en |me |en )?(?:connais|sais|vois|comprends|trouve"
    r"|souviens|rappelle|peux|veux)(?: (?:pas|plus|rien))(?: [a-z ]{1,20})?"
    r"|i (?:do not|don t|dont|can t|cannot|can not) (?:know|remember|see|want|understand|find)"
    r"(?: [a-z ]{1,20})?"
    r"|c est (?:gentil|cool|super|bien|sympa|parfait|clair|noble)|it s (?:nice|clear|kind)"
    r"|(?:aucune|pas d|no) (?:idee|idea)|j ai (?:tout )?oublie(?: [a-z ]{1,20})?|i forgot(?: it)?"
    r"|ca (?:va|marche)(?: (?:bien|et toi))*|got it|i see|bien recu|il faut quoi|bonne nuit"
    r"|(?:x?ptdr+|m+d+r+|lo+l|(?:ha|he|hi|ah|eh|hé){2,}h?)"
)

_GREETING: Final = r"(?:bonjour|bonsoir|salut|hello|hi|hey|coucou)\W+"
_TELLS_TIME: Final = re.compile(
    rf"^(?:{_GREETING})?(?:(?:il|on|nous) (?:est|sommes)|we are|it is|it's|aujourd'hui|today)\b"
    rf"[^=]*\d|^{_GREETING}\d{{1,2}}\W*$"
)
"""`Il est 4 heures`, `Salut, on est le 2`, and `Bonjour 2`."""
_EMOJI: Final = ("So", "Cs", "Cf", "Sk", "Mn")
"""Unicode categories of emoji and of what joins them."""


def is_small_talk(text: str, statement: str = "") -> bool:
    """Return whether a short message is a greeting, a thank-you, a yes or no, a laugh, a request
    for the answer, a bare question or delay (`pourquoi`, `demain`), or words of a person who waits
    or does not know; or has only emoji and punctuation."""
    if _is_mute(text):
        return True
    if strip_courtesy(text) != text and is_small_talk(strip_courtesy(text), statement):
        return True
    plain = re.sub(r"[\W_]+", " ", fold(text.replace("’", "'"))).strip()
    words = plain.split()
    talk = _WORDS if _asks_words(statement) else _WORDS | _QUESTIONS_AND_DELAYS
    if len(words) <= 6 and talk.intersection(words) and talk.union(_FILLERS).issuperset(words):
        return True
    return _PHRASES.fullmatch(plain) is not None


def is_waiting(text: str) -> bool:
    """Return whether a person asks to wait: `deux minutes`, `attends une seconde`."""
    return re.fullmatch(_WAIT, re.sub(r"[\W_]+", " ", fold(text)).strip()) is not None


def tells_time(text: str) -> bool:
    """Return whether a person tells the time or the date, or greets with a bare number."""
    return _TELLS_TIME.search(fold(text.replace("’", "'"))) is not None


def _is_mute(text: str) -> bool:
    """Return whether a text has only emoji and punctuation, and no sign of mathematics."""
    return all(
        each.isspace() or each in ".,;:!?…'\"()-" or unicodedata.category(each) in _EMOJI
        for each in text
    )


def asks_small_talk(solutions: Sequence[str]) -> bool:
    """Return whether a solution is one of these words itself, `oui`, `bonjour`, or a sentence that
    people also say of themselves: `j'ai faim`."""
    return any(is_small_talk(each) or tells_state(each) for each in solutions)
