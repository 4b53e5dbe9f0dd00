// The conversation: what is asked, what comes, and what to do when it does not come.

import { ApiError, chat, readTurns, untilOnline } from "./api.js";
import { showAttachment } from "./attachments.js";
import { fit, make } from "./markdown.js";
import { Turn, note } from "./turn.js";
import { visitor } from "./visitor.js";
import { say } from "./words.js";

const LOOK_AGAIN = 2_000;
const SILENT = /^\/(stop|new|language|logout)\b/; // said by buttons, not by the person
const BROKEN_OFF = new Set(["unavailable", "internal"]); // the turn goes on without its stream

export class Conversation {
  #log = document.getElementById("log");
  #toEnd = document.getElementById("to-end");
  #outside;
  #known = new Map(); // id of a turn -> `{elements, ended}`
  #following = true;
  #round = 0; // grows when the conversation is another one
  #waiting = []; // what is to be called when something may be asked, or must wait for an answer

  /** `outside`: `{reader, hear(name, data), show(state), refuse(error, said)}`. */
  constructor(outside) {
    this.#outside = outside;
    this.#log.addEventListener("scroll", () => {
      const { scrollHeight, scrollTop, clientHeight } = this.#log;
      this.#following = scrollHeight - scrollTop - clientHeight < 80;
      this.#toEnd.hidden = this.#following;
    });
    this.#toEnd.addEventListener("click", () => {
      this.#following = true;
      this.scroll();
    });
    addEventListener("resize", () => {
      fit(this.#log);
      this.scroll();
    });
  }

  /** Nothing more can be asked yet. */
  running = false;
  /** What was said before is being fetched. */
  reading = false;

  /** Ask; `decision`: `{id, choice}` on what waits for consent; `files`: what goes with it. */
  async ask(message, decision = undefined, files = []) {
    if (this.running || !(message.trim() || decision || files.length)) return;
    const round = this.#round;
    const said = { message, decision, files, id: "" };
    const mine = this.#write(message ? [message] : [], files);
    const turn = this.#open(decision ? null : () => this.ask(message, undefined, files));
    said.elements = [...mine, turn.element];
    this.#begin();
    try {
      await chat({ message, decision, files }, (name, data) => {
        if (round === this.#round) this.#hear(said, turn, name, data);
      });
      if (turn.reason === "failed" && BROKEN_OFF.has(turn.failureCode)) throw new TypeError();
      if (round === this.#round) this.#conclude(said, turn);
    } catch (error) {
      if (round === this.#round) await this.#fail(round, said, error);
    } finally {
      if (round === this.#round) this.#end();
    }
  }

  /** Resolves when what was said before has been read. */
  async read() {
    if (this.reading) await new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Resolves when something may be asked. */
  async idle() {
    while (this.running) await new Promise((resolve) => this.#waiting.push(resolve));
  }

  stop() {
    chat({ message: "/stop" }, () => {}).catch(() => {});
  }

  /** Show what was said before; a turn that still runs is waited for. Whether one was. */
  async restore() {
    const round = ++this.#round;
    this.#known.clear();
    for (const shown of [...this.#log.children]) if (shown.id !== "welcome") shown.remove();
    this.running = this.reading = false;
    this.#waiting.length = 0; // meant for the conversation that was shown
    this.#log.removeAttribute("aria-busy");
    if (!visitor.hasSession) return false;
    let hasWaited = false;
    this.reading = true;
    this.#begin();
    try {
      await this.#follow(round, (turns) => {
        this.reading = false;
        this.#outside.show();
        hasWaited = turns.some((turn) => !turn.ended);
        if (hasWaited) this.#wake();
      });
    } catch (error) {
      if (error.status !== 401) this.note(say("failed"), say("retry"), () => this.restore());
    } finally {
      if (round === this.#round) this.#end();
    }
    return hasWaited;
  }

  /** A line beside the conversation, with something to do about it if `label` is given; the line. */
  note(text, label = "", act = null) {
    const line = note(text, label, act && (() => (line.remove(), act())));
    this.#log.append(line);
    this.#following = true;
    this.scroll();
    return line;
  }

  // Whoever scrolls up to read is left there; everyone else follows what comes, however tall.
  scroll() {
    if (this.#following) this.#log.scrollTop = this.#log.scrollHeight;
  }

  #begin() {
    this.running = true;
    this.#log.setAttribute("aria-busy", "true"); // a screen reader waits for the whole answer
    this.#log.setAttribute("aria-live", this.reading ? "off" : "polite"); // and hears nothing old
    this.#following = true;
    this.scroll();
    this.#outside.show();
  }

  #end() {
    this.running = this.reading = false;
    this.#log.removeAttribute("aria-busy");
    this.#outside.show();
    this.scroll();
    this.#wake();
  }

  #wake() {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #hear(said, turn, name, data) {
    this.#outside.hear(name, data);
    if (name === "start") {
      said.id = data.turn_id;
      this.#known.set(said.id, { elements: said.elements, ended: false });
    }
    if (name === "progress" && data.step > 1) this.#outside.show(say("step", { n: data.step }));
    turn.take(name, data);
  }

  #conclude(said, turn) {
    turn.finish();
    this.#known.set(said.id, { elements: said.elements, ended: true });
    if (turn.reason === "cancelled") turn.note(say("stopped"));
    if (turn.reason !== "failed") return;
    turn.note(turn.failure || say("failed"), say("retry"), () => this.ask(said.message, undefined, said.files));
  }

  /** What the person wrote and sent. */
  #write(texts, attachments = []) {
    const sent = attachments.length ? [make("div", "mine sent", ...attachments.map(showAttachment))] : [];
    const mine = [...sent, ...texts.map((text) => make("div", "mine", text))];
    this.#log.append(...mine);
    return mine;
  }

  #open(again = null) {
    const turn = new Turn({
      again,
      reader: this.#outside.reader,
      scroll: () => this.scroll(),
      another: () => this.ask(say("anotherMessage")),
      decide: (id, choice, text) => this.ask(text, { id, choice }),
    });
    this.#log.append(turn.element);
    return turn;
  }

  async #fail(round, said, error) {
    if (error instanceof ApiError) {
      for (const element of said.elements) element.remove();
      this.#outside.refuse(error, said);
      return;
    }
    const lost = note(say("broken"));
    this.#log.append(lost);
    this.scroll();
    try {
      await this.#follow(round, (turns) => {
        lost.remove();
        this.#resolve(said, turns);
      });
    } catch (later) {
      lost.remove();
      this.#outside.refuse(later, said);
    }
  }

  // The connection broke before the gateway answered: it may have heard the message, or not. It is
  // asked which, and never told again by itself.
  #resolve(said, turns) {
    if (said.id) return;
    const heard = turns.some((turn) => !this.#known.has(turn.turn_id)
      && (said.message ? turn.said.includes(said.message) : turn.attachments?.length));
    for (const element of said.elements) element.remove();
    if (!heard) this.#outside.refuse(new TypeError(), said);
  }

  /** Show the turns that the gateway knows until all have ended; `onFirst(turns)` comes before. */
  async #follow(round, onFirst = () => {}) {
    for (let first = true; round === this.#round; first = false) {
      const turns = await this.#reach(round);
      if (round !== this.#round) return;
      if (first) onFirst(turns);
      for (const turn of turns) this.#place(turn);
      this.scroll();
      if (turns.every((turn) => turn.ended)) return;
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN));
    }
  }

  /** The turns, as soon as the network is back. */
  async #reach(round) {
    while (round === this.#round) {
      try {
        const turns = await readTurns();
        this.#outside.show();
        return turns;
      } catch (error) {
        if (error instanceof ApiError) throw error;
        this.#outside.show(say("offline"));
        await untilOnline();
      }
    }
    return [];
  }

  #place({ turn_id, said, attachments = [], events, by_model: byModel, ended }) {
    const known = this.#known.get(turn_id);
    if (known && (known.ended || !ended)) return;
    if (said.length && said.every((text) => SILENT.test(text))) return;
    const canRepeat = said.length && !attachments.length;
    const last = [...this.#log.children].findLast((element) => !element.classList.contains("note"));
    const turn = this.#open(canRepeat ? () => this.ask(said.join("\n")) : null);
    const elements = [...this.#write(said, attachments), turn.element];
    turn.byModel = byModel;
    for (const [name, data] of events) {
      // What was sent as messages of their own does not run together.
      turn.take(name, name === "content" ? { text: `${data.text}\n\n` } : data);
    }
    if (ended) turn.finish();
    const before = known?.elements.find((element) => element.isConnected);
    if (before) before.before(...elements);
    else last.after(...elements); // what is noted at the end stays there
    for (const element of known?.elements ?? []) element.remove();
    this.#known.set(turn_id, { elements, ended });
  }
}
