// The panel for engineers: each event of the turn, as it arrives.

import { make } from "./markdown.js";

const LONGEST = 160;

export class Inside {
  #list = document.getElementById("events");
  #count = document.getElementById("count");
  #began = 0;
  #last = null;

  begin() {
    this.#list.replaceChildren();
    this.#count.textContent = "";
    this.#began = performance.now();
    this.#last = null;
  }

  /** Add the event; pieces of one text share a line. */
  add(name, data) {
    const time = make("time", "", `${Math.round(performance.now() - this.#began)} ms`);
    const last = this.#last;
    if (last?.name === name && ["content", "thinking", "tool_progress"].includes(name)) {
      last.pieces += 1;
      last.code.textContent = `× ${last.pieces}  ${compact(data)}`;
    } else {
      const code = make("code", "", compact(data));
      this.#list.append(make("li", "", time, make("b", "", name), code));
      this.#last = { name, code, pieces: 1 };
    }
    this.#count.textContent = `(${this.#list.children.length})`;
    this.#list.scrollTop = this.#list.scrollHeight;
  }
}

function compact(data) {
  const text = JSON.stringify(data);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
