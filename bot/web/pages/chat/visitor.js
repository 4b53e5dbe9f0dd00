// Who is here: what this browser remembers of the person between two visits.

const LONGEST_TITLE = 80;
const MOST_CONVERSATIONS = 20;
const memory = new Map(); // where a browser keeps nothing for us

function read(name) {
  try {
    return localStorage.getItem(`griot.${name}`) ?? "";
  } catch {
    return memory.get(name) ?? "";
  }
}

function keep(name, value) {
  memory.set(name, value);
  try {
    if (value) localStorage.setItem(`griot.${name}`, value);
    else localStorage.removeItem(`griot.${name}`);
  } catch {
    // full or forbidden: it lives as long as the page
  }
}

export const visitor = {
  get token() {
    return read("token");
  },
  /** The conversation that goes on here, whoever opens the page again. */
  get session() {
    if (!read("session")) keep("session", makeId());
    return read("session");
  },
  set session(id) {
    keep("session", id);
  },
  get hasSession() {
    return read("session") !== "";
  },
  get draft() {
    return read("draft");
  },
  set draft(text) {
    keep("draft", text);
  },
  /** The language that was chosen here, else the first that the browser wants and we speak. */
  get language() {
    const wanted = [read("language"), ...navigator.languages].map((tag) => tag.slice(0, 2));
    return wanted.find((tag) => tag === "fr" || tag === "en") ?? "fr";
  },
  /** The number that was logged in with, as it may be shown where others look on. */
  get phone() {
    const phone = read("phone");
    return `${phone.slice(0, 4)}${"•".repeat(Math.max(0, phone.length - 6))}${phone.slice(-2)}`;
  },
  get hasChosen() {
    return read("language") !== "";
  },
  set language(language) {
    keep("language", language);
  },
  /** A guest's conversations that began here, the newest first: `[{id, title, updated_at}]`. */
  get conversations() {
    try {
      const kept = JSON.parse(read("conversations") || "[]");
      return Array.isArray(kept) ? kept.filter((each) => typeof each?.id === "string") : [];
    } catch {
      return [];
    }
  },
  /** Note that something was said in the guest's conversation; its first words are its title. */
  noteSaid(words) {
    if (read("token")) return;
    const { session, conversations } = this;
    const before = conversations.find(({ id }) => id === session);
    const title = before?.title || words.trim().slice(0, LONGEST_TITLE);
    const others = conversations.filter(({ id }) => id !== session);
    const mine = { id: session, title, updated_at: new Date().toISOString() };
    keep("conversations", JSON.stringify([mine, ...others].slice(0, MOST_CONVERSATIONS)));
  },
  /** The guest has logged in as the bearer of `token`; what was said goes with them. */
  logIn(token, phone) {
    keep("token", token);
    keep("phone", phone);
    keep("conversations", "");
  },
  /** From now on this is a guest, who sees nothing of what was said before. */
  logOut() {
    for (const name of ["token", "phone", "session", "conversations"]) keep(name, "");
  },
  begin() {
    keep("session", "");
  },
};

/** Whether the address asks to show what happens inside (`#inside`); it is taken out of there. Nobody
 * is logged in by an address: a link from a stranger would lead people into the stranger's account. */
export function wantsInside() {
  if (location.hash !== "#inside") return false;
  history.replaceState(null, "", location.pathname + location.search);
  return true;
}

export function makeId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
