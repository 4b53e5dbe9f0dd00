// An exercise in the conversation: options to tap or an answer to type, hints, and the one after it.

import { postJson, ApiError } from "./api.js";
import { optionButton } from "./cards.js";
import { inline } from "./inline.js";
import { make, Prose } from "./markdown.js";
import { say } from "./words.js";

/** An exercise; the next of its series is placed below it once it is over. Its `outcome` says how it
 * stands where it was answered before. */
export function exerciseCard(exercise) {
  return new ExerciseCard(exercise).element;
}

class ExerciseCard {
  element;
  #exercise;
  #options = []; // a button each
  #verdict = make("div", "verdict");
  #hints = make("div", "hints");
  #actions;
  #hint;
  #solution;

  constructor(exercise) {
    this.#exercise = exercise;
    const statement = make("div", "prose");
    statement.id = `exercise-${exercise.id}`;
    new Prose(statement).show(exercise.statement);
    this.#verdict.setAttribute("role", "status");
    this.#hints.setAttribute("aria-live", "polite");
    this.#hint = this.#button(say("hint"), "/hint");
    this.#solution = this.#button(say("solution"), "/solution");
    this.#actions = make("div", "actions", this.#hint, this.#solution);
    const controls = exercise.options.length ? this.#makeOptions(statement.id) : this.#makeField();
    const parts = [statement, controls, this.#verdict, this.#hints, this.#actions];
    this.element = make("section", "card quiz exercise", ...parts);
    this.element.setAttribute("aria-labelledby", statement.id);
    if (exercise.outcome) this.#restore(exercise.outcome);
    else if (this.#hasExpired) this.#close(say("exerciseExpired"));
    else this.#offer(exercise);
  }

  get #hasExpired() {
    return this.#exercise.expires_at * 1000 < Date.now();
  }

  /** The last part that is shown. */
  get #last() {
    return [...this.element.children].findLast((part) => !part.hidden && part.hasChildNodes());
  }

  #button(label, command) {
    const button = make("button", "plain", label);
    button.type = "button";
    button.addEventListener("click", () => this.#send(command));
    return button;
  }

  #makeOptions(label) {
    this.#options = this.#exercise.options.map((option, index) => {
      const button = optionButton(option, index);
      button.addEventListener("click", () => this.#send(option, (isRight) => mark(button, isRight)));
      return button;
    });
    const group = make("div", "options", ...this.#options);
    group.setAttribute("role", "group");
    group.setAttribute("aria-labelledby", label);
    return group;
  }

  #makeField() {
    const input = make("input", "");
    input.type = "text";
    input.autocomplete = "off";
    input.maxLength = 200;
    if (this.#exercise.kind === "number") input.inputMode = "text"; // fractions and signs are numbers too
    input.setAttribute("aria-label", say("yourAnswer"));
    const button = make("button", "plain first", say("confirm"));
    const form = make("form", "answer", input, make("span", "unit", this.#exercise.unit), button);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (input.value.trim()) this.#send(input.value.trim(), () => input.select());
    });
    return form;
  }

  /** Show the exercise as it was left. */
  #restore({ state, tries, hints, solution, steps, ...rest }) {
    this.#exercise.options.forEach((option, index) => {
      if (tries.includes(option)) mark(this.#options[index], false);
      if (state === "right" && option === solution) mark(this.#options[index], true);
    });
    for (const hint of hints) this.#addHint(hint);
    if (solution) this.#end({ right: true, wrong: false }[state] ?? null, solution, steps);
    else if (state !== "open") this.#close(say("exerciseOver"));
    else if (this.#hasExpired) this.#close(say("exerciseExpired"));
    else if (tries.length) this.#showWrong(rest);
    else this.#offer(rest);
  }

  async #send(text, onGraded = () => {}) {
    try {
      const path = `/api/v1/exercises/${this.#exercise.id}/answer`;
      const graded = await postJson(path, { text, with_hint: false });
      this.#show(graded, onGraded);
      if (graded.next) this.element.after(exerciseCard(graded.next));
      const shown = graded.next ? this.element.nextElementSibling : this.#last;
      shown.scrollIntoView({ block: "nearest" });
    } catch (error) {
      const over = error instanceof ApiError && { 409: "exerciseOver", 410: "exerciseExpired" }[error.status];
      if (over) return this.#close(say(over));
      const isKnown = error instanceof ApiError && error.message;
      this.#verdict.replaceChildren(isKnown ? error.message : say("unreachable"));
    }
  }

  #show(graded, onGraded) {
    const { correct, hint, solution, steps, message, step_left: stepLeft } = graded;
    const isOpen = graded.hints_left !== undefined;
    if (hint) this.#addHint(hint);
    if (solution) {
      if (correct !== null) onGraded(correct);
      this.#end(correct, solution, steps);
      if (message) this.#verdict.append(make("p", "", message));
    } else if (!isOpen) {
      this.#close(message ?? say("exerciseOver")); // skipped
    } else if (correct === null || stepLeft) {
      if (!hint) this.#verdict.replaceChildren(stepLeft ?? message ?? say("noAnswer"));
      if (hint || message) this.#offer(graded);
    } else {
      onGraded(correct);
      this.#showWrong(graded);
    }
  }

  #showWrong(graded) {
    const words = make("div", "prose");
    if (graded.feedback) new Prose(words).show(graded.feedback);
    this.#judge(false, make("b", "", say("tryAgain")), words);
    this.#offer(graded);
  }

  /** Offer the help that can be had now. */
  #offer({ hints_left: hintsLeft, solution_allowed: solutionAllowed }) {
    this.#hint.hidden = !hintsLeft;
    this.#solution.hidden = !solutionAllowed;
    this.#actions.hidden = !hintsLeft && !solutionAllowed;
  }

  #addHint(hint) {
    const words = make("div", "prose");
    new Prose(words).show(`💡 ${hint}`);
    this.#hints.append(words);
  }

  #end(isRight, solution, steps = []) {
    const words = say(isRight ? "exerciseRight" : "exerciseWas", { answer: solution });
    this.#close(make("b", "", ...inline(words)));
    this.#judge(isRight, ...this.#verdict.childNodes);
    this.#verdict.before(this.#hints); // the end comes last
    if (!steps.length) return;
    const way = make("div", "prose");
    new Prose(way).show(steps.map((step) => `- ${step}`).join("\n"));
    this.#verdict.append(way);
  }

  #judge(isRight, ...words) {
    this.#verdict.classList.toggle("right", Boolean(isRight));
    this.#verdict.classList.toggle("wrong", isRight === false);
    this.#verdict.replaceChildren(...words);
  }

  #close(words) {
    for (const control of this.element.querySelectorAll("button, input")) control.disabled = true;
    this.#actions.hidden = true;
    this.#verdict.replaceChildren(words);
  }
}

function mark(button, isRight) {
  button.classList.add(isRight ? "right" : "wrong");
  button.querySelector(".letter").textContent = isRight ? "✓" : "✕";
  button.disabled = true;
}
