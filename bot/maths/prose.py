"""Split Markdown into sentences of mathematical tokens, and mark those that the writer disowns.

A formula keeps its place in its sentence. Code, addresses of links and struck-out text are breaks.
A sentence is disowned if it quotes, asks, or speaks of a mistake.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import msgspec
from markdown_it.token import Token as MarkdownToken

from bot.markdown import make_parser
from bot.maths.formula_tokens import tokenize_formula
from bot.maths.number_words import fold
from bot.maths.tokens import Token, join_words, pair_bars, tokenize

_DISOWNED: Final = re.compile(
    r"[?❌✗✘🤔]|\d\s*✖|^\W*(?:v ?/ ?f\b|(?:is|are|does|est-ce que|crois-tu que) )"
    r"|(?:look|seem|sound)s? (?:right|ok|okay|correct|true)\b"
    r"|«[^«»\d]*\d|\d[^«»\d]*»|“[^“”\d]*\d|\d[^“”\d]*”|\b(?:faux|fausses?|erreurs?|wrong|incorrecte?s?|not|mistakes?"
    r"|false|inexacte?s?|erronee?s?|absurde|impossible|contradiction|pieges?|confond\w*|au lieu"
    r"|instead|suppos\w+|imagin\w+|pensent|croient|on croit|(?<!i )think|believe"
    r"|(?:people|pupils|students|some|many) (?:say|write)"
    r"|(?:certains|eleves|gens) (?:disent|ecrivent)"
    r"|on ne (?:dit|ecrit|met|peut|fait) (?:pas|jamais)|n'ecri\w+ (?:pas|jamais)"
    r"|ne pas (?:ecri\w+|dire|faire)"
    r"|rejete\w*|exclu\w*|ne convien\w+|ta reponse|ton resultat|ton calcul"
    r"|tu as (?:ecrit|mis|trouve|dit|note|repondu|propose)|tu (?:ecris|dis|penses|proposes|reponds)"
    r"|(?:il|elle|eleve|copain|copine|camarade|amie?|garcon|fille|quelqu'un|enfant) "
    r"(?:a |avait )?(?:ecri\w+|di(?:t|sait)|repond\w+|pens\w+|cro(?:it|yait)|affirm\w+|pretend\w*)"
    r"|you (?:wrote|found|said|say|write|answered|got|think)"
    r"|(?:pupil|student|somebody|someone|friend) (?:wrote|said|says|writes)"
    r"|(?<!\bi )(?<!\bwe )(?<!just )(?:wrote|said|answered|claims|claimed)"
    r"|(?:got|found|put)[^.?]{0,60}\bbut\b[^.?]{0,20}\b(?:right|correct|answer|it is|it's|should)"
    r"|(?<!\bnous )(?<!\bon )(?<!\bqui )\w{3,} (?:a|avait|ont) (?:ecrit|repondu|note|dit)"
    r"|(?:il|elle|eleve|enfant|fils|fille) (?:a|avait) (?:mis|trouve)"
    r"|j'ai (?:ecrit|dit|mis|note|trouve|repondu) (?:tout a l'heure|plus haut|avant|hier|d'abord"
    r"|ci-dessus|trop vite|tantot|par megarde)"
    r"|j'ai (?:ecrit|dit|mis|note|repondu)[^.?]{0,80}\b(?:faute|desole|pardon|trompe|etourderie)\w*"
    r"|i (?:wrote|said|put)[^.?]{0,80}\b(?:earlier|above|sorry|my bad|oops|slip)"
    r"|(?:earlier|above|before) i (?:wrote|said|put)|je me suis trompee?|(?:c'est|etait) une faute"
    r"|ne (?:dis|dites|dit|pense|pensez|crois|croyez|conclus|concluez|reponds|va) "
    r"(?:surtout )?(?:pas|jamais)"
    r"|(?:dans|sur) (?:ta|ton|tes|sa|son|ses) (?:copie|cahier|ardoise|feuille|devoir|brouillon)s?"
    r"|ton developpement|oups|hum|hmm+|zut|mauvaise idee|m'inquiete|en oubliant|tu oublies"
    r"|sans que|on a (?:tente|essaye)"
    r"|ta (?:conversion|copie|solution|formule)|re(?:vois|compte|calcule)\w*"
    r"|tu (?:m'envoies|annonces|conclus|affirmes|soutiens|pretends)"
    r"|(?<!enonce )(?<!theoreme )(?<!thales )(?<!pythagore )(?<!propriete )(?<!definition )"
    r"(?<!regle )(?<!\bon )(?<!la )(?:dit|pense|trouve) que(?! tu)"
    r"|(?:pretend|soutient|affirme|jure|s'imagine)(?: que)?"
    r"|your answer|on pourrait croire|pas egal\w*|cannot|can't|never)\b"
    r"|\wn't\b"
    r"|\bn(?:e|')\s?(?:est|sont|fait|font|vaut|valent|donne|donnent|verifie|marche|peut|peuvent)\s"
    r"(?:pas|jamais|plus)\b"
)
_HARMLESS: Final = re.compile(
    r",? ?(?:n'est-ce pas|d'accord|pas vrai"
    r"|(?<!looks )(?<!look )(?<!seem )(?<!sound )(?:ok|okay|right)"
    r"|isn't it|non) ?\?"
    r"|\bn'est (?:pas|jamais) (?:(?:si|tres|trop|plus|bien|du tout|vraiment) )*"
    r"(?:complique|difficile|dur|long|grave|sorcier|magique|facile|evident|simple|loin"
    r"|un secret|un hasard)\w*"
    r"|\bnot (?:so |very |too |that |really )?(?:hard|difficult|complicated|long|easy|magic|far)\b"
    r"|\b(?:do not|don't|never|can't|cannot|impossible to|not) (?:forget|worry|miss|hesitate)\b"
    r"|\bimpossible (?:a|de|d') ?(?:oublier|se tromper|rater)\b"
    r"|\b(?:sans|(?:pour|afin d') ?eviter (?:les?|l'|une|des|toute)|without) ?"
    r"(?:fautes?|erreurs?|pieges?|mistakes?)"
    r"|\b(?:les )?erreurs? (?:a eviter|frequente|classique)?s? ?(?:est|serait|:)? ?"
    r"(?:d'|de l')?oubli\w*"
    r"|\bverif\w* (?:ensemble |bien |donc )*(?:ta reponse|ton resultat|ton calcul) ?:"
    r" ?(?:si|pour|avec|en|on)\b"
    r"|\b(?:check|verify)(?:ing)? (?:together )?your answer ?: ?(?:if|for|with|when)\b"
    r"|^[»”]"
    r"|\bi (?:think|believe)\b|\bje (?:crois|pense)\b"
    r"|\?(?= ?(?:c'est|that's|it's|ca |cela |on (?:obtient|trouve)|tu (?:obtiens|trouves)"
    r"|il reste|=|we get|you get))"
)
"""Words that sound like a doubt about a statement, but are none."""
_AFFIRMED: Final = re.compile(
    r"\b(?:(?:la )?(?:bonne|juste) (?:reponse|egalite|ecriture)|(?:le )?bon resultat"
    r"|c'est (?:juste|vrai|exact|correct)|est (?:juste|vraie?|exacte?|correcte?)|retiens|retenir"
    r"|regle|right answer|correct answer|is (?:right|correct|true)|remember|rule)\b"
)
"""Words that confirm a quotation."""
_QUOTATIONS: Final = re.compile(r"[«»“”\"]")
_NEGATED: Final = re.compile(r"\bn(?:e|')\s?est (?:pas|plus)\b|\bis(?:n't| not)\b")
_DENIAL: Final = re.compile(
    r"(?:mais |or |non, |no, |but )?(?:c'est (?:faux|une erreur|incorrect|inexact)|ce n'est pas"
    r"|that(?:'s| is) (?:not|wrong|false|a mistake|incorrect))|mais non\b|bien sur que non"
)
"""Words that deny the sentence before."""
_ATTRIBUTED: Final = re.compile(
    r"\b(?:ton (?:calcul|resultat|developpement)|ta (?:reponse|conversion|formule|solution)"
    r"|tu as (?:bien )?(?:ecrit|mis|trouve|dit|note|repondu|propose)"
    r"|tu (?:ecris|dis|proposes|reponds)"
    r"|you (?:wrote|found|said|say|write|answered|got)|your answer)\b"
)
"""Words that only say whose a statement is."""
_PRAISED: Final = re.compile(
    r"\b(?:oui|yes),? ?(?=[\d(])|^\W*(?:oui|yes|exact|exactement|exactly|correct|tout a fait)\b"
    r"|\bc'est (?:tout a fait |bien )?(?:juste|exact|correct)\b(?! (?:un|une|que|pour|de|a)\b)"
    r"|\bthat's (?:right|correct)\b"
)
_RESERVED: Final = re.compile(
    r"\b(?:mais|presque|but|almost|attention|erreurs?|faux|pas|not|verif\w*|relis|sauf|dommage"
    r"|however|essa\w*|try|si|if|quand|when)\b|\?"
)
"""Words with which praise is no approval of all that is said."""
_CONFIRMED: Final = re.compile(
    r"\W*(?:(?:oui|bravo|super|parfait|yes|great|bien)\W+)?(?:c'est|that's|that is|this is)"
    r" (?:tout a fait |bien |absolument )?(?:juste|exact|correct|right)\W*"
)
_ANNOUNCED: Final = re.compile(
    r"\b(?:(?:right|correct) (?:answer|result) is|la bonne reponse est) (\d+)"
)
"""The right answer, after an error that is only quoted."""
_EXCLUDED: Final = re.compile(
    r"\b(?:divisibles?|multiples?|diviseurs?|paire?s?|impaire?s?|premiere?s?|divisors?|factors?|even"
    r"|odd|prime)\b"
)
"""Properties of whole numbers: a sentence that concludes that a number lacks one affirms what it
computes before."""
_COMPUTATION: Final = re.compile(
    r"\W*(?:calcul|operation|multiplication|addition|soustraction|division|expression"
    r"|computation|calculation)s?\W*|\s*[×+]\s*"
)
_RESULT: Final = re.compile(
    r"\W*(?:resultat|reponse|valeur|produit|somme|total|difference|quotient|result|answer|value)s?\W*"
    r"|\W*=\W*"
)
"""Heads of two columns of a table, in which each line is an equality."""
_NUMBER: Final = re.compile(r"[-−–$ ]*\d[\d\s.,$]*")
_RIDDLE: Final = re.compile(
    r"\b(?:vrai(?: ou |, | ?/ ?)faux|true(?: or |, | ?/ ?)false"
    r"|v ?/ ?f(?= ?:|\s*$)|(?:un|une) seule? (?:est|calcul\w*|egalite\w*)[^.?]* fau\w+"
    r"|(?:trouve|cherche|repere)\w* (?:l'|les |une |la )?(?:erreurs?|fautes?|intrus)"
    r"|ou est (?:l'erreur|la faute)|(?:which|one) (?:one )?(?:of them )?is (?:wrong|false)"
    r"|(?:find|spot) the (?:mistake|error))\b"
)
"""Words that announce statements of which some are wrong on purpose."""
_QUOTES: Final = re.compile(r"\"[^\"\d]*\d[^\"]*\"")
_IGNORED: Final = "\ufffc"
"""A character that replaces text that is not read: code, pictures, struck-out words."""
_PARSER: Final = make_parser()


@dataclass(slots=True)
class Sentence:
    """One sentence, line or cell."""

    tokens: list[Token]
    source: str
    """The text of its block; the places of tokens refer to it."""
    text: str
    """Its words, without accents and capitals."""
    is_disowned: bool
    block: int
    """The number of its paragraph, cell or list item."""
    section: int
    """The number of its section between headings."""


@dataclass(slots=True)
class _Block:
    parts: list[str] = field(default_factory=list[str])
    formulas: list[tuple[int, int, str]] = field(default_factory=list[tuple[int, int, str]])
    """Start, end and LaTeX of each formula."""
    length: int = 0

    def add(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)

    def add_formula(self, latex: str, mark: str) -> None:
        start = self.length
        self.add(f"{mark}{latex}{mark}")
        self.formulas.append((start, self.length, latex))

    def equate(self, result: _Block) -> _Block:
        """Return one block of this computation, an equals sign and its result; only the result, if
        this is no computation."""
        if "=" in self.text or "=" in result.text or _NUMBER.fullmatch(self.text):
            return result
        joined = _Block([*self.parts, " = "], [*self.formulas], self.length + 3)
        for start, end, latex in result.formulas:
            joined.formulas.append((start + joined.length, end + joined.length, latex))
        joined.add(result.text)
        return joined

    @property
    def text(self) -> str:
        return "".join(self.parts)


def read_sentences(markdown: str) -> list[Sentence]:
    """Return all sentences of a text, in order."""
    sentences: list[Sentence] = []
    carried = _Carried()
    for number, block in enumerate(_read_blocks(markdown, carried)):
        is_disowned = is_last_disowned = carried.is_disowned()
        is_last_riddle = False
        source = block.text
        split = _split(_tokenize(source, tuple(block.formulas)))
        for tokens, denies in (part for each in split for part in _split_denial(each, source)):
            text = _write_text(tokens, source)
            found = is_last_disowned or is_disowned or denies or _is_disowned(text)
            is_last_riddle |= bool(_RIDDLE.search(text))
            if sentences and sentences[-1].block == number:
                _judge_again(sentences[-1], text)
            sentences.append(Sentence(tokens, source, text, found, number, carried.section))
            is_last_disowned = found and (is_last_riddle or text.rstrip().endswith(":"))
        carried.leave(source)
    return sentences


def _judge_again(sentence: Sentence, after: str) -> None:
    """Mark a sentence that the next one denies, or that it confirms: `Tu as écrit 7 × 8 = 56.
    C'est exact.`"""
    right, ends = _ANNOUNCED.search(after), re.findall(r"\d+", sentence.text)[-1:]
    is_corrected = right is not None and "=" in sentence.text and [right[1]] != ends
    if _DENIAL.match(after) or is_corrected:
        sentence.is_disowned = True
    elif _CONFIRMED.fullmatch(after) and not _is_disowned(_ATTRIBUTED.sub(" ", sentence.text)):
        sentence.is_disowned = False


def _split_denial(tokens: list[Token], source: str) -> list[tuple[list[Token], bool]]:
    """Split a sentence that denies and affirms; return its parts, and whether each denies:
    `19 n'est pas pair, car 19 = 2 × 9 + 1`, `1 + 9 = 10, donc 19 n'est pas divisible par 3`."""
    text = _write_text(tokens, source)
    cut = _find_word(tokens, _REASONS)
    if cut and _NO_FACTOR.search(text) and not _is_disowned(_write_text(tokens[:cut], source)):
        return [(tokens[:cut], False), (tokens[cut:], True)]
    if not _NEGATED.search(text):
        return [(tokens, False)]
    if cut:
        return [(tokens[: cut + 1], True), (tokens[cut + 1 :], False)]
    if cut := _find_word(tokens, _CONCLUSIONS):
        before, after = (_write_text(part, source) for part in (tokens[:cut], tokens[cut:]))
        if _EXCLUDED.search(after) and not _NEGATED.search(before):
            return [(tokens[:cut], False), (tokens[cut:], True)]
    return [(tokens, False)]


def _find_word(tokens: Sequence[Token], words: Sequence[str]) -> int:
    """Return the place of the first of some words within a sentence; 0: there is none."""
    places = (at for at, token in enumerate(tokens) if token.text in words)
    return next((at for at in places if at and at + 1 < len(tokens)), 0)


_NO_FACTOR: Final = re.compile(
    r"\b(?:premiere?s?|prime)\b.*\b(?:ne (?:peut|peuvent|se divise\w*)|n'(?:a|ont) pas|cannot|can't"
    r"|has no|not divisible)\b"
)
"""A number is prime because it lacks divisors."""
_REASONS: Final = ("car", "puisque", "because", "since")
_CONCLUSIONS: Final = ("donc", "so", "therefore", "ainsi")


def _write_text(tokens: Sequence[Token], source: str) -> str:
    """Return the words of tokens, without accents and capitals."""
    return fold(source[tokens[0].start : tokens[-1].end])


def is_doubted(text: str) -> bool:
    """Return whether folded words quote, ask, or speak of a mistake."""
    return _is_disowned(text)


def _is_disowned(text: str) -> bool:
    said = _HARMLESS.sub(" ", text)
    if _PRAISED.search(said) and not _RESERVED.search(said):
        said = _ATTRIBUTED.sub(" ", said)
    if _AFFIRMED.search(said):
        said = _QUOTATIONS.sub(" ", said)
    return bool(_DISOWNED.search(said) or _QUOTES.search(said))


class _Carried:
    """The effect of earlier blocks on the next: `Erreurs fréquentes :` on the list after it."""

    def __init__(self) -> None:
        self.section = 0
        self._is_heading = self._is_head = False
        self._disowned_section = -1
        self._disowned_list = False
        self._columns: list[bool] = []
        self._heads: list[str] = []
        self._column = self._quotes = self._lists = 0

    def enter(self, kind: str) -> None:
        """Note the next token of the Markdown tree."""
        self._quotes += (kind == "blockquote_open") - (kind == "blockquote_close")
        self._lists += kind.endswith("list_open") - kind.endswith("list_close")
        if kind.endswith("list_close") and self._lists == 0:
            self._disowned_list = False
        if kind in ("heading_open", "hr"):
            self.section += 1
        self._is_heading = kind == "heading_open" or (self._is_heading and kind == "inline")
        self._enter_table(kind)

    def _enter_table(self, kind: str) -> None:
        if kind == "thead_open":
            self._columns, self._heads, self._is_head = [], [], True
        elif kind == "table_close":
            self._columns, self._heads = [], []
        elif kind == "thead_close":
            self._is_head = False
        elif kind == "tr_open":
            self._column = 0
        elif kind in ("th_close", "td_close"):
            self._column += 1

    def is_result(self) -> bool:
        """Return whether the next cell has the result of the one before."""
        heads = [] if self._is_head else self._heads[max(0, self._column - 1) : self._column + 1]
        is_pair = len(heads) == 2
        return is_pair and bool(_COMPUTATION.fullmatch(heads[0]) and _RESULT.fullmatch(heads[1]))

    def is_disowned(self) -> bool:
        """Return whether the next block is disowned by its heading, list, column or quotation."""
        in_column = not self._is_head and any(self._columns[self._column : self._column + 1])
        in_section = self._disowned_section == self.section
        return self._quotes > 0 or self._disowned_list or in_section or in_column

    def leave(self, text: str) -> None:
        """Note the text of a block that was read."""
        if self._disowned_list and self._lists == 0:
            self._disowned_list = False
        if self._is_head:
            self._heads.append(fold(text))
            self._columns.append(_is_disowned(self._heads[-1]))
        elif self._is_heading:
            self._disowned_section = self.section if _is_disowned(fold(text)) else -1
        elif _RIDDLE.search(folded := fold(text)) or (
            text.rstrip().endswith(":") and _is_disowned(folded)
        ):
            self._disowned_list = True


def _read_blocks(markdown: str, carried: _Carried) -> Iterator[_Block]:
    before = _Block()
    for token in _PARSER.parse(markdown):
        carried.enter(token.type)
        if block := _read_block(token):
            yield before.equate(block) if carried.is_result() else block
            before = block


def _read_block(token: MarkdownToken) -> _Block | None:
    block = _Block()
    if token.type == "inline":
        _add_inline(block, token.children or [])
    elif token.type == "maths_block":
        block.add_formula(token.content, "$$")
    return block if block.length else None


def _add_inline(block: _Block, children: Sequence[MarkdownToken]) -> None:
    struck = 0
    for at, token in enumerate(children):
        struck += (token.type == "s_open") - (token.type == "s_close")
        if struck or token.type in ("code_inline", "image", "s_close"):
            block.add(_IGNORED)
        elif token.type == "maths":
            block.add_formula(token.content, token.markup)
        elif token.type in ("softbreak", "hardbreak"):
            block.add("\n")
        elif token.type == "text":
            block.add(token.content)
        elif token.markup == "*" and _is_product(block, children[at + 1 : at + 2]):
            block.add("*")


def _is_product(block: _Block, after: Sequence[MarkdownToken]) -> bool:
    """Return whether a star that Markdown takes for emphasis stands between two values."""
    before = block.parts[-1][-1:] if block.parts else ""
    following = after[0].content[:1] if after else ""
    return bool(re.match(r"[\w)]", before) and re.match(r"[\w(]", following))


@lru_cache(maxsize=64)
def _tokenize(text: str, formulas: tuple[tuple[int, int, str], ...]) -> Sequence[Token]:
    """Return the tokens of text and formulas, in order. Cached, because a streamed text is read
    repeatedly."""
    tokens, at = list[Token](), 0
    for start, end, latex in formulas:
        tokens += tokenize(text[at:start], start=at)
        found = tokenize_formula(latex, start, end)
        if found and text[start - 1 : start].isspace():
            found[0] = msgspec.structs.replace(found[0], is_spaced=True)
        tokens += found
        at = end
    tokens += tokenize(text[at:], start=at)
    return join_words(pair_bars(_settle_marks(_settle_blanks(tokens))))


def _settle_blanks(tokens: list[Token]) -> list[Token]:
    """Return the tokens, with question marks that stand for a number as breaks: `? + 8 = 15`."""
    return [
        msgspec.structs.replace(token, kind="break") if _is_blank(tokens, at) else token
        for at, token in enumerate(tokens)
    ]


def _is_blank(tokens: Sequence[Token], at: int) -> bool:
    before, after = tokens[max(0, at - 1) : at], tokens[at + 1 : at + 2]
    if tokens[at].text != "?" or not after:
        return False
    begins = (
        not before or before[0].text in (*"\n+-*/:=(", "donc", "so") or before[0].kind == "break"
    )
    return begins and (after[0].kind == "relation" or after[0].text in ("+", "-", "*", "/"))


def _settle_marks(tokens: list[Token]) -> list[Token]:
    """Return the tokens, with marks read as decimal marks if another number of the text shows that
    they are."""
    decimal = {
        mark
        for token in tokens
        for mark in ",."
        if token.places not in (0, 3) and mark in token.text and token.kind == "number"
    }
    return [
        msgspec.structs.replace(token, other=None)
        if token.other is not None and decimal & set(token.text)
        else token
        for token in tokens
    ]


def _split(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Split tokens into sentences and lines; a line that begins with a relation continues."""
    start = 0
    for at, token in enumerate(tokens):
        after = tokens[at + 1] if at + 1 < len(tokens) else None
        if _is_end(token, after):
            yield _join_answer(tokens[start : at + 1])
            start = at + 1
    if start < len(tokens):
        yield _join_answer(tokens[start:])


def _join_answer(sentence: Sequence[Token]) -> list[Token]:
    """Return the sentence without the mark of a question that it answers itself: `8 × 7 ? C'est
    56.`"""
    *others, last = sentence
    return [*(each for each in others if each.text != "?" or each.kind == "break"), last]


def _is_end(token: Token, after: Token | None) -> bool:
    if token.kind == "separator":
        if token.text == "\n":
            return after is not None and after.kind != "relation" and not token.is_formula
        is_last = after is None or after.is_spaced or after.text == "\n"
        is_answered = after is not None and after.kind == "relation"
        return (token.text == "?" and not is_answered) or (token.text == "." and is_last)
    is_call = token.text == "!" and token.kind == "operator"
    return is_call and after is not None and after.is_spaced and after.kind == "word"
