// Opens a page in a headless Chromium and prints what it saw as JSON. Arguments: the program of Chromium,
// the page's file, and a folder for pictures.
import { chromium } from "playwright-core";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [program, page, folder] = process.argv.slice(2);
const url = pathToFileURL(page).href;
const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const browser = await chromium.launch({ executablePath: program, args: ["--no-sandbox"] });
const seen = { requests: [], faults: [], axe: [], overflow: [], dialogs: [], views: {} };

// check takes a picture of what a tab shows, notes what is wider than the screen, and runs axe-core.
async function check(tab, name) {
  await tab.screenshot({ path: `${folder}/${name}.png` });
  const wide = await tab.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  if (wide > 0) seen.overflow.push(`${name}: ${wide} px`);
  await tab.evaluate(axeSource);
  const { violations } = await tab.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  for (const { id, impact, nodes } of violations) {
    if (!["serious", "critical"].includes(impact)) continue;
    seen.axe.push(`${name}: ${id}: ${nodes.slice(0, 3).map(n => n.html.slice(0, 200)).join(" | ")}`);
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
const search = async (tab, words) => {
  await tab.fill("#find", words);
  await tab.waitForFunction(() => document.querySelector("#list mark"));
};

for (const [width, height, scheme] of [[1280, 860, "light"], [1280, 860, "dark"], [390, 844, "light"], [390, 844, "dark"]]) {
  const tab = await browser.newPage({ viewport: { width, height }, colorScheme: scheme });
  tab.on("request", request => { if (request.url() !== url) seen.requests.push(request.url()); });
  tab.on("pageerror", error => seen.faults.push(String(error)));
  tab.on("dialog", dialog => { seen.dialogs.push(dialog.message()); dialog.dismiss(); });
  tab.on("popup", popup => seen.requests.push(popup.url()));
  await tab.goto(url);
  const key = `${width}-${scheme}`;
  const view = seen.views[key] = { unreached: [] };
  view.opened = await tab.evaluate(() => performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd);
  view.listed = await listed(tab);
  await check(tab, `${key}-list`);
  if (scheme === "light") view.unreached.push(...await unreached(tab, "list"));

  view.filtered = [];
  for (const [name, value] of [["state", "superseded"], ["state", "stale"], ["level", "critical"]]) {
    await tab.selectOption(`#${name}`, value);
    view.filtered.push(await listed(tab));
    await tab.selectOption(`#${name}`, "");
  }

  const began = Date.now();
  await search(tab, "document 77 reque");
  view.searched = Date.now() - began;
  view.first = await tab.locator("#list strong").first().textContent();
  await check(tab, `${key}-search`);
  await tab.locator("#list a").first().click();
  await tab.waitForSelector("#reader .text");
  view.title = await tab.locator("#reader h1").first().textContent();
  await check(tab, `${key}-reader`);
  if (scheme === "light") view.unreached.push(...await unreached(tab, "reader"));

  view.hostile = 0;
  for (let i = 99; i < view.listed; i += 100) {
    await tab.evaluate(path => { location.hash = "#/doc/" + encodeURIComponent(path); },
      await tab.evaluate(i => documents.find(d => d.title.startsWith(`Document ${i},`)).path, i));
    await tab.waitForFunction(i => document.querySelector("#reader h1").textContent.startsWith(`Document ${i},`), i);
    await tab.evaluate(() => { for (const e of document.querySelectorAll("#reader .text *")) if (!e.href) e.click(); });
    view.hostile += await tab.evaluate(() => document.querySelector("#reader .text").textContent.includes("a b c") ? 1 : 0);
  }

  for (const name of ["graph", "timeline", "health"]) {
    await tab.locator("header nav a", { hasText: new RegExp(name, "i") }).click();
    await tab.waitForSelector(`#${name} h1`);
    await check(tab, `${key}-${name}`);
    if (scheme === "light") view.unreached.push(...await unreached(tab, name));
  }
  view.decisions = await tab.evaluate(() => document.querySelectorAll("#timeline li").length);
  view.health = await tab.locator("#health .tiles b").allTextContents().then(all => all.map(Number));
  await tab.locator("header nav a", { hasText: "Graph" }).click();
  const most = await tab.evaluate(() => {
    const most = drawn.nodes.toSorted((a, b) => b.near.size - a.near.size)[0];
    most.link.focus();
    return most.near.size;
  });
  await tab.keyboard.press("Enter");
  await tab.waitForSelector("#graph .beside h2");
  const named = await tab.locator("#graph .beside .plain a").allTextContents();
  view.neighbours = [most, new Set(named).size];
  await check(tab, `${key}-neighbours`);
  await tab.close();
}

// As an MCP App the page is in a frame, whose URL and storage it cannot use. It greets the host.
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

await browser.close();
process.stdout.write(JSON.stringify(seen) + "\n");
