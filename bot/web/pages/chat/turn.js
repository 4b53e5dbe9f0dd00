// One turn in the conversation: what its events look like.

import { approvalCard, fileCard, quizCard } from "./cards.js";
import { exerciseCard } from "./exercise.js";
import { copyButton, make, Prose } from "./markdown.js";
import { say } from "./words.js";

export class Turn {
  element = make("article", "turn");
  failure = "";
  failureCode = "";
  reason = "";
  /** A model answers; commands and exercises have no other answer when asked again. */
  byModel = false;
  #waiting = waiting();
  #text = "";
  #said = []; // each text of the answer
  #prose = null;
  #thoughts = null;
  #painting = 0;
  #tools = new Map();
  #outside;

  /** `outside`: `{reader, scroll(), another(), again?(), decide(id, choice, text)}`. */
  constructor(outside) {
    this.#outside = outside;
    this.element.append(this.#waiting);
  }

  take(name, data) {
    const show = {
      agent_prep: () => (this.byModel = true),
      content: () => this.#say(data.text),
      thinking: () => this.#think(data.text, data.replaces_content),
      tool_start: () => this.#work(data.id, data.detail || data.name),
      tool_progress: () => this.#progress(data),
      tool_end: () => this.#worked(data.id, data.is_error),
      quiz: () => this.#place(quizCard(data, this.#outside.another)),
      exercise: () => this.#place(exerciseCard(data)),
      file: () => this.#place(fileCard(data, this.#outside.reader)),
      awaiting_approval: () => this.#place(approvalCard(data, this.#outside.decide)),
      system_message: () => this.note(data.text),
      error: () => ([this.failure, this.failureCode] = [data.message, data.code]),
      end: () => (this.reason = data.reason),
    }[name];
    show?.();
  }

  note(text, label = "", act = null) {
    const line = note(text, label, act && (() => (line.remove(), act())));
    this.element.append(line);
    this.#outside.scroll();
  }

  finish() {
    this.#paint();
    this.#waiting.remove();
    for (const tool of this.#tools.values()) tool.line.classList.remove("running");
    this.#offer();
  }

  /** What can be done with an answer: copy it, ask again. */
  #offer() {
    const texts = [...this.#said, this.#text].filter((text) => text.trim());
    const copy = texts.length ? copyButton(() => texts.join("\n\n").trim()) : null;
    const buttons = copy ? [copy] : [];
    if (this.#outside.again && this.byModel && texts.length) {
      const again = make("button", "small again", say("again"));
      again.type = "button";
      again.addEventListener("click", () => this.#outside.again());
      buttons.push(again);
    }
    if (buttons.length) this.element.append(make("div", "after", ...buttons));
  }

  #say(text) {
    if (!this.#prose) {
      const bubble = make("div", "bubble prose");
      this.#prose = new Prose(bubble);
      this.#said.push(this.#text);
      this.#text = "";
      this.#place(bubble);
    }
    this.#text += text;
    this.#painting ||= requestAnimationFrame(() => this.#paint(true));
  }

  #think(text, replacesText) {
    if (replacesText) {
      this.#text = "";
      this.#paint();
    }
    if (!this.#thoughts) {
      this.#thoughts = make("p");
      const folded = make("details", "thinking", make("summary", "", say("thinking")), this.#thoughts);
      this.element.append(folded, this.#waiting);
    }
    this.#thoughts.append(text);
    this.#outside.scroll();
  }

  #paint(growing = false) {
    cancelAnimationFrame(this.#painting);
    this.#painting = 0;
    this.#prose?.show(this.#text, growing);
    this.#outside.scroll();
  }

  #place(element) {
    this.#waiting.remove();
    this.element.append(element);
    this.#outside.scroll();
  }

  #work(id, label) {
    const known = this.#tools.get(id);
    if (known) {
      if (label) known.label.textContent = label;
      return known;
    }
    this.#paint();
    this.#prose = this.#thoughts = null; // what is said after a tool begins anew
    const tool = { label: make("span", "", label || say("atWork")), tail: make("span", "tail"), written: 0 };
    tool.line = make("p", "tool running", make("span", "", tool.label, " ", tool.tail));
    this.#tools.set(id, tool);
    this.element.append(tool.line, this.#waiting);
    this.#outside.scroll();
    return tool;
  }

  #progress({ id, delta, tail, elapsed_s }) {
    const tool = this.#work(id, "");
    tool.written += delta?.length ?? 0;
    const last = tail?.trim().split("\n").at(-1);
    if (last) tool.tail.textContent = last;
    else if (elapsed_s) tool.tail.textContent = say("seconds", { n: Math.round(elapsed_s) });
    else tool.tail.textContent = say("characters", { n: tool.written });
  }

  #worked(id, isError) {
    const tool = this.#tools.get(id);
    if (!tool) return;
    tool.line.classList.remove("running");
    tool.line.classList.toggle("failed", isError);
    tool.tail.remove();
    tool.label.textContent = tool.label.textContent.replace("… ", say("colon")).replace(/…$/, "");
  }
}

/** A line beside the conversation; `act()` is what its button does. */
export function note(text, label = "", act = null) {
  const line = make("div", act ? "note bad" : "note", make("p", "", text));
  if (act) {
    const button = make("button", "plain", label);
    button.type = "button";
    button.addEventListener("click", act);
    line.append(button);
  }
  return line;
}

function waiting() {
  const dots = make("div", "waiting", make("i"), make("i"), make("i"));
  dots.setAttribute("aria-hidden", "true");
  return dots;
}
