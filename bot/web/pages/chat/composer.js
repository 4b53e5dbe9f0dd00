// Where the person writes. What could not be sent stays here, also when the page is closed.

import { visitor } from "./visitor.js";

export class Composer {
  #box = document.getElementById("message");
  #send = document.getElementById("send");
  #stop = document.getElementById("stop");
  #running = false;

  /** `onSend(text)` and `onStop()` are what the buttons do. */
  constructor(onSend, onStop) {
    const form = document.getElementById("form");
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = this.#box.value;
      if (this.#running || !text.trim()) return;
      this.text = "";
      onSend(text);
    });
    this.#stop.addEventListener("click", onStop);
    this.#box.addEventListener("input", () => (this.text = this.#box.value));
    this.#box.addEventListener("keydown", (event) => {
      // Phones write "send" on this key (enterkeyhint); a new line is Shift and Enter.
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      form.requestSubmit();
    });
    this.text = this.#box.value || visitor.draft; // on a slow line one writes before this runs
  }

  get text() {
    return this.#box.value;
  }

  set text(text) {
    if (this.#box.value !== text) this.#box.value = text;
    visitor.draft = text;
    this.#box.style.height = ""; // grown by hand where the browser does not do it by itself
    if (!CSS.supports("field-sizing", "content")) {
      this.#box.style.height = `${this.#box.scrollHeight}px`;
    }
    this.#show();
  }

  /** Put back what could not be sent, before what was written since. */
  restore(text) {
    if (!this.text.startsWith(text)) this.text = [text, this.text].filter(Boolean).join("\n");
  }

  set running(running) {
    const lost = document.activeElement === this.#stop || document.activeElement === this.#send;
    this.#running = running;
    this.#show();
    const isIdle = document.activeElement === document.body || lost;
    if (isIdle) this.focus();
  }

  /** Where that opens no keyboard over the page, and takes it from no other frame. */
  focus() {
    if (matchMedia("(pointer: fine)").matches && document.hasFocus()) this.#box.focus();
  }

  #show() {
    this.#send.hidden = this.#running;
    this.#stop.hidden = !this.#running;
    this.#send.disabled = !this.#box.value.trim();
  }
}
