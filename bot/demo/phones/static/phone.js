// One phone: what it shows, and what is done on it.

import { fromEntities, fromMarkers, fromRich, linked, make } from "/demo/phones/styled.js";
import { clock, money, say, tries } from "/demo/phones/words.js";

const TOAST = 4000;
const NAMES = { telegram: "Telegram", whatsapp: "WhatsApp", sms: "SMS" };
const STYLES = { telegram: fromEntities, whatsapp: fromMarkers, sms: linked };

export class Phone {
  /**
   * @param kind telegram, whatsapp or sms
   * @param outside `act(kind, deed)` does something, `openList`, `openFile` show a dialog
   */
  constructor(kind, outside) {
    this.kind = kind;
    this.outside = outside;
    this.root = document.getElementById("phone").content.cloneNode(true).firstElementChild;
    this.root.classList.add(kind);
    this.root.dataset.panel = kind;
    const at = (selector) => this.root.querySelector(selector);
    [this.log, this.doing, this.chips, this.toaster] = [".log", ".doing", ".chips", ".toast"].map(at);
    [this.form, this.input, this.spent] = ["form", "textarea", ".spent"].map(at);
    at("h2").textContent = "Griot";
    this.attach = at(".attach");
    this.attach.hidden = kind === "sms";
    this.#listen();
    this.clear();
  }

  clear() {
    this.bubbles = new Map();
    this.marks = [];
    this.hear = () => {}; // called when Griot has said something
    this.isShared = false; // whether Griot knows the number; by WhatsApp and SMS it always does
    this.tries = null; // things to ask, as buttons under the newest message
    this.draftBubble = null;
    this.segments = this.usd = 0;
    this.follows = true;
    this.log.replaceChildren(make("p", "empty"));
    this.quiet();
    this.speak();
  }

  speak() {
    const name = NAMES[this.kind];
    this.root.setAttribute("aria-label", name);
    this.log.setAttribute("aria-label", say("logLabel", { phone: name }));
    this.chips.setAttribute("aria-label", say("chipsLabel"));
    this.input.setAttribute("aria-label", say("message", { phone: name }));
    this.input.placeholder = say("placeholder");
    this.form.querySelector(".send").setAttribute("aria-label", `${say("send")}, ${name}`);
    this.attach.querySelector(".hidden").textContent = say("photo");
    this.attach.querySelector("input").setAttribute("aria-label", `${say("photo")}, ${name}`);
    const empty = this.log.querySelector(".empty");
    const hint = this.kind === "telegram" ? "emptyTelegram" : "empty";
    if (empty) empty.textContent = say(hint, { number: this.outside.number });
    this.chips.replaceChildren(...this.#suggestions());
    for (const [line, told] of this.marks) line.firstChild.textContent = say(`mark_${told.kind}`, told);
    if (!this.typing) this.quiet();
    this.#count();
  }

  // What is shown

  /** A thin line where something was done to Griot, or by a provider. */
  mark(told) {
    const line = make("p", `mark ${told.kind}`, make("span", "", say(`mark_${told.kind}`, told)));
    this.marks.push([line, told]);
    this.log.append(line);
    this.scroll();
  }

  show(told) {
    this.log.querySelector(".empty")?.remove();
    if (!told.mine) this.hear();
    if (!told.mine) this.#undraft();
    if (!told.mine) this.quiet();
    const known = this.bubbles.get(told.id);
    if (known) this.#update(known, told);
    else this.#add(told);
    this.scroll();
  }

  draft(told) {
    this.log.querySelector(".empty")?.remove();
    if (!this.draftBubble) {
      this.draftBubble = make("div", "bubble draft");
      this.draftBubble.setAttribute("aria-hidden", "true"); // the whole answer is read, once
      this.log.append(this.draftBubble);
    }
    this.draftBubble.replaceChildren(make("div", "text", ...fromEntities(told.text, told.entities)));
    this.type(5);
    this.scroll();
  }

  type(seconds) {
    clearTimeout(this.typing);
    this.#tellState("typing");
    this.root.classList.add("typing");
    this.typing = setTimeout(() => this.quiet(), seconds * 1000);
  }

  quiet() {
    clearTimeout(this.typing);
    this.typing = null;
    this.root.classList.remove("typing");
    this.#tellState({ telegram: "bot", whatsapp: "online" }[this.kind]);
  }

  #tellState(state) {
    const name = NAMES[this.kind];
    this.doing.textContent = state ? `${name} · ${say(state)}` : name;
  }

  toast(text) {
    for (const button of this.log.querySelectorAll(".spinning")) button.classList.remove("spinning");
    clearTimeout(this.toasting);
    this.toaster.textContent = text;
    this.toasting = setTimeout(() => (this.toaster.textContent = ""), TOAST);
  }

  scroll() {
    if (this.follows) this.log.scrollTop = this.log.scrollHeight;
  }

  #undraft() {
    this.draftBubble?.remove();
    this.draftBubble = null;
  }

  #add(told) {
    const bubble = make("article", told.mine ? "bubble mine" : "bubble");
    if (told.mine && told.text.startsWith("👤")) this.#share();
    const held = { told, bubble, tick: make("span", "tick") };
    held.tick.setAttribute("role", "img");
    if (told.file) bubble.append(this.#file(told.file));
    if (told.rich?.length) bubble.append(make("div", "rich", ...fromRich(told.rich)));
    else if (told.text) bubble.append(make("div", "text", ...STYLES[this.kind](told.text, told.entities)));
    bubble.append(this.#meta(told, held.tick));
    held.keyboard = make("div", "keyboard");
    this.bubbles.set(told.id, held);
    this.log.append(bubble, held.keyboard);
    this.#offer(told);
    this.#update(held, told);
    this.segments += told.mine ? 0 : told.segments;
    this.usd += told.mine ? 0 : told.usd;
    this.#count();
  }

  /** Buttons for what a message suggests to ask, until the next one comes. */
  #offer(told) {
    this.tries?.remove();
    this.tries = null;
    const offered = told.mine ? [] : tries().filter((text) => told.text.includes(text));
    if (offered.length < 2) return;
    const keys = offered.map((text) => this.#button("key", text, { text }));
    this.tries = make("div", "keyboard", ...keys.map((key) => make("div", "keys", key)));
    this.log.append(this.tries);
  }

  #button(kind, label, deed) {
    const button = make("button", kind, label);
    button.type = "button";
    button.addEventListener("click", () => this.#ask(deed));
    return button;
  }

  #update(held, told) {
    held.told = told;
    const ticked = told.mine || this.kind !== "telegram";
    held.tick.hidden = !ticked;
    held.tick.dataset.tick = told.tick;
    held.tick.setAttribute("aria-label", say(`tick_${told.tick}`));
    held.tick.title = say(`tick_${told.tick}`);
    const shape = JSON.stringify([told.rows, told.menu]);
    if (held.shape === shape) return;
    held.shape = shape;
    held.keyboard.classList.toggle("list", Boolean(told.menu));
    held.keyboard.replaceChildren(...(told.menu ? [this.#menu(told)] : told.rows.map((row) => this.#row(told, row))));
  }

  #meta(told, tick) {
    const meta = make("p", "meta");
    if (told.segments) {
      const word = say(told.segments === 1 ? "segment" : "segments");
      const price = told.usd ? ` · ${money(told.usd)}` : "";
      meta.append(make("span", "segments", `${told.segments} ${word}${price}`), " ");
    }
    meta.append(make("time", "", clock(told.at)), " ", tick);
    return meta;
  }

  #file(file) {
    if (file.mime_type.startsWith("image/")) {
      const picture = make("img", "picture");
      Object.assign(picture, { src: file.url, alt: file.name });
      picture.addEventListener("load", () => this.scroll());
      return picture;
    }
    if (file.mime_type.startsWith("audio/")) {
      const player = make("audio", "voice");
      Object.assign(player, { src: file.url, controls: true, preload: "metadata" });
      player.setAttribute("aria-label", say("voice"));
      return player;
    }
    const icon = make("span", "file-icon", "▤");
    icon.setAttribute("aria-hidden", "true");
    const button = make("button", "file", icon, make("span", "", file.name));
    button.type = "button";
    if (file.mime_type === "application/pdf") button.prepend(this.#thumbnail(file));
    button.setAttribute("aria-label", say("open", { name: file.name }));
    button.addEventListener("click", () => this.outside.openFile(file));
    return button;
  }

  /** The top of the first page. */
  #thumbnail(file) {
    const picture = make("img", "thumbnail");
    Object.assign(picture, { src: `${file.url}/pages/0`, alt: "" });
    picture.addEventListener("load", () => this.scroll());
    picture.addEventListener("error", () => picture.remove());
    return picture;
  }

  #row(told, row) {
    return make("div", "keys", ...row.map((option) => this.#key(told, option)));
  }

  #key(told, option) {
    const button = make("button", "key", option.label);
    button.type = "button";
    button.addEventListener("click", () => {
      button.classList.add("spinning");
      this.#tap(told, option);
    });
    return button;
  }

  #menu(told) {
    const button = make("button", "key", told.menu);
    button.type = "button";
    const options = told.rows.flat();
    button.addEventListener("click", () => {
      this.outside.openList(told.text, options, (option) => this.#tap(told, option));
    });
    return make("div", "keys", button);
  }

  #count() {
    const shown = this.kind === "sms" && this.segments;
    this.spent.textContent = shown ? say(this.segments === 1 ? "spentOne" : "spent", { n: this.segments, usd: money(this.usd) }) : "";
  }

  // What is done

  #suggestions() {
    const able = say("chips").filter(([, deed]) => this.kind !== "sms" || !deed.sample);
    const share = [say("share"), { contact: true }];
    const chips = this.kind === "telegram" && !this.isShared ? [...able, share] : able;
    return chips.map(([label, deed]) => this.#button("chip", label, deed));
  }

  /** What a suggestion does. On Telegram it logs in before: a guest has no quiz and no file. */
  async #ask(deed) {
    if (this.kind === "telegram" && !this.isShared && !deed.contact) {
      const welcomed = new Promise((resolve) => (this.hear = resolve));
      await this.#act({ contact: true });
      await Promise.race([welcomed, new Promise((resolve) => setTimeout(resolve, TOAST))]);
    }
    await this.#act(deed);
  }

  #listen() {
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = this.input.value;
      if (!text.trim()) return;
      this.input.value = "";
      this.#act({ text });
    });
    this.input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.form.requestSubmit();
    });
    this.attach.querySelector("input").addEventListener("change", (event) => {
      const [photo] = event.target.files;
      event.target.value = "";
      if (photo) this.#sendPhoto(photo);
    });
    this.log.addEventListener("drawn", () => this.scroll());
    this.log.addEventListener("scroll", () => {
      // Only the person scrolls up: what grows above the end, such as a photo, moves it down.
      const up = this.log.scrollTop < this.scrolledTo;
      this.scrolledTo = this.log.scrollTop;
      const isAtEnd = this.log.scrollHeight - this.log.scrollTop - this.log.clientHeight < 60;
      this.follows = isAtEnd || (this.follows && !up);
    });
  }

  #sendPhoto(photo) {
    if (photo.size > 5 * 2 ** 20) return this.toast(say("tooLarge"));
    const reader = new FileReader();
    reader.addEventListener("load", () => this.#act({ photo: reader.result.split(",")[1] }));
    reader.readAsDataURL(photo);
    return undefined;
  }

  #tap(told, option) {
    this.#act({ tap: { message: told.id, payload: option.payload } });
  }

  #share() {
    this.isShared = true;
    this.chips.replaceChildren(...this.#suggestions());
  }

  /** Have the person write this, as by a suggestion. */
  write(text) {
    return this.#ask({ text });
  }

  async #act(deed) {
    this.follows = true;
    if (deed.contact) this.#share();
    const status = await this.outside.act(this.kind, deed);
    if (status >= 300) this.toast(say(status === 410 ? "gone" : "failed"));
  }
}
