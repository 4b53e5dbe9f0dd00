// The gateway, as this page speaks to it: its session, JSON, and the events of a turn.

export class ApiError extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

let session = null;

/** Who answers: `{token, model, scripted}`. */
export async function openSession() {
  const response = await fetch("/demo/session");
  if (!response.ok) throw await refusal(response);
  session = await response.json();
  return session;
}

export async function getJson(path) {
  return (await request(path)).json();
}

export async function postJson(path, body) {
  return (await request(path, body)).json();
}

/** Send a message; `onEvent(name, data)` hears each event of the turn, to its end. */
export async function chat(message, sessionId, onEvent) {
  const response = await request("/api/v1/chat", { message, session_id: sessionId });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let last = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) last = report(block, onEvent) ?? last;
  }
  if (last !== "end") throw new TypeError("the stream ended early");
}

function report(block, onEvent) {
  const match = /^event: (.+)\ndata: (.+)$/.exec(block);
  if (!match) return undefined; // a comment that keeps the connection alive
  onEvent(match[1], JSON.parse(match[2]));
  return match[1];
}

async function request(path, body, again = true) {
  const headers = { Authorization: `Bearer ${session.token}` };
  const options = body ? { method: "POST", body: JSON.stringify(body) } : {};
  const response = await fetch(path, { ...options, headers });
  if (response.ok) return response;
  if (response.status === 401 && again) {
    await openSession(); // the demo was started anew
    return request(path, body, false);
  }
  throw await refusal(response);
}

async function refusal(response) {
  const { error } = await response.json().catch(() => ({ error: {} }));
  return new ApiError(response.status, error.code ?? "", error.message ?? "");
}
