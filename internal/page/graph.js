"use strict";
// The graph: documents gather by doc-type, and links pull them together. Positions are computed once.
// Zooming moves the dots apart; dots and letters keep their size. page.js makes the rest of the page.
const drawn = { nodes: [], links: [], chosen: null, zoom: 1 };

function svgElement(name, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// layOut sets x and y of the nodes. A cluster has room for its documents, and the clusters stand in a
// circle.
function layOut() {
  const { nodes, links } = drawn;
  const clusters = new Map(types.map((name, i) => [name, { turn: 2 * Math.PI * i / types.length }]));
  const away = types.length < 2 ? 0 : 60 + 22 * Math.sqrt(nodes.length);
  for (const node of nodes) {
    const { turn } = clusters.get(node.d.type);
    Object.assign(node, { homeX: 1.35 * away * Math.cos(turn), homeY: away * Math.sin(turn) });
  }
  d3.forceSimulation(nodes)
    .force("links", d3.forceLink(links).distance(40).strength(0.06))
    .force("apart", d3.forceManyBody().strength(-26).distanceMax(160))
    .force("room", d3.forceCollide(13))
    .force("x", d3.forceX(n => n.homeX).strength(0.16))
    .force("y", d3.forceY(n => n.homeY).strength(0.16))
    .stop().tick(nodes.length > 1500 ? 60 : 160);
}

function drawGraph() {
  const { nodes, links } = drawn;
  const at = new Map();
  for (const d of documents) {
    const link = svgElement("a", { href: "#/graph/" + encodeURIComponent(d.path), class: d.colour, "aria-label": `${d.title}, ${d.type}` },
      svgElement("title", {}, document.createTextNode(d.title)),
      svgElement("circle", { r: { critical: 10, important: 8 }[d.level] ?? 6 }));
    const node = { d, link, near: new Set() };
    at.set(d.path, node);
    nodes.push(node);
  }
  for (const d of documents) {
    for (const [paths, name] of [[d.links, ""], [d.supersedes, "supersedes"]]) {
      for (const path of paths.filter(path => at.has(path))) {
        links.push({ source: at.get(d.path), target: at.get(path), line: svgElement("line", { class: name }) });
        at.get(d.path).near.add(at.get(path));
        at.get(path).near.add(at.get(d.path));
      }
    }
  }
  layOut();
  drawn.labels = svgElement("g", { "aria-hidden": "true" });
  drawn.svg = svgElement("svg", { role: "group", "aria-label": "Documents and their links", class: links.length > 300 ? "many" : "" },
    ...links.map(l => l.line), ...nodes.map(n => n.link), drawn.labels);
  drawn.scroll = element("div", { className: "scroll", tabIndex: 0, role: "region", ariaLabel: "Picture of the graph" }, drawn.svg);
  drawn.about = element("div", { role: "status" });
  const zoom = by => () => { drawn.zoom = Math.min(8, Math.max(1, by * drawn.zoom)); place(); };
  const button = (text, label, by) => element("button", { type: "button", ariaLabel: label, onclick: zoom(by) }, text);
  byId("graph").replaceChildren(element("h1", {}, "Graph"),
    element("div", { className: "canvas" }, drawn.scroll, element("div", { className: "zoom", role: "group", ariaLabel: "Zoom" },
      button("+", "Zoom in", 1.5), button("−", "Zoom out", 1 / 1.5), button("All", "Show all", 0))),
    element("div", { className: "beside" }, drawn.about, asText()));
  new ResizeObserver(place).observe(drawn.scroll);
}

// place puts everything where the zoom and the room for the picture say.
function place() {
  const { nodes, links, svg, scroll, zoom } = drawn;
  if (scroll.clientWidth === 0 || nodes.length === 0) return;
  const margin = 48;
  const [left, right] = [Math.min(...nodes.map(n => n.x)), Math.max(...nodes.map(n => n.x))];
  const [top, bottom] = [Math.min(...nodes.map(n => n.y)), Math.max(...nodes.map(n => n.y))];
  const middle = [(scroll.scrollLeft + scroll.clientWidth / 2) / scroll.scrollWidth, (scroll.scrollTop + scroll.clientHeight / 2) / scroll.scrollHeight];
  const [width, height] = [scroll.clientWidth * zoom - 1, scroll.clientHeight * zoom - 1];
  const fit = [(width - 2 * margin) / (right - left + 1), (height - 2 * margin) / (bottom - top + 1)];
  const scale = fit.map(own => Math.min(own, 2 * Math.min(...fit), 3 * zoom)); // one way may be stretched
  const dot = Math.min(1, Math.max(0.45, 1.1 * Math.min(...scale)));
  svg.setAttribute("width", width);
  svg.setAttribute("height", height);
  for (const n of nodes) {
    n.px = width / 2 + scale[0] * (n.x - (left + right) / 2);
    n.py = height / 2 + scale[1] * (n.y - (top + bottom) / 2);
    n.link.setAttribute("transform", `translate(${n.px.toFixed(1)},${n.py.toFixed(1)}) scale(${dot.toFixed(2)})`);
  }
  for (const { source, target, line } of links) {
    for (const [key, value] of Object.entries({ x1: source.px, y1: source.py, x2: target.px, y2: target.py })) line.setAttribute(key, value.toFixed(1));
  }
  scroll.scrollLeft = middle[0] * width - scroll.clientWidth / 2;
  scroll.scrollTop = middle[1] * height - scroll.clientHeight / 2;
  label();
}

// label writes the names of clusters, of the chosen document and its neighbours, and of others if there
// are few. A name that has no room is left out: the list beside the picture has it.
function label() {
  const { nodes, svg, labels, chosen } = drawn;
  const named = chosen ? [chosen, ...chosen.near] : nodes.length <= 60 ? [...nodes].sort((a, b) => b.near.size - a.near.size) : [];
  const dots = (chosen ? named : nodes).map(n => [n.px - 6, n.px + 6, n.py - 6, n.py + 6]);
  const boxes = [], width = Number(svg.getAttribute("width"));
  const meets = (a, b) => a[0] < b[1] && b[0] < a[1] && a[2] < b[3] && b[2] < a[3];
  const write = (text, x, places, className) => {
    const shown = text.length > 34 ? text.slice(0, 33).trimEnd() + "…" : text;
    const half = shown.length * 3.6 + 4;
    const middle = Math.max(half, Math.min(width - half, x));
    for (const y of places) {
      const box = [middle - half, middle + half, y - 12, y + 4];
      if ([...boxes, ...dots].some(other => meets(box, other))) continue;
      boxes.push(box);
      labels.append(svgElement("text", { x: middle.toFixed(1), y: y.toFixed(1), class: className }, document.createTextNode(shown)));
      return;
    }
  };
  labels.replaceChildren();
  for (const name of chosen ? [] : types) {
    const inside = nodes.filter(n => n.d.type === name);
    const x = inside.reduce((sum, n) => sum + n.px, 0) / inside.length;
    const top = Math.max(16, Math.min(...inside.map(n => n.py)) - 14);
    write(`${name} (${inside.length})`, x, [top, top - 14, top - 28], "cluster " + inside[0].d.colour);
  }
  for (const n of named) write(n.d.title, n.px, [n.py + 24, n.py - 14], "");
}

// choose shows a document's neighbours, in the picture and beside it. null is none.
function choose(d) {
  const chosen = drawn.nodes.find(n => n.d === d) ?? null;
  drawn.chosen = chosen;
  for (const n of drawn.nodes) {
    n.link.classList.toggle("chosen", n === chosen);
    n.link.classList.toggle("dim", chosen !== null && n !== chosen && !chosen.near.has(n));
  }
  for (const { source, target, line } of drawn.links) {
    const lit = chosen !== null && (source === chosen || target === chosen);
    line.classList.toggle("lit", lit);
    line.classList.toggle("dim", chosen !== null && !lit);
  }
  drawn.about.replaceChildren(...(chosen ? aboutChosen(d) : [
    element("p", {}, `${documents.length} documents and ${drawn.links.length} links. Colours are doc-types, and larger dots are promoted documents. ` +
      "Choose a document to see its neighbours by name."),
  ]));
  place();
}

const toGraph = path => element("a", { href: "#/graph/" + encodeURIComponent(path) }, byPath.get(path).title);
const neighbours = (title, paths) => paths.length === 0 ? null : element("div", {}, element("h2", {}, title),
  element("ul", { className: "plain" }, [...new Set(paths)].filter(path => byPath.has(path)).map(path => element("li", {}, toGraph(path)))));

function aboutChosen(d) {
  const replacing = documents.filter(other => other.supersedes.includes(d.path)).map(other => other.path);
  return [
    element("h2", {}, d.title), element("div", { className: "meta" }, type(d), level(d), day(d), state(d)),
    element("p", {}, element("a", { href: routeTo(d.path) }, "Read it"), " · ", element("a", { href: "#/graph" }, "Show the whole graph")),
    neighbours("Links to", d.links), neighbours("Linked from", d.from), neighbours("Supersedes", d.supersedes), neighbours("Superseded by", replacing),
    drawn.chosen.near.size === 0 ? element("p", { className: "empty" }, "It has no links.") : null,
  ].filter(part => part !== null);
}

// asText lists what the picture shows. The list is made when it is opened.
function asText() {
  const details = element("details", { className: "fields" }, element("summary", {}, "The graph as text"));
  details.addEventListener("toggle", () => {
    for (const name of details.children.length > 1 ? [] : types) {
      details.append(element("h2", {}, name), element("ul", { className: "plain" }, documents.filter(d => d.type === name).map(d => {
        const to = [...d.links, ...d.supersedes].map(path => byPath.get(path)?.title ?? path);
        return element("li", {}, toGraph(d.path), to.length > 0 ? ` → ${to.join("; ")}` : "");
      })));
    }
  });
  return details;
}
