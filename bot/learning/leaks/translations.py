"""Find a solution in another language: a word of school in French or English, or in short; a
number in the languages of neighbours, Wolof and Bambara. Pure.

`It's the heart` for `le cœur`, `cuarenta y dos` for 42. Words that are also common in the other
language (`pain`, `or`) are not in the table, nor are numbers that are short words of French.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from bot.learning.grading.typed_words import SUBSTANCES
from bot.learning.leaks.reading import ARTICLE, read_value
from bot.learning.plain_notation import fold_letters

if TYPE_CHECKING:
    from bot.learning.leaks.reading import Reading

_SUBSTANCES: Final = {
    "co2": "carbon dioxide", "o2": "oxygen", "n2": "nitrogen", "h2": "hydrogen", "h2o": "water",
    "nh3": "ammonia", "nacl": "sodium chloride", "co": "carbon monoxide",
}  # fmt: skip
"""The names of substances in English."""
_PAIRS: Final = """
complement d'objet direct cod, complement direct cod, complement d'objet indirect coi,
complement indirect coi, complement circonstanciel cc, direct object cod, indirect object coi,
coeur heart, poumon lung, foie liver, cerveau brain, estomac stomach, rein kidney, peau skin,
sang blood, os bone, main hand, pied foot, tete head, oeil eye, oreille ear, nez nose, bouche mouth,
dent tooth, bras arm, jambe leg, doigt finger, ventre belly, dos back,
verbe verb, nom noun, adjectif adjective, adverbe adverb, pronom pronoun, sujet subject,
determinant determiner, article article, preposition preposition, passe past, futur future,
imparfait imperfect, feminin feminine, masculin masculine, pluriel plural, singulier singular,
carre square, cercle circle, losange rhombus, rectangle rectangle, trapeze trapezium, cube cube,
sphere sphere, pyramide pyramid, cylindre cylinder, hauteur height, largeur width, longueur length,
droit right, aigu acute, obtus obtuse, isocele isosceles, equilateral equilateral, pair even,
impair odd, parallele parallel, perpendiculaire perpendicular, moitie half, somme sum,
rouge red, bleu blue, vert green, jaune yellow, noir black, blanc white, gris grey, brun brown,
chien dog, chat cat, cheval horse, vache cow, mouton sheep, chevre goat, poule hen, oiseau bird,
poisson fish, lion lion, elephant elephant, serpent snake, abeille bee, araignee spider,
moustique mosquito, grenouille frog, baleine whale, souris mouse, singe monkey, tortue turtle,
fourmi ant, papillon butterfly, mammifere mammal, reptile reptile, insecte insect, herbivore
herbivore, carnivore carnivore,
soleil sun, lune moon, terre earth, etoile star, mer sea, fleuve river, montagne mountain,
desert desert, foret forest, feu fire, pluie rain, vent wind, neige snow, glace ice,
solide solid, liquide liquid, gazeux gaseous, vapeur steam, fer iron, cuivre copper, acide acid,
chaleur heat, lumiere light, force force,
croissante ↗, decroissante ↘,
vitesse speed, energie energy, masse mass, poids weight, volume volume, racine root, feuille leaf,
tige stem, fleur flower, graine seed, fruit fruit, arbre tree,
nord north, sud south, est east, ouest west, afrique africa, europe europe, asie asia,
amerique america, allemagne germany, espagne spain, italie italy, angleterre england, egypte egypt,
maroc morocco, algerie algeria, senegal senegal, cameroun cameroon, londres london, le caire cairo,
alger algiers, pekin beijing, moscou moscow,
lundi monday, mardi tuesday, mercredi wednesday, jeudi thursday, vendredi friday, samedi saturday,
dimanche sunday, janvier january, fevrier february, mars march, avril april, mai may, juin june,
juillet july, aout august, septembre september, octobre october, novembre november,
decembre december, printemps spring, ete summer, automne autumn, hiver winter,
maison house, ecole school, livre book, table table, chaise chair, porte door, fenetre window,
pere father, mere mother, frere brother, soeur sister, fille girl, garcon boy, roi king, reine queen
"""
_ELEMENTS: Final = """
H 1 hydrogene hydrogen|He 2 helium|Li 3 lithium|C 6 carbone carbon|N 7 azote nitrogen
O 8 oxygene oxygen|F 9 fluor fluorine|Ne 10 neon|Na 11 sodium|Mg 12 magnesium
Al 13 aluminium aluminum|Si 14 silicium silicon|P 15 phosphore phosphorus|S 16 soufre sulfur sulphur
Cl 17 chlore chlorine|Ar 18 argon|K 19 potassium|Ca 20 calcium|Fe 26 fer iron|Cu 29 cuivre copper
Zn 30 zinc|Br 35 brome bromine|Ag 47 argent silver|I 53 iode iodine|Au 79 or gold
Hg 80 mercure mercury|Pb 82 plomb lead|U 92 uranium
"""
"""The symbol, the atomic number and the names of chemical elements."""
_ABOUT_LANGUAGES: Final = re.compile(
    r"anglais|english|francais|french|tradui|translat|espagnol|spanish|conjug|tense|orthograph"
)
_UNITS: Final = {
    "es": "uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince "
    "dieciseis diecisiete dieciocho diecinueve",
    "pt": "um dois tres quatro cinco seis sete oito nove dez onze doze treze catorze quinze "
    "dezesseis dezessete dezoito dezenove",
    "it": "uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici "
    "quindici sedici diciassette diciotto diciannove",
    "de": "ein zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn"
    " sechzehn siebzehn achtzehn neunzehn",
    "wo": "benn naar nett neent juroom juroom-benn juroom-naar juroom-nett juroom-neent",
    "bm": "kelen fila saba naani duuru wooro wolonwula segin kononton",
}
_TENS: Final = {
    "es": "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    "pt": "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa",
    "it": "venti trenta quaranta cinquanta sessanta settanta ottanta novanta",
    "de": "zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig",
    "wo": "fukk naar-fukk nett-fukk neent-fukk juroom-fukk juroom-benn-fukk juroom-naar-fukk "
    "juroom-nett-fukk juroom-neent-fukk",
    "bm": "tan mugan bi-saba bi-naani bi-duuru bi-wooro bi-wolonwula bi-segin bi-kononton",
}
"""Tens from 20 on; in Wolof and Bambara, which is also Dioula, from 10 on."""
_HUNDRED: Final = {"es": ("cien", "ciento"), "pt": ("cem", "cento"), "it": ("cento", "cento"),
                   "de": ("hundert", "hundert")}  # fmt: skip
_AND: Final = {"es": " y ", "pt": " e ", "wo": " ak ", "bm": " ni "}
_DRAWN_AFTER: Final = r"(?:^|[:=→]\s*|\b(?:c['’]est|est|is|it['’]s)\s+)"
_NO_WORDS: Final = frozenset(("", "dos", "due", "tres", "once", "onze", "elf", "fila", "tan"))
"""No spelling, and small numbers that are words of French or English too without accents."""


class TranslationSearch:
    """A search for a solution in words, or for a number, in another language."""

    def __init__(self, solution: str, statement: str) -> None:
        written = fold_letters(statement)
        value = read_value(solution)
        is_whole = value is not None and value.form[0] == "d" and value.value == int(value.value)
        number = abs(int(value.value)) if value and is_whole else None
        bare = ARTICLE.sub("", fold_letters(solution).strip(" ."))
        words = list_translations(bare) if number is None else _spell(number)
        if _ABOUT_LANGUAGES.search(written):
            words = frozenset[str]()
        spelled = [each for each in sorted(words) if each != bare and each not in written]
        self._pattern = re.compile(
            r"(?<![^\W_])(?:"
            + "|".join(map(_spell_loosely, spelled))
            + (r")s?(?![^\W_])" if number is None else r")(?![^\W_])")
        ) if spelled else None  # fmt: skip
        drawn = "".join(map(_list_emoji, spelled)) if number is None else ""
        element = _compile_element(bare.removeprefix("di"))
        self._element = element if element and not element.search(statement) else None
        self._drawn = re.compile(rf"{_DRAWN_AFTER}[{drawn}]\ufe0f?\W*$", re.M) if drawn else None

    def find(self, reading: Reading) -> str | None:
        """Return the word that is the solution in another language, its emoji said as the answer,
        or the symbol of the element that it is; None: there is none."""
        for pattern in (self._drawn, self._element):
            if pattern and (found := pattern.search(reading.text)):
                return found[0]
        if self._pattern is None:
            return None
        for found in self._pattern.finditer(reading.folded):
            if found[0] not in reading.known.folded:
                return found[0]
        return None


def _spell_loosely(word: str) -> str:
    """Return a pattern for a word or formula: `CO2`, `CO₂`, `juroom benn`."""
    spaced = re.sub(r"(?<=[a-z])(\d)", r"_?\1", re.sub("[ -]", "[ -]?", word))
    return spaced.replace("o", "[oɔ]")


@lru_cache(maxsize=256)
def _compile_element(name: str) -> re.Pattern[str] | None:
    """Compile a pattern for the symbol and the atomic number of an element, named as such; None:
    the name is none of an element."""
    for element in re.split(r"[|\n]", _ELEMENTS.strip()):
        symbol, number, *names = element.split()
        if name in names:
            return re.compile(
                r"(?:[Ss]ymbole?|[ÉéEe]l[ée]ment)\b[^.!?\n]{0,25}?(?<![\w'’])"
                rf"{symbol}(?![\w'’])|(?:num[ée]ro atomique|[Aa]tomic number|\bZ)\b"
                rf"(?: est| is| vaut| of| :| =|=|:)? ?(?:de )?{number}(?!\d)"
            )
    return None


def list_translations(word: str) -> frozenset[str]:
    """Return the words or formulas that stand for a word without accents in the table."""
    return _read_pairs().get(word, frozenset())


@lru_cache(maxsize=256)
def _list_emoji(word: str) -> str:
    """Return the emoji with an English word in their names: `❤` is called heavy black heart."""
    signs = map(chr, (*range(0x2600, 0x27C0), 0x2B50, *range(0x1F300, 0x1FB00)))
    return "".join(each for each in signs if word.upper() in unicodedata.name(each, "").split())


@lru_cache(maxsize=1)
def _read_pairs() -> dict[str, frozenset[str]]:
    """Map each word of the table to its translations, in both directions."""
    found: dict[str, frozenset[str]] = {}
    pairs = (each.rsplit(" ", 1) for each in " ".join(_PAIRS.split()).split(", "))
    substances = (tuple(filter(None, (*each, _SUBSTANCES.get(each[0])))) for each in SUBSTANCES)
    for names in map(frozenset, (*pairs, *substances)):
        for each in names:
            found[each] = found.get(each, frozenset()) | names - {each}
    return found


def _spell(number: int) -> frozenset[str]:
    """Return a number up to 999 in words of neighbours, up to 99 in Wolof and Bambara."""
    return frozenset(_spell_in(name, number) for name in _UNITS if 1 < number < 1000) - _NO_WORDS


def _spell_in(name: str, number: int) -> str:
    units, tens = _UNITS[name].split(), _TENS[name].split()
    if number <= len(units):
        return units[number - 1] if number else ""
    if number < 100:
        return _join_tens(
            name, tens[number // 10 - (2 if len(tens) < 9 else 1)], units, number % 10
        )
    hundreds, rest = divmod(number, 100)
    if name in ("wo", "bm") or (name in ("es", "pt") and hundreds > 1):
        return ""
    alone, joined = _HUNDRED[name]
    head = alone if not rest else joined
    if name in ("it", "de"):
        head = (units[hundreds - 1] if hundreds > 1 else "") + head
    if not rest:
        return head
    between = {"es": " ", "pt": " e "}.get(name, "")
    return head + between + _spell_in(name, rest)


def _join_tens(name: str, ten: str, units: list[str], unit: int) -> str:
    if not unit:
        return ten
    word = units[unit - 1]
    if name == "de":
        return f"{word}und{ten}"
    if ten == "veinte":
        return f"veinti{word}"
    if name in _AND:
        return ten + _AND[name] + word
    return (ten[:-1] if unit in (1, 8) else ten) + word
