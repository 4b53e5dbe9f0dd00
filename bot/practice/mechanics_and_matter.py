"""Exercises on density, speed, weight and kinetic energy (4e and 3e)."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Final

from bot.practice.generator import Draw, Item, generates
from bot.practice.notation import Pair, round_quotient

# Density ------------------------------------------------------------------------------------------

SOLIDS: Final[tuple[tuple[Pair, Decimal], ...]] = (
    (("Un morceau de fer", "A piece of iron"), Decimal("7.8")),
    (("Un morceau d'aluminium", "A piece of aluminium"), Decimal("2.7")),
    (("Un fil de cuivre", "A copper wire"), Decimal("8.9")),
    (("Un morceau de verre", "A piece of glass"), Decimal("2.5")),
    (("Un bloc de granite", "A block of granite"), Decimal("2.6")),
    (("Un bloc de béton", "A block of concrete"), Decimal("2.4")),
)
"""Things, with their density in g/cm³."""
LIQUIDS: Final[tuple[tuple[Pair, Decimal], ...]] = (
    (("huile d'arachide", "groundnut oil"), Decimal("0.92")),
    (("essence", "petrol"), Decimal("0.75")),
    (("alcool", "alcohol"), Decimal("0.8")),
    (("eau de mer", "sea water"), Decimal("1.03")),
    (("huile de palme", "palm oil"), Decimal("0.9")),
)
"""Liquids, with their density in kg/L; all French names begin with a vowel sound."""
JEWELS: Final[tuple[tuple[Pair, Decimal], ...]] = (
    (("un bracelet en or", "a gold bracelet"), Decimal("19.3")),
    (("un bracelet en argent", "a silver bracelet"), Decimal("10.5")),
    (("un bracelet en cuivre", "a copper bracelet"), Decimal("8.9")),
    (("un cadenas en laiton", "a brass padlock"), Decimal("8.5")),
    (("un boulon en fer", "an iron bolt"), Decimal("7.8")),
)


@generates("physics-chemistry.density", "4e")
def find_density(draw: Draw) -> Item:
    """Ask for a density, then a mass or a volume, then a density from the level of water or in
    kg/m³."""
    if draw.difficulty == 2:
        return draw.one_of((_find_mass, _find_volume))(draw)
    if draw.difficulty == 3:
        return draw.one_of((_plunge_in_water, _find_density_in_kg))(draw)
    thing, density = draw.one_of(SOLIDS)
    volume = 10 * draw.between(2, 20)
    mass = density * volume
    return draw.exercise("find_density", thing=thing, mass=mass, volume=volume).choice(
        density,
        (round_quotient(volume, mass), "upside-down"),
        (mass * volume, "multiplied"),
        (mass - volume, "subtracted"),
        unit="g/cm³",
    )


def _find_mass(draw: Draw) -> Item:
    liquid, density = draw.one_of(LIQUIDS)
    volume = draw.one_of((2, 4, 5, 20, 25, 50))
    exercise = draw.exercise("find_mass", liquid=liquid, density=density, volume=volume)
    return exercise.open(
        density * volume,
        (volume, "taken-for-water"),
        (Fraction(volume) / Fraction(density), "divided"),
        (density + volume, "added"),
        unit="kg",
    )


def _find_volume(draw: Draw) -> Item:
    liquid, density = draw.one_of(LIQUIDS)
    volume = draw.one_of((2, 4, 5, 20, 25, 50))
    mass = density * volume
    exercise = draw.exercise("find_volume", liquid=liquid, density=density, mass=mass)
    return exercise.open(
        volume,
        (mass, "taken-for-water"),
        (mass * density, "multiplied"),
        (Fraction(density) / Fraction(mass), "upside-down"),
        unit="L",
    )


def _plunge_in_water(draw: Draw) -> Item:
    """Ask for the density of a thing by how far water rises around it."""
    thing, density = draw.one_of(JEWELS)
    before, volume = 10 * draw.between(3, 8), draw.one_of((2, 4, 6, 8, 12))
    after = before + volume
    mass = density * volume
    exercise = draw.exercise(
        "plunge_in_water", thing=thing, mass=mass, before=before, after=after, volume=volume
    )
    return exercise.open(
        density,
        (Fraction(mass) / after, "level-taken-for-the-volume"),
        (Fraction(mass) / before, "level-taken-for-the-volume"),
        (mass * volume, "multiplied"),
        unit="g/cm³",
    )


def _find_density_in_kg(draw: Draw) -> Item:
    thing, density = draw.one_of(SOLIDS)
    volume = 10 * draw.between(2, 20)
    exercise = draw.exercise(
        "find_density_in_kg", thing=thing, mass=density * volume, volume=volume, density=density
    )
    return exercise.choice(
        1000 * density,
        (density, "unit-not-converted"),
        (density / 1000, "converted-the-wrong-way"),
        (100 * density, "m3-of-a-hundred-cm"),
        unit="kg/m³",
    )


# Speed --------------------------------------------------------------------------------------------

MOVERS: Final[tuple[tuple[Pair, int, int], ...]] = (
    (("Awa court", "Awa runs"), 3, 6),
    (("Un cycliste fait", "A cyclist covers"), 5, 9),
    (("Une moto fait", "A motorbike covers"), 10, 18),
    (("Une antilope court", "An antelope runs"), 12, 22),
    (("Un taxi fait", "A taxi covers"), 8, 16),
)
"""With their lowest and highest speed in m/s."""
ECHOES: Final[tuple[tuple[Pair, Pair, int, tuple[Decimal, ...]], ...]] = (
    (
        (
            "Un bateau envoie un son vers le fond. Le son va à 1500 m/s dans l'eau",
            "A ship sends a sound down to the sea floor. Sound goes at 1500 m/s in water",
        ),
        ("À quelle profondeur est le fond", "How deep is the sea floor"),
        1500,
        tuple(Decimal(n) / 10 for n in (2, 4, 6, 8, 12)),
    ),
    (
        (
            "Moussa crie en face d'une falaise. Le son va à 340 m/s dans l'air",
            "Moussa shouts in front of a cliff. Sound goes at 340 m/s in air",
        ),
        ("À quelle distance est la falaise", "How far away is the cliff"),
        340,
        tuple(Decimal(n) / 2 for n in (1, 2, 3, 6)),  # in 2 s, the distance has the speed's number
    ),
)


@generates("physics-chemistry.motion-speed", "4e")
def find_speed(draw: Draw) -> Item:
    """Ask for a speed in m/s, then a distance or a time, then for a distance with km/h or an
    echo."""
    if draw.difficulty == 2:
        return draw.one_of((_locate_storm, _find_time))(draw)
    if draw.difficulty == 3:
        return draw.one_of((_drive_on, _hear_echo))(draw)
    mover, slowest, fastest = draw.one_of(MOVERS)
    speed, seconds = draw.between(slowest, fastest), draw.one_of((10, 12, 15, 20, 25))
    distance = speed * seconds
    return draw.exercise("find_speed", mover=mover, distance=distance, seconds=seconds).choice(
        speed,
        (distance * seconds, "multiplied"),
        (round_quotient(seconds, distance), "upside-down"),
        (distance - seconds, "subtracted"),
        unit="m/s",
    )


def _locate_storm(draw: Draw) -> Item:
    seconds = draw.between(2, 12)
    return draw.exercise("locate_storm", seconds=seconds).open(
        340 * seconds,
        (Fraction(340, seconds), "divided"),
        (340 + seconds, "added"),
        (340, "one-second-only"),
        unit="m",
    )


def _find_time(draw: Draw) -> Item:
    mover, slowest, fastest = draw.one_of(MOVERS)
    speed, seconds = draw.between(slowest, fastest), draw.one_of((20, 30, 40, 50, 60))
    distance = speed * seconds
    return draw.exercise("find_time", mover=mover, distance=distance, speed=speed).open(
        seconds,
        (distance * speed, "multiplied"),
        (Fraction(speed, distance), "upside-down"),
        (distance - speed, "subtracted"),
        unit="s",
    )


def _drive_on(draw: Draw) -> Item:
    """Ask how far a coach drives in a few seconds at a speed in km/h."""
    speed, seconds = 5 * draw.between(2, 6), draw.between(2, 5)
    per_hour = speed * 36 // 10
    return draw.exercise("drive_on", speed=speed, per_hour=per_hour, seconds=seconds).choice(
        speed * seconds,
        (per_hour * seconds, "unit-not-converted"),
        (Decimal("3.6") * per_hour * seconds, "converted-the-wrong-way"),
        (speed, "one-second-only"),
        unit="m",
    )


def _hear_echo(draw: Draw) -> Item:
    story, asked, speed, times = draw.one_of(ECHOES)
    seconds = draw.one_of(times)
    whole = speed * seconds
    exercise = draw.exercise(
        "hear_echo", story=story, asked=asked, speed=speed, seconds=seconds, whole=whole
    )
    return exercise.open(
        whole / 2,
        (whole, "way-back-forgotten"),
        (2 * whole, "way-doubled"),
        (Fraction(speed) / Fraction(seconds), "divided"),
        unit="m",
    )


# Weight -------------------------------------------------------------------------------------------

LOADS: Final[tuple[tuple[Pair, tuple[int, ...]], ...]] = (
    (("d'un sac de riz", "of a bag of rice"), (25, 50)),
    (("d'un sac de cacao", "of a bag of cocoa"), (60, 65)),
    (("d'une chèvre", "of a goat"), (20, 30, 35)),
    (("d'un mouton", "of a sheep"), (40, 45, 55)),
    (("d'un sac de ciment", "of a bag of cement"), (50,)),
    (("d'une bouteille de gaz", "of a gas bottle"), (12, 15, 28)),
)
"""With usual masses in kg."""
SMALL_LOADS: Final[tuple[tuple[Pair, tuple[int, ...]], ...]] = (
    (("d'une mangue", "of a mango"), (250, 400, 500)),
    (("d'un ananas", "of a pineapple"), (600, 800, 900)),
    (("d'un pain", "of a loaf of bread"), (200, 250)),
    (("d'un cahier", "of an exercise book"), (150, 200)),
)
"""With usual masses in g."""
GRAVITIES: Final = (10, Decimal("9.8"))
"""Values that school gives the acceleration of gravity, in N/kg."""
PLANETS: Final[tuple[tuple[Pair, Decimal], ...]] = (
    (("la Lune", "the Moon"), Decimal("1.6")),
    (("Mars", "Mars"), Decimal("3.7")),
)


@generates("physics-chemistry.weight-mass", "3e")
def find_weight(draw: Draw) -> Item:
    """Ask for a weight, then a weight from grams or a mass, then on the Moon or on Mars."""
    if draw.difficulty == 2:
        return draw.one_of((_weigh_grams, _find_mass_of_weight))(draw)
    if draw.difficulty == 3:
        return draw.one_of((_go_to_planet, _come_from_planet))(draw)
    thing, masses = draw.one_of(LOADS)
    mass, gravity = draw.one_of(masses), draw.one_of(GRAVITIES)
    return draw.exercise("find_weight", thing=thing, mass=mass, gravity=gravity).choice(
        mass * gravity,
        (mass, "mass-taken-for-weight"),
        (round_quotient(mass, gravity), "divided"),
        (mass + gravity, "added"),
        unit="N",
    )


def _weigh_grams(draw: Draw) -> Item:
    thing, masses = draw.one_of(SMALL_LOADS)
    grams, gravity = draw.one_of(masses), draw.one_of(GRAVITIES)
    mass = Decimal(grams) / 1000
    exercise = draw.exercise("weigh_grams", thing=thing, grams=grams, mass=mass, gravity=gravity)
    return exercise.open(
        mass * gravity,
        (grams * gravity, "unit-not-converted"),
        (Fraction(mass) / Fraction(gravity), "divided"),
        (mass, "mass-taken-for-weight"),
        unit="N",
    )


def _find_mass_of_weight(draw: Draw) -> Item:
    thing, masses = draw.one_of(LOADS)
    mass, gravity = draw.one_of(masses), draw.one_of(GRAVITIES)
    weight = mass * gravity
    return draw.exercise("find_mass_of_weight", thing=thing, weight=weight, gravity=gravity).open(
        mass,
        (weight, "weight-taken-for-mass"),
        (weight * gravity, "multiplied"),
        (Fraction(gravity) / Fraction(weight), "upside-down"),
        unit="kg",
    )


def _go_to_planet(draw: Draw) -> Item:
    """Ask for a weight on the Moon or on Mars, from that on Earth."""
    planet, gravity = draw.one_of(PLANETS)
    mass = 10 * draw.between(3, 12)
    weight = 10 * mass
    return draw.exercise(
        "go_to_planet", planet=planet, mass=mass, weight=weight, gravity=gravity
    ).choice(
        mass * gravity,
        (weight, "same-weight-everywhere"),
        (mass, "mass-taken-for-weight"),
        (weight * gravity, "mass-not-sought"),
        unit="N",
    )


def _come_from_planet(draw: Draw) -> Item:
    """Ask for the mass on Earth of a robot of which the weight elsewhere is known."""
    planet, gravity = draw.one_of(PLANETS)
    mass = 10 * draw.between(3, 12)
    weight = mass * gravity
    return draw.exercise(
        "come_from_planet", planet=planet, mass=mass, weight=weight, gravity=gravity
    ).open(
        mass,
        (weight / 10, "gravity-of-the-earth"),
        (10 * mass, "weight-taken-for-mass"),
        (weight, "weight-taken-for-mass"),
        unit="kg",
    )


# Kinetic energy -----------------------------------------------------------------------------------

RUNNERS: Final[tuple[tuple[Pair, tuple[int, ...], int, int], ...]] = (
    (("Une chèvre", "A goat"), (20, 30, 40), 2, 6),
    (("Un cycliste", "A cyclist"), (80, 90, 100), 3, 9),
    (("Une élève", "A pupil"), (40, 50, 60), 2, 6),
    (("Une pirogue", "A canoe"), (200, 300, 400), 2, 5),
    (("Un âne", "A donkey"), (150, 180, 200), 2, 6),
)
"""With usual masses in kg, and their lowest and highest speed in m/s."""
VEHICLES: Final[tuple[tuple[Pair, tuple[int, ...]], ...]] = (
    (("une moto", "a motorbike"), (160, 180, 200)),
    (("un taxi", "a taxi"), (1000, 1200, 1400)),
    (("un minibus", "a minibus"), (2000, 2400, 3000)),
    (("un camion", "a lorry"), (8000, 10_000, 12_000)),
)
"""With usual masses in kg."""


@generates("physics-chemistry.kinetic-energy", "3e")
def find_kinetic_energy(draw: Draw) -> Item:
    """Ask for a kinetic energy, then one with a speed in km/h, then for a speed or for the effect
    of a greater speed."""
    if draw.difficulty == 2:
        return _find_energy_of_vehicle(draw)
    if draw.difficulty == 3:
        return draw.one_of((_find_speed_of_energy, _multiply_speed))(draw)
    runner, masses, slowest, fastest = draw.one_of(RUNNERS)
    mass, speed = draw.one_of(masses), draw.between(slowest, fastest)
    return draw.exercise("find_kinetic_energy", runner=runner, mass=mass, speed=speed).choice(
        mass * speed**2 // 2,
        (mass * speed**2, "half-forgotten"),
        (mass * speed // 2, "square-forgotten"),
        (mass**2 * speed**2 // 2, "mass-squared-too"),
        unit="J",
    )


def _find_energy_of_vehicle(draw: Draw) -> Item:
    vehicle, masses = draw.one_of(VEHICLES)
    mass, speed = draw.one_of(masses), 5 * draw.between(1, 5)
    per_hour = speed * 36 // 10
    return draw.exercise(
        "find_energy_of_vehicle", vehicle=vehicle, mass=mass, speed=speed, per_hour=per_hour
    ).open(
        mass * speed**2 // 2,
        (mass * per_hour**2 // 2, "unit-not-converted"),
        (mass * speed**2, "half-forgotten"),
        (mass * speed // 2, "square-forgotten"),
        unit="J",
    )


def _find_speed_of_energy(draw: Draw) -> Item:
    vehicle, masses = draw.one_of(VEHICLES)
    mass, speed = draw.one_of(masses), draw.between(4, 20)
    energy = mass * speed**2 // 2
    return draw.exercise(
        "find_speed_of_energy", vehicle=vehicle, mass=mass, energy=energy, square=speed**2
    ).open(
        speed,
        (speed**2, "root-forgotten"),
        (Decimal(speed**2) / 2, "half-and-root-forgotten"),
        (Decimal(speed**2) / 4, "root-taken-for-a-half"),
        unit="m/s",
    )


def _multiply_speed(draw: Draw) -> Item:
    """Ask by what the energy is multiplied when the speed is."""
    vehicle, _ = draw.one_of(VEHICLES)
    slow, times = 10 * draw.between(1, 3), draw.between(2, 4)
    fast = slow * times
    return draw.exercise(
        "multiply_speed", vehicle=vehicle, slow=slow, fast=fast, times=times
    ).choice(
        times**2,
        (times, "square-forgotten"),
        (2 * times, "square-taken-for-a-double"),
        (fast - slow, "subtracted"),
        (1, "only-the-mass-counted"),
    )
