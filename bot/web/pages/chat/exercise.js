// An exercise in the conversation: options to tap or an answer to type, hints, and the one after it.

import { postJson, ApiError } from "./api.js";
import { optionButton } from "./cards.js";
import { inline } from "./inline.js";
import { make, Prose } from "./markdown.js";
import { say } from "./words.js";

const TRIES_BEFORE_SOLUTION = 2;

/** An exercise; the next of its series is placed below it once it is over. `onSolution` is called when
 * the person wants to see the solution. */
export function exerciseCard(exercise, onSolution) {
  const statement = make("div", "prose");
  statement.id = `exercise-${exercise.id}`;
  new Prose(statement).show(exercise.statement);
  const verdict = make("div", "verdict");
  verdict.setAttribute("role", "status");
  const card = make("section", "card quiz exercise", statement);
  card.setAttribute("aria-labelledby", statement.id);
  const send = (text, mark) => answer({ exercise, card, verdict, onSolution }, text, mark);
  card.append(exercise.options.length ? options(exercise, statement.id, send) : field(exercise, send), verdict);
  if (exercise.expires_at * 1000 < Date.now()) close(card, verdict, say("exerciseExpired"));
  return card;
}

function options(exercise, label, send) {
  const buttons = exercise.options.map((option, index) => {
    const button = optionButton(option, index);
    button.addEventListener("click", () => send(option, (isRight) => {
      button.classList.add(isRight ? "right" : "wrong");
      button.querySelector(".letter").textContent = isRight ? "✓" : "✕";
      button.disabled = true;
    }));
    return button;
  });
  const group = make("div", "options", ...buttons);
  group.setAttribute("role", "group");
  group.setAttribute("aria-labelledby", label);
  return group;
}

function field(exercise, send) {
  const input = make("input", "");
  input.type = "text";
  input.autocomplete = "off";
  input.maxLength = 200;
  if (exercise.kind === "number") input.inputMode = "text"; // fractions and signs are numbers too
  input.setAttribute("aria-label", say("yourAnswer"));
  const button = make("button", "plain first", say("confirm"));
  const form = make("form", "answer", input, make("span", "unit", exercise.unit), button);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (input.value.trim()) send(input.value.trim(), () => input.select());
  });
  return form;
}

async function answer({ exercise, card, verdict, onSolution }, text, mark) {
  try {
    const graded = await postJson(`/api/v1/exercises/${exercise.id}/answer`, { text });
    if (graded.correct === null) return void verdict.replaceChildren(say("noAnswer"));
    if (graded.step_left) return void verdict.replaceChildren(graded.step_left);
    if (graded.message && !graded.solution) return close(card, verdict, make("p", "", graded.message)); // skipped
    mark(graded.correct);
    verdict.classList.toggle("right", graded.correct);
    verdict.classList.toggle("wrong", !graded.correct);
    if (!graded.solution) return showHint(verdict, graded, onSolution);
    const words = say(graded.correct ? "exerciseRight" : "exerciseWas", { answer: graded.solution });
    close(card, verdict, make("b", "", ...inline(words)));
    if (graded.message) verdict.append(make("p", "", graded.message));
    if (graded.next) card.after(exerciseCard(graded.next, onSolution));
    (card.nextElementSibling ?? card).scrollIntoView({ block: "nearest" });
  } catch (error) {
    verdict.replaceChildren(error instanceof ApiError && error.message ? error.message : say("unreachable"));
  }
}

function showHint(verdict, { hint, tries }, onSolution) {
  const words = make("div", "prose");
  if (hint) new Prose(words).show(`💡 ${hint}`);
  verdict.replaceChildren(make("b", "", say("tryAgain")), words);
  if (!hint || tries >= TRIES_BEFORE_SOLUTION) {
    const button = make("button", "plain", say("solution"));
    button.type = "button";
    button.addEventListener("click", onSolution);
    verdict.append(make("div", "actions", button));
  }
  verdict.scrollIntoView({ block: "nearest" });
}

function close(card, verdict, words) {
  for (const control of card.querySelectorAll("button, input")) control.disabled = true;
  verdict.replaceChildren(words);
}
