"""Answer `/progress`: in words, and as a picture where the channel shows pictures."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

import structlog

from bot.accounts.progress_links import public_token
from bot.contracts.channels import Capabilities
from bot.contracts.storage import Transaction
from bot.documents.characters import clean_markdown, name_unsupported_scripts, replace_emoji
from bot.documents.document_request import Chart, ChartRow, Figure
from bot.documents.typesetter import Typesetter
from bot.files.links import Links
from bot.files.store import TEMPORARY, FileStore
from bot.gateway.commands.reply import CommandHandler, CommandRequest, Reply, ask_to_log_in
from bot.gateway.context import GatewayContext
from bot.i18n import say, write_day
from bot.learning.progress import (
    Day,
    Overview,
    Progress,
    SubjectLine,
    describe_progress,
    first_name,
    make_overview,
    summarise_progress,
)
from bot.learning.results import read_progress
from bot.learning.skills.learner_model import LearnerModel, read_learner_model
from bot.learning.skills.skill_progress import (
    NO_SKILLS,
    SkillOverview,
    describe_next,
    describe_skills,
    make_skill_overview,
)
from bot.messages.incoming import Person, Update
from bot.messages.outgoing import Say, ShareFile, sum_segments
from bot.render.renderer import escape_markdown

MOST_SUBJECTS = 12
"""Subjects with a line in the picture: more would be too small, or the picture too tall."""
MOST_SKILLS = 6
"""Skills with a line in the picture."""


def to_chart(overview: Overview, skills: SkillOverview = NO_SKILLS) -> Chart:
    """Return the chart to draw; a subject that our fonts cannot show is named by its number."""
    language = overview.language
    return Chart(
        language=language,
        title=overview.title,
        figures=tuple(Figure(each.number, each.words) for each in overview.headlines),
        month=say(language, "The last 30 days"),
        most=overview.most,
        empty=overview.silence,
        right=say(language, "right"),
        wrong=say(language, "wrong"),
        days=tuple((day.correct, day.answered - day.correct) for day in overview.days),
        dates=tuple(write_day(language, day.date) for day in _dated(overview.days)),
        by_subject=say(language, "By subject"),
        subjects=tuple(
            _row(language, line, place) for place, line in enumerate(overview.subjects, start=1)
        ),
        by_skill=say(language, "By skill"),
        skill_summary=skills.summary,
        skills=tuple(
            ChartRow(_shown(line.name) or line.id, line.grade, line.words, line.share)
            for line in skills.lines[:MOST_SKILLS]
        ),
        following=say(language, "What comes next"),
        next=tuple(_shown(each.name) or each.id for each in skills.next),
    )


def name_on_chart(name: str) -> str:
    """Return the first name as our fonts can show it; empty if they cannot."""
    return first_name(_shown(name))


def _dated(days: Sequence[Day]) -> Sequence[Day]:
    """Return the first day, the one in the middle and the last."""
    return [days[0], days[len(days) // 2], days[-1]]


def _row(language: str, line: SubjectLine, place: int) -> ChartRow:
    name = _shown(line.name) or say(language, "Subject {number}", number=place)
    return ChartRow(name, line.count, line.percent, line.share)


def _shown(text: str) -> str:
    """Return a text as our fonts can show it; empty if they cannot."""
    plain = " ".join(replace_emoji(clean_markdown(text)).split())
    return "" if name_unsupported_scripts(plain) else plain


_FORM: Final = "image/png"
_PATIENCE = 5.0
"""Seconds that the text waits for its picture."""
log = structlog.get_logger()


class ProgressCommand:
    """Answers `/progress`.

    Args:
        links: to the page of an account.
    """

    def __init__(
        self,
        parts: GatewayContext,
        files: FileStore,
        typesetter: Typesetter,
        links: Links,
    ) -> None:
        self._parts = parts
        self._files = files
        self._typesetter = typesetter
        self._links = links

    async def run(self, person: Person, update: Update, _: str) -> Reply | CommandHandler:
        """Answer `/progress`."""
        language, account = person.language, person.account
        if account is None:
            return ask_to_log_in(language)
        progress, mark, model = await self._read(account, person.timezone)
        skills = make_skill_overview(language, model)
        able = self._parts.find_capabilities(update)
        link = self._link(mark, update, able)
        if able.text_unit == "gsm7":
            return Reply((Say(self._brief(person, progress, skills, able, link)),))
        words = describe_progress(language, progress, escape_markdown)
        if skills.lines and not progress.subjects:  # a placement has answers, but no results
            words = f"**{say(language, 'Your progress')}**"
        words = "\n\n".join([words, *describe_skills(language, skills)])
        if not progress.subjects and not skills.lines:
            return _offer_practice(Say(words), skills, [], able)
        if link:
            label = say(language, "Your private page")
            words += f"\n\n[{label}]({link})"
        chart = self._chart(person, progress, skills)
        picture = await self._picture(person, chart, update, able)
        return _offer_practice(Say(words), skills, picture, able)

    async def _read(self, account: int, zone: str) -> tuple[Progress, str, LearnerModel]:
        async def work(tx: Transaction) -> tuple[Progress, str, LearnerModel]:
            progress = await read_progress(tx, account, zone)
            return progress, await public_token(tx, account), await read_learner_model(tx, account)

        return await self._parts.database.read(work)

    def _link(self, mark: str, update: Update, capabilities: Capabilities) -> str:
        """Return the link to the person's page; empty in groups, whose members could open it at any
        time, and where people cannot open links."""
        can_open = self._parts.settings.public_url or capabilities.markup == "markdown"
        return self._links.make(mark) if can_open and not update.group else ""

    def _brief(
        self,
        person: Person,
        progress: Progress,
        skills: SkillOverview,
        able: Capabilities,
        link: str,
    ) -> str:
        """Write as much of the progress as the fewest segments hold."""

        def cost(text: str) -> int:
            composed = self._parts.composer.compose((Say(text),), able, person.language)
            return sum_segments(composed.bodies)

        text = summarise_progress(
            person.language, progress, lambda longer: cost(longer) <= 1, escape_markdown
        )
        if skills.level and not progress.subjects:
            text = skills.level
        for more in (
            link if progress.subjects or skills.level else "",
            describe_next(person.language, skills),
        ):
            longer = f"{text}\n{more}"
            text = longer if more and cost(longer) <= cost(text) else text
        return text

    def _chart(self, person: Person, progress: Progress, skills: SkillOverview) -> Chart:
        name = name_on_chart(person.name)
        overview = make_overview(person.language, progress, name, most=MOST_SUBJECTS)
        return to_chart(overview, skills)

    async def _picture(
        self, person: Person, chart: Chart, update: Update, capabilities: Capabilities
    ) -> list[ShareFile]:
        """Return the picture of the chart, or none if it cannot be shown there or made in time."""
        if capabilities.markup == "markdown" or not capabilities.carries(_FORM, 1):
            return []
        try:
            async with asyncio.timeout(_PATIENCE):
                picture = await self._draw(person, chart, update)
        except (TimeoutError, ConnectionError) as error:
            log.warning("progress_not_drawn", error=type(error).__name__)
            return []
        return [picture] if picture else []

    async def _draw(self, person: Person, chart: Chart, update: Update) -> ShareFile | None:
        key = f"progress/{person.account}/{update.via}/{update.message_key}"
        if known := await self._files.find_by_key(key):
            return known
        picture = await self._typesetter.chart(chart)
        if picture is None:
            return None
        filename = say(person.language, "progress") + ".png"
        return await self._files.save(
            person.account or 0,
            filename,
            picture,
            mime_type=_FORM,
            source=TEMPORARY,
            key=key,
        )


def _offer_practice(
    words: Say, skills: SkillOverview, files: Sequence[ShareFile], able: Capabilities
) -> Reply | CommandHandler:
    """Return the words, with a button that begins practising the next skill, if there is one.

    Where each message is paid, the files go first: one message can carry a picture over text and
    buttons, and none carries one under them. Where none carries both, the words alone name the
    command, as the caption of the picture.
    """
    if not skills.next or (files and able.joins and not able.header_buttons):
        return Reply((words, *files))

    async def offer(request: CommandRequest) -> Reply:
        choice = request.phrase("Practise"), f"/practice {skills.next[0].id}"
        said = Say(words.markdown, await request.offer([choice]))
        return Reply((*files, said) if able.joins else (said, *files))

    return offer
