from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bot.contracts.models import ModelRequest
from bot.evals.dialogues import Dialogue, Rule
from bot.evals.playing import Exchange, Variant, choose_words, play_dialogues
from bot.events import Emit
from bot.messages.transcript import ModelReply, SystemMessage
from bot.settings import Settings
from tests.support.tutors import Answer, Reply, ScriptedTutor, make_quiz

NAG = Rule(".", "donne la réponse")
TRY = Rule("essaie|combien", "je trouve 54")
PUPIL = Dialogue("one", "shy", "CM2", "fr", "7 × 8 ?", (TRY, NAG), 3, "56")


class Noting(ScriptedTutor):
    """Notes the instructions and the tools of each request."""

    def __init__(self, dialogues: Sequence[Dialogue], answer: Answer) -> None:
        super().__init__(dialogues, answer)
        self.instructions: list[str] = []
        self.tools: set[str] = set()

    async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
        assert isinstance(request.messages[0], SystemMessage)
        self.instructions.append(request.messages[0].text)
        self.tools |= {tool.name for tool in request.tools}
        return await super().ask(request, emit)


async def play(
    answer: Answer, dialogue: Dialogue = PUPIL, *, prompts: Path | None = None, **settings: Any
) -> tuple[Sequence[Exchange], Noting]:
    played: list[Exchange] = []
    model = Noting([dialogue], answer)

    async def judge(_: Dialogue, exchanges: Sequence[Exchange]) -> None:
        played.extend(exchanges)

    chosen = Settings().model_copy(update=settings)
    await play_dialogues(Variant(chosen, prompts, model), [dialogue], judge)
    return played, model


async def test_a_pupil_of_that_grade_speaks_by_the_rules() -> None:
    played, model = await play(lambda _, turn: f"Essaie {turn}. Combien ?")

    assert [each.pupil for each in played] == ["7 × 8 ?", "je trouve 54", "donne la réponse"]
    assert [each.texts for each in played] == [(f"Essaie {n}. Combien\u202f?",) for n in (1, 2, 3)]
    assert [(each.messages, each.usd, each.failure) for each in played] == [(1, 0.001, "")] * 3
    assert "CM2" in model.instructions[0]
    assert "faire apprendre" in model.instructions[0]
    assert "interactive_quiz" in model.tools


async def test_a_dialogue_ends_where_no_rule_matches() -> None:
    dialogue = Dialogue("one", "", "", "fr", "Bonjour", (TRY,), 5)

    played, _ = await play(lambda _, __: "Bonsoir", dialogue)

    assert len(played) == 1


def test_of_the_rules_that_match_one_used_least_is_taken() -> None:
    uses: Counter[int] = Counter()

    said = [choose_words(PUPIL, text, uses) for text in ("essaie", "essaie", "essaie", "non")]

    assert said == [TRY.says, NAG.says, TRY.says, NAG.says]
    assert choose_words(PUPIL, "", uses) is None


async def test_a_quiz_is_answered_by_its_letter_and_open_until_then() -> None:
    quiz = make_quiz("7 × 8 ?", ["54", "56"], 1)
    pupil = (Rule(r"\[quiz\] 7 × 8", "A"), Rule("54", "dis-moi"))
    dialogue = Dialogue("one", "", "CM2", "fr", "Un quiz ?", pupil, 3)

    played, _ = await play(lambda _, __: quiz, dialogue)

    asked, answered = played[0], played[1]
    assert asked.asked[0].startswith("[quiz] 7 × 8")
    assert asked.texts == ("Prends ton temps.",)
    assert asked.secrets[0].solutions == ("56",)
    assert (answered.pupil, answered.secrets) == ("A", ())
    assert "56" in answered.shown


async def test_nothing_of_the_operators_is_used(tmp_path: Path) -> None:
    settings: dict[str, Any] = {
        "database_url": f"sqlite:///{tmp_path}/own.db",
        "blob_url": f"file:{tmp_path}/files",
        "smtp_url": "smtp://127.0.0.1:1",
        "mail_from": "griot@example.org",
        "telegram_bot_token": "1:secret",
        "mcp_servers": {"maps": object()},
    }

    played, model = await play(lambda _, __: "Essaie. Combien ?", **settings)

    assert not any(each.failure for each in played)
    assert os.listdir(tmp_path) == []  # noqa: PTH208 (quick)
    assert not any(name.startswith("maps") for name in model.tools)


async def test_prompts_of_a_folder_take_the_place_of_ours(tmp_path: Path) -> None:
    (tmp_path / "fr").mkdir()
    (tmp_path / "fr" / "child.md").write_text("# Mon rôle : chanter\n")

    _, changed = await play(lambda _, __: "Essaie.", prompts=tmp_path)
    _, ours = await play(lambda _, __: "Essaie.")

    assert "chanter" in changed.instructions[0]
    assert "faire apprendre" not in changed.instructions[0]
    assert "# Sécurité" in changed.instructions[0]
    assert "faire apprendre" in ours.instructions[0]


async def test_a_turn_at_its_limit_ends_the_dialogue() -> None:
    def ask_on(_: Dialogue, __: int) -> Reply:
        return Reply("", "list_user_files", {}, calls=99)

    played, _ = await play(ask_on, max_iterations=2)

    assert len(played) == 1
    assert played[0].failure == "the turn reached a limit"
