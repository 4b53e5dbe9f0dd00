"""Percentages and speeds in 4e."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from bot.practice.generator import Draw, Item, Wrong, generates
from bot.practice.secondary_geometry import measure, trim

GOODS = (
    ("un pagne", "a piece of cloth", 5, 25),
    ("un ballon", "a football", 3, 12),
    ("un sac de riz", "a bag of rice", 12, 30),
    ("un téléphone", "a phone", 20, 90),
)
"""What is sold, in French and English, with its lowest and highest price in thousands of francs."""

# Percentages --------------------------------------------------------------------------------------


@generates("maths.percentage-change", "4e")
def change_by_percentage(draw: Draw) -> Item:
    """A new price, then the percentage, then the price before or two changes in a row."""
    thing_fr, thing_en, least, most = draw.one_of(GOODS)
    percent = draw.one_of((5, 10, 15, 20, 25, 30, 40))
    price = 1000 * draw.between(least, most)
    rises = draw.one_of((True, False))
    if draw.difficulty == 2:
        price = 11_000 if price == 10_000 else price
        return _find_percentage(draw, price, percent, rises=rises)
    if draw.difficulty == 3:
        if draw.one_of((True, False)):
            return _change_twice(draw, price)
        return _find_old_price(draw, price, draw.say(thing_fr, thing_en))
    change = price * percent // 100
    new = price + change if rises else price - change
    old = draw.maths(price)
    sign = "+" if rises else "-"
    verb_fr, verb_en = ("augmente", "goes up") if rises else ("baisse", "goes down")
    return draw.choice(
        draw.say(
            f"Au marché, {thing_fr} coûte ${old}$ FCFA. Son prix {verb_fr} de "
            f"${percent}$ %. Quel est le nouveau prix ?",
            f"At the market, {thing_en} costs ${old}$ FCFA. Its price {verb_en} by "
            f"${percent}$%. What is the new price?",
        ),
        key=measure(draw, new, "FCFA"),
        wrong=[
            draw.wrong(
                measure(draw, change, "FCFA"),
                (
                    "variation donnée à la place du prix",
                    "C'est la variation : et le nouveau prix ?",
                ),
                ("change given for the price", "That is the change: what is the new price?"),
            ),
            draw.wrong(
                measure(draw, price - change if rises else price + change, "FCFA"),
                ("mauvais sens", "Le prix monte-t-il ou descend-il ?"),
                ("wrong direction", "Does the price go up or down?"),
            ),
            draw.wrong(
                measure(draw, price + percent if rises else price - percent, "FCFA"),
                (
                    "pourcentage pris pour des francs",
                    "Un pourcentage n'est pas une somme en francs.",
                ),
                ("percentage taken for francs", "A percentage is not an amount in francs."),
            ),
        ],
        hints=[
            draw.say(
                f"Calcule d'abord ${percent}$ % du prix.",
                f"Work out ${percent}$% of the price first.",
            ),
            draw.say(
                f"${percent}$ % de ${old}$, c'est ${draw.maths(change)}$ : "
                f"{'ajoute-les' if rises else 'enlève-les'}.",
                f"${percent}$% of ${old}$ is ${draw.maths(change)}$: "
                f"{'add it' if rises else 'take it away'}.",
            ),
        ],
        steps=[
            f"${old} \\times {percent} \\div 100 = {draw.maths(change)}$",
            f"${old} {sign} {draw.maths(change)} = {draw.maths(new)}$",
        ],
    )


def _find_percentage(draw: Draw, price: int, percent: int, *, rises: bool) -> Item:
    change = price * percent // 100
    new = price + change if rises else price - change
    before, after = draw.maths(price), draw.maths(new)
    wrong = [
        draw.wrong(
            measure(draw, round(Fraction(100 * change, new)), "%"),
            ("comparé au nouveau prix", "Compare la variation au prix de départ."),
            ("compared with the new price", "Compare the change with the first price."),
        ),
        draw.wrong(
            measure(draw, 100 * new // price, "%"),
            ("nouveau prix en pourcentage", "On demande la variation, pas le nouveau prix."),
            ("new price as a percentage", "The change is asked for, not the new price."),
        ),
        draw.wrong(
            measure(draw, trim(Decimal(change) / 100), "%"),
            ("variation divisée par 100", "Par quoi faut-il diviser la variation ?"),
            ("change divided by 100", "By what must the change be divided?"),
        ),
        draw.wrong(
            measure(draw, 100 - percent, "%"),
            ("reste du pourcentage", "Compare la variation au prix de départ."),
            ("rest of the percentage", "Compare the change with the first price."),
        ),
    ]
    verb_fr, verb_en = ("augmenté", "risen") if rises else ("baissé", "fallen")
    written = draw.maths(change)
    return draw.choice(
        draw.say(
            f"Au marché, un prix passe de ${before}$ FCFA à ${after}$ FCFA. De quel pourcentage "
            f"a-t-il {verb_fr} ?",
            f"At the market, a price goes from ${before}$ FCFA to ${after}$ FCFA. By what "
            f"percentage has it {verb_en}?",
        ),
        key=measure(draw, percent, "%"),
        wrong=wrong,
        hints=[
            draw.say(
                "De combien de francs le prix a-t-il varié ?", "By how many francs did it change?"
            ),
            draw.say(
                f"La variation est de ${written}$ FCFA : divise-la par le prix de départ.",
                f"The change is ${written}$ FCFA: divide it by the first price.",
            ),
        ],
        steps=[
            f"${after} - {before} = {written}$" if rises else f"${before} - {after} = {written}$",
            f"$\\frac{{{written}}}{{{before}}} = {draw.maths(trim(Decimal(percent) / 100))}$",
            draw.say(f"Cela fait ${percent}$ %.", f"That is ${percent}$%."),
        ],
    )


def _find_old_price(draw: Draw, price: int, thing: str) -> Item:
    """The price before a discount."""
    percent = draw.one_of((10, 20, 25, 40))
    new = price * (100 - percent) // 100
    after = draw.maths(new)
    part = draw.maths(Decimal(100 - percent) / 100)
    return draw.open(
        draw.say(
            f"Après une baisse de ${percent}$ %, {thing} coûte ${after}$ FCFA. Combien "
            "coûtait-il avant ?",
            f"After a fall of ${percent}$%, {thing} costs ${after}$ FCFA. How much did "
            "it cost before?",
        ),
        key=price,
        unit="FCFA",
        wrong=[
            draw.wrong(
                trim(Decimal(new * (100 + percent)) / 100),
                ("pourcentage pris sur le nouveau prix", "La baisse se calcule sur l'ancien prix."),
                ("percentage of the new price", "The fall is a percentage of the old price."),
            ),
            draw.wrong(
                trim(Decimal(new * (100 - percent)) / 100),
                ("baisse refaite", "L'ancien prix était-il plus haut ou plus bas ?"),
                ("fall done again", "Was the old price higher or lower?"),
            ),
        ],
        hints=[
            draw.say(
                f"Le nouveau prix représente ${100 - percent}$ % de l'ancien.",
                f"The new price is ${100 - percent}$% of the old one.",
            ),
            draw.say(
                f"Ancien prix × ${part}$ = ${after}$ : quelle opération donne l'ancien prix ?",
                f"Old price × ${part}$ = ${after}$: which operation gives the old price?",
            ),
        ],
        steps=[
            f"$100 - {percent} = {100 - percent}$",
            f"${after} \\div {part} = {draw.maths(price)}$",
        ],
    )


def _change_twice(draw: Draw, price: int) -> Item:
    """A rise and a fall by the same percentage, which do not cancel out."""
    percent = draw.one_of((10, 20, 30, 50))
    middle = price * (100 + percent) // 100
    key = middle * (100 - percent) // 100
    first, second, last = draw.maths(price), draw.maths(middle), draw.maths(key)
    up, down = draw.maths(Decimal(100 + percent) / 100), draw.maths(Decimal(100 - percent) / 100)
    return draw.open(
        draw.say(
            f"Un prix de ${first}$ FCFA augmente de ${percent}$ %, puis baisse de ${percent}$ %. "
            "Quel est le prix final ?",
            f"A price of ${first}$ FCFA goes up by ${percent}$%, then down by ${percent}$%. What "
            "is the final price?",
        ),
        key=key,
        unit="FCFA",
        wrong=[
            draw.wrong(
                price,
                (
                    "hausse et baisse qui s'annulent",
                    "La baisse se calcule sur le prix augmenté, qui est plus grand.",
                ),
                (
                    "rise and fall cancelled",
                    "The fall is a percentage of the raised price, which is larger.",
                ),
            ),
            draw.wrong(
                middle,
                ("baisse oubliée", "Il reste la baisse à calculer."),
                ("fall forgotten", "You still need to work out the fall."),
            ),
        ],
        hints=[
            draw.say(
                "Calcule d'abord le prix après la hausse.",
                "Work out the price after the rise first.",
            ),
            draw.say(
                f"Après la hausse : ${second}$ FCFA. Baisse maintenant ce prix de ${percent}$ %.",
                f"After the rise: ${second}$ FCFA. Now lower this price by ${percent}$%.",
            ),
        ],
        steps=[
            f"${first} \\times {up} = {second}$",
            f"${second} \\times {down} = {last}$",
        ],
    )


# Speed --------------------------------------------------------------------------------------------


@generates("maths.speed", "4e")
def use_speed(draw: Draw) -> Item:
    """A speed, then a distance with hours and minutes, then m/s or an average speed."""
    if draw.difficulty == 2:
        return _find_distance(draw)
    if draw.difficulty == 3:
        return draw.one_of((_convert_speed, _average_two_legs))(draw)
    speed, hours = 5 * draw.between(8, 18), draw.between(2, 5)
    distance = speed * hours
    rider_fr, rider_en = draw.one_of(
        (("Un taxi-brousse", "A bush taxi"), ("Un car", "A coach"), ("Un camion", "A lorry"))
    )
    return draw.choice(
        draw.say(
            f"{rider_fr} parcourt ${distance}$ km en ${hours}$ h. Quelle est sa vitesse moyenne ?",
            f"{rider_en} covers ${distance}$ km in ${hours}$ h. What is its average speed?",
        ),
        key=measure(draw, speed, "km/h"),
        wrong=[
            draw.wrong(
                measure(draw, distance * hours, "km/h"),
                ("produit au lieu de quotient", "En une heure, fait-il plus ou moins de chemin ?"),
                (
                    "multiplied instead of divided",
                    "In one hour, does it go a longer or a shorter way?",
                ),
            ),
            draw.wrong(
                measure(draw, distance - hours, "km/h"),
                ("soustraction au lieu de division", "On partage la distance entre les heures."),
                ("subtracted instead of divided", "Share the distance between the hours."),
            ),
            draw.wrong(
                measure(draw, distance, "km/h"),
                ("durée oubliée", "C'est la distance de tout le trajet."),
                ("time forgotten", "That is the distance of the whole way."),
            ),
        ],
        hints=[
            draw.say(
                "La vitesse, c'est la distance parcourue en une heure.",
                "The speed is the distance covered in one hour.",
            ),
            draw.say(
                f"Divise la distance par la durée : ${distance} \\div {hours}$.",
                f"Divide the distance by the time: ${distance} \\div {hours}$.",
            ),
        ],
        steps=[f"${distance} \\div {hours} = {speed}$ (km/h)"],
    )


def _find_distance(draw: Draw) -> Item:
    speed, hours, minutes = 20 * draw.between(2, 5), draw.between(1, 4), draw.one_of((15, 30, 45))
    part = Decimal(minutes) / 60
    key = trim(speed * (hours + part))
    wrong: list[Wrong] = [
        draw.wrong(
            measure(draw, trim(speed * (hours + Decimal(minutes) / 100)), "km"),
            (f"{minutes} min lues comme 0,{minutes} h", "Combien de minutes a une heure ?"),
            (f"{minutes} min read as 0.{minutes} h", "How many minutes has an hour?"),
        ),
        draw.wrong(
            measure(draw, speed * hours, "km"),
            ("minutes oubliées", "Tu n'as compté que les heures entières."),
            ("minutes forgotten", "You counted the whole hours only."),
        ),
        draw.wrong(
            measure(draw, speed * hours + minutes, "km"),
            ("minutes ajoutées comme des km", "Des minutes ne sont pas des kilomètres."),
            ("minutes added as km", "Minutes are not kilometres."),
        ),
    ]
    time = draw.maths(trim(hours + part))
    return draw.choice(
        draw.say(
            f"Un car roule à ${speed}$ km/h de moyenne pendant ${hours}$ h ${minutes}$ min. Quelle "
            "distance parcourt-il ?",
            f"A coach drives at an average of ${speed}$ km/h for ${hours}$ h ${minutes}$ min. How "
            "far does it go?",
        ),
        key=measure(draw, key, "km"),
        wrong=wrong,
        hints=[
            draw.say(
                f"Quelle partie d'une heure font ${minutes}$ minutes ?",
                f"Which part of an hour are ${minutes}$ minutes?",
            ),
            draw.say(
                f"La durée est de ${time}$ h : multiplie par la vitesse.",
                f"The time is ${time}$ h: multiply by the speed.",
            ),
        ],
        steps=[
            f"${minutes} \\div 60 = {draw.maths(part)}$",
            f"${speed} \\times {time} = {draw.maths(key)}$ (km)",
        ],
    )


def _convert_speed(draw: Draw) -> Item:
    """A speed in metres a second, in km/h."""
    seconds = draw.one_of((10, 20, 25, 40, 50))
    speed = draw.between(3, 12)
    metres = speed * seconds
    key = trim(Decimal(speed) * Decimal("3.6"))
    runner_fr, runner_en = draw.one_of(
        (("Un cycliste", "A cyclist"), ("Une antilope", "An antelope"), ("Un chien", "A dog"))
    )
    return draw.open(
        draw.say(
            f"{runner_fr} parcourt ${metres}$ m en ${seconds}$ s. Quelle est sa vitesse moyenne en "
            "km/h ?",
            f"{runner_en} covers ${metres}$ m in ${seconds}$ s. What is its average speed in km/h?",
        ),
        key=key,
        unit="km/h",
        wrong=[
            draw.wrong(
                speed,
                ("unité oubliée", "C'est la vitesse en m/s : il reste à la convertir."),
                ("unit forgotten", "That is the speed in m/s: you still need to convert it."),
            ),
            draw.wrong(
                Fraction(speed * 5, 18),
                ("conversion à l'envers", "En une heure, on va plus loin qu'en une seconde."),
                ("converted the wrong way", "One goes farther in an hour than in a second."),
            ),
        ],
        hints=[
            draw.say(
                "Combien de mètres en une seconde ? Et une heure a combien de secondes ?",
                "How many metres in one second? And how many seconds has an hour?",
            ),
            draw.say(
                f"C'est ${speed}$ m en $1$ s. Combien de mètres en $3600$ s, puis combien de km ?",
                f"It is ${speed}$ m in $1$ s. How many metres in $3600$ s, and how many km?",
            ),
        ],
        steps=[
            f"${metres} \\div {seconds} = {speed}$ (m/s)",
            f"${speed} \\times 3600 = {draw.maths(speed * 3600)}$ (m)",
            f"${draw.maths(speed * 3600)} \\div 1000 = {draw.maths(key)}$ (km/h)",
        ],
    )


def _average_two_legs(draw: Draw) -> Item:
    """The average speed of a way of two parts at different speeds."""
    hours_one, hours_two = draw.one_of(((1, 2), (2, 1), (1, 3), (3, 1), (2, 3), (3, 2)))
    hours = hours_one + hours_two
    slow = 10 * draw.between(3, 5)
    fast = slow + hours * draw.between(4, 9)
    one, two = slow * hours_one, fast * hours_two
    key = Fraction(one + two, hours)
    return draw.open(
        draw.say(
            f"Un camion roule ${hours_one}$ h sur piste et fait ${one}$ km, puis ${hours_two}$ h "
            f"sur le goudron et fait ${two}$ km. Quelle est sa vitesse moyenne sur tout le trajet, "
            "en km/h ?",
            f"A lorry drives ${hours_one}$ h on a dirt road and covers ${one}$ km, then "
            f"${hours_two}$ h on tarmac and covers ${two}$ km. What is its average speed over the "
            "whole way, in km/h?",
        ),
        key=key,
        unit="km/h",
        wrong=[
            draw.wrong(
                trim(Decimal(slow + fast) / 2),
                ("moyenne des deux vitesses", "Les deux parties ne durent pas aussi longtemps."),
                ("mean of the two speeds", "The two parts do not last equally long."),
            ),
            draw.wrong(
                one + two,
                ("durée oubliée", "C'est la distance totale : divise par la durée totale."),
                ("time forgotten", "That is the whole distance: divide by the whole time."),
            ),
        ],
        hints=[
            draw.say(
                "Vitesse moyenne = distance totale ÷ durée totale.",
                "Average speed = whole distance ÷ whole time.",
            ),
            draw.say(
                f"La distance totale est de ${one + two}$ km et la durée de ${hours}$ h.",
                f"The whole distance is ${one + two}$ km and the time ${hours}$ h.",
            ),
        ],
        steps=[
            f"${one} + {two} = {one + two}$",
            f"${hours_one} + {hours_two} = {hours}$",
            f"${one + two} \\div {hours} = {draw.maths(key)}$ (km/h)",
        ],
    )
