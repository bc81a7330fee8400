// The background script: publishes pages, sends the queue, follows what became of it, and sets the badge.
//
// The browser ends this script whenever it likes. So everything is in storage before it is sent, an alarm is
// set before the first try, and a key that was made when the reader clicked makes every repetition the same
// submission.

import { browser } from "./browser.js";
import * as queue from "./queue.js";
import { known, getJson, send, ServerError } from "./server.js";
import { originPattern, readSettings } from "./settings.js";

const RETRY_SECONDS = [30, 60, 120, 300, 600, 900];
const FOLLOW_SECONDS = [1, 2, 4, 8]; // after a submission; then once a minute
const MAX_CHECKS = 60;
const VISITS_MINUTES = 1;

const now = () => Date.now() / 1000;
const sleep = (seconds) => new Promise((done) => setTimeout(done, seconds * 1000));

// --- publishing ------------------------------------------------------------------------------------------

async function publish({ tab, tags = [], comment = "", privacy = "" }) {
  const page = await captured(tab);
  const entry = {
    key: crypto.randomUUID(), kind: "page", url: page.url, title: page.title, tags, comment,
    format: page.html ? "html" : "text", login: page.login, added: now(),
    privacy: privacy || (await readSettings()).private,
  };
  await queue.enqueue({ ...entry, content: page.html || page.text });
  await setAlarm("send", RETRY_SECONDS[0]);
  sendQueue();
  return { key: entry.key };
}

async function captured(tab) {
  const [{ result }] = await browser.scripting.executeScript({ target: { tabId: tab }, files: ["capture.js"] });
  if (!result) throw new Error("The page could not be read. Load it again and repeat.");
  return result;
}

// --- sending ---------------------------------------------------------------------------------------------

let sending = null;
let sendAgain = false;

// Send what is pending. A call while another is under way makes that one start anew: the reader may have
// changed the token meanwhile.
function sendQueue() {
  sendAgain = true;
  sending ??= sendWhileWanted().finally(() => {
    sending = null;
  });
  return sending;
}

async function sendWhileWanted() {
  while (sendAgain) {
    sendAgain = false;
    await sendPending();
    await showBadge();
  }
}

// One at a time, what failed least often first: an entry that always fails holds up no other.
async function sendPending() {
  for (;;) {
    const pending = (await queue.readQueue()).filter((one) => one.state === "pending");
    const [entry] = pending.sort((one, other) => one.tries - other.tries || one.added - other.added);
    if (!entry) break;
    if (!(await sendEntry(entry))) return;
  }
  await browser.alarms.clear("send");
  await browser.storage.local.set({ trouble: "" });
}

// Whether the next entry can be sent.
async function sendEntry(entry) {
  try {
    const answer = await send(entry.kind === "page" ? "/v1/pages" : "/v1/visits", entry.key, await bodyOf(entry));
    await queue.markSent(entry, answer, now());
    if (entry.kind === "page") followSoon();
    return true;
  } catch (error) {
    const kind = error instanceof ServerError ? error.kind : "refused";
    if (kind === "refused") {
      await queue.markEntry(entry.key, { state: "failed", error: error.message });
      return true;
    }
    await queue.markEntry(entry.key, { tries: entry.tries + 1, error: error.message });
    await browser.storage.local.set({ trouble: error.message });
    const pause = RETRY_SECONDS[Math.min(entry.tries, RETRY_SECONDS.length - 1)];
    await setAlarm("send", Math.max(error.wait, pause));
    return false;
  }
}

async function bodyOf(entry) {
  if (entry.kind === "visits") return { visits: entry.visits };
  const body = { url: entry.url, title: entry.title, tags: entry.tags, comment: entry.comment, seen: entry.added };
  const content = await queue.contentOf(entry.key);
  if (content) body[entry.format] = content;
  if (entry.login) body.login = true;
  if (entry.privacy === "yes" || entry.privacy === "no") body.private = entry.privacy === "yes";
  return body;
}

async function retry(key) {
  if (key) await queue.markEntry(key, { state: "pending", tries: 0, error: "" });
  await sendQueue();
}

// --- what became of it -----------------------------------------------------------------------------------

async function followSoon() {
  await setAlarm("follow", 60);
  for (const seconds of FOLLOW_SECONDS) {
    await sleep(seconds);
    if (!(await follow())) return;
  }
}

// Ask for the state of submissions that are not in the archive yet; how many are left.
async function follow(most = MAX_CHECKS) {
  const open = (await queue.readSent()).filter((one) => one.state === "received" && one.checks < most);
  const changes = new Map();
  for (const one of open) {
    const change = { checks: one.checks + 1 };
    try {
      const { state, reason, spam, content_score: score, private: hidden } = await getJson(one.status);
      Object.assign(change, { state, reason, spam, score, private: hidden });
    } catch (error) {
      if (error.kind === "refused") Object.assign(change, { state: "erased", reason: error.message });
      else break;
    }
    changes.set(one.key, change);
  }
  if (changes.size) await queue.markStates(changes);
  const left = open.filter((one) => (changes.get(one.key)?.state ?? "received") === "received").length;
  if (!left) await browser.alarms.clear("follow");
  return left;
}

// --- visits to sites that the reader allowed -------------------------------------------------------------

// Without a permission for the site, the browser does not tell the address of a tab.
async function onTabUpdated(tabId, change, tab) {
  if (change.status !== "complete" || !/^https?:/.test(tab.url ?? "")) return;
  const settings = await readSettings();
  if (!settings.token || !(await isAllowed(tab.url))) return;
  showKnown(tabId, tab.url);
  if (!settings.visits || tab.incognito) return;
  const url = new URL(tab.url);
  url.hash = url.username = url.password = "";
  await queue.addVisit(url.href, now());
  if (!(await browser.alarms.get("visits"))) await browser.alarms.create("visits", { delayInMinutes: VISITS_MINUTES });
}

async function isAllowed(url) {
  return browser.permissions.contains({ origins: [originPattern(url)] });
}

async function sendVisits() {
  await queue.packVisits(crypto.randomUUID(), now());
  await sendQueue();
}

// --- badge -----------------------------------------------------------------------------------------------

// The number of entries that are not sent yet, on every tab.
async function showBadge() {
  const entries = await queue.readQueue();
  const { trouble = "" } = await browser.storage.local.get("trouble");
  const failed = entries.some((one) => one.state === "failed");
  await browser.action.setBadgeText({ text: entries.length ? String(entries.length) : "" });
  await browser.action.setBadgeBackgroundColor({ color: failed ? "#ab2f27" : "#8f5407" });
  await browser.action.setBadgeTextColor?.({ color: "#ffffff" });
  const title = entries.length ? `Fieldmouse: ${entries.length} not sent yet. ${trouble}` : "Publish this page";
  await browser.action.setTitle({ title: title.trim() });
  if (!entries.length) return;
  for (const { id } of await browser.tabs.query({ active: true })) await setMark(id, "", ""); // the number matters more
}

// A mark on one tab, in the place of the number; without one the number is seen.
async function setMark(tabId, text, color) {
  await browser.action.setBadgeText({ tabId, text: text || null });
  if (text) await browser.action.setBadgeBackgroundColor({ tabId, color });
}

// On one tab: whether the archive has the page.
async function showKnown(tabId, url) {
  try {
    const { stored, spam } = await known(url);
    const waiting = (await queue.readQueue()).length > 0;
    const mark = waiting || !stored ? "" : spam ? "spam" : "✓";
    await setMark(tabId, mark, spam ? "#ab2f27" : "#1b6e50");
  } catch {
    // without an answer there is nothing to show, or the tab is closed
  }
}

// --- events: all listeners are there when the script has run once ----------------------------------------

async function setAlarm(name, seconds) {
  await browser.alarms.create(name, { delayInMinutes: Math.max(seconds, 30) / 60 });
}

const ACTIONS = {
  publish,
  retry: ({ key }) => retry(key),
  drop: ({ key }) => queue.dropEntry(key).then(showBadge),
  dropSent: ({ key }) => queue.dropSent(key),
  dropVisits: () => queue.dropVisits().then(showBadge),
  follow: () => follow(Infinity), // the reader looks
  known: ({ tab, url }) => showKnown(tab, url),
};

browser.runtime.onMessage.addListener((message, sender, answer) => {
  // Only our own pages send messages; there are no content scripts that listen to web pages.
  if (sender.id !== browser.runtime.id || !Object.hasOwn(ACTIONS, message?.action)) return false;
  Promise.resolve(ACTIONS[message.action](message)).then(
    (value) => answer({ value }),
    (error) => answer({ error: error.message }),
  );
  return true;
});

browser.alarms.onAlarm.addListener(({ name }) => {
  if (name === "send") return sendQueue();
  if (name === "follow") return follow().then((left) => left && setAlarm("follow", 60));
  if (name === "visits") return sendVisits();
});

browser.commands.onCommand.addListener(async (command, given) => {
  if (command !== "publish") return;
  const tab = given ?? (await browser.tabs.query({ active: true, currentWindow: true }))[0];
  try {
    await publish({ tab: tab.id });
  } catch (error) {
    await setMark(tab.id, "!", "#ab2f27");
    await browser.action.setTitle({ tabId: tab.id, title: `Not published: ${error.message}` });
  }
});

browser.tabs.onUpdated.addListener(onTabUpdated);

browser.storage.onChanged.addListener((changes, area) => {
  if (area === "local" && changes.settings) sendQueue(); // a new token or server may be the right one
});

browser.runtime.onInstalled.addListener(({ reason }) => {
  if (reason === "install") browser.runtime.openOptionsPage();
});
browser.runtime.onStartup.addListener(() => sendQueue());
self.addEventListener("online", () => sendQueue());

// The script starts anew after the browser ended it, perhaps while it sent something.
sendQueue();
