// The options: server and token, privacy, allowed sites, and everything that was sent lately.

import { browser } from "./browser.js";
import { ask, element, showEntries } from "./entries.js";
import { eraseMine, exported, mine } from "./server.js";
import { allowedPatterns, allowSite, changeSettings, forbidSite, readSettings, serverAddress, siteOfPattern, sitePattern } from "./settings.js";

const at = (id) => document.getElementById(id);

async function start() {
  const settings = await readSettings();
  for (const name of ["server", "token", "user", "private"]) at(name).value = settings[name];
  at("visits").checked = settings.visits;
  at("form").addEventListener("submit", onSave);
  at("private").addEventListener("change", () => changeSettings({ private: at("private").value }));
  at("visits").addEventListener("change", onVisits);
  at("allow").addEventListener("submit", onAllow);
  at("export").addEventListener("click", onExport);
  at("erase").addEventListener("click", () => at("sure").showModal());
  at("sure").addEventListener("close", onErase);
  at("clear").addEventListener("click", () => ask("dropSent"));
  browser.permissions.onAdded.addListener(showSites);
  browser.permissions.onRemoved.addListener(showSites);
  browser.storage.onChanged.addListener(showList);
  await Promise.all([showSites(), showList(), showKeys()]);
  if (settings.token) {
    ask("retry").then(() => ask("follow")).catch(() => {});
    await showMine();
  } else {
    at("token").focus();
  }
}

function say(id, text, kind = "") {
  at(id).textContent = text;
  at(id).className = kind;
}

// --- server ----------------------------------------------------------------------------------------------

async function onSave(event) {
  event.preventDefault();
  const server = serverAddress(at("server").value);
  if (!server) {
    say("tested", "This is not an address of a server. Example: http://127.0.0.1:8737", "bad");
    return;
  }
  at("server").value = server;
  const chosen = { server, token: at("token").value.trim(), user: at("user").value.trim() };
  say("tested", "Asking the server …");
  await changeSettings(chosen);
  try {
    await mine(await readSettings());
    say("tested", "Connected. Open a page and click the mouse in the toolbar to publish it.", "good");
  } catch (error) {
    say("tested", `Saved, but it does not work yet. ${error.message}`, "bad");
  }
  await showMine();
}

async function showMine() {
  try {
    const { submissions, visits, pending } = await mine();
    const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
    say("mine", `The archive holds ${count(submissions + pending, "submission")} and ${count(visits, "visit")} from you.`, "dim");
  } catch {
    say("mine", "");
  }
}

// --- privacy ---------------------------------------------------------------------------------------------

async function onExport() {
  try {
    const link = element("a", { href: URL.createObjectURL(await exported()), download: "fieldmouse-mine.jsonl" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    say("done", "Exported: one JSON object a line.");
  } catch (error) {
    say("done", error.message, "bad");
  }
}

async function onErase() {
  if (at("sure").returnValue !== "erase") return;
  at("sure").returnValue = "";
  try {
    await eraseMine();
    await Promise.all([ask("dropSent"), ask("dropVisits")]);
    say("done", "The archive erases it within seconds.");
  } catch (error) {
    say("done", error.message, "bad");
  }
}

// --- visits ----------------------------------------------------------------------------------------------

async function onVisits() {
  await changeSettings({ visits: at("visits").checked });
  if (!at("visits").checked) await ask("dropVisits");
}

function onAllow(event) {
  event.preventDefault();
  const pattern = sitePattern(at("site").value);
  if (!pattern) {
    say("allowed", "This is not a site. Example: example.org", "bad");
    return;
  }
  // The request comes first: the browser allows it only in the handler of a click.
  allowSite(pattern).then(
    (granted) => {
      say("allowed", granted ? `Allowed: ${siteOfPattern(pattern)}` : "The browser was not allowed to tell visits.", granted ? "" : "bad");
      if (granted) at("site").value = "";
    },
    (error) => say("allowed", error.message, "bad"),
  );
}

async function showSites() {
  const patterns = await allowedPatterns();
  at("sites").replaceChildren(
    ...patterns.map((pattern) => {
      const button = element("button", { type: "button", className: "bare", textContent: "Remove" });
      button.setAttribute("aria-label", `Remove ${siteOfPattern(pattern)}`);
      button.addEventListener("click", () => forbidSite(pattern));
      return element("li", {}, element("div", {}, element("span", { textContent: siteOfPattern(pattern) }), button));
    }),
  );
  at("no-sites").hidden = patterns.length > 0;
}

// --- submissions and keys --------------------------------------------------------------------------------

async function showList() {
  const count = await showEntries(at("list"), 100, showList);
  at("none").hidden = count > 0;
  const { trouble = "" } = await browser.storage.local.get("trouble");
  at("trouble").textContent = trouble;
  at("trouble").hidden = !trouble;
}

async function showKeys() {
  const commands = await browser.commands.getAll();
  at("keys").replaceChildren(
    ...commands.map(({ shortcut, description, name }) =>
      element("div", {}, element("dt", {}, element("kbd", { textContent: shortcut || "none" })), element("dd", { textContent: description || (name === "publish" ? "Publish the page at once" : "Open the popup") })),
    ),
  );
}

start();
