// Collects what the moons and stars of both its zones count: in Splito the score is one zone times the other.

import { pathToFileURL } from "node:url";
import { run } from "./splito.js";

export const info = {
  name: "MY-BOT",
  author: "me",
  version: "1", // another one is another bot to the ratings
  games: ["splito", "splitit", "splitter"],
  batch: 64,
  concurrency: 8,
};

/** One of `ask.moves`, or `{ move, nudge, debug }`; a promise of it is fine too. */
export function choose(ask) {
  if (ask.game !== "splito") return ask.moves[parseInt(ask.seed.slice(0, 8), 16) % ask.moves.length];
  const worth = (move) => hope(ask, move, "left") * hope(ask, move, "right");
  return ask.moves.reduce((best, move) => (worth(move) > worth(best) ? move : best));
}

function hope({ view, seat }, move, side) {
  const zone = [...view.zones[view.seats[seat][side]], ...(move.side === side ? [move.card] : [])];
  const wanted = [...zone, ...view.commons].filter((card) => /^(moon|star)-/.test(card)).map(sign);
  const cards = zone.filter((card) => !card.includes("-"));
  return wanted.reduce((sum, sign) => sum + cards.filter((card) => card.includes(sign)).length, 1);
}

/** What a card must have to count: `moon-red` wants an `r`, `star-4` a `4`. */
const sign = (objective) => objective.slice(5).replace("black", "k")[0];

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) run(info, choose);
