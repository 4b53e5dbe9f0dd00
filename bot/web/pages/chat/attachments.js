// What goes with a message: pictures and documents that are chosen, pasted or dropped.

import { make } from "./markdown.js";
import { say } from "./words.js";

export const MOST_FILES = 5;
const MOST_BYTES = 16_000_000; // all of a message's files together
const LONGEST_SIDE = 1600; // pixels of a picture, on thin data
const QUALITY = 0.82;
/** What a voice note is called, before its extension. */
export const VOICE_NAME = "voice.";
const PICTURE = /^image\/(?!svg)/;

/** The files that wait to be sent, shown as chips that can be taken away. */
export class Attachments {
  #list = document.getElementById("attached");
  #files = [];
  #loading = 0;
  #onChange;
  #complain;

  /** `onChange()` whenever there are others; `complain(words)` about what cannot be sent. */
  constructor(onChange, complain) {
    this.#onChange = onChange;
    this.#complain = complain;
    const input = document.getElementById("file");
    document.getElementById("attach").addEventListener("click", () => input.click());
    input.addEventListener("change", () => {
      this.add([...input.files]);
      input.value = "";
    });
    this.#hearDrops();
    document.getElementById("message").addEventListener("paste", (event) => {
      const files = [...(event.clipboardData?.files ?? [])];
      if (!files.length) return;
      event.preventDefault();
      this.add(files);
    });
  }

  get files() {
    return [...this.#files];
  }

  /** Pictures are still made smaller. */
  get isLoading() {
    return this.#loading > 0;
  }

  /** Take the files, and forget them here. */
  take() {
    const files = this.files;
    this.put([]);
    return files;
  }

  async add(files) {
    this.#loading += 1;
    this.#onChange();
    for (const file of files) {
      const made = PICTURE.test(file.type) ? await shrink(file) : file;
      const size = [made, ...this.#files].reduce((sum, each) => sum + each.size, 0);
      if (this.#files.length === MOST_FILES) this.#complain(say("tooMany", { n: MOST_FILES }));
      else if (size > MOST_BYTES) this.#complain(say("tooLarge", { name: file.name }));
      else if (!made.size) this.#complain(say("emptyFile", { name: file.name }));
      else this.put([...this.#files, made]);
    }
    this.#loading -= 1;
    this.#onChange();
  }

  /** Show these files, made ready before, and no others. */
  put(files) {
    this.#files = files;
    this.#list.replaceChildren(...files.map((file) => this.#chip(file)));
    this.#list.hidden = !files.length;
    this.#onChange();
  }

  #chip(file) {
    const remove = make("button", "remove", make("span", "", "✕"));
    remove.type = "button";
    remove.setAttribute("aria-label", say("remove", { name: file.name }));
    remove.addEventListener("click", () => {
      this.put(this.#files.filter((each) => each !== file));
      document.getElementById("message").focus();
    });
    return make("li", "chosen-file", preview(file), remove);
  }

  #hearDrops() {
    const holds = (event) => event.dataTransfer?.types.includes("Files");
    addEventListener("dragover", (event) => {
      if (!holds(event)) return;
      event.preventDefault();
      document.body.classList.add("dropping");
    });
    addEventListener("dragleave", (event) => {
      if (!event.relatedTarget) document.body.classList.remove("dropping");
    });
    addEventListener("drop", (event) => {
      document.body.classList.remove("dropping");
      if (!holds(event)) return;
      event.preventDefault();
      this.add([...event.dataTransfer.files]);
    });
  }
}

/** What was sent, as the conversation shows it: a `File`, or `{kind, filename, size}` of the history. */
export function showAttachment(sent) {
  if (!(sent instanceof Blob)) return nameCard(sent.kind, sent.filename, sent.size);
  if (PICTURE.test(sent.type)) return picture(sent, "sent-picture");
  if (!sent.type.startsWith("audio/")) return nameCard("document", sent.name, sent.size);
  const player = make("audio", "sent-voice");
  player.controls = true;
  player.preload = "metadata";
  player.src = URL.createObjectURL(sent);
  player.setAttribute("aria-label", say("voiceNote"));
  return player;
}

/** Bytes as people read them. */
export function showSize(bytes) {
  const number = (value) => new Intl.NumberFormat(document.documentElement.lang, { maximumFractionDigits: 1 }).format(value);
  if (bytes < 1000) return say("bytes", { n: bytes });
  return bytes < 1e6 ? say("kilobytes", { n: number(bytes / 1000) }) : say("megabytes", { n: number(bytes / 1e6) });
}

function preview(file) {
  if (PICTURE.test(file.type)) return picture(file, "thumb");
  return make("span", "file-name", file.name);
}

function picture(file, className) {
  const image = make("img", className);
  image.alt = file.name;
  image.src = URL.createObjectURL(file);
  return image;
}

function nameCard(kind, filename, size) {
  const isVoice = kind === "voice" || (kind === "audio" && filename?.startsWith(VOICE_NAME));
  const isPhoto = kind === "photo" || kind === "image";
  const name = isPhoto ? say("photo") : isVoice ? say("voiceNote") : filename;
  const icon = make("span", "kind", isVoice ? "●" : isPhoto ? "▣" : kind === "audio" ? "♪" : "▤");
  icon.setAttribute("aria-hidden", "true");
  const label = make("span", "file-name", name || say("document"));
  return make("span", "sent-file", icon, label, make("span", "size", size ? showSize(size) : ""));
}

/** The picture as a JPEG of few pixels, without what cameras note in it, such as the place. */
async function shrink(file) {
  try {
    const bitmap = await createImageBitmap(file, { imageOrientation: "from-image" });
    const scale = Math.min(1, LONGEST_SIDE / Math.max(bitmap.width, bitmap.height));
    const canvas = make("canvas");
    canvas.width = Math.max(1, Math.round(bitmap.width * scale));
    canvas.height = Math.max(1, Math.round(bitmap.height * scale));
    const context = canvas.getContext("2d");
    context.fillStyle = "#fff";
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    bitmap.close();
    const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", QUALITY));
    return new File([blob], file.name.replace(/\.\w+$/, "") + ".jpg", { type: "image/jpeg" });
  } catch {
    return file; // the browser cannot read it; the gateway may
  }
}
