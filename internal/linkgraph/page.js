"use strict";
const svg = d3.select("#graph"), about = document.getElementById("about"), count = document.getElementById("count");
const find = document.getElementById("find"), results = document.getElementById("results");
const legend = [...document.querySelectorAll("#legend button")];

// The documents and links, as d3 knows them: x and y are set by the layout.
const nodes = svg.selectAll("a").nodes().map(element => ({
  element, ...element.dataset, size: Number(element.dataset.size), near: new Set(),
  has: name => element.classList.contains(name), on: true, matches: true,
}));
const links = svg.selectAll("line").nodes().map(element => ({
  element, source: nodes[element.dataset.from], target: nodes[element.dataset.to],
}));
links.forEach(({ source, target }) => { source.near.add(target); target.near.add(source); });
d3.selectAll(nodes.map(n => n.element)).data(nodes);

const longest = 32; // characters of a title that are drawn
const letters = document.createElement("canvas").getContext("2d");
letters.font = "600 13px system-ui, sans-serif";
for (const n of nodes) {
  const runes = [...n.title];
  n.label = runes.length > longest ? runes.slice(0, longest - 1).join("").trimEnd() + "…" : n.title;
  n.half = letters.measureText(n.label).width / 2 + 3;
}
const byRank = [...nodes].sort((a, b) => b.size - a.size || b.near.size - a.near.size);

let at = d3.zoomIdentity, chosen = null;
const width = () => svg.node().clientWidth, height = () => svg.node().clientHeight;
const zoom = d3.zoom().scaleExtent([0.02, 8]).on("zoom", event => { at = event.transform; draw(); });
const labels = svg.append("g");
svg.call(zoom).on("dblclick.zoom", null);

function layOut() {
  const rounds = Math.max(60, Math.min(300, Math.round(200000 / nodes.length)));
  const wide = width() > height();
  d3.forceSimulation(nodes)
    .force("links", d3.forceLink(links).distance(80))
    .force("apart", d3.forceManyBody().strength(-260).distanceMax(900))
    .force("room", d3.forceCollide(n => n.size + 14))
    .force("x", d3.forceX().strength(wide ? 0.04 : 0.09))
    .force("y", d3.forceY().strength(wide ? 0.09 : 0.04))
    .alphaDecay(1 - 0.001 ** (1 / rounds)).stop().tick(rounds);
}

// showAll zooms to the documents that are shown.
function showAll() {
  const shown = nodes.filter(n => n.on && n.matches);
  if (shown.length === 0) return;
  const [left, right] = d3.extent(shown, n => n.x), [top, bottom] = d3.extent(shown, n => n.y);
  const margin = 40;
  const scale = Math.min(1.6, (width() - 2 * margin) / (right - left + 1), (height() - 2 * margin) / (bottom - top + 1));
  svg.call(zoom.transform, d3.zoomIdentity.translate(width() / 2, height() / 2).scale(scale)
    .translate(-(left + right) / 2, -(top + bottom) / 2));
}

// draw puts all in its place. Labels keep their size, and dots shrink from far away only.
function draw() {
  const shrunk = Math.max(0.4, Math.min(1, at.k * 1.6));
  for (const n of nodes) {
    [n.sx, n.sy] = at.apply([n.x, n.y]);
    n.radius = n.size * shrunk;
    n.element.setAttribute("transform", `translate(${n.sx},${n.sy})`);
    n.element.lastChild.setAttribute("r", n.radius);
  }
  for (const { element, source, target } of links) {
    const dx = target.sx - source.sx, dy = target.sy - source.sy, length = Math.hypot(dx, dy) || 1;
    const from = (source.radius + 3) / length, to = 1 - (target.radius + 3) / length;
    element.setAttribute("x1", source.sx + dx * from); element.setAttribute("y1", source.sy + dy * from);
    element.setAttribute("x2", source.sx + dx * to); element.setAttribute("y2", source.sy + dy * to);
    element.style.visibility = from < to ? "" : "hidden";
  }
  svg.classed("far", at.k < 0.35);
  drawLabels();
}

// drawLabels labels as many documents as have room, the most important first. The first
// few labels may cover dots.
function drawLabels() {
  const drawn = [], few = 12;
  const visible = byRank.filter(n => n.on && n.sx > 0 && n.sy > 0 && n.sx < width() && n.sy < height());
  const dots = d3.quadtree(visible, n => n.sx, n => n.sy);
  const lit = n => n !== chosen && (chosen ? chosen.near.has(n) : n.matches);
  for (const n of [...visible.filter(n => n === chosen), ...visible.filter(lit)]) {
    n.middle = Math.max(n.half, Math.min(width() - n.half, n.sx));
    n.box = { left: n.middle - n.half, right: n.middle + n.half, top: n.sy + n.radius + 1, bottom: n.sy + n.radius + 18 };
    const free = drawn.every(({ box }) => box.left > n.box.right || box.right < n.box.left || box.top > n.box.bottom || box.bottom < n.box.top);
    if (free && (drawn.length < few || !covers(dots, n.box, n))) drawn.push(n);
  }
  labels.selectAll("text").data(drawn).join("text").text(n => n.label).attr("x", n => n.middle).attr("y", n => n.sy + n.radius + 14)
    .attr("class", n => n === chosen || n.has("promoted") ? "strong" : "");
}

// covers reports whether a dot other than n's lies in a box.
function covers(dots, box, n) {
  let found = false;
  dots.visit((quad, x0, y0, x1, y1) => {
    for (let q = quad; !quad.length && q; q = q.next) {
      const other = q.data;
      found ||= other !== n && other.sx > box.left && other.sx < box.right && other.sy > box.top && other.sy < box.bottom;
    }
    return found || x0 > box.right || x1 < box.left || y0 > box.bottom || y1 < box.top;
  });
  return found;
}

// choose says what a document is, and shows what it is linked with. null is none.
function choose(n) {
  chosen = n;
  for (const other of nodes) other.element.classList.toggle("chosen", other === n);
  if (n) {
    const name = document.createElement("strong");
    name.textContent = n.title;
    const linked = n.near.size === 1 ? "1 linked document" : `${n.near.size} linked documents`;
    about.replaceChildren(name, n.path, document.createElement("br"), `${n.type}, ${n.level}, ${linked}`);
  } else {
    about.replaceChildren();
  }
  light();
}

// light dims what is neither found nor linked with the chosen document.
function light() {
  for (const n of nodes) {
    n.element.classList.toggle("off", !n.on);
    n.element.classList.toggle("dim", chosen ? n !== chosen && !chosen.near.has(n) : !n.matches);
  }
  for (const { element, source, target } of links) {
    element.classList.toggle("off", !source.on || !target.on);
    element.classList.toggle("dim", chosen ? source !== chosen && target !== chosen : !source.matches || !target.matches);
  }
  drawLabels();
}

// search takes Find and the legend, and lists what they leave.
function search() {
  const pressed = legend.filter(button => button.getAttribute("aria-pressed") === "true").map(button => button.dataset);
  const types = pressed.filter(b => b.type).map(b => b.name), marks = pressed.filter(b => b.mark).map(b => b.mark);
  const words = find.value.trim().toLowerCase();
  for (const n of nodes) {
    n.on = (types.length === 0 || types.includes(n.type)) && (marks.length === 0 || marks.some(n.has));
    n.matches = n.on && `${n.path} ${n.title}`.toLowerCase().includes(words);
  }
  const asked = words !== "" || pressed.length > 0, found = nodes.filter(n => n.matches);
  count.textContent = asked ? `${found.length} of ${nodes.length} documents` : "";
  results.replaceChildren(...(asked ? found : []).map(result));
  if (chosen && !chosen.on) chosen = null;
  light();
}

function result(n) {
  const item = document.createElement("li"), button = document.createElement("button"), path = document.createElement("small");
  path.textContent = n.path;
  button.append(n.title, path);
  button.type = "button";
  button.onclick = () => goTo(n);
  item.append(button);
  return item;
}

// goTo chooses a document and brings it into view.
function goTo(n) {
  choose(n);
  const hidden = n.sx < 40 || n.sy < 40 || n.sx > width() - 40 || n.sy > height() - 40;
  if (hidden || at.k < 0.5) svg.call(zoom.transform, d3.zoomIdentity.translate(width() / 2, height() / 2).scale(Math.max(at.k, 0.8)).translate(-n.x, -n.y));
  n.element.focus({ preventScroll: true });
}

// nextTo returns the nearest document in the direction of an arrow key.
function nextTo(n, key) {
  const [dx, dy] = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[key];
  const cost = other => {
    const along = (other.x - n.x) * dx + (other.y - n.y) * dy, aside = Math.abs((other.x - n.x) * dy) + Math.abs((other.y - n.y) * dx);
    return along > 0 ? along + 2 * aside : Infinity;
  };
  const next = d3.least(nodes.filter(other => other.on && other !== n), cost);
  return next && cost(next) < Infinity ? next : n;
}

function clear() {
  find.value = "";
  legend.forEach(button => button.setAttribute("aria-pressed", "false"));
  choose(null);
  search();
}

let touched = null; // the document that was chosen when a finger came down
d3.selectAll(nodes.map(n => n.element))
  .on("pointerdown", (event, n) => { touched = event.pointerType === "mouse" ? n : chosen; })
  .on("click", (event, n) => {
    if (event.detail > 0 && touched !== n) event.preventDefault();
    choose(n);
  })
  .on("pointerenter", (event, n) => { if (event.pointerType === "mouse") choose(n); })
  .on("focus", (event, n) => {
    if (n !== chosen && n.element.matches(":focus-visible")) goTo(n);
  })
  .on("keydown", (event, n) => {
    if (!event.key.startsWith("Arrow")) return;
    event.preventDefault();
    goTo(nextTo(n, event.key));
  });
svg.on("click", event => { if (!event.target.closest("a")) choose(null); });
document.addEventListener("keydown", event => { if (event.key === "Escape") clear(); });
find.addEventListener("input", () => { choose(null); search(); });
find.addEventListener("keydown", event => {
  if (event.key === "Enter" || event.key === "ArrowDown") results.querySelector("button")?.focus();
});
results.addEventListener("keydown", event => {
  const item = event.target.closest("li");
  const next = { ArrowDown: item.nextElementSibling, ArrowUp: item.previousElementSibling }[event.key];
  if (event.key.startsWith("Arrow")) event.preventDefault();
  next?.querySelector("button").focus();
});
legend.forEach(button => button.addEventListener("click", () => {
  button.setAttribute("aria-pressed", button.getAttribute("aria-pressed") === "true" ? "false" : "true");
  search();
  showAll();
}));
document.getElementById("in").onclick = () => svg.call(zoom.scaleBy, 1.5);
document.getElementById("out").onclick = () => svg.call(zoom.scaleBy, 1 / 1.5);
document.getElementById("all").onclick = showAll;

layOut();
showAll();
d3.select(window).on("resize", showAll);
