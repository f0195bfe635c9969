// A bot in TypeScript. The compiler checks it against types made from the contract of bots.
import type { components, operations } from "./bot";

type Schemas = components["schemas"];
type Body<Name extends "answerAsk" | "answerBatch" | "noteStart"> =
  operations[Name]["requestBody"]["content"]["application/json"];
type Answer = operations["answerAsk"]["responses"][200]["content"]["application/json"];

export const info: Schemas["BotInfo"] = { name: "Marvin", author: "Ada", version: "1.2.0", games: ["splito"] };

export function choose(ask: Body<"answerAsk">): Answer {
  switch (ask.game) {
    case "splito":
      return { move: ask.moves.find((move) => move.side === "left"), nudge: ask.nudges[0] };
    case "splitit":
      return { index: ask.moves.findIndex((move) => move.do !== "bet"), ask: ask.id };
    case "splitter":
      return { move: ask.moves[ask.view.rounds_played % ask.moves.length], debug: ask.rejected?.detail };
  }
}

export function many(batch: Schemas["SplitoAsks"]): Schemas["SplitoAnswers"] {
  return { answers: batch.asks.map((ask) => ({ ask: ask.id, index: 0 })) };
}

export function talks(started: Body<"noteStart">): boolean {
  return started.game === "splito" && started.options.talk === true;
}

// @ts-expect-error: there is no such field
export const wrong: Answer = { indx: 0 };

// @ts-expect-error: a move of another game
export const other: Schemas["SplitterAnswer"] = { move: { card: "r4", side: "left" } };

// @ts-expect-error: a bot plays at least something
export const idle: Schemas["BotInfo"] = { name: "Marvin", author: "Ada", version: "1.2.0" };
