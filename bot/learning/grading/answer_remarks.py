"""Take away what a person writes beside an answer: a reason, an answer that is taken back, or an
explanation in brackets. Pure.

`12 pcq 12x12=144` is `12`, `554 non pardon 544` is `544`, and `20 V (loi d'Ohm)` is `20 V`.
"""

from __future__ import annotations

import re
from typing import Final

from bot.i18n import fold
from bot.maths.equivalence import equivalent
from bot.maths.exact.units import find_unit
from bot.maths.reading.number_words import read_number

_BECAUSE: Final = (
    r"(?:car|par ce qu\w*|par?[sc]{1,2}e?[ -]?(?:qu?|k)\w*|p[cs]{1,2}[qk]u?e?"
    r"|puis(?:que?|qu['’]\w+)|(?:vu|sachant|[ée]tant donn[ée]e?s?) qu\w*|en effet"
    r"|d['’ ]apr[èe]s|gr[âa]ce (?:[àa]|aux?)|par ?rap+ort (?:[àa]|aux?)|en (?:utilisant|appliquant)"
    r"|avec la (?:formule|r[èe]gle)"
    r"|(?:be)?(?:cause|cuz|coz)|cos(?! ?[²^(]| \d*[b-hj-zαβθπ](?!\w)| \d+ ?°)|bcz|bcs|bcoz"
    r"|given that|thanks to|according to"
    r"|(?:comme|as|since)(?=[^=]{1,60}=))"
)
"""Words before a reason, in the spellings of messages; `as` and `comme` before an equation, `cos`
where it is no function: not in `2 cos(2x)`."""
_REASON: Final = re.compile(
    rf"(?<=[\w)\]}}\[²³°%∞])[\s,.;:]+{_BECAUSE}(?!\w)(?:(?!\b(?:donc|alors|d['’]o[uù]|so|hence"
    r"|therefore)\b|[⇒→]|=+>).)*",
    re.IGNORECASE | re.DOTALL,
)
"""Why an answer is so: `5 car il est à la 3e place`; not what follows from it."""
_CONDITION: Final = re.compile(
    r"(?<=[\w)\]}²³])[\s,]+(?:avec|pour|si|o[uù]|quand|with|for|if|where|when) (?:tout |all )?"
    r"[a-z] ?(?:≠|!=|=/=|(?:est )?diff[ée]rent de|(?:is )?not equal to) ?[-\u2212\d].*$",
    re.IGNORECASE,
)
"""For which values a formula holds: `x + 3 avec x ≠ 3`."""
_HESITATION: Final = r"(?:euh+|heu+|ah|oh|hm+|mais|but|ok|alors|attends?|wait)"
_TAKEN_BACK: Final = (
    r"(?:non|no|nan|nn|pardon|oups|oops|sorry|d[ée]sol[ée]e?|plut[ôo]t|rather|actually|finalement"
    r"|enfin|erreur|correction|rectification|je (?:me )?(?:corrige|rectifie|reprends)"
    r"|je me suis tromp[ée]e?|je (?:veux|voulais) dire|i mean|i meant|i was wrong|my mistake)"
)
_CORRECTED: Final = re.compile(
    rf"(?<=[\w)\]}}\[²³°%…])[\s,.;:!?…]+(?:{_HESITATION}[\s,.:!…]+){{0,2}}{_TAKEN_BACK}[\s,.:!…]+"
    rf"(?:(?:{_HESITATION}|{_TAKEN_BACK})[\s,.:!…]+){{0,3}}(?:(?:c['’ ]?(?:est|[ée]tait)|it['’]?s"
    r"|it is)\s+)?(?:plut[ôo]t )?(?=[^\s.,;:!?…])",
    re.IGNORECASE,
)
"""Words by which a person takes an answer back and gives another: `12 non 13`."""
_DENIED: Final = re.compile(
    r"(?<=[\w)\]}\[²³°%])[\s,]+(?:(?:et |and )?(?:pas|non pas|not)|au lieu d(?:e |['’])|instead of"
    r"|rather than|plut[ôo]t qu(?:e |['’]))(?: |(?<=['’]))(?=\S)(?P<other>.+)$",
    re.IGNORECASE | re.DOTALL,
)
"""What an answer is not: `544 et pas 554`."""
_EITHER: Final = re.compile(r"([^=]{1,30}?),? (?:ou|or|c['’]est[ -][àa][ -]dire) ([^=]{1,30})")
"""Two spellings of a value: `7/8 ou 0,875`."""
_VALUE_AT_END: Final = re.compile(r"\d ?(?!(?:est|fait|vaut|is|a)$)(?:[^\W\d_]|[²³%°)\]}]){0,6}$")
_BRACKETED: Final = re.compile(r"(?<=\S)(?P<space> ?)\((?P<inner>[^()]{1,120})\)(?=\s|$|[.!,])")
_MEASURE_AT_END: Final = re.compile(r"\d ?[^\W\d_xX]{1,10}[²³]?$")
_LONGEST: Final = 300
"""Most characters of an answer in which remarks are searched."""
_LONGEST_COMPARED: Final = 60
"""Characters of a value and of brackets that write it otherwise."""
_OF_FORMULAS: Final = frozenset(
    "sin cos tan exp log racine root sqrt moins minus plus fois times sur over pi alpha beta theta "  # noqa: SIM905
    "delta carre puissance exclu exclus exclue inclu inclus inclue compris excluded included"
    "".split()
)
"""Words in brackets that belong to a formula or an interval."""
_HEDGED: Final = re.compile(r"(?:ou|or|peut|maybe|perhaps|pas s[uû]r|not sure)\b|.*\?$", re.I)
_LABEL: Final = re.compile(r"^(?P<label>[^:=\d][^:=]{1,40}?) ?: ?(?=\S)")


def strip_remarks(text: str) -> str:
    """Return an answer that is a number or formula without its reason, a former answer that it
    corrects, what it is not, and brackets that explain it."""
    if len(text) > _LONGEST:
        return text
    plain = _REASON.sub("", _CONDITION.sub("", _strip_brackets(text)))
    if (either := _EITHER.fullmatch(plain)) and equivalent(either[1], either[2], "number") is True:
        plain = either[1]
    if (found := _DENIED.search(plain)) and _VALUE_AT_END.search(plain[: found.start()]):
        plain = plain[: found.start()] if re.search(r"\d", found["other"]) else plain
    return correct_value(plain)


def strip_reason(text: str) -> str:
    """Return an answer without its reason."""
    return _REASON.sub("", text)


def correct_value(text: str) -> str:
    """Return the value that corrects another before it; the text itself if there is none."""
    *_, last = _CORRECTED.split(text)
    return last if last != text and _has_value(last) else text


def correct_words(text: str, known: frozenset[str]) -> str:
    """Return the words that correct others before them, or without those that they are not; the
    text itself if none do.

    Args:
        known: the words of the statement and small words, folded; before `non`, such words alone
            are no answer: `un nombre non nul`.
    """
    found = _DENIED.search(text)
    if found and found.start() and not re.search(r"\bn(?:e\b|['’])", text[: found.start()]):
        return text[: found.start()]
    *heads, last = _CORRECTED.split(text)
    if not heads or "non" in known:
        return text
    words = re.findall(r"[^\W_]+", fold(heads[-1]))
    return last if any(len(word) > 2 and word not in known for word in words) else text


def split_brackets(text: str) -> tuple[str, str]:
    """Return a text without the brackets at its end, and what is in them; it and an empty string if
    there are none."""
    found = _BRACKETED.search(text)
    if found is None or not found["space"] or text[found.end() :].strip(" .!"):
        return text, ""
    return text[: found.start()], found["inner"].strip()


def is_hedged(inner: str) -> bool:
    """Return whether brackets name another answer, or doubt the one before them: `(ou 13)`."""
    return _HEDGED.match(inner) is not None


def strip_label(text: str, known: frozenset[str]) -> str:
    """Return a text without a label of known words: `passé composé : j'ai mangé`."""
    found = _LABEL.match(text)
    words = re.findall(r"[^\W_]+", fold(found["label"])) if found else []
    return text[found.end() :] if found and words and known.issuperset(words) else text


def _strip_brackets(text: str) -> str:
    """Return a text without brackets that explain the value before them, or write it otherwise."""
    return _BRACKETED.sub(lambda found: "" if _is_remark(found) else found[0], text)


def _is_remark(found: re.Match[str]) -> bool:
    """Return whether brackets are no factor, argument or couple of the formula before them."""
    inner, before = found["inner"].strip(), found.string[: found.start()].strip()
    head = before.rpartition("=")[2].strip() or before
    if is_hedged(inner) or not (found["space"] or "=" in inner):
        return False
    if head[-1:] in "[]":
        return True
    letters = [fold(word) for word in re.findall(r"[^\W\d_]+", inner)]
    number = read_number(letters)
    is_number = number is not None and number.length == len(letters)
    is_number = is_number and not re.search(r"\d", inner)
    if set(filter(lambda word: len(word) > 2, letters)) - _OF_FORMULAS and not is_number:
        return True
    if re.search(r"[=≈\[\]{}]", inner) or (find_unit(inner) and re.search(r"\d$", head)):
        return True
    if _MEASURE_AT_END.search(head) and re.search(r"\d", inner):
        return True
    return len(head) + len(inner) < _LONGEST_COMPARED and equivalent(head, inner, "number") is True


def _has_value(text: str) -> bool:
    if re.search(r"[\d∅∞]", text):
        return True
    return read_number([fold(word) for word in re.findall(r"[^\W\d_]+", text)]) is not None
