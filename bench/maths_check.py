"""The checker of mathematics: what an answer costs, the start of its process, and how many errors
it stops and right answers it holds up that it was not built with."""

from __future__ import annotations

import asyncio
import re
import statistics
import time
from pathlib import Path

from bench.results import Result
from bot.isolated_worker.worker import WarmWorker
from bot.maths.checker import PROGRAM, MathsChecker

ANSWERS = (
    "Bravo ! On calcule : $7 \\times %d = @7$. Et toi, que trouves-tu pour le suivant ?",
    "20 %% de %d00 font @20. Le prix baisse donc de 20 %%.",
    "Pour ajouter, on a $\\frac{1}{2} + \\frac{%d}{3} = \\frac{@2+3}{6}$.\n\n- 3 km = 3 000 m",
    "On développe : $(x + %d)^2 = x^2 + @2x + %d^2$, pour tout $x$.",
    "On résout $2x + %d = 0$.\n\n$2x = -%d$\n\nDonc $x = -\\frac{%d}{2}$.",
    "Soit $f(x) = %dx^3 - 2x$. Alors $f'(x) = @3x^2 - 2$, et $f'(0) = -2$.",
    "Les solutions de $x^2 - %dx = 0$ sont 0 et %d. L'aire du disque vaut $\\pi \\times 3^2$.",
    "Bonjour ! Aujourd'hui, nous lisons un texte de Birago Diop. Quel est son titre, le n° %d ?",
)
"""`%d` is a number that differs each time; `@7` is seven times it."""

LONG_TEXT = 120 * (
    "Au marché, 12 vendeuses ont reçu 350 F chacune le 3 mars ; 45 clients ont acheté 7 kg de riz "
    "à 600 F le kilo ; il restait 23 sacs de 50 kg. "
)

_HELD_OUT = Path(__file__).with_name("maths_heldout.txt")
_PASSAGES = Path(__file__).with_name("maths_passages.txt")
_CHOICE = re.compile(r"⟦(.*?)\|(.*?)⟧")


def measure(*, quick: bool) -> list[Result]:
    return asyncio.run(_measure(80 if quick else 2_000, quick=quick))


async def _measure(count: int, *, quick: bool) -> list[Result]:
    worker = WarmWorker(PROGRAM)
    begun = time.perf_counter()
    await worker.start()
    start = (time.perf_counter() - begun) * 1000
    checker = MathsChecker(worker.ask)
    times: list[float] = []
    for number in range(count):
        answer = _write(ANSWERS[number % len(ANSWERS)], 2 + number)
        begun = time.perf_counter()
        found = await checker.check(answer)
        times.append((time.perf_counter() - begun) * 1000)
        if any(each.verdict == "wrong" for each in found):
            raise RuntimeError(f"A right answer was held up: {answer}")
    begun = time.perf_counter()
    await checker.check("Bonjour ! " + "Nous lisons un texte aujourd'hui. " * 20)
    prose = (time.perf_counter() - begun) * 1000
    delay = await _measure_delay(checker)
    stopped, held_up = await _measure_held_out(checker)
    caught, disturbed = await _measure_passages(checker, 20 if quick else 1)
    await worker.close()
    times.sort()
    return [
        Result("maths_check.start_ms", start, "ms"),
        Result("maths_check.p50_ms", statistics.median(times), "ms"),
        Result("maths_check.p95_ms", times[int(len(times) * 0.95)], "ms"),
        Result("maths_check.p99_ms", times[int(len(times) * 0.99)], "ms"),
        Result("maths_check.prose_ms", prose, "ms"),
        Result("maths_check.long_text_delay_ms", delay, "ms"),
        Result("maths_check.errors_stopped", stopped, "%"),
        Result("maths_check.right_held_up", held_up, "%"),
        Result("maths_check.passages_stopped", caught, "%"),
        Result("maths_check.passages_held_up", disturbed, "%"),
    ]


async def _measure_delay(checker: MathsChecker) -> float:
    """The longest that something else had to wait while a text of 18,000 characters was checked."""
    checking = asyncio.create_task(checker.check(LONG_TEXT))
    longest = 0.0
    while not checking.done():
        begun = time.perf_counter()
        await asyncio.sleep(0)
        longest = max(longest, (time.perf_counter() - begun) * 1000)
    return longest


async def _measure_held_out(checker: MathsChecker) -> tuple[float, float]:
    """The percentages of errors that are stopped, and of right answers that are held up."""
    stopped: list[bool] = []
    held_up: list[bool] = []
    for line in _HELD_OUT.read_text(encoding="utf-8").splitlines():
        if not line.startswith("# "):
            question, _, answer = line.replace("\\n", "\n").rpartition(" ||| ")
            right = _CHOICE.sub(lambda found: found[1], answer)
            wrong = _CHOICE.sub(lambda found: found[2], answer)
            held_up.append(await _is_stopped(checker, right, question))
            if wrong != right:
                stopped.append(await _is_stopped(checker, wrong, question))
    return 100 * sum(stopped) / len(stopped), 100 * sum(held_up) / len(held_up)


async def _measure_passages(checker: MathsChecker, every: int) -> tuple[float, float]:
    """The same percentages of every so many passages."""
    stopped: dict[str, list[bool]] = {"-": [], "+": []}
    lines = _PASSAGES.read_text(encoding="utf-8").splitlines()
    for line in [each for each in lines if not each.startswith("#")][::every]:
        question, _, answer = line[2:].replace("⏎", "\n").rpartition(" ||| ")
        stopped[line[0]].append(await _is_stopped(checker, answer, question))
    caught, disturbed = (100 * sum(each) / len(each) for each in stopped.values())
    return caught, disturbed


async def _is_stopped(checker: MathsChecker, answer: str, question: str) -> bool:
    return any(each.verdict == "wrong" for each in await checker.check(answer, question))


def _write(template: str, number: int) -> str:
    """The answer with its number, and what is computed from it."""
    values = {"@20": 20 * number, "@7": 7 * number, "@2+3": 2 * number + 3}
    values |= {"@2": 2 * number, "@3": 3 * number}
    answer = template.replace("%d", str(number)).replace("%%", "%")
    for mark, value in values.items():
        answer = answer.replace(mark, str(value))
    return answer
