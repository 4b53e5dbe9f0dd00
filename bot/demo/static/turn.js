// One turn in the conversation: what its events look like.

import { fileCard, quizCard } from "/demo/cards.js";
import { make, Prose } from "/demo/markdown.js";
import { say } from "/demo/words.js";

export class Turn {
  /** Whether anything was said, asked or made. */
  spoke = false;
  failure = "";
  reason = "";
  #element = make("article", "turn");
  #waiting = waiting();
  #text = "";
  #prose = null;
  #painting = 0;
  #tools = new Map();
  #outside;

  /** `outside`: `{reader, ask, scroll}`. */
  constructor(log, outside) {
    this.#outside = outside;
    this.#element.append(this.#waiting);
    log.append(this.#element);
  }

  take(name, data) {
    const show = {
      content: () => this.#say(data.text),
      tool_start: () => this.#work(data.id, data.name, data.detail),
      tool_progress: () => this.#progress(data),
      tool_end: () => this.#worked(data.id, data.is_error),
      quiz: () => this.#place(quizCard(data, this.#outside.another)),
      file: () => this.#place(fileCard(data, this.#outside.reader)),
      system_message: () => this.note(data.text),
      error: () => (this.failure = data.message),
      end: () => (this.reason = data.reason),
    }[name];
    show?.();
  }

  /** A line beside the conversation, with a button if there is something to do about it. */
  note(text, label = "", act = null) {
    const note = make("div", act ? "note bad" : "note", make("p", "", text));
    if (act) {
      const button = make("button", "plain", label);
      button.type = "button";
      button.addEventListener("click", act);
      note.append(button);
    }
    this.#element.append(note);
    this.#outside.scroll();
  }

  finish() {
    this.#paint();
    this.#waiting.remove();
    for (const tool of this.#tools.values()) tool.line.classList.remove("running");
  }

  #say(text) {
    if (!this.#prose) {
      const bubble = make("div", "bubble prose");
      this.#prose = new Prose(bubble);
      this.#text = "";
      this.#place(bubble);
    }
    this.#text += text;
    this.#painting ||= requestAnimationFrame(() => this.#paint(true));
  }

  #paint(growing = false) {
    cancelAnimationFrame(this.#painting);
    this.#painting = 0;
    this.#prose?.show(this.#text, growing);
    this.#outside.scroll();
  }

  #place(element) {
    this.spoke = true;
    this.#waiting.remove();
    this.#element.append(element);
    this.#outside.scroll();
  }

  #work(id, name, detail) {
    this.#paint();
    this.#prose = null; // what is said after a tool begins anew
    const known = this.#tools.get(id);
    if (known) return;
    const text = make("span", "", say("tools")[name] ?? (detail || name));
    const line = make("p", "tool running", text);
    this.#tools.set(id, { line, text, written: 0 });
    this.#element.append(line, this.#waiting);
    this.#outside.scroll();
  }

  #progress({ id, name, delta, tail }) {
    this.#work(id, name, "");
    const tool = this.#tools.get(id);
    tool.written += delta?.length ?? 0;
    const label = say("tools")[name] ?? name;
    tool.text.textContent = `${label} ${tail ?? say("characters", { n: tool.written })}`;
  }

  #worked(id, isError) {
    const line = this.#tools.get(id)?.line;
    line?.classList.remove("running");
    line?.classList.toggle("failed", isError);
  }
}

function waiting() {
  const dots = make("div", "waiting", make("i"), make("i"), make("i"));
  dots.setAttribute("aria-hidden", "true");
  return dots;
}
