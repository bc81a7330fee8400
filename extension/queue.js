// What is to be sent, kept in the browser's storage until the server has it, and what was sent last.
//
// Only the background script writes here, one change at a time. An entry and its content are written
// together, so an entry is whole or not there. Contents are compressed: storage has ten megabytes.

import { browser } from "./browser.js";

const SENT_KEPT = 50;
const VISITS_KEPT = 5000;
const VISITS_SENT = 500;
const SAME_VISIT = 5; // seconds in which one address is one visit

const area = browser.storage.local;

export async function readQueue() {
  const { queue = [] } = await area.get("queue");
  return queue;
}

export async function readSent() {
  const { sent = [] } = await area.get("sent");
  return sent;
}

// Change the stored lists: `change` gets copies of them and returns those that are new.
function changeLists(change) {
  return navigator.locks.request("queue", async () => {
    const lists = { queue: [], sent: [], visits: [], garbage: [], ...(await area.get(["queue", "sent", "visits", "garbage"])) };
    const changed = change(lists);
    if (!changed) return;
    await area.set(changed);
    if (changed.garbage?.length) {
      await area.remove(changed.garbage);
      await area.set({ garbage: [] });
    }
  });
}

// --- pages -----------------------------------------------------------------------------------------------

export async function enqueue(page) {
  const { content, ...entry } = page;
  const packed = content ? await compressed(content) : "";
  try {
    await changeLists(({ queue }) => ({
      queue: [...queue, { ...entry, tries: 0, state: "pending", error: "" }],
      ...(packed && { [`content/${entry.key}`]: packed }),
    }));
  } catch (error) {
    if (!/quota/i.test(`${error?.name} ${error?.message}`)) throw error;
    const waiting = (await readQueue()).length;
    throw new Error(
      waiting
        ? `The queue is full: ${waiting} entries wait for the server.`
        : "The page is too large for the queue of the browser.",
    );
  }
}

export async function contentOf(key) {
  const name = `content/${key}`;
  const packed = (await area.get(name))[name];
  return packed ? uncompressed(packed) : "";
}

export function markEntry(key, changes) {
  return changeLists(({ queue }) => ({
    queue: queue.map((one) => (one.key === key ? { ...one, ...changes } : one)),
  }));
}

// The server has it: the entry moves to the list of what was sent.
export function markSent(entry, answer, at) {
  return changeLists(({ queue, sent, garbage }) => {
    const shown = {
      key: entry.key, url: entry.url, title: entry.title, tags: entry.tags, at,
      id: answer.id, status: answer.status, state: "received", reason: "", checks: 0,
    };
    return {
      queue: queue.filter((one) => one.key !== entry.key),
      sent: entry.kind === "page" ? [shown, ...sent.filter((one) => one.key !== entry.key)].slice(0, SENT_KEPT) : sent,
      garbage: [...garbage, `content/${entry.key}`],
    };
  });
}

export function dropEntry(key) {
  return changeLists(({ queue, garbage }) => ({
    queue: queue.filter((one) => one.key !== key),
    garbage: [...garbage, `content/${key}`],
  }));
}

export function markStates(changes) {
  return changeLists(({ sent }) => ({
    sent: sent.map((one) => (changes.has(one.key) ? { ...one, ...changes.get(one.key) } : one)),
  }));
}

export function dropSent(key) {
  return changeLists(({ sent }) => ({ sent: key ? sent.filter((one) => one.key !== key) : [] }));
}

// --- visits ----------------------------------------------------------------------------------------------

export function addVisit(url, time) {
  return changeLists(({ visits }) => {
    const same = visits.some((one) => one.url === url && time - one.time < SAME_VISIT);
    return same ? null : { visits: [...visits, { url, time }].slice(-VISITS_KEPT) };
  });
}

// Make an entry of the queue from the visits that are pending. Its key stays, however often it is sent.
export function packVisits(key, now) {
  return changeLists(({ queue, visits }) => {
    if (!visits.length) return null;
    const entry = { key, kind: "visits", visits: visits.slice(0, VISITS_SENT), added: now, tries: 0, state: "pending", error: "" };
    return { queue: [...queue, entry], visits: visits.slice(VISITS_SENT) };
  });
}

export function dropVisits() {
  return changeLists(({ queue }) => ({ visits: [], queue: queue.filter((one) => one.kind !== "visits") }));
}

// --- compression -----------------------------------------------------------------------------------------

async function compressed(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let binary = "";
  for (let at = 0; at < bytes.length; at += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(binary);
}

async function uncompressed(packed) {
  const bytes = Uint8Array.from(atob(packed), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}
