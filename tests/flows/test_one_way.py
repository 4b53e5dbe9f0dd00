"""SMS to a country whose phones cannot answer, through the whole app and its short pages."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest

from bot.contracts.services import NewTask
from bot.gateway.scheduler import reminders, scheduler
from bot.learning.remembered_facts import Memory
from bot.learning.reviews.review_reminders import DAYS
from bot.learning.tasks import Tasks, finish_task
from bot.messages.incoming import Person
from bot.settings import Settings
from bot.standins.twilio_people import count_segments
from bot.typography import to_ordinary_signs
from tests.support.fakes import FakeModel, reply, tool_context
from tests.support.one_way import AWA, PUBLIC, Learner, find_link, open_learner
from tests.support.payment_methods import TILLS, Till
from tests.support.queries import NOW, FromNow, add_row, change_rows, read_rows
from tests.support.waiting import until

Make = Callable[..., Settings]
QUIZ: dict[str, Any] = {
    "question": "Quelle est la capitale du Mali ?",
    "options": ["Bamako", "Dakar", "Niamey"],
    "correct_index": 0,
    "explanation": "Bamako est sur le Niger.",
}
LONG = "\n\n".join(f"Paragraphe {n} : la **photosynthèse** nourrit la plante." for n in range(200))


@pytest.fixture(autouse=True)
def _look_closely(monkeypatch: pytest.MonkeyPatch) -> None:
    # Seconds in the app; reminders made due by a change of their rows are seen at the next look.
    monkeypatch.setattr(scheduler, "LOOK_EVERY", 0.2)
    monkeypatch.setattr(reminders, "FOLLOW_EVERY", 0.05)


def asking_a_quiz(*others: str) -> FakeModel:
    """It asks the quiz, and then has these answers."""
    call = ("interactive_quiz", json.dumps(QUIZ))
    return FakeModel(reply("", call), reply(""), *map(reply, others))


async def results(learner: Learner) -> list[int]:
    return [row["correct"] for row in await read_rows(learner.griot.app.database, "result")]


async def sent(learner: Learner) -> list[Any]:
    return await read_rows(learner.griot.app.database, "outbox", lane=f"sms:{AWA}")


async def test_a_quiz_is_answered_on_its_page_once(make_settings: Make) -> None:
    async with open_learner(make_settings, asking_a_quiz()) as learner:
        text = await learner.ask("un quiz")
        assert "1)" not in text
        assert "Bamako" not in text
        assert text.splitlines()[0] == QUIZ["question"]
        assert text.splitlines()[1].startswith(f"Réponds : {PUBLIC}/q/")
        assert text.splitlines()[-1].startswith(f"Stop SMS : {PUBLIC}/stop/")
        path = find_link(text, "q")
        status, page = await learner.get(path)
        assert status == 200
        assert all(option in page for option in QUIZ["options"])
        assert QUIZ["explanation"] not in page
        assert find_link(page, "stop") != find_link(text, "stop")
        _, page = await learner.post(path, a="0")
        assert "Bravo" in page
        assert QUIZ["explanation"] in page
        status, second = await learner.post(path, a="1")
        assert (status, "Tu as déjà répondu" in second) == (200, True)
        assert "Bravo" in (await learner.get(path))[1]
        assert await results(learner) == [1]
        assert len(await sent(learner)) == 1  # the page sends no SMS


async def test_no_work_in_the_background_is_announced_that_nobody_can_ask_for(
    make_settings: Make,
) -> None:
    model = FakeModel(reply("", ("list_user_files", "{}")), reply("Le debut."), reply("La suite."))
    async with open_learner(make_settings, model, max_iterations=2) as learner:
        text = await learner.ask("une longue synthese")
        assert text.splitlines()[0] == "Le debut."
        assert "prendre du temps" not in text


async def test_page_and_chat_at_once_count_one_answer(make_settings: Make) -> None:
    async with open_learner(make_settings, asking_a_quiz("D'accord.")) as learner:
        path = find_link(await learner.ask("un quiz"), "q")
        answers = (
            learner.post(path, a="1"),
            learner.ask("Bamako"),
            learner.post(path, a="0"),
            learner.post(path, a="2"),
        )
        await asyncio.gather(*answers)
        assert len(await results(learner)) == 1


async def test_the_rest_of_a_long_answer_is_on_its_page(make_settings: Make) -> None:
    async with open_learner(make_settings, FakeModel(reply(LONG))) as learner:
        text = await learner.ask("la photosynthèse ?")
        assert "SUITE" not in text
        assert count_segments(text) <= 4
        path = find_link(text, "m")
        shown, number = "", 1
        while True:
            status, page = await learner.get(f"{path}?p={number}")
            assert (status, len(page.encode()) < 15_000) == (200, True)
            shown += page
            number += 1
            if f"?p={number}" not in page:
                break
        assert re.findall(r"Paragraphe (\d+)", shown) == [str(n) for n in range(200)]
        assert find_link(page, "stop")
        assert (await learner.get(f"{path}?p=oops"))[1] == (await learner.get(path))[1]


async def test_lists_name_no_commands_to_who_cannot_answer(make_settings: Make) -> None:
    async with open_learner(make_settings, FakeModel(reply("Bonjour."))) as learner:
        await learner.ask("bonjour")
        await remind(learner, "Fractions")
        await learner.next_text(1)
        told = await learner.ask("/taches")
        assert told.splitlines()[0] == "Tes taches :"
        [row] = await read_rows(learner.griot.app.database, "account", phone=AWA)
        await Memory(learner.griot.app.database).save(row["id"], "Aime les maths")
        assert (await learner.ask("/memoire")).splitlines()[0] == "Ce que je retiens de toi :"


async def test_the_answers_to_their_words_ask_for_no_others(make_settings: Make) -> None:
    async with open_learner(make_settings, FakeModel(reply("Bonjour."))) as learner:
        await learner.ask("bonjour")
        assert await learner.ask("/indice") == "Aucun exercice en cours."
        assert "/aide" not in await learner.ask("/start")
        lane = f"sms:{AWA}"
        await change_rows(learner.griot.app.database, "lane", {"notices_off": 1}, id=lane)
        told = await learner.ask("/reviser 18h lun")
        assert told.endswith("Mais tu ne voulais plus de messages ici.")
        assert "/" not in told


async def test_no_question_follows_a_choice_by_one_way_sms(make_settings: Make) -> None:
    async with open_learner(make_settings, FakeModel()) as learner:
        await learner.ask("/niveau")
        database = learner.griot.app.database
        await change_rows(database, "account", {"greeted": 1})
        assert (await learner.ask("/langue fr")) == "Je parle maintenant francais."
        await change_rows(database, "account", {"greeted": 2})
        assert "?" not in await learner.ask("/mode eleve")


@pytest.mark.parametrize(
    ("words", "question", "value", "column", "chosen"),
    [
        ("/langue", "Dans quelle langue ? / Which language?", "en", "language", "en"),
        ("/mode", "Comment utilises-tu Griot ?", "pro", "mode", "pro"),
        ("/classe", "Tu es en quelle classe ?", "CM2", "grade", "CM2"),
    ],
)
async def test_a_choice_by_one_way_sms_is_made_on_its_page(
    make_settings: Make, words: str, question: str, value: str, column: str, chosen: str
) -> None:
    async with open_learner(make_settings, FakeModel(reply("Bonjour."))) as learner:
        await learner.ask("bonjour, je suis Awa")
        asked = await learner.ask(words)
        assert to_ordinary_signs(asked).startswith(to_ordinary_signs(question))
        assert count_segments(asked) == 1
        path = find_link(asked, "q")
        status, page = await learner.get(path)
        assert (status, f'value="{value}"' in page) == (200, True)
        status, page = await learner.post(path, a="wolof")
        assert (status, f'value="{value}"' in page) == (200, True)
        status, page = await learner.post(path, a=value)
        assert (status, f'value="{value}"' in page) == (200, False)
        assert ("/chat" in page) == (column != "grade")
        [row] = await read_rows(learner.griot.app.database, "account", phone=AWA)
        assert row[column] == chosen


async def test_after_a_wrong_try_and_a_hint_the_link_comes_again(make_settings: Make) -> None:
    async with open_learner(make_settings, FakeModel()) as learner:
        path = find_link(await learner.ask("/exercice maths.add-to-100"), "q")
        for words in ("INDICE", "1000"):
            text = await learner.ask(words)
            assert find_link(text, "q") != path
            page = (await learner.get(find_link(text, "q")))[1]
        right = await solution(learner)
        assert "Bravo" in (await learner.post(find_link(text, "q"), a=right))[1]
        assert 'class="hint"' in page


@pytest.mark.parametrize("number", [AWA, "+221771234567"])
async def test_who_began_in_english_is_welcomed_in_english(
    make_settings: Make, number: str
) -> None:
    model = FakeModel(reply("Three."), reply("Yes."))
    async with open_learner(make_settings, model, number=number) as learner:
        await learner.ask("what is the half of six, please?")
        [row] = await read_rows(learner.griot.app.database, "account", phone=number)
        assert row["language"] == "en"
        welcome = await learner.ask("START")
        assert welcome.startswith("Hello, I am Griot.")
        assert ("How do you use Griot?" in welcome) == (number != AWA)
        assert "Bonjour" not in welcome


async def test_a_sentence_in_english_is_homework_to_who_began_in_french(
    make_settings: Make,
) -> None:
    async with open_learner(make_settings, FakeModel(*[reply("Oui.")] * 12)) as learner:
        await learner.ask("bonjour, je veux une question")
        for _ in range(11):
            await learner.ask("what is the dog?")
        [row] = await read_rows(learner.griot.app.database, "account", phone=AWA)
        assert row["language"] == "fr"


async def test_a_single_question_leads_on_to_another(make_settings: Make) -> None:
    async with open_learner(make_settings, asking_a_quiz()) as learner:
        path = find_link(await learner.ask("un quiz"), "q")
        assert 'value="more"' not in (await learner.get(path))[1]
        _, page = await learner.post(path, a="0")
        assert ('value="more"' in page, 'href="/chat"' in page) == (True, True)
        first = (await learner.post(path, do="more"))[1]
        await learner.post(path, do="more")  # a second tap asks no second one
        assert len(await read_rows(learner.griot.app.database, "exercise")) == 1
        followed = re.findall(r'action="(/q/[^"]+)"', first)[0]
        assert "Bravo" in (await learner.post(followed, a=await solution(learner)))[1]


async def test_more_brings_the_link_again(make_settings: Make) -> None:
    answers = (reply(LONG), reply("Oui."))
    async with open_learner(make_settings, FakeModel(*answers)) as learner:
        assert await learner.ask("SUITE") != ""
        path = find_link(await learner.ask("la photosynthèse ?"), "m")
        assert await learner.ask("SUITE") == f"Tout lire : {PUBLIC}{path}"
        await learner.ask("merci")
        assert find_link(await learner.ask("suite"), "m") == path
        await change_rows(learner.griot.app.database, "shortlink", {"expires_at": 1.0})
        assert "C'était tout." in await learner.ask("suite")


async def test_opting_out_takes_a_post_and_can_be_taken_back(make_settings: Make) -> None:
    async with open_learner(make_settings, FakeModel(reply("Oui."), reply("Encore."))) as learner:
        path = find_link(await learner.ask("bonjour"), "stop")
        status, page = await learner.get(path)
        assert (status, "Oui, arrêter les SMS" in page) == (200, True)
        assert AWA not in page
        [lane] = await read_rows(learner.griot.app.database, "lane", id=f"sms:{AWA}")
        assert (lane["opted_out"], lane["reachable"]) == (0, 1)
        assert "Recevoir à nouveau les SMS" in (await learner.post(path))[1]
        [lane] = await read_rows(learner.griot.app.database, "lane", id=f"sms:{AWA}")
        assert (lane["opted_out"], lane["reachable"], lane["notices_off"]) == (1, 0, 1)
        await learner.post(path, do="start")
        [lane] = await read_rows(learner.griot.app.database, "lane", id=f"sms:{AWA}")
        assert (lane["opted_out"], lane["reachable"], lane["notices_off"]) == (0, 1, 0)


async def test_only_the_first_message_and_help_say_how_to_opt_out(make_settings: Make) -> None:
    async with open_learner(make_settings, FakeModel(reply("Un."), reply("Deux."))) as learner:
        assert (await learner.ask("un ?")).startswith("Un.\nStop SMS : ")
        assert await learner.ask("deux ?") == "Deux."
        helped = await learner.ask("AIDE")
        assert find_link(helped, "stop")
        assert not {"SUITE", "MORE", "START", "STOP"} & set(helped.split())
        assert count_segments(helped) == 1


async def test_once_its_link_has_expired_a_message_brings_another(make_settings: Make) -> None:
    answers = [reply("Un."), reply("Deux."), reply("Trois, et un long texte. " * 5)]
    async with open_learner(make_settings, FakeModel(*answers)) as learner:
        await learner.ask("un ?")
        await change_rows(learner.griot.app.database, "shortlink", {"expires_at": 1.0})
        assert "/stop/" in await learner.ask("deux ?")
        await change_rows(learner.griot.app.database, "shortlink", {"expires_at": 1.0})
        assert "/stop/" not in await learner.ask("trois ?")  # it would cost a segment more


@pytest.mark.parametrize("route", ["q", "m", "stop"])
async def test_who_may_open_a_page(make_settings: Make, route: str) -> None:
    model = asking_a_quiz(LONG)
    async with open_learner(make_settings, model) as learner:
        texts = [await learner.ask("un quiz"), await learner.ask("la photosynthèse ?")]
        path = find_link(" ".join(texts), route)
        token = path.rpartition("/")[2]
        assert (await learner.get(path))[0] == 200
        for other in {"q", "m", "stop", "files", "progress"} - {route}:
            assert (await learner.get(f"/{other}/{token}"))[0] in {403, 404}
        for tampered in (
            token[:-1] + ("b" if token[-1] == "a" else "a"),
            ("b" if token[0] == "a" else "a") + token[1:],
            token + "a",
            token[:-1],
            "é",
            "a" * 14,
        ):
            status, page = await learner.get(f"/{route}/{tampered}")
            assert (status, "<h1>" in page) == (403, True)
        await change_rows(learner.griot.app.database, "shortlink", {"expires_at": 1.0})
        assert (await learner.get(path))[0] == 410
        if route != "m":
            assert (await learner.post(path, a="0"))[0] == 410
        assert await results(learner) == []


async def test_an_expired_quiz_and_one_of_an_erased_person(make_settings: Make) -> None:
    async with open_learner(make_settings, asking_a_quiz()) as learner:
        path = find_link(await learner.ask("un quiz"), "q")
        await change_rows(learner.griot.app.database, "quiz", {"expires_at": 1.0})
        assert [(await learner.get(path))[0], (await learner.post(path, a="0"))[0]] == [410, 410]
        await learner.ask("delete")
        await learner.ask("delete confirm")
        assert await read_rows(learner.griot.app.database, "shortlink", route="q") == []
        assert (await learner.get(path))[0] == 404


async def test_a_series_goes_on_from_page_to_page(make_settings: Make) -> None:
    async with open_learner(make_settings, FakeModel()) as learner:
        text = await learner.ask("/exercice maths.multiplication-tables")
        path = find_link(text, "q")
        for _ in range(3):
            [row] = await read_rows(learner.griot.app.database, "exercise", state="open")
            status, page = await learner.get(path)
            assert status == 200
            solution = json.loads(row["body"])["solutions"][0]
            status, page = await learner.post(path, a=solution)
            assert (status, "Bravo" in page, "Exercice suivant" in page) == (200, True, True)
            assert len(page.encode()) < 15_000
            before, path = path, find_link(page, "q")
            assert path != before
            assert "déjà répondu" in (await learner.post(before, a="1"))[1]
        assert await results(learner) == [1, 1, 1]
        assert len(await sent(learner)) == 1


async def test_an_answer_to_an_exercise_that_was_stopped(make_settings: Make) -> None:
    async with open_learner(make_settings, FakeModel()) as learner:
        path = find_link(await learner.ask("/exercice maths.multiplication-tables"), "q")
        await learner.ask("/arret")
        _, page = await learner.post(path, a="1")
        assert ("Cet exercice est terminé" in page, "déjà répondu" in page) == (True, False)


async def test_a_placement_goes_on_from_page_to_page(make_settings: Make) -> None:
    async with open_learner(make_settings, FakeModel()) as learner:
        path = find_link(await learner.ask("/classe CM2"), "q")
        _, page = await learner.get(path)
        assert ("Je ne sais pas" in page, "Passer" in page, "Solution" in page) == (
            True,
            True,
            False,
        )
        assert "Je ne sais pas" in (await learner.post(path, do="solution"))[1]
        _, page = await learner.post(path, a="Je ne sais pas")
        assert ("La réponse était" in page, "essaie encore" in page) == (True, False)
        path = re.findall(r'action="(/q/[^"]+)"', page)[-1]
        [row] = await read_rows(learner.griot.app.database, "exercise", state="open")
        _, page = await learner.post(path, a=json.loads(row["body"])["solutions"][0])
        assert "Bravo" in page
        path = re.findall(r'action="(/q/[^"]+)"', page)[-1]
        _, page = await learner.post(path, a="Passer")
        assert ("Ton niveau en maths" in page, "/exercice" in page) == (True, False)
        assert "Cet exercice est terminé" in (await learner.post(path, a="Passer"))[1]


async def test_a_placement_without_a_class_has_its_page(make_settings: Make) -> None:
    async with open_learner(make_settings, FakeModel(reply("Bonjour."))) as learner:
        await learner.ask("bonjour")
        asked = await learner.ask("/niveau")
        assert to_ordinary_signs(asked).startswith("Tu es en quelle classe ?")
        choice = find_link(asked, "q")
        _, page = await learner.post(choice, a="Tle")
        assert "Voyons où tu en es" in page
        path = find_link(page, "q")
        _, page = await learner.post(path, a="Je ne sais pas")
        assert "La réponse était" in page
        _, page = await learner.post(choice, a="Tle")  # a second tap
        assert "On continue : question 2." in to_ordinary_signs(page)
        _, page = await learner.post(find_link(page, "q"), a="Je ne sais pas")
        [row] = await read_rows(learner.griot.app.database, "placement")
        assert (row["grade"], row["answers"].count("correct")) == ("Terminale", 2)


async def test_a_class_is_placed_on_its_page_for_pupils_only(make_settings: Make) -> None:
    async with open_learner(make_settings, FakeModel(reply("Bonjour."))) as learner:
        await learner.ask("bonjour")
        await learner.ask("/mode pro")
        path = find_link(await learner.ask("/classe"), "q")
        _, page = await learner.post(path, a="CM2")
        assert ("CM2" in page, "Je ne sais pas" in page) == (True, False)


async def test_hints_and_the_solution_of_a_typed_exercise(make_settings: Make) -> None:
    async with open_learner(make_settings, FakeModel()) as learner:
        path = find_link(await learner.ask("/exercice maths.money-fcfa"), "q")
        [row] = await read_rows(learner.griot.app.database, "exercise", state="open")
        body = json.loads(row["body"])
        solution, hints = body["solutions"][0], body["hints"]
        assert "Essaie d’abord" in (await learner.post(path, do="solution"))[1]
        assert "signes" in (await learner.post(path, a="pourquoi ce calcul ?"))[1]
        page = ""
        for shown in range(len(hints)):
            page = (await learner.post(path, do="hint", n=str(shown)))[1]
            again = (await learner.post(path, do="hint", n=str(shown)))[1]  # a second tap
            assert page == again
            assert page.count('class="hint"') == shown + 1
        assert 'value="hint"' not in page
        assert "essaie encore" in (await learner.post(path, a="1 FCFA"))[1]
        solved = (await learner.post(path, do="solution"))[1]
        assert f"La solution : {solution} FCFA" in to_ordinary_signs(solved)
        assert "Exercice suivant" in solved
        assert await results(learner) == [0]
        assert "déjà répondu" in (await learner.post(path, a=solution))[1]


async def test_words_for_help_on_the_page_bring_a_hint(make_settings: Make) -> None:
    async with open_learner(make_settings, FakeModel()) as learner:
        path = find_link(await learner.ask("/exercice maths.money-fcfa"), "q")
        for shown, words in enumerate(("je ne sais pas", "Indice"), 1):
            page = (await learner.post(path, a=words))[1]
            assert page.count('class="hint"') == shown
            assert "signes" not in page
        assert await results(learner) == []


async def test_a_country_that_was_taken_out_gets_options(make_settings: Make) -> None:
    async with open_learner(make_settings, asking_a_quiz(), sms_one_way="GN") as learner:
        assert "1) Bamako" in await learner.ask("un quiz")


async def remind(learner: Learner, *titles: str) -> None:
    """Have the learner reminded of these now, by SMS as they wished."""
    [row] = await read_rows(learner.griot.app.database, "account", phone=AWA)
    person = Person("sms", AWA, account=row["id"], language="fr")
    for title in titles:
        context = tool_context(person=person, account=row["id"], key=title)
        task = NewTask(title, remind_by="sms")
        await Tasks(learner.griot.app.database).add(task, context)
    due = {"due_at": NOW, "wanted_at": NOW, "remind_at": NOW}
    await change_rows(learner.griot.app.database, "task", due)


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("title", ["Réviser les fractions", "Réviser le théorème de Thalès. " * 5])
async def test_a_reminder_ends_with_its_page_in_one_segment(
    make_settings: Make, title: str, is_first: bool
) -> None:
    async with open_learner(make_settings, FakeModel(reply("Bonjour."))) as learner:
        await learner.ask("bonjour")
        if is_first:
            await change_rows(learner.griot.app.database, "shortlink", {"lane": "sms:other"})
        await remind(learner, title)
        text = await learner.next_text(1)
        assert text.startswith("Rappel : Réviser le")
        assert text.endswith(find_link(text, "m"))
        assert count_segments(text) == 1
        assert ("/stop/" in text) == is_first
        assert title.strip() in to_ordinary_signs((await learner.get(find_link(text, "m")))[1])


async def test_a_reminder_to_a_number_that_never_wrote_is_in_its_language(
    make_settings: Make,
) -> None:
    async with open_learner(make_settings, FakeModel()) as learner:
        database = learner.griot.app.database
        account = {"phone": AWA, "language": "en", "country": "CI", "timezone": "Africa/Abidjan"}
        await add_row(database, "account", created_at=NOW, **account)
        await remind(learner, "Fractions")
        text = await learner.next_text(0)
        assert text.startswith("Reminder: Fractions\nStop SMS: ")
        page = (await learner.get(find_link(text, "m")))[1]
        assert ('lang="en"' in page, "Reminder: Fractions" in page) == (True, True)


@pytest.mark.parametrize(
    ("wanted", "words", "state"),
    [
        ("done", "Fait : Fractions", "done"),
        ("1h", "Reporté", "open"),
        ("tomorrow", "Reporté", "open"),
    ],
)
async def test_a_task_is_ticked_off_or_put_off_on_the_page_of_its_reminder(
    make_settings: Make, wanted: str, words: str, state: str
) -> None:
    async with open_learner(make_settings, FakeModel(reply("Bonjour."))) as learner:
        await learner.ask("bonjour")
        await remind(learner, "Fractions")
        path = find_link(await learner.next_text(1), "m")
        status, page = await learner.get(path)
        assert (status, page.count('name="do"')) == (200, 3)
        [before] = await read_rows(learner.griot.app.database, "task")
        assert before["state"] == "open"
        status, page = await learner.post(path, do=wanted)
        assert (status, words in to_ordinary_signs(page), 'name="do"' in page) == (200, True, False)
        [task] = await read_rows(learner.griot.app.database, "task")
        assert task["state"] == state
        assert (task["wanted_at"] > before["wanted_at"]) == (state == "open")


async def test_tasks_due_together_are_one_segment_and_one_page(make_settings: Make) -> None:
    titles = [f"Réviser la leçon {number}" for number in range(10, 22)]
    async with open_learner(make_settings, FakeModel(reply("Bonjour."))) as learner:
        await learner.ask("bonjour")
        await remind(learner, *titles)
        text = await learner.next_text(1)
        assert text.startswith("Rappels :")
        assert count_segments(text) == 1
        path = find_link(text, "m")
        page = to_ordinary_signs((await learner.get(path))[1])
        assert [title for title in titles if title in page] == titles
        database = learner.griot.app.database
        [account] = {row["account"] for row in await read_rows(database, "task")}
        [first, *_] = await read_rows(database, "task")
        await database.write(lambda tx: finish_task(tx, account, first["id"]))
        await learner.post(path, do="1h")
        assert len(await read_rows(database, "task", generation=1)) == len(titles) - 1


async def test_a_page_keeps_the_language_of_its_message(make_settings: Make) -> None:
    async with open_learner(make_settings, FakeModel(reply("Bonjour."))) as learner:
        await learner.ask("bonjour")
        await learner.ask("/language en")
        await remind(learner, "Fractions")
        path = find_link(await learner.next_text(2), "m")
        await learner.ask("/language fr")
        page = (await learner.get(path))[1]
        assert "Reminder: Fractions" in page  # with the spaces of English
        assert 'lang="fr"' in page


async def test_a_reminder_by_sms_goes_by_whatsapp_while_that_is_open(make_settings: Make) -> None:
    model = FakeModel(reply("Bonjour."), reply("Re."))
    async with open_learner(make_settings, model) as learner:
        await learner.ask("bonjour")
        await learner.twilio.say(AWA, "bonjour", whatsapp=True)

        def by_whatsapp() -> list[str]:
            return [each.body for each in learner.twilio.chat(AWA, "whatsapp")]

        async def answered() -> bool:
            return "Re." in " ".join(by_whatsapp())

        await until(answered)
        await remind(learner, "Réviser")

        async def reminded() -> bool:
            return "Réviser" in " ".join(by_whatsapp())

        await until(reminded)
        [task] = await read_rows(learner.griot.app.database, "task")
        assert task["channels_tried"] == "whatsapp"
        assert len(learner.texts()) == 1
        silent = {"person_wrote_at": 1.0}
        await change_rows(learner.griot.app.database, "lane", silent, id=f"whatsapp:{AWA}")
        await remind(learner, "Réviser encore")
        assert "Réviser encore" in await learner.next_text(1)


async def test_of_an_exercise_answered_thrice_at_once_one_counts(make_settings: Make) -> None:
    async with open_learner(make_settings, FakeModel()) as learner:
        path = find_link(await learner.ask("/exercice maths.multiplication-tables"), "q")
        [row] = await read_rows(learner.griot.app.database, "exercise", state="open")
        right = json.loads(row["body"])["solutions"][0]
        answers = await asyncio.gather(*(learner.post(path, a=right) for _ in range(3)))
        pages = [page for _, page in answers]
        assert ["déjà répondu" in page for page in pages].count(True) == 2
        assert await results(learner) == [1]


async def be_nudged(learner: Learner, *skills: str, **values: object) -> str:
    """Practise these skills, and be reminded of them once they are due; the reminder."""
    database = learner.griot.app.database
    for skill in skills:
        path = find_link(await learner.ask(f"/exercice {skill}"), "q")
        await learner.post(path, a=await solution(learner))
    before = len(learner.texts())
    [row] = await read_rows(database, "account", phone=AWA)
    chosen = {"days": " ".join(DAYS), "hour": 18, "zone": "Africa/Abidjan", "channel": "sms"}
    long_ago = {"due_at": FromNow(-60), "reviewed_at": FromNow(-5 * 86_400)}
    await change_rows(database, "card", long_ago)
    await change_rows(database, "result", {"at": FromNow(-9 * 86_400)})
    await add_row(database, "review", account=row["id"], nudge_at=FromNow(-1), **chosen | values)
    return await learner.next_text(before)


async def solution(learner: Learner) -> str:
    """The solution of the exercise that is open."""
    [row] = await read_rows(learner.griot.app.database, "exercise", state="open")
    return json.loads(row["body"])["solutions"][0]


async def test_a_reminder_to_review_is_one_segment_with_its_link(make_settings: Make) -> None:
    async with open_learner(make_settings, FakeModel(), quiet_hours="0-0") as learner:
        text = await be_nudged(learner, "maths.multiplication-tables")
        words, url = text.rsplit("\n", 1)
        assert words == "1 exercice à réviser, avant de l'oublier."
        assert url.endswith(find_link(text, "q"))
        assert count_segments(text) == 1


async def test_the_last_reminder_to_review_names_no_command(make_settings: Make) -> None:
    long_ignored = {"nudged_at": FromNow(-8 * 86_400), "ignored": 5}
    async with open_learner(make_settings, FakeModel(), quiet_hours="0-0") as learner:
        text = await be_nudged(learner, "maths.multiplication-tables", **long_ignored)
        assert text == "J'arrete les rappels de révision."


async def test_what_stops_by_a_word_has_a_link_to_opt_out(make_settings: Make) -> None:
    async with open_learner(make_settings, FakeModel()) as learner:
        text = await learner.ask("/arret")
        assert ("STOP" in text, bool(find_link(text, "stop"))) == (False, True)


async def test_its_link_shows_the_first_card_and_asks_it_once(make_settings: Make) -> None:
    skills = ("maths.multiplication-tables", "maths.add-to-100")
    async with open_learner(make_settings, FakeModel(), quiet_hours="0-0") as learner:
        path = find_link(await be_nudged(learner, *skills), "q")
        database = learner.griot.app.database
        await change_rows(database, "exercise", {"state": "dropped"}, state="open")
        status, page = await learner.get(path)
        assert (status, 'class="option"' in page, len(page.encode()) < 15_000) == (200, True, True)
        assert (await learner.get(path))[1] == page
        assert await read_rows(database, "exercise", state="open") == []  # who looks asks nothing
        [mark] = set(re.findall(r'name="of" value="(\w+)"', page))

        hinted = (await learner.post(path, do="hint", n="0", of=mark))[1]
        assert 'class="hint"' in hinted
        right = await solution(learner)
        _, page = await learner.post(path, a=right, of=mark)
        assert ("Bravo" in page, "Exercice suivant" in page) == (True, True)
        assert "déjà répondu" in (await learner.post(path, a=right, of=mark))[1]
        followed = re.findall(r'action="(/q/[^"]+)"', page)[-1]
        _, page = await learner.post(followed, a=await solution(learner))
        assert "Bravo" in page
        assert [row["source"] for row in await read_rows(database, "result", order_by="at")] == [
            "practice",
            "practice",
            "review",
            "review",
        ]
        assert {row["reviews"] for row in await read_rows(database, "card")} == {2}
        assert "Plus rien à réviser" in to_ordinary_signs((await learner.get(path))[1])


async def test_its_link_works_for_whom_only_another_channel_knows(make_settings: Make) -> None:
    async with open_learner(make_settings, FakeModel(), quiet_hours="0-0") as learner:
        path = find_link(await be_nudged(learner, "maths.multiplication-tables"), "q")
        database = learner.griot.app.database
        await change_rows(database, "exercise", {"state": "dropped"}, state="open")
        await change_rows(database, "identity", {"channel": "whatsapp"}, channel="sms")
        [mark] = set(re.findall(r'name="of" value="(\w+)"', (await learner.get(path))[1]))
        await learner.post(path, do="hint", n="0", of=mark)
        assert "Bravo" in (await learner.post(path, a=await solution(learner), of=mark))[1]
        assert [row["reviews"] for row in await read_rows(database, "card")] == [2]


async def test_credits_are_bought_on_a_page(make_settings: Make) -> None:
    async with AsyncExitStack() as stack:
        tills: dict[str, Till] = {}
        for name in ("wave", "mtn_momo"):
            make_desk, see = TILLS[name]
            tills[name] = see(await stack.enter_async_context(make_desk()))
        values: dict[str, Any] = {
            key: each for till in tills.values() for key, each in till.settings.items()
        }
        model, values["welcome_credits"] = FakeModel(reply("Bonjour.")), "1"
        learner = await stack.enter_async_context(open_learner(make_settings, model, **values))
        await learner.ask("bonjour")
        refused = await learner.ask("et les fractions ?")
        assert refused.splitlines()[0] == "Tu n'as plus de crédits."
        assert refused.splitlines()[1].startswith(f"Acheter : {PUBLIC}/q/")
        asked = await learner.ask("/acheter")
        path = find_link(asked, "q")
        assert "Quel forfait ?" in asked
        assert count_segments(asked) == 1
        _, page = await learner.get(path)
        assert 'value="500"' in page
        _, page = await learner.post(path, a="500")
        assert re.findall(r'value="([^"]+)"', page) == ["500 wave", "500 mtn_momo"]
        for _ in range(2):  # a second tap
            _, page = await learner.post(path, a="500 wave")
            assert re.search(r'Wave.*<a href="https://', page, re.DOTALL)
        [purchase] = await read_rows(learner.griot.app.database, "purchase")
        assert (purchase["state"], purchase["lane"]) == ("open", f"sms:{AWA}")
        tills["wave"].pay(purchase["id"], 500)
        paid = tills["wave"].callback(purchase["id"])
        before = len(learner.texts())
        await learner.griot.request("POST", paid.path, data=paid.body, headers=dict(paid.headers))
        assert "100 crédits" in await learner.next_text(before)
        _, page = await learner.post(path, a="77 wave")
        assert 'value="500"' in page
