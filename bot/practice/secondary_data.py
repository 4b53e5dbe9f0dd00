"""Statistics and chance in lower secondary school: mean (5e), median and probability (3e)."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from bot.practice.generator import Draw, Item, Wrong, generates
from bot.practice.secondary_geometry import trim


def write_list(draw: Draw, numbers: Sequence[int]) -> str:
    """Numbers of a series, one after the other: `12 ; 8 ; 15`."""
    return draw.say(" ; ", ", ").join(map(str, numbers))


# Mean ---------------------------------------------------------------------------------------------


@generates("maths.mean", "5e")
def find_mean(draw: Draw) -> Item:
    """Four whole numbers, then marks with a zero, then coefficients or a missing mark."""
    if draw.difficulty == 3:
        return draw.one_of((_weigh_marks, _find_missing_mark))(draw)
    count = draw.by_level(4, 5, 0)
    while True:
        numbers = [draw.between(5, 19) for _ in range(count)]
        if draw.difficulty == 2:
            numbers[draw.between(1, 3)] = 0
        whole = sum(numbers) % count == 0
        if len(set(numbers)) == count and (whole or draw.difficulty == 2):
            break
    total = sum(numbers)
    key = trim(Decimal(total) / count)
    listed = write_list(draw, numbers)
    statement = draw.say(
        f"Voici les notes d'un élève : {listed}. Quelle est sa moyenne ?",
        f"These are a pupil's marks: {listed}. What is the mean?",
    )
    if draw.difficulty == 1 and draw.one_of((True, False)):
        statement = draw.say(
            f"Une vendeuse a vendu ces nombres de mangues en {count} jours : {listed}. Combien en "
            "a-t-elle vendu en moyenne par jour ?",
            f"A seller has sold these numbers of mangoes in {count} days: {listed}. How many did "
            "she sell a day on average?",
        )
    return draw.choice(
        statement,
        key=key,
        wrong=_wrong_means(draw, numbers),
        hints=[
            draw.say(
                "Si toutes les valeurs étaient égales, avec le même total, que vaudraient-elles ?",
                "If all values were equal, with the same total, what would they be?",
            ),
            draw.say(
                "Ajoute toutes les valeurs, puis divise par leur nombre.",
                "Add all the values, then divide by how many there are.",
            ),
        ],
        steps=[
            f"${' + '.join(map(str, numbers))} = {total}$",
            f"${total} \\div {count} = {draw.maths(key)}$",
        ],
    )


def _wrong_means(draw: Draw, numbers: Sequence[int]) -> list[Wrong]:
    total, count, ordered = sum(numbers), len(numbers), sorted(numbers)
    forgotten = draw.wrong(
        trim(Decimal(total) / (count - 1)),
        ("zéro pas compté", "Un zéro est une valeur comme les autres : compte-le."),
        ("zero not counted", "A zero is a value like the others: count it."),
    )
    return [
        *([forgotten] if 0 in numbers else []),
        draw.wrong(
            total,
            ("division oubliée", "Tu as trouvé le total : la moyenne dépasse-t-elle les valeurs ?"),
            ("division forgotten", "You found the total: can a mean be above all the values?"),
        ),
        draw.wrong(
            trim(Decimal(ordered[0] + ordered[-1]) / 2),
            ("milieu des extrêmes", "Toutes les valeurs comptent, pas seulement les extrêmes."),
            ("middle of the extremes", "All the values count, not only the extremes."),
        ),
        draw.wrong(
            trim(Decimal(ordered[(count - 1) // 2] + ordered[count // 2]) / 2),
            ("médiane au lieu de moyenne", "La valeur du milieu, c'est la médiane."),
            ("median instead of mean", "The value in the middle is the median."),
        ),
        draw.wrong(
            trim(Decimal(total) / 2),
            ("divisé par 2", "Divise par le nombre de valeurs."),
            ("divided by 2", "Divide by the number of values."),
        ),
    ]


def _weigh_marks(draw: Draw) -> Item:
    """A mean of three marks with coefficients that add up to 10."""
    weights = draw.one_of(((5, 3, 2), (4, 3, 3), (4, 4, 2), (5, 4, 1)))
    marks = draw.random.sample(range(6, 19), 3)
    products = [mark * weight for mark, weight in zip(marks, weights, strict=True)]
    key = trim(Decimal(sum(products)) / 10)
    subjects = (
        draw.say("mathématiques", "mathematics"),
        draw.say("français", "French"),
        draw.say("anglais", "English"),
    )
    weight_word = draw.say("coefficient", "weight")
    listed = ", ".join(
        f"{name} ${mark}$ ({weight_word} ${weight}$)"
        for name, mark, weight in zip(subjects, marks, weights, strict=True)
    )
    return draw.open(
        draw.say(
            f"Les notes d'Awa : {listed}. Quelle est sa moyenne avec les coefficients ?",
            f"Awa's marks: {listed}. What is her mean with these weights?",
        ),
        key=key,
        wrong=[
            draw.wrong(
                Fraction(sum(marks), 3),
                ("coefficients oubliés", "Chaque note compte autant de fois que son coefficient."),
                ("weights forgotten", "Each mark counts as many times as its weight."),
            ),
            draw.wrong(
                Fraction(sum(products), 3),
                ("divisé par le nombre de notes", "Divise par la somme des coefficients."),
                ("divided by the number of marks", "Divide by the sum of the weights."),
            ),
        ],
        hints=[
            draw.say(
                "Une note de coefficient $3$ compte trois fois.",
                "A mark with weight $3$ counts three times.",
            ),
            draw.say(
                f"La somme des produits est ${sum(products)}$. Divise par celle des coefficients.",
                f"The sum of the products is ${sum(products)}$. Divide by the sum of the weights.",
            ),
        ],
        steps=[
            " ; ".join(
                f"${mark} \\times {weight} = {done}$"
                for mark, weight, done in zip(marks, weights, products, strict=True)
            ),
            f"${' + '.join(map(str, products))} = {sum(products)}$",
            f"${sum(products)} \\div 10 = {draw.maths(key)}$",
        ],
    )


def _find_missing_mark(draw: Draw) -> Item:
    count = draw.between(3, 4)
    marks = draw.random.sample(range(8, 16), count)
    total = sum(marks)
    after = count + 1
    means = [m for m in range(9, 17) if 8 <= m * after - total <= 20 and m * count != total]
    mean = draw.one_of(means)
    key = mean * after - total
    listed = write_list(draw, marks)
    return draw.open(
        draw.say(
            f"Un élève a eu {listed} à ses premiers devoirs. Quelle note doit-il avoir au prochain "
            f"pour atteindre exactement ${mean}$ de moyenne ?",
            f"A pupil got {listed} in the first tests. Which mark is needed in the next one for a "
            f"mean of exactly ${mean}$?",
        ),
        key=key,
        wrong=[
            draw.wrong(
                abs(mean * count - total),
                (
                    "prochaine note pas comptée",
                    "Avec le prochain devoir, combien y a-t-il de notes ?",
                ),
                ("next mark not counted", "With the next test, how many marks are there?"),
            ),
            draw.wrong(
                mean,
                ("moyenne prise pour la note", "La nouvelle note change la moyenne : calcule."),
                ("mean taken for the mark", "The new mark changes the mean: work it out."),
            ),
        ],
        hints=[
            draw.say(
                "Quel total faut-il avec toutes les notes, la prochaine comprise ?",
                "Which total is needed with all the marks, the next one included?",
            ),
            draw.say(
                f"Il faut un total de ${mean * after}$, et il a déjà ${total}$.",
                f"A total of ${mean * after}$ is needed, and there is ${total}$ already.",
            ),
        ],
        steps=[
            f"${mean} \\times {after} = {mean * after}$",
            f"${' + '.join(map(str, marks))} = {total}$",
            f"${mean * after} - {total} = {key}$",
        ],
    )


# Median -------------------------------------------------------------------------------------------


@generates("maths.median", "3e")
def find_median(draw: Draw) -> Item:
    """An odd number of values, then an even one, then a series with repeated values."""
    if draw.difficulty == 3:
        return _find_median_of_counts(draw)
    count = draw.by_level(draw.one_of((5, 7)), draw.one_of((6, 8)), 0)
    while True:
        numbers = draw.random.sample(range(1, 20), count)
        ordered = sorted(numbers)
        low, high = ordered[(count - 1) // 2], ordered[count // 2]
        unordered = Decimal(numbers[(count - 1) // 2] + numbers[count // 2]) / 2
        ends = Decimal(ordered[0] + ordered[-1]) / 2
        if len({unordered, ends, Decimal(low + high) / 2}) == 3 and high - low != 1:
            break
    key = trim(Decimal(low + high) / 2)
    listed, sorted_list = write_list(draw, numbers), write_list(draw, ordered)
    wrong = [
        draw.wrong(
            trim(unordered),
            ("série pas rangée", "As-tu rangé les valeurs avant de chercher le milieu ?"),
            ("series not sorted", "Did you sort the values before looking for the middle?"),
        ),
        draw.wrong(
            trim(ends),
            ("milieu des extrêmes", "La médiane partage les valeurs, pas l'étendue."),
            ("middle of the extremes", "The median splits the values, not the range."),
        ),
        draw.wrong(
            low if low != high else ordered[count // 2 + 1],
            ("mauvais rang", "Combien de valeurs y a-t-il de chaque côté de ta réponse ?"),
            ("wrong rank", "How many values are there on each side of your answer?"),
        ),
        draw.wrong(
            ordered[-1] - ordered[0],
            ("étendue au lieu de médiane", "Tu as calculé l'étendue de la série."),
            ("range instead of median", "You worked out the range of the series."),
        ),
    ]
    return draw.choice(
        draw.say(
            f"Voici les buts marqués par les équipes d'un tournoi : {listed}. Quelle est la "
            "médiane de cette série ?",
            f"These are the goals scored by the teams of a tournament: {listed}. What is the "
            "median of this series?",
        ),
        key=key,
        wrong=wrong,
        hints=[
            draw.say("Range d'abord les valeurs.", "Sort the values first."),
            draw.say(
                f"Dans l'ordre : {sorted_list}. Où est le milieu ?",
                f"In order: {sorted_list}. Where is the middle?",
            ),
        ],
        steps=[
            draw.say(f"Dans l'ordre : {sorted_list}.", f"In order: {sorted_list}."),
            draw.say(f"La valeur du milieu est ${low}$.", f"The value in the middle is ${low}$.")
            if low == high
            else f"$({low} + {high}) \\div 2 = {draw.maths(key)}$",
        ],
    )


def _find_median_of_counts(draw: Draw) -> Item:
    """The median of ages given with how many pupils have each."""
    first = draw.between(12, 14)
    ages = range(first, first + 4)
    while True:
        counts = [draw.between(2, 9) for _ in ages]
        total = sum(counts)
        series = [age for age, times in zip(ages, counts, strict=True) for _ in range(times)]
        key = series[total // 2]
        if total % 2 and key != ages[counts.index(max(counts))] and 2 * key != 2 * first + 3:
            break
    rank = total // 2 + 1
    listed = draw.say(" ; ", ", ").join(
        draw.say(f"${times}$ élèves de ${age}$ ans", f"${times}$ pupils aged ${age}$")
        for age, times in zip(ages, counts, strict=True)
    )
    return draw.open(
        draw.say(
            f"Les âges dans un club : {listed}. Quel est l'âge médian ?",
            f"Ages in a club: {listed}. What is the median age?",
        ),
        key=key,
        wrong=[
            draw.wrong(
                ages[counts.index(max(counts))],
                ("âge le plus fréquent", "L'âge le plus fréquent n'est pas toujours la médiane."),
                ("most frequent age", "The most frequent age is not always the median."),
            ),
            draw.wrong(
                Decimal(2 * first + 3) / 2,
                ("effectifs oubliés", "Tiens compte du nombre d'élèves de chaque âge."),
                ("counts forgotten", "Take into account how many pupils have each age."),
            ),
        ],
        hints=[
            draw.say(
                "Combien d'élèves y a-t-il en tout ? Quel est le rang de celui du milieu ?",
                "How many pupils are there in all? What is the rank of the middle one?",
            ),
            draw.say(
                f"Range les ${total}$ élèves par âge : quel âge a le numéro ${rank}$ ?",
                f"Line up the ${total}$ pupils by age: how old is number ${rank}$?",
            ),
        ],
        steps=[
            f"${' + '.join(map(str, counts))} = {total}$",
            draw.say(
                f"L'élève du milieu est le numéro ${rank}$ : il a ${key}$ ans.",
                f"The middle pupil is number ${rank}$, aged ${key}$.",
            ),
        ],
    )


def write_ratio(draw: Draw, good: int, total: int) -> str:
    """A probability as counted, then simplified if it can be."""
    counted = f"\\frac{{{good}}}{{{total}}}"
    simple = draw.maths(Fraction(good, total))
    return counted if counted == simple else f"{counted} = {simple}"


# Probability --------------------------------------------------------------------------------------


@generates("maths.probability-simple", "3e")
def find_probability(draw: Draw) -> Item:
    """One ball of a colour, then numbered cards, then two draws in a row."""
    if draw.difficulty == 2:
        return _draw_card(draw)
    red = draw.between(2, 7)
    green = draw.one_of([n for n in range(2, 9) if n != red])
    total = red + green
    if draw.difficulty == 3:
        return _draw_twice(draw, red, green)
    return draw.choice(
        draw.say(
            f"Un sac contient ${red}$ boules rouges et ${green}$ boules vertes. On tire une boule "
            "au hasard. Quelle est la probabilité d'une boule rouge ?",
            f"A bag holds ${red}$ red balls and ${green}$ green ones. One ball is drawn at random. "
            "What is the probability of a red ball?",
        ),
        key=Fraction(red, total),
        wrong=[
            draw.wrong(
                Fraction(red, green),
                ("rouges comparées aux vertes", "On compare à toutes les boules du sac."),
                ("red compared with green", "Compare with all the balls in the bag."),
            ),
            draw.wrong(
                Fraction(green, total),
                ("autre couleur", "C'est la probabilité de l'autre couleur."),
                ("other colour", "That is the probability of the other colour."),
            ),
            draw.wrong(
                Fraction(1, 2),
                ("couleurs crues équiprobables", "Y a-t-il autant de boules de chaque couleur ?"),
                ("colours thought equally likely", "Are there as many balls of each colour?"),
            ),
            draw.wrong(
                Fraction(1, total),
                ("une seule boule comptée", "Combien de boules conviennent ?"),
                ("only one ball counted", "How many balls will do?"),
            ),
        ],
        hints=[
            draw.say(
                "Combien de boules conviennent, et combien y en a-t-il en tout ?",
                "How many balls will do, and how many are there in all?",
            ),
            draw.say(
                f"Il y a ${total}$ boules en tout : c'est le dénominateur, avant de simplifier.",
                f"There are ${total}$ balls in all: that is the denominator, before simplifying.",
            ),
        ],
        steps=[
            f"${red} + {green} = {total}$",
            f"${write_ratio(draw, red, total)}$",
        ],
    )


def _draw_card(draw: Draw) -> Item:
    """Not a multiple of a number among cards from 1 on."""
    divisor, total = draw.between(3, 5), draw.between(10, 20)
    multiples = list(range(divisor, total + 1, divisor))
    good = total - len(multiples)
    return draw.choice(
        draw.say(
            f"On tire au hasard une carte numérotée de $1$ à ${total}$. Quelle est la probabilité "
            f"que son numéro ne soit pas un multiple de ${divisor}$ ?",
            f"A card is drawn at random from cards numbered $1$ to ${total}$. What is the "
            f"probability that its number is not a multiple of ${divisor}$?",
        ),
        key=Fraction(good, total),
        wrong=[
            draw.wrong(
                Fraction(len(multiples), total),
                ("évènement contraire", "Relis la question : « ne soit pas »."),
                ("opposite event", "Read the question again: “is not”."),
            ),
            draw.wrong(
                Fraction(total - 1, total),
                ("un seul multiple compté", f"Écris tous les multiples de ${divisor}$."),
                ("only one multiple counted", f"Write all the multiples of ${divisor}$."),
            ),
            draw.wrong(
                Fraction(len(multiples), good),
                ("comparé à l'autre groupe", "Le dénominateur est le nombre total de cartes."),
                ("compared with the other group", "The denominator is the number of all cards."),
            ),
            draw.wrong(
                Fraction(divisor, total),
                ("diviseur pris pour le nombre de cas", "Compte les cartes qui conviennent."),
                ("divisor taken for the count", "Count the cards that will do."),
            ),
        ],
        hints=[
            draw.say(
                "Compte d'abord les cartes qui sont des multiples.",
                "Count the cards that are multiples first.",
            ),
            draw.say(
                f"Les multiples sont {write_list(draw, multiples)}. Combien de cartes restent ?",
                f"The multiples are {write_list(draw, multiples)}. How many cards are left?",
            ),
        ],
        steps=[
            f"${total} - {len(multiples)} = {good}$",
            f"${write_ratio(draw, good, total)}$",
        ],
    )


def _draw_twice(draw: Draw, red: int, green: int) -> Item:
    """The same colour twice, with the ball put back."""
    total = red + green
    one = Fraction(red, total)
    return draw.open(
        draw.say(
            f"Un sac contient ${red}$ boules rouges et ${green}$ boules vertes. On tire une boule, "
            "on la remet, puis on en tire une autre. Quelle est la probabilité de deux boules "
            "rouges ? Donne une fraction simplifiée.",
            f"A bag holds ${red}$ red balls and ${green}$ green ones. A ball is drawn, put back, "
            "and another is drawn. What is the probability of two red balls, in its simplest form?",
        ),
        key=one * one,
        wrong=[
            draw.wrong(
                2 * one,
                ("probabilités ajoutées", "Deux tirages à la suite : on ne les ajoute pas."),
                ("probabilities added", "Two draws in a row: they are not added."),
            ),
            draw.wrong(
                one,
                ("un seul tirage", "C'est la probabilité pour un seul tirage."),
                ("one draw only", "That is the probability for a single draw."),
            ),
            draw.wrong(
                one * Fraction(red - 1, total - 1),
                ("boule non remise", "La boule est remise dans le sac avant le deuxième tirage."),
                ("ball not put back", "The ball is put back before the second draw."),
            ),
        ],
        hints=[
            draw.say(
                "Quelle est la probabilité d'une boule rouge à chaque tirage ?",
                "What is the probability of a red ball in each draw?",
            ),
            draw.say(
                f"Elle est de ${draw.maths(one)}$ chaque fois. Multiplie le long des branches de "
                "l'arbre.",
                f"It is ${draw.maths(one)}$ each time. Multiply along the branches of the tree.",
            ),
        ],
        steps=[
            f"$\\frac{{{red}}}{{{total}}} \\times \\frac{{{red}}}{{{total}}} = "
            f"{draw.maths(one * one)}$"
        ],
    )
