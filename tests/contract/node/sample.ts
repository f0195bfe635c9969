// What a page or a bot in TypeScript writes. The compiler checks it against types made from the contract.
import type { components, operations, paths } from "./service";

type Schemas = components["schemas"];

export const wanted: Schemas["SplitoNewMatch"] = {
  seats: [{ kind: "person", name: "Ada" }, { kind: "bot", bot: "greedy" }, { kind: "open" }],
  clock: { kind: "turn", seconds: 60 },
};

export const move: Schemas["SplitoMove"] = { card: "r4", side: "left" };

// @ts-expect-error: there is no such side
export const wrong: Schemas["SplitoMove"] = { card: "r4", side: "top" };

// @ts-expect-error: a move of another game
export const other: Schemas["SplitterMove"] = move;

export const cut: Schemas["SplititDecision"] = { move: { do: "split", left: 2, right: 5 } };

export function what(move: Schemas["SplititDecision"]["move"]): string {
  return move.do === "bet" ? move.zone : move.do;
}

export function best(match: Schemas["SplitoMatch"]): number | undefined {
  return match.scores?.map((points) => points[0] ?? 0).reduce((one, other) => Math.max(one, other));
}

export function why(refusal: Schemas["SplitoMoveProblem"]): Schemas["SplitoMove"][] {
  return refusal.legal_moves ?? [];
}

export type Sealing = paths["/v1/splito/matches/{match}/turns/{turn}/seats/{seat}"]["put"];
export type Refused = operations["sealSplitoMove"]["responses"][409]["content"]["application/problem+json"];
export const refused: Refused = { type: "", title: "", status: 409, detail: "", code: "illegal-move" };

export const cup: Schemas["NewTournament"] = {
  name: "Cup",
  game: "splito",
  players: 3,
  options: { deals: 2 },
  format: { kind: "swiss", rounds: 5 },
  bots: ["planner", "greedy", "random"],
};

// @ts-expect-error: a swiss tournament is not doubled
export const mixed: Schemas["NewTournament"] = { ...cup, format: { kind: "swiss", double: true } };

export function leader(told: Schemas["TournamentProgress"]): string {
  const [first] = told.leaders;
  return first === undefined ? told.progress.state : `${first.name}: ${first.rating.low ?? "at most"} ${first.rating.high ?? "at least"} ${first.rating.mean ?? "unknown"}`;
}
