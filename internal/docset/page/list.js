"use strict";
// The list of documents: those that a search finds, with their sentences, or all of an area.
const shownAtOnce = 50;
const filters = { type: byId("type"), level: byId("level"), state: byId("state") };
filters.type.append(...types.map(name => element("option", {}, name)));
let area = null; // the folder or tag whose documents are listed: {kind, name}

function passes(d) {
  const is = { current: d.holds && d.stale.length === 0, stale: d.stale.length > 0, [d.standing]: d.mark !== "" };
  const inArea = !area || (area.kind === "tag" ? d.tags.includes(area.name) : d.folder === area.name);
  return inArea && (!filters.type.value || d.type === filters.type.value) && (!filters.level.value || d.level === filters.level.value) &&
    (!filters.state.value || is[filters.state.value]);
}

function item({ d, terms }) {
  const sentences = terms ? bestSentences(d, terms) : [];
  const summary = sentences.length > 0 ? null : element("span", { className: "snippet" }, cut(d.summary));
  return element("li", { className: d.holds ? "" : "old" },
    element("a", { href: routeTo(d.path) }, element("strong", {}, terms ? marked(d.title, terms) : d.title),
      element("span", { className: "meta" }, type(d), level(d), day(d), state(d)), summary),
    sentences.map(({ text, line, path }) => element("a", { className: "sentence", href: `${routeTo(d.path)}/L${line}` },
      element("span", { className: "snippet" }, marked(text, terms)),
      element("span", { className: "place" }, path ? `${path} · line ${line}` : `line ${line}`))));
}

// summary says what the list has.
function summary(words, n) {
  if (words && n === 0 && (words.match(wordPattern) ?? []).every(word => termsOf(word).length === 0)) {
    return "Nearly every text has these words: add one that says more.";
  }
  if (words) return n === 0 ? "Nothing found." : `${counted(n, "document")} found`;
  return counted(n, "document") + (n > 1 ? ", the latest first" : "");
}

async function list() {
  const words = byId("find").value.trim();
  if (words) await ready();
  if (words !== byId("find").value.trim()) return; // something else was typed in the meantime
  const found = (words ? search(words) : documents.map(d => ({ d }))).filter(({ d }) => passes(d));
  byId("count").textContent = summary(words, found.length);
  byId("area").replaceChildren(...(area ? [element("a", { href: "#/all", ariaLabel: `Leave ${area.kind} ${area.name}` },
    `${area.kind}: ${area.name} ✕`)] : []));
  byId("list").replaceChildren(...found.slice(0, shownAtOnce).map(item));
  const more = element("button", { type: "button", onclick: () => {
    byId("list").append(...found.slice(shownAtOnce).map(item));
    byId("more").replaceChildren();
    byId("list").children[shownAtOnce].querySelector("a").focus();
    markCurrent();
  } }, `Show ${found.length - shownAtOnce} more`);
  byId("more").replaceChildren(...(found.length > shownAtOnce ? [more] : []));
  markCurrent();
}

let current = null; // the document that is shown

function markCurrent() {
  for (const link of byId("list").querySelectorAll("li > a:first-child")) {
    if (current && link.hash === routeTo(current.path)) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

byId("find").addEventListener("focus", ready);
byId("find").addEventListener("input", () => {
  if (byId("documents").hidden || !isWide()) go("#/all");
  list();
});
byId("find").addEventListener("keydown", event => {
  if (event.key === "ArrowDown" || event.key === "Enter") byId("list").querySelector("a")?.focus();
});
byId("list").addEventListener("keydown", event => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const links = [byId("find"), ...byId("list").querySelectorAll("a")];
  links[links.indexOf(event.target) + step]?.focus();
});
for (const filter of Object.values(filters)) filter.addEventListener("change", list);
