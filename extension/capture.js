// Runs in the page when the reader publishes it: the page as the reader sees it, as HTML without scripts.
//
// The copy has what scripts built, shadow trees and frames of the same site, and the base address. It does not
// have what was typed into forms, passwords, values of hidden fields, scripts, or tokens in <meta>.

(() => {
  const DEPTH = 1500;
  const BUTTONS = new Set(["button", "image", "reset", "submit"]);
  const SECRET = /csrf|xsrf|token|nonce/i;
  const SIGN_OUT =
    /^(log|sign)[ -]?(out|off)$|^(abmelden|ausloggen|(se )?d[ée]connexion|se d[ée]connecter|cerrar sesi[óo]n|esci|uitloggen|afmelden|wyloguj( si[ęe])?|logga ut|log ud|logg ut|odhl[áa]sit( se)?|terminar sess[ãa]o|sair|kirjaudu ulos|выйти|ログアウト|退出登录|로그아웃)$/i;

  // A document that loads nothing and runs nothing.
  const inert = document.implementation.createHTMLDocument("");

  function shadowOf(element) {
    try {
      const dom = globalThis.chrome?.dom;
      return dom?.openOrClosedShadowRoot?.(element) ?? element.openOrClosedShadowRoot ?? element.shadowRoot;
    } catch {
      return element.shadowRoot;
    }
  }

  function frameBody(frame) {
    try {
      return frame.contentDocument?.body ?? null;
    } catch {
      return null; // of another site
    }
  }

  function isLeftOut(element) {
    switch (element.localName) {
      case "script":
        return element.type !== "application/ld+json";
      case "noscript":
      case "template":
      case "base":
        return true;
      case "meta":
        return element.hasAttribute("charset") || element.hasAttribute("http-equiv") || SECRET.test(element.name);
      case "link":
        return /\b(preload|prefetch|modulepreload|preconnect|dns-prefetch)\b/i.test(element.rel);
      default:
        return false;
    }
  }

  function isEditor(element) {
    const editable = element.getAttribute("contenteditable");
    return (
      editable !== null && editable !== "false" && element !== document.body && element !== document.documentElement
    );
  }

  function withoutValues(element, copy) {
    for (const { name } of [...copy.attributes]) {
      if (name.startsWith("on") || name === "nonce") copy.removeAttribute(name);
    }
    if (copy.localName === "input") {
      if (!BUTTONS.has(element.type)) copy.removeAttribute("value");
      copy.removeAttribute("checked");
    } else if (copy.localName === "option") {
      copy.removeAttribute("selected");
    } else if (copy.localName === "img" && /^https?:/.test(element.currentSrc ?? "")) {
      copy.setAttribute("src", element.currentSrc);
    }
  }

  function rulesOf(sheet) {
    try {
      return [...sheet.cssRules].map((rule) => rule.cssText).join("\n");
    } catch {
      return ""; // of another site
    }
  }

  function childrenOf(element) {
    if (element.localName === "textarea" || isEditor(element)) return [];
    const shadow = shadowOf(element);
    if (shadow) return [...shadow.childNodes].filter((one) => one.localName !== "style");
    if (element.localName === "slot") {
      const assigned = element.assignedNodes();
      if (assigned.length) return assigned;
    }
    return element.childNodes;
  }

  function copied(node, depth) {
    if (node.nodeType === Node.TEXT_NODE) return inert.createTextNode(node.data);
    if (node.nodeType !== Node.ELEMENT_NODE || isLeftOut(node) || depth > DEPTH) return null;
    const body = node.localName === "iframe" || node.localName === "frame" ? frameBody(node) : null;
    if (body) {
      const frame = inert.createElement("div");
      frame.setAttribute("data-frame", node.contentDocument.URL);
      for (const child of body.childNodes) append(frame, copied(child, depth + 1));
      return frame;
    }
    const copy = inert.importNode(node, false);
    withoutValues(node, copy);
    if (node.localName === "style" && node.sheet && !node.textContent.trim()) {
      copy.textContent = rulesOf(node.sheet); // rules that a script inserted
      return copy;
    }
    for (const child of childrenOf(node)) append(copy, copied(child, depth + 1));
    return copy;
  }

  function append(parent, child) {
    if (child) parent.appendChild(child);
  }

  function wholePage() {
    const root = copied(document.documentElement, 0);
    let head = root.querySelector(":scope > head");
    if (!head) {
      head = inert.createElement("head");
      root.prepend(head);
    }
    for (const sheet of document.adoptedStyleSheets ?? []) {
      const style = inert.createElement("style");
      style.textContent = rulesOf(sheet);
      head.appendChild(style);
    }
    const base = inert.createElement("base");
    base.setAttribute("href", document.baseURI);
    const charset = inert.createElement("meta");
    charset.setAttribute("charset", "utf-8");
    head.prepend(charset, base);
    return `<!DOCTYPE html>\n${root.outerHTML}`;
  }

  function isSignedIn() {
    const controls = document.querySelectorAll("a, button, [role=button], [role=menuitem], input[type=submit]");
    for (const one of controls) {
      const text = (one.value || one.textContent || "").trim();
      if (text.length < 30 && SIGN_OUT.test(text)) return true;
    }
    return false;
  }

  // The server takes no control characters in a title, and no halves of characters anywhere.
  const title = document.title.replace(/[\x00-\x1f\x7f]/g, " ").slice(0, 500).toWellFormed();
  const page = { url: location.href, title, html: "", text: "", login: false };
  const type = document.contentType;
  if (type === "text/html" || type === "application/xhtml+xml") {
    page.html = wholePage().toWellFormed();
    page.login = isSignedIn();
  } else if (/^text\/|json$|xml$/.test(type)) {
    page.text = (document.body?.innerText ?? document.documentElement.textContent).toWellFormed();
  }
  return page;
})();
