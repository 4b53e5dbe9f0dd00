"""Relative numbers (5e, 4e): adding, subtracting and multiplying numbers with signs."""

from __future__ import annotations

from bot.practice.generator import Draw, Item, Wrong, generates


def bracket(number: int) -> str:
    """A number as it stands after an operation sign: a negative one in brackets."""
    return f"({number})" if number < 0 else str(number)


@generates("maths.relative-add", "5e")
def add_relative(draw: Draw) -> Item:
    """Two numbers of one digit, then of two digits, then four numbers in a row."""
    if draw.difficulty == 3:
        return _add_four(draw)
    far = draw.by_level(draw.between(5, 9), draw.between(21, 48), 0)
    near = draw.by_level(draw.between(2, 4), draw.between(6, 19), 0)
    both_negative = draw.difficulty == 2 and draw.one_of((True, False))
    warming = draw.one_of((True, False))
    if both_negative:
        x, y = -near, -far
    else:
        x, y = draw.one_of(((-far, near), (far, -near), (near, -far), (-near, far)))
    statement = draw.say(f"Calcule ${x} + {bracket(y)}$.", f"Work out ${x} + {bracket(y)}$.")
    if draw.difficulty == 2 and warming and not both_negative:
        x, y = -far, near
        statement = draw.say(
            f"Dans un entrepôt de poisson, il fait ${x}$ °C. Pendant une coupure de courant, la "
            f"température monte de ${y}$ °C. Quelle est la nouvelle température, en °C ?",
            f"In a fish warehouse, it is ${x}$ °C. During a power cut, the temperature rises by "
            f"${y}$ °C. What is the new temperature, in °C?",
        )
    wrong = _wrong_for_two_negatives(draw, x, y) if both_negative else _wrong_for_a_sum(draw, x, y)
    return draw.choice(
        statement,
        key=x + y,
        wrong=wrong,
        hints=[
            draw.say(
                "Regarde d'abord les signes des deux nombres : sont-ils les mêmes ?",
                "Look at the signs of the two numbers first: are they the same?",
            ),
            draw.say(
                "Même signe : ajoute les distances à zéro et garde ce signe. Signes contraires : "
                "soustrais-les et prends le signe du nombre le plus loin de zéro.",
                "Same sign: add the distances from zero and keep that sign. Opposite signs: "
                "subtract them and take the sign of the number further from zero.",
            ),
        ],
        steps=_steps_of_a_sum(draw, x, y),
    )


def _steps_of_a_sum(draw: Draw, x: int, y: int) -> list[str]:
    far, near = max(abs(x), abs(y)), min(abs(x), abs(y))
    if x < 0 and y < 0:
        return [
            draw.say(
                f"Les deux nombres sont négatifs : le résultat est négatif et "
                f"${abs(x)} + {abs(y)} = {abs(x) + abs(y)}$.",
                f"Both numbers are negative: the result is negative and "
                f"${abs(x)} + {abs(y)} = {abs(x) + abs(y)}$.",
            ),
            f"${x} + {bracket(y)} = {x + y}$",
        ]
    sign_fr, sign_en = ("positif", "positive") if x + y > 0 else ("négatif", "negative")
    return [
        draw.say(
            f"Les signes sont contraires : ${far} - {near} = {far - near}$.",
            f"The signs are opposite: ${far} - {near} = {far - near}$.",
        ),
        draw.say(
            f"Le nombre le plus loin de zéro est {sign_fr}, donc le résultat aussi.",
            f"The number further from zero is {sign_en}, so the result is too.",
        ),
        f"${x} + {bracket(y)} = {x + y}$",
    ]


def _wrong_for_a_sum(draw: Draw, x: int, y: int) -> list[Wrong]:
    """Wrong sums of two numbers with opposite signs."""
    total = abs(x) + abs(y)
    return [
        draw.wrong(
            -(x + y),
            (
                "mauvais signe",
                "Le calcul est bon, mais pas le signe : quel nombre est le plus loin de zéro ?",
            ),
            ("wrong sign", "The sum is good, but not the sign: which number is further from zero?"),
        ),
        draw.wrong(
            total,
            (
                "signe moins oublié",
                "Tu as laissé le signe $-$ de côté : un des deux nombres est négatif.",
            ),
            ("forgotten minus sign", "You left out the sign $-$: one of the numbers is negative."),
        ),
        draw.wrong(
            -total,
            (
                "distances ajoutées au lieu d'être soustraites",
                "Les signes sont contraires : un nombre fait avancer, l'autre fait reculer.",
            ),
            (
                "distances added instead of subtracted",
                "The signs are opposite: one number moves forward, the other moves back.",
            ),
        ),
    ]


def _wrong_for_two_negatives(draw: Draw, x: int, y: int) -> list[Wrong]:
    return [
        draw.wrong(
            -(x + y),
            (
                "règle des signes du produit",
                "« Moins par moins donne plus » sert pour multiplier. Ici, on ajoute deux pertes.",
            ),
            (
                "sign rule of products",
                "“Minus times minus is plus” is for products. Here, two losses are added.",
            ),
        ),
        draw.wrong(
            y - x,
            (
                "distances soustraites",
                "Les deux nombres ont le même signe : on ne soustrait pas leurs distances à zéro.",
            ),
            (
                "distances subtracted",
                "Both numbers have the same sign: their distances from zero are not subtracted.",
            ),
        ),
        draw.wrong(
            x - y,
            (
                "distances soustraites, signe perdu",
                "Pars du premier nombre : ajouter un nombre négatif, c'est reculer encore.",
            ),
            (
                "distances subtracted, sign lost",
                "Start from the first number: adding a negative number means moving back again.",
            ),
        ),
    ]


def _add_four(draw: Draw) -> Item:
    """A sum of two positive and two negative numbers."""
    gains = [draw.between(4, 19), draw.between(11, 30)]
    losses = [draw.between(5, 19), draw.between(21, 35)]
    numbers = [*gains, *(-loss for loss in losses)]
    draw.random.shuffle(numbers)
    written = " + ".join([str(numbers[0]), *map(bracket, numbers[1:])])
    gains = [number for number in numbers if number > 0]
    losses = [-number for number in numbers if number < 0]
    up, down = sum(gains), sum(losses)
    return draw.open(
        draw.say(f"Calcule : ${written}$.", f"Work out: ${written}$."),
        key=up - down,
        wrong=[
            draw.wrong(
                up + down,
                ("signes oubliés", "Deux de ces nombres sont négatifs : ne perds pas leur signe."),
                ("forgotten signs", "Two of these numbers are negative: keep their sign."),
            ),
            draw.wrong(
                down - up,
                (
                    "mauvais signe",
                    "Compare le total des positifs et le total des négatifs : qui l'emporte ?",
                ),
                (
                    "wrong sign",
                    "Compare the total of the positives and of the negatives: which is bigger?",
                ),
            ),
        ],
        hints=[
            draw.say(
                "Regroupe les nombres positifs d'un côté et les négatifs de l'autre.",
                "Group the positive numbers together, and the negative ones together.",
            ),
            draw.say(
                f"Les positifs font ${up}$ et les négatifs ${-down}$. Ajoute ces deux nombres.",
                f"The positives make ${up}$ and the negatives ${-down}$. Add these two numbers.",
            ),
        ],
        steps=[
            draw.say(
                f"Positifs : ${gains[0]} + {gains[1]} = {up}$.",
                f"Positives: ${gains[0]} + {gains[1]} = {up}$.",
            ),
            draw.say(
                f"Négatifs : $-{losses[0]} + (-{losses[1]}) = {-down}$.",
                f"Negatives: $-{losses[0]} + (-{losses[1]}) = {-down}$.",
            ),
            f"${up} + ({-down}) = {up - down}$",
        ],
    )


@generates("maths.relative-subtract", "5e")
def subtract_relative(draw: Draw) -> Item:
    """A small number minus a larger one, then minus a negative, then four terms in a row."""
    if draw.difficulty == 3:
        return _subtract_three(draw)
    near, far = draw.between(2, 9), draw.between(11, 19)
    near = near - 1 if far == 2 * near else near
    cooling = draw.one_of((True, False))
    if draw.difficulty == 1:
        x, y = near, far
    else:
        x, y = draw.one_of(((near, -far), (-near, -far), (-far, -near), (-near, far), (far, -near)))
    statement = draw.say(f"Calcule ${x} - {bracket(y)}$.", f"Work out ${x} - {bracket(y)}$.")
    if draw.difficulty == 2 and cooling and x > 0:
        statement = draw.say(
            f"Dans une chambre froide, la température passe de ${y}$ °C à ${x}$ °C. Quelle est sa "
            "variation, en °C ? (Variation : arrivée moins départ.)",
            f"In a cold store, the temperature goes from ${y}$ °C to ${x}$ °C. What is its "
            "change, in °C? (Change: end minus start.)",
        )
    return draw.choice(
        statement,
        key=x - y,
        wrong=_wrong_for_a_difference(draw, x, y),
        hints=[
            draw.say(
                "Soustraire un nombre, c'est ajouter son opposé.",
                "Subtracting a number is the same as adding its opposite.",
            ),
            draw.say(
                f"L'opposé de ${y}$ est ${-y}$ : calcule ${x} + {bracket(-y)}$.",
                f"The opposite of ${y}$ is ${-y}$: work out ${x} + {bracket(-y)}$.",
            ),
        ],
        steps=[
            draw.say(
                f"On ajoute l'opposé : ${x} - {bracket(y)} = {x} + {bracket(-y)}$.",
                f"Add the opposite: ${x} - {bracket(y)} = {x} + {bracket(-y)}$.",
            ),
            f"${x} + {bracket(-y)} = {x - y}$",
        ],
    )


def _wrong_for_a_difference(draw: Draw, x: int, y: int) -> list[Wrong]:
    return [
        draw.wrong(
            y - x,
            (
                "ordre inversé",
                "Tu as calculé dans l'autre sens : pars bien du premier nombre.",
            ),
            ("order reversed", "You worked the other way round: start from the first number."),
        ),
        draw.wrong(
            x + y,
            (
                "addition au lieu de soustraction",
                "Tu as ajouté le deuxième nombre : on demande d'ajouter son opposé.",
            ),
            (
                "added instead of subtracted",
                "You added the second number: add its opposite instead.",
            ),
        ),
        draw.wrong(
            -x - y,
            (
                "les deux signes changés",
                "Seul le nombre qu'on soustrait change de signe, pas le premier.",
            ),
            (
                "both signs changed",
                "Only the number that is subtracted changes its sign, not the first one.",
            ),
        ),
    ]


def _subtract_three(draw: Draw) -> Item:
    """A chain such as `5 - (-8) + (-3) - 6`."""
    first = draw.one_of((1, -1)) * draw.between(2, 12)
    minus, plus, last = draw.between(11, 25), draw.between(3, 10), draw.between(2, 9)
    key = first + minus - plus - last
    chain = f"{first} - (-{minus}) + (-{plus}) - {last}"
    simple = f"{first} + {minus} - {plus} - {last}"
    gains, losses = max(first, 0) + minus, min(first, 0) - plus - last
    return draw.open(
        draw.say(f"Calcule : ${chain}$.", f"Work out: ${chain}$."),
        key=key,
        wrong=[
            draw.wrong(
                first - minus - plus - last,
                (
                    "moins devant un négatif mal lu",
                    f"Regarde $-(-{minus})$ : soustraire un négatif, est-ce avancer ou reculer ?",
                ),
                (
                    "minus before a negative misread",
                    f"Look at $-(-{minus})$: does subtracting a negative move you up or down?",
                ),
            ),
            draw.wrong(
                first + minus + plus - last,
                (
                    "plus devant un négatif mal lu",
                    f"Regarde $+(-{plus})$ : ajouter un négatif, c'est reculer.",
                ),
                (
                    "plus before a negative misread",
                    f"Look at $+(-{plus})$: adding a negative moves you down.",
                ),
            ),
        ],
        hints=[
            draw.say(
                "Écris d'abord le calcul sans parenthèses : soustraire, c'est ajouter l'opposé.",
                "Write it without brackets first: subtracting is adding the opposite.",
            ),
            draw.say(
                f"Sans parenthèses : ${simple}$. Regroupe les positifs, puis les négatifs.",
                f"Without brackets: ${simple}$. Group the positives, then the negatives.",
            ),
        ],
        steps=[
            f"${chain} = {simple}$",
            draw.say(
                f"Les positifs font ${gains}$, les négatifs ${losses}$.",
                f"The positives make ${gains}$, the negatives ${losses}$.",
            ),
            f"${gains} + ({losses}) = {key}$",
        ],
    )


@generates("maths.relative-multiply", "4e")
def multiply_relative(draw: Draw) -> Item:
    """Opposite signs, then two negatives or a quotient, then several factors."""
    if draw.difficulty == 3:
        return _multiply_four(draw)
    a, b = draw.between(3, 9), draw.between(3, 9)
    divides = draw.difficulty == 2 and draw.one_of((True, False))
    signs = draw.by_level(((-1, 1), (1, -1)), ((-1, -1),), ())
    sign_a, sign_b = draw.one_of(((-1, 1), (1, -1), (-1, -1))) if divides else draw.one_of(signs)
    x, y = sign_a * (a * b if divides else a), sign_b * b
    key = x // y if divides else x * y
    sign = r"\div" if divides else r"\times"
    written = f"{x} {sign} {bracket(y)}"
    positive = sign_a == sign_b
    done = f"{abs(x)} {sign} {abs(y)} = {abs(key)}"
    return draw.choice(
        draw.say(f"Calcule ${written}$.", f"Work out ${written}$."),
        key=key,
        wrong=_wrong_for_a_product(draw, x, y, key),
        hints=[
            draw.say(
                "Trouve d'abord le signe du résultat, ensuite le nombre.",
                "Find the sign of the result first, then the number.",
            ),
            draw.say(
                "Deux signes identiques donnent un résultat positif, deux signes contraires un "
                "résultat négatif.",
                "Two signs that are the same give a positive result, two opposite signs a "
                "negative one.",
            ),
        ],
        steps=[
            draw.say(
                f"Les signes sont {'identiques' if positive else 'contraires'} : le résultat est "
                f"{'positif' if positive else 'négatif'}.",
                f"The signs are {'the same' if positive else 'opposite'}: the result is "
                f"{'positive' if positive else 'negative'}.",
            ),
            draw.say(f"Sans les signes : ${done}$.", f"Without the signs: ${done}$."),
            f"${written} = {key}$",
        ],
    )


def _wrong_for_a_product(draw: Draw, x: int, y: int, key: int) -> list[Wrong]:
    return [
        draw.wrong(
            -key,
            ("erreur de signe", "Le nombre est bon. Relis la règle des signes."),
            ("wrong sign", "The number is good. Read the rule of signs again."),
        ),
        draw.wrong(
            x + y,
            (
                "addition à la place",
                "Tu as ajouté les deux nombres : regarde bien le signe de l'opération.",
            ),
            ("added instead", "You added the two numbers: look at the operation again."),
        ),
        draw.wrong(
            x - y,
            (
                "soustraction à la place",
                "Tu as soustrait les deux nombres : regarde bien le signe de l'opération.",
            ),
            ("subtracted instead", "You subtracted the two numbers: look at the operation again."),
        ),
        draw.wrong(
            key + (abs(y) if abs(key) > abs(x) else 1),
            ("erreur de table", "Vérifie ta table de multiplication."),
            ("slip in the table", "Check your multiplication table."),
        ),
    ]


def _multiply_four(draw: Draw) -> Item:
    """Four factors, two or three of them negative."""
    sizes = [draw.between(2, 5), draw.between(2, 5), draw.between(2, 6), draw.one_of((1, 10))]
    negative = draw.between(2, 3)
    draw.random.shuffle(sizes)
    places = draw.random.sample(range(4), negative)
    factors = [-size if place in places else size for place, size in enumerate(sizes)]
    size = sizes[0] * sizes[1] * sizes[2] * sizes[3]
    key = size if negative % 2 == 0 else -size
    written = r" \times ".join([str(factors[0]), *map(bracket, factors[1:])])
    plain = r" \times ".join(map(str, sizes))
    even = negative % 2 == 0
    return draw.open(
        draw.say(f"Calcule : ${written}$.", f"Work out: ${written}$."),
        key=key,
        wrong=[
            draw.wrong(
                -key,
                (
                    "signe du produit",
                    "Le nombre est bon. Compte les facteurs négatifs : nombre pair ou impair ?",
                ),
                (
                    "sign of the product",
                    "The number is good. Count the negative factors: an even or an odd number?",
                ),
            ),
            draw.wrong(
                sum(factors),
                ("addition à la place", "Tu as ajouté les nombres : il faut les multiplier."),
                ("added instead", "You added the numbers: multiply them."),
            ),
        ],
        hints=[
            draw.say("Compte les facteurs négatifs.", "Count the negative factors."),
            draw.say(
                "Un nombre pair de facteurs négatifs donne un produit positif, un nombre impair un "
                f"produit négatif. Calcule ensuite ${plain}$.",
                "An even number of negative factors gives a positive product, an odd number a "
                f"negative one. Then work out ${plain}$.",
            ),
        ],
        steps=[
            draw.say(
                f"Il y a ${negative}$ facteurs négatifs (nombre {'pair' if even else 'impair'}) : "
                f"le produit est {'positif' if even else 'négatif'}.",
                f"There are ${negative}$ negative factors (an {'even' if even else 'odd'} number): "
                f"the product is {'positive' if even else 'negative'}.",
            ),
            f"${plain} = {size}$",
            f"${written} = {key}$",
        ],
    )
