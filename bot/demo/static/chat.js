// The page: one conversation with Griot over its HTTP chat.

import { ApiError, chat, getJson, openSession } from "/demo/api.js";
import { Inside } from "/demo/inside.js";
import { make } from "/demo/markdown.js";
import { Turn } from "/demo/turn.js";
import { say, speak } from "/demo/words.js";

const LOOK_EVERY = 10_000;
const at = (id) => document.getElementById(id);
const [log, form, message, send, stop] = ["log", "form", "message", "send", "stop"].map(at);
const inside = new Inside();
const sessionId = crypto.randomUUID();
let running = false;
let online = true;
let who = null;
let balance = null;

// A turn -----------------------------------------------------------------------------------------

async function ask(text) {
  if (running || !text.trim()) return;
  at("welcome").hidden = true;
  log.append(make("div", "mine", text));
  await answer(text);
}

async function answer(text) {
  const outside = { reader: at("reader"), scroll, another: () => ask(say("anotherMessage")) };
  const turn = new Turn(log, outside);
  begin();
  try {
    await chat(text, sessionId, (name, data) => {
      inside.add(name, data);
      turn.take(name, data);
    });
    turn.finish();
    if (turn.reason === "failed") turn.note(turn.failure || say("failed"), say("retry"), retry(text));
    if (turn.reason === "cancelled") turn.note(say("stopped"));
  } catch (error) {
    turn.finish();
    turn.note(explain(error), say("retry"), retry(text));
    await look();
  } finally {
    end();
  }
}

function retry(text) {
  return (event) => {
    if (running) return;
    event.target.closest(".turn").remove();
    answer(text);
  };
}

function explain(error) {
  if (!(error instanceof ApiError)) return say("broken");
  const known = { 402: "poor", 409: "busy", 429: "fast" }[error.status];
  return known ? say(known) : error.message || say("failed");
}

function begin() {
  running = true;
  inside.begin();
  log.setAttribute("aria-busy", "true"); // a screen reader waits for the whole answer
  show();
  following = true;
  scroll();
}

function end() {
  running = false;
  log.removeAttribute("aria-busy");
  show();
  if (matchMedia("(pointer: fine)").matches && focusIsLost()) message.focus();
  look();
}

function focusIsLost() {
  return document.activeElement === document.body || document.activeElement === stop;
}

// Whoever scrolls up to read is left there; everyone else follows what comes, however tall.
let following = true;
log.addEventListener("scroll", () => {
  following = log.scrollHeight - log.scrollTop - log.clientHeight < 80;
});

function scroll() {
  if (following) log.scrollTop = log.scrollHeight;
}

// What stands around it --------------------------------------------------------------------------

function show() {
  at("state").textContent = online ? say(running ? "writing" : "connected") : say("offline");
  at("state").classList.toggle("offline", !online);
  send.hidden = running;
  stop.hidden = !running;
  send.disabled = !message.value.trim();
  for (const chip of at("chips").children) chip.disabled = running;
  if (balance === null) return;
  at("balance").textContent = balance;
  at("credits-word").textContent = say(balance === 1 ? "credit" : "credits");
  at("balance").parentElement.title = say("creditsLabel", { n: balance });
}

/** Whether the gateway is there, and how many credits are left. */
async function look() {
  try {
    who ??= await openSession();
    ({ balance } = await getJson("/api/v1/me"));
    online = true;
  } catch {
    online = false;
  }
  show();
}

function turnTo(language) {
  speak(language);
  for (const button of document.querySelectorAll("[data-language]")) {
    button.setAttribute("aria-pressed", String(button.dataset.language === language));
  }
  message.placeholder = say("placeholder");
  send.setAttribute("aria-label", say("send"));
  stop.setAttribute("aria-label", say("stop"));
  log.setAttribute("aria-label", say("logLabel"));
  at("chips").setAttribute("aria-label", say("chipsLabel"));
  if (who) at("answers").textContent = who.scripted ? say("scripted") : say("answering", who);
  at("chips").replaceChildren(...say("chips").map(chip));
  show();
}

function chip(text) {
  const button = make("button", "chip", text);
  button.type = "button";
  button.addEventListener("click", () => ask(text));
  return button;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (running) return;
  const text = message.value;
  message.value = "";
  ask(text);
});
message.addEventListener("input", show);
message.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  form.requestSubmit();
});
stop.addEventListener("click", () => chat("/stop", sessionId, () => {}).catch(look));
for (const button of document.querySelectorAll("[data-language]")) {
  button.addEventListener("click", () => {
    turnTo(button.dataset.language);
    // Griot's own sentences follow; commands cost nothing.
    chat(`/language ${button.dataset.language}`, undefined, () => {}).catch(look);
  });
}
addEventListener("online", look);
addEventListener("offline", look);
setInterval(() => document.hidden || running || look(), LOOK_EVERY);
turnTo("fr");
look().then(() => turnTo(document.documentElement.lang)); // what the session tells is shown too
message.focus();
