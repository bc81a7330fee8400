// What the reader chose in the options, and which sites they allowed.

import { browser } from "./browser.js";

const DEFAULTS = {
  server: "http://127.0.0.1:8737",
  token: "",
  user: "", // tells readers who share a token apart
  private: "auto", // "auto": private if signed in; "yes"; "no"
  visits: false, // whether visits to the allowed sites are sent
};

export async function readSettings() {
  const { settings } = await browser.storage.local.get("settings");
  return { ...DEFAULTS, ...settings };
}

export async function changeSettings(changes) {
  await browser.storage.local.set({ settings: { ...(await readSettings()), ...changes } });
}

// The address of a server as a reader types it, without what requests cannot use; null if it is none.
export function serverAddress(text) {
  try {
    const url = new URL(/^[a-z]+:\/\//i.test(text.trim()) ? text.trim() : `http://${text.trim()}`);
    if (!/^https?:$/.test(url.protocol) || url.username || url.password) return null;
    return url.origin;
  } catch {
    return null;
  }
}

// --- allowed sites: the permissions that the browser granted are the list; there is no second one ----------

// The pattern of a permission for a site: a host name, an address with a port, or a page of the site.
export function sitePattern(text) {
  try {
    const typed = text.trim();
    const url = new URL(/^[a-z]+:\/\//i.test(typed) ? typed : `https://${typed.replace(/^\*\./, "")}`);
    if (!/^https?:$/.test(url.protocol) || !url.hostname) return null;
    return `*://${typed.startsWith("*.") ? "*." : ""}${url.hostname}/*`;
  } catch {
    return null;
  }
}

// The pattern that must be granted for a page to be seen.
export function originPattern(address) {
  const { protocol, hostname } = new URL(address);
  return `${protocol}//${hostname}/*`;
}

export function siteOfPattern(pattern) {
  return pattern.replace(/^[^:]+:\/\//, "").replace(/\/\*$/, "");
}

export async function allowedPatterns() {
  const granted = await browser.permissions.getAll();
  return (granted.origins ?? []).sort();
}

// Ask the browser to allow a site. Call it in the handler of a click, before anything is awaited.
export function allowSite(pattern) {
  const wanted = { origins: [pattern] };
  // Firefox asks for consent to send visits together with the site; Chrome does not know this key.
  if (browser.runtime.getURL("").startsWith("moz-")) wanted.data_collection = ["browsingActivity"];
  return browser.permissions.request(wanted);
}

export function forbidSite(pattern) {
  return browser.permissions.remove({ origins: [pattern] });
}
