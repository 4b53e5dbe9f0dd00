// Cards in the conversation: a quiz to tap, a file to open, something to consent to.

import { postJson, ApiError } from "./api.js";
import { showSize } from "./attachments.js";
import { inline } from "./inline.js";
import { make, Prose } from "./markdown.js";
import { spell } from "./mathml.js";
import { say } from "./words.js";

/** A quiz; `onAnother` is called when the person wants one more. */
export function quizCard(quiz, onAnother) {
  const heading = make("h2", "");
  heading.id = `quiz-${quiz.id}`;
  heading.append(...inline(quiz.question));
  const buttons = quiz.options.map(optionButton);
  const options = make("div", "options", ...buttons);
  options.setAttribute("role", "group");
  options.setAttribute("aria-labelledby", heading.id);
  const verdict = make("div", "verdict");
  verdict.setAttribute("role", "status");
  verdict.tabIndex = -1;
  const card = make("section", "card quiz", heading, options, verdict);
  card.setAttribute("aria-labelledby", heading.id);
  buttons.forEach((button, index) => {
    button.addEventListener("click", () => answer(quiz, index, buttons, verdict, onAnother));
  });
  if (quiz.outcome) {
    for (const button of buttons) button.disabled = true;
    showVerdict(quiz, quiz.outcome.index, quiz.outcome, buttons, verdict);
  } else if (quiz.expires_at * 1000 < Date.now()) {
    for (const button of buttons) button.disabled = true;
    verdict.append(say("expired"));
  }
  return card;
}

/** A button with a letter and an option. Buttons are read by their text alone, so formulas have one. */
export function optionButton(option, index) {
  const letter = make("span", "letter", String.fromCharCode(65 + index));
  letter.setAttribute("aria-hidden", "true");
  const label = make("span", "", ...inline(option));
  for (const formula of label.querySelectorAll("math")) {
    formula.setAttribute("aria-hidden", "true");
    formula.after(make("span", "hidden", spell(formula)));
  }
  const button = make("button", "option", letter, label);
  button.type = "button";
  return button;
}

async function answer(quiz, index, buttons, verdict, onAnother) {
  for (const button of buttons) button.disabled = true;
  try {
    const graded = await postJson(`/api/v1/quizzes/${quiz.id}/answer`, { index });
    showVerdict(quiz, index, graded, buttons, verdict);
    offerAnother(verdict, onAnother);
  } catch (error) {
    verdict.replaceChildren(error instanceof ApiError && error.message ? error.message : say("unreachable"));
    if (!(error instanceof ApiError)) for (const button of buttons) button.disabled = false;
  }
}

function showVerdict(quiz, index, graded, buttons, verdict) {
  mark(buttons[graded.correct_index], "right", "✓", say("rightMark"));
  if (!graded.correct) mark(buttons[index], "wrong", "✕", say("wrongMark"));
  verdict.classList.add(graded.correct ? "right" : "wrong");
  const answer = quiz.options[graded.correct_index];
  const explanation = make("div", "prose");
  new Prose(explanation).show(graded.explanation);
  const heading = make("b", "", ...inline(graded.correct ? say("right") : say("wrong", { answer })));
  verdict.append(heading, explanation);
}

function offerAnother(verdict, onAnother) {
  const actions = make("div", "actions", textButton("plain", say("another"), onAnother));
  verdict.after(actions);
  verdict.focus({ preventScroll: true });
  actions.scrollIntoView({ block: "nearest" });
}

function textButton(className, text, act) {
  const button = make("button", className, text);
  button.type = "button";
  button.addEventListener("click", act);
  return button;
}

function mark(button, className, sign, words) {
  button.classList.add(className);
  button.querySelector(".letter").textContent = sign;
  button.append(make("span", "hidden", ` (${words})`));
}

const READABLE = ["md", "txt", "csv"];
const PICTURES = ["png", "jpg", "jpeg", "webp"];
const SMALL = 200_000; // bytes of a picture that is shown without asking, on thin data

/** A file: a small picture is seen, text is opened in `reader`, everything can be downloaded. */
export function fileCard(file, reader) {
  const extension = file.filename.split(".").at(-1).toLowerCase();
  const path = new URL(file.url, location.href).pathname;
  const icon = make("span", "sheet", extension.slice(0, 4).toUpperCase());
  icon.setAttribute("aria-hidden", "true");
  const about = make("div", "about", make("div", "name", file.filename), make("div", "size", showSize(file.size)));
  const actions = make("div", "actions");
  if (READABLE.includes(extension)) {
    actions.append(textButton("plain first", say("open"), () => openFile(file, path, reader)));
  }
  const download = make("a", "plain", say("download"));
  download.href = path;
  download.download = file.filename;
  actions.append(download);
  const card = make("section", "card file", icon, about, actions);
  if (PICTURES.includes(extension) && file.size < SMALL) icon.replaceWith(picture(file, path));
  return card;
}

function picture(file, path) {
  const image = make("img", "picture");
  image.src = path;
  image.alt = file.filename;
  image.loading = "lazy";
  return image;
}

async function openFile(file, path, reader) {
  const text = reader.querySelector("#reader-text");
  text.replaceChildren();
  reader.querySelector("#reader-name").textContent = file.filename;
  reader.showModal();
  try {
    const response = await fetch(path);
    new Prose(text, 3).show(response.ok ? await response.text() : say("fileGone"));
  } catch {
    text.textContent = say("unreachable");
  }
}

/** What waits for consent; `decide(id, choice, text)` once, and not when it was decided before. */
export function approvalCard(approval, decide) {
  const text = make("div", "prose");
  new Prose(text).show(approval.text);
  const card = make("section", "card approval", text);
  if (approval.pending === false) return card;
  const actions = make("div", "actions");
  const choose = (choice, words) => {
    actions.replaceChildren(make("p", "chosen", say(`${choice}Done`)));
    decide(approval.id, choice, words);
  };
  const approve = approval.kind === "email" ? say("sendLetter") : say("approve");
  actions.append(
    textButton("plain first", approve, () => choose("approve", "")),
    textButton("plain", say("edit"), () => actions.replaceChildren(changeForm(choose))),
    textButton("plain", say("cancel"), () => choose("cancel", "")),
  );
  card.append(actions);
  return card;
}

function changeForm(choose) {
  const box = make("textarea");
  box.rows = 2;
  box.maxLength = 2000;
  const send = make("button", "plain first", say("send"));
  const form = make("form", "change", make("label", "", say("editLabel"), box), send);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    choose("edit", box.value.trim());
  });
  requestAnimationFrame(() => {
    box.focus();
    form.scrollIntoView({ block: "nearest" });
  });
  return form;
}
