// Cards in the conversation: a quiz to tap, a file to open.

import { postJson, ApiError } from "/demo/api.js";
import { make, Prose } from "/demo/markdown.js";
import { say } from "/demo/words.js";

/** A quiz; `onAnother` is called when the person wants one more. */
export function quizCard(quiz, onAnother) {
  const heading = make("h3", "", quiz.question);
  heading.id = `quiz-${quiz.id}`;
  const buttons = quiz.options.map((option, index) => {
    const letter = make("span", "letter", String.fromCharCode(65 + index));
    letter.setAttribute("aria-hidden", "true");
    const button = make("button", "option", letter, make("span", "", option));
    button.type = "button";
    return button;
  });
  const options = make("div", "options", ...buttons);
  options.setAttribute("role", "group");
  options.setAttribute("aria-labelledby", heading.id);
  const verdict = make("div", "verdict");
  verdict.setAttribute("role", "status");
  verdict.tabIndex = -1;
  const card = make("section", "card quiz", heading, options, verdict);
  buttons.forEach((button, index) => {
    button.addEventListener("click", () => answer(quiz, index, buttons, verdict, onAnother));
  });
  return card;
}

async function answer(quiz, index, buttons, verdict, onAnother) {
  for (const button of buttons) button.disabled = true;
  try {
    const graded = await postJson(`/api/v1/quizzes/${quiz.id}/answer`, { index });
    showVerdict(quiz, index, graded, buttons, verdict, onAnother);
  } catch (error) {
    verdict.replaceChildren(error instanceof ApiError && error.message ? error.message : say("broken"));
    if (!(error instanceof ApiError)) for (const button of buttons) button.disabled = false;
  }
}

function showVerdict(quiz, index, graded, buttons, verdict, onAnother) {
  mark(buttons[graded.correct_index], "right", "✓", say("rightMark"));
  if (!graded.correct) mark(buttons[index], "wrong", "✕", say("wrongMark"));
  verdict.classList.add(graded.correct ? "right" : "wrong");
  const answer = quiz.options[graded.correct_index];
  const explanation = make("div", "prose");
  new Prose(explanation).show(graded.explanation);
  const another = make("button", "plain", say("another"));
  another.type = "button";
  another.addEventListener("click", onAnother);
  verdict.append(make("b", "", graded.correct ? say("right") : say("wrong", { answer })), explanation);
  const actions = make("div", "actions", another);
  verdict.after(actions);
  verdict.focus({ preventScroll: true });
  actions.scrollIntoView({ block: "nearest" });
}

function mark(button, className, sign, words) {
  button.classList.add(className);
  button.querySelector(".letter").textContent = sign;
  button.append(make("span", "hidden", ` (${words})`));
}

/** A file: text is opened in `reader`, everything can be downloaded. */
export function fileCard(file, reader) {
  const extension = file.filename.split(".").pop();
  const icon = make("span", "sheet", extension.slice(0, 4).toUpperCase());
  icon.setAttribute("aria-hidden", "true");
  const about = make("div", "about", make("div", "name", file.filename), make("div", "size", size(file.size)));
  const actions = make("div", "actions");
  const path = new URL(file.url, location.href).pathname;
  if (["md", "txt"].includes(extension)) actions.append(openButton(file, path, reader));
  const download = make("a", "plain", say("download"));
  download.href = path;
  download.download = file.filename;
  actions.append(download);
  return make("section", "card file", icon, about, actions);
}

function openButton(file, path, reader) {
  const button = make("button", "plain first", say("open"));
  button.type = "button";
  button.addEventListener("click", async () => {
    const text = reader.querySelector("#reader-text");
    text.replaceChildren();
    reader.querySelector("#reader-name").textContent = file.filename;
    reader.showModal();
    try {
      const response = await fetch(path);
      new Prose(text).show(response.ok ? await response.text() : say("failed"));
    } catch {
      text.textContent = say("broken");
    }
  });
  return button;
}

function size(bytes) {
  return bytes < 1000 ? say("bytes", { n: bytes }) : say("kilobytes", { n: Math.round(bytes / 100) / 10 });
}
