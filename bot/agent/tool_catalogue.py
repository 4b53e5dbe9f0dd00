"""List the available tools: those that a person may use, and those that the model is offered.

Guests, who have not logged in, may use no tool. An account may use the tools of its mode.

If there are many, the model is offered those whose words the request uses, ranked by BM25
(Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009) over names, descriptions and
parameters. Words are compared without accents and endings, in French and English alike, and by a
list of meanings that both languages share.
"""

from __future__ import annotations

import heapq
import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from typing import Any, cast

import structlog

from bot.agent.model_facts import BYTES_OF_JSON, find_model_facts
from bot.agent.turn import Turn
from bot.contracts.tools import AnyTool, ToolSource, ToolSpec
from bot.messages.transcript import AssistantMessage
from bot.settings import Settings

_SHARE_OF_TOOLS = 2
"""Tools may take at most one part in so many of a model's window."""
log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class _ToolPermission:
    """The tools that a turn may use, regardless of its budget."""

    mode: str
    """The person's mode; empty for a guest, which is the mode of no tool."""
    may_delegate: bool
    in_group: bool

    def covers(self, tool: AnyTool) -> bool:
        """Return whether the tool may run."""
        is_kept_back = (tool.is_delegate and not self.may_delegate) or (
            tool.is_private and self.in_group
        )
        return self.mode in tool.modes and not is_kept_back


@dataclass(frozen=True)
class _ToolSet:
    """The tools for one permission."""

    tools: Mapping[str, AnyTool]
    window: int
    """Tokens in the window of the model that is offered them."""

    @cached_property
    def specs(self) -> tuple[ToolSpec, ...]:
        return tuple(tool.spec for tool in self.tools.values())

    @cached_property
    def selector(self) -> ToolSelector:
        always = [tool.name for tool in self.tools.values() if tool.always_offered]
        tokens = sum(len(spec.encoded) for spec in self.specs) // BYTES_OF_JSON
        fits = tokens * _SHARE_OF_TOOLS <= self.window
        return ToolSelector(self.specs, always, MOST_OFFERED if fits else 0)


class ToolCatalogue:
    """The built-in tools, and those that sources have at the moment. Of two tools with one name,
    the first counts."""

    def __init__(
        self,
        tools: Sequence[AnyTool],
        sources: Sequence[ToolSource],
        settings: Settings,
        *,
        only: frozenset[str] | None = None,
    ) -> None:
        """
        Args:
            only: the names of the tools to include; None: all.
        """
        self._only = only
        self._own = tuple(tool for tool in tools if tool.enabled(settings))
        self._sources = sources
        self._disabled = settings.disabled_tools
        self._window = find_model_facts(settings.model, settings.model_capabilities).context_window
        self._known: list[tuple[AnyTool, ...]] = []
        self._tools: Mapping[str, AnyTool] = {}
        self._tool_sets: dict[_ToolPermission, _ToolSet] = {}

    def find(self, name: str) -> AnyTool | None:
        """Return the tool of this name, whether or not this person may use it."""
        return self._current().get(name)

    def tools_for(self, turn: Turn) -> Mapping[str, AnyTool]:
        """Return the tools that may run in this turn, by name."""
        return self._tool_set(turn).tools

    def specs_for(self, turn: Turn) -> tuple[ToolSpec, ...]:
        """Return the descriptions of these tools; the same tuple until the tools change."""
        return self._tool_set(turn).specs

    def offer(self, turn: Turn) -> tuple[ToolSpec, ...]:
        """Return the tools that the model is offered: all, or the most relevant if they are many or
        would fill half of its window; always the same tuple within a turn."""
        if turn.offered is None:
            called = {  # they may be needed again
                call.name
                for message in turn.messages
                if isinstance(message, AssistantMessage)
                for call in message.tool_calls
            }
            turn.offered = self._tool_set(turn).selector.select(turn.request, more=called)
        return turn.offered

    def _tool_set(self, turn: Turn) -> _ToolSet:
        tools = self._current()
        person = turn.person
        mode = "" if person.is_guest else person.mode
        permission = _ToolPermission(mode, turn.depth > 0, person.in_group)
        if permission not in self._tool_sets:
            permitted = {name: tool for name, tool in tools.items() if permission.covers(tool)}
            self._tool_sets[permission] = _ToolSet(permitted, self._window)
        return self._tool_sets[permission]

    def _current(self) -> Mapping[str, AnyTool]:
        """Return all tools by name, collected again only when a source has changed."""
        given = [source.tools for source in self._sources]
        if not self._tools or any(a is not b for a, b in zip(given, self._known, strict=True)):
            self._known, self._tool_sets = given, {}
            tools: dict[str, AnyTool] = {}
            for tool in chain(self._own, *given):
                if tool.name in self._disabled or (
                    self._only is not None and tool.name not in self._only
                ):
                    continue
                if tools.setdefault(tool.name, tool) is not tool:
                    log.warning("tool_name_taken", tool=tool.name)
            self._tools = tools
        return self._tools


MOST_OFFERED = 24
"""Number of tools up to which all are offered."""
LONGEST_REQUEST = 4_000
"""Most characters of a request that are compared."""
_LONGEST_DESCRIPTION = 20_000
"""Most characters of a tool's texts that count."""
_LONGEST_WORD = 40
_DEEPEST = 3
"""Levels of a schema that are searched for words."""
_SATURATION, _LENGTH_NORM = 1.2, 0.5
"""BM25's k1 and b."""
_MEANING = 0.6
"""Weight of a shared meaning; an equal word has weight 1."""
_IN_NAME, _IN_DESCRIPTION, _IN_PARAMETERS = 4.0, 1.0, 0.4
"""Weights of a word by the place where it stands."""
_SAYS_NOTHING = """
    a about all also an and any are as ask at be been but by can could did do does for from get give
    had has have he hello her here him his how i if in into is it its just know let like make may me
    more must my need new no not of on one only or other our out please she should so some such take
    tell than thank thanks that the their them then there these they thing this those to too up us
    use used using very want was we were what when where which who why will with would you your
    able after again always because before better both each either else even every few first good
    help instead many much never often same several since still thus two until well while yes
    ai aide aider alors apres as au aucun aussi autre aux avant avec avoir besoin bien bonjour
    bonsoir ca ce cela celle celui ces cet cette chaque chez combien comme
    comment d dans de deja depuis des
    deux dire dis dois doit donc donne donner du elle elles en encore entre es est et etait ete etes
    etre eu eux faire fais fait faut il ils j je jusque l la le les leur leurs lui m ma mais me meme
    merci mes moi moins mon n ne nos notre nous on ont ou oui par parce pas peu peut peux plait
    plus pour pourquoi pourrais pouvez puis qu quand que quel quelle quelles quelque quels qui quoi
    sa salut sans se sera ses si son sont sous stp suis sur svp t ta te tes toi ton tous tout toute
    toutes tres tu un une va vais vers veut veux voici voila voudrais vous votre vos y
"""
_STOP_WORDS = frozenset(_SAYS_NOTHING.split())
_MEANINGS = """
    spreadsheet sheet xlsx excel workbook tableur tableau feuille classeur csv
    search find look lookup recherche chercher trouver web internet
    email mail courriel mel gmail
    weather forecast meteo temperature temps pluie rain pleuvoir
    reminder remind rappel rappeler alarm alarme prevenir previens
    image picture photo drawing illustration dessin dessiner draw
    translate translation language traduire traduis traduction langue anglais english
    file document fichier doc
    calculate calculator compute calcul calculer calculatrice math arithmetic
    map carte itinerary itineraire route directions trajet chemin aller pied
    card carte
    slides slide presentation pptx powerpoint diaporama diapo diapositive
    word docx
    quiz question interrogation questionnaire test qcm vrai faux true false
    task todo tache
    calendar event agenda calendrier evenement appointment meeting schedule reunion rendez rdv
    memory remember memoire souvenir souviens retenir retiens memoriser memorize
    summary summarize summarise resume resumer
    note notes carnet
    currency exchange devise change convertir convertis convert conversion euro dollar franc cfa
    price cost prix cout tarif cher
    buy purchase order acheter achat commander commande
    pay payment paiement payer paie
    credit balance solde
    invoice facture bill
    weight poids kilo gramme metre litre unit unite mesure measure convert convertir convertis
    news actualite nouvelle nouvelles headline journal
    video film movie youtube
    music song musique chanson audio
    voice speech speak voix parler vocal prononcer pronounce
    transcribe transcription transcrire recording enregistrement vocal
    dictionary definition define dictionnaire definir synonym synonyme
    conjugate conjugaison conjuguer verb verbe
    spelling grammar orthographe grammaire corriger correct correction
    hotel room chambre
    flight plane vol avion
    train bus gare
    restaurant menu food repas manger recipe recette cuisine cook cuisiner
    book livre library bibliotheque
    contact contacts repertoire phonebook
    sms texto
    phone call telephone telephoner appeler appel
    code program python script programme programmer run execute executer
    chart graph plot graphique courbe diagram diagramme histogram
    database sql base donnees query requete
    delete remove supprimer effacer enlever
    send envoyer envoie envoi
    read open lire lis ouvrir
    write rediger ecrire ecris redaction compose draft brouillon
    create generate creer generer produire fabriquer
    list lister liste afficher show montrer display
    update edit modify modifier changer
    download telecharger
    share partager
    print imprimer impression
    job emploi travail work offre
    school ecole college lycee
    exam examen epreuve bac bepc
    grade note moyenne score
    homework devoir exercise exercice
    health sante medical doctor medecin symptom symptome pharmacy pharmacie
    health maladie malade
    place lieu location position endroit nearby near proche pres adresse address
    time heure clock horloge timezone fuseau
    stock action bourse market marche
    football soccer match sport team equipe league
    bug error erreur probleme panne
    link url lien page site website
    song lyrics paroles
    password secret
    crop farming agriculture culture champ recolte semer sow planter plant
    letter lettre cv curriculum
    compress zip archive
    scan ocr texte
    qr barcode
    law loi legal droit juridique
    birthday anniversaire
    ticket billet
    report rapport signaler
solve solution resoudre resous
    timer minuteur chronometre countdown
    shop store boutique magasin product produit
    pdf
"""
"""Words with nearly the same meaning, one group a line; a word may be in several groups."""
_WORD = re.compile(r"[^\W_]{2,}")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_LIGATURES = str.maketrans({"œ": "oe", "Œ": "OE", "æ": "ae", "Æ": "AE"})
_MARKS = re.compile(r"[\u0300-\u036f]+")
_PLURALS = re.compile(r"(?<=..[^e]a)(?P<al>ux)$|(?<=..)(?P<y>ies)$|(?<=..[^s])[sx]$")
_ENDINGS = re.compile(
    r"(?<=\w{4})(?:at(?:ion|ing|eu?r|ed|e|or|rice)|e?ment|ition|ing|ion|eur|ant|ise|ize|ise[rz]"
    r"|er|ed|ez|ee|ir|or|e|y)$"
)
_DOUBLED = re.compile(r"([^\Waeiou])\1$")


class ToolSelector:
    """Chooses the most relevant of a fixed set of tools."""

    def __init__(
        self, specs: Sequence[ToolSpec], always: Collection[str], most: int = MOST_OFFERED
    ) -> None:
        """
        Args:
            always: the names of the tools that are offered for every request.
            most: number of tools up to which all are offered.
        """
        self._specs = tuple(specs)
        self._always = frozenset(always)
        self._most = most
        self._postings = _build_index(self._specs) if len(self._specs) > most else {}

    def select(
        self, text: str, *, more: Collection[str] = (), limit: int = 8
    ) -> tuple[ToolSpec, ...]:
        """Return the tools for a request, in the order in which they were given.

        If there are at most `most`, all. Otherwise those that are always offered, those named in
        `more` (used already), and the `limit` most relevant of the others; of equally relevant
        ones, the first. Only `LONGEST_REQUEST` characters of `text` count.
        """
        if len(self._specs) <= self._most:
            return self._specs
        scores = self._score(text[:LONGEST_REQUEST])
        free = [at for at, spec in enumerate(self._specs) if spec.name not in self._always]
        best = set(heapq.nsmallest(limit, free, key=lambda at: (-scores[at], at)))
        named = self._always.union(more)
        return tuple(
            spec for at, spec in enumerate(self._specs) if at in best or spec.name in named
        )

    def _score(self, text: str) -> list[float]:
        scores = [0.0] * len(self._specs)
        for term in set(_find_terms(text)):
            for at, weight in self._postings.get(term, ()):
                scores[at] += weight
        return scores


def _build_index(specs: Sequence[ToolSpec]) -> dict[str, list[tuple[int, float]]]:
    """Return, for each term, the positions of its tools and what it adds to their scores."""
    counted = [_count_terms(spec) for spec in specs]
    lengths = [sum(counts.values()) for counts in counted]
    average = sum(lengths) / len(lengths) or 1.0
    found_in = Counter(term for counts in counted for term in counts)
    postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for at, (counts, length) in enumerate(zip(counted, lengths, strict=True)):
        norm = _SATURATION * (1 - _LENGTH_NORM + _LENGTH_NORM * length / average)
        for term, count in counts.items():
            rarity = math.log(1 + (len(specs) - found_in[term] + 0.5) / (found_in[term] + 0.5))
            worth = _MEANING if term.startswith("=") else 1.0
            postings[term].append((at, worth * rarity * count * (_SATURATION + 1) / (count + norm)))
    return dict(postings)


def _count_terms(spec: ToolSpec) -> dict[str, float]:
    """Count the terms of a tool, weighted by the place where they stand."""
    counts: dict[str, float] = defaultdict(float)
    parameters = " ".join(_find_texts(spec.parameters, 0))
    for text, weight in (
        (spec.name, _IN_NAME),
        (spec.description, _IN_DESCRIPTION),
        (parameters, _IN_PARAMETERS),
    ):
        for term in _find_terms(text[:_LONGEST_DESCRIPTION]):
            counts[term] += weight
    return counts


def _find_texts(schema: Mapping[str, Any], depth: int) -> Iterator[str]:
    """Yield names, descriptions and values in a schema, including those of nested objects."""
    if isinstance(description := schema.get("description"), str):
        yield description
    yield from filter(lambda value: isinstance(value, str), _listed(schema.get("enum")))
    if depth < _DEEPEST:
        for key in ("properties", "$defs"):
            for name, inner in _mapped(schema.get(key)).items():
                yield name
                yield from _find_texts(_mapped(inner), depth + 1)
        for inner in (schema.get("items"), *_listed(schema.get("anyOf"))):
            yield from _find_texts(_mapped(inner), depth + 1)


def _mapped(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _listed(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _find_terms(text: str) -> Iterator[str]:
    plain = unicodedata.normalize("NFKD", _CAMEL.sub(" ", text).translate(_LIGATURES))
    for word in _WORD.findall(_MARKS.sub("", plain).lower()):
        yield from _find_word_terms(word[:_LONGEST_WORD])


@lru_cache(maxsize=8_192)
def _find_word_terms(word: str) -> tuple[str, ...]:
    """Return a word's stem and the numbers of its meanings; nothing for a stop word."""
    if word in _STOP_WORDS:
        return ()
    stem = _stem(word)
    return (stem, *_NUMBERS.get(stem, ()))


def _stem(word: str) -> str:
    """Return the word without French and English endings; the result may be no word itself."""
    singular = _PLURALS.sub(
        lambda found: {"al": "l", "y": "y"}.get(found.lastgroup or "", ""), word
    )
    return _DOUBLED.sub(r"\1", _ENDINGS.sub("", singular))


def _number_meanings() -> dict[str, tuple[str, ...]]:
    numbers: dict[str, tuple[str, ...]] = {}
    for number, words in enumerate(_MEANINGS.strip().splitlines()):
        for stem in {_stem(word) for word in words.split()}:
            numbers[stem] = (*numbers.get(stem, ()), f"={number}")
    return numbers


_NUMBERS = _number_meanings()
