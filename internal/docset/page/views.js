"use strict";
// The timeline of decisions, the documents that no longer hold, and the health of the documents.

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
  return element("li", { className: d.colour + (d.holds ? "" : " old") },
    element("div", { className: "meta" }, day(d), type(d), level(d), state(d)), link(d.path),
    element("p", { className: "then" }, d.summary), chain(d),
    [["Amended by ", d.amending], ["Amends ", d.amends]].flatMap(([how, paths]) => paths.map(path =>
      element("p", { className: "then" }, how, linkTo(path)))));
}

// reach returns the documents that a document leads to, the nearest first. next returns the paths after one.
function reach(d, next) {
  const reached = new Set([d]); // a set that grows while it is read
  for (const one of reached) for (const path of next(one)) if (byPath.has(path)) reached.add(byPath.get(path));
  return [...reached].slice(1);
}

// chain names the documents that came before and after a document in its place, the oldest first. Of many it names
// the nearest, the first and the last.
function chain(d) {
  const before = reach(d, one => one.supersedes).reverse();
  const all = [...new Set([...before, d, ...reach(d, one => one.replacing)])], own = all.indexOf(d);
  const named = i => all[i] && (i === 0 || i === all.length - 1 || Math.abs(i - own) <= 2);
  return all.length === 1 ? null : element("p", { className: "then chain" },
    all.map((one, i) => !named(i) ? null : [i === 0 ? null : named(i - 1) ? " → " : " → … → ", one === d ? element("strong", {}, d.title) : link(one.path), " ", one.mark ? warn(one.standing) : null, " ", day(one)]));
}

const standings = { superseded: "Superseded", rejected: "Rejected", deprecated: "Deprecated", expired: "Expired" };
const fallen = () => documents.filter(d => !d.holds);

function drawFallen() {
  const groups = Map.groupBy(fallen(), d => d.standing);
  byId("fallen").replaceChildren(element("h1", {}, "What no longer holds"),
    groups.size === 0 ? element("p", { className: "empty" }, "Every document holds.") : "",
    ...Object.entries(standings).filter(([name]) => groups.has(name)).map(([name, title]) => part(`${title}: ${groups.get(name).length}`,
      groups.get(name).map(d => element("li", { className: d.colour }, link(d.path), " ", element("span", { className: "meta" }, day(d), type(d), namesLater(d) ? null : mark(d)),
        namesLater(d) ? element("span", { className: "why" }, warn(d.standing + " by "), linkTo(d.by)) : null)))));
}

function health() {
  const of = (...checks) => content.findings.filter(f => checks.includes(f.check));
  const finding = f => element("li", {}, linkOrPath(f.path), element("span", { className: "why" }, message(f), ` (line ${f.line})`));
  const named = ["orphan", "place-moved", "place-unknown", ...staleChecks];
  const rest = content.findings.filter(f => !named.includes(f.check) && f.severity !== "notice");
  const parts = [
    ["stale", "Stale", "Places that these documents cite have changed since.", of(...staleChecks).map(finding)],
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
