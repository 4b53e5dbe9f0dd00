// The page: three phones, what happens between them and Griot, and what can be done to it.

import { Phone } from "/demo/phones/phone.js";
import { make } from "/demo/phones/styled.js";
import { findLanguage, say, speak } from "/demo/phones/words.js";

const MOST_LINES = 200;
const WIDE = matchMedia("(min-width: 75rem)");
const FEW_CREDITS = 10;
const at = (id) => document.getElementById(id);
const outside = { number: "", act, openList, openFile };
const phones = {};
let session = null;
let told = Promise.resolve(); // which language Griot is to speak
let gateway = { state: "starting" };
let online = true;
let lastUsed = "telegram";
let frame = null;
let hasTold = false; // the language, since the page was opened

// The gateway ------------------------------------------------------------------------------------

async function act(kind, deed) {
  const more = { twice: pressed("twice"), late: pressed("late") };
  for (const name of ["twice", "late"]) at(name).setAttribute("aria-pressed", "false");
  lastUsed = kind;
  return post(kind, { ...deed, ...more, language: document.documentElement.lang });
}

async function post(what, body) {
  try {
    const options = { method: "POST", body: JSON.stringify(body ?? {}) };
    return (await fetch(`/demo/phones/${what}`, options)).status;
  } catch {
    return 599;
  }
}

/** Ask the gateway as the phones' person. */
async function ask(path, body) {
  session ??= await (await fetch("/demo/session")).json();
  const headers = { Authorization: `Bearer ${session.token}` };
  const options = body ? { method: "POST", body: JSON.stringify(body) } : {};
  return fetch(path, { ...options, headers });
}

let counting = null;
function lookAtCredits() {
  clearTimeout(counting);
  counting = setTimeout(async () => {
    const me = await ask("/api/v1/me").then((answer) => answer.json()).catch(() => ({}));
    if (me.balance === undefined) return;
    const credits = me.balance + me.held; // most of what is held for an answer comes back
    at("balance").textContent = credits;
    at("refill").classList.toggle("few", credits <= FEW_CREDITS);
    const inChat = frame?.contentDocument?.getElementById("balance"); // it asks only for its own
    if (inChat) inChat.textContent = credits;
    const { lang } = document.documentElement;
    if (me.language !== lang && !hasTold) tell(lang);
  }, 300);
}

// What the stream tells --------------------------------------------------------------------------

const TAKE = {
  hello: ({ number }) => {
    outside.number = number;
    for (const phone of Object.values(phones)) phone.clear();
    at("lines").replaceChildren();
  },
  bubble: (told) => {
    phones[told.phone].show(told);
    if (!told.mine) lookAtCredits();
  },
  mark: (told) => phones[told.phone].mark(told),
  draft: (told) => phones[told.phone].draft(told),
  typing: (told) => phones[told.phone].type(told.seconds),
  toast: (told) => phones[told.phone].toast(told.text),
  gateway: (told) => {
    gateway = told;
    showState();
    if (told.state === "up") lookAtCredits();
    openChatWhereSeen();
  },
  tally: (told) => {
    for (const name of ["sent", "answered", "doubled", "lost"]) {
      at(`tally-${name}`).textContent = told[name];
      at(`tally-${name}`).classList.toggle("bad", told[name] > 0 && ["doubled", "lost"].includes(name));
    }
  },
  line: addLine,
};

function listen() {
  const stream = new EventSource("/demo/phones/events");
  for (const [name, take] of Object.entries(TAKE)) {
    stream.addEventListener(name, (event) => take(JSON.parse(event.data)));
  }
  stream.addEventListener("open", () => show(true));
  stream.addEventListener("error", () => show(false));
}

function show(isOnline) {
  online = isOnline;
  showState();
}

function showState() {
  const state = !online ? "offline" : gateway.state === "up" && gateway.ms ? "back" : gateway.state;
  at("state").textContent = say(state, gateway);
  at("state").className = `state ${state}`;
  at("kill").disabled = !online || gateway.state !== "up";
}

const ARROWS = { in: "→", out: "←", here: "•" };
let following = true;

function addLine(told) {
  const list = at("lines");
  const last = list.lastElementChild;
  if (last?.dataset.name === told.name && told.name === "sendMessageDraft") last.remove();
  const time = new Date(told.at * 1000).toISOString().slice(14, 23);
  const arrow = make("span", "arrow", ARROWS[told.way]);
  arrow.setAttribute("role", "img");
  arrow.setAttribute("aria-label", say(told.way));
  const item = make("li", told.phone, make("time", "", time), arrow, make("b", "", told.name), make("span", "about", told.about));
  item.dataset.name = told.name;
  list.append(item);
  if (list.children.length > MOST_LINES) list.firstElementChild.remove();
  if (following) list.scrollTop = list.scrollHeight;
}

// Dialogs ----------------------------------------------------------------------------------------

function openList(title, options, choose) {
  at("sheet-title").textContent = title;
  at("sheet-rows").replaceChildren(
    ...options.map((option) => {
      const row = make("button", "row", make("b", "", option.label), make("span", "soft", option.description));
      row.type = "button";
      row.addEventListener("click", () => {
        at("sheet").close();
        choose(option);
      });
      return row;
    }),
  );
  at("sheet").showModal();
}

async function openFile(file) {
  at("reader-title").textContent = file.name;
  at("reader-save").href = `${file.url}?download`;
  at("reader-save").download = file.name;
  if (file.mime_type === "application/pdf") {
    at("reader-body").replaceChildren();
    at("reader").showModal();
    const count = await fetch(`${file.url}/pages`).then((answer) => answer.json()).catch(() => 0);
    at("reader-body").replaceChildren(...Array.from({ length: count }, (_, n) => showPage(file, n)));
    return;
  }
  if (!file.mime_type.startsWith("text/") || file.mime_type === "text/html") {
    at("reader-save").click();
    return;
  }
  const text = await (await fetch(file.url)).text();
  at("reader-body").replaceChildren(make("pre", "paper", text));
  at("reader").showModal();
}

/** A page of a PDF as a picture. */
function showPage(file, number) {
  const page = make("img", "page");
  const alt = say("page", { n: number + 1, name: file.name });
  return Object.assign(page, { src: `${file.url}/pages/${number}`, alt });
}

for (const button of document.querySelectorAll("dialog .close")) {
  button.addEventListener("click", () => button.closest("dialog").close());
}

// What stands around -----------------------------------------------------------------------------

function pressed(id) {
  return at(id).getAttribute("aria-pressed") === "true";
}

function choosePanel(name) {
  for (const panel of document.querySelectorAll(".stage > [data-panel]")) {
    panel.classList.toggle("chosen", panel.dataset.panel === name);
  }
  for (const tab of document.querySelectorAll("#tabs button")) {
    tab.setAttribute("aria-pressed", String(tab.dataset.panel === name));
  }
  phones[name]?.scroll();
  if (name in phones) lastUsed = name;
  if (name === "web") openChat();
}

function openChat() {
  if (frame) return;
  keepLanguage();
  frame = make("iframe");
  frame.title = say("web");
  frame.src = "/demo/chat";
  at("web").append(frame);
}

/** For the chat, and for the next visit. */
function keepLanguage() {
  localStorage.setItem("griot.language", document.documentElement.lang);
}

/** Once the page stands, and a gateway is there to serve the chat. */
function openChatWhereSeen() {
  if (WIDE.matches && gateway.state === "up") openChat();
}

/** Have Griot's own sentences follow, in the order of the taps; commands cost nothing. */
function tell(language) {
  hasTold = true;
  const command = () => ask("/api/v1/chat", { message: `/language ${language}` });
  told = told.then(command).then((answer) => answer.text()).catch(() => null);
}

function turnTo(language) {
  speak(language);
  post("language", language);
  if (frame) frame.title = say("web");
  for (const button of document.querySelectorAll("[data-language]")) {
    button.setAttribute("aria-pressed", String(button.dataset.language === language));
  }
  at("tabs").setAttribute("aria-label", say("phones"));
  for (const name of ["kill", "twice", "late"]) at(name).title = say(`${name}Title`);
  for (const phone of Object.values(phones)) phone.speak();
  showState();
}

for (const kind of ["telegram", "whatsapp", "sms"]) {
  phones[kind] = new Phone(kind, outside);
  at("web").before(phones[kind].root);
}
for (const name of ["twice", "late"]) {
  at(name).addEventListener("click", () => at(name).setAttribute("aria-pressed", String(!pressed(name))));
}
at("kill").addEventListener("click", () => post("kill"));
at("refill").addEventListener("click", () => {
  if (!WIDE.matches) choosePanel(lastUsed);
  phones[lastUsed].write(say("chips").at(-1)[1].text);
});
WIDE.addEventListener("change", openChatWhereSeen);
at("lines").addEventListener("scroll", ({ target }) => {
  following = target.scrollHeight - target.scrollTop - target.clientHeight < 60;
});
for (const tab of document.querySelectorAll("#tabs button")) {
  tab.addEventListener("click", () => choosePanel(tab.dataset.panel));
}
for (const button of document.querySelectorAll("[data-language]")) {
  button.addEventListener("click", () => {
    const { language } = button.dataset;
    turnTo(language);
    keepLanguage();
    tell(language);
    if (frame) frame.src = "/demo/chat";
  });
}
turnTo(findLanguage());
choosePanel("telegram");
listen();
