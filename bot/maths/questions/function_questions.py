"""State the answer to a question about a function: a derivative, limit, integral or tangent, an
image, the solution of an equation. Pure.
"""

from __future__ import annotations

import re
from fractions import Fraction
from math import comb
from typing import Final

from bot.maths.questions.question_sentences import Asked, equate

_I: Final = re.IGNORECASE
_IMAGE: Final = re.compile(
    r"\b(?P<kind>image|ant[ée]c[ée]dent)s? (?:de |d['’]|of )(?P<at>\S+?)"
    r"(?: (?:par|under|by|de)\b|$)",
    _I,
)
_FUNCTION_NAME: Final = re.compile(r"\b([a-zA-Z])(?: ?: ?[a-z] ?(?:↦|\\mapsto)|\([a-z]\) ?=)")
_EQUATION: Final = re.compile(
    r"\bvaleur de [a-z] (?:si|sachant que|quand)\b|\bvalue of [a-z] (?:if|when|given)\b|"
    r"\b(?:r[ée]s(?:ous|oudre|olvez)|solutions?|racines?(?! (?:carr|cubi))|solve"
    r"|(?<!square )(?<!cube )roots?)\b",
    _I,
)
_ABOUT_EQUATION: Final = re.compile(
    r"\bcombien\b|\bhow many\b|\bnombre de\b|\bnumber of\b"
    r"|\b(?:somme|produit|sum|product|discriminant)\b|\bracine de \d+$|\broot of \d+$",
    _I,
)
_WHOLE_SET: Final = re.compile(
    r"\b(?:r[ée]s(?:ous|oudre|olvez)|solve)\b|\b(?:les|the) (?:solutions|racines|roots)\b"
    r"|^solutions (?:de|of)\b",
    _I,
)
"""The question asks for all solutions, not for one of them."""
_DERIVATIVE: Final = re.compile(
    r"\bd[ée]riv|\bdifferentiat|\b[a-z]'\([a-z]\) ?(?:=|est\b|is\b|$)"
    r"|\b(?:est|is|calcule[rz]?|find|d[ée]termine[rz]?|donne[rz]?) [a-z]'\([a-z]\)",
    _I,
)
_OTHER_DERIVATIVE: Final = re.compile(
    r"\b(?:a|ont|pour|dont la|has|have|whose) d[eé]riv\w+|'\([a-z]\) ?[=<>≤≥] ?[-−]?\d|''"
    r"|\b(?:seconde?|signe|sign|quand|when|nulle|annul\w*|d[ée]rivable|differentiable|tangente?"
    r"|r[èe]gle|rule|formule|formula)\b",
    _I,
)
"""Words of a question that gives the derivative, or asks for something else about it."""
_DERIVED: Final = re.compile(
    r"\b(?:d[ée]riv(?:e[rz]?|ée|ative)|differentiate)\s+(?:de |of )?(?P<asked>.+)", _I
)
_ENDS_EQUAL: Final = re.compile(r"\s(?:est(?: égale? à)?|is(?: equal to)?|vaut|equals?|=)$", _I)
_SLOPE_AT: Final = re.compile(
    r"\b(?:nombre d[ée]riv[ée]|d[ée]riv[ée]e?|derivative)\b.*\b(?:en|at|pour|when)\b (?:x ?= ?)?"
    r"(?P<at>[-−]?\d+(?:[.,]\d+)?)$",
    _I,
)
_UNKNOWN: Final = re.compile(r"(?<![a-zA-Z\\])([a-z])(?![a-zA-Z'’])")
_BETWEEN_VALUES: Final = re.compile(r" ?(?:;|\bet\b|\bou\b|\band\b|\bor\b)\s*")
_BARE: Final = re.compile(r"[^=<>{}\[\]]+")


_VALUE_AT: Final = re.compile(
    r"(?:calcule[rz]?|que vaut|combien vaut|quel(?:le)? est(?: la valeur de)?|d[ée]termine[rz]?"
    r"|donne[rz]?|find|what is|calculate|evaluate) \$?(?P<call>[fghPQ]\([-−\d/.,]+\))\$?"
    r"(?= (?:pour|si|avec|sachant|quand|for|if|where|when|given)\b|,|$)",
    _I,
)
"""A question for a value of the function that it gives: `Calcule f(-2) pour f(x) = x² - 3x`."""
_ROOTS_OF: Final = re.compile(
    r"\b(?:racines?(?! (?:carr|cubi))|roots?)\b[^\d(]*?\b(?:de|du (?:polyn[ôo]me|trin[ôo]me)|of)"
    r" (?P<p>\$?[-−\d(]*[xz][^a-wy]*)$",
    _I,
)


def state_function(asked: Asked, question: str, answer: str) -> tuple[str, str]:
    """Return the statement about a function or an equation of the question, and what is known
    before it; an empty statement: the question asks for something else."""
    if slope := _state_slope(asked.sentence, question, answer):
        return slope
    if (called := _VALUE_AT.match(asked.sentence)) and _FUNCTION_NAME.search(question):
        return f"{called['call']} = {answer}", question
    if _DERIVATIVE.search(question):
        return _state_derivative(question, answer), question
    if tangent := _TANGENT.search(asked.sentence):
        return _state_tangent(tangent, question, answer)
    if "=" not in question and (roots := _ROOTS_OF.search(_END.sub("", question))):
        question = f"{question[: roots.start('p')]}l'équation {roots['p']} = 0"
    if _EQUATION.search(question) and not _ABOUT_EQUATION.search(asked.sentence):
        return _state_solution(question, answer), question
    return _state_value(asked, question, answer)


def _state_slope(sentence: str, question: str, answer: str) -> tuple[str, str] | None:
    """Return the statement of the slope at a point, for a function that the sentence or the
    question has; None: no slope is asked."""
    tangent = _TANGENT_TO.search(sentence.replace("$", ""))
    if tangent and _SLOPE.search(sentence):
        return f"f'({tangent['at']}) = {answer}", f"f(x) = {tangent['f']}"
    point = _SLOPE_AT.search(sentence)
    return (f"f'({point['at']}) = {answer}", question) if point else None


def _state_value(asked: Asked, question: str, answer: str) -> tuple[str, str]:
    """Return the statement of a value of the function, or of an integral."""
    if (zero := _ZERO_OF.search(asked.sentence)) and _FUNCTION_NAME.search(" ".join(asked.before)):
        value = re.sub(r"^\s*x\s*=", "", _strip_marks(answer)).strip()
        return f"{zero['call']}{value}) = {zero['to']}", question
    readers = (_state_extremum, _state_axis, _state_excluded)
    if known := next(filter(None, (each(asked, answer) for each in readers)), ""):
        return known, ""
    if known := _state_coefficient(asked.sentence, answer):
        return known, ""
    image, name = _IMAGE.search(asked.sentence), _FUNCTION_NAME.search(question)
    if image is None or name is None:
        return state_integral(asked.sentence, answer), ""
    pair = (image["at"], answer) if image["kind"].lower() == "image" else (answer, image["at"])
    return f"{name[1]}({pair[0]}) = {pair[1]}", question


_SQUARE: Final = r"(?P<a>[-−+]? ?\d*)x(?:²|\^2)"
_QUADRATIC: Final = re.compile(
    rf"(?<![\w)^/*×-]){_SQUARE} ?(?P<b>[-−+] ?\d*)x ?(?P<c>[-−+] ?\d+)?(?![\w²³^(/*×])"
)
_EXTREMUM: Final = re.compile(
    r"\b(?P<kind>minimum|maximum|valeur minimale|valeur maximale|(?:least|greatest|minimum"
    r"|maximum) value)\b",
    _I,
)
_ON_PART: Final = re.compile(r"\bsur \[|\bon \[|\bentre\b|\bbetween\b|\binterval", _I)
_COEFFICIENT: Final = re.compile(
    r"\bcoefficient (?:de |du |of )x(?:\^(?P<k>\d)|(?P<raised>[²³⁴⁵⁶⁷⁸⁹]))? .*?"
    r"\((?P<a>[-−]?\d+) ?(?P<sign>[-−+]) ?(?P<b>\d*)x\)(?:\^(?P<n>\d)|(?P<power>[²³⁴⁵⁶⁷⁸⁹]))$",
    _I,
)


def _state_extremum(asked: Asked, answer: str) -> str:
    """Return that the least or greatest value of `x² - 6x + 11` is the answer."""
    whole = asked.whole.replace("$", "")
    kind, found = _EXTREMUM.search(asked.sentence), list(_QUADRATIC.finditer(whole))
    if kind is None or len(found) != 1 or _ON_PART.search(whole) or "=" in answer:
        return ""
    a, b, c = (_read_factor(found[0][name]) for name in "abc")
    is_least = kind[0].lower().startswith(("min", "valeur min", "least"))
    if (
        not a
        or (a > 0) != is_least
        or re.search(r"\b(?:atteint|reached|where|pour quelle?)\b", whole)
    ):
        return ""
    return f"{c - b**2 / (4 * a)} = {answer}"


_AXIS: Final = re.compile(
    r"\b(?:axe de sym[ée]trie|abscisse d[ue](?: son)? sommet|axis of symmetry"
    r"|x-coordinate of (?:the|its) vertex)\b",
    _I,
)
_EXCLUDED: Final = re.compile(
    r"\b(?:valeur|value|nombre|number)s? (?:(?:de|of) x )?(?:est |is )?(?:interdite?|exclue?"
    r"|forbidden|excluded)\b.* [^/]*/ ?\((?P<a>[-−+]? ?\d*)x ?(?P<b>[-−+] ?\d+)\)$",
    _I,
)
_OF_X: Final = re.compile(r"^\$?\s*x\s*[=≠]")


def _state_axis(asked: Asked, answer: str) -> str:
    """Return that the parabola of a quadratic function has its axis at the answer."""
    found = list(_QUADRATIC.finditer(asked.whole.replace("$", "")))
    if len(found) != 1 or not _AXIS.search(asked.sentence):
        return ""
    a, b = _read_factor(found[0]["a"]), _read_factor(found[0]["b"])
    return f"{-b / (2 * a)} = {_OF_X.sub('', answer)}" if a else ""


def _state_excluded(asked: Asked, answer: str) -> str:
    """Return that the denominator of `3/(x + 5)` is 0 at the answer."""
    found = _EXCLUDED.search(asked.sentence.replace("$", ""))
    if found is None or not (factor := _read_factor(found["a"])):
        return ""
    return f"{-_read_factor(found['b']) / factor} = {_OF_X.sub('', answer)}"


def _read_factor(text: str | None) -> Fraction:
    """Return a factor of a power of x as it is written: empty for 1, `-` for -1, None for 0."""
    if text is None:
        return Fraction(0)
    bare = text.replace(" ", "").replace("−", "-")
    return Fraction(f"{bare}1") if bare in ("", "+", "-") else Fraction(bare)


def _state_coefficient(sentence: str, answer: str) -> str:
    """Return that a coefficient of `(1 + 2x)⁵` is the answer."""
    found = _COEFFICIENT.search(sentence.replace("$", ""))
    if found is None:
        return ""
    power = int(found["n"] or found["power"].translate(_POWERS))
    place = int(found["k"] or (found["raised"] or "1").translate(_POWERS))
    factor = _read_factor(found["sign"] + found["b"])
    first = _read_factor(found["a"])
    if place > power:
        return ""
    return f"{comb(power, place) * first ** (power - place) * factor**place} = {answer}"


_ZERO_OF: Final = re.compile(
    r"\b(?:valeur|value|nombre|number"
    r"|x)\b.*\b(?P<call>[fgh]\()x\) ?= ?(?P<to>[-−]?\d+(?:[.,]\d+)?)$",
    _I,
)


def _state_derivative(question: str, answer: str) -> str:
    if _OTHER_DERIVATIVE.search(question):
        return ""
    bare = _strip_marks(re.sub(r"^\s*\$?\s*[a-z]'\([a-z]\)\s*=", "", answer))
    asked = _DERIVED.search(_END.sub("", question))
    name = _FUNCTION_NAME.search(question)
    if "=" in question or not asked:
        is_formula = "$" in answer or "\\" in answer
        said = f"{name[1] if name else 'f'}'(x) = {bare}"
        return f"${said}$" if is_formula else said
    derived = _strip_marks(_ENDS_EQUAL.sub("", asked["asked"]))
    return f"La dérivée de {derived} est {bare}"


def _state_solution(question: str, answer: str) -> str:
    """Write an answer as a solution; a bare value becomes the value of the question's unknown."""
    bare = _strip_marks(answer)
    if bare.startswith(("{", "[", "]")):
        return f"S = {bare}"
    letters = _UNKNOWN.findall("".join(re.findall(r"[^.:;\n]*=[^.:;\n]*", question)))
    if letters and _WHOLE_SET.search(question) and len(set(letters)) == 1 and "(" not in bare:
        values = re.sub(rf"\b{letters[0]}\s*=\s*", "", bare)
        if _BARE.fullmatch(values):
            return f"S = {{{_BETWEEN_VALUES.sub(' ; ', values)}}}"
    return f"{letters[-1]} = {bare}" if letters and _BARE.fullmatch(bare) else answer


def _strip_marks(text: str) -> str:
    return text.replace("$", "").strip()


# Tangents -----------------------------------------------------------------------------------------

_TANGENT: Final = re.compile(
    r"\b(?:tangente? )(?:à|au|to|en|at)?\b.*\b(?:en|at|abscisse|x ?=) ?(?:x ?=|the point)? ?"
    r"(?P<at>[-−]?\d+)$",
    _I,
)
_TANGENT_TO: Final = re.compile(
    r"\btangente? (?:à|a|to) (?:la courbe |the curve )?(?:d['’][ée]quation |de |of )?"
    r"(?:y|[fgh]\(x\)) ?= ?(?P<f>[^=;?!]{1,60}?) (?:en|at|au point d['’]abscisse) (?:x ?= ?)?"
    r"(?P<at>[-−]?\d+)(?= a pour | has |$)",
    _I,
)
_SLOPE: Final = re.compile(r"\b(?:coefficient directeur|pente|slope|gradient)\b", _I)
_CURVE: Final = re.compile(
    r"\b(?:y|[fgh]\(x\)) ?= ?(?P<f>[^.;?!]{1,60}?) ?(?:\b(?:en|at|au)\b|[.;?!]|$)"
)


def _state_tangent(found: re.Match[str], question: str, answer: str) -> tuple[str, str]:
    """Return that a line is the tangent of the curve that the question gives."""
    curve = _CURVE.search(question.replace("$", ""))
    if curve is None or not re.match(r"\$?\s*y ?=", answer):
        return "", ""
    return (
        f"L'équation de la tangente en {found['at']} est {_strip_marks(answer)}",
        f"f(x) = {curve['f']}",
    )


# Limits and integrals -----------------------------------------------------------------------------

_END: Final = re.compile(r"[ ?.:=…\u00a0\u202f]+$")
_INFINITE: Final = r"[-+−]? ?(?:∞|\\infty|l['’]infini|infinity)"
_AT: Final = rf"(?:{_INFINITE}|[-−]?\d+(?:[.,/]\d+)?|π|e(?!\w))"
_SIDE: Final = (
    r"(?P<side>\^?\{?[+-]\}?(?![∞\\\d])|,? ?(?:par (?:des )?valeurs? (?:positives?|n[ée]gatives?"
    r"|sup[ée]rieures?"
    r"|inf[ée]rieures?)|[àa] (?:droite|gauche)|from the (?:right|left)|from (?:above|below)"
    r"|avec x ?[<>] ?\d+))"
)
_WRITTEN_LIMIT: Final = re.compile(
    r"\\?lim(?:ite)? ?(?:_\{?|\()? ?(?P<x>[a-z]) ?(?:→|->|\\to|\\rightarrow) ?"
    rf"(?P<at>{_AT}) ?{_SIDE}?[)}}]? ?(?P<f>\S.*)$"
)
_TENDS: Final = (
    r"(?:quand|lorsque|si|as|when) (?P<x>[a-z]) (?:tend vers|approaches|tends to|goes to|→) ?"
)
_LIMIT_WHEN: Final = re.compile(
    rf"\blimite? (?:de |d['’]|of )(?P<f>.{{1,80}}?),? {_TENDS}(?P<at>{_AT}){_SIDE}?$", _I
)
_LIMIT_AT: Final = re.compile(
    rf"\blimite? (?:de |d['’]|of )(?P<f>.{{1,80}}?),? (?:en|at) (?P<at>{_AT}){_SIDE}?$", _I
)
_LIMIT_OF: Final = re.compile(
    rf"\blimite? (?:en|at) (?P<at>{_AT}){_SIDE}? (?:de |d['’]|of )(?P<f>.{{1,80}})$", _I
)
_SEQUENCE_LIMIT: Final = re.compile(
    r"\blimite? (?:de |of )(?:(?:la |the )?(?:suite|sequence) .{0,40}?|\(?[uvw](?:ₙ|_n|_\{n\}"
    r"|n)\)? ?)"
    r"= ?(?P<f>[^=]{1,60})$",
    _I,
)
_DEFINED: Final = re.compile(
    r"\b(?P<call>(?P<name>[fgh])\(x\)) ?= ?(?P<f>[^=.;?!]{1,60}?) ?(?:[.;?!]|,(?!\d)|$)"
)
_NAMED: Final = re.compile(
    r"^(?:la |the )?(?:fonction|function|suite|sequence|expression)\b ?"
    r"|^\(?[a-z](?:_?n|ₙ|\([a-z]\))\)? ?= ?|^[fgh] ?: ?[a-z] ?↦ ?|^[a-z] ?↦ ?"
)
_LOWER: Final = re.compile(r"n[ée]gative|inf[ée]rieure|gauche|left|below|<|-")
_IS_VALUE: Final = re.compile(rf"{_INFINITE}|[-+−]?[\d√(π/eln .,)]{{1,20}}|\\[a-z]+\{{.*")
_CALLED: Final = re.compile(r"\\?\b(ln|log|sin|cos|tan|exp)\b")
_POWERS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿˣ", "0123456789-+nx")
_RAISED: Final = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿˣ]+")
_INTEGRAL_OF: Final = re.compile(
    rf"\bint[ée]grale? (?:de |from )(?P<a>{_AT}) (?:[àa]|to) (?P<b>{_AT}) (?:de |d['’]|of )"
    r"(?P<f>.{1,60}?)(?: ?d(?P<x>[a-z]))?(?: (?:par parties|by parts))?$"
    rf"|\bintegral of (?P<g>.{{1,60}}?)(?: ?d(?P<y>[a-z]))? from (?:x ?= ?)?(?P<c>{_AT})"
    rf" to (?:x ?= ?)?(?P<d>{_AT})$",
    _I,
)
_INTEGRAL_SIGN: Final = re.compile(
    rf"∫ ?(?:de |from )(?P<a>{_AT}) (?:à|to) (?P<b>{_AT}) (?:de |d['’]|of )?"
    r"(?P<f>.{1,60}?) ?d(?P<x>[a-z])$",
    _I,
)


def state_limit(sentence: str, question: str, answer: str) -> str:
    """Return that a limit has a value; empty: none is read, or the answer is in words."""
    bare, stated = _strip_marks(answer), _strip_marks(_ENDS_EQUAL.sub("", _END.sub("", sentence)))
    patterns = (_LIMIT_WHEN, _LIMIT_OF, _LIMIT_AT, _SEQUENCE_LIMIT, _WRITTEN_LIMIT)
    found = next(filter(None, (each.search(stated) for each in patterns)), None)
    if found is None or not _IS_VALUE.fullmatch(bare):
        return ""
    parts = found.groupdict("")
    function = _NAMED.sub("", _NAMED.sub("", parts["f"].strip())).strip()
    if named := _DEFINED.search(question.replace("$", "")):
        function = named["f"].strip() if function in (named["name"], named["call"]) else function
    letters = _list_letters(function)
    variable = parts.get("x") or ("n" if letters == {"n"} else "x")
    if letters != {variable}:
        return ""
    at = _write_infinity(parts.get("at") or "+∞")
    side = parts.get("side", "")
    sign = ("^{-}" if _LOWER.search(side) else "^{+}") if side else ""
    value = _write_formula(_write_infinity(bare))
    return f"$\\lim_{{{variable} \\to {at}{sign}}} {_write_formula(function)} = {value}$"


def _list_letters(function: str) -> set[str]:
    """Return the letters of a formula; empty: it has words."""
    bare = _CALLED.sub(" ", function)
    if "\\" not in function and re.search(r"[^\W\d_]{3}", bare):
        return set()
    plain = bare.translate(_POWERS)
    return set(re.findall(r"(?<![a-zA-Z\\])[a-z](?![a-z])", plain)) - {"e"}


def state_integral(sentence: str, answer: str) -> str:
    """Return that an integral which is told in words has a value; empty: none is."""
    stated = _strip_marks(_ENDS_EQUAL.sub("", _END.sub("", sentence)))
    found = _INTEGRAL_OF.search(stated) or _INTEGRAL_SIGN.search(stated)
    if found is None:
        return ""
    parts = found.groupdict("")
    function = _NAMED.sub("", (parts["f"] or parts["g"]).strip())
    low, high = parts["a"] or parts["c"], parts["b"] or parts["d"]
    letter = parts["x"] or parts.get("y") or "x"
    return equate(
        f"$\\int_{{{low}}}^{{{high}}} ({_write_formula(function)}) d{letter}$", _strip_marks(answer)
    )


def _write_infinity(text: str) -> str:
    sign = "-" if text.startswith(("-", "−")) else "+"
    return f"{sign}\\infty" if re.fullmatch(_INFINITE, text, _I) else text


def _write_formula(text: str) -> str:
    """Return a formula in the signs of LaTeX: `x²` as `x^{2}`, `ln x` as `\\ln x`."""
    text = _RAISED.sub(lambda found: f"^{{{found[0].translate(_POWERS)}}}", text)
    text = re.sub(r"\^\(([^()]*)\)", r"^{\1}", text)
    text = re.sub(r"√ ?(?:\(([^()]*)\)|([a-z]|\d+))", r"\\sqrt{\1\2}", text)
    return _CALLED.sub(r"\\\1", text)
