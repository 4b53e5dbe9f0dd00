// The list of conversations: those of the person, or the guest's that this browser remembers.

import { readSessions } from "./api.js";
import { make } from "./markdown.js";
import { say } from "./words.js";
import { visitor } from "./visitor.js";

const DAY = 86_400_000;
const at = (id) => document.getElementById(id);

export class Drawer {
  #dialog = at("drawer");
  #list = at("conversations");
  #onOpen;
  #isLeaving = false; // the step back that its own closing has asked for is on its way

  /** `onOpen(id)`: the person wants this conversation; `onNew()`: a new one. */
  constructor(onOpen, onNew) {
    this.#onOpen = onOpen;
    at("open-drawer").addEventListener("click", () => this.#open());
    at("drawer-close").addEventListener("click", () => this.#dialog.close());
    at("drawer-new").addEventListener("click", () => {
      this.#dialog.close();
      onNew();
    });
    this.#dialog.addEventListener("click", (event) => {
      if (event.target === this.#dialog) this.#dialog.close(); // beside it
    });
    this.#dialog.addEventListener("close", () => this.#leave());
    addEventListener("popstate", () => this.#goBack());
    this.#leave(); // the page was reloaded while it was open
  }

  // On phones people close what covers the page with Back: the open drawer is a step of the history.
  #enter() {
    if (!history.state?.drawer) history.pushState({ drawer: true }, "");
  }

  #leave() {
    this.#isLeaving = Boolean(history.state?.drawer);
    if (this.#isLeaving) history.back();
  }

  #goBack() {
    if (this.#dialog.open && this.#isLeaving) this.#enter(); // it was opened again meanwhile
    else if (!history.state?.drawer) this.#dialog.close();
    this.#isLeaving = false;
  }

  async #open() {
    this.#show(visitor.token ? [] : visitor.conversations);
    at("drawer-state").textContent = visitor.token ? say("reading") : "";
    this.#dialog.showModal();
    this.#enter();
    if (!visitor.token) return this.#tell("");
    const sessions = await readSessions().catch(() => null);
    this.#show(sessions ?? []);
    this.#tell(sessions ? "" : say("unreachable"));
  }

  #tell(words) {
    at("drawer-state").textContent = words || (this.#list.children.length ? "" : say("noConversations"));
  }

  #show(sessions) {
    this.#list.replaceChildren(...sessions.map((session) => make("li", "", this.#button(session))));
  }

  #button({ id, title, channel, updated_at: updated }) {
    const name = channel === "phone" ? say("phoneConversation") : title || say("untitled");
    const button = make("button", "conversation", make("span", "title", name), make("span", "day", showDay(updated)));
    button.type = "button";
    if (visitor.hasSession && id === visitor.session) button.setAttribute("aria-current", "true");
    button.addEventListener("click", () => {
      this.#dialog.close();
      this.#onOpen(id);
    });
    return button;
  }
}

/** The hour of today, the name of a day of this week, else the date. */
function showDay(moment) {
  const date = new Date(moment);
  if (Number.isNaN(date.getTime())) return "";
  const midnight = new Date().setHours(0, 0, 0, 0);
  const form = date >= midnight ? { hour: "2-digit", minute: "2-digit" }
    : date >= midnight - 6 * DAY ? { weekday: "long" } : { day: "numeric", month: "short" };
  // English as in all texts: day, then month, and 24 hours.
  const language = document.documentElement.lang;
  return date.toLocaleString(language === "en" ? "en-GB" : language, form);
}
