// The gateway, as this page speaks to it: JSON, and the events of a turn.

import { makeId, visitor } from "./visitor.js";

const TRY_AGAIN = 5_000;

export class ApiError extends Error {
  constructor(status, { code = "", message = "", can_buy: canBuy = false }) {
    super(message);
    this.status = status;
    this.code = code;
    this.canBuy = canBuy; // with 402: whether there are credits to buy
  }
}

export async function getJson(path) {
  return (await request(path)).json();
}

export async function postJson(path, body) {
  return (await request(path, body)).json();
}

/** Until the browser says that the network is back, or some seconds. */
export function untilOnline() {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, TRY_AGAIN);
    addEventListener("online", () => (clearTimeout(timer), resolve()), { once: true });
  });
}

/**
 * Send `{message, decision?, files?}` in the session; `onEvent(name, data)` hears each event of the turn.
 * Raises ApiError if it was refused before it began, TypeError if the connection broke.
 */
export async function chat({ files = [], ...said }, onEvent) {
  const body = { ...said, session_id: visitor.session };
  let response = await request("/api/v1/chat", files.length ? toForm(body.message, files) : body);
  if (response.status === 202) {
    const { job_id } = await response.json(); // the answer will come later
    response = await request(`/api/v1/jobs/${job_id}/events`);
  }
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let last = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const blocks = (rest + decoder.decode(value, { stream: true })).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) last = report(block, onEvent) ?? last;
  }
  if (last !== "end") throw new TypeError("the stream ended early");
}

/** The turns of the session, as they were seen; none if there is no such session, or none of ours. */
export async function readTurns() {
  try {
    return (await getJson(`/api/v1/sessions/${visitor.session}/turns`)).turns;
  } catch (error) {
    if (error.status !== 404) throw error;
    visitor.begin();
    return [];
  }
}

/** The person's conversations, the newest first: `[{id, title, channel, updated_at}]`. */
export async function readSessions() {
  return (await getJson("/api/v1/sessions")).sessions;
}

function toForm(message, files) {
  const form = new FormData();
  form.append("message", message);
  form.append("session_id", visitor.session);
  for (const file of files) form.append("attachment", file, file.name);
  return form;
}

function report(block, onEvent) {
  const match = /^event: (.+)\ndata: (.+)$/.exec(block);
  if (!match) return undefined; // a comment that keeps the connection alive
  onEvent(match[1], JSON.parse(match[2]));
  return match[1];
}

async function request(path, body) {
  const { token } = visitor;
  const headers = { "Accept-Language": document.documentElement.lang };
  if (token) headers.Authorization = `Bearer ${token}`;
  const isForm = body instanceof FormData;
  // A browser sends a POST again by itself when the connection turns out to be closed.
  if (body) headers["Idempotency-Key"] = makeId();
  const options = body ? { method: "POST", body: isForm ? body : JSON.stringify(body) } : {};
  const response = await fetch(path, { ...options, headers });
  if (response.ok) return response;
  if (response.status === 401 && token && token === visitor.token) {
    visitor.logOut();
    dispatchEvent(new Event("loggedout"));
  }
  const { error } = await response.json().catch(() => ({}));
  // What stands before the gateway has no words of its own for people.
  if (!error && response.status >= 500) throw new TypeError("the gateway is not there");
  throw new ApiError(response.status, error ?? {});
}
