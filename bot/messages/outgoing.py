"""Outgoing messages: as a turn produces them, and as they are rendered for one channel."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

import msgspec

from bot.messages.value import ExerciseKind, QuizKind, Value


class Button(Value, frozen=True):
    label: str
    token: str
    """Opaque and single-use, at most 64 bytes; it holds no answer."""
    tap_only: bool = False
    """No number or letter stands for it, as what it does cannot be undone; where no buttons are
    shown it is left out, so the text has to name the command."""


class Say(Value, frozen=True, tag="say"):
    """A text in Markdown, with buttons under it."""

    markdown: str
    buttons: tuple[Button, ...] = ()
    shown: bool = False
    """The person's own stream has shown this text already (it was streamed as content)."""
    link: Literal["", "page", "question", "review", "stop"] = ""
    """The link that ends the text. Where the person cannot answer: `page`, to a page with the whole
    text, of which one segment is sent; `question`, to a page that asks what is asked here; `stop`,
    to opt out. `review`: on every channel, to a page that asks what is due for review."""
    target: str = ""
    """What the page of a `question` asks: `exercise:…` with its id, `choice:…` with the name of a
    preference, or `buy`; what a `page` is about: `task:…` with its number."""
    asks_number: bool = False
    """It asks for the person's phone number, by a special button where the channel has one."""
    keeps_letters: bool = False
    """It is about letters that SMS would write without their accents: these are kept there."""


class AskQuiz(Value, frozen=True, tag="quiz"):
    """A quiz without its answer; `tokens[i]` stands for `options[i]`."""

    id: str
    kind: QuizKind
    question: str
    options: tuple[str, ...]
    tokens: tuple[str, ...]
    expires_at: float
    keeps_letters: bool = False
    """As in `Say`."""


class AskExercise(Value, frozen=True, tag="exercise"):
    """An exercise without its solution."""

    id: str
    statement: str
    """Markdown."""
    kind: ExerciseKind
    expires_at: float
    lead: str = ""
    """Markdown that comes before it, such as the verdict on the exercise before."""
    options: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()
    """`tokens[i]` stands for `options[i]`."""
    unit: str = ""
    skill: str = ""
    hints_left: int = 0
    tries: int = 0
    keeps_letters: bool = False
    """As in `Say`."""


class AskApproval(Value, frozen=True, tag="approval"):
    """Something that waits for the person's consent; the buttons hold its choices."""

    id: str
    kind: str
    """What is to be decided: `plan` or `email`."""
    text: str
    """What they consent to, as markdown."""
    buttons: tuple[Button, ...]


class SendCode(Value, frozen=True, tag="code"):
    """A one-time code, which is put into the text only when it is sent."""

    code_id: str
    markdown: str
    """The text, with six zeros in the code's place."""
    template: bool = False
    """It goes by the channel's template, because the channel takes no free text now."""


class ShareFile(Value, frozen=True, tag="file"):
    """A file of the library, to be delivered as an attachment or a link."""

    file_id: str
    filename: str
    mime_type: str
    size: int
    caption: str = ""
    shows_formulas: bool = False
    """A picture of formulas, which the text next to it also has, each on a line."""


class SendEmail(Value, frozen=True, tag="send_email"):
    """An e-mail, which only the e-mail channel can carry."""

    to: tuple[str, ...]
    subject: str
    """One line."""
    text: str
    """Markdown."""
    html: str = ""
    """The same as HTML; empty: it is made of `text`."""
    attachments: tuple[ShareFile, ...] = ()
    reply_to: str = ""
    account: int | None = None
    """The account that sends it, whose person is notified if it is refused; None: Griot's own."""
    asked_in: str = ""
    """The conversation in which the person asked for it."""
    code_id: str = ""
    """The one-time code that replaces six zeros in the text when it is sent."""


class Acknowledge(Value, frozen=True, tag="acknowledge"):
    """The answer to a button press (a short toast), required by Telegram."""

    callback_id: str
    text: str = ""


class RetireButtons(Value, frozen=True, tag="retire"):
    """Take the buttons away from a message that we sent earlier."""

    message_id: str
    chosen: Button | None = None
    """The button that is left in their place, and shows what the person has chosen."""


class AnswerCheckout(Value, frozen=True, tag="checkout"):
    """The answer to a `Checkout`: go on, or the reason not to."""

    checkout_id: str
    error: str = ""
    """For the person; empty: all is well."""


class Invoice(Value, frozen=True, tag="invoice"):
    """A bill that is paid inside the channel; left out where a channel has no invoices."""

    payload: str
    """Names what it is for; comes back in `Checkout` and `Paid`. At most 128 bytes."""
    title: str
    """At most 32 characters."""
    description: str
    """At most 255 characters."""
    amount: int
    """In the currency's smallest unit."""
    currency: str


Outgoing = (
    Say
    | AskQuiz
    | AskExercise
    | AskApproval
    | SendCode
    | ShareFile
    | SendEmail
    | Invoice
    | Acknowledge
    | RetireButtons
    | AnswerCheckout
)


class Entity(Value, frozen=True):
    """A styled range of a rendered text; offset and length in UTF-16 code units."""

    kind: Literal[
        "bold", "italic", "underline", "strikethrough", "spoiler", "code", "pre", "link", "quote"
    ]
    offset: int
    length: int
    url: str = ""
    language: str = ""


class RichForm(Value, frozen=True):
    """A text as one rich message, and as the plain messages sent if the rich one is refused."""

    html: str
    """HTML in the tags of `render/rich_messages.py`; empty: only the plain messages are sent."""
    plain: tuple[TextBody | FileBody, ...] = ()
    """The same text as several plain messages; empty where it fits into one."""
    sent: int = 0
    """How many of `plain` were sent."""


class TextBody(Value, frozen=True, tag="text"):
    """Text in the channel's own form, within its limit."""

    text: str
    entities: tuple[Entity, ...] = ()
    buttons: tuple[tuple[Button, ...], ...] = ()
    """Rows of buttons, top to bottom."""
    choices: tuple[Button, ...] = ()
    """All options that this text offers, in the order shown, with their full labels."""
    header: ShareFile | None = None
    """A picture or document above the text, where a channel can show one over buttons."""
    list_label: str = ""
    """The label of the button that opens the buttons as a list, where a channel has such lists."""
    language: str = ""
    """The language of the line that says how to answer, where a channel may refuse the buttons."""
    quiz: AskQuiz | None = None
    """The quiz that this text asks, for channels that show quizzes natively (HTTP, console)."""
    exercise: AskExercise | None = None
    """The exercise that this text asks."""
    approval: AskApproval | None = None
    """The approval that this text asks for, likewise."""
    segments: int = 0
    """How many segments it takes, where segments are paid (SMS)."""
    shown: bool = False
    asks_number: bool = False
    """Under it is the channel's own button by which the person shares their phone number."""
    code_id: str = ""
    """The one-time code that replaces six zeros in the text when it is sent."""
    rich: RichForm | None = None
    """The same as a rich message, which is tried first; the text may then be over the limit."""


class FileBody(Value, frozen=True, tag="file"):
    """A file that the channel can carry."""

    file: ShareFile
    entities: tuple[Entity, ...] = ()
    """Style of the caption."""
    link: str = ""
    """A signed link, where the provider fetches the file itself; made when it is sent."""


class TemplateBody(Value, frozen=True, tag="template"):
    """The adapter's configured template: all that may be sent outside the window (WhatsApp)."""

    text: str
    """Its one variable: one line, without tabs or runs of spaces."""
    code_id: str = ""
    """As in `TextBody`."""


class EmailBody(Value, frozen=True, tag="email"):
    """An e-mail on its way."""

    email: SendEmail
    left: tuple[str, ...]
    """Recipients that it has not reached yet."""
    refused: tuple[str, ...] = ()
    """Recipients that it will never reach."""

    @property
    def code_id(self) -> str:
        return self.email.code_id


Body = (
    TextBody
    | FileBody
    | TemplateBody
    | EmailBody
    | Invoice
    | Acknowledge
    | RetireButtons
    | AnswerCheckout
)


def drop_rich_form(body: Body) -> Body:
    """Return a body that is sent as its plain messages only."""
    if not isinstance(body, TextBody) or body.rich is None:
        return body
    form = msgspec.structs.replace(body.rich, html="") if body.rich.plain else None
    return msgspec.structs.replace(body, rich=form)


def drop_sent_part(body: Body) -> Body | None:
    """Return the rest of a rich text's plain messages once the next of them is sent; None: there is
    no rest, or the body is not sent as several plain messages."""
    if not isinstance(body, TextBody) or body.rich is None or body.rich.html:
        return None
    form = msgspec.structs.replace(body.rich, sent=body.rich.sent + 1)
    return msgspec.structs.replace(body, rich=form) if form.sent < len(form.plain) else None


def link_refused_file(body: Body, link: Callable[[str], str]) -> TextBody | None:
    """Return what to send in place of a message whose file is refused: its words and buttons, with
    a link to the file. A picture of formulas needs none, as the words have them too.

    Args:
        link: makes a link to a file by its id.

    Returns:
        None: the message has no file, or nothing is left of it.
    """
    match body:
        case FileBody(file=file, entities=entities):
            left = TextBody(file.caption, entities)
        case TextBody(header=ShareFile() as file):
            left = msgspec.structs.replace(body, header=None)
        case _:
            return None
    if file.shows_formulas:
        return left if left.text else None
    linked = f"{' '.join(file.filename.split())} ({link(file.file_id)})"
    text = f"{left.text}\n\n{linked}" if left.text else linked
    return msgspec.structs.replace(left, text=text)


MESSAGES = (TextBody, FileBody, TemplateBody, EmailBody, Invoice)
"""The bodies that providers count as messages; the answer to a tap is none."""


class Delivery(Value, frozen=True):
    """One rendered message, as the outbox hands it to an adapter."""

    id: int
    lane: str
    conversation: str
    body: Body
    attempt: int = 1


class Sent(Value, frozen=True):
    """The provider took the delivery."""

    provider_id: str
    """The provider's id of it; empty where there is none (an acknowledged button press)."""
    body: Body | None = None
    """The delivery as it ended, where that differs: some of several recipients refused it."""
    left: Body | None = None
    """The rest of the delivery, to be sent at once: its further messages, or all of it in its plain
    form, where nothing was sent."""
    rich_refused: bool = False
    """True: the provider refused the rich form, and may refuse the next for the same reason."""
    options_listed: bool = False
    """True: the options went as lines with numbers or letters, as their buttons were refused."""


class Typing(Value, frozen=True, tag="typing"):
    conversation: str
    about: str = ""
    """`message_key` of the update that is being answered."""


class Draft(Value, frozen=True, tag="draft"):
    """The answer so far, shown while it grows. A preview only: the outbox delivers."""

    conversation: str
    draft_id: int
    """Not 0, the same for all drafts of one turn."""
    text: str
    entities: tuple[Entity, ...] = ()


Preview = Typing | Draft


def sum_segments(bodies: Iterable[Body]) -> int:
    """Return how many paid segments these bodies take together."""
    return sum(body.segments for body in bodies if isinstance(body, TextBody))


_BODY: msgspec.json.Decoder[Body] = msgspec.json.Decoder(Body)


def decode_body(text: str | bytes) -> Body:
    """Return the rendered delivery that `encode` wrote. Raises `msgspec.ValidationError`
    otherwise."""
    return _BODY.decode(text)
