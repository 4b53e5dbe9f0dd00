// Where the person writes. What could not be sent stays here, also when the page is closed.

import { Attachments } from "./attachments.js";
import { visitor } from "./visitor.js";
import { Voice } from "./voice.js";

/** What the address says is to be written, as in `/chat?text=hello`. */
function wanted() {
  return (new URLSearchParams(location.search).get("text") ?? "").slice(0, 200);
}

export class Composer {
  #box = document.getElementById("message");
  #send = document.getElementById("send");
  #stop = document.getElementById("stop");
  #record = document.getElementById("record");
  #attachments;
  #running = false;
  #hasVoice = false;
  #isPressed = false; // "send" was pressed while a picture was still made smaller

  /** `send(text, files)` and `stop()` are what the buttons do; `complain(words)` says why not. */
  constructor({ send, stop, complain }) {
    const form = document.getElementById("form");
    this.#attachments = new Attachments(() => {
      this.#show();
      if (this.#isPressed && !this.#attachments.isLoading) form.requestSubmit();
    }, (words) => {
      this.#isPressed = false; // the message is not what was meant to be sent
      complain(words);
    });
    if (globalThis.MediaRecorder && navigator.mediaDevices) {
      new Voice((file) => send("", [file]), complain);
      this.#hasVoice = true;
    }
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#isPressed = this.#attachments.isLoading;
      if (this.#isPressed || !this.#hasContent) return;
      const text = this.#box.value;
      this.text = "";
      send(text, this.#attachments.take());
    });
    this.#stop.addEventListener("click", stop);
    this.#box.addEventListener("input", () => (this.text = this.#box.value));
    this.#box.addEventListener("keydown", (event) => {
      // Phones write "send" on this key (enterkeyhint); a new line is Shift and Enter.
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      form.requestSubmit();
    });
    // On a slow line one writes before this runs. A link may have written something to send.
    this.text = this.#box.value || visitor.draft || wanted();
  }

  get text() {
    return this.#box.value;
  }

  set text(text) {
    this.#isPressed = false; // other words are sent when that is pressed again
    if (this.#box.value !== text) this.#box.value = text;
    visitor.draft = text;
    this.#box.style.height = ""; // grown by hand where the browser does not do it by itself
    if (!CSS.supports("field-sizing", "content")) {
      this.#box.style.height = `${this.#box.scrollHeight}px`;
    }
    this.#show();
  }

  /** Put back what could not be sent, before what was written since. */
  restore(text, files = []) {
    if (!this.#attachments.files.length) this.#attachments.put(files);
    if (!this.text.startsWith(text)) this.text = [text, this.text].filter(Boolean).join("\n");
  }

  /** The files that wait here, which are no longer here then. */
  takeFiles() {
    return this.#attachments.take();
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

  /** There is something to send, or soon will be. */
  get #hasContent() {
    return Boolean(this.#box.value.trim() || this.#attachments.files.length || this.#attachments.isLoading);
  }

  #show() {
    this.#send.hidden = this.#running;
    this.#stop.hidden = !this.#running;
    this.#send.disabled = !this.#hasContent;
    this.#record.hidden = this.#running || this.#hasContent || !this.#hasVoice;
    this.#send.hidden ||= !this.#record.hidden;
  }
}
