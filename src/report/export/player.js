// Plays the page: shows at each time what was shown then. Times are in milliseconds. Without this script the page is whole.
'use strict';
(() => {
const MAX_WAIT = 3000, LANE = 8, COMING = 0, LIVE = 1, WHOLE = 2;
const main = document.querySelector('main'), template = document.querySelector('template');
const begin = +template.dataset.begin, end = +template.dataset.end, outcome = +template.dataset.result;
document.body.append(template.content);
const $ = id => document.querySelector(id);
const bar = $('#player'), range = bar.querySelector('[type=range]'), search = bar.querySelector('[type=search]');
const speed = bar.querySelector('select'), clock = $('.clock'), found = $('.found'), status = $('.unseen');
const button = name => bar.querySelector(`[data-do=${name}]`);
const visible = text => text.replace(/[\0- ]+/g, '').length;
const calm = matchMedia('(prefers-reduced-motion: reduce)');

// ---- the parts of the transcript, and the times at which they change

const parts = [...main.querySelectorAll('[data-t]')].map(el => {
  const [from, to, ...times] = el.dataset.t ? el.dataset.t.split(' ').map(Number) : [outcome];
  const part = {el, from, to: to ?? from, at: [], count: [], state: WHOLE, seat: +el.dataset.s || 0};
  let at = from, count = 0;
  for (let i = 0; i < times.length; i += 2) {
    part.at.push(at += times[i]);
    part.count.push(count += times[i + 1]);
  }
  return part;
});
const turns = parts.filter(part => part.el.id).sort((a, b) => a.to - b.to);
const changes = [...new Set([begin, end, ...parts.flatMap(part => [part.from, part.to, ...part.at])])].sort((a, b) => a - b);
// playing time: longer waits are shortened
const played = [0];
for (let i = 1; i < changes.length; i++) played.push(played[i - 1] + Math.min(changes[i] - changes[i - 1], MAX_WAIT));
const total = played[played.length - 1];

/** Returns the index of the last number that is not greater. */
function last(sorted, value) {
  let low = 0, high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= value) low = middle + 1; else high = middle;
  }
  return low - 1;
}
const toPlayed = ms => {
  const i = Math.max(last(changes, ms), 0);
  return Math.min(played[i] + Math.max(ms - changes[i], 0), played[i + 1] ?? total);
};
const toLogged = at => {
  const i = Math.max(last(played, at), 0);
  return changes[i] + at - played[i];
};

// ---- showing a moment

/** Collects the text of a message, and its elements, with the number of visible characters before each. */
function read(part) {
  const words = part.el.querySelector('.words');
  part.nodes = [];
  part.elements = [];
  part.words = words;
  part.caret = document.createElement('i');
  part.caret.className = 'caret';
  if (!words) return;
  const walker = document.createTreeWalker(words, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  let before = 0;
  for (let node; (node = walker.nextNode());) {
    if (node.nodeType === Node.ELEMENT_NODE) {
      part.elements.push({node, before});
    } else {
      part.nodes.push({node, text: node.data, before});
      before += visible(node.data);
    }
  }
}

/** Returns the beginning of a text with this many visible characters. */
function head(text, count) {
  let at = 0;
  for (; count > 0 && at < text.length; at++) if (text.charCodeAt(at) > 32) count--;
  return text.slice(0, at);
}

function reveal(part, count) {
  if (!part.nodes) read(part);
  if (part.shown === count) return;
  part.shown = count;
  let latest = null;
  for (const {node, text, before} of part.nodes) {
    const shown = before >= count ? '' : head(text, count - before);
    if (node.data !== shown) node.data = shown;
    if (visible(shown)) latest = node;
  }
  for (const {node, before} of part.elements) node.hidden = before >= count;
  if (count === Infinity) part.caret.remove();
  else if (latest) latest.after(part.caret);
  else part.words?.prepend(part.caret);
}

/** Shows a part as it was at a time. */
function show(part, now) {
  const state = now < part.from ? COMING : now < part.to ? LIVE : WHOLE;
  if (part.state !== state) {
    if (part.state === LIVE && part.nodes) reveal(part, Infinity);
    part.el.hidden = state === COMING;
    part.el.classList.toggle('live', state === LIVE);
    part.state = state;
  }
  if (state === LIVE) reveal(part, part.count[last(part.at, now)] ?? 0);
}

// ---- where they stand: the drawing grows with the turns

const standing = [...document.querySelectorAll('.stand [data-x]')].map(figure => {
  const [first, step, end] = figure.dataset.x.split(' ').map(Number), svg = figure.querySelector('svg');
  // two conversations side by side have one each
  const within = figure.closest('section') ?? main;
  const own = turns.filter(part => within.contains(part.el) || !part.el.closest('.branches'));
  const drawn = [...svg.querySelectorAll('text, path')];
  const x = node => parseFloat(node.getAttribute('x') ?? node.getAttribute('d').slice(1));
  const ends = drawn.filter(node => x(node) >= end), marks = drawn.filter(node => node.matches('.f') && x(node) < end);
  return {marks, ends, width: svg.viewBox.baseVal.width, first, step, turns: own};
});

/** Shows the positions after the turns that are over at a time. */
function stand(now, whole) {
  for (const {marks, ends, width, first, step, turns} of standing) {
    const done = last(turns.map(part => part.to), now) + 1;
    const hidden = Math.max(100 - (first + done * step - 1) / width * 100, 0);
    for (const mark of marks) mark.style.clipPath = whole ? '' : `inset(0 ${hidden.toFixed(2)}% 0 0) view-box`;
    for (const end of ends) end.style.display = whole ? '' : 'none';
  }
}

let position = total, playing = false, following = true, then = 0;

function minutes(ms) {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Returns the latest turn that has begun. */
function current(now) {
  let turn;
  for (const part of turns) if (part.from <= now && (!turn || part.from >= turn.from)) turn = part;
  return turn;
}
/** Returns the number and the author of a message. */
const label = part => [...part.el.querySelector('h3').childNodes].filter(node => node.nodeName !== 'SPAN')
  .map(node => node.textContent.trim()).join(' ').trim();

function render() {
  const whole = position >= total, now = whole ? Infinity : toLogged(position);
  for (const part of parts) show(part, now);
  document.body.classList.toggle('past', !whole);
  stand(now, whole);
  range.value = position;
  bar.dataset.ms = whole ? end : now;
  bar.style.setProperty('--at', position / (total || 1));
  const turn = current(now), place = turn ? `${label(turn)}, ` : '';
  clock.textContent = `${minutes(position)} / ${minutes(total)}`;
  range.setAttribute('aria-valuetext', `${place}${minutes(position)} of ${minutes(total)}`);
  const play = button('play');
  play.classList.toggle('on', playing);
  play.setAttribute('aria-label', playing ? 'Pause' : 'Play');
}

function latest() {
  let part;
  for (const other of parts) if (other.state !== COMING && other.from !== outcome && (!part || other.from >= part.from)) part = other;
  return part;
}

/** Scrolls to the end of what is shown. */
function follow() {
  const part = latest();
  if (!part || !following) return;
  const rect = part.el.getBoundingClientRect(), room = bar.getBoundingClientRect().top - 24;
  const top = rect.bottom > room || rect.top < 0 ? rect.bottom - room : 0;
  // lanes may be wider than the screen
  const left = rect.right > innerWidth ? rect.right - innerWidth + 12 : Math.min(rect.left - 12, 0);
  if (top || left) scrollBy({top, left, behavior: 'instant'});
}

// ---- moving

function seek(at, follows = true) {
  position = Math.max(0, Math.min(at, total));
  if (follows) following = true;
  render();
  if (position < total) follow();
}

function play(on = !playing) {
  if (on && position >= total) {
    const turn = location.hash && parts.find(part => '#' + part.el.id === location.hash);
    position = turn ? toPlayed(turn.from) : 0;
  }
  playing = on;
  following = true;
  seek(position);
  then = performance.now();
  if (on) requestAnimationFrame(tick);
}

function tick(time) {
  if (!playing) return;
  const spoken = current(toLogged(position));
  position = Math.min(position + Math.max(time - then, 0) * speed.value, total);
  then = time;
  if (position >= total) playing = false;
  render();
  follow();
  if (spoken && spoken !== announced && spoken.state === WHOLE) announce(spoken, true);
  if (playing) requestAnimationFrame(tick);
}

let announced;
function announce(turn, words) {
  announced = turn;
  const text = words ? turn.el.querySelector('.words')?.textContent ?? '' : '';
  status.textContent = `${label(turn)} ${text}`;
}

/** Moves to the end of the next turn, or of the one before. */
function step(by) {
  const now = toLogged(position), ends = turns.map(turn => turn.to);
  let turn;
  if (by > 0) turn = turns[last(ends, now) + 1];
  else for (const other of turns) if (toPlayed(other.to) < position) turn = other;
  seek(turn ? toPlayed(turn.to) : by > 0 ? total : 0);
  if (turn) announce(turn, true);
}

/** Shows a part, even if that takes a jump, and scrolls to it. */
function go(part, block = 'start', behavior = calm.matches ? 'instant' : 'smooth') {
  if (part.state !== WHOLE) seek(toPlayed(part.to), false);
  following = false;
  part.el.scrollIntoView({block, behavior});
}

// ---- the score: who spoke when

// a judge may have no turn
const seats = [...document.querySelectorAll('.cast li')]
  .map((el, i) => ({className: el.className, name: el.querySelector('b').textContent, spoken: parts.filter(part => part.seat === i + 1)}))
  .filter(seat => seat.spoken.length);
for (const [i, seat] of seats.entries()) for (const part of seat.spoken) part.seat = i + 1;
const score = bar.querySelector('svg'), lanes = Math.max(seats.length, 1);
score.setAttribute('viewBox', `0 0 1000 ${lanes * LANE}`);
/** Adds a path of the score; one for all turns of a seat is far faster than one for each. */
function draw(className, d) {
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('class', className);
  path.setAttribute('d', d);
  score.append(path);
}
const x = ms => toPlayed(ms) / (total || 1) * 1000;
for (const [i, {className, spoken}] of seats.entries()) {
  const bars = spoken.filter(part => part.to > part.from).map(part => {
    const width = Math.max(x(part.to) - x(part.from) - 1, .5).toFixed(1);
    return `M${x(part.from).toFixed(1)} ${i * LANE + 1}h${width}v${LANE - 2}h-${width}z`;
  });
  draw(className, bars.join(''));
}
const moments = parts.filter(part => part.el.dataset.m && part.to === part.from && part.from !== outcome);
draw('moments', moments.map(part => `M${x(part.from).toFixed(1)} 0v${lanes * LANE}`).join(''));
bar.style.setProperty('--lanes', Math.min(lanes, 6));
range.max = total;

// ---- chapters

const chapters = $('#chapters');
for (const part of parts.filter(part => part.el.dataset.m).sort((a, b) => a.from - b.from)) {
  const item = document.createElement('li'), jump = document.createElement('button');
  const time = document.createElement('time'), kind = document.createElement('b');
  time.textContent = minutes(toPlayed(part.from));
  kind.textContent = part.el.dataset.m;
  const told = part.el.querySelector('.words')?.textContent.trim();
  const words = part.el.matches('article') ? `${label(part)}${told ? ': ' : ''}${told ?? ''}` : part.el.textContent;
  jump.append(time, kind, words.length > 90 ? words.slice(0, 89) + '…' : words.replace(/\s+/g, ' '));
  jump.onclick = () => { chapters.hidePopover(); go(part, 'center'); };
  item.append(jump);
  chapters.append(item);
}
bar.querySelector('[popovertarget]').hidden = !chapters.children.length;

// ---- lanes: a column per participant, turns at the same time side by side

function layLanes() {
  const byElement = new Map(parts.map(part => [part.el, part]));
  // two conversations side by side have columns of their own
  for (const whole of [main, ...document.querySelectorAll('.branches > section')]) {
    const heads = document.createElement('div');
    heads.className = 'heads';
    for (const seat of seats) {
      const name = document.createElement('b');
      name.className = seat.className;
      name.textContent = seat.name;
      heads.append(name);
    }
    for (const el of [whole, heads]) el.style.setProperty('--seats', lanes);
    if (whole === main) main.before(heads);
    else whole.insertBefore(heads, [...whole.children].find(el => byElement.has(el)) ?? null);
    let row = 0, until = -1, taken = new Set();
    for (const el of whole.children) {
      const part = byElement.get(el);
      if (!part?.seat || part.from >= until || taken.has(part.seat)) { row++; taken = new Set(); until = part?.seat ? part.to : -1; }
      if (part) taken.add(part.seat);
      el.style.gridRow = row;
      el.style.gridColumn = part?.seat || '1 / -1';
    }
  }
}
function toggleLanes() {
  if (!$('.heads')) layLanes();
  const on = document.body.classList.toggle('lanes');
  button('lanes').setAttribute('aria-pressed', on);
  if (position < total) { following = true; follow(); }
}

// ---- search

let matches = [], match = -1;
function mark() {
  if (!CSS.highlights) return;
  CSS.highlights.set('found', new Highlight(...matches));
  CSS.highlights.set('here', new Highlight(...matches.slice(match, match + 1)));
}
function find() {
  const words = search.value.trim().toLowerCase();
  matches = [];
  match = -1;
  if (words) {
    for (const part of parts) if (part.state === LIVE) reveal(part, Infinity);
    const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
    for (let node; (node = walker.nextNode()) && matches.length < 1000;) {
      const text = node.data.toLowerCase();
      if (text.length !== node.data.length) continue;
      for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + words.length)) {
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + words.length);
        matches.push(range);
      }
    }
    render();
  }
  found.textContent = words ? `${matches.length ? '' : 'no match'}${matches.length || ''}` : '';
  mark();
}
function nextMatch(by) {
  if (!matches.length) return;
  match = (match + by + matches.length) % matches.length;
  const within = matches[match].startContainer.parentElement;
  within.closest('details')?.setAttribute('open', '');
  go(parts.find(part => part.el.contains(within)), 'nearest', 'instant');
  scrollBy({top: matches[match].getBoundingClientRect().top - innerHeight / 2, behavior: 'instant'});
  found.textContent = `${match + 1} of ${matches.length}`;
  mark();
}

// ---- keys and pointers

const acts = {play: () => play(), back: () => step(-1), next: () => step(1), lanes: toggleLanes};
bar.addEventListener('click', event => acts[event.target.closest('[data-do]')?.dataset.do]?.());
range.addEventListener('input', () => seek(+range.value));
search.addEventListener('input', find);
search.addEventListener('keydown', event => {
  if (event.key === 'Enter') nextMatch(event.shiftKey ? -1 : 1);
  if (event.key === 'Escape') { search.value = ''; find(); search.blur(); }
});
addEventListener('keydown', event => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target === search) return;
  const on = event.target.closest?.('button, select, summary, a, [popover]');
  const faster = by => speed.selectedIndex = Math.max(0, Math.min(speed.selectedIndex + by, speed.length - 1));
  const keys = {
    ArrowLeft: () => step(-1), ArrowRight: () => step(1), '/': () => search.focus(), l: () => button('lanes').hidden || toggleLanes(),
    c: () => chapters.children.length && chapters.togglePopover(), '+': () => faster(1), '-': () => faster(-1),
  };
  if (!on) keys[' '] = () => play();
  if (position < total) Object.assign(keys, {Home: () => seek(0), End: () => seek(total)});
  if (!keys[event.key] || (on && on.matches('select'))) return;
  event.preventDefault();
  keys[event.key]();
});
const look = () => { following = false; };
addEventListener('wheel', look, {passive: true});
addEventListener('touchmove', event => { if (!bar.contains(event.target)) look(); }, {passive: true});
addEventListener('hashchange', () => {
  const part = parts.find(part => '#' + part.el.id === location.hash);
  if (part) go(part, 'start', 'instant');
});
let before;
addEventListener('beforeprint', () => { before = position; playing = false; seek(total); });
addEventListener('afterprint', () => { position = before; render(); });

render();
})();
