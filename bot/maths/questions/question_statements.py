"""Write the statements that an answer to a question makes, for the checker of mathematics. Pure.

A question of a known kind, about a function or an equation has its own statements; others are
turned into sentences. What the question tells before it asks stands before the statement, so that
word problems are decided as texts, if they can be read without a misreading: the checker takes a
text's numbers for those of its claim. A question with numbers of another meaning (a time of day, a
part that is not asked for, workers who share work) stays undecided.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from bot.maths.questions.chance_and_counting import state_chance
from bot.maths.questions.equal_options import write_comparable
from bot.maths.questions.figure_questions import state_figure
from bot.maths.questions.function_questions import state_function, state_limit
from bot.maths.questions.number_questions import state_number
from bot.maths.questions.one_step_problems import state_proportional, state_story
from bot.maths.questions.question_kinds import has_blank, state_kind, state_lowest
from bot.maths.questions.question_sentences import (
    Asked,
    equate,
    find_computation,
    is_expression,
    is_measure,
    read_question,
    split_target,
    state_answer,
    state_value,
    write_neatly,
)
from bot.maths.questions.times_of_day import state_time
from bot.maths.questions.worked_results import state_result

_I: Final = re.IGNORECASE

# Questions that tell a story ----------------------------------------------------------------------

_LONGEST: Final = 500
"""Most characters of a story, and of an answer."""
_LONGEST_QUESTION: Final = 2_000
"""Most characters of a question that is read."""
_MOST_NUMBERS: Final = 6
_NUMBER: Final = re.compile(r"\d+(?:[ .,:/]\d+)*")
_CLOCK: Final = re.compile(r"\bà \d+ ?h\b|\d ?h ?\d\d|\d:\d\d|\b\d+ ?(?:[ap]\.?m\b|o'clock)")
_CLOCK_HOUR: Final = re.compile(r"\b(?:à|at|de|from|to|until|entre|et) (\d+) ?[h:]")
_SIGNED_RATE: Final = re.compile(r"[-−] ?\d+ ?%")
_TIMED: Final = re.compile(r"\dh|\d ?(?:h|min)\b|:")
_DIE: Final = re.compile(
    r"\b(?:un|a) (?:seul |fair |six-sided |balanced |normal )*(?P<die>dé|die)\b"
    r"(?: [ée]quilibré| non truqué| cubique| normal| à (?:six|6) faces)*",
    _I,
)
_SEVERAL_DICE: Final = re.compile(
    r"\b(?:fois|twice|times|deux|two|trois|three|pip[ée]|loaded|biased)\b", _I
)
_THROWN: Final = re.compile(
    r"\b(?:un|une|deux|trois|a|two|three) (?:dés?|pièces?|die|dice|coins?)\b", _I
)
"""A story of chance that needs no number in digits."""
_MORE_THAN: Final = re.compile(r"\bde (?:plus|moins)\b|\b(?:more|less|fewer)\b", _I)
_TOGETHER: Final = re.compile(
    r"\b(?:ensemble|en tout|au total|à eux|total|together|altogether|in all)\b", _I
)
_SHAPE: Final = re.compile(
    r"\b(?:(?<!triangle )rectang(?:le|ulaire)|square|cercle|circ|disque|triang|losange|cube|cylind"
    r"|c[ôo]ne|sph[èe]re|boule|trap[èe]ze|carr[ée]e?s?(?= d[e'’]| |$))",
    _I,
)
_LEFT: Final = re.compile(r"\breste\w*|\bleft\b|\bremain\w*", _I)
_PART: Final = re.compile(r"\d ?/ ?\d|\\[dt]?frac|%")
_NEGATED: Final = re.compile(
    r"\bn['’]|\b(?:ne|pas|sans|sauf|not|without|except|contraire|autre que)\b", _I
)
_COMPLEMENT: Final = re.compile(r"\bprobabilit\w* de ne pas (?=\w+(?:er|ir)\b)", _I)
"""A negation that the checker knows."""
_UNCLEAR_DATA: Final = re.compile(
    r"\b(?:ce nombre|l['’]autre|this number|the number|the other|initial\w*"
    r"|d[ée]part|origin\w*|avant|before|at first)\b",
    _I,
)
"""Words for what a story began with."""
_SHARED_WORK: Final = re.compile(
    r"\b(?:ouvri(?:er|[èe]re)|ma[çc]on|peintre|machine|robinet|pompe|tracteur|imprimante|worker"
    r"|builder|painter|pump|tap|tractor|printer)s?\b",
    _I,
)
"""Those that take less time when they are more."""
_PHYSICS: Final = re.compile(
    r"\b[ée]chos?\b|\bechoes\b|\b(?:en d[ée]rivation|en parall[èe]le|in parallel)\b|\bk?Wh\b", _I
)
"""Words of laws that no product or quotient of a story tells: a way there and back, a voltage that
each branch has in full, energies and their price."""
_LAST_VALUE: Final = re.compile(
    r"(?P<noun>.*[^\W\d].*\b(?:de|du|des|d'|entre|et|à|dans|par|of|and|in|between) ?)"
    r"(?P<rest>[^a-zà-ÿ]*\d.* est .*)$",
    _I,
)
_SAME: Final = re.compile(
    r"\b(?:valeurs?|[ée]critures?|formes?|fractions?|r[ée]sultat|notation|d[ée]cimale?s?"
    r"|[ée]quivalente?|value|result|form|decimal|percentage|pourcentage)\b",
    _I,
)
"""Nouns that name the same number: `l'écriture décimale de 3/4`."""


def _is_unclear(asked: Asked) -> bool:
    """Return whether a question denies something, or is about work that is shared."""
    whole = asked.whole
    said = _COMPLEMENT.sub(" ", asked.sentence)
    return bool(_NEGATED.search(said) or _SHARED_WORK.search(whole))


def _is_readable(asked: Asked, answer: str) -> bool:
    """Return whether what a question tells can stand before the statement of its answer."""
    story, sentence = " ".join(asked.before), asked.sentence
    numbers = len(_NUMBER.findall(story))
    hours = [int(each) for each in _CLOCK_HOUR.findall(story)]
    shapes = {each[:4].lower() for each in _SHAPE.findall(f"{story} {sentence}")}
    is_part = numbers > 2 or len(_PART.findall(story)) > 1
    misread = (
        _SIGNED_RATE.search(story),
        _CLOCK.search(story) and not _TIMED.search(answer),
        hours != sorted(hours),  # until the next day
        _UNCLEAR_DATA.search(sentence),
        _PHYSICS.search(f"{story} {sentence}"),
        "hypot" in story and "hypot" not in sentence,  # a leg is asked
        len(shapes) > 1,
        is_part and _LEFT.search(sentence),
        _MORE_THAN.search(story) and _TOGETHER.search(sentence),
    )
    has_data = numbers > 0 or _THROWN.search(story)
    return (
        bool(has_data) and numbers <= _MOST_NUMBERS and len(story) <= _LONGEST and not any(misread)
    )


def _name_die(asked: Asked) -> Asked:
    """Return a question about chance with its one fair die as the checker knows it."""
    whole = asked.whole
    die = _DIE.search(whole)
    if die is None or "probab" not in asked.sentence or _SEVERAL_DICE.search(whole):
        return asked
    name = "un dé" if die["die"] == "dé" else "a die"
    sentence = _DIE.sub(name, asked.sentence)
    return replace(asked, sentence=sentence if name in sentence else f"{sentence} avec {name}")


def _strip_noun(said: str) -> str:
    """Return `3/5 est 3` of `le numérateur de 3/5 est 3`; empty: there is no noun, or it may be
    left out like `valeur`."""
    found = _LAST_VALUE.match(said)
    return "" if found is None or _SAME.search(found["noun"]) else found["rest"]


# Statements ---------------------------------------------------------------------------------------

_LIMIT: Final = re.compile(r"\blim(?:ite?s?)?\b|\\lim\b", _I)
_FOREIGN: Final = re.compile(
    r"\b(?:en|in|dans la) base\b|\bbinaire|\bbinary\b|\bmodulo\b|\bhorloge\b|\bd[ée]faut\b"
    r"|\bexc[èe]s\b|\bencadr\w+|ordre de grandeur|\bestim\w+|\btronc\w*|\btronqu\w*",
    _I,
)
"""Words with which numbers mean something else, or need not be exact."""
_ASKS_WRONG: Final = re.compile(
    r"\b(?:fau(?:x|sses?)|(?:in|non )(?:correct|exact)e?s?|erreurs?|fautes?|intrus\w*|wrong|false"
    r"|mistakes?|errors?|odd one|except|sauf|not"
    r"|pas (?:vraie?s?|exacte?s?|correcte?s?|justes?|[ée]ga\w+))\b",
    _I,
)
_ASKS_TRUTH: Final = re.compile(
    r"\b(?:lequel|laquelle|quel(?:le)?|which)\b.*"
    r"\b(?:vraie?|justes?|exacte?s?|correcte?s?|true|right|correct)\b",
    _I,
)
_ASKS_FALSE: Final = re.compile(
    r"^(?:lequel|laquelle|quel(?:le)?|which)\b.*\b(?:fau(?:x|sse)|(?:in)?(?:correct|exact)e?|wrong|false)$",
    _I,
)
_EXACT_VALUE: Final = re.compile(
    r"\b(?:valeur|aire|mesure|longueur|p[ée]rim[èe]tre|volume|distance) exacte?\b|\bexact\b", _I
)
_MAY_TELL_WRONG: Final = re.compile(
    r"\b(?:vrai|faux|fausse|true|false|erreurs?|fautes?|mistakes?|errors?|corrig\w*|correct\w*"
    r"|intrus|raison|right|wrong|juste|exacte?|d['’]accord|agree|v[ée]rifi\w+|verify|check"
    r"|est-ce que|pense|dit|dis|[ée]crit|says?|thinks?|wrote|compare\w*|barre|impossible|suppos\w+"
    r"|absurde|montre\w*|d[ée]montre\w*|prove|show|conjectur\w*|pour quelle?s?|for which)\b",
    _I,
)
_WHICH: Final = re.compile(
    r"(?:lequel|laquelle|(?:quel(?:le)?|which) (?:est (?:le|la) )?(?:nombre|entier|[ée]criture"
    r"|expression|fraction|calcul|produit|somme|number|one|d[ée]cimal|forme?|valeur|value|sum"
    r"|of these)|which)(?: (?:de ces|parmi ces|of these|of the following)"
    r" ?(?:nombres?|[ée]critures?|expressions?|fractions?|numbers?)?)* (?P<says>(?:n['’]est pas"
    r"|ne divise pas|est|is not|is|divise|divides|vaut|equals?|makes?|donne|vient|suit"
    r"|pr[ée]c[èe]de|comes|correspond [àa]|qui est) .{1,80})$",
    _I,
)
"""A question which number has a property: `Quel nombre est premier ?`."""
_NOT: Final = re.compile(
    r"\bn['’]est pas\b|\bis not\b|\bisn['’]t\b"
    r"|\bne (?P<verb>divise|vaut|font|fait|donne|donnent) pas\b"
    r"|\b(?P<does>does) not divide\b|\b(?P<are>are)(?: not|n['’]t)\b|\bne sont pas\b|≠|\\neq?\b"
)
_EQUAL_TO: Final = re.compile(
    r"^(?:est|is|qui est)? ?(?:(?:[ée]gale?s?|[ée]quivalente?s?)(?: [àa]| au)|equal to"
    r"|equivalent to|the same as|la m[êe]me chose que|vaut|equals?) (?P<np>.+)$",
    _I,
)
_SUPERLATIVE: Final = re.compile(
    r"\b(?:le|la|the) (?:plus|moins|most|least|\w+est)\b|\bplus\b(?! (?:grand|petit)e?s? qu)"
    r"|\bmoins\b",
    _I,
)
_WORKED_OUT: Final = re.compile(
    r"(?:combien (?:font|fait|vaut|valent)|que (?:vaut|valent|fait)|calcule[rz]?|effectue[rz]?"
    r"|quel(?:le)? est (?:la valeur(?: exacte)?|le résultat|la forme [a-zéà ]{5,25}"
    r"|l['’]expression [a-zéà ]{5,25}) (?:de |d['’]|du )?|développe[rz]?|factorise[rz]?"
    r"|simplifie[rz]?|réduis|réduire|convertis|convertir|how much (?:is|are)|what (?:is|are)"
    r"|work out|calculate|compute|evaluate|expand|factori[sz]e|factor|simplify|convert|write|mets"
    r"|[ée]cris|exprime)(?: (?:fully|completely|au maximum|le plus possible))?"
    r"(?: (?:l['’]expression|le nombre|la fraction|the (?:expression|value of|number|fraction)))?"
    r" ?:? ?(?P<asked>.+)$",
    _I,
)
"""A question for an expression in another form."""
_UNCLEAR_QUOTIENT: Final = re.compile(r"/ ?\d+[a-z]")
"""A quotient whose end people read in two ways: `6x/3x²`."""
_REWRITES: Final = re.compile(
    r"d[ée]velopp|factori[sz]e|r[ée]dui[st]|simplifi|expand|factor\b|simplify", _I
)
"""The start of a question whose answer equals its expression for all values of the letters."""
_FORM_ASKED: Final = re.compile(
    r",? (?:sous (?:la |une )?forme .*|au maximum|le plus possible|en (?:un )?produit.*"
    r"|in (?:standard form|scientific notation)|in (?:its )?(?:lowest|simplest).*"
    r"|as (?:an? )?(?:fraction|decimal|product).*"
    r"|en (?:fraction|[ée]criture|notation|nombre).*|à l['’]aide.*|avec .*|en utilisant.*|sans .*"
    r"|pour (?:la |le )?rendre.*)$",
    _I,
)
_FUNCTION_OF: Final = re.compile(r"(?<![a-z])(?:sin|cos|tan|ln|exp)\b[^=]*[xabt]\b")
"""An expression of a letter whose equality with another one might be an equation."""
_DEFINES: Final = re.compile(
    r"[a-zA-Z](?:_\{?\w+\}?|ₙ|\(\w\))? ?=|↦|\\mapsto|\bsuite\b|\bfonction\b"
)
_MARKER: Final = re.compile(r"^(?:[A-Da-d]|[1-4])[).] +(?=\S)")
_TRUE_OR_FALSE: Final = re.compile(r"\b(?:vrai ou faux|true or false)\b", _I)
_ASKED_TRUTH: Final = re.compile(
    rf"^\s*{_TRUE_OR_FALSE.pattern}\s*[?:.,]*\s*|[\s?]*{_TRUE_OR_FALSE.pattern}[\s?.]*$|[\s?]+$", _I
)
_YES_OR_NO: Final = tuple(
    re.compile(pattern, _I)
    for pattern in (
        r"^(?:est-ce qu(?:e |['’])|est-il vrai qu(?:e |['’])|a-t-on |is it true that )"
        r"(?P<whole>.+)$",
        r"^(?P<who>.+?) (?P<verb>est|sont|a|divise)-(?:t-)?(?:ils?|elles?) (?P<what>.+)$",
        r"^(?P<verb>is|are) (?P<who>(?:the number )?\S*\d\S*(?: and \S+)?) (?P<what>.+)$",
    )
)
_NO_NUMBER: Final = frozenset(("oui", "non", "vrai", "faux", "yes", "no", "true", "false"))
_WORKED: Final = (
    state_number,
    state_figure,
    state_result,
    state_chance,
    state_time,
    state_story,
    state_proportional,
)
"""Readers of questions whose result is worked out."""
_LONG: Final = 4
"""Words from which an answer is a sentence of its own."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A statement that an answer may make."""

    text: str
    before: str = ""
    """The sentences before it in the same text."""
    known: str = ""
    """A question whose functions and equations are known."""
    bare: str = ""
    """The statement without its noun: if it is wrong for the same reason, the noun was not read."""
    is_sentence: bool = False
    """Whether it is worded freely, so that several answers may be right in it."""
    is_denied: bool = False
    """Whether the answer says that the statement is false."""


def write_statements(
    question: str, answer: str, options: Sequence[str] = ()
) -> Iterator[Candidate]:
    """Yield statements that an answer to a question makes; each may be undecided or misread.

    Args:
        options: the options of the question, if it has any.
    """
    question = write_neatly(question)
    asked = read_question(question)
    answer = _MARKER.sub("", answer.strip()).rstrip(" .") if options else answer.strip()
    answer = write_comparable(answer, question)
    is_long = len(question) > _LONGEST_QUESTION or len(answer) > _LONGEST
    if not answer or is_long or _FOREIGN.search(asked.whole):
        return
    denies = bool(_ASKS_WRONG.search(asked.whole))
    if found := _state_known(asked, question, answer, denies=denies):
        yield from filter(lambda each: each.text, (found,))
        return
    known = question.replace("?", ".") if _DEFINES.search(asked.whole) else ""
    kind = None if denies else state_kind(asked, answer, options)
    if kind is not None:
        yield from (Candidate(each, known=known) for each in kind)
    elif found := _WHICH.match(asked.sentence):
        yield from _state_property(found["says"], answer, known)
    elif not denies and _ASKS_TRUTH.search(_EXACT_VALUE.sub(" ", asked.sentence)):
        yield Candidate(answer, known=known)
    elif not denies:
        yield from _write_sentences(asked, answer, known)


def _state_known(asked: Asked, question: str, answer: str, *, denies: bool) -> Candidate | None:
    """Return the statement of a computation, of a question whose result is worked out, or about a
    limit, a function or a false equality; an empty one:
    nothing is stated; None: the question is of another kind.

    Args:
        denies: whether it may ask what is wrong; then only a chance is worked out: `P(not A)`.
    """
    if (computation := find_computation(question)) and "=" not in answer:
        return Candidate(equate(computation, answer))
    if denies and "=" in answer and _ASKS_FALSE.search(asked.sentence):
        return Candidate(answer, is_denied=True)
    if _LIMIT.search(question):
        return Candidate(state_limit(asked.sentence, question, answer))
    readers = (state_chance,) if denies else _WORKED
    if result := next(filter(None, (each(asked, answer) for each in readers)), ""):
        return Candidate(result)
    function, given = state_function(asked, question, answer)
    return Candidate(function, known=given.replace("?", ".")) if function else None


def affirm(statement: str) -> tuple[str, bool]:
    """Return a statement of a true-or-false question without its one negation, and whether it had
    one: `2 + 2 ≠ 4` gives `2 + 2 = 4`."""
    plain = _ASKED_TRUTH.sub("", statement)
    found = list(_NOT.finditer(plain))
    return (_drop_not(plain, found[0]), True) if len(found) == 1 else (plain, False)


def as_statement(question: str) -> str:
    """Return the statement of a question for yes or no, true or false; empty: there is none."""
    if _TRUE_OR_FALSE.search(question):
        return question
    sentence = read_question(question).sentence
    found = next(filter(None, (each.match(sentence) for each in _YES_OR_NO)), None)
    if found is None:
        return ""
    said = found.groupdict()
    return said.get("whole") or f"{said['who']} {said['verb']} {said['what']}"


def asks_wrong(question: str) -> bool:
    """Return whether a question asks which option is false, or is not something."""
    return bool(_ASKS_WRONG.search(question) or _NOT.search(question))


def may_tell_wrong(question: str) -> bool:
    """Return whether a question may hold a wrong statement on purpose, or an unfinished one."""
    return bool(_MAY_TELL_WRONG.search(question)) or has_blank(question)


def _drop_not(text: str, found: re.Match[str]) -> str:
    """Return a text without a negation in it."""
    said = found[0]
    if "≠" in said or "\\ne" in said:
        verb = "="
    elif said.startswith("ne "):
        verb = found["verb"] or "sont"
    else:
        verb = "divides" if found["does"] else found["are"] or ("est" if "est" in said else "is")
    return text[: found.start()] + verb + text[found.end() :]


def _state_property(says: str, answer: str, known: str) -> Iterator[Candidate]:
    """Yield that an option has, or lacks, a property."""
    denied = _NOT.search(says)
    if denied:
        says = _drop_not(says, denied)
    found = _EQUAL_TO.match(says)
    if lowest := state_lowest(says, answer):
        texts = [lowest]
    elif found and not found["np"].startswith(("celui", "celle", "son", "sa ")):
        texts = [*state_value(found["np"], answer)]
    elif _SUPERLATIVE.search(says):
        return
    else:
        texts = [f"{answer} {says}", f"le nombre qui {says} est {answer}"]
    yield from (Candidate(each, known=known, is_denied=bool(denied)) for each in texts)


# Sentences ----------------------------------------------------------------------------------------


def _write_sentences(asked: Asked, answer: str, known: str) -> Iterator[Candidate]:
    """Yield the answer as a sentence: alone, and after what the question tells before it."""
    if answer.lower() in _NO_NUMBER or _is_unclear(asked):
        return
    if "=" in answer or (len(answer.split()) >= _LONG and re.search(r"[^\W\d]{4}", answer)):
        yield Candidate(answer, "" if "=" in answer else " ".join(asked.before), known)
        return
    if (found := _WORKED_OUT.match(asked.sentence)) and "=" not in found["asked"]:
        phrase = _FORM_ASKED.sub("", found["asked"]).strip()
        if is_expression(split_target(phrase)[0]) or is_measure(split_target(phrase)[0]):
            is_identity = _REWRITES.match(asked.sentence) or _FUNCTION_OF.search(phrase)
            is_clear = not _UNCLEAR_QUOTIENT.search(phrase)
            lead = "Identité : " if is_identity and is_clear else ""
            said = state_value(phrase, answer)
            yield from (Candidate(f"{lead}{each}", known=known) for each in said)
    asked = _name_die(asked)
    for said, prefix in state_answer(asked, answer):
        yield from _place(asked, answer, prefix, Candidate(said, known=known, is_sentence=True))


def _place(asked: Asked, answer: str, prefix: str, said: Candidate) -> Iterator[Candidate]:
    """Yield a sentence alone, after the words before it, and after the story as a text of its own
    or joined to the last sentence of it."""
    said = replace(said, bare=_strip_noun(said.text))
    yield said
    whole = f"{prefix}, {said.text}" if prefix else said.text
    if prefix:
        yield replace(said, text=whole, known="")
    if asked.before and _is_readable(asked, answer):
        *first, last = asked.before
        story, joined = " ".join(asked.before), f"{last.rstrip(' .!')}, {whole}"
        yield replace(said, text=whole[0].upper() + whole[1:], before=story, known="")
        yield replace(said, text=joined, before=" ".join(first), known="")
