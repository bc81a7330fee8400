// Requests to the server of the archive, and what an answer means for the queue.

import { readSettings } from "./settings.js";

const SECONDS = 60;

// Why a request failed. `kind` is "offline" (try again later), "busy" (try again after `wait` seconds),
// "token" (the reader has to act) or "refused" (it would be refused again).
export class ServerError extends Error {
  constructor(kind, message, wait = 0) {
    super(message);
    this.kind = kind;
    this.wait = wait;
  }
}

async function answerOf(path, options, settings) {
  const { server, token } = settings ?? (await readSettings());
  if (!token) throw new ServerError("token", "No token yet. Paste one in the options.");
  const headers = { authorization: `Bearer ${token}`, ...options.headers };
  let answer;
  try {
    answer = await fetch(server + path, {
      ...options,
      headers,
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
      referrerPolicy: "no-referrer",
      signal: AbortSignal.timeout(SECONDS * 1000),
    });
  } catch {
    throw new ServerError("offline", `No answer from ${server}. Is the server running?`);
  }
  if (answer.ok) return answer;
  let reason = `The server answered ${answer.status}.`;
  try {
    reason = (await answer.json()).error || reason;
  } catch {
    // not an answer of Fieldmouse
  }
  const { status } = answer;
  if (status === 401 || status === 403) throw new ServerError("token", reason);
  if (status === 408 || status === 429 || status >= 500) {
    throw new ServerError("busy", reason, Number(answer.headers.get("retry-after")) || 0);
  }
  throw new ServerError("refused", reason);
}

export async function getJson(path, settings) {
  return (await answerOf(path, {}, settings)).json();
}

export async function erase(path) {
  return (await answerOf(path, { method: "DELETE" })).json();
}

export async function exported() {
  return (await answerOf(`/v1/mine/export${await userQuery("?")}`, {})).blob();
}

// Send something from the queue. The key makes a repeated request the same submission.
export async function send(path, key, value) {
  const { user } = await readSettings();
  const body = JSON.stringify(user ? { ...value, user } : value);
  const headers = { "content-type": "application/json", "idempotency-key": key };
  return (await answerOf(path, { method: "POST", headers, body })).json();
}

export async function known(url) {
  return getJson(`/v1/known?url=${encodeURIComponent(url)}${await userQuery("&")}`);
}

export async function mine(settings) {
  return getJson(`/v1/mine${await userQuery("?", settings)}`, settings);
}

export async function eraseMine() {
  return erase(`/v1/mine${await userQuery("?")}`);
}

async function userQuery(sign, settings) {
  const { user } = settings ?? (await readSettings());
  return user ? `${sign}user=${encodeURIComponent(user)}` : "";
}
