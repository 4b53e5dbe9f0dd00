from __future__ import annotations

import pytest

from bot.render.markdown import close_open_markup


@pytest.mark.parametrize(
    ("growing", "completed"),
    [
        ("un **mot", "un **mot**"),
        ("un **mot*", "un **mot**"),
        ("un **", "un "),
        ("un **mot** et", "un **mot** et"),
        ("2**3", "2**3"),
        ("du `code", "du `code`"),
        ("**du `code", "**du `code`**"),
        ("~~faux", "~~faux~~"),
        ("voir [la page](https://a.c", "voir la page"),
        ("l'intervalle [0, 1", "l'intervalle [0, 1"),
        ("```py\nx = **", "```py\nx = **"),
        ("**ancien\n\nneuf", "**ancien\n\nneuf"),
    ],
)
def test_what_is_open_at_the_end_is_closed(growing: str, completed: str) -> None:
    assert close_open_markup(growing) == completed
