"""Texts to people who cannot answer: links in place of options, and never dearer than those."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.contracts.channels import Capabilities
from bot.files.links import Links
from bot.gateway.deliveries import Composed
from bot.gateway.delivery.compose import Composer
from bot.gateway.delivery.one_way import LEAST_TEXT, fit_text
from bot.gateway.short_links import TOKEN_LENGTH, ShortLinks
from bot.messages.outgoing import (
    AskApproval,
    AskExercise,
    AskQuiz,
    Button,
    Outgoing,
    Say,
    SendCode,
    TextBody,
)
from bot.render.sms import count_segments
from bot.settings import Settings
from bot.typography import drop_accents

BASE = "https://griot.example"
SETTINGS = Settings.model_validate({"public_url": BASE, "secret_key": "a secret for tests only"})
SMS = Capabilities(max_text=1530, text_unit="gsm7", page=612)
ONE_WAY = replace(SMS, one_way=True)
LONG = " ".join(f"Phrase numéro {n} de la leçon." for n in range(60))
BUTTONS = (Button("Oui", "t0"), Button("Non", "t1"))
texts = st.text(alphabet=st.sampled_from("aé œ中🎉\n{}.?!²"), min_size=1, max_size=900)


def compose(
    *outgoing: Outgoing, able: Capabilities = ONE_WAY, settings: Settings = SETTINGS
) -> Composed:
    return Composer(Links(settings), ShortLinks(settings)).compose(outgoing, able, "fr")


def texts_of(composed: Composed) -> list[str]:
    return [body.text for body in composed.bodies if isinstance(body, TextBody)]


def cost(composed: Composed) -> int:
    for body in composed.bodies:
        assert isinstance(body, TextBody)
        assert body.segments == count_segments(body.text).paid
    return sum(body.segments for body in composed.bodies if isinstance(body, TextBody))


def quiz(question: str, *options: str) -> AskQuiz:
    tokens = tuple(f"t{n}" for n in range(len(options)))
    return AskQuiz("q1", "interactive_quiz", question, options, tokens, 0.0)


TYPICAL = [
    quiz("Quelle est la capitale du Mali ?", "Bamako", "Dakar", "Niamey", "Abidjan"),
    quiz("Combien font 7 x 8 ?", "54", "56", "63"),
    quiz("La photosynthèse a lieu la nuit.", "Vrai", "Faux"),
    quiz("x" * 140, "Vrai", "Faux"),
    AskExercise("e1", "Combien font 12 fois 12 ?", "number", 0.0),
    AskExercise("e1", "Calcule $3 + 4$.", "choice", 0.0, options=("7", "6"), tokens=("a", "b")),
    Say(LONG),
    Say("Oui.", BUTTONS),
    Say("Bonjour, pose ta question."),
    SendCode("c1", "000000 est ton code Griot, pendant 5 minutes. Ne le donne à personne."),
    AskApproval("a1", "plan", "Voici mon plan : réviser.", BUTTONS),
]


@pytest.mark.parametrize("item", TYPICAL, ids=str)
def test_a_message_costs_no_more_than_with_options(item: Outgoing) -> None:
    assert cost(compose(item)) <= cost(compose(item, able=SMS))


@given(texts, st.lists(texts.map(lambda text: text[:40]), min_size=2, max_size=6, unique=True))
def test_no_question_is_dearer_than_with_options(question: str, options: list[str]) -> None:
    asked = quiz(question, *options)
    composed = compose(asked)
    [text] = texts_of(composed)
    assert text.endswith(composed.links[0].url)
    short = count_segments(f"{question[:LEAST_TEXT]}...\n{text.rpartition(chr(10))[2]}").paid
    assert cost(composed) <= max(cost(compose(asked, able=SMS)), short)


@given(st.text(alphabet=st.sampled_from("aé œ中🎉 {}.²"), min_size=1, max_size=5000))
def test_no_long_answer_is_dearer_than_its_first_page(markdown: str) -> None:
    assert cost(compose(Say(markdown))) <= cost(compose(Say(markdown), able=SMS))


def test_a_question_has_a_link_and_no_options() -> None:
    composed = compose(TYPICAL[0])
    [body] = composed.bodies
    [link] = composed.links
    assert isinstance(body, TextBody)
    assert body.text == f"Quelle est la capitale du Mali ?\nRéponds : {link.url}"
    assert (link.route, link.target) == ("q", "quiz:q1")
    assert link.url.removeprefix(f"{BASE}/q/").isalnum()
    assert len(link.url.removeprefix(f"{BASE}/q/")) == TOKEN_LENGTH
    assert [choice.label for choice in body.choices][:2] == ["Bamako", "Dakar"]


def test_a_long_answer_has_a_link_to_all_of_it() -> None:
    composed = compose(Say(f"**Titre**\n\n{LONG}"))
    [text] = texts_of(composed)
    [link] = composed.links
    assert text.endswith(f"...\nTout lire : {link.url}")
    assert (link.route, link.body) == ("m", f"**Titre**\n\n{LONG}")
    assert composed.rest is None


def test_buttons_leave_no_numbered_lines() -> None:
    assert texts_of(compose(Say("Encore ?", BUTTONS))) == ["Encore ?"]
    assert texts_of(compose(AskApproval("a1", "plan", "Mon plan.", BUTTONS))) == ["Mon plan."]


def test_the_first_text_is_offered_with_a_link_to_opt_out() -> None:
    composed = compose(Say("Un."), Say("Deux."))
    offer = composed.opt_out
    assert offer is not None
    first, second = offer.bodies
    assert isinstance(first, TextBody)
    assert first.text == f"Un.\nStop SMS : {offer.link.url}"
    assert second == composed.bodies[1]
    assert texts_of(composed) == ["Un.", "Deux."]
    followed = Composed([TextBody("0")]).followed_by(composed).opt_out
    assert followed is not None
    assert list(followed.bodies) == [TextBody("0"), *offer.bodies]


def test_a_reminder_keeps_to_one_segment_under_a_long_address() -> None:
    far = Settings.model_validate(
        {"public_url": f"https://{'griot.' * 9}example", "secret_key": "a secret for tests only"}
    )
    composed = compose(Say("Rappel : réviser les fractions, page 12", link="page"), settings=far)
    assert cost(composed) == 1
    assert composed.opt_out is None  # there is no room, and its page says how
    assert composed.links[0].url in texts_of(composed)[0]


ODD_TITLES = [
    "Réviser les fonctions avec x ∈ ℝ et les intervalles pour le devoir de vendredi",
    "Apporter le cahier 📚 de maths et la règle pour le cours de vendredi matin",
    "Réviser « forêt » et « foret » pour la dictée de vendredi matin à la maison avec tata",
    "∈ se lit « appartient à » : revoir la leçon des ensembles avant vendredi matin",
    "مراجعة درس الكسور قبل يوم الجمعة صباحا مع الأستاذ في القسم",
]


@pytest.mark.parametrize("title", ODD_TITLES)
def test_a_reminder_in_other_signs_is_one_segment_too(title: str) -> None:
    composed = compose(Say(f"Rappel : {title}", link="page"))
    [text] = texts_of(composed)
    assert cost(composed) == 1
    assert text.startswith("Rappel : ")
    assert text.endswith(composed.links[0].url)
    for body in composed.opt_out.bodies if composed.opt_out else ():
        assert isinstance(body, TextBody)
        assert count_segments(body.text).paid == 1


@given(texts)
def test_no_reminder_takes_two_segments(title: str) -> None:
    assert cost(compose(Say(title, link="page"))) <= 1


def test_a_reminder_loses_its_emoji_before_its_words() -> None:
    [text] = texts_of(compose(Say(f"Rappel : {ODD_TITLES[1]}", link="page")))
    words = "Rappel : Apporter le cahier de maths et la règle pour le cours de vendredi matin"
    assert text.splitlines()[0] == words
    [short] = texts_of(compose(Say("Rappel : le cahier 📚 de maths", link="page")))
    assert "📚" in short


def test_a_reminder_is_cut_before_the_sign_that_makes_it_dear() -> None:
    [text] = texts_of(compose(Say(f"Rappel : {ODD_TITLES[0]}", link="page")))
    assert text.splitlines()[0] == "Rappel : Réviser les fonctions avec x..."
    [text] = texts_of(compose(Say(f"Rappel : {ODD_TITLES[2]}", link="page")))
    assert text.splitlines()[0] == 'Rappel : Réviser "foret" et...'


def test_text_question_and_opting_out_go_in_one_message() -> None:
    joining = replace(ONE_WAY, joins=True)
    composer = Composer(Links(SETTINGS), ShortLinks(SETTINGS))
    said = composer.compose([Say("Voici.")], joining, "fr")
    asked = composer.compose([TYPICAL[0]], joining, "fr")
    whole = composer.join(said, asked, joining)
    at_once = composer.compose([Say("Voici."), TYPICAL[0]], joining, "fr")
    for composed in (whole, at_once):
        assert composed.opt_out is not None
        [first] = composed.opt_out.bodies
        assert isinstance(first, TextBody)
        assert first.segments == 1
        lines = [f"Réponds : {composed.links[-1].url}", f"Stop SMS : {composed.opt_out.link.url}"]
        assert first.text.splitlines()[-2:] == lines
        assert texts_of(composed)[0].startswith("Voici.\n\nQuelle est")


def test_the_link_to_opt_out_ends_a_long_answer_and_stands_in_the_first_sms() -> None:
    composer = Composer(Links(SETTINGS), ShortLinks(SETTINGS))
    [alone, asked] = [Say(f"**Titre**\n\n{LONG}"), TYPICAL[0]]
    for items, sms in (([alone], 1), ([alone, asked], 2)):
        composed = composer.compose(items, replace(ONE_WAY, joins=True), "fr")
        assert composed.opt_out is not None
        assert len(composed.opt_out.bodies) == sms
        first = composed.opt_out.bodies[0]
        assert isinstance(first, TextBody)
        *_, read, stop = first.text.splitlines()
        assert read.startswith("Tout lire : ")
        assert stop == f"Stop SMS : {composed.opt_out.link.url}"


def test_without_an_address_nothing_is_linked_and_nothing_lost() -> None:
    local = Settings.model_validate({"secret_key": "a secret for tests only"})
    composed = compose(TYPICAL[0], Say(LONG), Say("Rappel.", link="page"), settings=local)
    question, *answer, reminder = texts_of(composed)
    assert question == "Quelle est la capitale du Mali ?"
    assert " ".join(answer) == drop_accents(LONG)
    assert reminder == "Rappel."
    assert (composed.links, composed.opt_out) == ((), None)


def test_a_text_is_cut_at_a_word() -> None:
    assert fit_text("un deux trois " * 20, ["lien"], 1).endswith("un deux...\nlien")
    assert count_segments(fit_text("un deux trois " * 20, ["lien"], 1)).paid == 1
    assert fit_text("court", ["lien"], 1) == "court\nlien"


# Commands, which they cannot send


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("Aucun exercice. Écris /exercice pour en avoir un.", "Aucun exercice."),
        (
            "Il te reste 3 crédits.\u00a0Envoie /acheter pour plus. Merci.",
            "Il te reste 3 crédits. Merci.",
        ),
        ("You have no credits left. Send /buy to get more.", "You have no credits left."),
        ("Plus de rappels. Pour les recevoir à nouveau, écris START.", "Plus de rappels."),
        ("Nothing was running. To get no more SMS, reply STOP.", "Nothing was running."),
        ("Il y a 1 exercice à réviser. Réponds REVISER.", "Il y a 1 exercice à réviser."),
        ("Deux choix :\n\n- /new\n- demande\n\nVoilà !", "Deux choix :\n\n- demande\n\nVoilà !"),
    ],
)
def test_no_sentence_names_a_command(said: str, left: str) -> None:
    assert texts_of(compose(Say(said))) == [left]


@pytest.mark.parametrize(
    "said",
    [
        "Envoie /taches pour voir les numéros.",
        "Tout s’efface. Envoie /supprimer confirmer.",
        "90 km/heure, et 5/6. Lis https://ecole.ci/classe et n/a.",
        "Écris `/login`. Puis valide.",
        "Le panneau STOP a huit côtés. Écris OUI ou NON. Arrête-toi au STOP.",
    ],
)
def test_what_is_no_command_or_has_nothing_else_to_say_stays(said: str) -> None:
    [there] = texts_of(compose(Say(said), able=SMS))
    assert texts_of(compose(Say(said))) == [there]


def test_who_can_answer_reads_the_commands() -> None:
    said = "Aucun exercice. Envoie /exercice."
    assert texts_of(compose(Say(said), able=SMS)) == [said]
