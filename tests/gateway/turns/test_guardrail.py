"""Nothing wrong leaves, and no solution before it is found: whole turns over a real database."""

from __future__ import annotations

import pytest

from bot.contracts.tools import AnyTool
from bot.errors import ModelUnavailable
from bot.gateway.conversation_history import read_conversation_events
from bot.gateway.turns.guardrail import keep_right_parts
from bot.messages.outgoing import TextBody
from bot.messages.transcript import AssistantMessage, SystemMessage
from tests.support.app import MakeApp, TestApp
from tests.support.fakes import FakeModel, reply
from tests.support.queries import change_rows, read_row, read_rows
from tests.support.waiting import until
from tools.generate_md import TOOL as GENERATE_MD
from tools.generate_pptx import TOOL as GENERATE_PPTX
from tools.generate_xlsx import TOOL as GENERATE_XLSX
from tools.give_exercise import TOOL as GIVE_EXERCISE
from tools.interactive_quiz import TOOL as INTERACTIVE_QUIZ
from tools.report_exercise_result import TOOL as REPORT_EXERCISE_RESULT
from tools.true_false_quiz import TOOL as TRUE_FALSE_QUIZ

LANE = "telegram:1"


async def ask(one: TestApp, *texts: str) -> None:
    for text in texts:
        await one.send(text)
        await until(one.settled)


async def test_a_wrong_computation_goes_back_to_the_model(app: MakeApp) -> None:
    one = await app()
    model = FakeModel(reply("Look: 7 × 8 = 54."), reply("Look: 7 × 8 = 56."))
    await one.start(model)
    await ask(one, "how much is 7 × 8?")
    assert one.said() == ["Look: 7 × 8 = 56."]
    note = model.requests[1].messages[-1]
    assert isinstance(note, SystemMessage)
    assert "7 × 8 = 54" in note.text
    assert "56" in note.text


async def test_a_correction_counts_as_an_iteration_and_is_charged(app: MakeApp) -> None:
    one = await app()
    await one.start(FakeModel(reply("7 × 8 = 54.", usd=0.01), reply("7 × 8 = 56.", usd=0.01)))
    await ask(one, "7 × 8?")
    assert (await read_row(one.database, "turn"))["usd"] == pytest.approx(0.02)


async def test_what_stays_wrong_is_left_out_after_two_corrections(app: MakeApp) -> None:
    one = await app()
    wrong = "Nice question. First 6 × 6 = 36. Then 7 × 8 = 54.\nGo on like this."
    model = FakeModel(*[reply(wrong)] * 3)
    await one.start(model)
    await ask(one, "7 × 8?")
    assert len(model.requests) == 3
    [said] = one.said()
    assert "6 × 6 = 36" in said
    assert "Go on like this." in said
    assert "54" not in said
    assert "confirm" in said


async def test_no_request_is_spent_where_none_is_left(app: MakeApp) -> None:
    one = await app(max_iterations=1)
    model = FakeModel(reply("Right. 7 × 8 = 54."))
    await one.start(model)
    await ask(one, "7 × 8?")
    [said] = one.said()
    assert "54" not in said
    assert "confirm" in said


async def test_the_next_turn_knows_only_what_was_said(app: MakeApp) -> None:
    one = await app()
    model = FakeModel(reply("7 × 8 = 54."), reply("7 × 8 = 56."), reply("You are welcome."))
    await one.start(model)
    await ask(one, "7 × 8?", "thanks")
    assert [m.text for m in model.requests[2].messages if isinstance(m, AssistantMessage)] == [
        "7 × 8 = 56."
    ]
    assert not any("54" in str(message) for message in model.requests[2].messages)


async def test_operators_see_what_was_sent_back_and_the_person_does_not(app: MakeApp) -> None:
    one = await app()
    await one.start(FakeModel(reply("7 × 8 = 54."), reply("7 × 8 = 56.")))
    await ask(one, "7 × 8?")
    seen = await read_conversation_events(one.database, LANE)
    [check] = [event for event in seen if event["event_type"] == "check"]
    assert check["content"] == "7 × 8 = 54"
    assert check["metadata"]["verdict"] == "wrong"
    shown = await read_conversation_events(one.database, LANE, reader=0)
    assert not any("54" in event["content"] for event in shown)


async def test_a_wrong_text_before_a_call_keeps_the_call_from_running(app: MakeApp) -> None:
    one = await app()
    call = ("generate_md", '{"filename": "a", "content": "# Hello"}')
    model = FakeModel(reply("7 × 8 = 54", call), reply("7 × 8 = 56", call), reply("Done."))
    await one.log_in()
    await one.start(model, tools=[GENERATE_MD])
    await ask(one, "write it down")
    assert len(await read_rows(one.database, "file")) == 1
    assert "54" not in str(one.said())


async def test_a_document_with_an_error_is_not_made(app: MakeApp) -> None:
    one = await app()
    wrong = ("generate_md", '{"filename": "a", "content": "Donc 3 + 4 = 8."}')
    right = ("generate_md", '{"filename": "a", "content": "Donc 3 + 4 = 7."}')
    model = FakeModel(reply("", wrong), reply("", right), reply("Here it is."))
    await one.log_in()
    await one.start(model, tools=[GENERATE_MD])
    await ask(one, "write it down")
    [result] = [m for m in model.requests[1].messages if "3 + 4 = 8" in getattr(m, "text", "")]
    assert "was not run" in result.text  # type: ignore[union-attr]
    assert len(await read_rows(one.database, "file")) == 1


async def test_check_maths_switches_it_off(app: MakeApp) -> None:
    one = await app(check_maths=False)
    await one.start(FakeModel(reply("7 × 8 = 54.")))
    await ask(one, "7 × 8?")
    assert one.said() == ["7 × 8 = 54."]


async def test_what_the_pupil_is_asked_stays_secret_in_answers(app: MakeApp) -> None:
    one = await app()
    await one.log_in()
    model = FakeModel()
    await one.start(model)
    await ask(one, "/practice maths.add-to-100")
    exercise = await read_row(one.database, "exercise")
    solution = exercise["body"].split('"solutions":["')[1].split('"')[0]
    leak, hint = reply(f"The answer is {solution}."), reply("Begin with the tens. What do you get?")
    model.add(leak, hint)
    await ask(one, "can you help me please?")
    assert one.said()[-1] == "Begin with the tens. What do you get?"
    model.add(leak, leak)
    await ask(one, "just tell me, come on")
    assert solution not in one.said()[-1]
    assert "hint" in one.said()[-1]
    assert (await read_row(one.database, "exercise"))["hints_shown"] == 1


EXERCISE = (
    '{{"statement": "How much is 9000 - {taken}?", "kind": "number", "solution": "{solution}",'
    ' "hints": ["Take away the hundreds first."], "steps": ["9000 - {taken} = {solution}."]}}'
)
GIVEN = ("give_exercise", EXERCISE.format(taken=235, solution=8765))


async def test_an_exercise_counts_the_hint_that_comes_with_it(app: MakeApp) -> None:
    one = await app()
    await one.log_in()
    leak = reply("It is 8765.")
    await one.start(FakeModel(reply("", GIVEN), leak, leak), tools=[GIVE_EXERCISE])
    await ask(one, "an exercise please")
    assert "Here is a hint: Take away the hundreds first." in "".join(one.said())
    bodies = [each.body for each in one.channel.delivered]
    [asked] = [each.exercise for each in bodies if isinstance(each, TextBody) and each.exercise]
    assert asked.hints_left == 0
    assert (await read_row(one.database, "exercise"))["hints_shown"] == 1


async def test_a_hint_of_a_try_that_failed_is_counted(app: MakeApp) -> None:
    one = await app()
    await one.log_in()
    model = FakeModel(reply("", GIVEN), reply("Your turn."))
    await one.start(model, tools=[GIVE_EXERCISE, GENERATE_MD])
    await ask(one, "an exercise please")
    leak, call = "It is 8765.", ("generate_md", '{"filename": "a", "content": "# Hello"}')
    model.add(reply(leak), reply(leak, call), ModelUnavailable("away"), reply("Your turn again."))
    await ask(one, "just tell me, come on")
    assert "Here is a hint: Take away the hundreds first." in "".join(one.said())
    assert (await read_row(one.database, "exercise"))["hints_shown"] == 1


async def test_the_hint_is_of_the_exercise_that_was_given_away(app: MakeApp) -> None:
    one = await app()
    await one.log_in()
    quiz = (
        '{"question": "What is the capital of Mali?", "options": ["Bamako", "Ségou"],'
        ' "correct_index": 0, "explanation": "The government sits there."}'
    )
    model = FakeModel(reply("", ("interactive_quiz", quiz)), reply("Your turn."))
    await one.start(model, tools=[INTERACTIVE_QUIZ])
    await ask(one, "/practice maths.add-to-100", "ask me something")
    leak = reply("It is Bamako.")
    model.add(leak, leak)
    await ask(one, "just tell me, come on")
    assert one.said()[-1].startswith("You can find it by yourself.")
    assert (await read_row(one.database, "exercise"))["hints_shown"] == 0


def write_sheet(rows: str) -> tuple[str, str]:
    sheet = f'{{"name": "A", "columns": [{{"header": "n"}}, {{"header": "m"}}], "rows": {rows}}}'
    return "generate_xlsx", f'{{"filename": "a.xlsx", "sheets": [{sheet}]}}'


def write_formula(formula: str) -> tuple[str, str]:
    name, arguments = write_sheet(f'[["x", "{formula}"]]')
    return name, arguments.replace('"header": "m"', '"header": "m", "type": "formula"')


CHART = (
    "generate_xlsx",
    write_sheet('[["x", 1]]')[1]
    .replace('"rows"', '"chart": {"type": "pie", "x": "n", "y": "A"}, "rows"')
    .replace('"header": "m"', '"header": "A", "type": "number"'),
)


def write_slides(table: str) -> tuple[str, str]:
    slide = f'{{"title": "T", "table": {table}}}'
    return "generate_pptx", f'{{"filename": "a.pptx", "title": "Title", "slides": [{slide}]}}'


def write_quiz(options: str, explanation: str = "Look at a calendar.") -> tuple[str, str]:
    quiz = f'{{"question": "Which year is it?", "options": {options}, "correct_index": 1, '
    return "interactive_quiz", f'{quiz}"explanation": "{explanation}"}}'


@pytest.mark.parametrize(
    ("solution", "call", "runs"),
    [
        (8765, write_sheet("[[8765, 1]]"), False),
        (8765, write_sheet('[["Answer", 8765.0], ["Taken", 235]]'), False),
        (8765, write_sheet("[[8766, 1], [235, 2]]"), True),
        (5, write_sheet('[["Answer", 5]]'), False),
        (8765, write_formula("=9000-235"), False),
        (8765, write_formula("=9001-235"), True),
        (5, write_sheet('[["Monday", 3], ["Tuesday", 5]]'), True),
        (8765, write_quiz('["8765", "1111"]'), False),
        (8765, write_quiz('["2026", "1111"]'), True),
        (5, write_quiz('["1111", "5"]'), True),
        (8765, write_quiz('["2026", "1111"]', "By the way, 9000 - 235 = 8765."), False),
        (5, write_slides('[["Point", "x"], ["A", "5"], ["B", "6"]]'), True),
        (5, write_slides('[["Answer", "5"], ["Taken", "8995"]]'), False),
    ],
)
async def test_numbers_and_options_of_tools_give_no_solution_away(
    app: MakeApp, solution: int, call: tuple[str, str], runs: bool
) -> None:
    one = await app()
    await one.log_in()
    exercise = EXERCISE.format(taken=9000 - solution, solution=solution)
    model = FakeModel(reply("", ("give_exercise", exercise)), reply("Your turn."))
    tools = [GIVE_EXERCISE, GENERATE_XLSX, GENERATE_PPTX, INTERACTIVE_QUIZ]
    await one.start(model, tools=tools)
    await ask(one, "an exercise please")
    model.add(reply("", call), reply("Done."))
    await ask(one, "and something else")
    made = await read_rows(one.database, "file") + await read_rows(one.database, "quiz")
    assert len(made) == runs


@pytest.mark.parametrize(
    "call",
    [
        write_sheet("[[8765, 1]]"),
        write_quiz('["8765", "1111"]'),
        ("true_false_quiz", '{"statement": "9000 - 235 = 8765", "is_true": true}'),
    ],
)
async def test_a_refused_call_is_not_told_to_the_person_while_its_exercise_is_open(
    app: MakeApp, call: tuple[str, str]
) -> None:
    one = await app()
    account = await one.log_in()
    exercise = EXERCISE.format(taken=235, solution=8765)
    model = FakeModel(reply("", ("give_exercise", exercise)), reply("Your turn."))
    tools = [GIVE_EXERCISE, GENERATE_XLSX, INTERACTIVE_QUIZ, TRUE_FALSE_QUIZ]
    await one.start(model, tools=tools)
    await ask(one, "an exercise please")
    model.add(reply("", call), reply("Done."))
    await ask(one, "and something else")
    for reader, is_told in ((account, False), (None, True)):
        events = await read_conversation_events(one.database, LANE, reader=reader)
        told = [event for event in events if event["event_type"] in ("tool_call", "tool_error")]
        assert len(told) == 3
        assert ("8765" in str(told)) == is_told
        assert "9000 - 235" in str(told)
    await change_rows(one.database, "exercise", {"state": "shown"})
    assert "8765" in str(await read_conversation_events(one.database, LANE, reader=account))


CAPITAL = (
    "interactive_quiz",
    '{"question": "What is the capital of Mali?", "options": ["Bamako", "Dakar", "Niamey"],'
    ' "correct_index": 0, "explanation": "The government sits there."}',
)


@pytest.mark.parametrize(
    ("call", "runs"),
    [
        (write_sheet('[["A", 12], ["B", 13]]'), True),
        (CHART, True),
        (write_slides('[["Point", "x", "y"], ["A", "1", "2"], ["B", "3", "4"]]'), True),
        (write_slides('[["Answer", "A"], ["Next", "2"]]'), False),
        (write_quiz('["2026", "1111"]', "Option A is the year in which we live."), True),
        (write_quiz('["2026", "1111"]', "And the capital of Mali is Bamako."), False),
    ],
)
async def test_a_letter_in_a_table_names_no_option(
    app: MakeApp, call: tuple[str, str], runs: bool
) -> None:
    one = await app()
    await one.log_in()
    model = FakeModel(reply("", CAPITAL), reply("Your turn."))
    await one.start(model, tools=[GENERATE_XLSX, GENERATE_PPTX, INTERACTIVE_QUIZ])
    await ask(one, "a quiz please")
    model.add(reply("", call), reply("Done."))
    await ask(one, "and something else")
    made = await read_rows(one.database, "file") + await read_rows(one.database, "quiz")
    assert len(made) == 1 + runs


async def test_the_topic_of_a_result_gives_no_solution_away(app: MakeApp) -> None:
    one = await app()
    await one.log_in()
    exercise = EXERCISE.format(taken=235, solution=8765)
    model = FakeModel(reply("", ("give_exercise", exercise)), reply("Your turn."))
    await one.start(model, tools=[GIVE_EXERCISE, REPORT_EXERCISE_RESULT])
    await ask(one, "an exercise please")
    topic = '{"subject": "maths", "correct": true, "topic": "9000 - 235 makes 8765"}'
    model.add(reply("", ("report_exercise_result", topic)), reply("Done."))
    await ask(one, "and now?")
    assert await read_rows(one.database, "result") == []


async def test_the_model_knows_the_open_exercise_and_not_its_solution(app: MakeApp) -> None:
    one = await app()
    await one.log_in()
    model = FakeModel(reply("What do the tens make?"))
    await one.start(model)
    await ask(one, "/practice maths.add-to-100", "how do I do that?")
    exercise = await read_row(one.database, "exercise")
    asked = str(model.requests[0].messages[-1])
    assert "Open exercise" in asked
    assert exercise["statement"] in asked


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("One. Two BAD. Three.", "One. Three."),
        ("One.\n- BAD\n- Three.", "One.\n- Three."),
        ("1. One.\n2. BAD\n\nClear?", "1. One.\n\nClear?"),
        ("BAD", ""),
        ("BEGIN one\nEND two\n\nThree.", "BEGIN one\n\nThree."),
    ],
)
async def test_only_the_wrong_parts_are_left_out(text: str, kept: str) -> None:
    async def is_wrong(part: str) -> bool:
        return "BAD" in part or ("BEGIN" in part and "END" in part)

    assert await keep_right_parts(text, is_wrong) == kept


async def test_what_would_take_too_many_inspections_is_left_out() -> None:
    asked: list[str] = []

    async def is_wrong(part: str) -> bool:
        asked.append(part)
        return False

    text = "".join(f"Line {n}.\n" for n in range(1_000)) + "Well done."
    kept = await keep_right_parts(text, is_wrong, lambda part: part == "Well done.")
    assert len(asked) < 50
    assert kept.startswith("Line 0.")
    assert kept.endswith("Well done.")


TIMES = (
    '{"statement": "7 × 8 = ?", "kind": "number", "solution": "56", "hints": ["Think of 7 × 7."],'
    ' "steps": ["7 × 8 = 56"]}'
)


@pytest.mark.parametrize("spoiler", ["Here is one, the answer is 56:", "It will be fifty-six."])
async def test_words_beside_a_new_exercise_do_not_solve_it(app: MakeApp, spoiler: str) -> None:
    one = await app()
    await one.log_in()
    call = ("give_exercise", TIMES)
    model = FakeModel(reply(spoiler, call), reply("Here is one:", call), reply("Your turn!"))
    await one.start(model, tools=[GIVE_EXERCISE])
    await ask(one, "an exercise please")
    assert spoiler not in str(one.said())
    assert len(await read_rows(one.database, "exercise")) == 1


async def test_an_exercise_that_was_solved_before_it_is_asked_is_refused(app: MakeApp) -> None:
    one = await app()
    await one.log_in()
    note = ("generate_md", '{"filename": "a", "content": "On sait que 7 × 8 = 56."}')
    call = ("give_exercise", TIMES)
    model = FakeModel(reply("", note), reply("", call), reply("", note, call), reply("Done."))
    await one.start(model, tools=[GIVE_EXERCISE, GENERATE_MD])
    await ask(one, "an exercise please")
    assert await read_rows(one.database, "exercise") == []
    [refused] = [m for m in model.requests[2].messages if "gave its solution" in str(m)]
    assert "Ask something else." in str(refused)


@pytest.mark.parametrize(
    ("tool", "arguments", "spoiler"),
    [
        (
            INTERACTIVE_QUIZ,
            '{"question": "The capital of Togo?", "options": ["Lomé", "Accra"],'
            ' "correct_index": 0, "explanation": "Lomé it is."}',
            "Remember: the capital of Togo is Lomé.",
        ),
        (
            TRUE_FALSE_QUIZ,
            '{"statement": "A whale is a fish.", "is_true": false, "explanation": "A mammal."}',
            "This one is false.",
        ),
    ],
)
async def test_words_beside_a_new_quiz_do_not_answer_it(
    app: MakeApp, tool: AnyTool, arguments: str, spoiler: str
) -> None:
    one = await app()
    await one.log_in()
    call = (tool.name, arguments)
    model = FakeModel(reply(spoiler, call), reply("A quiz:", call), reply("Your turn!"))
    await one.start(model, tools=[tool])
    await ask(one, "a quiz please")
    assert spoiler not in str(one.said())
    assert len(await read_rows(one.database, "quiz")) == 1


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (
            GENERATE_XLSX,
            '{{"filename": "a", "sheets": [{{"name": "7", "columns": [{{"header": "Calcul"}},'
            ' {{"header": "Résultat"}}], "rows": [["7 × 7", 49], ["7 × 8", {result}]]}}]}}',
        ),
        (
            GENERATE_PPTX,
            '{{"filename": "a", "title": "Tables", "slides": [{{"title": "Table de 7", "table":'
            ' [["Calcul", "Résultat"], ["7 × 7", "49"], ["7 × 8", "{result}"]]}}]}}',
        ),
    ],
)
async def test_a_wrong_result_in_a_table_is_not_made(
    app: MakeApp, tool: AnyTool, arguments: str
) -> None:
    one = await app()
    await one.log_in()
    wrong, right = ((tool.name, arguments.format(result=result)) for result in (54, 56))
    model = FakeModel(reply("", wrong), reply("", right), reply("Here it is."))
    await one.start(model, tools=[tool])
    await ask(one, "make it please")
    [refused] = [m for m in model.requests[1].messages if "was not run" in getattr(m, "text", "")]
    assert "7 × 8" in str(refused)
    assert len(await read_rows(one.database, "file")) == 1


async def test_a_lesson_may_hold_what_is_asked_about_it(app: MakeApp) -> None:
    one = await app()
    await one.log_in()
    lesson = "Togo lies between Ghana and Benin. " * 9 + "Its capital is Lomé, by the sea."
    quiz = (
        '{"question": "The capital of Togo?", "options": ["Lomé", "Accra"], "correct_index": 0,'
        ' "explanation": "Lomé it is."}'
    )
    model = FakeModel(reply(lesson, ("interactive_quiz", quiz)), reply("Your turn!"))
    await one.start(model, tools=[INTERACTIVE_QUIZ])
    await ask(one, "teach me about Togo")
    assert "Its capital is Lomé" in str(one.said())
    assert len(await read_rows(one.database, "quiz")) == 1
