"""Lengths in triangles: Pythagoras (4e), Thales and trigonometry (3e)."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from bot.practice.generator import Draw, Item, Wrong, generates
from bot.practice.secondary_geometry import measure, trim

TRIPLES = ((3, 4, 5), (5, 12, 13), (8, 15, 17), (7, 24, 25), (20, 21, 29), (9, 12, 15), (6, 8, 10))
"""Whole sides of right triangles, the hypotenuse last."""

LADDERS = (
    ("0.7", "2.4", "2.5"),
    ("0.9", "1.2", "1.5"),
    ("1.2", "3.5", "3.7"),
    ("1.4", "4.8", "5"),
    ("1.5", "2", "2.5"),
    ("1.6", "3", "3.4"),
    ("1.8", "2.4", "3"),
    ("2", "2.1", "2.9"),
    ("2.5", "6", "6.5"),
)
"""Right triangles in metres: foot, height and length of a ladder."""

PITCHES = (
    (45, 60, 75),
    (48, 90, 102),
    (51, 68, 85),
    (56, 105, 119),
    (60, 80, 100),
    (60, 91, 109),
    (65, 72, 97),
    (66, 88, 110),
)
"""Football pitches in metres: width, length and diagonal."""

# Pythagoras ---------------------------------------------------------------------------------------


@generates("maths.pythagoras", "4e")
def use_pythagoras(draw: Draw) -> Item:
    """The hypotenuse, then a side of the right angle, then a problem."""
    if draw.difficulty == 3:
        return draw.one_of((_lean_ladder, _cross_pitch))(draw)
    a, b, c = draw.one_of(TRIPLES)
    a, b = draw.one_of(((a, b), (b, a)))
    if draw.difficulty == 1:
        return _find_hypotenuse(draw, a, b, c)
    return draw.choice(
        draw.say(
            f"ABC est un triangle rectangle en A, avec $BC = {c}$ cm et $AB = {a}$ cm. Calcule AC.",
            f"ABC is a triangle with a right angle at A, $BC = {c}$ cm and $AB = {a}$ cm. Find AC.",
        ),
        key=measure(draw, b, "cm"),
        wrong=[
            draw.wrong(
                measure(draw, c - a, "cm"),
                ("longueurs soustraites", "Le théorème parle des carrés des longueurs."),
                ("lengths subtracted", "The theorem is about the squares of the lengths."),
            ),
            draw.wrong(
                measure(draw, b * b, "cm"),
                ("racine carrée oubliée", "Tu as trouvé le carré de la longueur."),
                ("square root forgotten", "You found the square of the length."),
            ),
            draw.wrong(
                measure(draw, c + a, "cm"),
                ("longueurs ajoutées", "Un côté de l'angle droit est-il plus long que BC ?"),
                ("lengths added", "Can a side of the right angle be longer than BC?"),
            ),
            draw.wrong(
                measure(draw, trim(Decimal(b * b) / 2), "cm"),
                ("moitié au lieu de la racine", "La racine carrée n'est pas la moitié."),
                ("half instead of the root", "The square root is not the half."),
            ),
        ],
        hints=[
            draw.say(
                "Quel côté est l'hypoténuse : celui qu'on connaît ou celui qu'on cherche ?",
                "Which side is the hypotenuse: a known one, or the one to find?",
            ),
            draw.say(
                f"$AC^2 = {c}^2 - {a}^2$ : calcule, puis prends la racine carrée.",
                f"$AC^2 = {c}^2 - {a}^2$: work it out, then take the square root.",
            ),
        ],
        steps=[
            f"$AC^2 = {c}^2 - {a}^2 = {c * c} - {a * a} = {b * b}$",
            f"$AC = \\sqrt{{{b * b}}} = {b}$ cm",
        ],
    )


def _find_hypotenuse(draw: Draw, a: int, b: int, c: int) -> Item:
    return draw.choice(
        draw.say(
            f"ABC est un triangle rectangle en A, avec $AB = {a}$ cm et $AC = {b}$ cm. Calcule BC.",
            f"ABC is a triangle with a right angle at A, $AB = {a}$ cm and $AC = {b}$ cm. Find BC.",
        ),
        key=measure(draw, c, "cm"),
        wrong=[
            draw.wrong(
                measure(draw, a + b, "cm"),
                ("longueurs ajoutées", "Le théorème parle des carrés des longueurs."),
                ("lengths added", "The theorem is about the squares of the lengths."),
            ),
            draw.wrong(
                measure(draw, c * c, "cm"),
                ("racine carrée oubliée", "Tu as trouvé le carré de la longueur."),
                ("square root forgotten", "You found the square of the length."),
            ),
            draw.wrong(
                measure(draw, trim(Decimal(c * c) / 2), "cm"),
                ("moitié au lieu de la racine", "La racine carrée n'est pas la moitié."),
                ("half instead of the root", "The square root is not the half."),
            ),
        ],
        hints=[
            draw.say(
                "Quel théorème relie les trois côtés d'un triangle rectangle ?",
                "Which theorem links the three sides of a right triangle?",
            ),
            draw.say(
                f"$BC^2 = {a}^2 + {b}^2$ : calcule, puis prends la racine carrée.",
                f"$BC^2 = {a}^2 + {b}^2$: work it out, then take the square root.",
            ),
        ],
        steps=[
            f"$BC^2 = {a}^2 + {b}^2 = {a * a} + {b * b} = {c * c}$",
            f"$BC = \\sqrt{{{c * c}}} = {c}$ cm",
        ],
    )


def _lean_ladder(draw: Draw) -> Item:
    """How high a ladder reaches, with lengths in metres."""
    foot, high, ladder = (Decimal(side) for side in draw.one_of(LADDERS))
    written = draw.maths(foot), draw.maths(high), draw.maths(ladder)
    squares = [draw.maths(trim(side * side)) for side in (foot, high, ladder)]
    return draw.open(
        draw.say(
            f"Une échelle de ${written[2]}$ m est posée contre un mur vertical. Son pied est à "
            f"${written[0]}$ m du mur. À quelle hauteur touche-t-elle le mur, en m ?",
            f"A ladder of ${written[2]}$ m leans against a vertical wall. Its foot is "
            f"${written[0]}$ m from the wall. How high does it touch the wall, in m?",
        ),
        key=high,
        unit="m",
        wrong=[
            draw.wrong(
                trim(ladder - foot),
                ("longueurs soustraites", "Le théorème parle des carrés des longueurs."),
                ("lengths subtracted", "The theorem is about the squares of the lengths."),
            ),
            draw.wrong(
                trim(high * high),
                ("racine carrée oubliée", "Il reste à prendre la racine carrée."),
                ("square root forgotten", "You still need to take the square root."),
            ),
        ],
        hints=[
            draw.say(
                "Dessine le mur, le sol et l'échelle : quel côté est l'hypoténuse ?",
                "Draw the wall, the ground and the ladder: which side is the hypotenuse?",
            ),
            draw.say(
                f"Hauteur² = ${written[2]}^2 - {written[0]}^2$.",
                f"Height² = ${written[2]}^2 - {written[0]}^2$.",
            ),
        ],
        steps=[
            f"${written[2]}^2 - {written[0]}^2 = {squares[2]} - {squares[0]} = {squares[1]}$",
            f"$\\sqrt{{{squares[1]}}} = {written[1]}$ (m)",
        ],
    )


def _cross_pitch(draw: Draw) -> Item:
    """How much a diagonal saves against two sides of a football pitch."""
    wide, long_, across = draw.one_of(PITCHES)
    saved = wide + long_ - across
    return draw.open(
        draw.say(
            f"Un terrain de football mesure ${long_}$ m sur ${wide}$ m. Au lieu de "
            "suivre deux côtés, un joueur court en diagonale. Combien de mètres gagne-t-il ?",
            f"A football pitch measures ${long_}$ m by ${wide}$ m. Instead of following "
            "two sides, a player runs along the diagonal. How many metres does he save?",
        ),
        key=saved,
        unit="m",
        wrong=[
            draw.wrong(
                across,
                ("question oubliée", "C'est la diagonale : que gagne-t-on par rapport au tour ?"),
                ("question forgotten", "That is the diagonal: what is saved against the sides?"),
            )
        ],
        hints=[
            draw.say(
                "La diagonale et deux côtés forment un triangle rectangle.",
                "The diagonal and two sides make a right triangle.",
            ),
            draw.say(
                f"Calcule la diagonale avec ${long_}^2 + {wide}^2$, puis compare aux deux côtés.",
                f"Find the diagonal with ${long_}^2 + {wide}^2$, then compare with the two sides.",
            ),
        ],
        steps=[
            f"${long_}^2 + {wide}^2 = {long_**2} + {wide**2} = {across**2}$",
            f"$\\sqrt{{{across**2}}} = {across}$",
            f"${long_} + {wide} - {across} = {saved}$",
        ],
    )


# Thales -------------------------------------------------------------------------------------------


@generates("maths.thales", "3e")
def use_thales(draw: Draw) -> Item:
    """A side from its part, then the parallel segment, then shadows or crossing lines."""
    if draw.difficulty == 2:
        return _find_parallel(draw)
    if draw.difficulty == 3:
        return draw.one_of((_measure_shadow, _cross_lines))(draw)
    am, an = draw.random.sample(range(2, 9), 2)
    times = draw.between(2, 5)
    ab, key = am * times, an * times
    wrong = [
        draw.wrong(
            measure(draw, an + ab - am, "cm"),
            ("même longueur ajoutée", "Les longueurs sont multipliées, pas augmentées d'autant."),
            ("same length added", "The lengths are multiplied, not increased by the same amount."),
        ),
        draw.wrong(
            measure(draw, an * (times - 1), "cm"),
            ("segment MB utilisé", "Dans le rapport, prends AB tout entier et non MB."),
            ("segment MB used", "In the ratio, take the whole of AB and not MB."),
        ),
        draw.wrong(
            measure(draw, ab, "cm"),
            ("côtés pris pour égaux", "AC et AB n'ont pas de raison d'être égaux."),
            ("sides taken as equal", "There is no reason why AC and AB should be equal."),
        ),
        draw.wrong(
            measure(draw, am * an * times, "cm"),
            ("rapport mal écrit", "Écris les rapports égaux et vérifie chaque côté."),
            ("ratio written wrongly", "Write the equal ratios and check each side."),
        ),
    ]
    return draw.choice(
        draw.say(
            "Dans le triangle ABC, M est sur [AB], N est sur [AC] et (MN) est parallèle à (BC). "
            f"$AM = {am}$ cm, $AB = {ab}$ cm et $AN = {an}$ cm. Calcule AC.",
            "In triangle ABC, M is on AB, N is on AC and MN is parallel to BC. "
            f"$AM = {am}$ cm, $AB = {ab}$ cm and $AN = {an}$ cm. Find AC.",
        ),
        key=measure(draw, key, "cm"),
        wrong=wrong,
        hints=[
            draw.say(
                "Les deux triangles AMN et ABC ont des côtés proportionnels.",
                "The triangles AMN and ABC have proportional sides.",
            ),
            draw.say(
                f"$\\frac{{AM}}{{AB}} = \\frac{{AN}}{{AC}}$, donc "
                f"$\\frac{{{am}}}{{{ab}}} = \\frac{{{an}}}{{AC}}$.",
                f"$\\frac{{AM}}{{AB}} = \\frac{{AN}}{{AC}}$, so "
                f"$\\frac{{{am}}}{{{ab}}} = \\frac{{{an}}}{{AC}}$.",
            ),
        ],
        steps=[
            f"$\\frac{{{am}}}{{{ab}}} = \\frac{{{an}}}{{AC}}$",
            f"$AC = \\frac{{{ab} \\times {an}}}{{{am}}} = {key}$ cm",
        ],
    )


def _find_parallel(draw: Draw) -> Item:
    """MN from AM, MB and BC: the side AB must be found first."""
    p, q = draw.one_of(((1, 2), (2, 1), (2, 3), (3, 2), (1, 3), (3, 1), (3, 4)))
    scale, size = draw.between(2, 4), draw.between(1, 2) if q > 1 else draw.between(3, 4)
    am, mb = p * scale, q * scale
    bc, mn = (p + q) * q * size, p * q * size
    bc, mn = (2 * bc, 2 * mn) if am + mb in (bc, mn) else (bc, mn)
    ab = am + mb
    return draw.choice(
        draw.say(
            "Dans le triangle ABC, M est sur [AB], N est sur [AC] et (MN) est parallèle à (BC). "
            f"$AM = {am}$ cm, $MB = {mb}$ cm et $BC = {bc}$ cm. Calcule MN.",
            "In triangle ABC, M is on AB, N is on AC and MN is parallel to BC. "
            f"$AM = {am}$ cm, $MB = {mb}$ cm and $BC = {bc}$ cm. Find MN.",
        ),
        key=measure(draw, mn, "cm"),
        wrong=_wrong_parallels(draw, am, mb, bc),
        hints=[
            draw.say(
                "Quel côté du grand triangle correspond à AM ?",
                "Which side of the large triangle goes with AM?",
            ),
            draw.say(
                f"$AB = {am} + {mb} = {ab}$ cm, et $\\frac{{MN}}{{{bc}}} = \\frac{{AM}}{{AB}}$.",
                f"$AB = {am} + {mb} = {ab}$ cm, and $\\frac{{MN}}{{{bc}}} = \\frac{{AM}}{{AB}}$.",
            ),
        ],
        steps=[
            f"$AB = {am} + {mb} = {ab}$ cm",
            f"$\\frac{{MN}}{{{bc}}} = \\frac{{{am}}}{{{ab}}}$",
            f"$MN = \\frac{{{bc} \\times {am}}}{{{ab}}} = {mn}$ cm",
        ],
    )


def _wrong_parallels(draw: Draw, am: int, mb: int, bc: int) -> list[Wrong]:
    subtracted = draw.wrong(
        measure(draw, bc - mb, "cm"),
        ("même longueur enlevée", "Les longueurs sont multipliées, pas diminuées d'autant."),
        ("same length taken away", "The lengths are multiplied, not reduced by the same amount."),
    )
    return [
        draw.wrong(
            measure(draw, bc * am // mb, "cm"),
            ("segment MB utilisé", "Dans le rapport, c'est le côté AB tout entier qu'il faut."),
            ("segment MB used", "The ratio needs the whole side AB."),
        ),
        draw.wrong(
            measure(draw, bc * mb // (am + mb), "cm"),
            ("mauvais morceau du côté", "Le petit triangle est AMN : quel est son côté sur [AB] ?"),
            ("wrong part of the side", "The small triangle is AMN: which is its side on AB?"),
        ),
        *([subtracted] if bc > mb else []),
    ]


def _measure_shadow(draw: Draw) -> Item:
    """The height of a palm tree by its shadow and that of a stick."""
    stick, shadow = draw.one_of(((Decimal("1.5"), 2), (Decimal("1.2"), 1), (2, 3), (1, 2), (2, 5)))
    times = draw.between(4, 9)
    long_shadow, key = shadow * times, trim(Decimal(stick) * times)
    short = draw.maths(stick)
    thing_fr, thing_en = draw.one_of(
        (("Un palmier", "A palm tree"), ("Un baobab", "A baobab"), ("Un poteau", "A pole"))
    )
    return draw.open(
        draw.say(
            f"Un bâton vertical de ${short}$ m a une ombre de ${shadow}$ m. {thing_fr}, à côté, a "
            f"au même moment une ombre de ${long_shadow}$ m. Quelle est sa hauteur, en m ?",
            f"An upright stick of ${short}$ m has a shadow of ${shadow}$ m. {thing_en} next to it "
            f"has a shadow of ${long_shadow}$ m at the same moment. What is its height, in m?",
        ),
        key=key,
        unit="m",
        wrong=[
            draw.wrong(
                trim(Decimal(stick) + long_shadow - shadow),
                ("même longueur ajoutée", "Les hauteurs et les ombres sont proportionnelles."),
                ("same length added", "Heights and shadows are proportional."),
            ),
            draw.wrong(
                Fraction(long_shadow * shadow) / Fraction(stick),
                ("rapport inversé", "Compare ombre avec ombre et hauteur avec hauteur."),
                ("ratio upside down", "Compare shadow with shadow and height with height."),
            ),
        ],
        hints=[
            draw.say(
                "Les rayons du soleil sont parallèles : les deux triangles ont la même forme.",
                "The sun's rays are parallel: the two triangles have the same shape.",
            ),
            draw.say(
                f"$\\frac{{h}}{{{short}}} = \\frac{{{long_shadow}}}{{{shadow}}}$.",
                f"$\\frac{{h}}{{{short}}} = \\frac{{{long_shadow}}}{{{shadow}}}$.",
            ),
        ],
        steps=[
            f"$\\frac{{h}}{{{short}}} = \\frac{{{long_shadow}}}{{{shadow}}} = {times}$",
            f"$h = {times} \\times {short} = {draw.maths(key)}$ (m)",
        ],
    )


def _cross_lines(draw: Draw) -> Item:
    """Two lines that cross at A between two parallels."""
    p, q = draw.one_of(((2, 3), (3, 2), (3, 4), (4, 3), (2, 5), (3, 5)))
    scale, size = draw.between(2, 3), draw.between(3, 6)
    ab, am, bc, mn = q * scale, p * scale, q * size, p * size
    return draw.open(
        draw.say(
            "Les droites (BM) et (CN) se coupent en A, entre les parallèles (BC) et (MN). "
            f"$AB = {ab}$ cm, $AM = {am}$ cm et $BC = {bc}$ cm. Calcule MN, en cm.",
            "The lines BM and CN cross at A, between the parallel lines BC and MN. "
            f"$AB = {ab}$ cm, $AM = {am}$ cm and $BC = {bc}$ cm. Find MN, in cm.",
        ),
        key=mn,
        unit="cm",
        wrong=[
            draw.wrong(
                Fraction(bc * ab, am),
                ("rapport inversé", "Place AM avec MN, et AB avec BC."),
                ("ratio upside down", "Put AM with MN, and AB with BC."),
            ),
            draw.wrong(
                bc + am - ab,
                (
                    "même longueur ajoutée",
                    "Les longueurs sont multipliées, pas augmentées d'autant.",
                ),
                ("same length added", "The lengths are multiplied, not increased equally."),
            ),
        ],
        hints=[
            draw.say(
                "Les triangles ABC et AMN ont des côtés proportionnels.",
                "The triangles ABC and AMN have proportional sides.",
            ),
            draw.say(
                f"$\\frac{{MN}}{{{bc}}} = \\frac{{{am}}}{{{ab}}}$.",
                f"$\\frac{{MN}}{{{bc}}} = \\frac{{{am}}}{{{ab}}}$.",
            ),
        ],
        steps=[
            f"$\\frac{{MN}}{{{bc}}} = \\frac{{{am}}}{{{ab}}}$",
            f"$MN = \\frac{{{bc} \\times {am}}}{{{ab}}} = {mn}$ cm",
        ],
    )
