"use strict";
// The table: draws the answers of the service as a page. Each change redraws the parts that it concerns.

const SUITS = { r: "red", b: "blue", y: "yellow", k: "black", g: "green", o: "orange" };
const KEPT = "splito-match"; // key of the session storage: a reload continues the match, closing the tab ends it

const $ = (id) => document.getElementById(id);
let lang = Object.keys(LANGUAGES).find((one) => navigator.language.startsWith(one)) ?? "en";
let service = null;
let mine = null; // { id, token }: id of the match, and token of our seat
let match = null; // the last view of our seat
let revealed = null; // the last revealed turn
let chosen = null; // our move in this turn, once it is sent
let texts = new Map(); // texts of the cards, by id
let source = null;

// Words and elements

const say = (word, values = {}) => WORDS[lang][word].replace(/{(\w+)}/g, (_, name) => values[name]);
const list = (items) => [items.slice(0, -1).join(", "), items.at(-1)].filter(Boolean).join(say("and"));

/** Creates an element. Texts from outside are set here, so they never become markup. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null));
  return element;
}

const fill = (id, ...children) => $(id).replaceChildren(...children.flat().filter((child) => child !== null));
const hidden = (text) => make("span", { class: "for-ears" }, text);
const heading = (text) => make("h2", {}, text);
const textOf = (card) => texts.get(card)?.text ?? card;

// Cards

const isNumber = (card) => /^[a-z]\d$/.test(card);

function face(card) {
  return isNumber(card) ? number(card) : objective(card);
}

/** Suits also differ by pattern and have a name, so players need not see colours. */
function number(card) {
  const marks = make("span", { "aria-hidden": "true" }, make("b", {}, card[1]), make("i", {}));
  return make("div", { class: `card number ${SUITS[card[0]]}` }, marks, make("span", { class: "text" }, textOf(card)));
}

function objective(card) {
  const points = texts.get(card)?.points ?? 0;
  const diamonds = make("span", { class: "diamonds", "aria-hidden": "true" }, Array.from({ length: points }, () => make("i")));
  const text = make("span", { class: "text" }, textOf(card));
  return make("div", { class: "card objective" }, text, diamonds, hidden(`, ${say("diamonds", { count: points })}`));
}

const cards = (ids, name) => make("ul", { class: name }, ids.map((card) => make("li", {}, face(card))));

// The table

const nameOf = (seat) => match.seats[seat].name;
const byPoints = (one, other) => one.map((points, place) => points - other[place]).find(Boolean) ?? 0;

function draw() {
  for (const element of document.querySelectorAll("[data-word]")) element.textContent = say(element.dataset.word);
  document.documentElement.lang = lang;
  $("start").hidden = match !== null;
  $("table").hidden = match === null;
  $("hand").hidden = match?.status === "over";
  if (match === null) return;
  const { seat, view } = match;
  const [left, right] = [(seat + view.players - 1) % view.players, (seat + 1) % view.players];
  drawPlayer("left-player", left);
  drawPlayer("right-player", right);
  drawZone("left-zone", "leftZone", view.seats[seat].left, [left]);
  drawZone("right-zone", "rightZone", view.seats[seat].right, [right]);
  drawZone("far-zone", "farZone", view.seats[left].left, [left, right]);
  fill("commons", heading(say("commons")), cards(view.commons, "cards"));
  drawLast();
  drawHand();
  drawStatus();
}

function drawPlayer(id, seat) {
  const { hand, hand_size: count } = match.view.seats[seat];
  const done = match.sealed.includes(seat);
  const open = $(id).querySelector("details")?.open ?? false;
  fill(id, heading(nameOf(seat)));
  if (match.status === "over") return;
  $(id).append(
    make("p", { class: done ? "state done" : "state" }, say(done ? "chosen" : "thinking")),
    make("div", { class: "backs", "aria-hidden": "true" }, Array.from({ length: count }, () => make("i"))),
    make("p", {}, say("cards", { count })),
  );
  if (hand?.length) $(id).append(make("details", { open }, make("summary", {}, say("known")), cards(hand, "cards small")));
}

/** Draws a zone: Objectives above, numbers below. Cards of the last turn are the last ones, and are highlighted. */
function drawZone(id, word, zone, others) {
  const held = match.view.zones[zone];
  const fresh = revealed?.moves.filter(({ seat, move }) => match.view.seats[seat][move.side] === zone).length ?? 0;
  const [wide, small] = [make("ul", { class: "cards wide" }), make("ul", { class: "cards small" })];
  for (const [place, card] of held.entries())
    (isNumber(card) ? small : wide).append(make("li", { class: place >= held.length - fresh ? "fresh" : null }, face(card)));
  const names = list(others.map(nameOf));
  fill(id, heading(say(word, { names })), held.length ? [wide, small] : make("p", { class: "empty" }, say("empty")));
}

function drawLast() {
  const lines = revealed?.moves.map(({ seat, move }) =>
    make("li", {}, make("b", {}, nameOf(seat)), " ", say(move.side === "left" ? "toLeft" : "toRight", { card: textOf(move.card) })),
  );
  fill("last", heading(say("last")), lines ? make("ul", {}, lines) : make("p", { class: "empty" }, say("empty")));
}

/** Draws each card of the hand with a button for each legal move, usually two, and keeps the keyboard focus. */
function drawHand() {
  const before = $("hand").contains(document.activeElement) ? document.activeElement : null;
  const held = match.view.seats[match.seat].hand;
  const items = held.map((card) => {
    const ours = match.legal_moves.filter((move) => move.card === card);
    return make("li", { class: chosen?.card === card ? "chosen" : null }, face(card), make("div", { class: "moves" }, ours.map(button)));
  });
  fill("hand", heading(say("hand")), make("ul", { class: "cards" }, items));
  if (before) focusHand(before.title);
}

function focusHand(title = "") {
  const buttons = [...$("hand").querySelectorAll("button:enabled")];
  (buttons.find((button) => button.title === title) ?? buttons[0] ?? $("hand")).focus();
}

function button(move) {
  const label = say(move.side === "left" ? "playLeft" : "playRight", { card: textOf(move.card) });
  const attributes = { class: move.side, "aria-label": label, title: label, disabled: chosen !== null };
  return make("button", { ...attributes, onclick: () => play(move) }, move.side === "left" ? "←" : "→");
}

function drawStatus() {
  const { view, status } = match;
  const rounds = view.rounds_played + view.seats[0].hand_size;
  $("round").textContent = say("round", { round: Math.min(view.rounds_played + 1, rounds), rounds });
  if (status === "over") return;
  const waiting = match.acting.filter((seat) => !match.sealed.includes(seat) && seat !== match.seat).map(nameOf);
  const sealed = waiting.length ? say("sealed", { names: list(waiting) }) : say("waiting");
  $("status").textContent = chosen === null ? say("choose") : sealed;
}

async function drawResult() {
  const { sections, totals } = await service.explain(mine.id, lang);
  const best = match.scores.toSorted(byPoints).at(-1);
  const winners = match.seats.filter((_, seat) => byPoints(match.scores[seat], best) === 0).map((seat) => seat.name);
  $("status").textContent = say(winners.length > 1 ? "shared" : "wins", { names: list(winners), points: best[0] });
  const rows = match.seats.map(({ name }, seat) =>
    make("tr", { class: winners.includes(name) ? "winner" : null },
      make("th", { scope: "row" }, name), make("td", { class: "points" }, `${match.scores[seat][0]}`), make("td", {}, totals[seat])),
  );
  const head = ["player", "points", "how"].map((word) => make("th", { scope: "col" }, say(word)));
  fill(
    "result",
    heading(say("scores")),
    make("table", {}, make("thead", {}, make("tr", {}, head)), make("tbody", {}, rows)),
    heading(say("zones")),
    make("div", { class: "sections" }, sections.map(drawSection)),
    make("p", {}, make("a", { href: service.record(mine.id) }, say("record"))),
    make("button", { onclick: forget }, say("again")),
  );
  $("result").hidden = false;
  $("result").focus();
}

function drawSection({ title, points, reasons }) {
  const lines = reasons.map(({ met, points: worth, text }) =>
    make("li", { class: met ? "met" : "missed" }, make("span", { "aria-hidden": "true" }, met ? `✓ ${worth}` : "✗"),
      hidden(`${say(met ? "met" : "missed")}: `), ` ${text}`),
  );
  return make("section", {}, make("h3", {}, `${title}: ${points}`), make("ul", {}, lines));
}

// Events

async function play(move) {
  chosen = move;
  draw();
  await attempt(async () => {
    await service.seal(mine.id, match.turn, match.seat, move, mine.token);
    await look();
  });
}

/** Reads the view of our seat. An answer that is older than the last one is ignored. */
async function look() {
  const seen = await service.match(mine.id, mine.token);
  if (match !== null && seen.turn < match.turn) return;
  if (seen.turn !== match?.turn) chosen = null;
  if (seen.sealed.includes(seen.seat)) chosen ??= {};
  match = seen;
  draw();
  if (match.status === "over") await drawResult();
}

function watch() {
  source?.close();
  source = service.watch(mine.id, Math.max(-1, match.turn - 2), {
    turn: (turn) => {
      revealed = turn;
      attempt(look);
    },
    seats: () => attempt(look),
    over: () => attempt(look),
    lost: () => ($("alert").textContent = say("lost")),
    found: () => ($("alert").textContent = ""),
  });
}

/** Shows an error; the player can then choose again. */
async function attempt(deed) {
  try {
    $("alert").textContent = "";
    await deed();
  } catch (error) {
    chosen = null;
    $("alert").textContent = error instanceof Refused ? error.message : say("unreachable", { url: service.url });
    draw();
  }
}

async function deal(event) {
  event.preventDefault();
  service = new Service($("url").value);
  await attempt(async () => {
    const bot = (id) => ({ kind: "bot", bot: $(id).value || undefined }); // undefined before the list of bots is loaded: the service then chooses
    const seats = [{ kind: "person", name: $("name").value }, bot("right-bot"), bot("left-bot")];
    const created = await service.create(seats);
    mine = { id: created.match.id, token: created.tokens[0], url: service.url };
    sessionStorage.setItem(KEPT, JSON.stringify(mine));
    await sitDown();
  });
}

async function sitDown() {
  await readCards();
  await look();
  focusHand();
  watch();
}

async function readCards() {
  texts = new Map((await service.cards(lang)).map((card) => [card.id, card]));
}

function forget() {
  source.close();
  sessionStorage.removeItem(KEPT);
  [mine, match, revealed, chosen] = [null, null, null, null];
  $("result").hidden = true;
  $("status").textContent = $("round").textContent = "";
  draw();
}

async function findBots() {
  service = new Service($("url").value);
  await attempt(async () => {
    const bots = await service.house();
    for (const [id, wish] of [["left-bot", "planner"], ["right-bot", "greedy"]])
      fill(id, bots.map((bot) => make("option", { selected: bot === wish }, bot)));
  });
}

async function changeLanguage() {
  lang = $("language").value;
  if (mine) await attempt(readCards);
  draw();
  if (match?.status === "over") await attempt(drawResult);
}

function begin() {
  fill("language", Object.entries(LANGUAGES).map(([one, name]) => make("option", { value: one, selected: one === lang }, name)));
  $("language").addEventListener("change", changeLanguage);
  $("url").value = new URLSearchParams(location.search).get("service") ?? $("url").value;
  $("url").addEventListener("change", findBots);
  $("start").addEventListener("submit", deal);
  mine = JSON.parse(sessionStorage.getItem(KEPT));
  draw();
  if (!mine) return findBots();
  $("url").value = mine.url;
  service = new Service(mine.url);
  attempt(sitDown);
}

begin();
