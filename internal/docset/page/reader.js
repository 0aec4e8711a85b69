"use strict";
// The reader: one document, with an outline and its neighbours.

// message returns a finding's message, with the documents in it as links.
function message(finding) {
  const named = documents.filter(d => d.path !== finding.path && finding.message.includes(d.path))
    .sort((a, b) => b.path.length - a.path.length)[0];
  if (!named) return [finding.message];
  const [before, ...after] = finding.message.split(named.path);
  return [before, linkTo(named.path), after.join(named.path)];
}

function notes(d) {
  const about = d.findings.filter(f => staleChecks.includes(f.check));
  const made = [];
  const said = (namesLater(d) ? d.standing + " by " : d.mark).replace(/^./, first => first.toUpperCase());
  if (d.mark) made.push(element("div", { className: "note" }, element("p", {}, said, namesLater(d) ? linkTo(d.by) : null, ".")));
  if (about.length > 0) made.push(element("div", { className: "note" }, element("ul", {}, about.map(f => element("li", {}, message(f))))));
  return made;
}

function fields(d) {
  const rows = d.fields.flatMap(({ name, values }) => [element("dt", {}, name.replaceAll("_", " ")),
    element("dd", {}, values.length === 1 ? values[0] : element("ul", {}, values.map(value => element("li", {}, value))))]);
  return rows.length === 0 ? null : element("details", { className: "fields", open: d.fields.length <= 6 },
    element("summary", {}, "Front matter"), element("dl", {}, rows));
}

const tags = d => d.tags.length === 0 ? null : element("ul", { className: "chips", ariaLabel: "Tags" },
  d.tags.map(tag => element("li", {}, element("a", { href: "#/in/tag/" + encodeURIComponent(tag) }, tag))));

// outline lists the headings of a text, if there are enough to get lost between.
function outline(d, text) {
  const headings = [...text.querySelectorAll("h1[id], h2[id], h3[id]")];
  if (headings.length < 3) return null;
  return element("details", { className: "outline", open: window.matchMedia("(min-width: 1400px)").matches },
    element("summary", {}, "On this page"), element("ul", {}, headings.map(h => element("li", { className: h.tagName },
      element("a", { href: `${routeTo(d.path)}/${encodeURIComponent(h.id.slice(2))}` }, h.textContent)))));
}

// textElement returns the text of a document, with its pictures, and with colours in its code.
function textElement(d) {
  const text = element("div", { className: "text", innerHTML: d.html });
  for (const picture of text.querySelectorAll("img")) picture.src = content.pictures[picture.dataset.picture];
  for (const head of text.querySelectorAll("th:empty")) head.replaceWith(element("td", {})); // it names no column
  for (const table of text.querySelectorAll("table")) {
    const wide = element("div", { className: "wide" });
    table.replaceWith(wide);
    wide.append(table);
  }
  for (const code of text.querySelectorAll("code[data-language]")) {
    const { language } = code.dataset;
    if (code.textContent.length > 20_000 || !hljs.getLanguage(language)) continue;
    code.innerHTML = hljs.highlight(code.textContent, { language, ignoreIllegals: true }).value;
  }
  return text;
}

// near draws the neighbours of a document: those that link to it on one side, those that it links to on the other.
function near(d) {
  const side = (className, label, groups) => {
    const items = groups.flatMap(([paths, kind]) => [...new Set(paths)].filter(path => byPath.has(path)).map(path =>
      element("li", { className: byPath.get(path).colour }, linkTo(path), kind ? element("span", { className: "kind" }, kind) : null)));
    return items.length === 0 ? null : element("div", { className }, element("h3", {}, label), element("ul", {}, items));
  };
  const before = side("before", "Linked from", [[d.replacing, "replaces it"], [d.amending, "amends it"], [d.from]]);
  const after = side("after", "Links to", [[d.supersedes, "replaced by it"], [d.amends, "amended by it"], [d.links]]);
  return element("nav", { className: "near", ariaLabel: "Neighbours of this document" }, element("h2", {}, "Neighbours"),
    before || after ? element("div", { className: "sides" }, before, element("p", { className: "self " + d.colour }, d.title), after)
      : element("p", { className: "empty" }, "No document links here, and this one links to none."),
    element("a", { href: "#/graph/" + encodeURIComponent(d.path) }, "Show it in the graph"));
}

function read(d, place) {
  const text = textElement(d);
  const said = textOf(d).includes(d.summary.replace(/…$/, "").slice(0, 60));
  const reader = byId("reader");
  reader.replaceChildren(...[
    element("a", { className: "back", href: "#/all" }, "← All documents"),
    element("h1", {}, d.title), element("div", { className: "meta" }, type(d), level(d), day(d), state(d), element("span", {}, d.path)),
    said || !d.summary ? null : element("p", { className: "summary" }, d.summary), ...notes(d), tags(d), fields(d), outline(d, text), text, near(d),
  ].filter(part => part !== null));
  for (const box of text.querySelectorAll("pre, .wide")) {
    if (box.scrollWidth <= box.clientWidth) continue;
    Object.assign(box, { tabIndex: 0, role: "group", ariaLabel: box.matches("pre") ? "Code" : "Table" }); // scrolled by keyboard
  }
  reader.scrollTop = 0;
  scrollToPlace(text, place);
}

// scrollToPlace shows a place of the text: a heading by its name, or the block with a line of the file, as in L42.
function scrollToPlace(text, place = "") {
  const line = Number(/^L([0-9]+)$/.exec(place)?.[1] ?? 0);
  const heading = [...text.querySelectorAll("[id]")].find(e => e.id === "h-" + place);
  const block = [...text.querySelectorAll("[data-line]")].findLast(e => Number(e.dataset.line) <= line);
  heading?.scrollIntoView();
  block?.classList.add("found");
  block?.scrollIntoView({ block: "center" });
}
