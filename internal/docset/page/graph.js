"use strict";
// The graph: the documents of each folder stand under its name, each with its title, and lines are links.
const drawn = { rows: new Map(), links: [], chosen: null }; // rows are links by the paths of documents

function svgElement(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function drawGraph() {
  const folders = [...Map.groupBy(documents, d => d.folder)].sort((a, b) => a[0].localeCompare(b[0]));
  const cards = folders.map(([folder, inside]) => element("section", {}, element("h2", {}, `${folder} `, element("span", { className: "n" }, String(inside.length))),
    element("ul", {}, inside.toSorted((a, b) => a.title.localeCompare(b.title)).map(d => {
      const row = element("a", { href: "#/graph/" + encodeURIComponent(d.path), className: `row ${d.colour} ${d.level}` }, d.title, d.mark ? [" ", warn(d.standing)] : null);
      drawn.rows.set(d.path, row);
      return element("li", { className: d.holds ? "" : "old" }, row);
    }))));
  drawn.svg = svgElement("svg", { "aria-hidden": "true" });
  for (const d of documents) {
    for (const [paths, name] of [[d.links, ""], [d.supersedes, "supersedes"], [d.amends, "amends"]]) {
      for (const path of [...new Set(paths)].filter(path => drawn.rows.has(path))) drawn.links.push({ from: d.path, to: path, line: svgElement("path", { class: name }) });
    }
  }
  for (const { line } of drawn.links) drawn.svg.append(line); // there may be more than a call has arguments
  drawn.about = element("div", { className: "beside", role: "status" });
  drawn.canvas = element("div", { className: "canvas" }, drawn.svg, element("div", { className: "folders" }, cards));
  byId("graph").replaceChildren(element("h1", {}, "Graph"), drawn.about, drawn.canvas);
  new ResizeObserver(place).observe(drawn.canvas);
}

// place draws the lines between the rows, where the size of the window has put these.
function place() {
  const origin = drawn.canvas.getBoundingClientRect();
  if (origin.width === 0) return;
  const boxes = new Map([...drawn.rows].map(([path, row]) => [path, row.getBoundingClientRect()]));
  for (const { from, to, line } of drawn.links) {
    const [left, right] = [boxes.get(from), boxes.get(to)].sort((a, b) => a.left - b.left);
    const [y1, y2] = [left, right].map(box => Math.round(box.top + box.height / 2 - origin.top));
    const sameColumn = right.left - left.left < 10;
    const x1 = Math.round((sameColumn ? left.left : left.right) - origin.left), x2 = Math.round(right.left - origin.left);
    const bend = sameColumn ? -Math.min(30, 8 + Math.abs(y1 - y2) / 12) : (x2 - x1) / 2;
    line.setAttribute("d", `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 + (sameColumn ? bend : -bend)} ${y2} ${x2} ${y2}`);
  }
}

// choose shows a document and its neighbours. null is none.
function choose(d) {
  drawn.chosen = d;
  const neighbours = new Set();
  for (const { from, to, line } of drawn.links) {
    const lit = d !== null && (from === d.path || to === d.path);
    line.classList.toggle("lit", lit);
    line.classList.toggle("dim", d !== null && !lit);
    if (lit) neighbours.add(from === d.path ? to : from);
  }
  for (const [path, row] of drawn.rows) {
    row.classList.toggle("chosen", path === d?.path);
    row.classList.toggle("neighbour", neighbours.has(path));
  }
  drawn.about.replaceChildren(...(d ? aboutChosen(d, neighbours) : [element("p", {},
    `${counted(documents.length, "document")} by folder, and ${counted(drawn.links.length, "link")}. Colours are types. A dashed line leads from a document to one that it replaces or amends. Choose a document to see its neighbours.`)]));
  drawn.rows.get(d?.path)?.scrollIntoView({ block: "nearest" });
}

const aboutChosen = (d, neighbours) => [
  element("p", {}, element("strong", {}, d.title), " ", element("span", { className: "meta" }, type(d), level(d), day(d), state(d))),
  element("p", {}, element("a", { href: routeTo(d.path) }, "Read it"), " · ", element("a", { href: "#/graph" }, "Show all links")),
  neighbours.size === 0 ? element("p", { className: "empty" }, "It has no links.") : element("ul", { className: "chips", ariaLabel: "Neighbours" },
    [...neighbours].map(path => element("li", {}, element("a", { href: "#/graph/" + encodeURIComponent(path) }, byPath.get(path).title, " ", mark(byPath.get(path)))))),
];
