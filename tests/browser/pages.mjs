// Two browsers and the log of one conversation agree word for word, and the page that watches sees no whisper.
//
// By hand, with a Chromium and `playwright-core` of npm in any folder (NODE_PATH):
//   node tests/browser/pages.mjs target/debug/colloquium [FOLDER FOR PICTURES]
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const { chromium } = createRequire(join(process.env.NODE_PATH ?? process.cwd(), "x.js"))("playwright-core");
const program = resolve(process.argv[2] ?? "target/debug/colloquium");
const pictures = process.argv[3];
const home = mkdtempSync(join(tmpdir(), "pages-"));
const env = { HOME: home, PATH: process.env.PATH };
const run = (...args) => execFileSync(program, args, { env, cwd: home, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

const id = run("run", "round-table", "--rehearsed", "--pace", "--detach").trim();
const server = spawn(program, ["serve", id, "--as", "phone"], { env, cwd: home, stdio: ["ignore", "pipe", "inherit"] });
process.on("exit", () => server.kill());
const links = await new Promise((done) => {
  let text = "";
  server.stdout.on("data", (data) => {
    text += data;
    const found = text.match(/watch (\S+)\nsteer (\S+)\n/);
    if (found) done({ watch: found[1], steer: found[2] });
  });
});
const paths = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const browser = await chromium.launch({ executablePath: paths.find(existsSync), args: ["--no-sandbox", "--disable-gpu"] });
const faults = [];

async function open(link, width, height, colorScheme) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme });
  const page = await context.newPage();
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  page.on("pageerror", (error) => faults.push(error.message));
  await page.goto(link);
  return page;
}

const picture = async (page, name) => pictures && page.screenshot({ path: join(pictures, `${name}.png`) });
const logged = () => readFileSync(join(home, `.local/share/colloquium/sessions/${id}.jsonl`), "utf8").trim().split("\n").map(JSON.parse);
const steer = await open(links.steer, 390, 844, "light");
const watch = await open(links.watch, 1280, 800, "dark");

// text arrives before its turn ends
await watch.waitForSelector("#now .text:not(:empty)");
await steer.fill("#text", "And who drives **your** mother <b>home</b>?");
await steer.press("#text", "Enter");
await steer.waitForSelector("#queued li");
await picture(steer, "steers");
await steer.selectOption("#how", "whisper bo");
await steer.fill("#text", "A word in secret.");
await steer.press("#text", "Enter");
await steer.waitForFunction(() => document.querySelectorAll("#queued li").length === 2);
await steer.click("#skip");
await steer.waitForSelector("article.private");
await steer.click(".seat.s3");
await steer.click('#seat button[value="floor"]');
// a lost connection heals
await watch.context().setOffline(true);
await steer.selectOption("#how", "cut_in");
await steer.fill("#text", "Stop there: what about deliveries?");
await steer.press("#text", "Enter");
await steer.waitForFunction(() => document.querySelector("#log").innerText.includes("deliveries"));
await watch.context().setOffline(false);
await steer.click("#pause");
await steer.waitForSelector("#state.paused");
await watch.waitForSelector("#state.paused");
await picture(steer, "paused");
await picture(watch, "watches");
// the link to steer opens one browser
const second = await open(links.steer, 390, 844, "dark");
await second.waitForSelector("#gate:not([hidden])");
assert.match(await second.innerText("#reason"), /another browser has used this link/);
faults.splice(0, faults.length, ...faults.filter((fault) => !fault.includes("403")));
// a reload keeps the rights
await steer.reload();
await steer.waitForSelector("#steer:not([hidden])");
await steer.waitForSelector("#state.paused");
await steer.click("#pause");
// the conversation waits at its limit for the page that steers
await steer.waitForSelector("#state.limit", { timeout: 120_000 });
await picture(steer, "limit");
await steer.click("#end");
for (const page of [steer, watch]) await page.waitForSelector("#state.ended");
await picture(watch, "ended");

const words = (text) => text.replaceAll("**", "").split(/\s+/).filter(Boolean).join(" ");
const shown = (page) => page.$$eval("#log article.turn, #log article.host", (all) => all.map((node) => node.querySelector(".text").innerText));
const events = logged();
const whispers = new Set(events.filter((e) => e.data?.do === "whisper").map((e) => e.data.key));
const said = events.filter((e) => (e.kind === "turn.ended" && e.data.purpose === "speak" && e.data.text) || e.kind === "human.said");
const texts = new Map(events.filter((e) => e.kind === "command.given").map((e) => [e.data.key, e.data.text]));
const all = (secret) => said.filter((e) => secret || !whispers.has(e.data.of)).map((e) => words(e.data.text ?? texts.get(e.data.of)));
const sorted = (list) => list.map(words).sort();
assert.equal(whispers.size, 1);
assert.deepEqual(sorted(await shown(steer)), all(true).sort());
assert.deepEqual(sorted(await shown(watch)), all(false).sort());
assert.ok(!(await watch.content()).includes("in secret"));
const given = events.filter((e) => e.kind === "command.given" && e.data.do === "say");
assert.deepEqual(given.map((e) => e.data.from), ["phone"]);
assert.deepEqual(faults.filter((fault) => !fault.includes("ERR_INTERNET_DISCONNECTED")), []);
console.log(`${all(true).length} messages, the same in two browsers and the log`);
await browser.close();
process.exit();
