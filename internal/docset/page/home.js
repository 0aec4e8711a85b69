"use strict";
// The first screen: the rules of the project, what is new, what nobody has answered, and its areas.

const recently = 30; // days
const enough = 12; // entries of a part

// part returns a part of the screen with a heading. It is left out without items.
const part = (title, items, ...more) => items.length === 0 ? null :
  element("section", {}, element("h2", {}, title), element("ul", { className: "plain" }, items), more);

const homeItem = (d, date = d.date) => element("li", { className: d.colour }, link(d.path), " ",
  element("span", { className: "meta" }, level(d), day({ date }), state(d)));

function rule(d) {
  const made = homeItem(d);
  made.append(element("span", { className: "why" }, cut(d.summary)));
  return made;
}

function recent() {
  const since = new Date(Date.parse(content.made) - recently * 24 * 3600 * 1000).toISOString().slice(0, 10);
  const latest = documents.filter(d => d.changed).sort((a, b) => a.changed < b.changed ? 1 : a.changed > b.changed ? -1 : 0);
  const changed = latest.filter(d => d.changed >= since && !d.external);
  const items = list => list.map(d => homeItem(d, d.changed));
  if (changed.length > 0) return part(`The last ${recently} days`, items(changed.slice(0, enough)));
  return part("The latest", items(latest.slice(0, 5)));
}

// areas returns links to the documents of each folder or tag, the largest first.
function areas(title, kind, names) {
  const counts = [...Map.groupBy(names, name => name)].map(([name, all]) => [name, all.length]);
  counts.sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
  return counts.length === 0 ? null : element("section", {}, element("h2", {}, title), element("ul", { className: "chips" },
    counts.slice(0, 40).map(([name, n]) => element("li", {}, element("a", { href: `#/in/${kind}/${encodeURIComponent(name)}` }, `${name} `,
      element("span", { className: "n" }, String(n)))))));
}

function home() {
  const rules = ["critical", "important"].flatMap(wanted => documents.filter(d => d.level === wanted && d.holds));
  const questions = byNumber(content.questions, Date.parse).slice(0, 8);
  const own = documents.filter(d => !d.external).length;
  const known = [counted(own, "document"), own < documents.length ? counted(documents.length - own, "external document") : null];
  byId("reader").replaceChildren(...[
    element("h1", {}, content.project), element("p", { className: "meta" }, `${known.filter(Boolean).join(" and ")}, written on ${content.made}`),
    element("p", {}, element("a", { href: "#/fallen" }, `What no longer holds: ${counted(fallen().length, "document")}`)),
    documents.length === 0 ? element("p", {}, "There is no document yet.") : null,
    element("div", { className: "home" },
      part("Rules", rules.slice(0, enough).map(rule), rules.length > enough ? element("p", { className: "empty" }, `and ${rules.length - enough} more: choose a level in the list`) : null),
      recent(),
      part("Unanswered questions", questions.map(([text, asked]) => element("li", {}, text, " ", element("span", { className: "meta" }, asked.slice(0, 10))))),
      areas("Folders", "folder", documents.map(d => d.folder)), areas("Tags", "tag", documents.flatMap(d => d.tags))),
    element("a", { className: "back", href: "#/all" }, "All documents →"),
  ].filter(Boolean));
  byId("reader").scrollTop = 0;
}
