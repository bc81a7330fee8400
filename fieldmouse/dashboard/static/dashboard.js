// Live figures, keys, filters that apply themselves, and a readable curve. Every page works without this file.
"use strict";

(() => {
  const page = document.body.dataset.page;
  document.documentElement.classList.add("js");

  // --- live: figures of the server, without loading the page again ---

  const live = document.getElementById("live");
  let known = null;

  function show(figures) {
    if (live) {
      live.querySelector(".dot").className = `dot ${figures.dot}`;
      live.lastElementChild.textContent = figures.live;
    }
    const mark = `${figures.visits}/${figures.changes}/${figures.snapshot}`;
    if (known !== null && known !== mark) refreshParts();
    known = mark;
  }

  let loading = false;
  async function refreshParts() {
    if (page !== "overview" || loading || document.hidden) return;
    loading = true;
    try {
      const answer = await fetch(location.pathname, { headers: { accept: "text/html" } });
      if (!answer.ok) return;
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
      for (const id of ["verdict", "measures", "changed", "now"]) {
        const [old, next] = [document.getElementById(id), fresh.getElementById(id)];
        if (old && next && !old.contains(document.activeElement)) old.replaceWith(next);
      }
    } finally {
      loading = false;
    }
  }

  if (live && window.EventSource) {
    const events = new EventSource("/events");
    events.addEventListener("figures", (event) => show(JSON.parse(event.data)));
    window.addEventListener("pagehide", () => events.close());
  }

  // --- filters apply as soon as they are chosen ---

  for (const form of document.querySelectorAll("form.filters")) {
    form.addEventListener("change", (event) => {
      if (event.target.matches("input[type=radio], select, input[type=checkbox]")) form.requestSubmit();
    });
  }

  // --- keys ---

  const items = () => [...document.querySelectorAll(".change, .hit")];
  const at = () => items().findIndex((one) => one.classList.contains("at"));

  function go(step) {
    const all = items();
    if (!all.length) return;
    const next = all[Math.min(Math.max(at() + step, 0), all.length - 1)];
    for (const one of all) one.classList.toggle("at", one === next);
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const field = event.target.closest("input, select, textarea");
    if (event.key === "Escape") {
      for (const one of document.querySelectorAll("details.pop[open], details.muting[open]")) one.open = false;
      if (field) field.blur();
      return;
    }
    if (field) return;
    const here = items()[at()];
    if (event.key === "/") {
      const search = document.querySelector(".ask input, .find input");
      if (search && search.offsetParent !== null) {
        event.preventDefault();
        search.focus();
      }
    } else if (event.key === "j" || event.key === "k") {
      go(event.key === "j" ? 1 : -1);
    } else if (event.key === "Enter" && here && event.target === here) {
      location.href = here.dataset.url;
    } else if (event.key === "m" && here) {
      const muting = here.querySelector("details.muting");
      if (muting) muting.open = !muting.open;
    } else if (event.key === "c" && here) {
      const compare = here.querySelector("a[href$='#versions']");
      if (compare) compare.click();
    } else if (event.key === "s" && here) {
      const seen = here.querySelector("form.seen");
      if (seen) seen.requestSubmit();
    } else if ((event.key === "y" || event.key === "n") && here) {
      const answer = here.querySelector(event.key === "y" ? ".answer .yes" : ".answer .no");
      if (answer) answer.click();
    } else if (event.key === "?") {
      const help = document.getElementById("keys");
      if (help && help.showModal) help.showModal();
    } else if (event.key === "u") {
      const undo = marked.pop() || document.getElementById("undo");
      if (undo) undo.requestSubmit();
    }
  });

  // --- a change that was seen stays in its place until the page is loaded again ---

  const marked = []; // forms, the last one last
  for (const form of document.querySelectorAll("form.seen")) {
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const article = form.closest(".change");
      const seen = !article.hasAttribute("data-seen");
      const sent = new FormData(form);
      if (!seen) sent.set("unseen", "1");
      const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams(sent), redirect: "manual" });
      if (answer.type !== "opaqueredirect") return form.submit();
      article.toggleAttribute("data-seen", seen);
      form.querySelector("button").textContent = seen ? "Not seen" : "Seen";
      if (seen) marked.push(form);
      const badge = document.querySelector("nav a[href='/changes'] .count");
      if (badge) badge.textContent = Math.max(0, Number(badge.textContent) + (seen ? -1 : 1));
      if (seen && article.classList.contains("at")) go(1);
    });
  }

  document.addEventListener("click", (event) => {
    for (const one of document.querySelectorAll("details.pop[open]")) {
      if (!one.contains(event.target)) one.open = false;
    }
  });

  // --- the curve: the same picture, with the figures under the pointer ---

  const plot = document.getElementById("freshness");
  const source = document.getElementById("freshness-data");
  if (plot && source && window.uPlot) {
    const rows = JSON.parse(source.textContent);
    if (rows.length > 2) draw(rows);
  }

  function draw(rows) {
    const css = getComputedStyle(document.documentElement);
    const colour = (name) => css.getPropertyValue(name).trim();
    // Time, low, high, estimated, audited: what is drawn last lies on top.
    const columns = [0, 2, 3, 1, 4].map((n) => rows.map((row) => (n && row[n] !== null ? 100 * row[n] : row[n])));
    const values = [...columns[1], ...columns[4]].filter((value) => value !== null);
    const base = Math.floor(Math.min(90, ...values) / 5) * 5;
    const said = (_, value) => (value === null || value === undefined ? "–" : `${value.toFixed(1)}%`);
    const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
    const day = (seconds) => {
      const when = new Date(1000 * seconds);
      return `${when.getDate()} ${months[when.getMonth()]}`;
    };
    const clock = (seconds) => new Date(1000 * seconds).toTimeString().slice(0, 5);
    const days = (rows[rows.length - 1][0] - rows[0][0]) / 86400;
    const wholeDays = [1, 2, 3, 5, 7, 10, 15, 30, 60, 90, 180, 365].map((n) => 86400 * n); // or a label comes twice
    const axis = { stroke: colour("--ink-3"), ticks: { show: false }, font: `12px ${colour("--sans")}` };
    const line = { stroke: colour("--line"), width: 1 };
    const box = document.createElement("div");
    box.className = "curve-box";
    plot.before(box);
    const size = () => ({ width: box.clientWidth, height: 232 });
    const chart = new window.uPlot({
      ...size(),
      cursor: { y: false, points: { size: 7 } },
      scales: { y: { range: [base, 100] } },
      axes: [
        { ...axis, grid: { show: false }, size: 30, ...(days > 2 && { incrs: wholeDays }), values: (_, found) => found.map(days > 2 ? day : clock) },
        { ...axis, grid: line, size: 44, incrs: [5, 10, 25], values: (_, found) => found.map((value) => `${value}%`) },
      ],
      series: [
        { label: "At", value: (_, value) => (value === null ? "–" : `${day(value)} ${clock(value)}`) },
        { label: "low", value: said, points: { show: false } },
        { label: "high", value: said, points: { show: false } },
        { label: "estimated", stroke: colour("--good"), width: 2, value: said, points: { show: false } },
        { label: "audited", stroke: colour("--ink"), paths: () => null, value: said, points: { show: true, size: 8, fill: colour("--bg"), width: 2, filter: spread } },
      ],
      bands: [{ series: [2, 1], fill: colour("--good-band") }],
      hooks: { drawSeries: [(u, n) => n === 2 && goal(u, colour("--ink-2"))] }, // over the bounds, under the line
    }, columns, box);
    plot.hidden = true;
    new ResizeObserver(() => chart.setSize(size())).observe(box);
  }

  function goal(chart, colour) {
    const { ctx, bbox } = chart;
    const y = chart.valToPos(95, "y", true);
    ctx.save();
    ctx.strokeStyle = colour;
    ctx.setLineDash([4, 4]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.restore();
  }

  function spread(chart, series, shown) {
    // A dozen audits are enough to see; each has many visits in common with the one before.
    const step = Math.max(1, Math.floor(chart.data[0].length / 12));
    return shown ? chart.data[0].map((_, n) => n).filter((n) => (chart.data[0].length - 1 - n) % step === 0) : [];
  }
})();
