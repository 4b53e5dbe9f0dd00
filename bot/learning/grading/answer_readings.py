"""Find the answer within a text that a person typed, without words and steps around it. Pure.

`65+25=90 et 90x2=180 donc 180 m` ends in `180 m`; `c'est la b svp` is `b`.
`bot.learning.grading.exercise_grading` decides which of the readings is an answer.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from fractions import Fraction
from typing import Final, NamedTuple

from bot.i18n import fold
from bot.learning.grading.answer_forms import squeeze, write_operators
from bot.learning.grading.answer_remarks import correct_value, strip_remarks
from bot.learning.grading.typing_slips import mend_number_words
from bot.learning.plain_notation import write_plain
from bot.maths.reading.number_words import fold as fold_word
from bot.maths.reading.number_words import read_number

SPACES: Final = "[ \u00a0\u202f\u2009]"
_QUOTES: Final = {
    **str.maketrans("", "", '$\u00ab\u00bb\u201c\u201d"`\u00ba\u02da\ufe0f\u20e3'),
    **str.maketrans("\u066b\uff0e\uff0c\u2044", ",.,/"),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2014\ufe63\uff0d\u2796"), "-"),
}
"""Signs that are left out, decimal marks of other scripts, the slash of a fraction, and dashes."""
_CURRENCY: Final = re.compile(r"(?:([$€£]) ?)?(\d[\d ,.]*)(?: ?([$€£]))?")
_THANK_YOU: Final = (
    r"(?:merci|thanks|thank you)(?: (?:beaucoup|bien|d['’]avance|infiniment|encore|a lot|very much"
    r"|in advance))?+"
)
_ADDRESSED: Final = (
    rf"(?:svp|stp|{_THANK_YOU}|monsieur|madame|mr|mme|maitresse|maître|please|sir|prof)"
)
_POLITE: Final = re.compile(rf"(?:[\s,.!]+{_ADDRESSED}(?!\w))+\W*$", re.I)
_POLITE_START: Final = re.compile(
    rf"^(?:{_ADDRESSED}(?:\s*[,.!:]+\s*|\s+(?=[-\u2212+]?\d|c['’ ]?est\b|it['’]?s\b)))+(?=\S)", re.I
)
"""Polite words before an answer; `merci pour tout` has none after it."""
_HEDGE: Final = re.compile(
    r"(?<=[\w)\][}%°²³∞<>=])[\s,.!]+(?:je (?:pense|crois|dirais|suppose)(?: bien)?"
    r"|i (?:think|guess|suppose)|bien ?s[uû]r|[ée]videmment|naturellement|normalement"
    r"|[àa] mon avis|selon moi|voil[àa]|uniquement|seulement|only|ok(?:ay)?"
    r"|(?:j['’]en |je )?suis s[uû]re?|of course|obviously|certainly|for sure|i['’]?m sure"
    r"|in my opinion)\W*$",
    re.I,
)
"""Words after an answer by which a person says how sure they are, or that it is all."""
_GREETING: Final = re.compile(
    r"^(?:bonjour|bonsoir|salut|hello|hi)(?: (?:monsieur|madame|griot))?[\s,.!]+(?=\S)",
    re.IGNORECASE,
)
_EMPHASIS: Final = re.compile(r"([*_~]{1,3})(?=\S)(.*[^\s*_~])\1(?=[.!]*$)", re.DOTALL)
_INTERJECTIONS: Final = re.compile(
    r"(?:(?:euh+|heu+|h+m+|hum+|ah|oh|eh bien|ben|bah|bon|ok(?:ay)?|d['’]accord|alors|donc|du coup"
    r"|voil[àa]|well|so|um+|uh+|j['’]ai (?:trouv[ée]|mis|eu)|i (?:found|got)"
    r"|(?:je|moi je|i) (?:pense|crois|dis|dirais|trouve|think|say)(?: que)?"
    r"|(?:on|nous) (?:trouve|trouvons|obtient|obtenons)|(?:[cçs]a|cela) (?:f(?:ait|ai|[ée])|donne)"
    r"|(?:ma|la) r[ée]ponse,? (?:est|c['’]est)|r[ée]p(?:onse)?|(?:my|the) answer is|answer"
    r"|it is|it['’]s)\b(?:\s*[,.!:…]+\s*|\s+)|(?:→|⇒|=|(?<==)>|-[-=]*>)\s*|\d{1,2}\)\s+)+(?=\S)",
    re.IGNORECASE,
)
"""Words and signs before an answer that say nothing of it; the number of a question."""
_EMOJI: Final = "[☀-✕✗-❵\U0001f300-\U0001faff]"
"""Not `➖`, `✖` and digits in circles."""
_CRIES: Final = re.compile(
    rf"(?<=\S)(?:\s*!{{2,}}+|\s+!(?!!)|\s*{_EMOJI}[\ufe0f\U0001f3fb-\U0001f3ff]?+)+\s*$"
    rf"|^(?:{_EMOJI}\ufe0f?\s*)+(?=\S)"
)
"""Exclamation marks and emojis around an answer; `5!` keeps its sign."""
_GAPPED: Final = re.compile(r"([\d\s+*/÷:x=.,;-]*)(?:…|\.{3}|_{2,}|□|\?)([\d\s+*/÷:x=.,;-]*)")
"""A formula or list of numbers with a gap: `7 + … = 10`, `12, 14, 16, …`."""
_CROSS: Final = re.compile(r"(?<=\d)x(?=\d)")
_UNSURE: Final = re.compile(r"(?:,? (?:non|c['’]est [çc]a|right))? ?\?+$", re.IGNORECASE)
_ASKED_VALUE: Final = re.compile(
    r"(?:(?:je (?:crois|pense)|i think)(?: que)? )?"
    r"(?:(?:c(?:['’ ]?est|(?= \d))|it['’]?s|[a-z] ?=) ?)?[-\u2212+]?\d[\d.,/ ]*"
    r"(?: ?[^\W\d_]{1,10}[²³]?)?"
    rf"{_UNSURE.pattern}",
    re.IGNORECASE,
)
_LEAD: Final = re.compile(
    r"[-=]+>\s*"
    r"|(?:bien s[uû]r|[ée]videmment|[àa] mon avis|selon moi|of course|obviously|in my opinion)"
    r"(?: que)?[\s,:]+"
    r"|(?:seulement|uniquement|juste|just|only)\s+(?=[-\u2212+]?[\d√{\[x])"
    r"|(?:environ|approximativement|[àa] peu pr[èe]s|about|around|approximately)\s+(?=\d)"
    r"|(?:(?:je|on|j['’]ai|nous|moi|i|tu|ok|oui|bon|alors|donc|la|le|ma|ta|the|my|une"
    r"|seule)\s+|l['’ ]){0,3}"
    r"(?:c['’\s]?est|pense(?:\s+que)?|crois(?:\s+que)?|dis|dirais(?:\s+que)?|choisis|choose|trouve|trouvé|obtiens|obtient"
    r"|[ée]cri[st]|mets?|s['’][ée]crit|[cçs]a\s+(?:fait|donne|vaut)|cela\s+fait|r[ée]p(?:onse)?s?|solutions?|r[ée]sultat|answer|think"
    r"|[ée]quation"
    r"|equal |to "
    r"|it['’]?s|it is|is|est|sont|vaut|[rR])\s*[:/=]?\s+"
    r"|[rR][ée]p(?:onse)?\s*[:=]\s*|[rR]\s*[:/=]\s*|=\s*",
    re.IGNORECASE,
)
_LOWERED: Final = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789", "$_{}")
_TERM: Final = re.compile(r"(?<![^\W\d])[a-zA-Z]\d{1,3}(?!\w| ?=)")
_TERM_VALUE: Final = re.compile(
    r"(?<![^\W\d])([a-zA-Z](?:\d{1,3}|\(\d{1,3}\))) ?= ?([^=,;]*\d)(?=\s*(?:[,;]|et |and |donc |$))"
)
"""The value of a term of a sequence: `u3 = 13`."""
_REMAINDER: Final = re.compile(
    r"(?<=\w)[\s,.]+(?:et |mais |and )?(?:il|there) (?:(?:en|lui|me|te|nous|leur) )?"
    r"(?:rest|manqu|is|are|remain)\w* .*\d.*$",
    re.IGNORECASE,
)
"""What an answer adds on the rest, for which nobody asked: `7 sachets et il reste 3 mangues`."""
_NAMED_VALUE: Final = re.compile(
    r"([^\W\d_]{3,}) ?(?:[=:]|co[uû]te(?:nt)?|vaut|est(?: [àa])?)"
    r" ?([-\u2212]?\d[\d .,]*(?: ?f\w*)?)",
    re.IGNORECASE,
)
"""A value of something that has a name: `beignet = 100 F`."""
_CONCLUSION: Final = re.compile(
    r"(?:\b(?:donc|alors|d['’]o[uù]|soit|so|hence|therefore|r[ée]ponse|r[ée]sultat|answer"
    r"|(?:(?<=[\w)\]}²³%][ \n])|(?<=[\w)\]}²³%], ))(?:[cçs]a|cela|ce qui|on|nous|which|that|it)"
    r" (?:f(?:ait|ai|[ée])|donne|obtient|obtenons|trouve|trouvons|gives|makes))\b|[⇒→]|=+>"
    r"|\bR\s?/)\s*:?"
)
_ASSIGNED: Final = re.compile(
    r"\s*[a-zA-Z]_?\d?\s*=\s*(?P<first>[^=]+?)\s*(?:et|and|,|;)?\s+[a-zA-Z]\s*=[^=]+"
)
_TURNED: Final = re.compile(r"([-\u2212+]?\d[^=]*?) ?= ?[a-zA-Z]")
_RESULT: Final = re.compile(
    r"\b(?:[cçs]a )?(?:font|fait|donnent|donne|valent|[ée]gale?(?:nt)?|feront|fera|donneront"
    r"|donnera|co[uû]t(?:e(?:nt|ra|ront)?)|p[eè]s(?:e(?:nt|ra|ront)?)|makes?|gives?|equals?|costs?|weighs?)\b",
    re.IGNORECASE,
)
_COMPUTATION: Final = re.compile(
    r"(?:[-+*/×÷:x]|plus|moins|minus|fois|times|(?:multipli|divis)\w+ (?:par|by))", re.IGNORECASE
)
_ROOT: Final = re.compile(
    r"(?<![^\W\d_])(?:rac(?:ines?)?\s*(?:carr[ée]e\s*)?(?:de\s+|d['’])?|\\?sqrt ?"
    r"|(?:square )?root (?:of )?)(?=[\d({]|[xyzn]\b)",
    re.IGNORECASE,
)
_COEFFICIENT: Final = (
    (re.compile(r"√\{([^{}]*)\}"), r"√(\1)"),
    (re.compile(r"\bpi\b|(?<=\d)pi\b", re.IGNORECASE), "π"),
    (re.compile(r"(?<=\d)(?: x | ?[×*·]? ?)(?=[√π])"), ""),
    (re.compile(r"^(√\d+|√\(\d+\)|π) ?[×*·x] ?(\d+)$"), r"\2\1"),
)
"""Products with a root or π as a phone writes them, and `2√3` for each: `2*√3`, `√3×2`."""
_TIME: Final = re.compile(
    r"\b(\d+)\s?(?:h|heures?)\s?(?:et\s)?(\d{1,2})(?:\s?(?:mn|min\w*))?\b", re.IGNORECASE
)
_SPACED: Final = (
    (re.compile(r"(?<=[\da-zA-Z)])\*\*(?=[-(]?\d)"), "^"),
    (re.compile(r"(?<=\d)[vV](?=\d|\()"), "√"),
    (re.compile(r"(?<=\d) (?=[xyznXYZN](?:\s*(?:$|\))|[²³^]))"), ""),
    (re.compile(r"(?<=\)) ?[.·]? ?(?=\()|(?<=\d[xyzn]) (?=\()"), ""),
    (re.compile(r"(?<=\))(?=\d?[xyzn]\b)"), "*"),
    (re.compile(r"(\([^()]*[xyzn][^()]*\))([23])(?![\w.,])"), r"\1^\2"),
    (re.compile(r"(\((?=[^()]*[a-z])[^()]+[-+][^()]+\))(?=\d)"), r"\1*"),
    (re.compile(r"(?<![^\W\d_])(ln|log|exp|sin|cos|tan)(?=\d|[xyzn]\b)"), r"\1 "),
    (re.compile(r"(?<![^\W\d_])e\^(-?\d+[a-z])(?!\w)"), r"e^(\1)"),
)
"""Formulas as a phone writes them, and what stands for each: `10**3`, `5V2`, `2 x`, `(x) (y)`,
`(x-1)2x`, `(x-1)2`, `ln2`, `e^2x`."""
_SPOKEN: Final = (
    (re.compile(r"(?<=\d) ?(?:virgule|point) ?(?=\d)", re.IGNORECASE), ","),
    (re.compile(r"(?<![\d.,/])(\d+) (?:et demie?|and a half)\b", re.IGNORECASE), r"\1,5"),
    (re.compile(r"(?<=[\dxyzn)]) carr[ée]\b(?! de)", re.IGNORECASE), "²"),
    (re.compile(r"^f prime(?: de x)? (?:est |= ?|[ée]gale? |vaut )?", re.IGNORECASE), "f'(x) = "),
    (re.compile(r"\b(?:la )?moiti[ée]$", re.IGNORECASE), "1/2"),
    (re.compile(r"(?<=\d) (?:chances? |cas )?(?:sur|out of) (?=\d)"), " sur "),
    (re.compile(r"\\(?:times|cdot) ?"), "×"),
    (re.compile(r"(?<=\d) ?[.·⋅ ] ?10(?= ?\^|[⁻⁰¹²³⁴-⁹]| puissance| exposant)"), "×10"),
    (re.compile(r"(?<=\d)e([-\u2212+]?\d{1,3})(?!\w)", re.IGNORECASE), r"×10^\1"),
)
"""Numbers as they are dictated or typed on a calculator: `17 virgule 5`, `1,8.10^6`, `1,8e6`."""
_THOUSANDS: Final = re.compile(
    r"(?<![\d.,])(\d{1,3}(?:[.,]\d{1,2})?)(?: ?(?:milles?|mil)(?: (\d{1,3})(?![\d.,/]))?|k)(?!\w)",
    re.IGNORECASE,
)
_THOUSAND_AND: Final = re.compile(
    r"(?:(?<![^\W\d])([^\W\d]+(?:[ -][^\W\d]+){0,3}) )?\bmille (?:et )?(\d{1,3})(?![\d.,/]|\w)",
    re.IGNORECASE,
)
"""A number of which only the end is in digits: `mille 500`, `deux mille 500`."""
_HALF_HOUR: Final = re.compile(
    r"(?<![\w-])([^\W\d]+(?:-[^\W\d]+)?) heures? et demie?\b", re.IGNORECASE
)
_NEGATIVE: Final = re.compile(r"[-\u2212] *([^\W\d][\w -]*)")
"""A negative number in words: `- huit`."""
_SMALL_DIGITS: Final = re.compile(r"(?<![\w)])([⁰¹²³⁴-⁹]+)[/\u2044]([₀-₉]+)")
_VULGAR: Final = re.compile(r"(\d?)\s?([½¼¾⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞])")
_PART: Final = re.compile(r"(?<![\d.,/])(\d+) ([^\W\d_]{4,})(?![-\w])")
_CHANCE: Final = re.compile(
    r"(?<![\w,.])(\w+) (?:chances?|cas) (?:sur|out of|in|over) (\w+)(?![,.]\d)", re.IGNORECASE
)
_PERCENT: Final = re.compile(
    r"\b(?:pour ?cents?|pour 100|p\. ?100|p\. ?cent|percent)\b", re.IGNORECASE
)
_VERB: Final = re.compile(r"\b(?:c(?= \d)|est|vaut|sont|is|are|tend vers|tends to)\b")
_MINUS: Final = re.compile(
    r"(?<!\d)(?<!\d )(?<!au )\b(?:moins|minus|n[ée]gati(?:f|ve))\s+(?=\d)", re.IGNORECASE
)
_LONGEST_FRAMED: Final = 300
"""Most characters of an answer around which words are left out."""
MOST_WORDS: Final = 14
"""Most words of a sentence in which a number is searched."""
_DIGITS: Final = re.compile(
    rf"(?P<sign>[-\u2212+]?){SPACES}?"
    rf"(?:(?P<dotted>\d{{1,3}}(?:\.\d{{3}})+(?![\d,.]))"
    rf"|(?P<whole>\d{{1,3}}(?:{SPACES}\d{{3}})+(?!\d)|\d+)?(?:[.,](?P<part>\d+))?(?<=\d))"
    rf"(?:{SPACES}?(?:/|sur{SPACES}){SPACES}?(?P<below>\d+))?(?![\d.,]*\d)"
)


_WORDS: Final = re.compile(r"\w+")


class Amount(NamedTuple):
    """A number at the start of a text."""

    value: Fraction
    grouped: Fraction | None
    """The value if its point separates thousands."""
    is_fraction: bool
    rest: str
    """The text after the number."""


def clean(text: str) -> str:
    """Return the text with plain digits, without quotation marks, polite words and words that
    introduce an answer."""
    plain = "".join(
        str(unicodedata.decimal(sign)) if sign.isdecimal() else sign
        for sign in _VULGAR.sub(_write_vulgar, _write_signs(text).translate(_QUOTES))
        if unicodedata.category(sign) not in ("So", "Cs", "Cf")
    )
    plain = strip_courtesy(" ".join(plain.split()).replace("{,}", ","))
    plain = strip_courtesy(_HEDGE.sub("", plain))
    for pattern, written in (*_SPACED, *_SPOKEN):
        plain = pattern.sub(written, plain)
    plain = correct_value(plain)
    plain = _THOUSAND_AND.sub(_write_thousand_and, _THOUSANDS.sub(_write_thousands, plain))
    plain = re.sub(r"\bpour mille\b", "‰", plain.replace("**", ""))
    plain = _CHANCE.sub(_write_chance, plain)
    plain = _PART.sub(_write_part, _PERCENT.sub("%", plain))
    if re.search(r"racine|\broot\b", plain) and not re.search(r"\d", plain):
        plain = write_plain(fold(plain))
    plain = _TIME.sub(r"\1 h \2 min", _ROOT.sub("√", _MINUS.sub("-", plain)))
    for pattern, written in _COEFFICIENT:
        plain = pattern.sub(written, plain)
    plain = _UNSURE.sub("", _GREETING.sub("", plain.strip())).rstrip(".!; ")
    plain = _HALF_HOUR.sub(_write_half_hour, plain)
    if found := _NEGATIVE.fullmatch(plain):
        amount = _read_words(found[1])
        plain = f"-{amount.value}" if amount and not amount.rest else plain
    while (found := _LEAD.match(plain)) and found.end() < len(plain):
        plain = plain[found.end() :]
    return plain


def _write_half_hour(found: re.Match[str]) -> str:
    amount = read_amount(found[1])
    return f"{amount.value} h 30 min" if amount and not amount.rest else found[0]


def _write_signs(text: str) -> str:
    """Return the text with `4/7` for `⁴⁄₇`, and `12 dollars` for `$12` unless the sign is one of
    two that enclose a formula."""
    if text.count("$") == 1 or re.match(r"\s*[€£]", text):
        text = _CURRENCY.sub(_write_currency, text)
    return _SMALL_DIGITS.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text)


def _write_currency(found: re.Match[str]) -> str:
    sign = found[1] or found[3]
    return f"{found[2].strip()} {'dollars' if sign == '$' else sign}" if sign else found[0]


def _write_thousands(found: re.Match[str]) -> str:
    """Return `76000` for `76 mille` or `76k`, and `2500` for `2 mille 500`."""
    value = Fraction(found[1].replace(",", ".")) * 1000 + int(found[2] or 0)
    return str(value)


def _write_thousand_and(found: re.Match[str]) -> str:
    """Return `1500` for `mille 500`, `c'est 1500` for `c'est mille 500`, and `2500` for `deux mille
    500`."""
    words = found[1].split() if found[1] else []
    for start in range(len(words)):
        amount = _read_words(" ".join(words[start:]))
        if amount and not amount.rest and 1 <= amount.value < 1000:
            return " ".join((*words[:start], str(int(amount.value) * 1000 + int(found[2]))))
    return " ".join((*words, str(1000 + int(found[2]))))


def _write_vulgar(found: re.Match[str]) -> str:
    """Return `3 1/2` for `3½`, and `1/2` for `½`."""
    fraction = unicodedata.normalize("NFKC", found[2]).replace("\u2044", "/")
    return f"{found[1]} {fraction}" if found[1] else fraction


def _write_part(found: re.Match[str]) -> str:
    """Return `9/4` for `9 quarts`; the same text if the word names no part."""
    part = read_number(["un", fold_word(found[2])])
    return f"{found[1]}/{part.value.denominator}" if part and part.is_fraction else found[0]


def _write_chance(found: re.Match[str]) -> str:
    """Return `1/6` for `une chance sur six`."""
    words = (
        "1" if fold_word(each) in ("un", "une", "one", "a") else each for each in found.groups()
    )
    amounts = [read_amount(each) for each in words]
    values = [each.value for each in amounts if each and not each.rest]
    return f"{values[0]}/{values[1]}" if len(values) == 2 and values[1] else found[0]


def write_digits(text: str) -> str:
    """Return an expression that was dictated in digits and signs: `huit x moins seize`; one that is
    in signs already stays as it is: `U/R`, `x⁵`."""
    if "\\" in text and "sqrt" in text:
        return write_plain(text)
    folded = fold(text)
    plain = folded if re.search(r"\d", text) else write_plain(folded)
    return text if plain == folded else plain


def list_readings(text: str, statement: str = "") -> Iterator[str]:
    """Yield the whole text, then shorter ends of it that may be the answer."""
    cleaned = mend_number_words(clean(_strip_remarks(text, statement)), statement)
    if value := _find_asked_value(cleaned, statement):
        yield value
    yield cleaned
    if found := _TURNED.fullmatch(cleaned):
        yield found[1]
    parts = _CONCLUSION.split(cleaned)
    if len(parts) > 1 and parts[-1].strip(" ."):
        cleaned = clean(parts[-1])
        yield cleaned
    if "=" in cleaned or "≈" in cleaned:
        cleaned = clean(re.split("[=≈]", cleaned)[-1])
        yield cleaned
    parts = _VERB.split(cleaned)
    if len(parts) > 1:
        yield clean(re.sub(r"^\s*(?:de|d['’]|of) ?", "", parts[-1]))
    found = _RESULT.search(cleaned)
    if found and _leads_to_result(cleaned[: found.start()], statement):
        yield clean(cleaned[found.end() :])


def _strip_remarks(text: str, statement: str) -> str:
    """Return an answer without remarks, and without a rest for which the statement does not ask."""
    if "rest" not in statement and "manqu" not in statement:
        text = _REMAINDER.sub("", text)
    return strip_remarks(text)


def _find_asked_value(text: str, statement: str) -> str:
    """Return the first value of two letters, `x = 2 et y = 3`, or that of the noun for which the
    statement asks last: `beignet = 100 et jus = 225`; empty: there are no two."""
    if letters := _ASSIGNED.fullmatch(text):
        return letters["first"]
    if term := _find_asked_term(text, statement):
        return term
    asked = fold(re.split(r"[.!:](?!\d)", statement.rstrip(" .!?"))[-1])
    values = _NAMED_VALUE.findall(text)
    found = [value for noun, value in values if fold(noun).rstrip("s") in asked]
    return found[0].strip() if len(values) > 1 and len(found) == 1 else ""


def _find_asked_term(text: str, statement: str) -> str:
    """Return the value of the term of a sequence for which the statement asks, where a text has
    the values of several: `u1=5, u2=9, u3=13`; empty: it has not."""
    values = _TERM_VALUE.findall(text.translate(_LOWERED))
    asked = re.split(r"[.!?](?!\d)", statement.translate(_LOWERED).rstrip(" .!?"))[-1]
    terms = {each.lower() for each in _TERM.findall(asked)}
    found = [value for name, value in values if re.sub(r"[_{}() ]", "", name).lower() in terms]
    return found[-1].strip() if len(values) > 1 and len(terms) == 1 and found else ""


def _leads_to_result(words: str, statement: str) -> bool:
    """Return whether a result follows these words: a computation, as in `4 fois 7 font`, or what
    the last sentence of the statement asks for, as in `10 beignets coûtent`."""
    counted = re.sub(r"^(?:les|the)\s+", "", words.strip(), flags=re.IGNORECASE)
    amount = read_amount(counted)
    if amount is None:
        return False
    if is_operation(amount.rest):
        return True
    asked = _WORDS.findall(fold(re.split(r"[.!:](?!\d)", statement.rstrip(" .!"))[-1]))
    return f" {fold(counted)} " in f" {' '.join(asked)} "


def is_operation(rest: str) -> bool:
    """Return whether the text after a number goes on with an operation: `fois sept`, `x 4`."""
    operation = _COMPUTATION.match(rest)
    return operation is not None and read_amount(rest[operation.end() :]) is not None


def strip_greeting(text: str) -> str:
    """Return a text without the greeting with which it begins, if more follows."""
    return _GREETING.sub("", text)


def strip_courtesy(text: str) -> str:
    """Return a text without thanks and polite words at its ends, if more is left."""
    plain = _POLITE_START.sub("", text)
    return _POLITE.sub("", plain) or plain


def strip_frame(text: str) -> str:
    """Return an answer without marks of emphasis around it, and without words before and after it
    that say nothing: `euh donc *56* je crois`; the text itself if nothing else is left, or it is
    too long for an answer."""
    if len(text) > _LONGEST_FRAMED:
        return text.strip()
    plain = strip_courtesy(strip_greeting(_CRIES.sub("", text.strip())))
    plain = _INTERJECTIONS.sub("", plain, count=1) if _INTERJECTIONS.match(plain) else plain
    plain = strip_courtesy(_HEDGE.sub("", plain))
    return _EMPHASIS.sub(r"\2", plain)


def strip_statement(text: str, statement: str) -> str:
    """Return what stands behind the statement in a text that begins with it, or in the gap of its
    formula in a text that is this formula: `3` for `7 + 3 = 10`; else the text."""
    if filled := _find_in_gap(text, statement):
        return filled
    asked = " ".join(statement.split())
    given = " ".join(text.split())
    rest = given.removeprefix(asked).strip(" :=\u2192") if given.startswith(asked) else ""
    return rest if rest and asked else text


def _find_in_gap(text: str, statement: str) -> str:
    """Return what a text that is the statement's formula or list has for its gap; else empty."""
    found = _GAPPED.search(write_operators(statement))
    if found is None or len(text) > _LONGEST_FRAMED:
        return ""
    if "=" not in found[0]:
        text = re.sub(r"(?<=\d)\s+(?=[-\u2212]?\d)", ",", text)
    before, after, given = (_CROSS.sub("*", squeeze(each)) for each in (*found.groups(), text))
    after, given = after.rstrip(":,;."), given.rstrip("!.")
    for start in (before.lstrip(":=,;.*"), before.rpartition(":")[2]):
        is_formula = re.search(r"\d.*[=,;]|=.*\d", start + after) is not None
        is_filled = len(given) > len(start + after)
        if is_formula and is_filled and given.startswith(start) and given.endswith(after):
            return given[len(start) : len(given) - len(after)]
    return ""


def asks_value(text: str) -> bool:
    """Return whether a question only asks whether a value is right: `13 ?`, `x = 13, non ?`."""
    return _ASKED_VALUE.fullmatch(text.strip()) is not None


def find_amount(sentence: str) -> str:
    """Return the end of a sentence from its number on; empty: it has none, or is too long."""
    if len(sentence.split()) > MOST_WORDS:
        return ""
    last = re.split(r"[,;:] (?=\D)|\bet\b|\band\b", sentence)[-1]
    for clause in (last, sentence):
        found = re.search(r"(?<![\w.,+*/×÷=<>^)√-])(?:[-\u2212+] ?)?[\d,.]*\d", clause)
        if found and not re.search(r"[\d+*/×÷=<>^({√]", clause[: found.start()]):
            return clause[found.start() :]
    words = sentence.split()
    starts = () if re.search(r"\d", sentence) else range(1, len(words))
    for start in starts:
        amount = read_amount(" ".join(words[start:]))
        if amount is not None and amount.value != 1:
            return " ".join(words[start:])
    return ""


def read_amount(text: str) -> Amount | None:
    """Return the number with which a text starts: digits, fraction or words; None: none."""
    text = re.sub(r"^\(([^()]*)\)$", r"\1", text.strip())
    found = _DIGITS.match(text)
    if found is None:
        return _read_words(text)
    digits = re.sub(r"\D", "", found["dotted"] or found["whole"] or "0")
    value, grouped = Fraction(f"{digits}.{found['part'] or 0}"), None
    if found["dotted"]:
        grouped, marks = value, found["dotted"].count(".")
        value = grouped if marks > 1 else grouped / 1000
    below = int(found["below"] or 1)
    if below == 0:
        return None
    sign = -1 if found["sign"] in ("-", "\u2212") else 1
    rest = text[found.end() :].strip()
    if rest[:1] in ("%", "‰"):
        below, rest = below * (100 if rest[0] == "%" else 1000), rest[1:].strip()
    grouped = None if grouped is None else sign * grouped
    return Amount(sign * value / below, grouped, found["below"] is not None, rest)


def _read_words(text: str) -> Amount | None:
    """Return a number in words; `un` before another word is an article and no number."""
    sign, found_words = 1, list(re.finditer(r"[^\W\d_]+|%", text))
    words = [each[0] for each in found_words]
    if words and fold_word(words[0]) in ("moins", "minus"):
        sign, words = -1, words[1:]
    found = read_number([fold_word(word) for word in words])
    if found is None or (found.value == 1 and len(words) > 1 and words[1] != "sur"):
        return None
    value, rest = found.value, words[found.length :]
    below = read_number([fold_word(word) for word in rest[1:]]) if rest[:1] == ["sur"] else None
    if below and below.value:
        value, rest = value / below.value, rest[1 + below.length :]
    if rest[:1] == ["%"]:
        value, rest = value / 100, rest[1:]
    is_fraction = found.is_fraction or below is not None
    after = text[found_words[-len(rest)].start() :] if rest else ""
    return Amount(sign * value, None, is_fraction, after)
