// The popup: what the archive knows of the page, publishing it, and the last submissions.

import { browser } from "./browser.js";
import { ask, element, outcome, showEntries, when } from "./entries.js";
import { known, ServerError } from "./server.js";
import { allowSite, changeSettings, forbidSite, originPattern, readSettings, siteOfPattern, sitePattern } from "./settings.js";

const SHOWN = 4;
const TAGS_KEPT = 30;
const at = (id) => document.getElementById(id);

let tab;
let settings;
let published = ""; // key of what this popup published last
let knownTrouble = ""; // why it is not known whether the page is archived

async function start() {
  settings = await readSettings();
  [tab] = await browser.tabs.query({ active: true, currentWindow: true });
  at("options").addEventListener("click", openOptions);
  at("connect").addEventListener("click", openOptions);
  await showList();
  browser.storage.onChanged.addListener((changes) => Promise.all([showList(), showOutcome(), showNews(changes)]));
  if (!settings.token) {
    at("title").textContent = "Fieldmouse";
    at("setup").hidden = false;
    at("connect").focus();
    return;
  }
  ask("retry").then(() => ask("follow")).catch(() => {}); // the reader looks: now is a good time to try
  at("title").textContent = tab?.title || "This page";
  at("address").textContent = (tab?.url ?? "").replace(/^https?:\/\//, "");
  if (!/^https?:/.test(tab?.url ?? "")) {
    at("unusable").textContent = "Only pages of the Web can be published, not pages of the browser.";
    at("unusable").hidden = false;
    return;
  }
  at("page").hidden = false;
  at("privacy").value = settings.private;
  at("form").addEventListener("submit", onPublish);
  at("form").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) at("form").requestSubmit();
  });
  at("tags").focus();
  await Promise.all([showKnown(), showTags(), showVisits()]);
}

function openOptions() {
  browser.runtime.openOptionsPage();
  window.close();
}

// --- what is known ---------------------------------------------------------------------------------------

async function showKnown() {
  let facts;
  try {
    const found = await known(tab.url);
    facts = factsOf(found);
    at("archive").hidden = !found.known;
    at("archive").href = `${settings.server}/page?url=${encodeURIComponent(found.url)}`;
    knownTrouble = "";
    ask("known", { tab: tab.id, url: tab.url }).catch(() => {});
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    knownTrouble = error.message;
    facts = [["Archive", error.message, "bad"]];
  }
  at("known").replaceChildren(
    ...facts.map(([name, text, kind = ""]) =>
      element("div", {}, element("dt", { textContent: name }), element("dd", { textContent: text, className: kind })),
    ),
  );
  await showList();
}

// Ask again what is known when the server answers again, or has taken in what was sent of this page.
async function showNews({ sent, trouble }) {
  if (at("page").hidden) return;
  const states = ({ oldValue, newValue } = {}) => [oldValue, newValue].map((some = []) => JSON.stringify(some.filter((one) => one.url === tab.url).map((one) => one.state)));
  const [before, after] = states(sent);
  if (before !== after || (trouble?.oldValue && !trouble.newValue)) await showKnown();
}

function factsOf(found) {
  if (!found.known) return [["Archive", "not archived yet"]];
  if (!found.stored) return [["Archive", found.mine ? "sent, not archived yet" : "known, not archived"]];
  const count = found.versions === 1 ? "1 version" : `${found.versions} versions`;
  const facts = [["Archive", `archived, ${count}${found.mine ? `, ${found.mine} from you` : ""}`, "good"]];
  if (found.last_change) facts.push(["Last change", when(found.last_change)]);
  if (found.last_visit) facts.push(["Last visit", when(found.last_visit)]);
  if (found.content_score !== null) {
    facts.push(["Spam score", `${found.content_score} of 99${found.spam ? ", spam" : ""}`, found.spam ? "bad" : ""]);
  }
  if (found.topic !== null) facts.push(["Topic", `${Math.round(found.topic * 100)} % on topic`]);
  return facts;
}

// --- publishing ------------------------------------------------------------------------------------------

async function onPublish(event) {
  event.preventDefault();
  const button = at("publish");
  if (button.disabled) return;
  button.disabled = true;
  say("Reading the page …");
  const tags = tagsOf(at("tags").value);
  const comment = at("comment").value.toWellFormed();
  try {
    ({ key: published } = await ask("publish", { tab: tab.id, tags, comment, privacy: at("privacy").value }));
    at("tags").value = at("comment").value = "";
    await keepTags(tags);
    await showOutcome();
  } catch (error) {
    say(`Not published. ${error.message}`, "bad");
  }
  button.disabled = false;
}

// Follow what was published until the archive has it; the popup may be closed at any time.
async function showOutcome() {
  const found = published && (await outcome(published));
  if (!found) return;
  say(found.text, found.kind);
  if (!found.final) return;
  published = "";
}

function say(text, kind = "") {
  at("result").textContent = text;
  at("result").className = kind;
}

function tagsOf(text) {
  const clean = text.toWellFormed().replace(/[\x00-\x1f\x7f]/g, " ");
  const tags = clean.split(",").map((one) => one.trim().slice(0, 100).toWellFormed());
  return [...new Set(tags.filter(Boolean))].slice(0, 50);
}

async function keepTags(tags) {
  const { tags: before = [] } = await browser.storage.local.get("tags");
  await browser.storage.local.set({ tags: [...new Set([...tags, ...before])].slice(0, TAGS_KEPT) });
}

async function showTags() {
  const { tags = [] } = await browser.storage.local.get("tags");
  at("used").replaceChildren(...tags.map((value) => element("option", { value })));
}

// --- visits ----------------------------------------------------------------------------------------------

async function showVisits() {
  const pattern = sitePattern(tab.url);
  at("site").textContent = siteOfPattern(pattern);
  at("visits").checked = settings.visits && (await browser.permissions.contains({ origins: [originPattern(tab.url)] }));
  at("visits").addEventListener("change", () => {
    // The request comes first: the browser allows it only in the handler of a click.
    const done = at("visits").checked ? allowSite(pattern) : forbidSite(pattern).then(() => false);
    const wanted = at("visits").checked;
    if (wanted) changeSettings({ visits: true });
    done.then((granted) => {
      at("visits").checked = wanted && granted;
    });
  });
}

async function showList() {
  const count = await showEntries(at("list"), SHOWN, showList);
  at("none").hidden = count > 0;
  const { trouble = "" } = await browser.storage.local.get("trouble");
  at("trouble").textContent = trouble;
  at("trouble").hidden = !trouble || trouble === knownTrouble; // once is enough
}

start();
