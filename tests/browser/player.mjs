// Plays an exported page in Chromium and compares its words with those of the session at random moments.
//
// node tests/browser/player.mjs PAGE.html SESSION.jsonl [PLAYWRIGHT_FOLDER]
//
// SESSION.jsonl is the same session: `export --format jsonl`. The folder is one in which `npm install playwright-core` ran.
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {resolve} from 'node:path';

const MOMENTS = 200;
const [pagePath, logPath, folder = '.'] = process.argv.slice(2);
const {chromium} = createRequire(resolve(folder) + '/')('playwright-core');
const events = readFileSync(logPath, 'utf8').trim().split('\n').map(line => JSON.parse(line));
// Markdown arrives with its marks, which the page does not show
const visible = text => text.replace(/[\0- `*]+/g, '');

/** Returns the words of the log at a time: the text of each turn, by number. */
function wordsAt(now) {
  const turns = new Map(), since = new Map();
  for (const {seq, ms, kind, data} of events) {
    if (kind === 'floor.granted' && data.number && ms <= now) turns.set(seq, {number: data.number, text: ''});
    if (kind === 'floor.granted') since.set(seq, ms);
    if (kind === 'call.started') since.set(data.turn, ms);
    if (kind === 'call.retried' && ms <= now && turns.has(data.turn)) turns.get(data.turn).text = '';
    if (kind === 'turn.ended' && ms <= now && turns.has(data.turn)) turns.get(data.turn).text = data.text ?? '';
    if (kind !== 'delta') continue;
    let at = since.get(data.pieces[0][0]);
    for (const [turn, channel, text, times] of data.pieces) {
      const bytes = Buffer.from(text);
      for (let i = 0, from = 0; i < times.length; i += 2) {
        const to = from + times[i];
        at += times[i + 1];
        if (channel === 'say' && Math.min(at, ms) <= now && turns.has(turn)) turns.get(turn).text += bytes.subarray(from, to);
        from = to;
      }
    }
  }
  return [...turns.values()].sort((a, b) => a.number - b.number).map(turn => [turn.number, visible(turn.text)]);
}

const browser = await chromium.launch({executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox']});
const page = await browser.newPage();
const faults = [];
page.on('pageerror', error => faults.push(error.message));
page.on('console', message => { if (message.type() === 'error') faults.push(message.text()); });
page.on('request', request => { if (!request.url().startsWith('file:')) faults.push(`a request: ${request.url()}`); });
const began = performance.now();
await page.goto('file://' + resolve(pagePath));
await page.evaluate(() => new Promise(done => requestAnimationFrame(() => setTimeout(done))));
const opened = Math.round(performance.now() - began);

let seed = 4711, within = 0;
const random = () => (seed = seed * 48271 % 2147483647) / 2147483647;
for (let i = 0; i < MOMENTS; i++) {
  const seen = await page.evaluate(share => {
    const range = document.querySelector('#player [type=range]');
    range.value = range.max * share;
    range.dispatchEvent(new Event('input', {bubbles: true}));
    const turns = [...document.querySelectorAll('article[id]')].filter(el => el.checkVisibility());
    // `innerText` leaves out what is far from the viewport
    const shown = el => {
      const walker = document.createTreeWalker(el, NodeFilter.SHOW_TEXT);
      let text = '';
      while (walker.nextNode()) if (!walker.currentNode.parentElement.closest('[hidden]')) text += walker.currentNode.data;
      return text;
    };
    const words = turns.map(el => [+el.id.slice(1), el.querySelector('.words') ? shown(el.querySelector('.words')) : '']);
    return {ms: +document.querySelector('#player').dataset.ms, words, live: turns.filter(el => el.matches('.live')).length};
  }, random());
  const words = seen.words.map(([number, text]) => [number, visible(text)]).sort((a, b) => a[0] - b[0]);
  const expected = wordsAt(seen.ms);
  if (JSON.stringify(words) !== JSON.stringify(expected)) {
    const at = expected.findIndex((turn, i) => JSON.stringify(turn) !== JSON.stringify(words[i]));
    faults.push(`at ${seen.ms}: the log has ${JSON.stringify(expected[at])}, the page ${JSON.stringify(words[at])}`);
  }
  within += seen.live > 0;
}

// the keys: from the end to the first turn, one turn on, and play
const state = () => page.evaluate(() => {
  const turns = [...document.querySelectorAll('article[id]')];
  return {shown: turns.filter(el => el.checkVisibility()).length, whole: turns.filter(el => el.checkVisibility() && !el.matches('.live')).length, all: turns.length, past: document.body.matches('.past'), ms: +document.querySelector('#player').dataset.ms};
});
const expect = (what, holds) => { if (!holds) faults.push(what); };
const {all} = await state();
for (let i = 0; i <= all; i++) await page.keyboard.press('ArrowLeft');
const first = await state();
expect('the left arrow leads to the beginning', first.past && first.whole === 0);
await page.keyboard.press('ArrowRight');
expect('the right arrow shows a turn', (await state()).shown >= 1);
const paused = await state();
await page.keyboard.press('Space');
await page.waitForFunction(ms => +document.querySelector('#player').dataset.ms > ms + 100, paused.ms);
expect('space plays', (await page.locator('.play').getAttribute('aria-label')) === 'Pause');
await page.keyboard.press('Space');
const still = await state();
await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
expect('space pauses', (await state()).ms === still.ms);
const word = (await page.locator('article[id] .words').first().textContent()).trim().split(/\s/)[0];
await page.keyboard.press('/');
await page.keyboard.type(word);
await page.keyboard.press('Enter');
expect('search finds a word', /^1 of \d+$/.test(await page.locator('.found').textContent()));
await page.keyboard.press('Escape');
await page.keyboard.press('c');
expect('c lists the chapters', await page.locator('#chapters:popover-open button').count() > 0);
await page.keyboard.press('c');
await page.keyboard.press('l');
expect('l shows lanes', await page.locator('body.lanes .heads b').count() > 0);
await page.keyboard.press('l');
// the drawing of the positions grows
if (await page.locator('figure.stand').count()) {
  const marks = () => page.evaluate(() => [...document.querySelectorAll('figure.stand [data-n]')].filter(el => el.style.display !== 'none').length);
  const seek = share => page.evaluate(share => {
    const range = document.querySelector('#player [type=range]');
    range.value = range.max * share;
    range.dispatchEvent(new Event('input', {bubbles: true}));
  }, share);
  const shown = [];
  for (const share of [0, .5, 1]) {
    await seek(share);
    shown.push(await marks());
  }
  expect(`the drawing of the positions grows with the replay: ${shown}`, shown[0] === 0 && shown[1] > 0 && shown[1] < shown[2]);
}
await page.emulateMedia({media: 'print'});
await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
const printed = await page.evaluate(() => ({
  turns: [...document.querySelectorAll('article[id]')].filter(el => el.checkVisibility()).length,
  bar: document.querySelector('#player').checkVisibility(),
}));
expect('print has the whole conversation and no controls', printed.turns === all && !printed.bar);
await page.emulateMedia({media: null});
await page.goto('file://' + resolve(pagePath) + '#t' + Math.ceil(all / 2));
expect('a link to a turn shows the whole page', (await state()).shown === all);
await page.keyboard.press('Space');
const linked = await state();
const target = await page.locator('article:target').evaluate(el => el.checkVisibility());
expect('play begins at the linked turn', target && linked.past && linked.whole >= Math.ceil(all / 2) - 3);

// without scripts the page is whole
const context = await browser.newContext({javaScriptEnabled: false});
const plain = await context.newPage();
await plain.goto('file://' + resolve(pagePath));
expect('no controls without scripts', await plain.locator('#player').count() === 0);
expect('all turns without scripts', await plain.locator('article[id]').count() === all);
await browser.close();

console.log(`opened in ${opened} ms; ${all} turns; ${MOMENTS} moments, ${within} within a turn; ${faults.length} faults`);
faults.slice(0, 10).forEach(fault => console.log(fault));
process.exit(faults.length ? 1 : 0);
