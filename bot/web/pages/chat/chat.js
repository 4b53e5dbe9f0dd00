// The page: a visitor, one conversation, and what stands around it.

import { chat, getJson } from "./api.js";
import { Composer } from "./composer.js";
import { Conversation } from "./conversation.js";
import { Drawer } from "./drawer.js";
import { Inside } from "./inside.js";
import { Login } from "./login.js";
import { make } from "./markdown.js";
import { wantsInside, visitor } from "./visitor.js";
import { say, speak } from "./words.js";

const at = (id) => document.getElementById(id);
const inside = new Inside();
const login = new Login(() => enter(say("welcomeBack")));
const openLogin = () => login.open();
const conversation = new Conversation({
  reader: at("reader"),
  hear: (name, data) => inside.add(name, data),
  show,
  refuse,
});
const composer = new Composer({
  send: (text, files) => ask(text, undefined, files),
  stop: () => conversation.stop(),
  complain: (words) => conversation.note(words),
});
new Drawer(change, beginAnew);
at("open-drawer").disabled = false;
let person = null; // what /api/v1/me says, once it is known
let queued = null; // the message that is sent once the answer has ended

async function ask(text, decision, files) {
  if (conversation.running) {
    composer.restore(text, files);
    return decision ? undefined : askOnceIdle(text);
  }
  at("welcome").hidden = true;
  inside.begin();
  if (!text.startsWith("/")) visitor.noteSaid(text);
  await conversation.ask(text, decision, files);
  look();
}

/** Send what waits in the box as soon as what was said before is there, and answered, if it is still
 * `text` then. */
async function askOnceIdle(text) {
  const mine = { text };
  wait(mine);
  await conversation.read();
  if (queued === mine && conversation.running) mine.note = conversation.note(say("queued"));
  await conversation.idle();
  if (queued !== mine) return;
  wait(null);
  if (composer.text !== text) return;
  composer.text = "";
  ask(text, undefined, composer.takeFiles());
}

/** Have this message wait, and no other any more. */
function wait(message) {
  queued?.note?.remove();
  queued = message;
}

/** The message was not taken: it stays in the box, and there is something to do about it. */
function refuse(error, { message, decision, files }) {
  if (!decision) composer.restore(message, files);
  const again = () => {
    const isSame = composer.text.trim() === message.trim();
    if (isSame) composer.text = "";
    ask(message, decision, isSame ? composer.takeFiles() : files);
  };
  if (error.status === 401) return; // said by whoever hears of it
  const isGone = error.status === 404 && !decision; // the conversation was erased elsewhere
  if (isGone) visitor.begin();
  const [words, label, act] = {
    402: error.canBuy
      ? [say("poor"), say("buy"), () => ask(say("buyCommand"))]
      : [error.message || say("poor")],
    404: [isGone ? say("gone") : error.message, say("retry"), again],
    409: [decision ? error.message : say("busy"), say("retry"), again],
    429: error.code === "allowance_used_up"
      ? [say("usedUp"), say("login"), openLogin]
      : [say("fast"), say("retry"), again],
  }[error.status] ?? [error.message || say("unsent"), say("retry"), again];
  conversation.note(words, label, act);
}

// Who is here ------------------------------------------------------------------------------------

/** Begin as whoever the token says, where they left off; `words` greet them. */
async function enter(words = "") {
  person = null;
  turnTo(visitor.language);
  at("welcome").hidden = visitor.hasSession; // as long as it is not known to be empty
  const [, hasWaited] = await Promise.all([look(), conversation.restore()]);
  if (hasWaited) look();
  at("welcome").hidden = at("log").children.length > 1;
  if (words) conversation.note(words);
  composer.focus();
}

/** How many credits are left, and whose they are. */
async function look() {
  const { token } = visitor;
  if (!token) return show();
  const me = await getJson("/api/v1/me").catch(() => null);
  if (me && token === visitor.token) person = me;
  if (me && !visitor.hasChosen && me.language !== document.documentElement.lang) turnTo(me.language);
  show();
}

async function leave() {
  await chat({ message: "/logout" }, () => {}).catch(() => {});
  visitor.logOut();
  composer.text = ""; // whoever comes next does not read it, nor sees what was attached
  composer.takeFiles();
  enter();
}

function beginAnew() {
  visitor.begin();
  inside.begin();
  enter();
}

/** Go on with another conversation. */
function change(id) {
  visitor.session = id;
  inside.begin();
  enter();
}

// What is shown ----------------------------------------------------------------------------------

/** Bring everything around the conversation up to date; `words`: how it stands, if not as usual. */
function show(words = "") {
  const { running, reading } = conversation;
  composer.running = running && !reading;
  const usual = reading ? "reading" : running ? "writing" : "connected";
  const state = words || say(navigator.onLine ? usual : "offline");
  at("state").textContent = state;
  at("state").classList.toggle("offline", state === say("offline"));
  for (const chip of at("chips").children) chip.disabled = running;
  showVisitor(visitor.token !== "");
}

function showVisitor(isKnown) {
  for (const id of ["open-login", "offer"]) at(id).hidden = isKnown;
  at("logout").hidden = !isKnown;
  at("credits").hidden = !person;
  at("account").hidden = true;
  if (!person) return;
  const credits = person.balance + person.held; // most of what is held for an answer comes back
  at("balance").textContent = credits;
  at("credits-word").textContent = say(credits === 1 ? "credit" : "credits");
  at("credits").title = say("creditsLabel", { n: credits });
  at("account").hidden = !visitor.phone;
  at("account").textContent = say("loggedInAs", { phone: visitor.phone });
}

function turnTo(language) {
  speak(language);
  at("message").placeholder = say("placeholder");
  at("language").lang = language === "fr" ? "en" : "fr";
  at("gains").replaceChildren(...say("gains").map((gain) => make("li", "", gain)));
  const [suggestions, commands] = visitor.token ? ["chips", "commands"] : ["guestChips", "guestCommands"];
  at("chips").replaceChildren(
    ...say(suggestions).map((words) => chip(words, words)),
    ...say(commands).map(([message, words]) => chip(words, message)),
  );
  show();
}

function chip(words, message) {
  const button = make("button", message.startsWith("/") ? "chip command" : "chip", words);
  button.type = "button";
  button.addEventListener("click", () => ask(message));
  return button;
}

// What the person does ---------------------------------------------------------------------------

function onMenu(id, act) {
  at(id).addEventListener("click", () => {
    at("menu").open = false;
    act();
  });
}

onMenu("new", beginAnew);
onMenu("logout", leave);
onMenu("toggle-inside", () => (at("inside").hidden = !at("inside").hidden));
onMenu("language", () => {
  visitor.language = document.documentElement.lang === "fr" ? "en" : "fr";
  turnTo(visitor.language);
  // Griot's own sentences follow; commands cost nothing. Guests are heard by their headers.
  if (visitor.token) chat({ message: `/language ${visitor.language}` }, () => {}).catch(() => {});
});
at("open-login").addEventListener("click", openLogin);
addEventListener("click", (event) => {
  if (!at("menu").contains(event.target)) at("menu").open = false;
});
addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !at("menu").open) return;
  at("menu").open = false;
  at("menu").querySelector("summary").focus();
});
at("message").addEventListener("input", () => queued && queued.text !== composer.text && wait(null));
addEventListener("online", () => show());
addEventListener("offline", () => show());
addEventListener("loggedout", () => {
  person = null;
  turnTo(document.documentElement.lang);
  conversation.note(say("loggedOut"), say("login"), openLogin);
});

at("inside").hidden = !wantsInside();
enter();
