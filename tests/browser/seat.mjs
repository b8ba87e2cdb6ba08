// A person takes part by a link, in a browser of their own: their turn, their whispers, and a fresh link.
//
// By hand, with a Chromium and `playwright-core` of npm in any folder (NODE_PATH):
//   node tests/browser/seat.mjs target/debug/colloquium [FOLDER FOR PICTURES]
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const { chromium } = createRequire(join(process.env.NODE_PATH ?? process.cwd(), "x.js"))("playwright-core");
const program = resolve(process.argv[2] ?? "target/debug/colloquium");
const pictures = process.argv[3];
const home = mkdtempSync(join(tmpdir(), "seat-"));
const env = { HOME: home, PATH: process.env.PATH };
const run = (...args) => execFileSync(program, args, { env, cwd: home, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
writeFileSync(join(home, "bridge.toml"), `
title = "Should the old bridge be rebuilt?"
[limits]
utterances = 6
[[participant]]
id = "ada"
name = "Ada"
role = "engineer"
pace = 30
reply = { to = ["bo"] }
lines = ["The old piers are sound down to the **third course**. I would keep them and replace the deck.\\n\\nWHISPER bo: Not for Cleo.", "A new bridge costs four times as much."]
[[participant]]
id = "cleo"
name = "Cleo"
role = "ferry owner"
human = true
who = "link"
[[participant]]
id = "bo"
name = "Bo"
role = "treasurer"
pace = 30
reply = { to = ["cleo"] }
lines = ["The budget has room for a deck, not for piers.\\n\\nWHISPER cleo: I know that your licence ends in spring."]
`);
const id = run("run", "bridge.toml", "--pace", "--detach").trim();
const server = spawn(program, ["serve", id, "--as", "phone"], { env, cwd: home, stdio: ["pipe", "pipe", "ignore"] });
process.on("exit", () => server.kill());
let printed = "";
server.stdout.on("data", (data) => (printed += data));
const link = async (pattern) => {
  for (;;) {
    const found = printed.match(pattern);
    if (found) return found[1];
    await new Promise((done) => server.stdout.once("data", done));
  }
};
const paths = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const browser = await chromium.launch({ executablePath: paths.find(existsSync), args: ["--no-sandbox", "--disable-gpu"] });
const faults = [];

async function open(link, width, height, colorScheme) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme });
  const page = await context.newPage();
  page.on("pageerror", (error) => faults.push(error.message));
  await page.goto(link);
  return page;
}

const picture = async (page, name) => pictures && page.screenshot({ path: join(pictures, `${name}.png`) });
const steer = await open(await link(/steer (\S+)\n/), 1280, 800, "light");
const watch = await open(await link(/watch (\S+)\n/), 390, 844, "dark");
const speak = await open(await link(/speak cleo (\S+)\n/), 390, 844, "light");
await speak.waitForSelector("#turn:not([hidden])");
assert.equal(await speak.innerText("#turn"), "Your turn, Cleo");
assert.equal(await speak.locator("#pause:visible, #vote:visible, #how:visible").count(), 0, "no other commands");
await picture(speak, "seat");
await speak.fill("#text", "And what becomes of **my boat**?");
await speak.press("#text", "Enter");
await speak.waitForSelector("#turn", { state: "hidden" });
await speak.waitForSelector(".whisper");
const log = (page) => page.innerText("#log");
assert.match(await log(speak), /licence ends in spring/);
assert.doesNotMatch(await log(speak), /Not for Cleo/);
await watch.waitForFunction(() => document.querySelector("#log").innerText.includes("my boat"));
assert.doesNotMatch(await log(watch), /licence|Not for Cleo/);
await steer.waitForFunction(() => document.querySelector("#log").innerText.includes("licence"));
assert.match(await log(steer), /Not for Cleo/);
assert.ok((await steer.locator("#lanes path").count()) >= 3, "a lane per speaker");
await picture(steer, "steers-wide");
await picture(watch, "watches-phone");
printed = "";
server.stdin.write("r cleo\n");
const fresh = await link(/speak cleo (\S+)\n/);
await speak.waitForSelector("#gate:not([hidden])");
await speak.goto("about:blank");
await speak.goto(fresh);
await speak.waitForSelector("#turn:not([hidden])");
await speak.click("#pass");
await speak.waitForSelector("#turn", { state: "hidden" });
assert.deepEqual(faults, []);
run("stop", id);
console.log("a person took part by a link, and again by a fresh one");
await browser.close();
process.exit();
