from __future__ import annotations

import pytest

from bot.documents.letters import split_letter, strip_subject
from tests.support.documents import blocks_of, said

LETTER = """
Awa Koné
Cocody

Madame la Directrice
Banque du Plateau

Abidjan, le 3 mars 2026

Objet : demande de rendez-vous

Madame la Directrice,

Je vous écris.

Veuillez agréer mes salutations.

Awa Koné
Gérante
"""


def test_a_letter_of_plain_paragraphs_is_taken_apart() -> None:
    letter = split_letter(blocks_of(LETTER))
    assert said(letter.sender) == ["Awa Koné Cocody"]
    assert said(letter.recipient) == ["Madame la Directrice Banque du Plateau"]
    assert letter.place_and_date == "Abidjan, le 3 mars 2026"
    assert letter.subject == "demande de rendez-vous"
    assert said(letter.body) == [
        "Madame la Directrice,",
        "Je vous écris.",
        "Veuillez agréer mes salutations.",
    ]
    assert said(letter.signature) == ["Awa Koné Gérante"]


@pytest.mark.parametrize(
    "last", ["P.-J. : deux relevés", "PJ : CV", "**Pièces jointes :** un CV", "Copie : M. Sow",
             "P.-S. : Merci.", "Encl.: CV", "N.B. : copie certifiée", "cc: the Bursar"]
)  # fmt: skip
def test_what_follows_the_signature_is_not_signed(last: str) -> None:
    letter = split_letter(blocks_of(f"{LETTER}\n{last}\n\n- relevé\n- CV"))
    assert said(letter.signature) == ["Awa Koné Gérante"]
    assert said(letter.body)[-1] == "Veuillez agréer mes salutations."
    assert letter.after[0].words == last.replace("*", "")
    assert letter.after[1].kind == "bullet_list"


def test_initials_are_a_name() -> None:
    (name,) = split_letter(blocks_of("Madame,\n\nMerci.\n\nP. S. Traoré\nN. B. Koné")).signature
    assert name.words == "P. S. Traoré N. B. Koné"


def test_a_letter_that_ends_in_enclosures_alone_has_no_signature() -> None:
    letter = split_letter(blocks_of("Madame,\n\n" + "Un texte. " * 30 + "\n\nP.-J. : un CV"))
    assert letter.signature == []
    assert said(letter.after) == ["P.-J. : un CV"]


def test_a_rule_parts_addresses_of_several_paragraphs() -> None:
    letter = split_letter(
        blocks_of("Awa\n\nCocody\n\n---\n\nBanque\n\nPlateau\n\n---\n\nMonsieur,\n\nA.\n\nB.")
    )
    assert said(letter.sender) == ["Awa", "Cocody"]
    assert said(letter.recipient) == ["Banque", "Plateau"]


@pytest.mark.parametrize(
    "date", ["Le 1er mars 2026", "3 March 2026", "Accra, March 3, 2026", "Lomé, le 03/03/2026"]
)
def test_dates_are_known_in_both_languages(date: str) -> None:
    letter = split_letter(blocks_of(f"Ama\n\nBank\n\n{date}\n\nDear Sir,\n\nText.\n\nAma"))
    assert letter.place_and_date == date


def test_without_a_salutation_all_is_the_letter() -> None:
    letter = split_letter(blocks_of("Un.\n\nDeux.\n\n" + "Trois. " * 60))
    assert len(letter.body) == 3
    assert (letter.sender, letter.recipient, letter.signature) == ([], [], [])


def test_long_paragraphs_before_a_name_are_no_address() -> None:
    letter = split_letter(blocks_of("Texte. " * 80 + "\n\nMonsieur Koffi,\n\nTexte. " * 2))
    assert letter.sender == []


@pytest.mark.parametrize("title", ["Objet : Prêt", "Subject: Prêt", "Prêt", "RE: Prêt"])
def test_a_subject_is_named_once(title: str) -> None:
    assert strip_subject(title) == "Prêt"
