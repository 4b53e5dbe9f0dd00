"""Whole numbers in the first year of secondary school (6e): priorities and divisibility."""

from __future__ import annotations

from collections.abc import Sequence

from bot.practice.generator import Draw, Item, Number, generates

# Priorities ---------------------------------------------------------------------------------------


@generates("maths.priorities", "6e")
def respect_priorities(draw: Draw) -> Item:
    """A product in a sum, then brackets, then brackets with a product inside."""
    if draw.difficulty == 3:
        return _nest_brackets(draw)
    a, b, c = draw.between(3, 9), draw.between(3, 9), draw.between(3, 9)
    minus = draw.one_of((True, False))
    if draw.difficulty == 2:
        return _multiply_bracket(draw, a, b, c)
    a = b * c + draw.between(3, 20) if minus else draw.between(4, 20)
    sign = "-" if minus else "+"
    key = a - b * c if minus else a + b * c
    left_first = (a - b) * c if minus else (a + b) * c
    all_alike = a - (b + c) if minus else a + b + c
    wrong = [
        draw.wrong(
            left_first,
            ("calcul de gauche à droite", "Tu as calculé de gauche à droite. Que fait $\\times$ ?"),
            ("from left to right", "You worked from left to right. What about $\\times$?"),
        ),
        draw.wrong(
            all_alike,
            ("multiplication lue comme une addition", "Regarde bien le signe entre ces nombres."),
            ("product read as a sum", "Look carefully at the sign between these numbers."),
        ),
        draw.wrong(
            a + b * c,
            ("signe moins lu comme plus", "Regarde le signe devant le produit."),
            ("minus read as plus", "Look at the sign before the product."),
        )
        if minus
        else draw.wrong(
            a + b * (c + 1),
            ("erreur de table", "Refais le produit : vérifie ta table."),
            ("slip in the table", "Do the product again: check your table."),
        ),
    ]
    written = f"{a} {sign} {b} \\times {c}"
    return draw.choice(
        draw.say(f"Calcule ${written}$.", f"Work out ${written}$."),
        key=key,
        wrong=wrong,
        hints=[
            draw.say(
                "Quelle opération est prioritaire : $\\times$ ou la plus à gauche ?",
                "Which comes first: $\\times$, or what stands on the left?",
            ),
            draw.say(
                f"Calcule d'abord ${b} \\times {c}$, puis termine.",
                f"Work out ${b} \\times {c}$ first, then finish.",
            ),
        ],
        steps=[
            draw.say(
                f"La multiplication d'abord : ${b} \\times {c} = {b * c}$.",
                f"The multiplication first: ${b} \\times {c} = {b * c}$.",
            ),
            f"${written} = {a} {sign} {b * c} = {key}$",
        ],
    )


def _multiply_bracket(draw: Draw, a: int, b: int, c: int) -> Item:
    d = draw.between(2, b + c - 2)
    key = a * (b + c) - d
    wrong = [
        draw.wrong(
            a * b + c - d,
            ("parenthèses oubliées", "Tu n'as pas tenu compte des parenthèses."),
            ("brackets forgotten", "You did not take the brackets into account."),
        ),
        draw.wrong(
            a * (b + c - d),
            ("soustraction faite trop tôt", "La soustraction est hors des parenthèses."),
            ("subtracted too early", "The subtraction stands outside the brackets."),
        ),
        draw.wrong(
            a * (b + c) + d,
            ("signe moins lu comme plus", "Relis le dernier signe du calcul."),
            ("minus read as plus", "Read the last sign again."),
        ),
        draw.wrong(
            a * b * c - d,
            ("addition lue comme une multiplication", "Quel est le signe dans les parenthèses ?"),
            ("sum read as a product", "Which sign is inside the brackets?"),
        ),
    ]
    written = f"{a} \\times ({b} + {c}) - {d}"
    return draw.choice(
        draw.say(f"Calcule ${written}$.", f"Work out ${written}$."),
        key=key,
        wrong=wrong,
        hints=[
            draw.say("Par quoi commence-t-on toujours ?", "What do we always start with?"),
            draw.say(
                "Les parenthèses d'abord, ensuite la multiplication, la soustraction à la fin.",
                "The brackets first, then the multiplication, the subtraction at the end.",
            ),
        ],
        steps=[
            draw.say(
                f"Les parenthèses : ${b} + {c} = {b + c}$.", f"Brackets: ${b} + {c} = {b + c}$."
            ),
            f"${a} \\times {b + c} = {a * (b + c)}$",
            f"${a * (b + c)} - {d} = {key}$",
        ],
    )


def _nest_brackets(draw: Draw) -> Item:
    """A product inside brackets, or a quotient of a bracket and a product."""
    b, c, d = draw.between(3, 9), draw.between(2, 6), draw.between(3, 9)
    if draw.one_of((True, False)):
        a = b + c * d + draw.between(11, 30)
        written = f"{a} - ({b} + {c} \\times {d})"
        key, left_first, no_brackets = a - b - c * d, a - (b + c) * d, a - b + c * d
        first = f"{c} \\times {d}"
        inner = [f"${first} = {c * d}$", f"${b} + {c * d} = {b + c * d}$"]
        last = f"${a} - {b + c * d} = {key}$"
    else:
        quotient, e = draw.between(4, 9), draw.between(3, 9)
        a = quotient * e - b
        while a < 2:
            a += e
        quotient = (a + b) // e
        written = f"({a} + {b}) \\div {e} + {c} \\times {d}"
        key, left_first = quotient + c * d, (quotient + c) * d
        no_brackets = a + b + c * d
        first = f"({a} + {b}) \\div {e}"
        inner = [f"${first} = {quotient}$", f"${c} \\times {d} = {c * d}$"]
        last = f"${quotient} + {c * d} = {key}$"
    wrong = [
        draw.wrong(
            left_first,
            ("calcul de gauche à droite", "La multiplication passe avant l'addition."),
            ("from left to right", "Multiplication comes before addition."),
        ),
        draw.wrong(
            no_brackets,
            ("parenthèses mal lues", "Relis ce qui est dans les parenthèses."),
            ("brackets misread", "Read again what stands in the brackets."),
        ),
    ]
    return draw.open(
        draw.say(f"Calcule ${written}$.", f"Work out ${written}$."),
        key=key,
        wrong=[each for each in wrong if not isinstance(each.answer, int) or each.answer >= 0],
        hints=[
            draw.say(
                "Les parenthèses d'abord, puis $\\times$ et $\\div$, enfin $+$ et $-$.",
                "The brackets first, then $\\times$ and $\\div$, and $+$ and $-$ last.",
            ),
            draw.say(f"Commence par ${first}$.", f"Start with ${first}$."),
        ],
        steps=[*inner, last],
    )


# Divisibility -------------------------------------------------------------------------------------


@generates("maths.divisibility", "6e")
def use_divisibility_rules(draw: Draw) -> Item:
    """Rules of the last digit, then of the sum of digits, then a digit to find."""
    if draw.difficulty == 3:
        return _find_missing_digit(draw)
    if draw.difficulty == 2:
        return _divide_by_digit_sum(draw)
    divisor = draw.one_of((2, 5, 10))
    tens = draw.random.sample(range(11, 99), 4)
    odd, even = draw.one_of((1, 3, 7, 9)), draw.one_of((2, 4, 6, 8))
    good = {2: even, 5: draw.one_of((0, 5)), 10: 0}[divisor]
    bad = {2: (odd, 5, 3 if odd != 3 else 7), 5: (odd, even, 3 if odd != 3 else 1)}
    ends = bad.get(divisor, (even, 5, odd))
    looked_at = {2: 4, 5: 5, 10: 1}[divisor] * 100
    numbers = [looked_at + tens[0] // 10 * 10 + ends[0], tens[1] * 10 + ends[1]]
    numbers.append(tens[2] * 10 + ends[2])
    key = tens[3] * 10 + good
    wrong = [
        draw.wrong(
            numbers[0],
            ("mauvais chiffre regardé", "Ce n'est pas le premier chiffre qui compte ici."),
            ("wrong digit looked at", "The first digit is not the one that matters here."),
        ),
        draw.wrong(
            numbers[1],
            ("règle confondue avec une autre", f"Quelle est la règle pour ${divisor}$ ?"),
            ("mixed up with another rule", f"What is the rule for ${divisor}$?"),
        ),
        draw.wrong(
            numbers[2],
            ("chiffre des unités pas vérifié", "Regarde le chiffre des unités."),
            ("ones digit not checked", "Look at the ones digit."),
        ),
    ]
    rule = {
        2: (
            "le chiffre des unités est 0, 2, 4, 6 ou 8",
            "the ones digit is 0, 2, 4, 6 or 8",
        ),
        5: ("le chiffre des unités est 0 ou 5", "the ones digit is 0 or 5"),
        10: ("le chiffre des unités est 0", "the ones digit is 0"),
    }[divisor]
    return draw.choice(
        _ask_which(draw, divisor, [key, *(each.answer for each in wrong)]),
        key=key,
        wrong=wrong,
        hints=[
            draw.say(
                f"Pour ${divisor}$, un seul chiffre du nombre suffit : lequel ?",
                f"For ${divisor}$, one digit of the number is enough: which one?",
            ),
            draw.say(
                f"Un nombre est divisible par ${divisor}$ quand {rule[0]}.",
                f"A number is divisible by ${divisor}$ when {rule[1]}.",
            ),
        ],
        steps=[
            draw.say(f"Règle pour ${divisor}$ : {rule[0]}.", f"Rule for ${divisor}$: {rule[1]}."),
            draw.say(f"C'est le cas de ${key}$.", f"That is so for ${key}$."),
        ],
    )


def _ask_which(draw: Draw, divisor: int, numbers: Sequence[Number | str]) -> str:
    first, second, third, last = sorted(map(str, numbers))
    return draw.say(
        f"Parmi ${first}$, ${second}$, ${third}$ et ${last}$, quel nombre est divisible par "
        f"${divisor}$ ?",
        f"Of ${first}$, ${second}$, ${third}$ and ${last}$, which number is divisible by "
        f"${divisor}$?",
    )


def _divide_by_digit_sum(draw: Draw) -> Item:
    """Which number is divisible by 3, or by 9."""
    divisor = draw.one_of((3, 9))
    all_numbers = range(112, 999)
    fits = [n for n in all_numbers if n % divisor == 0 and n % 10 not in (0, 3, 9)]
    ends = [n for n in all_numbers if n % divisor and n % 3 and n % 10 == divisor]
    others = [n for n in all_numbers if n % 3 and n % 10 == (6 if divisor == 3 else 3)]
    near = [n for n in all_numbers if (n % 9 in (3, 6) if divisor == 9 else n % 9 in (1, 8))]
    near = [n for n in near if n % 10 not in (3, 6, 9)]
    key = draw.one_of(fits)
    total = sum(map(int, str(key)))
    wrong = [
        draw.wrong(
            draw.one_of(ends),
            (f"finit par {divisor}", "Pour ce critère, le dernier chiffre ne suffit pas."),
            (f"ends with {divisor}", "For this rule, the last digit is not enough."),
        ),
        draw.wrong(
            draw.one_of(near),
            ("somme des chiffres mal jugée", "Ajoute ses chiffres et vérifie cette somme."),
            ("digit sum misjudged", "Add its digits and check that sum."),
        ),
        draw.wrong(
            draw.one_of(others),
            ("dernier chiffre regardé", "Ajoute tous les chiffres, pas seulement le dernier."),
            ("last digit looked at", "Add all the digits, do not look at the last one only."),
        ),
    ]
    return draw.choice(
        _ask_which(draw, divisor, [key, *(each.answer for each in wrong)]),
        key=key,
        wrong=wrong,
        hints=[
            draw.say("Ajoute les chiffres de chaque nombre.", "Add the digits of each number."),
            draw.say(
                f"La somme des chiffres doit être dans la table de ${divisor}$.",
                f"The sum of the digits must be in the ${divisor}$ times table.",
            ),
        ],
        steps=[
            f"${' + '.join(str(key))} = {total}$",
            draw.say(
                f"${total} = {divisor} \\times {total // divisor}$, donc ${key}$ est divisible par "
                f"${divisor}$.",
                f"${total} = {divisor} \\times {total // divisor}$, so ${key}$ is divisible by "
                f"${divisor}$.",
            ),
        ],
    )


def _find_missing_digit(draw: Draw) -> Item:
    """The one digit that makes a number divisible by 9, or by 3 and 5."""
    if draw.one_of((True, False)):
        numbers = [n for n in range(1017, 9000, 9) if 0 < n // 10 % 10 < 9]
        number = draw.one_of(numbers)
        key, before, after = number // 10 % 10, number // 100, str(number % 10)
        rest = sum(map(int, f"{before}{after}"))
        condition = draw.say("par $9$", "by $9$")
        wrong = draw.wrong(
            (key + 3) % 9 or 9,
            ("multiple de 3 seulement", "La somme des chiffres doit être un multiple de $9$."),
            ("multiple of 3 only", "The sum of the digits must be a multiple of $9$."),
        )
        hint = draw.say(
            f"Les chiffres connus font ${rest}$. Quel est le multiple de $9$ juste après ?",
            f"The known digits make ${rest}$. Which multiple of $9$ comes next?",
        )
        reason = f"${rest} + {key} = {rest + key} = 9 \\times {(rest + key) // 9}$"
    else:
        number = draw.one_of(range(1005, 9990, 15))
        key, before, after = number % 10, number // 10, ""
        rest = sum(map(int, str(before)))
        condition = draw.say("à la fois par $3$ et par $5$", "by both $3$ and $5$")
        wrong = draw.wrong(
            5 - key,
            ("divisible par 5 seulement", "Vérifie aussi la somme des chiffres."),
            ("divisible by 5 only", "Check the sum of the digits too."),
        )
        hint = draw.say(
            f"Deux chiffres seulement conviennent pour $5$. Les autres chiffres font ${rest}$ : "
            "lequel des deux donne un multiple de $3$ ?",
            f"Only two digits are possible for $5$. The other digits make ${rest}$: which of the "
            "two gives a multiple of $3$?",
        )
        reason = f"${rest} + {key} = {rest + key} = 3 \\times {(rest + key) // 3}$"
    return draw.open(
        draw.say(
            f"Dans le nombre {before}#{after}, quel chiffre faut-il mettre à la place de # pour "
            f"que le nombre soit divisible {condition} ?",
            f"In the number {before}#{after}, which digit must replace # so that the number is "
            f"divisible {condition}?",
        ),
        key=key,
        wrong=[wrong],
        hints=[
            draw.say("Pense à la somme des chiffres.", "Think of the sum of the digits."),
            hint,
        ],
        steps=[reason, draw.say(f"Le chiffre cherché est ${key}$.", f"The digit is ${key}$.")],
    )
