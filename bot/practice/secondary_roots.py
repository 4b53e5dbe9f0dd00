"""Square roots (3e): of perfect squares, simplified, added and subtracted."""

from __future__ import annotations

from decimal import Decimal

from bot.practice.generator import Draw, Item, Wrong, generates


def write_root(outside: int, inside: int) -> str:
    """`outside` times the square root of `inside`, in LaTeX."""
    return f"\\sqrt{{{inside}}}" if outside == 1 else f"{outside}\\sqrt{{{inside}}}"


@generates("maths.square-roots", "3e")
def simplify_square_roots(draw: Draw) -> Item:
    """The root of a perfect square, then `a√b`, then a sum or difference of roots."""
    if draw.difficulty == 1:
        return _take_root(draw)
    m = draw.one_of((2, 3, 5, 6, 7))
    if draw.difficulty == 3:
        return _combine_roots(draw, m)
    k = draw.between(2, 7)
    number = k * k * m
    return draw.choice(
        draw.say(
            f"Écris $\\sqrt{{{number}}}$ sous la forme $a\\sqrt{{b}}$, avec $b$ le plus petit "
            "possible.",
            f"Write $\\sqrt{{{number}}}$ as $a\\sqrt{{b}}$, with $b$ as small as possible.",
        ),
        key=f"${write_root(k, m)}$",
        wrong=_wrong_for_a_root(draw, k, m),
        hints=[
            draw.say(
                f"Cherche un carré parfait ($4$, $9$, $16$, $25$…) qui divise ${number}$.",
                f"Look for a perfect square ($4$, $9$, $16$, $25$…) that divides ${number}$.",
            ),
            draw.say(
                f"${number} = {k * k} \\times {m}$ : quelle est la racine carrée de ${k * k}$ ?",
                f"${number} = {k * k} \\times {m}$: what is the square root of ${k * k}$?",
            ),
        ],
        steps=[
            f"${number} = {k * k} \\times {m}$",
            f"$\\sqrt{{{number}}} = \\sqrt{{{k * k}}} \\times \\sqrt{{{m}}} = {write_root(k, m)}$",
        ],
    )


def _wrong_for_a_root(draw: Draw, k: int, m: int) -> list[Wrong]:
    swapped = draw.wrong(
        f"${write_root(m, k)}$",
        ("nombres échangés", "Lequel des deux facteurs est un carré parfait ?"),
        ("numbers swapped", "Which of the two factors is a perfect square?"),
    )
    return [
        draw.wrong(
            f"${write_root(k * k, m)}$",
            ("carré sorti sans prendre sa racine", "Ce qui sort de la racine change : comment ?"),
            ("square taken out as it is", "What leaves the root changes: how?"),
        ),
        *([swapped] if k != m else []),
        draw.wrong(
            f"${write_root(k + 1, m)}$" if k * k * m % 2 else f"${k * k * m // 2}$",
            ("racine mal calculée", "Vérifie en élevant ta réponse au carré.")
            if k * k * m % 2
            else ("moitié prise pour la racine", "La racine carrée n'est pas la moitié."),
            ("root miscalculated", "Check by squaring your answer.")
            if k * k * m % 2
            else ("half taken for the root", "The square root is not the half."),
        ),
    ]


def _take_root(draw: Draw) -> Item:
    root = draw.between(4, 15)
    square = root * root
    return draw.choice(
        draw.say(f"Calcule $\\sqrt{{{square}}}$.", f"Work out $\\sqrt{{{square}}}$."),
        key=root,
        wrong=[
            draw.wrong(
                Decimal(square) / 2,
                ("moitié prise pour la racine", "La racine carrée n'est pas la moitié."),
                ("half taken for the root", "The square root is not the half."),
            ),
            draw.wrong(
                -root,
                ("racine négative", "Une racine carrée n'est jamais négative."),
                ("negative root", "A square root is never negative."),
            ),
            draw.wrong(
                root + draw.one_of((1, -1)),
                ("carré voisin", "Vérifie : multiplie ta réponse par elle-même."),
                ("square next to it", "Check: multiply your answer by itself."),
            ),
        ],
        hints=[
            draw.say(
                f"Quel nombre positif, multiplié par lui-même, donne ${square}$ ?",
                f"Which positive number, times itself, gives ${square}$?",
            ),
            draw.say(
                f"Essaie des carrés proches : ${(root - 1) ** 2}$ est celui de ${root - 1}$.",
                f"Try squares nearby: ${(root - 1) ** 2}$ is the square of ${root - 1}$.",
            ),
        ],
        steps=[
            f"${root} \\times {root} = {square}$",
            f"$\\sqrt{{{square}}} = {root}$",
        ],
    )


def _combine_roots(draw: Draw, m: int) -> Item:
    """`√(p²m) ± √(q²m)`, with the answer in the form `a√m`."""
    q, p = sorted(draw.random.sample(range(2, 7), 2))
    minus = draw.one_of((True, False)) and p - q > 1
    sign, combined = ("-", p - q) if minus else ("+", p + q)
    first, second = p * p * m, q * q * m
    together = first - second if minus else first + second
    written = f"\\sqrt{{{first}}} {sign} \\sqrt{{{second}}}"
    last = draw.wrong(
        f"${combined}$",
        ("racine disparue", "La racine reste : on compte les racines comme des objets."),
        ("root vanished", "The root stays: count the roots like objects."),
    )
    return draw.choice(
        draw.say(
            f"Écris ${written}$ sous la forme $a\\sqrt{{{m}}}$.",
            f"Write ${written}$ in the form $a\\sqrt{{{m}}}$.",
        ),
        key=f"${write_root(combined, m)}$",
        wrong=[
            draw.wrong(
                f"$\\sqrt{{{together}}}$",
                ("nombres sous les racines combinés", "Une somme de racines n'est pas une racine."),
                ("numbers under the roots combined", "A sum of roots is not one root."),
            ),
            draw.wrong(
                f"${write_root(p * p - q * q if minus else p * p + q * q, m)}$",
                ("carrés sortis sans leur racine", "Ce qui sort d'une racine change : comment ?"),
                ("squares taken out as they are", "What leaves a root changes: how?"),
            ),
            last,
        ],
        hints=[
            draw.say(
                "Simplifie d'abord chaque racine séparément.",
                "Simplify each root by itself first.",
            ),
            draw.say(
                f"$\\sqrt{{{first}}} = {write_root(p, m)}$. Fais de même pour l'autre.",
                f"$\\sqrt{{{first}}} = {write_root(p, m)}$. Do the same with the other one.",
            ),
        ],
        steps=[
            f"$\\sqrt{{{first}}} = {write_root(p, m)}$",
            f"$\\sqrt{{{second}}} = {write_root(q, m)}$",
            f"${write_root(p, m)} {sign} {write_root(q, m)} = {write_root(combined, m)}$",
        ],
    )
