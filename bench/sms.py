"""What rendering costs: paid segments against sending as written, and time on every channel."""

from __future__ import annotations

import re
import statistics
import time

from bench.results import Result
from bot.contracts.channels import Capabilities
from bot.formulas.line_text import to_line
from bot.messages.outgoing import Say, TextBody
from bot.render.markdown import Layout, parse_markdown
from bot.render.renderer import render_outgoing
from bot.render.sms import count_segments

LESSON = """# Leçon 3 — Les équations du second degré

Bonjour ! Aujourd’hui, nous allons apprendre à **résoudre** une équation de la forme
$ax^2 + bx + c = 0$, où $a \\neq 0$. C’est « plus simple qu’il n’y paraît »… 😊

## 1. Le discriminant

On calcule d’abord le *discriminant*, noté $\\Delta = b^2 - 4ac$ :

- si $\\Delta > 0$, l’équation a **deux solutions** :
  $x_1 = \\frac{-b - \\sqrt{\\Delta}}{2a}$ et $x_2 = \\frac{-b + \\sqrt{\\Delta}}{2a}$ ;
- si $\\Delta = 0$, elle a une seule solution, $x_0 = -\\frac{b}{2a}$ ;
- si $\\Delta < 0$, elle n’a pas de solution réelle.

## 2. Un exemple corrigé

Au marché d’Abobo, Awa vend des mangues. Son bénéfice, en milliers de francs, est donné par
$B(x) = -x^2 + 6x - 5$, où $x$ est le prix d’un panier. À quel prix ne gagne-t-elle rien ? On
résout $-x^2 + 6x - 5 = 0$ : le discriminant vaut $36 - 20 = 16$, donc il y a deux réponses.

| Étape | Résultat |
|---|---|
| Discriminant | 16 |
| Racine | 4 |
| Solutions | 1 et 5 |

Pour t’entraîner davantage, lis [cette fiche](https://fiches.example/maths/second-degre_(3e)),
puis réponds aux questions ci-dessous. N’hésite pas à demander de l’aide : même les meilleurs
élèves se sont trompés au début !

> Rappel : un carré est toujours positif ou nul ($x^2 \\geq 0$).

1. Résous $x^2 - 5x + 6 = 0$.
2. Résous $2x^2 + 3x + 5 = 0$, et dis pourquoi il n’y a pas de solution.
3. Trouve deux nombres dont la somme est $9$ et le produit est $20$.

"""
CHANNELS = {
    "telegram": Capabilities(max_text=4096, text_unit="utf16", markup="entities"),
    "whatsapp_twilio": Capabilities(max_text=1600, markup="markers", max_buttons=3),
    "whatsapp_cloud": Capabilities(max_text=4096, markup="markers", max_buttons=3),
    "sms": Capabilities(max_text=1600, text_unit="gsm7"),
}
LENGTH = 16_000


def measure(*, quick: bool) -> list[Result]:
    answer = "".join(map(_with_unknown, "xyztuvwkpqrs"))[:LENGTH]
    rounds = 3 if quick else 25
    naive, paid = _segments_as_written(LESSON), _segments_paid(LESSON)
    return [
        Result("sms.segments_naive", naive, "segments"),
        Result("sms.segments", paid, "segments"),
        Result("sms.segments_saved", 100 * (naive - paid) / naive, "%"),
        *(
            Result(f"render.{name}.ms_at_16k", _render_ms(answer, channel, rounds), "ms")
            for name, channel in CHANNELS.items()
        ),
    ]


def _with_unknown(letter: str) -> str:
    """The lesson with another name for its unknown, so that its formulas are new."""
    return re.sub(r"\$[^$]+\$", lambda found: found[0].replace("x", letter), LESSON)


def _segments_as_written(markdown: str) -> int:
    """Segments of the same text sent whole, in the letters that it was written with."""
    return count_segments(parse_markdown(markdown, Layout(links=False, monospace=False)).text).paid


def _segments_paid(markdown: str) -> int:
    bodies = render_outgoing(Say(markdown), CHANNELS["sms"])
    return sum(body.segments for body in bodies if isinstance(body, TextBody))


def _render_ms(markdown: str, channel: Capabilities, rounds: int) -> float:
    """CPU time of one rendering, the median; no formula is remembered from the one before."""
    times: list[float] = []
    for _ in range(rounds):
        to_line.cache_clear()
        started = time.process_time()
        render_outgoing(Say(markdown), channel)
        times.append(time.process_time() - started)
    return statistics.median(times) * 1000
