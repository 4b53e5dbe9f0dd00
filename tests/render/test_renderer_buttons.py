from __future__ import annotations

from bot.messages.outgoing import Button
from bot.render.renderer import lay_out_buttons, option_letter
from tests.render.channels import FEW_BUTTONS, TELEGRAM


def test_letters_go_on_after_z() -> None:
    assert [option_letter(index) for index in (0, 25, 26, 51, 52)] == ["A", "Z", "AA", "AZ", "BA"]


def test_long_labels_stand_one_a_row() -> None:
    buttons = [Button("Envoyer", "a"), Button("Modifier le message", "b")]
    assert lay_out_buttons(buttons, TELEGRAM).rows == ((buttons[0],), (buttons[1],))


def test_buttons_beyond_what_fits_are_listed_and_the_first_ones_lettered() -> None:
    buttons = [Button(name, name) for name in ("un", "deux", "trois", "quatre")]
    choices = lay_out_buttons(buttons, FEW_BUTTONS)
    assert choices.listing == "A) un\nB) deux\nC) trois\nD) quatre"
    assert choices.rows == ((Button("A", "un"),), (Button("B", "deux"),), (Button("C", "trois"),))
