// Opens the page of the large project in a headless Chromium, tries everything that it has, and prints what it saw as
// JSON. Arguments: the program of Chromium, the page's file, and a folder for pictures.
import { chromium } from "playwright-core";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";

const [program, page, folder] = process.argv.slice(2);
const url = pathToFileURL(page).href;
const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const browser = await chromium.launch({ executablePath: program, args: ["--no-sandbox"] });
const seen = { requests: [], faults: [], axe: [], overflow: [], dialogs: [], unmarked: [], views: {}, app: [] };

// open opens the page in a tab, and notes each request, dialog, exception and error in the console.
async function open(width, height, colorScheme) {
  const tab = await browser.newPage({ viewport: { width, height }, colorScheme });
  tab.on("request", request => { if (request.url() !== url && !request.url().startsWith("data:image/")) seen.requests.push(request.url()); });
  tab.on("pageerror", error => seen.faults.push(String(error)));
  tab.on("console", message => { if (["error", "warning"].includes(message.type())) seen.faults.push(message.text()); });
  tab.on("dialog", dialog => { seen.dialogs.push(dialog.message()); dialog.dismiss(); });
  tab.on("popup", popup => seen.requests.push(popup.url()));
  await tab.goto(url);
  return tab;
}

// check takes a picture of what a tab shows, notes what is wider than the screen, and runs axe-core.
async function check(tab, name) {
  await tab.screenshot({ path: `${folder}/${basename(page, ".html")}-${name}.png` });
  const wide = await tab.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  if (wide > 0) seen.overflow.push(`${name}: ${wide} px`);
  seen.unmarked.push(...await tab.evaluate(name => [...document.querySelectorAll("a[href^='#/']:not(.text a)")].flatMap(link => {
    const d = byPath.get(decode(link.hash.split("/")[2] ?? ""));
    const names = d?.mark && link.checkVisibility() && link.textContent.includes(d.title);
    return names && !link.closest("li, p").textContent.toLowerCase().includes(d.standing) ? [`${name}: ${d.mark}: ${link.outerHTML.slice(0, 200)}`] : [];
  }), name));
  await tab.evaluate(axeSource);
  const { violations } = await tab.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  for (const { id, impact, nodes } of violations) {
    seen.axe.push(`${name}: ${impact}: ${id}: ${nodes.slice(0, 3).map(n => n.html.slice(0, 200)).join(" | ")}`);
  }
}

// unreached presses Tab until the focus has been everywhere, and returns what it did not reach.
async function unreached(tab, name) {
  const count = await tab.evaluate(() => {
    document.activeElement?.blur();
    window.wanted = new Set([...document.querySelectorAll("a[href], button, input, select, summary")].filter(e => e.checkVisibility()));
    document.addEventListener("focusin", event => window.wanted.delete(event.target));
    return window.wanted.size;
  });
  for (let i = 0; i < count + 40; i++) await tab.keyboard.press("Tab");
  return tab.evaluate(name => [...window.wanted].map(e => `${name}: ${e.outerHTML.slice(0, 120)}`), name);
}

const listed = tab => tab.locator("#list li").count();
const goTo = (tab, route) => tab.evaluate(route => { location.hash = route; }, route);
const view = async (tab, name) => {
  await tab.locator("header nav a", { hasText: new RegExp(name, "i") }).click();
  await tab.waitForSelector(`#${name} h1`);
};
const search = async (tab, words) => {
  await tab.fill("#find", words);
  await tab.waitForFunction(() => document.querySelector("#list mark"));
};

// tryAll tries what the page of the large project has, and returns what it saw.
async function tryAll(tab, key) {
  const seen = { unreached: [] };
  const isLight = key.endsWith("light");
  seen.opened = await tab.evaluate(() => performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd);
  seen.home = await tab.locator("#reader h2").allTextContents();
  await check(tab, `${key}-home`);
  if (isLight) seen.unreached.push(...await unreached(tab, "home"));
  await goTo(tab, "#/all");
  seen.count = await tab.locator("#count").textContent();
  await tab.locator("#more button").click();
  seen.listed = await listed(tab);
  await check(tab, `${key}-list`);

  seen.filtered = [];
  for (const [name, value] of [["state", "superseded"], ["state", "stale"], ["level", "critical"], ["state", "expired"]]) {
    await tab.selectOption(`#${name}`, value);
    seen.filtered.push(await listed(tab));
    await tab.selectOption(`#${name}`, "");
  }
  for (const area of ["folder/adr", "tag/tag-3"]) {
    await goTo(tab, "#/in/" + area);
    await tab.waitForSelector("#area a");
    seen.filtered.push(Number.parseInt(await tab.locator("#count").textContent(), 10));
  }
  await goTo(tab, "#/all");

  const began = Date.now();
  await search(tab, "document 77 reque");
  seen.searched = Date.now() - began;
  seen.first = await tab.locator("#list strong").first().textContent();
  seen.place = await tab.locator("#list .place").first().textContent();
  await check(tab, `${key}-search`);
  await tab.locator("#list .sentence").first().click();
  await tab.waitForSelector("#reader .text");
  seen.title = await tab.locator("#reader h1").first().textContent();
  seen.marked = await tab.locator("#reader .found").allTextContents().then(all => all.map(text => text.includes("request")));
  seen.parts = await tab.evaluate(() => Object.fromEntries(["callout", "outline", "sides", "hljs-keyword"].map(name =>
    [name, document.querySelectorAll(`#reader .${name}`).length])));
  seen.parts.pictures = await tab.evaluate(() => [...document.querySelectorAll("#reader img")].map(img => `${img.naturalWidth} pixels`).join());
  await check(tab, `${key}-reader`);
  if (isLight) seen.unreached.push(...await unreached(tab, "reader"));
  await tab.locator("#reader .near").scrollIntoViewIfNeeded();
  await check(tab, `${key}-near`);

  seen.hostile = 0;
  for (let i = 99; i < seen.listed; i += 100) {
    await goTo(tab, await tab.evaluate(i => "#/doc/" + encodeURIComponent(documents.find(d => d.title.startsWith(`Document ${i},`)).path), i));
    await tab.waitForFunction(i => document.querySelector("#reader h1").textContent.startsWith(`Document ${i},`), i);
    await tab.evaluate(() => { for (const e of document.querySelectorAll("#reader .text *")) if (!e.href) e.click(); });
    seen.hostile += await tab.evaluate(() => document.querySelector("#reader .text").textContent.includes("a b c") ? 1 : 0);
  }

  for (const name of ["graph", "timeline", "health"]) {
    await view(tab, name);
    await check(tab, `${key}-${name}`);
    if (isLight) seen.unreached.push(...await unreached(tab, name));
  }
  const short = text => text.replace(/(Document \d+,) [^→]*?(?= superseded| \d{4}-|$)/g, "$1").replace(/\s+/g, " ").trim();
  seen.chains = await tab.evaluate(() => [62, 434].map(i => [...document.querySelectorAll("#timeline li")].find(li => li.querySelector(":scope > a").textContent.startsWith(`Document ${i},`))
    .querySelector(".chain").textContent)).then(all => all.map(short));
  seen.decisions = await tab.evaluate(() => document.querySelectorAll("#timeline li").length);
  seen.health = await tab.locator("#health .tiles b").allTextContents().then(all => all.map(Number));
  await view(tab, "graph");
  const near = await tab.evaluate(() => {
    const near = Map.groupBy(drawn.links.flatMap(({ from, to }) => [[from, to], [to, from]]), ([path]) => path);
    const [path, links] = [...near].sort((a, b) => b[1].length - a[1].length)[0];
    drawn.rows.get(path).focus();
    return new Set(links.map(([, other]) => other)).size;
  });
  await tab.keyboard.press("Enter");
  await tab.waitForSelector("#graph .row.chosen");
  seen.neighbours = [near, await tab.locator("#graph .row.neighbour").count(), await tab.locator("#graph .beside .chips a").count()];
  await check(tab, `${key}-neighbours`);
  Object.assign(seen, await tryFallen(tab, key, short, isLight ? seen.unreached : []));
  return seen;
}

// tryFallen goes from the first screen to the documents that do not hold, reads one, and searches for it.
async function tryFallen(tab, key, short, notReached) {
  await tab.locator("#project").click();
  const link = tab.locator("#reader a[href='#/fallen']");
  const fallen = [await link.textContent()];
  await link.click();
  fallen.push(...await tab.locator("#fallen h2").allTextContents());
  await check(tab, `${key}-fallen`);
  notReached.push(...await unreached(tab, "fallen"));
  await tab.locator("#fallen a", { hasText: /^Document 56,/ }).click();
  await tab.waitForSelector("#reader .note");
  await check(tab, `${key}-replaced`);
  await search(tab, await tab.locator("#reader h1").textContent());
  await check(tab, `${key}-order`);
  const order = await tab.evaluate(() => [...document.querySelectorAll("#list > li")].slice(0, 3).map(li =>
    `${li.querySelector("strong").textContent} ${li.querySelector(".warn")?.textContent ?? ""}`));
  return { fallen, order: order.map(short) };
}

for (const [width, height, scheme] of [[1280, 860, "light"], [1280, 860, "dark"], [390, 844, "light"], [390, 844, "dark"]]) {
  const tab = await open(width, height, scheme);
  const key = `${width}-${scheme}`;
  seen.views[key] = await tryAll(tab, key);
  await tab.close();
}
await asApp();

// asApp shows the page as an MCP App: in a frame, whose URL and storage it cannot use. It greets the host.
async function asApp() {
  const host = await browser.newPage();
  await host.setContent(`<iframe sandbox="allow-scripts" style="width: 900px; height: 700px"></iframe>`);
  await host.evaluate(html => new Promise(resolve => {
    window.methods = [];
    window.addEventListener("message", event => {
      const { id, method } = event.data;
      window.methods.push(method);
      if (method === "ui/initialize") event.source.postMessage({ jsonrpc: "2.0", id, result: { hostContext: { theme: "dark" } } }, "*");
      if (method === "ui/notifications/size-changed") resolve();
    });
    document.querySelector("iframe").srcdoc = html;
  }), readFileSync(page, "utf8"));
  const frame = host.frameLocator("iframe");
  await frame.locator("header nav a", { hasText: "Timeline" }).click();
  await frame.locator("#timeline li a").first().click();
  await frame.locator("#reader .text").waitFor();
  seen.app = await host.evaluate(() => window.methods);
  seen.app.push(await frame.locator("html").evaluate(e => e.style.colorScheme));
}

await browser.close();
process.stdout.write(JSON.stringify(seen) + "\n");
