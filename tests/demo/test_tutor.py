"""The scripted tutor, read by the very client that reads real models."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime

import pytest

from bot.agent.model_endpoints import OpenAIModel
from bot.agent.prompts.system_prompt import build_system_prompt
from bot.agent.transcription import Transcriber
from bot.contracts.models import ModelRequest
from bot.demo import tutor, tutor_script
from bot.demo.tutor_script import FIRST_LESSON, Language, load_lessons, load_phrases
from bot.events import Content, Event
from bot.learning.leaks.leak_guard import find_leak
from bot.learning.open_items import Secret
from bot.messages.incoming import Person
from bot.messages.transcript import (
    AssistantMessage,
    Media,
    Message,
    ModelReply,
    SystemMessage,
    Text,
    ToolResult,
    UserMessage,
)
from bot.settings import Settings
from tools import TOOLS
from tools.interactive_quiz import InteractiveQuiz

Ask = Callable[..., Awaitable[ModelReply]]
SPECS = tuple(tool.spec for tool in TOOLS)
ENGLISH = SystemMessage("Language of answers: English, unless they write in another")
PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


@pytest.fixture
def events() -> list[Event]:
    return []


@pytest.fixture
async def ask(events: list[Event]) -> AsyncIterator[Ask]:
    async def read_file(file_id: str) -> bytes:
        return tutor_script.load_sample("photo", "en") if file_id == "sample" else PNG

    async with tutor.run_tutor(pause=0) as url:
        settings = Settings.model_validate(
            {"openai_base_url": url, "model": tutor.MODEL, "model_capabilities": tutor.CAPABILITIES}
        )
        model = OpenAIModel(settings, read_file=read_file, pause=0.01)

        async def ask(*messages: Message, tools: bool = True) -> ModelReply:
            request = ModelRequest(messages, SPECS if tools else (), seconds=5)
            return await model.ask(request, events.append)

        yield ask
        await model.close()


def wrote(text: str) -> UserMessage:
    return UserMessage((Text(text),))


def showed(file_id: str, caption: str = "") -> UserMessage:
    words = (Text(caption),) if caption else ()
    return UserMessage((Media("image", file_id, "photo.jpg", "image/jpeg"), *words))


async def test_a_lesson_comes_word_by_word_with_its_usage(ask: Ask, events: list[Event]) -> None:
    reply = await ask(wrote("Explique-moi les fractions"))
    assert "dénominateur" in reply.message.text
    assert reply.finish_reason == "stop"
    assert reply.usage.input_tokens > 0
    assert reply.usage.output_tokens > 50
    pieces = [event.text for event in events if isinstance(event, Content)]
    assert len(pieces) > 50
    assert "".join(pieces) == reply.message.text


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("C'est quoi la photosynthèse ?", "manguier"),
        ("photosynthese svp", "manguier"),
        ("What is photosynthesis?", "mango tree"),
        ("Parle-moi de Kwame Nkrumah", "6 mars 1957"),
        ("Who was Nkrumah?", "6 March 1957"),
        ("Comment accorder le participe passé ?", "auxiliaire"),
        ("Explain Pythagoras to me", "$a^2 + b^2 = c^2$"),
        ("D'accord, merci", "Avec plaisir"),
        ("Thanks!", "You are welcome"),
        ("Explain gravity to me", "Try one of these"),
        ("Quel temps fait-il ?", "Essaie plutôt"),
        ("Hello!", "What would you like to learn"),
    ],
)
async def test_it_answers_what_was_asked_in_the_language_it_was_asked_in(
    ask: Ask, question: str, expected: str
) -> None:
    assert expected in (await ask(wrote(question))).message.text


async def test_where_the_words_tell_no_language_the_profile_does(ask: Ask) -> None:
    english = SystemMessage("Language of answers: English, unless they write in another")
    assert "6 March 1957" in (await ask(english, wrote("Nkrumah"))).message.text
    assert "6 mars 1957" in (await ask(wrote("Nkrumah"))).message.text


async def test_it_says_once_that_it_is_scripted(ask: Ask) -> None:
    first = await ask(wrote("Qui es-tu ?"))
    assert first.message.text.count("aucun modèle d'IA") == 1
    second = await ask(wrote("Qui es-tu ?"), first.message, wrote("Explique-moi les fractions"))
    assert "aucun modèle d'IA" not in second.message.text


async def test_asked_whether_it_is_a_person_it_says_no(ask: Ask) -> None:
    assert "I am not a person" in (await ask(wrote("Are you human?"))).message.text


async def test_a_quiz_is_a_call_whose_arguments_the_tool_takes(ask: Ask) -> None:
    reply = await ask(wrote("Explique-moi Pythagore"), wrote("Fais-moi un quiz"))
    (call,) = reply.message.tool_calls
    assert call.name == "interactive_quiz"
    assert reply.finish_reason == "tool_calls"
    assert "hypoténuse" in InteractiveQuiz.model_validate_json(call.arguments).question


async def test_a_second_quiz_asks_something_else(ask: Ask) -> None:
    first = await ask(wrote("Fais-moi un quiz"))
    shown = ToolResult(first.message.tool_calls[0].id, "interactive_quiz", "The quiz is shown")
    note = wrote("[Quiz: Combien font 1/2 + 1/3 ? I answered: 5/6 (correct)]")
    second = await ask(
        wrote("Fais-moi un quiz"), first.message, shown, note, wrote("Encore un quiz")
    )
    assert second.message.tool_calls[0].arguments != first.message.tool_calls[0].arguments


async def test_every_question_of_every_lesson_fits_the_tool() -> None:
    for versions in load_lessons().values():
        assert set(versions) == {"fr", "en"}
        for lesson in versions.values():
            for question in lesson.quizzes:
                InteractiveQuiz.model_validate(
                    {
                        "question": question.question,
                        "options": list(question.options),
                        "correct_index": question.correct_index,
                        "explanation": question.explanation,
                    }
                )


@pytest.mark.parametrize("language", ["fr", "en"])
def test_what_newcomers_are_led_to_gives_none_of_its_own_quizzes_away(language: Language) -> None:
    lesson = load_lessons()[FIRST_LESSON][language]
    secrets = [
        Secret("choice", one.question, (one.options[one.correct_index],), "", one.options)
        for one in lesson.quizzes
    ]
    assert not find_leak(lesson.lesson, secrets)
    assert find_leak(lesson.quizzes[0].explanation, secrets)


async def test_stopped_by_the_check_it_leads_to_the_open_question(ask: Ask) -> None:
    check = wrote("Your message was not sent: a check of it found this.\n- “1957”: a leak")
    reply = await ask(wrote("Parle-moi de Nkrumah"), check)
    assert reply.message.text.startswith("Une question t’attend")


async def test_a_sheet_is_a_file_about_what_was_talked_of(ask: Ask) -> None:
    reply = await ask(wrote("Parle-moi de la photosynthèse"), wrote("Fais-en une fiche"))
    (call,) = reply.message.tool_calls
    assert call.name == "generate_pdf"
    arguments = json.loads(call.arguments)
    assert arguments["filename"] == "fiche-photosynthese.pdf"
    assert "chlorophylle" in arguments["content"]


@pytest.mark.parametrize(
    ("request_", "fact"),
    [
        ("Retiens que je suis en 4e", "Je suis en 4e"),
        ("Remember that I like football", "I like football"),
    ],
)
async def test_what_is_to_be_remembered_is_saved(ask: Ask, request_: str, fact: str) -> None:
    (call,) = (await ask(wrote(request_))).message.tool_calls
    assert (call.name, json.loads(call.arguments)) == ("save_memory", {"fact": fact})


@pytest.mark.parametrize("language", ["fr", "en"])
async def test_it_tells_what_it_was_asked_to_remember(ask: Ask, language: str) -> None:
    pupil = Person("http", "1", account=1, language=language)
    told = SystemMessage(
        build_system_prompt(pupil, ["Je suis en 4e", "J'ai 14 ans"], datetime.now(UTC))
    )
    answer = (await ask(told, wrote("Que sais-tu de moi ?"))).message.text
    assert "- Je suis en 4e\n- J'ai 14 ans" in answer


@pytest.mark.parametrize(
    ("name", "result", "expected"),
    [
        ("generate_pdf", '{"file_id": "1", "filename": "ma-fiche.pdf", "size": 9}', "ma-fiche.pdf"),
        ("create_task", "Task 3 is noted, due Monday.", "dans une minute"),
        ("interactive_quiz", "The quiz is shown with this answer.", "Les fractions"),
        ("save_memory", "Remembered. The person can see it.", "C'est noté"),
        ("generate_pdf", "The library is full.", "> The library is full."),
        ("generate_pdf", '{"file_id": ', '> {"file_id":'),
    ],
)
async def test_it_comments_on_what_a_tool_did(
    ask: Ask, name: str, result: str, expected: str
) -> None:
    call = (await ask(wrote("Fais une fiche"))).message
    answer = ToolResult(call.tool_calls[0].id, name, result)
    reply = await ask(wrote("Fais une fiche des fractions"), call, answer)
    assert expected in reply.message.text
    assert not reply.message.tool_calls


async def test_without_tools_on_offer_it_calls_none(ask: Ask) -> None:
    reply = await ask(wrote("Fais-moi un quiz"), tools=False)
    assert reply.message == AssistantMessage(reply.message.text, endpoint=reply.message.endpoint)
    assert "il faut un compte" in reply.message.text


@pytest.mark.parametrize(
    ("request_", "title"),
    [
        ("Rappelle-moi dans une minute de réviser les fractions", "Réviser les fractions"),
        ("Rappelle-moi d'appeler Awa", "Appeler Awa"),
        ("Remind me in 5 minutes to call Awa.", "Call Awa"),
        ("Please remind me", "Revise fractions"),
    ],
)
async def test_a_reminder_is_due_in_one_minute(ask: Ask, request_: str, title: str) -> None:
    (call,) = (await ask(wrote(request_))).message.tool_calls
    assert (call.name, json.loads(call.arguments)) == (
        "create_task",
        {"title": title, "due": "PT1M"},
    )


async def test_the_sample_photo_is_solved_in_its_language(ask: Ask) -> None:
    assert "Divide by 2" in (await ask(showed("sample"))).message.text


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ((showed("another"),), "Explique-moi les fractions"),
        ((showed("another", "Aide-moi avec cet exercice"),), "Merci pour ta photo"),
        ((ENGLISH, showed("another")), "Explain fractions to me"),
        ((wrote("[voice note without a word in it]"),), "note vocale"),
        ((wrote("[image, not shown to you: photo.jpg]"),), "Essaie plutôt"),
        ((wrote("Explain quantum gravity"),), "Give me a quiz"),
    ],
)
async def test_what_it_cannot_answer_gets_things_to_ask_in_the_persons_language(
    ask: Ask, messages: tuple[Message, ...], expected: str
) -> None:
    assert expected in (await ask(*messages)).message.text


async def test_a_job_is_answered_in_the_language_of_its_words(ask: Ask) -> None:
    job = wrote(
        "[I want this done in the background, while I do other things: Explique-moi les fractions]"
    )
    assert "dénominateur" in (await ask(job)).message.text


@pytest.mark.parametrize("language", ["fr", "en"])
async def test_each_thing_to_ask_is_understood(ask: Ask, language: Language) -> None:
    for text in load_phrases(language).tries:
        reply = await ask(wrote(text))
        assert reply.message.tool_calls or "$" in reply.message.text


@pytest.mark.parametrize("language", ["fr", "en"])
async def test_the_sample_voice_note_is_transcribed(language: Language) -> None:
    async with tutor.run_tutor(pause=0) as url:
        ears = Transcriber(Settings(openai_base_url=url, transcribe_model=tutor.TRANSCRIBE_MODEL))
        note = tutor_script.load_sample("voice", language)
        heard = await ears.transcribe(note, filename="voice.ogg", mime_type="audio/ogg")
        other = await ears.transcribe(note[:-1], filename="voice.ogg", mime_type="audio/ogg")
        await ears.close()
    assert (heard.text, other.text) == (tutor_script.SPOKEN[language], "")


@pytest.mark.parametrize("kind", ["photo", "voice"])
@pytest.mark.parametrize("language", ["fr", "en"])
def test_samples_are_small(kind: tutor_script.SampleKind, language: Language) -> None:
    assert len(tutor_script.load_sample(kind, language)) < 40_000
