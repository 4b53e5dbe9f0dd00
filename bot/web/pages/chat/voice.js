// A voice note: tap to begin and tap to send, or hold and let go.

import { VOICE_NAME } from "./attachments.js";
import { say } from "./words.js";

const KINDS = ["audio/ogg;codecs=opus", "audio/webm;codecs=opus", "audio/mp4"];
const LONGEST = 300; // seconds
const HELD = 600; // milliseconds from which on a press is held
const at = (id) => document.getElementById(id);

export class Voice {
  #recorder = null;
  #pieces = [];
  #began = 0;
  #ticking = 0;
  #isKept = false;
  #onDone;
  #complain;

  /** `onDone(file)` hears what was said; `complain(words)` why nothing can be. */
  constructor(onDone, complain) {
    this.#onDone = onDone;
    this.#complain = complain;
    const button = at("record");
    button.addEventListener("pointerdown", () => {
      this.#began = performance.now();
      const release = () => this.#release();
      addEventListener("pointerup", release, { once: true });
    });
    button.addEventListener("click", () => this.#begin());
    button.addEventListener("pointerdown", (event) => {
      if (event.pointerType !== "mouse") this.#begin(); // with a finger one may hold it
    });
    // No click follows a touch: it would fall on the button that has come in this one's place.
    button.addEventListener("touchstart", (event) => event.preventDefault());
    button.addEventListener("contextmenu", (event) => event.preventDefault());
    at("voice-cancel").addEventListener("click", () => this.#end(false));
    at("voice-send").addEventListener("click", () => this.#end(true));
    at("recording").addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.#end(false);
    });
  }

  async #begin() {
    if (this.#recorder) return;
    this.#recorder = {}; // no second one while the person is asked
    let stream;
    try {
      stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    } catch {
      this.#recorder = null;
      this.#complain(say("noMicrophone"));
      return;
    }
    const mimeType = KINDS.find((kind) => MediaRecorder.isTypeSupported(kind));
    this.#pieces = [];
    this.#isKept = false;
    this.#recorder = new MediaRecorder(stream, { ...(mimeType && { mimeType }), audioBitsPerSecond: 24_000 });
    this.#recorder.addEventListener("dataavailable", ({ data }) => this.#pieces.push(data));
    this.#recorder.addEventListener("stop", () => this.#finish(stream));
    this.#recorder.start();
    this.#show(true);
    this.#count();
  }

  /** A press that was held ends with the finger. */
  #release() {
    if (this.#recorder?.state === "recording" && performance.now() - this.#began > HELD) this.#end(true);
  }

  #end(isKept) {
    if (this.#recorder?.state !== "recording") return;
    this.#isKept = isKept;
    this.#recorder.stop();
  }

  #finish(stream) {
    for (const track of stream.getTracks()) track.stop();
    const kind = (this.#recorder.mimeType || "audio/webm").split(";")[0];
    this.#recorder = null;
    clearInterval(this.#ticking);
    this.#show(false);
    const extension = { "audio/ogg": "ogg", "audio/mp4": "m4a" }[kind] ?? "webm";
    const file = new File(this.#pieces, VOICE_NAME + extension, { type: kind });
    if (this.#isKept && file.size) this.#onDone(file);
  }

  #count() {
    const began = Date.now();
    const show = () => {
      const seconds = Math.floor((Date.now() - began) / 1000);
      at("voice-time").textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
      if (seconds >= LONGEST) this.#end(true);
    };
    show();
    this.#ticking = setInterval(show, 250);
  }

  #show(isRecording) {
    at("recording").hidden = !isRecording;
    at("form").hidden = isRecording;
    if (isRecording) at("voice-send").focus();
  }
}
