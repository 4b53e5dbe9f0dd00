"""Linear functions and systems of two equations (3e)."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from bot.practice.generator import Draw, Item, Wrong, generates
from bot.practice.relative_numbers import bracket
from bot.practice.secondary_algebra import plain, write_polynomial
from bot.practice.secondary_equations import write_opposite

# Linear functions ---------------------------------------------------------------------------------


@generates("maths.linear-function", "3e")
def use_linear_function(draw: Draw) -> Item:
    """An image by `ax`, then an image or antecedent by `ax + b`, then the expression."""
    if draw.difficulty == 3:
        return draw.one_of((_find_from_two_images, _write_fare))(draw)
    a = draw.one_of((1, -1)) * draw.between(2, 9)
    n = draw.between(2, 9)
    if draw.difficulty == 2:
        b = draw.one_of((1, -1)) * draw.between(2, 9)
        return draw.one_of((_find_image, _find_antecedent))(draw, a, b, n)
    n = n + 1 if a == n == 2 else n
    return draw.choice(
        draw.say(
            f"Soit la fonction linéaire $f(x) = {write_polynomial(a, 0)}$. Calcule $f({n})$.",
            f"Let $f$ be the linear function $f(x) = {write_polynomial(a, 0)}$. Work out $f({n})$.",
        ),
        key=a * n,
        wrong=[
            draw.wrong(
                a + n,
                ("addition au lieu de produit", f"${write_polynomial(a, 0)}$ est un produit."),
                ("added instead of multiplied", f"${write_polynomial(a, 0)}$ is a product."),
            ),
            draw.wrong(
                10 * a + (n if a > 0 else -n),
                ("chiffres collés", "Remplacer $x$ ne veut pas dire coller les chiffres."),
                ("digits put side by side", "To replace $x$ is not to put digits side by side."),
            ),
            draw.wrong(
                -a * n,
                ("erreur de signe", "Vérifie le signe du produit."),
                ("wrong sign", "Check the sign of the product."),
            ),
        ],
        hints=[
            draw.say(
                f"$f({n})$ : on remplace $x$ par ${n}$.", f"$f({n})$: put ${n}$ in place of $x$."
            ),
            draw.say(f"Calcule ${a} \\times {n}$.", f"Work out ${a} \\times {n}$."),
        ],
        steps=[f"$f({n}) = {a} \\times {n} = {a * n}$"],
    )


def _find_image(draw: Draw, a: int, b: int, n: int) -> Item:
    """The image of a negative number."""
    function = write_polynomial(a, b)
    sign = "+" if b > 0 else "-"
    return draw.choice(
        draw.say(
            f"Soit la fonction affine $f(x) = {function}$. Calcule $f(-{n})$.",
            f"Let $f$ be the function $f(x) = {function}$. Work out $f(-{n})$.",
        ),
        key=-a * n + b,
        wrong=[
            draw.wrong(
                a * n + b,
                ("signe de $x$ perdu", "Le nombre qui remplace $x$ est négatif."),
                ("sign of $x$ lost", "The number in place of $x$ is negative."),
            ),
            draw.wrong(
                a - n + b,
                ("addition au lieu de produit", "Le nombre collé à $x$ le multiplie."),
                ("added instead of multiplied", "The number right before $x$ multiplies it."),
            ),
            draw.wrong(
                -a * n - b,
                ("signe du dernier terme", "Le deuxième terme garde son signe."),
                ("sign of the last term", "The second term keeps its sign."),
            ),
            draw.wrong(
                a * (b - n),
                ("addition faite d'abord", "Laquelle des deux opérations est prioritaire ?"),
                ("added first", "Which of the two operations comes first?"),
            ),
        ],
        hints=[
            draw.say(
                "Remplace $x$ en gardant des parenthèses autour du nombre négatif.",
                "Replace $x$, and keep brackets around the negative number.",
            ),
            draw.say(
                f"Calcule ${a} \\times (-{n})$, puis termine.",
                f"Work out ${a} \\times (-{n})$, then finish.",
            ),
        ],
        steps=[
            f"$f(-{n}) = {a} \\times (-{n}) {sign} {abs(b)}$",
            f"${-a * n} {sign} {abs(b)} = {-a * n + b}$",
        ],
    )


def _find_antecedent(draw: Draw, a: int, b: int, n: int) -> Item:
    """The number whose image is known."""
    image = a * n + b
    function = write_polynomial(a, b)
    return draw.choice(
        draw.say(
            f"Soit la fonction affine $f(x) = {function}$. Quel nombre a pour image ${image}$ ?",
            f"Let $f$ be the function $f(x) = {function}$. Which number has the image ${image}$?",
        ),
        key=n,
        wrong=[
            draw.wrong(
                a * image + b,
                ("image au lieu d'antécédent", "Ce nombre est le résultat, pas la valeur de $x$."),
                ("image taken instead of $x$", "That number is the result, not the value of $x$."),
            ),
            draw.wrong(
                a * n,
                ("division oubliée", "Il reste une opération à faire pour trouver $x$."),
                ("division forgotten", "One more operation is needed to find $x$."),
            ),
            draw.wrong(
                Fraction(image + b, a),
                ("signe non changé", "Vérifie le signe du nombre que tu déplaces."),
                ("sign not changed", "Check the sign of the number that you move."),
            ),
            draw.wrong(
                -n,
                ("erreur de signe", "Remplace $x$ par ta réponse pour vérifier."),
                ("wrong sign", "Put your answer in place of $x$ to check."),
            ),
        ],
        hints=[
            draw.say(
                "On connaît le résultat $f(x)$ et on cherche $x$.",
                "The result $f(x)$ is known, and $x$ is what you look for.",
            ),
            draw.say(
                f"Résous l'équation ${function} = {image}$.",
                f"Solve the equation ${function} = {image}$.",
            ),
        ],
        steps=[
            f"${function} = {image}$",
            f"${write_polynomial(a, 0)} = {image} {write_opposite(b)} = {a * n}$",
            f"$x = {a * n} \\div {bracket(a)} = {n}$",
        ],
    )


def _find_from_two_images(draw: Draw) -> Item:
    """The expression `ax + b` from two images."""
    a = draw.one_of((1, -1)) * draw.between(2, 6)
    b = draw.one_of((1, -1)) * draw.between(1, 9)
    m = draw.between(1, 3)
    n = m + draw.between(2, 4)
    low, high = a * m + b, a * n + b
    key = write_polynomial(a, b)
    return draw.open(
        draw.say(
            f"$f$ est une fonction affine, avec $f({m}) = {low}$ et $f({n}) = {high}$. Donne "
            "l'expression de $f(x)$.",
            f"$f(x)$ has the form $ax + b$, with $f({m}) = {low}$ and $f({n}) = {high}$. Give "
            "the expression of $f(x)$.",
        ),
        kind="expression",
        key=plain(key),
        wrong=[
            draw.wrong(
                plain(write_polynomial(high - low, low - (high - low) * m)),
                (
                    "différence des images prise pour le coefficient",
                    "Divise la différence des images par celle des nombres.",
                ),
                (
                    "difference of images taken for the slope",
                    "Divide the difference of the images by that of the numbers.",
                ),
            ),
            draw.wrong(
                plain(write_polynomial(a, low)),
                ("image prise pour $b$", "$b$ est l'image de zéro, pas celle-ci."),
                ("image taken for $b$", "$b$ is the image of zero, not this one."),
            ),
        ],
        hints=[
            draw.say(
                "Cherche d'abord de combien $f(x)$ change quand $x$ augmente de $1$.",
                "First find by how much $f(x)$ changes when $x$ grows by $1$.",
            ),
            draw.say(
                f"Le coefficient est $a = \\frac{{{high} - {bracket(low)}}}{{{n} - {m}}}$. Trouve "
                f"ensuite $b$ avec $f({m})$.",
                f"The slope is $a = \\frac{{{high} - {bracket(low)}}}{{{n} - {m}}}$. Then find $b$ "
                f"with $f({m})$.",
            ),
        ],
        steps=[
            f"$a = \\frac{{{high} - {bracket(low)}}}{{{n} - {m}}} = {a}$",
            f"$b = {low} - {bracket(a)} \\times {m} = {b}$",
            f"$f(x) = {key}$",
        ],
    )


def _write_fare(draw: Draw) -> Item:
    start, each = draw.one_of((200, 300, 500, 1000)), draw.one_of((100, 150, 250, 350))
    first, price = draw.maths(start), draw.maths(each)
    thing_fr, thing_en = draw.one_of(
        (
            (
                "Une moto-taxi demande {0} FCFA au départ, puis {1} FCFA par km.",
                "A motorbike taxi charges {0} FCFA at the start, then {1} FCFA a km.",
            ),
            (
                "Un cybercafé fait payer {0} FCFA d'inscription, puis {1} FCFA par heure.",
                "An internet café charges {0} FCFA to join, then {1} FCFA an hour.",
            ),
        )
    )
    unit_fr, unit_en = ("de km", "km") if "km" in thing_fr else ("d'heures", "hours")
    opening = draw.say(thing_fr, thing_en).format(f"${first}$", f"${price}$")
    return draw.open(
        opening
        + draw.say(
            f" Exprime le prix $f(x)$ en fonction du nombre $x$ {unit_fr}.",
            f" Write the price $f(x)$ for $x$ {unit_en}.",
        ),
        kind="expression",
        key=plain(write_polynomial(each, start)),
        wrong=[
            draw.wrong(
                plain(write_polynomial(start, each)),
                ("rôles échangés", "Lequel des deux prix se répète ?"),
                ("parts swapped", "Which of the two prices is paid again and again?"),
            ),
            draw.wrong(
                plain(write_polynomial(start + each, 0)),
                ("prix réunis", "Une des deux sommes n'est payée qu'une fois."),
                ("prices combined", "One of the two amounts is paid only once."),
            ),
        ],
        hints=[
            draw.say(
                "Quelle somme se paie une seule fois ? Laquelle se répète ?",
                "Which amount is paid only once? Which one again and again?",
            ),
            draw.say(
                "Le prix est : (prix répété) fois $x$, plus la somme payée une fois.",
                "The price is: (repeated price) times $x$, plus the amount paid once.",
            ),
        ],
        steps=[
            draw.say(
                f"Le prix répété donne ${each} \\times x$ ; on ajoute ${start}$.",
                f"The repeated price gives ${each} \\times x$; add ${start}$.",
            ),
            f"$f(x) = {write_polynomial(each, start)}$",
        ],
    )


# Systems ------------------------------------------------------------------------------------------


@generates("maths.system-two-equations", "3e")
def solve_system(draw: Draw) -> Item:
    """A sum and a difference, then a system to substitute in, then a problem of prices."""
    if draw.difficulty == 3:
        return _find_price(draw)
    x, y = draw.random.sample(range(1, 10), 2)
    if draw.difficulty == 2:
        y = draw.one_of((y, -y))
        a, c = draw.between(2, 5), draw.one_of((-3, -2, 2, 3))
        b = draw.one_of([each for each in range(2, 6) if each != a * c])
    else:
        a, b, c = 1, 1, -1
    first, second = a * x + y, b * x + c * y
    one = f"{write_polynomial(a, 0)} + y = {first}"
    times_y = f"{'-' if c < 0 else '+'} {abs(c) if abs(c) > 1 else ''}"
    two = f"{write_polynomial(b, 0)} {times_y}y = {second}"
    substitute = f"y = {first} - {write_polynomial(a, 0)}"
    if draw.difficulty == 1:
        hint = draw.say(
            f"En ajoutant les deux équations : $2x = {first + second}$.",
            f"Adding the two equations gives $2x = {first + second}$.",
        )
        steps = [f"$2x = {first} + {bracket(second)} = {first + second}$"]
    else:
        hint = draw.say(
            f"La première donne ${substitute}$. Remplace $y$ dans la deuxième.",
            f"The first gives ${substitute}$. Put this in place of $y$ in the second.",
        )
        inner = f"{write_polynomial(b, 0)} {times_y}({first} - {a}x)"
        left = write_polynomial(b - c * a, 0)
        steps = [f"${substitute}$", f"${inner} = {second}$", f"${left} = {second - c * first}$"]
    pair = draw.say(f"({x} ; {y})", f"({x}, {y})")
    return draw.choice(
        draw.say(
            f"Résous le système : ${one}$ et ${two}$. Quel est le couple $(x ; y)$ ?",
            f"Solve the system: ${one}$ and ${two}$. Which is the pair $(x, y)$?",
        ),
        key=pair,
        wrong=_wrong_pairs(draw, x, y, a),
        hints=[
            draw.say(
                "Fais disparaître une des deux lettres.", "Make one of the two letters disappear."
            ),
            hint,
        ],
        steps=[
            *dict.fromkeys([*steps, f"$x = {x}$"]),
            draw.say(
                f"$y = {y}$ : le couple est {pair}.",
                f"$y = {y}$: the pair is {pair}.",
            ),
        ],
    )


def _wrong_pairs(draw: Draw, x: int, y: int, a: int) -> list[Wrong]:
    def write(one: int, two: int) -> str:
        return draw.say(f"({one} ; {two})", f"({one}, {two})")

    return [
        draw.wrong(
            write(y, x),
            ("$x$ et $y$ échangés", "Dans un couple, $x$ vient en premier."),
            ("$x$ and $y$ swapped", "In a pair, $x$ comes first."),
        ),
        draw.wrong(
            write(x + 1, y - a),
            ("une seule équation vérifiée", "Vérifie ton couple dans la deuxième équation aussi."),
            ("only one equation checked", "Check your pair in the second equation too."),
        ),
        draw.wrong(
            write(x, -y),
            ("signe de $y$", "Vérifie le signe de $y$ dans les deux équations."),
            ("sign of $y$", "Check the sign of $y$ in both equations."),
        ),
        draw.wrong(
            write(x - 1, y + a),
            ("une seule équation vérifiée", "Vérifie ton couple dans la deuxième équation aussi."),
            ("only one equation checked", "Check your pair in the second equation too."),
        ),
    ]


def _find_price(draw: Draw) -> Item:
    """The price of one fruit from two purchases."""
    sizes = range(2, 6)
    a, b, c, d = draw.one_of(
        [
            (a, b, c, d)
            for a, b, c, d in product(sizes, repeat=4)
            if a * d - b * c > 1 and a != c and b != d
        ]
    )
    one_fr, one_en, two_fr, two_en, prices_one, prices_two = draw.one_of(
        (
            ("mangues", "mangoes", "ananas", "pineapples", (50, 150), (300, 700)),
            ("cahiers", "exercise books", "stylos", "pens", (250, 600), (100, 225)),
            ("beignets", "doughnuts", "jus", "juices", (25, 100), (200, 500)),
        )
    )
    x = 25 * draw.between(prices_one[0] // 25, prices_one[1] // 25)
    y = 25 * draw.between(prices_two[0] // 25, prices_two[1] // 25)
    first, second = a * x + b * y, c * x + d * y
    total_one, total_two = draw.maths(first), draw.maths(second)
    single_fr, single_en = {
        "mangues": ("une mangue", "one mango"),
        "cahiers": ("un cahier", "one exercise book"),
        "beignets": ("un beignet", "one doughnut"),
    }[one_fr]
    equations = f"{a}x + {b}y = {first}", f"{c}x + {d}y = {second}"
    determinant = a * d - b * c
    return draw.open(
        draw.say(
            f"Au marché, ${a}$ {one_fr} et ${b}$ {two_fr} coûtent ${total_one}$ FCFA ; ${c}$ "
            f"{one_fr} et ${d}$ {two_fr} coûtent ${total_two}$ FCFA. Combien coûte {single_fr} ?",
            f"At the market, ${a}$ {one_en} and ${b}$ {two_en} cost ${total_one}$ FCFA; ${c}$ "
            f"{one_en} and ${d}$ {two_en} cost ${total_two}$ FCFA. How much does {single_en} cost?",
        ),
        key=x,
        unit="FCFA",
        wrong=[
            draw.wrong(
                y,
                (
                    "prix de l'autre article",
                    "C'est le prix de l'autre article : relis la question.",
                ),
                ("price of the other item", "That is the price of the other item: read again."),
            )
        ],
        hints=[
            draw.say(
                "Appelle $x$ et $y$ les deux prix et écris deux équations.",
                "Call the two prices $x$ and $y$ and write two equations.",
            ),
            draw.say(
                f"Multiplie la première équation par ${d}$, la deuxième par ${b}$, puis soustrais.",
                f"Multiply the first equation by ${d}$ and the second by ${b}$, then subtract.",
            ),
        ],
        steps=[
            f"${equations[0]}$ {draw.say('et', 'and')} ${equations[1]}$",
            draw.say(
                f"En multipliant par ${d}$ et par ${b}$, puis en soustrayant : "
                f"${write_polynomial(determinant, 0)} = {determinant * x}$.",
                f"Multiplying by ${d}$ and by ${b}$, then subtracting: "
                f"${write_polynomial(determinant, 0)} = {determinant * x}$.",
            ),
            f"$x = {x}$",
        ],
    )
