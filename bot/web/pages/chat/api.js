// The gateway, as this page speaks to it: JSON, and the events of a turn.

import { visitor } from "./visitor.js";

export class ApiError extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export async function getJson(path) {
  return (await request(path)).json();
}

export async function postJson(path, body) {
  return (await request(path, body)).json();
}

/**
 * Send `{message, decision?}` in the session; `onEvent(name, data)` hears each event of the turn.
 * Raises ApiError if it was refused before it began, TypeError if the connection broke.
 */
export async function chat(said, onEvent) {
  let response = await request("/api/v1/chat", { ...said, session_id: visitor.session });
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

/** The turns of the session, as they were seen; none if there is no such session. */
export async function readTurns() {
  try {
    return (await getJson(`/api/v1/sessions/${visitor.session}/turns`)).turns;
  } catch (error) {
    if (error.status === 404) return [];
    throw error;
  }
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
  const options = body ? { method: "POST", body: JSON.stringify(body) } : {};
  const response = await fetch(path, { ...options, headers });
  if (response.ok) return response;
  if (response.status === 401 && token && token === visitor.token) {
    visitor.become("");
    dispatchEvent(new Event("loggedout"));
  }
  const { error } = await response.json().catch(() => ({}));
  // What stands before the gateway has no words of its own for people.
  if (!error && response.status >= 500) throw new TypeError("the gateway is not there");
  throw new ApiError(response.status, error?.code ?? "", error?.message ?? "");
}
