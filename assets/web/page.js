// The page of a running conversation. All text of others becomes text nodes; nothing is parsed as HTML, and as XML only
// the drawing of the server.
"use strict";

const $ = (id) => document.getElementById(id);
const make = (name, className, text) => {
  const node = document.createElement(name);
  if (className) node.className = className;
  if (text) node.textContent = text;
  return node;
};
const WORDS = {
  running: "live", stepping: "one turn", pausing: "pausing", paused: "paused", waiting: "waiting",
  limit: "at its limit", ended: "ended", lost: "not running",
};
let table = null;
let me = { may: "watch", name: null, seat: null };
const said = new Map();

// ---- Markdown, as elements

function inline(into, text) {
  const pattern = /(`+)(.+?)\1|\*\*(.+?)\*\*|\*(?=\S)(.+?)\*|\[([^\][]{1,500})\]\((https?:\/\/[^\s)]+)\)/g;
  let from = 0;
  for (const found of text.matchAll(pattern)) {
    into.append(text.slice(from, found.index));
    from = found.index + found[0].length;
    const [, , code, strong, em, label, address] = found;
    if (code !== undefined) into.append(make("code", "", code));
    else if (strong !== undefined) inline(into.appendChild(make("strong")), strong);
    else if (em !== undefined) inline(into.appendChild(make("em")), em);
    else {
      const link = make("a", "", label);
      link.href = address;
      link.rel = "noopener noreferrer nofollow";
      link.target = "_blank";
      into.append(link);
    }
  }
  into.append(text.slice(from));
}

function lines(into, all) {
  all.forEach((line, n) => {
    if (n > 0) into.append(make("br"));
    inline(into, line);
  });
}

const ITEM = /^\s*(?:[-*+]|(\d+)[.)])\s+/;

function rendered(into, text) {
  const rows = text.split("\n");
  const blocks = [];
  let at = 0;
  const take = (fits) => {
    const from = at;
    while (at < rows.length && fits(rows[at])) at += 1;
    return rows.slice(from, at);
  };
  const starts = (row) => /^\s*(```|#{1,6} |> ?)/.test(row) || ITEM.test(row);
  while (at < rows.length) {
    const row = rows[at];
    if (!row.trim()) {
      at += 1;
    } else if (/^\s*```/.test(row)) {
      at += 1;
      const code = take((row) => !/^\s*```/.test(row)).join("\n");
      at += 1;
      const pre = make("pre");
      pre.append(make("code", "", code));
      blocks.push(pre);
    } else if (/^#{1,6} /.test(row)) {
      const heading = make("h3");
      inline(heading, row.replace(/^#+ /, ""));
      blocks.push(heading);
      at += 1;
    } else if (/^> ?/.test(row)) {
      const quote = make("blockquote");
      lines(quote, take((row) => /^> ?/.test(row)).map((row) => row.replace(/^> ?/, "")));
      blocks.push(quote);
    } else if (ITEM.test(row)) {
      const first = row.match(ITEM)[1];
      const list = make(first ? "ol" : "ul");
      if (first) list.start = Number(first);
      for (const item of take((row) => ITEM.test(row) || /^\s{2,}\S/.test(row))) {
        if (ITEM.test(item)) inline(list.appendChild(make("li")), item.replace(ITEM, ""));
        else list.lastChild.append(make("br"), item.trim());
      }
      blocks.push(list);
    } else {
      const paragraph = make("p");
      const first = at;
      lines(paragraph, take((row) => row.trim() && (!starts(row) || row === rows[first])));
      if (at === first) at += 1;
      blocks.push(paragraph);
    }
  }
  into.replaceChildren(...blocks);
}

// ---- rows

const colour = (seat) => (seat === undefined || seat === null ? "op" : `s${(seat % 8) + 1}`);

function headed(node, row) {
  const own = row.who === me.name || (me.may === "speak" && row.seat === me.seat);
  const head = make("h2", "", own ? `${row.who} (you)` : row.who);
  if (row.about) head.append(make("small", "", row.about));
  if (row.number) head.append(make("small", "place", `#${row.number}`));
  node.append(head);
}

function rowNode(row) {
  if (row.kind === "note") return make("p", "note", row.text);
  const node = make("article", `${row.kind} ${row.kind === "card" ? "" : colour(row.seat)}`);
  node.classList.toggle("private", Boolean(row.private));
  node.classList.toggle("hidden", Boolean(row.hidden));
  headed(node, row);
  const text = node.appendChild(make("div", "text"));
  if (row.hidden) text.textContent = "hidden";
  else rendered(text, row.text ?? "");
  for (const [to, words] of row.whispers ?? []) {
    const whisper = node.appendChild(make("div", "whisper"));
    whisper.append(make("small", "", `whispers to ${to}`), words);
  }
  return node;
}

function showRow(row) {
  const node = rowNode(row);
  node.dataset.id = row.id;
  const log = $("log");
  let after = log.lastElementChild;
  while (after && Number(after.dataset.id) > row.id) after = after.previousElementSibling;
  if (after && Number(after.dataset.id) === row.id) after.replaceWith(node);
  else if (after) after.after(node);
  else log.prepend(node);
  if (loaded && !said.has(row.id)) node.classList.add("fresh");
  // short turns stay visible, long ones do not take all
  if (row.kind !== "note" && row.kind !== "card") spoken.set(row.id, { seat: row.seat, size: row.kind === "host" ? 2 : Math.sqrt((row.text ?? "").length + 40) });
}

// ---- lanes: who spoke when, in the order of the turns

const spoken = new Map();
const LANE = 10;
let drawn = "";

function showLanes() {
  const turns = [...spoken].sort(([a], [b]) => a - b).map(([id, turn]) => ({ id, ...turn }));
  for (const turn of table?.speaking ?? []) {
    if (turn.seat !== null) turns.push({ id: turn.id, seat: turn.seat, size: Math.sqrt((said.get(turn.id) ?? "").length + 40), now: true });
  }
  const count = table?.seats.length ?? 0;
  $("lanes").hidden = turns.length < 2;
  const total = turns.reduce((sum, { size }) => sum + size, 0);
  const key = `${count} ${turns.length} ${Math.round(total)} ${spoken.size}`;
  if (key === drawn) return;
  drawn = key;
  const paths = new Map();
  let at = 0;
  $("lanes").turns = turns.map(({ id, seat, size, now }) => {
    const [from, to] = [(at / total) * 1000, ((at + size) / total) * 1000];
    at += size;
    const host = seat === undefined || seat === null;
    const [top, height] = host ? [0, count * LANE] : [seat * LANE + 1.5, LANE - 3];
    const name = `${colour(seat)}${host ? " moment" : ""}${now ? " now" : ""}`;
    const width = host ? 2 : Math.max(to - from - 3, 2);
    paths.set(name, `${paths.get(name) ?? ""}M${from.toFixed(1)} ${top}h${width.toFixed(1)}v${height}h-${width.toFixed(1)}z`);
    return { id, to };
  });
  const svg = $("lanes").firstElementChild;
  svg.setAttribute("viewBox", `0 0 1000 ${Math.max(count, 1) * LANE}`);
  $("lanes").style.setProperty("--lanes", Math.min(count, 12));
  svg.replaceChildren(...[...paths].map(([name, d]) => {
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("class", name);
    path.setAttribute("d", d);
    return path;
  }));
}

function goTo({ clientX }) {
  const { left, width } = $("lanes").firstElementChild.getBoundingClientRect();
  const at = ((clientX - left) / width) * 1000;
  const turn = $("lanes").turns?.find(({ to }) => at <= to) ?? $("lanes").turns?.at(-1);
  const node = turn && document.querySelector(`main [data-id="${turn.id}"]`);
  if (!node) return;
  follows = false;
  node.scrollIntoView({ block: "start" });
  node.classList.remove("found");
  requestAnimationFrame(() => node.classList.add("found"));
}

function showNow() {
  const now = $("now");
  const speaking = table?.speaking ?? [];
  const ids = new Set(speaking.map((turn) => String(turn.id)));
  for (const node of [...now.children]) if (!ids.has(node.dataset.id)) node.remove();
  for (const turn of speaking) {
    let node = [...now.children].find((node) => node.dataset.id === String(turn.id));
    if (!node) {
      node = make("article", `turn ${colour(turn.seat)}`);
      node.dataset.id = turn.id;
      headed(node, turn);
      node.append(make("div", "text"), make("p", "wait"));
      now.append(node);
    }
    const text = said.get(turn.id) ?? "";
    const wait = node.querySelector(".wait");
    wait.hidden = Boolean(text);
    const person = table.floor.some((floor) => floor.seat === turn.seat);
    wait.textContent = person ? "has the floor" : turn.late ? "speaks; the text comes at the end" : "…";
    if (node.said !== text) {
      node.said = text;
      rendered(node.querySelector(".text"), text);
    }
  }
}

// ---- the drawing of positions, for wide and for narrow windows; after the end the poster, below the transcript

function showDrawing(drawing) {
  const parse = (text) => document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
  $("stand").replaceChildren(...drawing.map(parse));
  $("stand").hidden = false;
}

// ---- table

function showAsks() {
  $("asks").replaceChildren(...(table.asks ?? []).map(({ seat, who, tool, what }) => {
    const card = make("article", `ask ${colour(seat)}`);
    card.append(make("h2", "", `${who} asks to use ${tool}`), make("pre", "", what));
    card.append(make("p", "", "Allow or refuse it at the terminal: colloquium attach"));
    return card;
  }));
}

function showSeats() {
  const next = table.state === "ended" ? -1 : table.next[0];
  const nodes = table.seats.map((seat, n) => {
    const chip = make(me.may === "steer" && !seat.gone ? "button" : "div", `seat ${colour(n)}`);
    chip.append(make("b", "", seat.name));
    const doing = seat.state || (n === next ? "next" : "");
    if (doing) chip.append(make("i", "", doing));
    if (seat.role) chip.append(make("span", "role", seat.role));
    chip.classList.toggle("busy", Boolean(seat.state) && !["left", "muted"].includes(seat.state));
    chip.classList.toggle("away", ["left", "muted"].includes(seat.state));
    if (chip.tagName === "BUTTON") {
      chip.type = "button";
      chip.addEventListener("click", () => openSeat(n));
    }
    const item = make("li");
    item.hidden = seat.template;
    item.append(chip);
    return item;
  });
  const focused = [...$("seats").children].findIndex((item) => item.contains(document.activeElement));
  $("seats").replaceChildren(...nodes);
  nodes[focused]?.firstElementChild.focus();
}

function showTable() {
  const { title, topic, state, why, turns, of, seats, next } = table;
  document.title = `${state === "running" ? "" : `(${WORDS[state]}) `}${title}`;
  $("title").textContent = title;
  $("topic").textContent = topic ?? "";
  $("topic").hidden = !topic;
  $("rehearsed").hidden = !table.rehearsed;
  $("state").className = state;
  $("word").textContent = WORDS[state] ?? state;
  $("turns").textContent = of ? `turn ${Math.min(turns + Number(table.speaking.length > 0), of)} of ${of}` : `${turns} turns`;
  showSeats();
  const names = next.map((n) => seats[n].name);
  const more = names.length && !["ended", "lost", "limit"].includes(state) ? `next: ${names.join(", ")}` : "";
  $("next").textContent = [state === "ended" ? "" : why, more].filter(Boolean).join(" · ");
  showAsks();
  if (me.may === "steer") showSteer();
  if (me.may === "speak") showSpeak();
}

function option(value, text) {
  const node = make("option", "", text);
  node.value = value;
  return node;
}

function showSteer() {
  const { state, seats, floor, queued } = table;
  const held = ["paused", "pausing"].includes(state);
  const full = state === "limit" && table.of !== null && table.turns >= table.of;
  $("pause").textContent = full ? "Another round" : held ? "Go on" : "Pause";
  const off = state === "ended" || state === "lost";
  for (const button of document.querySelectorAll("footer button")) button.disabled = off;
  $("pause").hidden = state === "limit" && !full;
  $("step").hidden = $("skip").hidden = state === "limit";
  $("end").hidden = !held && state !== "limit";
  const how = $("how");
  const before = how.value;
  const person = floor.find((floor) => !floor.link);
  const options = [option("say", "to everyone, after this turn"), option("cut_in", "to everyone, now: stops the speaker")];
  if (person) options.unshift(option(`speak ${person.id}`, `as ${person.name}, who has the floor`));
  showChoices(person);
  for (const seat of seats.filter((seat) => !seat.gone && !seat.template && seat.id !== person?.id)) options.push(option(`whisper ${seat.id}`, `whisper to ${seat.name}`));
  const key = options.map((node) => node.value + node.textContent).join("\n");
  if (how.dataset.key !== key) {
    how.dataset.key = key;
    how.replaceChildren(...options);
    const kept = options.some((node) => node.value === before);
    how.value = kept && !(person && before === "say") ? before : options[0].value;
  }
  showHow();
  // the list says it better, and after that the conversation does
  if (DONE[told] && (told !== "queued" || queued.length === 0)) tell("");
  $("queued").replaceChildren(...queued.map((one) => {
    const item = make("li");
    item.append(make("b", "", one.do.replace("_", " ")), ` ${one.to ? `${one.to} ` : ""}${one.text}`);
    return item;
  }));
}

function showChoices(floor) {
  const options = floor?.options ?? [];
  $("choices").hidden = options.length === 0;
  if ($("choices").dataset.key === options.join("\n")) return;
  $("choices").dataset.key = options.join("\n");
  $("choices").replaceChildren(...options.map((text) => {
    const button = make("button", "", text);
    button.type = "button";
    button.addEventListener("click", () => command({ do: "speak", who: floor.id, text }));
    return button;
  }));
}

// the page of a person who takes part by a link

function showSpeak() {
  const own = table.seats[me.seat];
  const floor = table.floor.find((floor) => floor.seat === me.seat);
  const over = ["ended", "lost"].includes(table.state);
  for (const id of ["how", "pause", "step", "skip", "vote", "end"]) $(id).hidden = true;
  $("pass").hidden = !floor;
  $("pass").disabled = $("send").disabled = over || !floor;
  $("turn").hidden = !floor || over;
  $("turn").className = colour(me.seat);
  $("turn").textContent = floor?.options.length ? `Your vote, ${own.name}` : `Your turn, ${own.name}`;
  $("text").placeholder = floor ? "Write your turn…" : over ? "" : "Write; you can send it when it is your turn…";
  document.querySelector(".box").classList.toggle("yours", Boolean(floor));
  showChoices(floor);
  if (floor && !over) document.title = `(your turn) ${table.title}`;
  if (DONE[told] && !floor) tell("");
}

function showHow() {
  const how = $("how").value.split(" ")[0];
  const box = document.querySelector(".box");
  box.classList.toggle("now", how === "cut_in");
  box.classList.toggle("secret", how === "whisper");
  const to = $("how").selectedOptions[0]?.textContent ?? "";
  $("text").placeholder = how === "say" ? "Say something to everyone…" : how === "cut_in" ? "Cut in…" : `${to[0]?.toUpperCase() ?? ""}${to.slice(1)}…`;
}

// ---- commands

async function send(path, body) {
  const response = await fetch(path, {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), credentials: "same-origin",
  });
  const reply = await response.json().catch(() => ({}));
  return { ok: response.ok, ...reply };
}

let told = "";

function tell(text, bad, outcome) {
  told = outcome ?? "";
  $("told").textContent = text;
  $("told").classList.toggle("bad", Boolean(bad));
}

const DONE = { queued: "queued: after this turn", delivered: "delivered", done: "done", sent: "sent" };

async function command(line) {
  tell("…");
  const { ok, is, why, by, error } = await send("steer", line).catch(() => ({ error: "no connection" }));
  if (by) me.name = by;
  if (ok) tell(DONE[is] ?? is, false, is);
  else tell(error ?? `${(is ?? "refused").replace("_", " ")}${why ? `: ${why}` : ""}`, true);
  return Boolean(ok);
}

async function submit() {
  const text = $("text").value.trim();
  if (!text) return;
  if ($("send").disabled) {
    tell("it is not your turn yet");
    return;
  }
  const [how, who] = me.may === "speak" ? ["speak", table.seats[me.seat].id] : $("how").value.split(" ");
  const line = { do: how, text };
  if (how === "whisper") line.to = who;
  if (how === "speak") line.who = who;
  $("text").value = "";
  grow();
  if (await command(line)) {
    if (how === "cut_in" || how === "whisper") $("how").value = "say";
    if (me.may === "steer") showHow();
  } else if (!$("text").value) {
    $("text").value = text;
    grow();
  }
}

function grow() {
  const box = $("text");
  box.style.height = "auto";
  box.style.height = `${box.scrollHeight}px`;
  foot();
}

let chosen = null;

function openSeat(n) {
  chosen = table.seats[n];
  $("seat").className = colour(n);
  $("seat-name").textContent = chosen.name;
  $("seat-role").textContent = chosen.role ?? "";
  $("seat-mute").textContent = chosen.state === "muted" ? "Unmute" : "Mute";
  $("seat").returnValue = "";
  $("seat").showModal();
}

function listen() {
  $("line").addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  $("text").addEventListener("input", grow);
  $("text").addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    // a whisper, or a turn of a participant, stops nobody
    if ((event.ctrlKey || event.metaKey) && me.may === "steer" && $("how").value === "say") $("how").value = "cut_in";
    submit();
  });
  $("how").addEventListener("change", () => {
    showHow();
    $("text").focus();
  });
  $("pause").addEventListener("click", () => {
    const { state, of, seats } = table;
    if (state === "limit") command({ do: "limit", set: { utterances: of + seats.filter((seat) => !seat.gone && !seat.template).length } });
    else command({ do: ["paused", "pausing"].includes(state) ? "resume" : "pause" });
  });
  $("pass").addEventListener("click", () => command({ do: "pass", who: table.seats[me.seat].id }));
  $("lanes").addEventListener("click", goTo);
  $("end").addEventListener("click", () => command({ do: "end" }));
  $("step").addEventListener("click", () => command({ do: "step", n: 1 }));
  $("skip").addEventListener("click", () => command({ do: "skip" }));
  $("vote").addEventListener("click", () => {
    $("ballot").returnValue = "";
    $("ballot").showModal();
  });
  $("ballot").addEventListener("close", () => {
    const question = $("question").value.trim();
    if ($("ballot").returnValue !== "vote" || !question) return;
    const options = $("options").value.split(",").map((one) => one.trim()).filter(Boolean);
    command(options.length ? { do: "vote", question, options } : { do: "vote", question });
    $("question").value = $("options").value = "";
  });
  $("seat").addEventListener("close", () => {
    const { id, state } = chosen;
    switch ($("seat").returnValue) {
      case "floor": command({ do: "floor", to: id }); break;
      case "mute": command({ do: state === "muted" ? "unmute" : "mute", who: id }); break;
      case "whisper":
        $("how").value = `whisper ${id}`;
        showHow();
        $("text").focus();
        break;
    }
  });
  new ResizeObserver(foot).observe($("steer"));
}

// ---- scrolling: the page follows the newest text until the reader scrolls up

let follows = true;
let loaded = false;

const scroller = $("main");
const atEnd = () => scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop < 80;

function foot() {
  document.documentElement.style.setProperty("--foot", `${$("steer").offsetHeight}px`);
}

function follow() {
  if (follows) scroller.scrollTop = scroller.scrollHeight;
  $("down").hidden = follows;
}

scroller.addEventListener("scroll", () => {
  follows = atEnd();
  $("down").hidden = follows;
}, { passive: true });
$("down").addEventListener("click", () => {
  follows = true;
  follow();
});

// ---- connection

function apply(message) {
  if (message.reset) {
    $("log").replaceChildren();
    said.clear();
    spoken.clear();
  }
  for (const { id, text, more } of message.said ?? []) said.set(id, more ? (said.get(id) ?? "") + text : text);
  for (const row of message.rows ?? []) showRow(row);
  if (message.table) {
    table = message.table;
    const speaking = new Set(table.speaking.map((turn) => turn.id));
    for (const id of said.keys()) if (!speaking.has(id)) said.delete(id);
    showTable();
    const over = table.state === "ended";
    $("stand").classList.toggle("whole", over);
    if (over) $("log").after($("stand"));
    loaded = true;
  }
  if (message.drawing) showDrawing(message.drawing);
  plan();
}

let planned = false;

// many pieces between two frames are drawn once
function plan() {
  if (planned) return;
  planned = true;
  requestAnimationFrame(() => {
    planned = false;
    showNow();
    showLanes();
    follow();
  });
}

function shut(reason) {
  $("gate").hidden = false;
  $("reason").textContent = reason;
}

function connect() {
  const source = new EventSource("events");
  source.onmessage = (event) => apply(JSON.parse(event.data));
  source.onerror = () => {
    $("state").className = "lost";
    $("word").textContent = "reconnecting";
    // the browser retries a broken connection itself, but not a refusal
    if (source.readyState === EventSource.CLOSED) setTimeout(start, 3000);
  };
  source.onopen = () => {
    if (table) showTable();
  };
}

async function start() {
  const token = location.hash.slice(1);
  let entered;
  try {
    if (token) {
      entered = await send("enter", { token });
      // the token leaves the address bar and the history
      history.replaceState(null, "", location.pathname);
    } else {
      const response = await fetch("me", { credentials: "same-origin" });
      entered = { ok: response.ok, status: response.status, ...(await response.json()) };
    }
  } catch {
    $("word").textContent = "not reachable";
    setTimeout(start, 3000);
    return;
  }
  if (!entered.ok) {
    shut(entered.error ?? "the server refuses");
    return;
  }
  $("gate").hidden = true;
  me = entered;
  $("steer").hidden = me.may === "watch";
  connect();
}

listen();
start();
