"""Serve short pages for people who cannot answer our SMS: a question, a long answer, opting out.

A reminder to review that has no buttons leads here on every channel.

They work on any phone: plain forms, no script, nothing to load, less than 15 KB. A visitor with the
token acts as the person to whom it was sent, so forms need no other proof, and cookies are ignored.
Only POST changes anything, so that link previews answer no question.
"""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final, cast
from urllib.parse import parse_qsl

from aiohttp import web
from markupsafe import Markup

from bot.accounts.aliases import find_first_number
from bot.accounts.people import People
from bot.accounts.phone_numbers import is_number, mask
from bot.billing.packs import BUY_PAGE, Shop
from bot.billing.purchase_service import OrderService
from bot.contracts.storage import Transaction
from bot.errors import NotFound, PersonError
from bot.files.links import LinkInvalid
from bot.gateway.commands.conversation import stop_turn
from bot.gateway.commands.preferences import PreferenceChoice, apply_choice, offer_choice
from bot.gateway.commands.review_days import describe_rest
from bot.gateway.commands.tasks import finish, put_off
from bot.gateway.context import GatewayContext
from bot.gateway.inbound.command_parser import BUY_PATTERN
from bot.gateway.inbound.conversation_effects import opt_in, opt_out
from bot.gateway.inbox_rows import find_update
from bot.gateway.open_questions import find_help_request, remember_exercise
from bot.gateway.short_links import (
    CHOICE,
    REVIEW,
    TASK,
    KeptShortLink,
    PageRoute,
    ShortLinks,
    find_link,
    keep_links,
)
from bot.i18n import say
from bot.learning import exercises, quiz
from bot.learning.exercise_series import ExerciseSeries, give_help
from bot.learning.exercises import Exercise
from bot.learning.grading.answer_feedback import describe_step_left, find_feedback
from bot.learning.new_exercise import NewExercise
from bot.messages.channels import Channel
from bot.messages.incoming import Person, Sender
from bot.messages.outgoing import Say
from bot.practice.catalogue import find_generator
from bot.web.html_pages import (
    NoticePage,
    answer_private_page,
    read_style,
    render_page,
    show_notice,
)
from bot.web.learning_answers import (
    advance_placement,
    answer_exercise,
    answer_quiz,
    ask_next_exercise,
    begin_placement,
    find_running,
    note_exercise,
)
from bot.web.question_views import (
    QuestionView,
    Verdict,
    list_options,
    praise,
    view_choice,
    view_exercise,
    view_new,
    write_markdown,
    write_pages,
    write_plain,
)
from bot.web.rate_limits import RateLimits
from bot.web.requests import is_name, language_of, read_body

_STYLE = read_style("colours.css", "short.css")
_NOTHING: Final = QuestionView("", Markup(), "", is_open=False)
_POLICY: Final = _STYLE.make_policy(forms="'self'")


# Routes ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ShortPages:
    parts: GatewayContext
    people: People
    series: ExerciseSeries
    links: ShortLinks
    shop: Shop
    orders: OrderService
    limits: RateLimits = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "limits", RateLimits(self.parts, self.people))

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/q/{token}", self.question),
            web.post("/q/{token}", self.question),
            web.get("/m/{token}", self.message),
            web.post("/m/{token}", self.message),
            web.get("/stop/{token}", self.stop),
            web.post("/stop/{token}", self.stop),
        ]

    async def question(self, request: web.Request) -> web.Response:
        """Show a quiz, an exercise, a review, a choice or the packs of credits; POST answers it,
        asks for a hint, the solution or the next exercise, or buys."""
        form = await read_form(request)
        key = secrets.token_hex(12)
        counted: list[tuple[Opened, QuestionView]] = []

        async def show(tx: Transaction) -> tuple[Opened, QuestionView]:
            opened = await self._open(tx, "q", request)
            if counted and await find_update(tx, opened.link.lane, key) is not None:
                return counted[-1]  # by an earlier run of this work, whose commit was not confirmed
            counted.append((opened, await self._show_question(tx, opened, form, key)))
            return counted[-1]

        try:
            if form:
                opened = await self.parts.database.read(lambda tx: self._open(tx, "q", request))
                await self.limits.check_pace(request, opened.person)
                if opened.link.target == BUY_PAGE:  # a provider is asked, outside of transactions
                    view = await self._buy(opened, form, key)
                    return await self._respond("question.html", opened, question=view)
            opened, view = await self.parts.database.write(show)  # exercises are read for writing
        except (LinkInvalid, LinkOver, NotFound) as error:
            return await explain_bad_link(request, error)
        return await self._respond("question.html", opened, question=view)

    async def message(self, request: web.Request) -> web.Response:
        """Show a page of a long answer: the first one, or that of `?p=2`. Under a reminder are
        buttons; POST finishes its task or puts it off."""
        form = await read_form(request)

        async def work(tx: Transaction) -> tuple[Opened, str]:
            opened = await self._open(tx, "m", request)
            return opened, await _act_on_task(tx, opened, form.get("do", "")) if form else ""

        try:
            if form:
                opened, done = await self.parts.database.write(work)
            else:
                opened, done = await self.parts.database.read(work)
        except (LinkInvalid, LinkOver, NotFound) as error:
            return await explain_bad_link(request, error)
        written_in, _, about = opened.link.target.partition(" ")
        language = written_in or opened.person.language
        pages = await asyncio.to_thread(write_pages, opened.link.body, language)
        asked = request.query.get("p", "1")
        number = min(max(int(asked) if re.fullmatch("[0-9]{1,4}", asked) else 1, 1), len(pages))
        return await self._respond(
            "message.html",
            opened,
            text=pages[number - 1],
            number=number,
            count=len(pages),
            done=write_markdown(done, opened.person.language) if done else "",
            task_path=self.links.path("m", opened.link.id) if about and not done else "",
        )

    async def stop(self, request: web.Request) -> web.Response:
        """Ask whether to opt out; POST opts out, or in again."""
        form = await read_form(request)

        async def work(tx: Transaction) -> tuple[Opened, bool]:
            opened = await self._open(tx, "stop", request)
            if form.get("do") == "start":
                await opt_in(tx, opened.channel, opened.address)
            elif form:
                await stop_turn(tx, opened.link.lane)
                await opt_out(tx, opened.channel, opened.address)
            return opened, await has_opted_out(tx, opened.link.lane)

        database = self.parts.database
        try:
            opened, is_out = await (database.write(work) if form else database.read(work))
        except (LinkInvalid, LinkOver, NotFound) as error:
            return await explain_bad_link(request, error)
        first = find_first_number(opened.address)
        number = mask(first) if is_number(first) else ""
        return await self._respond(
            "opt_out.html", opened, is_out=is_out, has_changed=bool(form), number=number
        )

    async def _open(self, tx: Transaction, route: PageRoute, request: web.Request) -> Opened:
        """Return the request's link and its person. Raises `LinkInvalid`, `NotFound` or
        `LinkOver`."""
        link = await find_link(tx, route, self.links.read(route, request.match_info["token"]))
        name, _, address = link.lane.partition(":")
        channel = cast("Channel", name)
        person = await self.people.find_sender(tx, channel, Sender(address))
        if link.is_expired:
            raise LinkOver(person.language)
        return Opened(link, person, channel, address)

    async def _respond(self, template: str, opened: Opened, **values: object) -> web.Response:
        page = await render_page(
            template,
            opened.person.language,
            style=_STYLE,
            stop=self._find_opt_out(opened),
            **values,
        )
        return answer_private_page(page, _POLICY)

    def _find_opt_out(self, opened: Opened) -> str:
        """Return the path of the page to opt out; empty on a channel where everyone can do so by a
        message."""
        adapters = self.parts.adapters.values()
        channels = {each.channel for each in adapters if each.capabilities.answers != "always"}
        return self.links.path("stop", opened.link.id) if opened.channel in channels else ""

    # Questions ----------------------------------------------------------------------------------

    async def _show_question(
        self, tx: Transaction, opened: Opened, form: dict[str, str], key: str
    ) -> QuestionView:
        """Do what the form asks for and return the view to show. Raises `NotFound` or
        `LinkOver`."""
        kind, _, number = opened.link.target.partition(":")
        try:
            if kind == REVIEW:
                return await self._show_review(tx, opened, form, key)
            if kind == BUY_PAGE:
                return self._show_packs(opened)
            if kind == CHOICE:
                return await self._show_choice(tx, opened, number, form, key)
            if form.get("do") == "more":
                return await self._ask_more(tx, opened, number if kind == "exercise" else "", key)
            if kind == "quiz":
                return await self._answer_quiz(tx, opened, number, form, key)
            return await self._answer_exercise(tx, opened, number, form, key)
        except (quiz.NotYours, exercises.NotTheirs):
            raise NotFound("There is no such page.") from None

    async def _answer_quiz(
        self, tx: Transaction, opened: Opened, quiz_id: str, form: dict[str, str], key: str
    ) -> QuestionView:
        path = self.links.path("q", opened.link.id)
        view = await _show_quiz(tx, opened, quiz_id, path, form, key)
        is_over = form and not view.is_open
        running = await find_running(tx, opened.link.lane, opened.person) if is_over else None
        return await self._lead_on(tx, opened, view, running)

    async def _answer_exercise(
        self, tx: Transaction, opened: Opened, exercise_id: str, form: dict[str, str], key: str
    ) -> QuestionView:
        exercise = await exercises.read(tx, exercise_id)
        if form:
            return await self._act(tx, opened, exercise, form, key)
        view = self._view(opened, exercise)
        if view.is_open or view.verdict:
            return view
        return await self._close(tx, opened, exercise, view)

    async def _show_choice(
        self, tx: Transaction, opened: Opened, name: str, form: dict[str, str], key: str
    ) -> QuestionView:
        """Store the preference that the form chooses; a class leads on to the placement."""
        person, path = opened.person, self.links.path("q", opened.link.id)
        chosen, lane = form.get("a", ""), opened.link.lane
        words = await apply_choice(tx, person, name, chosen)
        if not words:
            return view_choice(offer_choice(name, person.language), path, person.language)
        grade = chosen if name == "grade" else ""
        asked = await begin_placement(tx, self.series, key, lane, person, grade)
        lead = write_markdown(asked.lead, person.language) if asked else Markup()
        view = replace(_NOTHING, verdict=Verdict("note", words, lead))
        following = await exercises.read(tx, asked.id) if asked else None
        return await self._lead_on(tx, opened, view, following)

    def _show_packs(self, opened: Opened) -> QuestionView:
        words, packs = self.shop.list_packs(opened.person, opened.link.lane)
        return self._view_purchase(opened, words, packs)

    def _view_purchase(
        self, opened: Opened, words: str, options: Sequence[tuple[str, str]]
    ) -> QuestionView:
        """Return the view of a question of a purchase.

        Args:
            options: for each, its label and the argument of `/buy`.
        """
        path, language = self.links.path("q", opened.link.id), opened.person.language
        return view_choice(PreferenceChoice(words, options), path, language)

    async def _buy(self, opened: Opened, form: dict[str, str], key: str) -> QuestionView:
        """Return what follows the choice of a pack or of a way to pay: the ways, or how to pay; if
        it is none, the packs."""
        person, lane = opened.person, opened.link.lane
        asked = BUY_PATTERN.fullmatch(form.get("a", ""))
        pack = self.shop.find(asked["price"]) if asked and person.account else None
        ways = self.shop.ways(person, lane, pack) if pack else ()
        if asked is None or pack is None or not ways:
            return self._show_packs(opened)
        wanted = asked["way"] or (ways[0].name if len(ways) == 1 else "")
        if wanted not in [way.name for way in ways]:
            return self._view_purchase(opened, *self.shop.list_ways(person, lane, pack))
        said = await self.orders.order(person, lane, f"{lane}/{key}", pack, wanted=wanted)
        words = said.markdown if isinstance(said, Say) else ""
        first, _, rest = words.partition("\n\n")
        note = Verdict("note", first, write_markdown(rest, person.language))
        return replace(_NOTHING, verdict=note)

    async def _ask_more(
        self, tx: Transaction, opened: Opened, exercise_id: str, key: str
    ) -> QuestionView:
        """Return the view of the exercise that is open in the conversation; if there is none, ask
        one of the same skill as the exercise, or one that fits the person. Raises `NotFound`."""
        person, lane = opened.person, opened.link.lane
        following = await find_running(tx, lane, person)
        if following is None:
            skill = ""
            if exercise_id:
                last = await exercises.read(tx, exercise_id)
                skill = last.skill if find_generator(last.skill) and not last.is_placing else ""
            asked = await self.series.start(tx, key, lane, person, skill)
            if asked is None:
                raise NotFound("There are no exercises.")
            await remember_exercise(tx, lane, asked)
            following = await exercises.read(tx, asked.id)
        return await self._lead_on(tx, opened, _NOTHING, following)

    async def _show_review(
        self, tx: Transaction, opened: Opened, form: dict[str, str], key: str
    ) -> QuestionView:
        """Return the view of the first exercise to review. The first form about it asks it."""
        person, lane = opened.person, opened.link.lane
        exercise: Exercise | NewExercise | None
        exercise = await exercises.find_open(tx, lane, person.account or 0)
        if exercise is None or not exercise.body.card:
            exercise = await self.series.draw_review(tx, person, lane, opened.link.id)
        if exercise is None:
            rest = await describe_rest(tx, person, lane, self.series.reviews_a_day)
            return replace(_NOTHING, verdict=Verdict("note", rest))
        view = self._view(opened, exercise)
        if not form:
            return view
        if form.get("of") != view.mark:
            words = say(person.language, "You have answered this one already.")
            return replace(view, verdict=Verdict("note", words))
        if isinstance(exercise, NewExercise):
            asked = await self.series.ask(tx, exercise, key, lane, person)
            await remember_exercise(tx, lane, asked)
            exercise = await exercises.read(tx, asked.id)
        return await self._act(tx, opened, exercise, form, key)

    async def _act(
        self, tx: Transaction, opened: Opened, exercise: Exercise, form: dict[str, str], key: str
    ) -> QuestionView:
        """Do what a form about an exercise asks for, and return the view to show."""
        person, account = opened.person, opened.person.account or 0
        language = person.language
        try:
            exercises.check_open(exercise, account)
        except exercises.ExerciseOver:
            view = self._view(opened, exercise)
            following = await exercises.find_open(tx, exercise.lane, account)
            words = say(language, "You have answered this one already.")
            if exercise.state == "dropped":  # by `/stop`, another exercise, or skipping
                words = say(language, "This exercise is over.")
            outcome = Markup("<p>{}</p>").format(view.verdict.head) if view.verdict else Markup()
            over = replace(view, verdict=Verdict("note", words, outcome))
            return await self._lead_on(tx, opened, over, following)
        except exercises.ExerciseExpired:
            raise LinkOver(language) from None
        match form.get("do"):
            case "hint":
                if form.get("n") == str(exercise.hints_shown):  # not twice for one tap
                    exercise, _ = await exercises.show_hint(tx, exercise)
                return self._view(opened, exercise)
            case "solution":
                return await self._help(tx, opened, exercise, "solution", key)
            case _:
                return await self._try(tx, opened, exercise, form.get("a", "").strip(), key)

    async def _try(
        self, tx: Transaction, opened: Opened, exercise: Exercise, text: str, key: str
    ) -> QuestionView:
        person, body = opened.person, exercise.body
        language = person.language
        if wanted := find_help_request(exercise, text):
            return await self._help(tx, opened, exercise, wanted, key)
        is_storable = is_name(text)
        graded = await answer_exercise(tx, person, exercise, text, key) if is_storable else None
        if graded is None:
            words = say(language, "I cannot read this as an answer. Write it in a few signs.")
            return replace(self._view(opened, exercise), verdict=Verdict("note", words))
        exercise = graded.exercise
        if exercise.is_placing and not graded.step_left:
            return await self._go_on_placing(tx, opened, exercise)
        if graded.step_left:
            words = describe_step_left(graded.step_left, language, body)
            return replace(self._view(opened, exercise), verdict=Verdict("note", words))
        if not graded.is_correct:
            feedback = find_feedback(text, exercise)
            head = say(language, "Not quite: try again.")
            verdict = Verdict("wrong", head, write_markdown(feedback, language))
            return replace(self._view(opened, exercise), verdict=verdict)
        verdict = praise(language, body.write_solution(exercise.kind, language))
        view = replace(self._view(opened, exercise), is_open=False, verdict=verdict)
        return await self._go_on(tx, opened, exercise, view)

    async def _go_on_placing(
        self, tx: Transaction, opened: Opened, exercise: Exercise
    ) -> QuestionView:
        """Ask the next exercise of the placement, or tell the level, and return the view of the
        answered one with it."""
        language = opened.person.language
        step = await advance_placement(tx, self.series, exercise, opened.person)
        if exercise.state == "dropped":
            verdict = Verdict("note", step.short_level or say(language, "This exercise is over."))
        else:
            right = write_plain(exercise.solution, language)
            verdict = Verdict("wrong", say(language, "The answer was: {answer}", answer=right))
            if exercise.state == "right":
                verdict = praise(language, exercise.solution)
            verdict = replace(verdict, words=write_markdown(step.short_level, language))
        view = replace(self._view(opened, exercise), verdict=verdict)
        following = await exercises.read(tx, step.asked.id) if step.asked else None
        return await self._lead_on(tx, opened, view, following)

    async def _help(
        self, tx: Transaction, opened: Opened, exercise: Exercise, wanted: str, key: str
    ) -> QuestionView:
        """Give the next hint or the solution, as `wanted` says, or say why not."""
        given = await give_help(tx, exercise, wanted, opened.person.language)
        exercise = given.exercise
        if given.refusal:
            return replace(self._view(opened, exercise), verdict=Verdict("note", given.refusal))
        if not given.is_over:
            return self._view(opened, exercise)
        await note_exercise(tx, opened.person, exercise, "I asked for its solution", key)
        return await self._go_on(tx, opened, exercise, self._view(opened, exercise))

    async def _go_on(
        self, tx: Transaction, opened: Opened, exercise: Exercise, view: QuestionView
    ) -> QuestionView:
        """Ask the next exercise of the series, and return the view of the finished one with it."""
        asked = await ask_next_exercise(tx, self.series, exercise, opened.person)
        following = await exercises.read(tx, asked.id) if asked else None
        return await self._lead_on(tx, opened, view, following)

    async def _lead_on(
        self, tx: Transaction, opened: Opened, view: QuestionView, following: Exercise | None
    ) -> QuestionView:
        """Return a view with that of the following exercise, which gets another link."""
        if following is None:
            return view
        link = self.links.make("q", target=f"exercise:{following.id}")
        await keep_links(tx, opened.link.lane, opened.link.turn, [link])
        path = self.links.path("q", link.id)
        return replace(view, following=view_exercise(following, path, opened.person.language))

    def _view(self, opened: Opened, exercise: Exercise | NewExercise) -> QuestionView:
        link, language = opened.link, opened.person.language
        path, is_marked = self.links.path("q", link.id), link.target == REVIEW
        if isinstance(exercise, NewExercise):
            return view_new(exercise, path, language)
        return view_exercise(exercise, path, language, is_marked=is_marked)

    async def _close(
        self, tx: Transaction, opened: Opened, exercise: Exercise, view: QuestionView
    ) -> QuestionView:
        """Return the view of an exercise that was over before; a button leads to the open one."""
        account = opened.person.account or 0
        following = await exercises.find_open(tx, exercise.lane, account)
        words = say(opened.person.language, "This exercise is over.")
        return replace(view, verdict=Verdict("note", words), goes_on=following is not None)


async def _act_on_task(tx: Transaction, opened: Opened, wanted: str) -> str:
    """Finish or put off the tasks that a reminder is about; return the words that say so, empty if
    nothing is to be done. Raises `NotFound`: none of them is open."""
    _, _, about = opened.link.target.partition(" ")
    kind, _, numbers = about.partition(":")
    account = opened.person.account
    if kind != TASK or account is None or wanted not in ("done", "1h", "tomorrow"):
        return ""
    done: list[str] = []
    for number in map(int, numbers.split(",")):
        with suppress(NotFound):
            if wanted == "done":
                done.append(await finish(tx, account, opened.person, number))
            else:
                done.append(await put_off(tx, account, opened.person, number, wanted))
    if not done:
        raise NotFound("There is no open task of these.")
    return "\n\n".join(done)


async def _show_quiz(
    tx: Transaction, opened: Opened, quiz_id: str, path: str, form: dict[str, str], key: str
) -> QuestionView:
    """Answer a quiz if the form does so, and return its view. Raises as `quiz.answer_quiz`, and
    `LinkOver`."""
    person, language = opened.person, opened.person.language
    state = await quiz.read_quiz(tx, quiz_id)
    is_second = False
    if (chosen := form.get("a", "")) and re.fullmatch("[0-9]{1,2}", chosen):
        index = int(chosen)
        is_second = state.answered is not None
        if not is_second and index < len(state.options) and not state.is_expired:
            try:
                await answer_quiz(tx, person, opened.link.lane, quiz_id, index, key)
            except quiz.AlreadyAnswered:  # at the same moment, by the chat or another page
                is_second = True
            state = await quiz.read_quiz(tx, quiz_id)
    if state.graded is None and state.is_expired:
        raise LinkOver(language)
    view = QuestionView(path, write_markdown(state.question, language), "quiz")
    if state.graded is None:
        return replace(view, options=list_options(state.options, language))
    right = write_plain(state.options[state.graded.correct_index], language)
    explanation = write_markdown(state.graded.explanation, language)
    if state.graded.correct:
        verdict = replace(praise(language, right), words=explanation)
    else:
        head = say(language, "Not quite. The answer is: {right}", right=right)
        verdict = Verdict("wrong", head, explanation)
    if is_second:
        note = Markup("<p>{}</p>").format(
            say(language, "You have answered this one already: the first answer counts.")
        )
        verdict = replace(verdict, words=note + verdict.words)
    options = list_options(state.options, language, state.graded.correct_index, state.answered)
    return replace(view, options=options, is_open=False, verdict=verdict)


_LARGEST_FORM: Final = 2**13


@dataclass(frozen=True, slots=True)
class Opened:
    """A valid link, and its person."""

    link: KeptShortLink
    person: Person
    channel: Channel
    address: str


class LinkOver(PersonError):
    """The link, or its question, is too old."""

    code = "link_expired"

    def __init__(self, language: str) -> None:
        super().__init__("This link has expired.")
        self.language = language


async def read_form(request: web.Request) -> dict[str, str]:
    """Return the fields of a POST; for a GET, none."""
    if request.method != "POST":
        return {}
    text = (await read_body(request, _LARGEST_FORM)).decode(errors="replace")
    return {"do": ""} | dict(parse_qsl(text, keep_blank_values=True))


async def has_opted_out(tx: Transaction, lane: str) -> bool:
    row = await tx.fetch_one("SELECT opted_out FROM lane WHERE id = :lane", lane=lane)
    return row is not None and bool(row["opted_out"])


async def explain_bad_link(request: web.Request, error: PersonError) -> web.Response:
    """Answer with a page on the error of a link: 403 invalid, 410 expired, 404 gone."""
    language = error.language if isinstance(error, LinkOver) else language_of(request)
    if isinstance(error, LinkInvalid):
        head = say(language, "This link is not complete")
        words = say(language, "This link is not valid. Perhaps a part of it is missing.")
        notice = NoticePage(language, head, words, 403)
    elif isinstance(error, LinkOver):
        head = say(language, "This link has expired")
        words = say(language, "The next message from Griot brings a new one.")
        notice = NoticePage(language, head, words, 410)
    else:
        head = say(language, "Nothing to see here")
        words = say(language, "What this link led to is gone.")
        notice = NoticePage(language, head, words, 404)
    return await show_notice(request, notice, caching="private, no-store")
