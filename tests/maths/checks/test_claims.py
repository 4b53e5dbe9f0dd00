"""Rules for what sentences claim in words: of numbers, functions, word problems, shapes."""

from __future__ import annotations

import pytest

from bot.maths.checker import MathsChecker
from tests.maths.templates import split_choices


async def _decide(checker: MathsChecker, text: str) -> set[str]:
    return {each.verdict for each in await checker.check(text)}


@pytest.mark.parametrize(
    "text",
    [
        "⟦97|91⟧ est premier.",
        "135 est divisible par ⟦9|2⟧.",
        "Dans un triangle, Â = 50° et B̂ = 60°, donc Ĉ = ⟦70|80⟧°.",
        "Un sac contient 3 boules rouges et 5 vertes. P(rouge) = ⟦3/8|3/5⟧.",
        "Une hausse de 20 % correspond à un coefficient multiplicateur de ⟦1,2|1,02⟧.",
        "On divise 60 par 4 : ⟦15|16⟧.",
        "On multiplie 15 par 3 : ⟦45|40⟧.",
        "60 ÷ 4 = 15. Puis on multiplie par 3 : ⟦45|40⟧.",
        "60 ÷ 4 = 15. On divise ensuite par 5 : ⟦3|5⟧.",
        "1 − 12/100 = 0,88, soit une baisse de ⟦12|22⟧ %.",
        "lim_{x→+∞} (3x + 1)/(x − 2) = ⟦3|1⟧",
        "Les diviseurs de 12 sont 1, ⟦2, 3, 4, 6 et 12|2 et 5⟧.",
        r"$17 \equiv ⟦2|3⟧ \pmod 5$",
        "Le reste de la division de 29 par 4 est ⟦1|3⟧.",
        "L'arrondi de 3,276 au centième est ⟦3,28|3,27⟧.",
        "2,5 km, c'est ⟦2 500|250⟧ m.",
        "Dans 2 347, il y a ⟦23|3⟧ centaines.",
        "The mean of 4, 8 and 12 is ⟦8|9⟧.",
        "La médiane de 4 ; 7 ; 9 ; 10 est ⟦8|9⟧.",
        "Le module de $z = 3 + 4i$ est ⟦5|7⟧.",
        "Le discriminant de x² + 4x + 1 vaut ⟦12|20⟧.",
        "A(3 ; ⟦7|6⟧) est sur la droite y = 2x + 1.",
        "La distance entre A(1 ; 1) et B(4 ; 5) est ⟦5|7⟧.",
        "3 cahiers à 250 F coûtent ⟦750|700⟧ F.",
        "5 kg coûtent 3 000 F, donc 8 kg coûtent 4 ⟦800|500⟧ F.",
        "Le prix passe de 200 F à 250 F, soit une hausse de ⟦25|20⟧ %.",
        "Un article à 12 000 F est soldé à 30 % : il coûte 8 ⟦400|600⟧ F.",
        "À 80 km/h, en 3 heures, on parcourt ⟦240|230⟧ km.",
        "Un carré de 6 cm de côté a une aire de ⟦36|24⟧ cm².",
        "Tu as 15 billes, tu en perds 6 : il t'en reste ⟦9|8⟧.",
        "Tu as 8 bonbons, on t'en donne 5 : tu en as ⟦13|3⟧.",
        "Tu as 3 sacs de 12 billes et tu en donnes 5 : il t'en reste ⟦31|33⟧.",
        "La durée entre 8 h 45 et 10 h 15 est ⟦1|2⟧ h 30 min.",
        "Le numérateur de 3/5 est ⟦3|5⟧.",
        "On trouve ⟦56|54⟧ pour 7 × 8.",
        "60 = ⟦trois|quatre⟧ vingts",
        "Une boîte contient 6 œufs. Dans 7 boîtes, il y a donc ⟦42|36⟧ œufs.",
    ],
)  # fmt: skip
async def test_claims_in_words_are_decided(checker: MathsChecker, text: str) -> None:
    right, wrong = split_choices(text)
    assert "wrong" not in await _decide(checker, right)
    assert "wrong" in await _decide(checker, wrong)


@pytest.mark.parametrize(
    "text",
    [
        "$u_0 = 1$ et $u_{n+1} = 2u_n + 3$ donc $u_2 = ⟦13|11⟧$",
        "$u_n = 3n - 1$, donc $u_{10} = ⟦29|31⟧$.",
        "Si $1 < x < 3$, alors $2 < 2x < ⟦6|5⟧$.",
        "$f(x) = x^2 + 3x$, donc $f'(1) = ⟦5|4⟧$.",
        r"$P(A) = 0{,}35$ donc $P(\overline{A}) = 0{⟦,}65|,}75⟧$",
        "$5x - 10 = 3x + 4$, donc $2x = ⟦14|-6⟧$.",
        "ABC est rectangle en A, AB = 6 et AC = 8, donc BC = ⟦10|14⟧.",
        r"$\lim_{x \to +\infty} \frac{2x + 1}{x} = ⟦2|1⟧$",
        r"$\sum_{k=1}^{10} k = ⟦55|54⟧$",
        "1 + 2 + … + 10 = ⟦55|54⟧",
        r"$\int_0^2 x^3\,dx = [\frac{x^4}{4}]_0^2 = ⟦4|8⟧$",
    ],
)  # fmt: skip
async def test_what_follows_from_the_text_is_decided(checker: MathsChecker, text: str) -> None:
    right, wrong = split_choices(text)
    assert "wrong" not in await _decide(checker, right)
    assert "wrong" in await _decide(checker, wrong)


@pytest.mark.parametrize(
    "text",
    [
        "4 ouvriers mettent 6 jours ; 8 ouvriers mettent 3 jours.",
        "Lis les pages 12 à 18, puis fais 3 exercices, donc 20 minutes de travail.",
        "Awa a 12 ans, Koffi a 15 ans : à eux deux, ils ont 27 ans.",
        "Une remise de 20 % sur 5 000 F représente 1 000 F.",
        "Sur une carte au 1/50 000, 3 cm représentent 1,5 km.",
        "14 et 15 sont premiers entre eux, 14 et 21 ne le sont pas.",
        "2.5 km is 2,500 m.",
        "Un train part à 8 h et roule à 90 km/h. À 10 h il a parcouru 180 km.",
        "Il a 2 côtés de 5 cm et un côté de 3 cm.",
        "Une heure de cours dure 55 minutes ; un jour d'été dure 16 heures.",
        "Il y a 7 jours dans une semaine et 24 heures dans un jour.",
        "5 workers take 6 days, so 10 workers take 3 days.",
        "En 6e, soit 36 élèves sur 120, on apprend l'anglais.",
    ],
)
async def test_what_numbers_alone_do_not_tell_is_left_alone(
    checker: MathsChecker, text: str
) -> None:
    assert "wrong" not in await _decide(checker, text)
