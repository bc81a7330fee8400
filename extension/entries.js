// Shows what is in the queue and what was sent: in the popup a few, in the options all.

import { browser } from "./browser.js";
import { readQueue, readSent } from "./queue.js";

// By state: the word of the chip, its colour, what it means as a sentence, and the same in the list.
const STATES = {
  received: ["received", "", "The server has it; the archive takes it in soon.", "taken in soon"],
  stored: ["archived", "good", "A new version is in the archive.", "new version"],
  unchanged: ["archived", "good", "The archive had the same content.", "same content as before"],
  address: ["address sent", "", "The crawler may visit the page.", "the crawler may visit it"],
  refused: ["refused", "bad", "", ""],
  spam: ["spam", "bad", "It was taken for spam and not kept.", "not kept"],
  erased: ["erased", "", "", ""],
};

// What became of an entry of the queue, in words; null if it is in neither list.
export async function outcome(key) {
  const queued = (await readQueue()).find((one) => one.key === key);
  if (queued?.state === "failed") return { text: `Not sent. ${queued.error}`, kind: "bad", final: false };
  if (queued) return { text: queued.error ? "Queued. It is sent as soon as possible." : "Queued.", kind: "", final: false };
  const sent = (await readSent()).find((one) => one.key === key);
  if (!sent) return null;
  const [word, kind, meaning] = STATES[sent.state] ?? [sent.state, "", ""];
  const hidden = sent.private ? " Only you see it." : "";
  const text = `${word[0].toUpperCase()}${word.slice(1)}. ${sent.reason || meaning}${hidden}`;
  return { text, kind, final: sent.state !== "received" };
}

export function ask(action, values = {}) {
  return browser.runtime.sendMessage({ action, ...values }).then(({ value, error } = {}) => {
    if (error) throw new Error(error);
    return value;
  });
}

export function when(seconds, now = Date.now() / 1000) {
  const past = Math.max(0, now - seconds);
  if (past < 60) return "just now";
  if (past < 3600) return `${Math.floor(past / 60)} min ago`;
  if (past < 86400) return `${Math.floor(past / 3600)} h ago`;
  if (past < 30 * 86400) return `${Math.floor(past / 86400)} d ago`;
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}

export function element(name, options = {}, ...children) {
  const made = Object.assign(document.createElement(name), options);
  made.append(...children);
  return made;
}

// Fill a list with the newest entries, those not sent yet first; returns how many there are.
export async function showEntries(list, most, changed) {
  const waiting = (await readQueue()).filter((one) => one.kind === "page").reverse();
  const sent = await readSent();
  const rows = [...waiting.map((one) => queuedRow(one, changed)), ...sent.map((one) => sentRow(one))];
  list.replaceChildren(...rows.slice(0, most));
  return rows.length;
}

function row(one, chip, kind, note, ...buttons) {
  const name = element("span", { className: "clip", textContent: one.title || one.url, title: one.url, dir: "auto" });
  const state = element("span", { className: `chip ${kind}`, textContent: chip });
  const more = element("span", { className: "dim", textContent: note });
  const made = element("li", {}, element("div", {}, name, state), element("div", {}, more, ...buttons));
  made.dataset.key = one.key;
  return made;
}

function queuedRow(one, changed) {
  const act = (text, action) => {
    const button = element("button", { type: "button", className: "bare", textContent: text });
    button.addEventListener("click", () => ask(action, { key: one.key }).then(changed, changed));
    return button;
  };
  if (one.state === "failed") {
    return row(one, "not sent", "bad", one.error, act("Send again", "retry"), act("Remove", "drop"));
  }
  const note = one.error ? "sent as soon as possible" : "being sent";
  return row(one, "queued", "change", note, act("Send now", "retry"), act("Remove", "drop"));
}

function sentRow(one) {
  const [word, kind, , meaning] = STATES[one.state] ?? [one.state, "", "", ""];
  const notes = [when(one.at), one.private ? "only you see it" : "", one.reason || meaning];
  if (!one.spam) return row(one, word, kind, notes.filter(Boolean).join(" · "));
  if (one.score !== undefined && one.score !== null) notes.push(`spam score ${one.score} of 99`);
  return row(one, "spam", "bad", notes.filter(Boolean).join(" · "));
}
