"use strict";
// The documents of the page, what follows from them, and the elements that several views use. Texts of
// documents become text, never markup, except for their HTML, which the program has made harmless.
const content = JSON.parse(document.getElementById("content").textContent);
const byId = id => document.getElementById(id);
const documents = content.documents;
const byPath = new Map(documents.map(d => [d.path, d]));

// element makes an element with properties and children. Children that are null are left out.
function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  for (const child of children.flat(Infinity)) if (child != null) made.append(child);
  return made;
}

const builtIn = ["problem", "insight", "codebase", "tool", "style"];
const types = [...new Set(documents.map(d => d.type))].sort();
const otherTypes = types.filter(type => !builtIn.includes(type));
const colour = type => builtIn.includes(type) ? builtIn.indexOf(type) : builtIn.length + otherTypes.indexOf(type) % 4;
const texts = value => value == null ? [] : Array.isArray(value) ? value.flatMap(texts)
  : typeof value === "object" ? Object.entries(value).map(([name, inner]) => `${name}: ${texts(inner).join(", ")}`) : [String(value)];
const shownElsewhere = ["title", "date", "summary", "tags", "doc_type", "promotion_level", "related_docs", "supersedes", "amends"];
const staleChecks = ["place-changed", "place-gone"];

// sharedFolder returns the folder that holds all paths, with a / at its end.
function sharedFolder(paths) {
  const folderOf = path => path.slice(0, path.lastIndexOf("/") + 1);
  let shared = folderOf(paths[0] ?? "");
  while (!paths.every(path => path.startsWith(shared))) shared = folderOf(shared.slice(0, -1));
  return shared;
}

const shared = sharedFolder(documents.filter(d => !d.external).map(d => d.path));
const topFolder = shared.split("/").at(-2) ?? "top folder";
for (const d of documents) {
  const frontMatter = d.front_matter ?? {};
  const inside = d.path.startsWith(shared) ? d.path.slice(shared.length) : d.path;
  d.folder = inside.slice(0, Math.max(0, inside.lastIndexOf("/"))) || topFolder;
  d.colour = "c" + colour(d.type);
  d.tags = [...new Set(texts(frontMatter.tags))];
  d.fields = Object.entries(frontMatter).map(([name, value]) => ({ name, values: texts(value) }))
    .filter(({ name, values }) => !shownElsewhere.includes(name) && values.length > 0);
  // A record in a folder such as docs/adr says no more than that it is of the type codebase.
  d.decision = frontMatter.knowledge_type === "architecture_decision" || /(^|-)adr(-|$)|decision/.test(d.type) ||
    d.type === "codebase" && !frontMatter.knowledge_type;
  d.findings = [];
  // The first word of the mark: superseded, rejected and so on. Amended and proposed documents hold.
  d.standing = d.mark.split(" ")[0];
  d.holds = ["", "amended", "proposed"].includes(d.standing);
  Object.assign(d, { from: [], replacing: [], amending: [] }); // paths of documents that link to it, replace it and amend it
}
for (const d of documents) {
  for (const [paths, name] of [[d.links, "from"], [d.supersedes, "replacing"], [d.amends, "amending"]]) {
    for (const path of new Set(paths)) byPath.get(path)?.[name].push(d.path);
  }
}
for (const finding of content.findings) byPath.get(finding.path)?.findings.push(finding);
for (const d of documents) d.stale = d.findings.filter(f => staleChecks.includes(f.check));

const routeTo = path => "#/doc/" + encodeURIComponent(path);
const type = d => element("span", { className: "type " + d.colour }, d.type);
const level = d => d.level === "standard" ? null : element("span", { className: "level" }, d.level);
const day = d => d.date ? element("time", { dateTime: d.date }, d.date) : null;
const warn = text => element("span", { className: "warn" }, text);
const link = path => element("a", { href: routeTo(path) }, byPath.get(path)?.title ?? path);
const namesLater = d => d.mark.includes(" by ./"); // in which case d.by is that document
const markOf = d => namesLater(d) ? `${d.standing} by ${cut(byPath.get(d.by)?.title ?? d.by, 60)}` : d.mark;
const mark = d => d.mark ? warn(markOf(d)) : null;
const linkTo = path => [link(path), byPath.get(path)?.mark ? [" ", warn(`(${markOf(byPath.get(path))})`)] : null];
const state = d => [mark(d), d.stale.length > 0 ? warn("stale") : null];
const counted = (n, noun) => n === 1 ? `1 ${noun}` : `${n} ${noun}s`;
// endOf returns where a text is cut: at the last space between two places, or else at the last of them.
const endOf = (text, least, most) => text.lastIndexOf(" ", most) > least ? text.lastIndexOf(" ", most) : most;
const cut = (text, length = 140) => text.length > length ? text.slice(0, endOf(text, 0, length)) + " …" : text;
