"""Grammar: tables against forms written by hand, and keys against the sentence asked."""

from __future__ import annotations

import re

import pytest

from bot.practice import french_verbs
from bot.practice.catalogue import all_generators, find_generator
from bot.practice.english_nouns import PLURALS as ENGLISH_PLURALS
from bot.practice.english_sentences import EASY, IRREGULAR, USUAL
from bot.practice.english_verbs import IRREGULAR_PAST, ing_form, regular_past, third_person
from bot.practice.french_adjectives import IRREGULAR_PEOPLE, IRREGULAR_THINGS, OF_THINGS
from bot.practice.french_nouns import ELIDED, GENDERS, PLACES, PLURALS
from bot.practice.french_past import WITH_AVOIR, WITH_ETRE, agree
from bot.practice.generator import Generator, Item
from tests.support.seeds import over_seeds

GRAMMAR = [each for each in all_generators() if each.skill.startswith(("french.", "english."))]
EVERY = pytest.mark.parametrize("generator", GRAMMAR, ids=lambda each: each.skill)


def make(skill: str, seed: int, difficulty: int, language: str = "fr") -> Item:
    generator = find_generator(skill)
    assert generator is not None
    return generator.make(seed, difficulty=difficulty, language=language)


@pytest.mark.parametrize(
    ("tense", "verb", "forms"),
    [
        ("present", "parler", "parle parles parle parlons parlez parlent"),
        ("present", "manger", "mange manges mange mangeons mangez mangent"),
        ("present", "commencer", "commence commences commence commençons commencez commencent"),
        ("present", "acheter", "achète achètes achète achetons achetez achètent"),
        ("present", "appeler", "appelle appelles appelle appelons appelez appellent"),
        ("present", "jeter", "jette jettes jette jetons jetez jettent"),
        ("present", "nettoyer", "nettoie nettoies nettoie nettoyons nettoyez nettoient"),
        ("present", "essuyer", "essuie essuies essuie essuyons essuyez essuient"),
        ("present", "espérer", "espère espères espère espérons espérez espèrent"),
        ("present", "répéter", "répète répètes répète répétons répétez répètent"),
        ("present", "être", "suis es est sommes êtes sont"),
        ("present", "avoir", "ai as a avons avez ont"),
        ("present", "aller", "vais vas va allons allez vont"),
        ("present", "faire", "fais fais fait faisons faites font"),
        ("present", "dire", "dis dis dit disons dites disent"),
        ("present", "venir", "viens viens vient venons venez viennent"),
        ("present", "prendre", "prends prends prend prenons prenez prennent"),
        ("present", "voir", "vois vois voit voyons voyez voient"),
        ("present", "boire", "bois bois boit buvons buvez boivent"),
        ("present", "mettre", "mets mets met mettons mettez mettent"),
        ("present", "finir", "finis finis finit finissons finissez finissent"),
        ("present", "vendre", "vends vends vend vendons vendez vendent"),
        ("imperfect", "être", "étais étais était étions étiez étaient"),
        ("imperfect", "avoir", "avais avais avait avions aviez avaient"),
        ("imperfect", "manger", "mangeais mangeais mangeait mangions mangiez mangeaient"),
        ("imperfect", "lancer", "lançais lançais lançait lancions lanciez lançaient"),
        ("imperfect", "faire", "faisais faisais faisait faisions faisiez faisaient"),
        ("imperfect", "voir", "voyais voyais voyait voyions voyiez voyaient"),
        ("imperfect", "jeter", "jetais jetais jetait jetions jetiez jetaient"),
        ("imperfect", "nettoyer", "nettoyais nettoyais nettoyait nettoyions nettoyiez nettoyaient"),
        ("imperfect", "préférer", "préférais préférais préférait préférions préfériez préféraient"),
        (
            "imperfect",
            "choisir",
            "choisissais choisissais choisissait choisissions choisissiez choisissaient",
        ),
        ("imperfect", "écrire", "écrivais écrivais écrivait écrivions écriviez écrivaient"),
        ("future", "chanter", "chanterai chanteras chantera chanterons chanterez chanteront"),
        ("future", "être", "serai seras sera serons serez seront"),
        ("future", "avoir", "aurai auras aura aurons aurez auront"),
        ("future", "aller", "irai iras ira irons irez iront"),
        ("future", "faire", "ferai feras fera ferons ferez feront"),
        ("future", "venir", "viendrai viendras viendra viendrons viendrez viendront"),
        ("future", "voir", "verrai verras verra verrons verrez verront"),
        ("future", "pouvoir", "pourrai pourras pourra pourrons pourrez pourront"),
        ("future", "vouloir", "voudrai voudras voudra voudrons voudrez voudront"),
        ("future", "savoir", "saurai sauras saura saurons saurez sauront"),
        ("future", "devoir", "devrai devras devra devrons devrez devront"),
        ("future", "courir", "courrai courras courra courrons courrez courront"),
        ("future", "envoyer", "enverrai enverras enverra enverrons enverrez enverront"),
        ("future", "acheter", "achèterai achèteras achètera achèterons achèterez achèteront"),
        ("future", "appeler", "appellerai appelleras appellera appellerons appellerez appelleront"),
        ("future", "jeter", "jetterai jetteras jettera jetterons jetterez jetteront"),
        (
            "future",
            "nettoyer",
            "nettoierai nettoieras nettoiera nettoierons nettoierez nettoieront",
        ),
        ("future", "prendre", "prendrai prendras prendra prendrons prendrez prendront"),
        ("future", "écrire", "écrirai écriras écrira écrirons écrirez écriront"),
        ("future", "vendre", "vendrai vendras vendra vendrons vendrez vendront"),
        ("future", "tenir", "tiendrai tiendras tiendra tiendrons tiendrez tiendront"),
    ],
)
def test_french_conjugations(tense: str, verb: str, forms: str) -> None:
    assert getattr(french_verbs, tense)(verb) == tuple(forms.split())


def pairs(words: str) -> dict[str, str]:
    """Words that follow each other, two by two."""
    listed = words.split()
    return dict(zip(listed[::2], listed[1::2], strict=True))


def test_french_plurals() -> None:
    known = pairs(
        "livre livres nez nez bateau bateaux jeu jeux pneu pneus bleu bleus landau landaus "
        "tuyau tuyaux cheval chevaux hôpital hôpitaux bal bals carnaval carnavals festival "
        "festivals chacal chacals travail travaux vitrail vitraux corail coraux détail détails "
        "portail portails éventail éventails bijou bijoux caillou cailloux chou choux genou "
        "genoux hibou hiboux joujou joujoux pou poux trou trous clou clous kangourou kangourous "
        "œil yeux"
    )
    assert {noun: PLURALS.get(noun) for noun in known} == known
    with_x = {noun for noun, plural in PLURALS.items() if noun.endswith("ou") and plural[-1] == "x"}
    assert with_x == {"bijou", "caillou", "chou", "genou", "hibou", "joujou", "pou"}


def test_french_genders() -> None:
    feminine = {noun.text for noun in (*GENDERS, *ELIDED, *PLACES) if noun.is_feminine}
    masculine = {noun.text for noun in (*GENDERS, *ELIDED, *PLACES) if not noun.is_feminine}
    assert feminine & masculine == set()
    assert {"école", "horloge", "igname", "île", "huile", "orange", "étoile", "fête"} <= feminine
    assert {"arbre", "avion", "ananas", "œuf", "hôpital", "aéroport", "hiver", "pagne"} <= masculine


@pytest.mark.parametrize(
    "forms",
    [
        "blanc blanche blancs blanches",
        "long longue longs longues",
        "sec sèche secs sèches",
        "léger légère légers légères",
        "épais épaisse épais épaisses",
        "heureux heureuse heureux heureuses",
        "gentil gentille gentils gentilles",
        "doux douce doux douces",
        "inquiet inquiète inquiets inquiètes",
        "loyal loyale loyaux loyales",
        "travailleur travailleuse travailleurs travailleuses",
        "vert verte verts vertes",
    ],
)
def test_french_adjectives(forms: str) -> None:
    every = {each[:4] for each in (*IRREGULAR_PEOPLE, *IRREGULAR_THINGS, *OF_THINGS)}
    assert tuple(forms.split()) in every


def test_french_participles() -> None:
    assert agree("pris", is_feminine=False, is_plural=True) == "pris"
    assert agree("pris", is_feminine=True, is_plural=True) == "prises"
    assert agree("écrit", is_feminine=True, is_plural=False) == "écrite"
    assert agree("vendu", is_feminine=False, is_plural=True) == "vendus"


def test_who_did_it_did_it_with_others() -> None:
    names = {"Awa", "Issa", "Moussa", "Fatou", "Mariam"}
    said = {word for each in (*WITH_ETRE, *WITH_AVOIR) for word in " ".join(each.rest).split()}
    assert not said & names


def test_english_forms() -> None:
    for verb, form in pairs(
        "play plays watch watches carry carries go goes have has do does fix fixes study "
        "studies enjoy enjoys pass passes fly flies live lives"
    ).items():
        assert third_person(verb) == form
    for verb, form in pairs(
        "stop stopped plan planned carry carried study studied live lived dance danced stay "
        "stayed enjoy enjoyed visit visited open opened"
    ).items():
        assert regular_past(verb) == form
    for verb, form in pairs("live living go going study studying").items():
        assert ing_form(verb) == form
    known = pairs("go went see saw buy bought take took bring brought teach taught leave left")
    assert {verb: IRREGULAR_PAST[verb][0] for verb in known} == known


def test_english_plurals() -> None:
    known = pairs(
        "bus buses box boxes baby babies key keys leaf leaves knife knives wife wives roof "
        "roofs tomato tomatoes child children woman women tooth teeth mouse mice ox oxen half "
        "halves"
    )
    assert {noun: ENGLISH_PLURALS[noun] for noun in known} == known


def test_english_comparatives() -> None:
    forms = {each.plain: (each.comparative, each.superlative) for each in (*EASY, *USUAL)}
    assert forms["tall"] == ("taller", "tallest")
    assert forms["big"] == ("bigger", "biggest")
    assert forms["happy"] == ("happier", "happiest")
    assert forms["expensive"] == ("more expensive", "most expensive")
    assert [each[1:3] for each in IRREGULAR] == [("better", "best"), ("worse", "worst")]


@EVERY
@over_seeds(100)
def test_hints_do_not_say_the_key(
    generator: Generator, seed: int, difficulty: int, language: str
) -> None:
    item = generator.make(seed, difficulty=difficulty, language=language)
    said = re.compile(rf"(?<![\w'-]){re.escape(item.key)}(?![\w'])", re.IGNORECASE)
    for hint in item.hints:
        if generator.skill not in ("english.articles", "english.prepositions-time"):
            assert not said.search(hint)
        assert f"« {item.key} »" not in hint


@over_seeds(300)
def test_no_other_option_fits_the_sentence(seed: int) -> None:
    son = make("french.homophones-son-sont", seed, 1)
    if son.key == "son":
        assert not re.search(r"… [a-zé]+[sxz]\.", son.statement)  # as « ses repas »
    un = make("french.gender-article", seed, seed % 2 + 1)
    assert not re.search(r"… (?:livre|tour|poste|mode|voile|vase|page|manche) ", un.statement)
    article = make("english.articles", seed, 2)
    if article.key in ("a", "an"):
        assert re.search("wants to be|« What|« There is|has … brother|is … long", article.statement)


@pytest.mark.parametrize(
    ("skill", "fits", "fails"),
    [
        ("a", {"a": "avait", "as": "avais"}, {"à": "avait"}),
        ("et-est", {"est": "était", "es": "étais", "et": "et puis"}, {}),
        ("son-sont", {"sont": "étaient", "son": "mon"}, {}),
    ],
)
@over_seeds(100)
def test_homophones_are_told_apart_by_a_word_that_fits_or_not(
    skill: str, fits: dict[str, str], fails: dict[str, str], seed: int, difficulty: int
) -> None:
    item = make(f"french.homophones-{skill}", seed, difficulty)
    *reasons, whole = item.steps
    words = item.key.split(" … ")
    for word, reason in zip(words, reasons, strict=True):
        tried = re.findall("« (.+?) »", reason)[0].casefold()
        sentence = whole.replace("*", "").casefold()
        assert reason.startswith("On peut dire" if word in fits else "On ne peut pas dire")
        places = re.finditer({**fits, **fails}[word], tried)
        assert any(tried[: at.start()] + word + tried[at.end() :] in sentence for at in places)


@over_seeds(100)
def test_conjugations_say_how_the_form_is_made(seed: int, difficulty: int) -> None:
    table = make("french.present-irregular", seed, difficulty)
    forms = re.findall(r"(?:j'|\w+ )(\w+)(?:,|\.)", table.steps[-2])
    assert len(forms) == 6
    assert table.key in forms
    for tense in ("present-er-verbs", "imperfect", "simple-future"):
        item = make(f"french.{tense}", seed, difficulty)
        ending = re.findall(r"-(\w+)", item.steps[-2])[-1]
        assert item.key.endswith(ending)
    future = make("french.simple-future", seed, difficulty)
    stem, ending = re.findall(r"« (\w+)- ».* -(\w+)\.", future.steps[-2])[0]
    assert stem + ending == future.key


@over_seeds(300)
def test_nobody_learns_what_they_teach(seed: int, difficulty: int) -> None:
    item = make("french.homophones-a", seed, difficulty)
    assert not re.search("(?:pêcheur|maîtresse) (?:… dix ans|apprend)", item.statement)


@EVERY
@over_seeds(100)
def test_the_sentence_is_the_same_in_both_languages(
    generator: Generator, seed: int, difficulty: int
) -> None:
    french = generator.make(seed, difficulty=difficulty, language="fr")
    english = generator.make(seed, difficulty=difficulty, language="en")
    nothing = {"rien": "nothing", "pas d'article": "no article"}
    assert nothing.get(french.key, french.key) == english.key
    quoted = [re.findall("[«“] ?(.+?) ?[»”]", each.statement) for each in (french, english)]
    assert quoted[0] == quoted[1] != []


@EVERY
@over_seeds(100)
def test_the_whole_sentence_is_shown_at_the_end(
    generator: Generator, seed: int, difficulty: int
) -> None:
    item = generator.make(seed, difficulty=difficulty)
    whole = " ".join(re.findall(r"\*\*(.+?)\*\*", item.steps[-1])).casefold()
    if item.key in ("rien", "pas d'article"):
        assert whole == ""
    elif whole:
        assert item.key.replace("… ", "").casefold() in whole
    else:
        assert item.key in item.steps[-1]


@over_seeds(100)
def test_je_loses_its_vowel_before_another(seed: int, difficulty: int) -> None:
    for skill in ("present-er-verbs", "present-irregular", "imperfect", "simple-future"):
        item = make(f"french.{skill}", seed, difficulty)
        if "« J" in item.statement:
            assert ("« J'" in item.statement) == (item.key[0] in "aeéêièo")


@pytest.mark.parametrize(("language", "words"), [("fr", "celle du masculin"), ("en", "masculine")])
def test_bel_before_a_feminine_noun_is_a_mistake_of_gender(language: str, words: str) -> None:
    found = [
        each.feedback
        for seed in range(300)
        if (item := make("french.agree-adjective", seed, 3, language)).key.endswith("le")
        for each in item.misconceptions
        if each.option in ("bel", "nouvel", "vieil")
    ]
    assert found
    assert all(words in feedback for feedback in found)
