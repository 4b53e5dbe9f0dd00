"""Turn a question and an answer into sentences that state the answer, in French and English. Pure.

`Combien de billes lui reste-t-il ?` and `7` become `il lui reste 7 billes`; `Le quart de 80 ?` and
`20` become `Le quart de 80 est 20`. The sentences are read by the checker of mathematics alone, so
they need not be good style.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from bot.maths.reading.prepared_markdown import mark_logarithms
from bot.maths.reading.vocabulary import THEN

_I: Final = re.IGNORECASE
_SPACES: Final = re.compile("[ \u00a0\u202f]+")
_SENTENCE_END: Final = re.compile(
    r"(?<=[^\W\d]\?)\s+|(?<=[\w)%²³°$] \?)\s+|(?<=[^\s.…?!][.!])\s+(?=[A-ZÀ-Ý$(«\d])|\s*\n\s*"
)
_NUMBERING: Final = re.compile(
    r"^(?:(?:question|exercice|exercise|q|ex)\.? ?\d+ ?[:.)–-]|\d+\)|[a-e]\)) *", _I
)
_END: Final = re.compile(r"(?:[ ?.:]| !)+$")
"""Not the sign of a factorial: `3!`."""
_BRACKETS: Final = re.compile(
    r",? \((?=[^()]*(?:[a-zà-ÿ]{4}|π))(?:[^()=≈]*|[^()]*π[^()]*)\)\s*$", _I
)
"""A remark in brackets at the end: `(en cm)`, `(sans calculatrice)`."""
_ASKS: Final = re.compile(
    r"\?|…|\.{3}|\b(?:combien|quel(?:le)?s?|calcule|d[ée]termine|trouve|donne|compl[èe]te|arrondis"
    r"|arrondir|what|how|which|find|work out|calculate|complete|round|compute|simplif\w+|convert\w*"
    r"|d[ée]veloppe|factori[sz]e|r[ée]dui(?:s|re)|[ée]cri(?:s|re)|effectue|expand|range|compare"
    r"|liste|cite|[ée]num[èe]re)(?:[rz]|\b)",
    _I,
)
_PICTURES: Final = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf\u2b50\u2b55\ufe0f]")
_POLITE: Final = re.compile(
    r"^(?:(?:bonjour|bonsoir|salut|bjr|bsr|slt|hello|hi|hey|good (?:morning|evening)|cc|coucou)\b"
    r"(?: (?:prof|monsieur|madame|mr|sir|griot|tout le monde))?[ ,.!]*)+"
    r"|(?<![ ,])[ ,]*\b(?:s['’]il (?:te|vous) pla[iî]t|stp|svp|please|pls|plz"
    r"|merci(?: d['’]avance)?|mrc"
    r"|sans poser"
    r"|sans calculatrice|mentalement|de t[êe]te|without (?:a |any )?calculator"
    r"|(?:mrc|merci) d['’]avance|thanks|thx|lol)\b",
    _I,
)
_COMPLAINT: Final = re.compile(
    r"(?<=[\w)?=²³%])[ ,.!]+(?:mais |et |but )?(?:je (?:ne |n['’])?(?:comprends?|trouve|sais|pige"
    r"|arrive)|j['’]y"
    r"|jy |jarrive|i (?:do ?n['’]?t|can ?['’]?t|cannot|keep)|aide[- ]|help)\b[^.?!\d]*[.!?]*$",
    _I,
)
_REDUCED_BY: Final = re.compile(
    r"\b(sold[ée]e?s?|remise|rabais|r[ée]duction)(?: [àa]| de)? [-−](?=\d)", _I
)
_ABOUT_NUMBER: Final = re.compile(
    r"^(?:dans|in) (?:le nombre |the number )?(\d[\d ]*\d),? ((?:quel|what).*?)\W*$", _I
)
_EQUAL_TO_WHAT: Final = re.compile(r"^[àa] (?:combien|quoi) est [ée]gale? ", _I)
_ROOT_OF: Final = re.compile(r"\b(?:la )?racine de (\d+)\b", _I)
_IN_FULL: Final = {
    "cb": "combien", "cmb": "combien", "c koi": "c'est quoi", "c quoi": "c'est quoi",
    "jai": "j'ai", "whats": "what's", "limage": "l'image", "laire": "l'aire", "ecris": "écris",
    "cest": "c'est", "dun": "d'un", "dune": "d'une", "darete": "d'arête", "linteret": "l'intérêt",
    "lage": "l'âge", "langle": "l'angle", "lhypotenuse": "l'hypoténuse", "linverse": "l'inverse",
    "loppose": "l'opposé", "proba": "probabilité", "kel": "quel", "kelle": "quelle",
    "degre": "degrés",
}  # fmt: skip
_SHORT: Final = re.compile(rf"\b(?:{'|'.join(_IN_FULL)})(?!\w)", _I)
_ORDERS: Final = re.compile(
    r"(?:\W|\d)*(?:calcule?|r[ée]soudre|d[ée]termine|trouve|donne|compl[èe]te|arrondi[rs]|effectue|d[ée]veloppe|factorise"
    r"|r[ée]dui(?:s|re)|simplifie|converti[rs]|[ée]cri(?:s|re)|liste|cite|[ée]num[èe]re|range|compare|r[ée]sou[ds]|d[ée]rive|exprime|pose"
    r"|mets|transforme|d[ée]compose|find"
    r"|work out"
    r"|calculate|complete|round|compute|simplify|convert|expand|factori[sz]e|evaluate|solve|write"
    r"|differentiate|integrate|determine|give)(?:[rz]|ez)?\b"
    r"|.*\b(?:combien|quel(?:le)?s?|how (?:much|many|long|far)|c['’]est quoi|what)\b"
    r"|.*[,:;] (?:trouver|calculer|find|work out|calculate)\b",
    _I,
)
_ASKING_WORD: Final = re.compile(
    r"\b(?:combien|quel(?:le)?s?|how (?:much|many|long|far)|what|which|lequel|laquelle)\b", _I
)
_UNITS: Final = (
    r"k?m/h|m/s|[kcmdh]?m[²³23]?|dam[²³]?|[kcmdh]?g|[cdmh]?[lL]|t|ha|h|min|s|heures?|minutes?"
    r"|secondes?|jours?|semaines?|mois|ann[ée]es|(?:kilo|centi|d[ée]ci|milli|hecto)?m[èe]tres?"
    r"(?: carr[ée]s| cubes)?|(?:kilo|centi|milli)?gram(?:me)?s?"
    r"|(?:centi|milli|d[ée]ci)?lit(?:re|er)s?|tonnes?"
    r"|F|FCFA|F CFA|XOF|francs?(?: CFA)?|euros?|€|%|pourcentage|pour ?cent|percent(?:age)?"
    r"|hours?|seconds?|days?|weeks?|months?|years?|(?:kilo|centi|milli)?met(?:re|er)s?|°|degr[ée]s"
    r"|degrees"
)
_TARGET: Final = re.compile(
    rf",?\s+(?:en|in|into|to|(?:exprimée?s? )?en|as an?|as)\s+(?P<unit>{_UNITS})\W*$"
)
_FORM: Final = re.compile(
    r",?\s+(?:en|sous (?:la )?forme d[e'’]|as an?|in|into|to)\s*(?:une? )?(?:fraction|[ée]criture|"
    r"(?:jours|heures|minutes|days|hours) (?:et|and) |nombre|d[ée]cimale?|lettres|chiffres"
    r"|forme?)\b.*$",
    _I,
)
_OPERATORS: Final = re.compile(
    r"\\\w+(?:\{\w*\})?|\b(?:fois|plus|moins|sur|divis[ée] par|times|minus|divided by|over"
    r"|sqrt|cos|sin|tan|ln|log|exp|puissance|pgcd|ppcm|gcd|lcm|mod|lim|km|cm|mm|dm|kg|mg|min|cl|dl"
    r"|ml|hm|dam|ha"
    r"|f|g|h|u|P|F|t|m|l|s)\b",
    _I,
)
_WORD: Final = re.compile(
    r"[a-zà-ÿ]{3,}|\b(?:de|du|le|la|un|et|ou|of|en|au|is|an|to|by|in|on)\b|\b[àa] ", _I
)
_NUMBER: Final = re.compile(r"[-−+]?\d[\d .,]*(?:/\d+)?")
_CLITIC: Final = r"(?P<clitic>(?:(?:lui|leur|en|y|me|te|nous|vous|se|s['’]|m['’]|t['’]|l['’]) ?)*)"
_INVERTED: Final = (
    rf"{_CLITIC}(?P<verb>[a-zà-ÿ]+)-(?:t[-'’])?"
    r"(?P<who>ils?|elles?|on|tu|je|nous|vous|ce)\b(?P<rest>.*)"
)
_SUBJECT: Final = (
    r"(?:(?P<subject>[A-ZÀ-Ý][\w'’-]+(?: et [A-ZÀ-Ý][\w'’-]+)?|(?:le|la|les|l['’]|son|sa|ses|ce|cet"
    r"|cette|chaque|un|une|the) ?[\w'’ -]+?) )?"
)
_VERBS: Final = (
    r"co[ûu]te(?:nt|ra)?|vaut|valent|vaudra|mesure(?:nt)?|p[èe]se(?:nt)?|dure(?:nt)?|font|fait"
    r"|paie|paye|paiera|gagne|d[ée]pense|re[çc]oit|re[çc]oivent|parcourt|repr[ée]sente(?:nt)?"
    r"|contien(?:t|nent)|reste(?:nt|ra)?|faut|[ée]conomise|rapporte|perd|poss[èe]de|doit|rend"
    r"|compte|donne(?:nt)?|finit|arrive|se termine|commence|part|d[ée]bute|met|roule|devient|a|ont"
    r"|sera|est|co[ûu]tait"
)
_PARTICIPLE: Final = re.compile(
    r" *(?:[a-zà-ÿ]+(?:ée?s?|ue?s?|is|it|er|ir|oir|re|tre)|eue?|faite?|bu|lu|dû)\b", _I
)
_AUXILIARIES: Final = frozenset(
    ("a", "as", "ai", "ont", "avait", "aura", "doit", "va", "peut", "faut", "doivent", "vont",
     "devra", "est", "dois", "vas", "peux", "peuvent", "faudra", "veut")
)  # fmt: skip
_COUNTED: Final = re.compile(r"^ *(?:de |d['’])(?P<noun>[^\W\d]+)", _I)

_VALUE: Final = re.compile(
    rf"(?:quel(?:le)?s? (?:est|sont|[ée]tait|sera|serait|vaut)(?: {THEN})?"
    r"|qu[e'’] ?(?:vaut|valent|vaudra|font|fait|est|donne)|(?:c['’]est|[çc]a fait) (?:quoi|combien)"
    r"|(?:calcul|d[ée]termin|trouv|donn|cherch|indiqu|effectu|pr[ée]cis|list|cit"
    r"|[ée]num[èe]r)(?:e[rz]?)"
    rf"(?: (?:{THEN}|mentalement))?"
    r"|combien (?:vaut|valent|font|fait|vaudra|est|sont|repr[ée]sente)"
    r"|what(?:['’]s| is| are| was| will be| would be)|how much (?:is|are|will be)"
    r"|find|calculate|work out|compute|evaluate|determine|give|state)"
    r"(?: (?:la valeur|le r[ée]sultat|the value|the result)(?: exacte)? (?:de |d['’]|du |of )"
    r"(?!(?:the )?(?:chiffre|digit)\b)|(?: l['’]expression)?(?: ?:)? )(?P<np>.+)$",
    _I,
)
_HOW_MANY: Final = re.compile(rf"combien(?: (?:de |d['’])(?P<noun>[^?]*?))? {_SUBJECT}{_INVERTED}$")
_WHAT_NOUN: Final = re.compile(
    rf"(?P<prep>(?:à|de|en|dans|pour|avec|par) )?quel(?:le)?s? (?P<noun>[^?]*?) ?\b"
    rf"{_SUBJECT}{_INVERTED}$"
)
_HOW_MANY_DIRECT: Final = re.compile(
    rf"combien(?: (?:de |d['’])(?P<noun>[^?]+?))? (?P<verb>{_VERBS})\b(?: (?P<np>.+))?$"
)
_WHAT_NOUN_DIRECT: Final = re.compile(
    rf"(?P<prep>(?:à|de|en|dans|pour|avec|par) )?quel(?:le)?s? (?P<noun>[^\W\d]+(?: [^\W\d]+)??)"
    rf"(?P<of> (?:de |d['’]|du ).+?)? (?P<verb>{_VERBS}) (?P<np>.+)$"
)
_ENGLISH_VERBS: Final = (
    r"pay|have|cost|go|travel|cover|get|need|take|weigh|spend|earn|receive|make|save|sell|contain"
    r"|measure|drive|run|walk|hold|last|buy|eat|drink|use|leave|owe|keep|finish|end|arrive|start"
    r"|lose|give|represent|equal"
)
_HOW_MUCH: Final = re.compile(
    r"(?:how (?:much|many|far|long)|(?P<prep>at )?what)(?: (?P<noun>[a-z][a-z ]*?))?"
    r" (?:do|does|did|will|can|must|should) (?P<subject>.+?)"
    rf" (?P<have>have to )?(?P<verb>{_ENGLISH_VERBS})\b(?P<rest>.*)$",
    _I,
)
_HOW_MANY_ARE: Final = re.compile(
    r"how many (?P<noun>[a-z ]+?) (?P<verb>are there|are|is)\b(?P<rest>.*)$", _I
)
_ENDS_OPEN: Final = re.compile(
    r"^(?P<start>.*\S)(?P<verb>,? c['’]est| est| vaut| valent| font| fait| [ée]gale"
    r"| est [ée]gale? [àa]| mesure| donne| co[ûu]tent?| ?=| is| are| equals?| makes"
    r"| is equal to| cost)"
    r"(?: (?:combien|quoi|what|how much))?(?: de (?P<unit>[^\W\d]+))?$",
    _I,
)
_ENDS_ASKING: Final = re.compile(
    r"^(?P<start>.+ (?:repr[ée]sente(?:nt)?|fait|font|donne(?:nt)?|est|correspond(?:ent)? à))"
    r" quel(?:le)? (?P<noun>[^\W\d]+)$",
    _I,
)
_MISREAD: Final = re.compile(
    r"\b(?:rayon|radius|diam[èe]tre|diameter)\b.*\b(?:d['’]aire|de p[ée]rim[èe]tre|of area"
    r"|of perimeter)\b|"
    r"\b(?:aire|area|surface|p[ée]rim[èe]tre|perimeter|volume)\b.*\b(?:face|la base"
    r"|lat[ée]rale?|moiti[ée]|demi|half|quart|part)\b|\b(?:chiffre|digit)\b.*(?:[×+*÷]"
    r"|\b(?:produit|somme|double|fois|product|sum)\b)"
    r"|\b(?:p[ée]rim[èe]tre|perimeter|volume|c[ôo]t[ée]|side)\b.*\b(?:d['’]aire|of area"
    r"|with area)\b"
    r"|\b(?:dur[ée]e|diff[ée]rence|[ée]cart|temps|difference|time)\b.*\d ?[h:]",
    _I,
)
"""Noun phrases whose numbers the checker would take for another thing."""
_TRANSLATED: Final = re.compile(
    r"\bthe (?:(opposite|additive inverse)|(reciprocal|multiplicative inverse)"
    r"|(gcd|hcf|gcf|(?:greatest|highest) common (?:divisor|factor))"
    r"|(lcm|(?:lowest|least) common multiple)) of\b",
    _I,
)
_NAMES: Final = ("l'opposé de", "l'inverse de", "le pgcd de", "le ppcm de")
"""French names of what `_TRANSLATED` finds, which the checker knows."""
_COMPUTATION: Final = re.compile(
    r"(?:(?:combien (?:font|fait)|[çc]a fait combien|calcule[rz]?|effectue[rz]?|how (?:much"
    r"|many) is|what is"
    r"|what['’]s|c['’]est quoi|compute|calculate|work out|simplifie[rz]?|simplify|calcul"
    r"|pose[rz]?(?: (?:et|puis) (?:effectue|calcule)[rz]?)?)[ :]*)?"
    r"(?P<f>(?=[^=]*(?: [-−+x×*/÷:] |[×÷√^]))[-−(√\d][\d .,()+x×*÷:/^²³√−-]*[\d)²³])"
    r"(?: ?= ?)?(?:\?|\.\.\.|…|combien)*[ ?!.]*",
    _I,
)
"""A message that is only a computation: `402 - 158 = ??`."""
_SIZE_NAME: Final = re.compile(
    r"(?:(?:la |le |l['’]|the )?(?:[ée]criture|notation|valeur|aire|p[ée]rim[èe]tre|volume|pente"
    r"|int[ée]grale|limite"
    r"|d[ée]riv[ée]e|somme|produit|moyenne|m[ée]diane|quotient|pgcd|ppcm|moiti[ée]|double|triple|tiers"
    r"|quart|carr[ée]|cube|racine|area|perimeter|gradient|slope|sum|product|mean|median|half|square)"
    r"(?: \w+)? (?:de|d['’]|du|des|of) ?)",
    _I,
)
"""The name of what is asked, in a message without a verb: `volume d'un cube de 5 cm d'arête`."""
_SPOKEN: Final = re.compile(r"\b(?:combien|how (?:much|many))\b(?: (?:de |d['’]))?", _I)
_BOUNDARY: Final = re.compile(r"^|[,:;] |\b(?:alors|donc|then|et|and) ", _I)
_WHICH: Final = re.compile(
    r"\b(?:quel(?:le)?s?|which|what|lequel|laquelle|who|qui|où|why|pourquoi)\b", _I
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: what is told before it is asked, and the sentence that asks."""

    before: tuple[str, ...]
    sentence: str
    """Without its question mark and its number."""
    is_marked: bool
    """Whether it ends with a question mark."""

    @property
    def whole(self) -> str:
        """The text that is told and asked."""
        return " ".join((*self.before, self.sentence))


def read_question(question: str) -> Asked:
    """Return the parts of a question; of several questions the last one is asked."""
    parts = _split(question)
    if not parts:
        return Asked((), "", is_marked=False)
    marked = [at for at, each in enumerate(parts) if each.endswith("?")]
    asking = marked or [at for at, each in enumerate(parts) if _ASKS.search(each)]
    place = asking[-1] if asking else len(parts) - 1
    others = (each for at, each in enumerate(parts) if at != place and not each.endswith("?"))
    before = tuple(_NUMBERING.sub("", each) for each in others)
    sentence = _NUMBERING.sub("", parts[place])
    bare = _BRACKETS.sub("", _END.sub("", sentence))
    return Asked(before, _END.sub("", bare), is_marked=place in marked)


def count_asked(question: str) -> int:
    """Return how many things a message asks for, as far as its sentences tell."""
    parts = _split(question)
    asking = [each for each in parts if each.endswith("?") or _ORDERS.match(each)]
    if (
        not asking
        and len(parts) == 1
        and (find_computation(parts[0]) or _SIZE_NAME.match(parts[0]))
    ):
        return 1
    return sum(max(1, len(_ASKING_WORD.findall(each))) for each in asking)


def find_computation(question: str) -> str:
    """Return the computation of a message that is only one: `402 - 158 = ??`; empty: it is more, or
    a division that leaves a rest."""
    found = _COMPUTATION.fullmatch(question.strip())
    if found is None or _leaves_rest(found["f"]):
        return ""
    return found["f"].replace(" x ", " × ")


_DIVISION: Final = re.compile(r"(?P<a>\d[\d ]{0,12}?) ?[÷:/] ?(?P<b>\d[\d ]{0,12})")


def _leaves_rest(computation: str) -> bool:
    """Return whether a computation is a division of whole numbers whose quotient may be a whole
    one, too: `50 ÷ 6`; a fraction `7/2` is none."""
    found = _DIVISION.fullmatch(computation.strip())
    if found is None or re.fullmatch(r"\d+/\d+", computation.strip()):
        return False
    whole, divisor = (int(found[name].replace(" ", "")) for name in "ab")
    return bool(divisor and whole % divisor)


def _split(question: str) -> list[str]:
    plain = question.replace("**", "").replace("’", "'").replace("log₁₀", "log")
    plain = write_neatly(_SPACES.sub(" ", plain)).strip()
    return [each for each in (part.strip() for part in _SENTENCE_END.split(plain)) if each]


def write_neatly(text: str) -> str:
    """Return a question without greetings, thanks, complaints and pictures, its short words written
    in full and the number that it is about at its end."""
    plain = re.sub(r"(?<=\d)[ \u00a0\u202f]!(?= ?[=?×/])", "!", mark_logarithms(text))
    plain = _EQUAL_TO_WHAT.sub("combien vaut ", plain)
    plain = _ROOT_OF.sub(r"√\1", _POLITE.sub(" ", _PICTURES.sub(" ", plain)))
    plain = _COMPLAINT.sub("", _REDUCED_BY.sub(r"\1 de ", plain.rstrip()))
    plain = _ABOUT_NUMBER.sub(r"\2 dans \1", plain)
    return _SHORT.sub(lambda found: _IN_FULL[found[0].lower()], plain)


def state_answer(asked: Asked, answer: str) -> Iterator[tuple[str, str]]:
    """Yield sentences that state the answer, each with the words before it in the same sentence:
    `Dans un triangle rectangle de côtés 3 et 4` and `l'hypoténuse vaut 5`."""
    sentence = asked.sentence
    done: set[str] = set()
    for boundary in _BOUNDARY.finditer(sentence):
        rest, prefix = sentence[boundary.end() :], sentence[: boundary.start()]
        for said in _state(rest, answer):
            if said not in done:
                done.add(said)
                yield said, prefix
        if done:
            return
    is_asking = asked.is_marked or sentence.endswith("=") or _SIZE_NAME.match(sentence)
    if is_asking or _ENDS_OPEN.match(sentence):
        yield from ((each, "") for each in _state_rest(sentence, answer))


def add_unit(answer: str, unit: str) -> str:
    """Return an answer with the unit that the question asks for, if it is a bare number."""
    if unit.lower().startswith(("pourc", "pour c", "perc")):
        unit = "%"
    return f"{answer} {unit}" if _NUMBER.fullmatch(answer.strip()) else answer


def is_unit(word: str) -> bool:
    """Return whether a word is the name or sign of a unit."""
    return re.fullmatch(_UNITS, word, _I) is not None


def is_measure(text: str) -> bool:
    """Return whether a noun phrase is a number with a unit in words: `150 minutes`."""
    return re.fullmatch(rf"{_NUMBER.pattern} ?(?:{_UNITS})", text, _I) is not None


def is_expression(text: str) -> bool:
    """Return whether a noun phrase is a formula: `3 × 4`, `f(3)`, `7 fois 8`."""
    return not _WORD.search(_OPERATORS.sub(" ", text)) and len(text) > 0


def equate(left: str, right: str) -> str:
    """Write an equality of two sides, each of which may be a formula between `$`."""
    return relate(left, "=", right)


def relate(left: str, sign: str, right: str) -> str:
    """Write a relation of two sides, each of which may be a formula between `$`."""
    if "$" in left or "$" in right or "\\" in right:
        return f"${left.replace('$', '').strip()} {sign} {right.replace('$', '').strip()}$"
    return f"{left} {sign} {right}"


def _state(rest: str, answer: str) -> Iterator[str]:
    """Yield what an answer states of a question that begins with its question word."""
    if found := _VALUE.match(rest):
        yield from state_value(found["np"], answer)
    low = rest[:1].lower() + rest[1:]
    if found := _HOW_MANY.match(low) or _WHAT_NOUN.match(low):
        yield from _turn_round(found, answer)
    elif found := _HOW_MANY_DIRECT.match(low) or _WHAT_NOUN_DIRECT.match(low):
        yield from _put_subject_first(found, answer)
    elif found := _HOW_MUCH.match(rest):
        yield _turn_english(found, answer)
    elif found := _HOW_MANY_ARE.match(rest):
        counted = add_unit(answer, found["noun"])
        is_there = found["verb"].lower() == "are there"
        yield (
            f"There are {counted}{found['rest']}"
            if is_there
            else f"{counted} {found['verb']}{found['rest']}"
        )


def split_target(phrase: str) -> tuple[str, str]:
    """Return a noun phrase without the form that is asked for, and the unit that is."""
    bare = _FORM.sub("", phrase).strip()
    found = _TARGET.search(bare)
    return (bare[: found.start()], found["unit"]) if found else (bare, "")


def state_value(phrase: str, answer: str) -> Iterator[str]:
    """Yield that a noun phrase or an expression has the value."""
    phrase, target = split_target(phrase)
    answer = add_unit(answer, target) if target else answer
    if "=" in phrase and is_expression(phrase):
        return  # an equation of which something is asked
    if is_expression(phrase) or is_measure(phrase):
        yield equate(phrase, answer)
    elif not _MISREAD.search(phrase):
        verb = "sont" if _PLURAL.match(phrase) else "est"
        yield f"{_TRANSLATED.sub(_translate, phrase)} {verb} {answer}"
        if re.match(r"(?:une?|an?) ", phrase, _I):
            yield f"{answer} est {phrase}"


_PLURAL: Final = re.compile(r"(?:tous |toutes )?(?:les|ses|leurs|des)\b", _I)


def _translate(found: re.Match[str]) -> str:
    return _NAMES[(found.lastindex or 1) - 1]


def _turn_round(found: re.Match[str], answer: str) -> Iterator[str]:
    """Yield the statement of a question with verb before subject: `reste-t-il`."""
    verb, rest, noun = found["verb"], found["rest"], (found["noun"] or "").strip()
    if verb in _AUXILIARIES and (participle := _PARTICIPLE.match(rest)):
        verb, rest = f"{verb}{participle[0]}", rest[participle.end() :]
    if counted := _COUNTED.match(rest):
        noun, rest = counted["noun"], rest[counted.end() :]
    who = found["subject"] or found["who"]
    is_noun = "prep" not in found.re.groupindex
    prep = "" if is_noun else found["prep"] or ""
    value = add_unit(answer, noun) if is_noun and noun else answer
    yield f"{who} {found['clitic']}{verb} {prep}{value}{rest}"
    if re.match(r" (?:dans|en|pour|avec) .*\d", rest):
        yield f"{rest.strip()}, {who} {found['clitic']}{verb} {prep}{value}"


def _put_subject_first(found: re.Match[str], answer: str) -> Iterator[str]:
    """Yield the statements of `combien coûtent 4 mangues`, `quelle distance parcourt le train`."""
    subject, verb, noun = found["np"] or "", found["verb"], found["noun"] or ""
    if "prep" in found.re.groupindex:
        value = add_unit(answer, noun) if noun.startswith("pourcent") else answer
        yield f"{subject} {verb} {found['prep'] or ''}{value}{found['of'] or ''}"
        return
    value = add_unit(answer, noun) if noun else answer
    if verb.startswith(("reste", "faut")):
        yield f"il {verb} {value} {subject}".strip()
    elif noun and (verb in ("sont", "ont", "est") or not subject):
        yield f"{value} {verb} {subject}".strip()
    else:
        yield f"{subject} {verb} {value}"


def _turn_english(found: re.Match[str], answer: str) -> str:
    """Return the statement of `how much does she pay`."""
    verb, noun = found["verb"].lower(), found["noun"] or ""
    is_one = re.search(r" (?:does) ", found[0], _I)
    if is_one:
        verb = {"have": "has", "go": "goes"}.get(verb, f"{verb}s")
    value = add_unit(answer, noun) if noun not in ("", "time", "change", "money") else answer
    return f"{found['subject']} {verb} {found['prep'] or ''}{value}{found['rest']}"


def _state_rest(sentence: str, answer: str) -> Iterator[str]:
    """Yield what an answer states of a question without a question word at its beginning."""
    if found := _ENDS_OPEN.match(sentence):
        value = add_unit(answer, found["unit"]) if found["unit"] else answer
        yield f"{found['start']}{found['verb']} {value}"
    elif found := _ENDS_ASKING.match(sentence):
        yield f"{found['start']} {add_unit(answer, found['noun'])}"
    elif found := _SPOKEN.search(sentence):
        yield f"{sentence[: found.start()]}{answer} {sentence[found.end() :].lstrip()}".strip()
    elif not _WHICH.search(sentence) and "=" not in sentence:
        yield from state_value(sentence, answer)
