"use strict";
// The routes: the part of the URL behind # names what the page shows.

const filled = new Set(); // the views that have been made
const isWide = () => window.matchMedia("(min-width: 761px)").matches; // list and document stand side by side

function show(route) {
  const [, view = "", ...rest] = route.split("/");
  const [first, second] = rest.map(decode);
  const name = ["graph", "timeline", "fallen", "health"].includes(view) ? view : "documents";
  for (const section of byId("main").children) section.hidden = section.id !== name;
  const home = name === "documents" && view === "";
  for (const link of document.querySelectorAll("header a")) {
    if (link.hash === (home ? "#/" : name === "documents" ? "#/all" : "#/" + name)) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (name === "documents") showDocuments(view, first, second);
  else showView(name, first);
}

function showView(name, path) {
  if (!filled.has(name)) ({ graph: drawGraph, timeline, fallen: drawFallen, health })[name]();
  filled.add(name);
  if (name === "graph") choose(byPath.get(path) ?? null);
}

// showDocuments shows a document, the documents of an area, all of them, or the first screen.
function showDocuments(view, first, second) {
  const d = view === "doc" ? byPath.get(first) : null;
  const lists = view === "all" || view === "in";
  if (lists) {
    area = view === "in" ? { kind: first, name: second } : null;
    list();
  } else {
    current = d ?? null;
  }
  byId("documents").className = d ? "reading" : lists ? "listing" : "";
  if (d) read(d, second);
  else if (!lists || !current) home();
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
byId("reader").addEventListener("keydown", event => {
  if (event.key === "Escape") (byId("list").querySelector("[aria-current]") ?? byId("find")).focus(); // back to the list
});
document.addEventListener("keydown", event => {
  if (event.key !== "/" || event.target.matches("input, select, textarea")) return;
  event.preventDefault();
  byId("find").focus();
});

list();
show(framed ? "#/" : location.hash);
(window.requestIdleCallback ?? setTimeout)(ready);
