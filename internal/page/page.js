"use strict";
// The page: it reads the content, finds what a person types, and shows one of four views, which the
// part of the URL behind # names. Texts of documents become text, never markup, except for their HTML,
// which the program has made harmless.
const content = JSON.parse(document.getElementById("content").textContent);
const byId = id => document.getElementById(id);
const documents = content.documents;
const byPath = new Map(documents.map(d => [d.path, d]));

// element makes an element with properties and children. Children that are null are left out.
function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children.flat().filter(child => child != null));
  return made;
}

// What the documents do not say themselves: links from others, what lint found, their words.
const builtIn = ["problem", "insight", "codebase", "tool", "style"];
const types = [...new Set(documents.map(d => d.type))].sort();
const own = types.filter(type => !builtIn.includes(type));
const colour = type => builtIn.includes(type) ? builtIn.indexOf(type) : builtIn.length + own.indexOf(type) % 4;
const texts = value => value == null ? [] : Array.isArray(value) ? value.flatMap(texts)
  : typeof value === "object" ? Object.entries(value).map(([name, inner]) => `${name}: ${texts(inner).join(", ")}`) : [String(value)];
const shownElsewhere = ["title", "date", "summary", "tags", "doc_type", "promotion_level", "related_docs", "supersedes"];
const staleChecks = ["place-changed", "place-gone"];
for (const d of documents) {
  d.colour = "c" + colour(d.type);
  d.text = d.html.replace(/<[^>]*>/g, " ").replace(/&(lt|gt|amp|#34|#39|quot);/g, (_, name) =>
    ({ lt: "<", gt: ">", amp: "&", "#34": '"', "#39": "'", quot: '"' })[name]);
  const frontMatter = d.front_matter ?? {};
  d.tags = texts(frontMatter.tags);
  d.fields = Object.entries(frontMatter).map(([name, value]) => ({ name, values: texts(value) }))
    .filter(({ name, values }) => !shownElsewhere.includes(name) && values.length > 0);
  // A record in a folder such as docs/adr says no more than that it is of the type codebase.
  d.decision = frontMatter.knowledge_type === "architecture_decision" || /(^|-)adr(-|$)|decision/.test(d.type) ||
    d.type === "codebase" && !frontMatter.knowledge_type;
  d.findings = [];
  d.from = [];
}
for (const d of documents) for (const path of d.links) byPath.get(path)?.from.push(d.path);
for (const finding of content.findings) byPath.get(finding.path)?.findings.push(finding);
for (const d of documents) d.stale = d.findings.filter(f => staleChecks.includes(f.check));

const routeTo = path => "#/doc/" + encodeURIComponent(path);
const type = d => element("span", { className: "type " + d.colour }, d.type);
const level = d => d.level === "standard" ? null : element("span", { className: "level" }, d.level);
const day = d => d.date ? element("time", { dateTime: d.date }, d.date) : null;
const warn = text => element("span", { className: "warn" }, text);
const linkTo = path => element("a", { href: routeTo(path) }, byPath.get(path)?.title ?? path);
const state = d => [d.by ? warn("superseded") : null, d.stale.length > 0 ? warn("stale") : null];

// message returns a finding's message, with the documents in it as links.
function message(finding) {
  const named = documents.filter(d => d.path !== finding.path && finding.message.includes(d.path))
    .sort((a, b) => b.path.length - a.path.length)[0];
  if (!named) return [finding.message];
  const [before, ...after] = finding.message.split(named.path);
  return [before, linkTo(named.path), after.join(named.path)];
}

// Search. Documents are listed before the index is made, and what was typed waits for it.
const index = new MiniSearch({
  idField: "path", fields: ["title", "tags", "text", "fields"],
  extractField: (d, name) => name === "tags" ? d.tags.join(" ") : name === "fields" ? d.fields.flatMap(f => f.values).join(" ") : d[name],
});
let indexed = null;
const ready = () => indexed ??= index.addAllAsync(documents, { chunkSize: 40 });
const options = { prefix: true, fuzzy: term => term.length > 4 ? 0.2 : false, boost: { title: 4, tags: 2 } };

// search returns the documents that have the words, the best first: those with all words, else those
// with any.
function search(words) {
  const all = index.search(words, { ...options, combineWith: "AND" });
  return (all.length > 0 ? all : index.search(words, options)).map(found => ({ d: byPath.get(found.id), terms: found.terms }));
}

// snippet returns the text around the first of the terms, with the terms marked.
function snippet(d, terms) {
  const pattern = new RegExp("(" + terms.map(t => t.replace(/[^\p{L}\p{N}\p{M}]/gu, "\\$&")).join("|") + ")", "giu");
  const text = d.text.replace(/\s+/g, " ");
  const at = terms.length > 0 ? text.search(pattern) : -1;
  if (at < 0) return d.summary;
  const start = Math.max(0, text.lastIndexOf(" ", Math.max(0, at - 50)));
  const parts = ((start > 0 ? "…" : "") + text.slice(start, start + 180) + "…").split(pattern);
  return parts.map((part, i) => i % 2 === 1 ? element("mark", {}, part) : part);
}

const filters = { type: byId("type"), level: byId("level"), state: byId("state") };
filters.type.append(...types.map(name => element("option", {}, name)));

function passes(d) {
  const is = { current: !d.by && d.stale.length === 0, stale: d.stale.length > 0, superseded: d.by !== "" };
  return (!filters.type.value || d.type === filters.type.value) && (!filters.level.value || d.level === filters.level.value) &&
    (!filters.state.value || is[filters.state.value]);
}

const cut = text => text.length > 140 ? text.slice(0, text.lastIndexOf(" ", 140)) + " …" : text;

function item({ d, terms }) {
  const link = element("a", { href: routeTo(d.path) }, element("strong", {}, d.title),
    element("span", { className: "meta" }, type(d), level(d), day(d), state(d)),
    element("span", { className: "snippet" }, terms ? snippet(d, terms) : cut(d.summary)));
  link.dataset.path = d.path;
  return element("li", { className: d.by ? "old" : "" }, link);
}

async function list() {
  const words = byId("find").value.trim();
  if (words) await ready();
  if (words !== byId("find").value.trim()) return; // something else was typed meanwhile
  const found = (words ? search(words) : documents.map(d => ({ d }))).filter(({ d }) => passes(d));
  byId("count").textContent = `${found.length} of ${documents.length} documents`;
  byId("list").replaceChildren(...found.map(item));
  markCurrent();
}

let current = null; // the document that is shown

function markCurrent() {
  for (const link of byId("list").querySelectorAll("a")) {
    if (link.dataset.path === current?.path) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

// The reader.

const listOf = (title, paths) => element("div", {}, element("h2", {}, title), paths.length === 0 ?
  element("p", { className: "empty" }, "None") : element("ul", {}, [...new Set(paths)].map(path => element("li", {}, linkTo(path)))));

function notes(d) {
  const about = d.findings.filter(f => staleChecks.includes(f.check) || f.check === "contradictory");
  const made = [];
  if (d.by) made.push(element("div", { className: "note" }, element("p", {}, "Superseded by ", linkTo(d.by), ".")));
  if (about.length > 0) made.push(element("div", { className: "note" }, element("ul", {}, about.map(f => element("li", {}, message(f))))));
  return made;
}

function fields(d) {
  const rows = d.fields.flatMap(({ name, values }) => [element("dt", {}, name.replaceAll("_", " ")),
    element("dd", {}, values.length === 1 ? values[0] : element("ul", {}, values.map(value => element("li", {}, value))))]);
  return rows.length === 0 ? null : element("details", { className: "fields", open: d.fields.length <= 6 },
    element("summary", {}, "Front matter"), element("dl", {}, rows));
}

function tags(d) {
  const find = tag => () => { byId("find").value = tag; go("#/"); list(); };
  return d.tags.length === 0 ? null : element("ul", { className: "tags", ariaLabel: "Tags" }, d.tags.map(tag =>
    element("li", {}, element("button", { type: "button", onclick: find(tag) }, tag))));
}

function read(d, heading) {
  const text = element("div", { className: "text", innerHTML: d.html });
  for (const table of text.querySelectorAll("table")) {
    const wide = element("div", { className: "wide" });
    table.replaceWith(wide);
    wide.append(table);
  }
  const said = d.text.replace(/\s+/g, " ").includes(d.summary.replace(/…$/, "").slice(0, 60));
  const reader = byId("reader");
  reader.replaceChildren(...[
    element("a", { className: "back", href: "#/" }, "← All documents"),
    element("h1", {}, d.title), element("div", { className: "meta" }, type(d), level(d), day(d), element("span", {}, d.path)),
    said || !d.summary ? null : element("p", { className: "summary" }, d.summary), ...notes(d), tags(d), fields(d), text,
    element("nav", { className: "links", ariaLabel: "Links of this document" }, listOf("Links to", d.links), listOf("Linked from", d.from),
      d.supersedes.length > 0 ? listOf("Supersedes", d.supersedes) : null,
      element("div", {}, element("h2", {}, "In the graph"), element("a", { href: "#/graph/" + encodeURIComponent(d.path) }, "Show its neighbours"))),
  ].filter(part => part !== null));
  for (const box of text.querySelectorAll("pre, .wide")) {
    if (box.scrollWidth <= box.clientWidth) continue;
    Object.assign(box, { tabIndex: 0, role: "region", ariaLabel: box.matches("pre") ? "Code" : "Table" }); // scrolled by keyboard
  }
  reader.scrollTop = 0;
  const place = heading && [...text.querySelectorAll("[id]")].find(e => e.id === "h-" + heading);
  if (place) place.scrollIntoView();
}

// The timeline.

function timeline() {
  const decisions = documents.filter(d => d.decision);
  const all = element("input", { type: "checkbox", checked: decisions.length === 0 });
  const years = element("div", {});
  const fill = () => {
    const shown = all.checked ? documents : decisions;
    const groups = Map.groupBy(shown, d => d.date.slice(0, 4) || "Without a date");
    years.replaceChildren(...[...groups].flatMap(([year, inYear]) => [element("h2", {}, year), element("ol", {}, inYear.map(event))]));
    if (shown.length === 0) years.append(element("p", { className: "empty" }, "There is no document yet."));
  };
  all.onchange = fill;
  fill();
  byId("timeline").replaceChildren(element("h1", {}, "Timeline of decisions"),
    element("p", {}, element("label", {}, all, " All documents, not decisions alone")), years);
}

function event(d) {
  return element("li", { className: d.colour + (d.by ? " old" : "") },
    element("div", { className: "meta" }, day(d), type(d), level(d), state(d)), linkTo(d.path),
    element("p", { className: "then" }, d.summary),
    d.by ? element("p", { className: "then" }, "Replaced by ", linkTo(d.by)) : null,
    d.supersedes.map(path => element("p", { className: "then" }, "Replaces ", linkTo(path))));
}

// The health.

function health() {
  const of = (...checks) => content.findings.filter(f => checks.includes(f.check));
  const finding = f => element("li", {}, linkOrPath(f.path), element("span", { className: "why" }, message(f), ` (line ${f.line})`));
  const named = ["contradictory", "orphan", "one-way-link", "place-moved", "place-unknown", ...staleChecks];
  const rest = content.findings.filter(f => !named.includes(f.check) && f.severity !== "notice");
  const parts = [
    ["stale", "Stale", "Places that these documents cite have changed since.", of(...staleChecks).map(finding)],
    ["contradictory", "Contradictory", "Pairs that may contradict each other.", of("contradictory").map(finding)],
    ["unlinked", "Unlinked", "No document links to these, and they link to none.", of("orphan").map(f => element("li", {}, linkOrPath(f.path)))],
    ["unanswered", "Unanswered questions", "Questions that found nothing: documents to write.",
      byNumber(content.questions, Date.parse).map(([text, asked]) => element("li", {}, text, element("span", { className: "why" }, "last asked ", asked.slice(0, 10))))],
    ["shown", "Most shown", "Documents that hooks have shown to an assistant.",
      byNumber(content.shown, Number).map(([path, n]) => element("li", {}, linkOrPath(path), element("span", { className: "why" }, n === 1 ? "once" : `${n} times`)))],
    ["faults", "Faults", "Errors and warnings of compound-docs lint.", rest.map(finding)],
  ];
  const jump = id => event => { event.preventDefault(); byId("health-" + id).focus(); byId("health-" + id).scrollIntoView(); };
  byId("health").replaceChildren(element("h1", {}, "Health"),
    element("ul", { className: "tiles" }, parts.map(([id, title, , items]) => element("li", {},
      element("a", { href: "#/health", onclick: jump(id) }, element("b", {}, String(items.length)), title)))),
    ...content.notes.map(note => element("p", { className: "note" }, note)),
    ...parts.map(([id, title, what, items]) => element("section", { id: "health-" + id, tabIndex: -1 }, element("h2", {}, title),
      items.length === 0 ? element("p", { className: "empty" }, "None.") : [element("p", {}, what), element("ul", { className: "plain" }, items)])),
    element("p", { className: "empty" }, `This page was written on ${content.made}.`));
}

// byNumber returns the entries of an object, those with the largest numbers first.
const byNumber = (object, number) => Object.entries(object ?? {}).sort((a, b) => number(b[1]) - number(a[1]));
const linkOrPath = path => byPath.has(path) ? linkTo(path) : element("code", {}, path);

// Routes.

const filled = new Set(); // the views that have been made
const isWide = () => window.matchMedia("(min-width: 761px)").matches; // list and document stand side by side
const framed = window.parent !== window;

function show(route) {
  const [, view = "", ...rest] = route.split("/");
  const [path, heading] = rest.map(decode);
  const name = ["graph", "timeline", "health"].includes(view) ? view : "documents";
  for (const section of byId("main").children) section.hidden = section.id !== name;
  for (const link of document.querySelectorAll("header nav a")) {
    if (link.hash === (name === "documents" ? "#/" : "#/" + name)) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (name !== "documents") {
    if (!filled.has(name)) ({ graph: drawGraph, timeline, health })[name]();
    filled.add(name);
    if (name === "graph") choose(byPath.get(path) ?? null);
    return;
  }
  const d = view === "doc" ? byPath.get(path) : null;
  byId("documents").classList.toggle("reading", Boolean(d));
  current = d ?? (isWide() ? current ?? documents[0] : null) ?? null;
  if (current) read(current, heading);
  else byId("reader").replaceChildren();
  markCurrent();
}

function decode(part) {
  try { return decodeURIComponent(part); } catch { return part; }
}

// go follows a route. In a frame of another program the page's URL cannot be told from that program's.
function go(route) {
  if (framed) show(route);
  else if (location.hash === route) show(route);
  else location.hash = route;
}

document.addEventListener("click", event => {
  const link = event.target.closest?.("a");
  const href = link?.getAttribute("href") ?? "";
  if (href === "#main") {
    event.preventDefault();
    byId("main").focus();
  } else if (href.startsWith("#/") && framed && !event.defaultPrevented) {
    event.preventDefault();
    show(href);
  } else if (framed && /^https?:/.test(href)) {
    event.preventDefault();
    tell({ id: 2, method: "ui/open-link", params: { url: href } });
  }
});
window.addEventListener("hashchange", () => {
  show(location.hash);
  if (location.hash.startsWith("#/doc/")) byId("reader").focus({ preventScroll: true });
});
byId("find").addEventListener("focus", ready);
byId("find").addEventListener("input", () => {
  if (byId("documents").hidden || !isWide()) go("#/");
  list();
});
byId("find").addEventListener("keydown", event => {
  if (event.key === "ArrowDown" || event.key === "Enter") byId("list").querySelector("a")?.focus();
});
byId("list").addEventListener("keydown", event => {
  const next = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
  if (!next) return;
  event.preventDefault();
  (event.target.closest("li")[next]?.querySelector("a") ?? (event.key === "ArrowUp" ? byId("find") : null))?.focus();
});
byId("reader").addEventListener("keydown", event => {
  if (event.key === "Escape") (byId("list").querySelector("[aria-current]") ?? byId("find")).focus(); // back to the list
});
document.addEventListener("keydown", event => {
  if (event.key !== "/" || event.target.matches("input, select, textarea")) return;
  event.preventDefault();
  byId("find").focus();
});
for (const filter of Object.values(filters)) filter.addEventListener("change", list);

// As a view of an MCP App the page says that it is there, and takes the colours of the host.

const tell = request => window.parent.postMessage({ jsonrpc: "2.0", ...request }, "*");

if (framed) {
  document.documentElement.style.height = "640px";
  window.addEventListener("message", event => {
    if (event.source !== window.parent) return;
    const theme = (event.data?.result?.hostContext ?? event.data?.params)?.theme;
    if (theme === "light" || theme === "dark") document.documentElement.style.colorScheme = theme;
    if (event.data?.id === 1 && event.data.result) {
      tell({ method: "ui/notifications/initialized", params: {} });
      tell({ method: "ui/notifications/size-changed", params: { width: document.documentElement.scrollWidth, height: 640 } });
    } else if (event.data?.method === "ui/resource-teardown") {
      tell({ id: event.data.id, result: {} });
    }
  });
  tell({ id: 1, method: "ui/initialize", params: {
    protocolVersion: "2026-01-26", appInfo: { name: "compound-docs", version: "1" }, appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
  } });
}

list();
show(framed ? "#/" : location.hash);
(window.requestIdleCallback ?? setTimeout)(ready);
