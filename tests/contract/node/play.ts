// A program for a browser or Node.js that plays a match of every game for two persons, beside a built-in bot. All types
// come from the contract; nothing is cast.
import type { components, paths } from "./service";

type Schemas = components["schemas"];

// The types of each game. `game` is a constant in them, so that a union of them narrows by it.
interface Games {
  splito: {
    wanted: Schemas["SplitoNewMatch"];
    created: Schemas["SplitoMatchCreated"];
    joined: Schemas["SplitoJoined"];
    match: Schemas["SplitoMatch"];
    decision: Schemas["SplitoDecision"];
    event: Schemas["SplitoMatchEvent"];
  };
  splitit: {
    wanted: Schemas["SplititNewMatch"];
    created: Schemas["SplititMatchCreated"];
    joined: Schemas["SplititJoined"];
    match: Schemas["SplititMatch"];
    decision: Schemas["SplititDecision"];
    event: Schemas["SplititMatchEvent"];
  };
  splitter: {
    wanted: Schemas["SplitterNewMatch"];
    created: Schemas["SplitterMatchCreated"];
    joined: Schemas["SplitterJoined"];
    match: Schemas["SplitterMatch"];
    decision: Schemas["SplitterDecision"];
    event: Schemas["SplitterMatchEvent"];
  };
}
type Game = keyof Games;
type AnyMatch = Games[Game]["match"];

export interface Played {
  game: Game;
  about: string;
  turns: number;
  moves: number;
  scores: number[][];
  winner: string;
}

interface Request {
  method?: "GET" | "POST" | "PUT";
  token?: string;
  body?: object;
}

// The address of a path of the contract.
function at(base: string, path: keyof paths, values: Record<string, string | number>): string {
  return base + path.replace(/\{(\w+)\}/g, (_, name: string) => `${values[name]}`);
}

async function send<Answer>(url: string, { method = "GET", token, body }: Request = {}): Promise<Answer> {
  const headers = new Headers({ "Content-Type": "application/json" });
  if (token !== undefined) headers.set("Authorization", `Bearer ${token}`);
  const response = await fetch(url, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
  if (!response.ok) {
    const problem: Schemas["Problem"] = await response.json();
    throw new Error(`${problem.code}: ${problem.detail}`);
  }
  return response.json();
}

// Server-sent events of a match, typed by the schema of an event. A browser would use `EventSource`.
async function* watch<G extends Game>(base: string, game: G, id: string): AsyncGenerator<Games[G]["event"]> {
  const response = await fetch(at(base, `/v1/${game}/matches/{match}/events`, { match: id }));
  if (response.body === null) throw new Error("no stream");
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += value;
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const fields = new Map<string, string>();
      for (const line of block.split("\n")) fields.set(line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2));
      const data = fields.get("data");
      if (data !== undefined) {
        const event: Games[G]["event"] = JSON.parse(
          `{"id": ${JSON.stringify(fields.get("id"))}, "event": ${JSON.stringify(fields.get("event"))}, "data": ${data}}`,
        );
        yield event;
      }
    }
  }
}

interface Followed {
  turns: number;
  moves: number;
  scores: number[][];
  names: string[];
}

async function follow(base: string, game: Game, id: string): Promise<Followed> {
  let turns = 0;
  let moves = 0;
  let names: string[] = [];
  for await (const event of watch(base, game, id)) {
    switch (event.event) {
      case "seats":
        names = event.data.seats.map((seat) => seat.name ?? seat.bot ?? "open");
        break;
      case "turn":
        turns = event.data.turn + 1;
        moves += event.data.moves.length;
        break;
      case "over":
        return { turns, moves, names, scores: event.data.scores };
    }
  }
  throw new Error("the stream ended before the match");
}

async function play<G extends Game>(
  base: string,
  game: G,
  wanted: Games[G]["wanted"],
  choose: (match: Games[G]["match"]) => Games[G]["decision"],
): Promise<Played> {
  const made = await send<Games[G]["created"]>(at(base, `/v1/${game}/matches`, {}), { method: "POST", body: wanted });
  const match = made.match.id;
  const followed = follow(base, game, match);
  const grace: Schemas["Joining"] = { name: "Grace" };
  const taken = at(base, `/v1/${game}/matches/{match}/seats`, { match });
  const joined = await send<Games[G]["joined"]>(taken, { method: "POST", body: grace });
  const seats = made.tokens.map((token, seat) => (seat === joined.seat ? joined.token : token));
  for (;;) {
    const turn = await actAll(base, game, match, seats, choose);
    if (turn === null) break;
    await send<Games[G]["match"]>(`${at(base, `/v1/${game}/matches/{match}`, { match })}?after=${turn}&wait=20`);
  }
  const { names, ...counted } = await followed;
  const ranked = counted.scores.map((points, seat) => ({ points, seat }));
  const [first] = ranked.sort((one, other) => compare(other.points, one.points));
  return { game, about: about(joined.match), ...counted, winner: names[first?.seat ?? 0] ?? "" };
}

// Seal a move for each person that has to act. Returns the turn, or null if the match is over.
async function actAll<G extends Game>(
  base: string,
  game: G,
  id: string,
  seats: (string | null)[],
  choose: (match: Games[G]["match"]) => Games[G]["decision"],
): Promise<number | null> {
  let seen: number | null = null;
  for (const [seat, token] of seats.entries()) {
    if (token === null) continue;
    const match = await send<Games[G]["match"]>(at(base, `/v1/${game}/matches/{match}`, { match: id }), { token });
    if (match.status === "over") return null;
    seen ??= match.turn;
    if (match.acting.includes(seat) && !match.sealed.includes(seat)) {
      const where = { match: id, turn: match.turn, seat };
      const url = at(base, `/v1/${game}/matches/{match}/turns/{turn}/seats/{seat}`, where);
      await send<Schemas["Sealed"]>(url, { method: "PUT", token, body: choose(match) });
    }
  }
  return seen;
}

function compare(one: number[], other: number[]): number {
  for (const [place, points] of one.entries()) {
    const difference = points - (other[place] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

// What a page would show: the union narrows by `game`, and each view has the fields of its game.
function about(match: AnyMatch): string {
  switch (match.game) {
    case "splito":
      return `commons ${match.view?.commons.join(" and ")}, zones ${match.view?.zones.length}`;
    case "splitit":
      return `row of ${match.view?.row.length}, seat ${match.view?.splitter} splits`;
    case "splitter":
      return `sheet ${match.view?.options.sheet}, roll ${match.view?.roll?.join(" and ")}`;
  }
}

// Play an Objective to the right and a card to the left.
function chooseCard(match: Schemas["SplitoMatch"]): Schemas["SplitoDecision"] {
  const side = (card: string): Schemas["SplitoMove"]["side"] => (card.includes("-") ? "right" : "left");
  return { move: legal(match.legal_moves, (move) => move.side === side(move.card)), nudge: match.nudges[0] };
}

function chooseZone(match: Schemas["SplititMatch"]): Schemas["SplititDecision"] {
  const wanted = (move: Schemas["SplititMove"]): boolean => {
    switch (move.do) {
      case "split":
        return move.left === 1 && move.right === 2;
      case "bet":
        return move.zone === (match.seat === 0 ? "black" : "pink");
      case "remove":
        return move.zone === "white";
      case "place":
        return move.column > 5;
    }
  };
  return { move: legal(match.legal_moves, wanted) };
}

// Write into the middle of the sheet first.
function chooseCells(match: Schemas["SplitterMatch"]): Schemas["SplitterDecision"] {
  const roll = match.view?.roll ?? [1, 1];
  return { move: legal(match.legal_moves, (move) => move.column === 4 && move.left === Math.max(...roll)) };
}

// The first wanted move; without one the first legal move, which is the default move.
function legal<Move>(moves: Move[], wanted: (move: Move) => boolean): Move {
  const move = moves.find(wanted) ?? moves[0];
  if (move === undefined) throw new Error("no legal move");
  return move;
}

export async function playAll(base: string): Promise<Played[]> {
  const ada: Schemas["NewSeat"] = { kind: "person", name: "Ada" };
  const seats: Schemas["NewSeat"][] = [ada, { kind: "open" }, { kind: "bot", bot: "greedy" }];
  return [
    await play(base, "splito", { seats, options: { talk: true } }, chooseCard),
    await play(base, "splitit", { seats, clock: { kind: "turn", seconds: 600 } }, chooseZone),
    await play(base, "splitter", { seats, options: { sheet: "B" }, listed: false }, chooseCells),
  ];
}
