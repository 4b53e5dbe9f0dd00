"""What goes out: what a turn wants said, and the same rendered for one channel."""

from __future__ import annotations

from typing import Literal

import msgspec

from bot.messages.value import ExerciseKind, QuizKind, Value


class Button(Value, frozen=True):
    label: str
    token: str
    """Opaque and single-use, at most 64 bytes; it holds no answer."""


class Say(Value, frozen=True, tag="say"):
    """Markdown to be said, with buttons under it."""

    markdown: str
    buttons: tuple[Button, ...] = ()
    shown: bool = False
    """The person's own stream has shown this text already (it was streamed as content)."""
    link: Literal["", "page", "review", "stop"] = ""
    """Where the person cannot answer, the text ends in a link: to a page with all of it, which
    leaves it one segment long, or to opt out. `review`: wherever it is said, to a page that asks
    what is due to be reviewed."""
    asks_number: bool = False
    """It asks for the person's phone number: by a button of its own, where the channel has that."""


class AskQuiz(Value, frozen=True, tag="quiz"):
    """A quiz without its answer; `tokens[i]` stands for `options[i]`."""

    id: str
    kind: QuizKind
    question: str
    options: tuple[str, ...]
    tokens: tuple[str, ...]
    expires_at: float


class AskExercise(Value, frozen=True, tag="exercise"):
    """An exercise without its solution."""

    id: str
    statement: str
    """Markdown."""
    kind: ExerciseKind
    expires_at: float
    lead: str = ""
    """Markdown that is said before it, such as the verdict on the one before."""
    options: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()
    """`tokens[i]` stands for `options[i]`."""
    unit: str = ""
    skill: str = ""
    hints_left: int = 0
    tries: int = 0


class AskApproval(Value, frozen=True, tag="approval"):
    """Something that waits for the person's consent; the buttons hold its choices."""

    id: str
    kind: str
    """What is to be decided: `plan`."""
    text: str
    """What they consent to, as markdown."""
    buttons: tuple[Button, ...]


class SendCode(Value, frozen=True, tag="code"):
    """A one-time code, which is put into the text only when it is sent."""

    code_id: str
    markdown: str
    """With six zeros in the code's place."""
    template: bool = False
    """By the channel's template, as free words would not be taken now."""


class ShareFile(Value, frozen=True, tag="file"):
    """A file of the library, to be delivered as an attachment or a link."""

    file_id: str
    filename: str
    mime_type: str
    size: int
    caption: str = ""
    shows_formulas: bool = False
    """A picture of formulas that the text beside it also says, each on a line."""


class SendEmail(Value, frozen=True, tag="send_email"):
    """An e-mail, which its channel alone can carry."""

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
    """Whose it is, who is told if it is refused; None: our own."""
    asked_in: str = ""
    """The conversation in which they asked for it."""
    code_id: str = ""
    """The one-time code whose place six zeros keep in the text until it is sent."""


class Acknowledge(Value, frozen=True, tag="acknowledge"):
    """The answer to a button press (a short toast), required by Telegram."""

    callback_id: str
    text: str = ""


class RetireButtons(Value, frozen=True, tag="retire"):
    """Take the buttons away from a message that we sent earlier."""

    message_id: str
    chosen: Button | None = None
    """What is left in their place: it shows what the person has chosen."""


class AnswerCheckout(Value, frozen=True, tag="checkout"):
    """The answer to a `Checkout`: go on, or why not."""

    checkout_id: str
    error: str = ""
    """For the person; empty: all is well."""


class Invoice(Value, frozen=True, tag="invoice"):
    """A bill that is paid inside the channel; nothing where a channel has no such thing."""

    payload: str
    """What it is for; it comes back in `Checkout` and `Paid`. At most 128 bytes."""
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
    """A text as one rich message, and what is sent where that is refused."""

    html: str
    """In the tags of `render/rich_html.py`; empty once it was refused."""
    plain: tuple[TextBody | FileBody, ...] = ()
    """The same as several messages; empty where the text is one by itself."""
    sent: int = 0
    """How many of these were sent."""


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
    """What the button says that opens the buttons as a list, where a channel has such lists."""
    quiz: AskQuiz | None = None
    """The quiz that this text asks, for channels that show quizzes natively (HTTP, console)."""
    exercise: AskExercise | None = None
    """The exercise that this text asks."""
    approval: AskApproval | None = None
    """What this text asks consent for, likewise."""
    segments: int = 0
    """What it costs where segments are paid (SMS)."""
    shown: bool = False
    asks_number: bool = False
    """Under it is the channel's own button by which the person tells their phone number."""
    code_id: str = ""
    """The one-time code whose place six zeros keep in the text until it is sent."""
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
    """The adapter's configured template: all that may be said outside the window (WhatsApp)."""

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


def drop_sent_part(body: Body) -> Body | None:
    """Return what is left of a rich text in plain messages once the next of them is sent; None:
    nothing, or it is no such text."""
    if not isinstance(body, TextBody) or body.rich is None or body.rich.html:
        return None
    form = msgspec.structs.replace(body.rich, sent=body.rich.sent + 1)
    return msgspec.structs.replace(body, rich=form) if form.sent < len(form.plain) else None


MESSAGES = (TextBody, FileBody, TemplateBody, EmailBody, Invoice)
"""What providers count as messages; the answer to a tap is none."""


class Delivery(Value, frozen=True):
    """One thing to say, rendered, as the outbox hands it to an adapter."""

    id: int
    lane: str
    conversation: str
    body: Body
    attempt: int = 1


class Sent(Value, frozen=True):
    """The provider took the delivery."""

    provider_id: str
    """Empty where the provider gives none (an acknowledged button press)."""
    body: Body | None = None
    """The delivery as it ended, where that differs: some of several recipients refused it."""
    left: Body | None = None
    """What is still to be sent of it, at once: it is more than one message."""


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


_BODY: msgspec.json.Decoder[Body] = msgspec.json.Decoder(Body)


def decode_body(text: str | bytes) -> Body:
    """Return the rendered delivery that `encode` wrote. Raises `msgspec.ValidationError`
    otherwise."""
    return _BODY.decode(text)
