// A bot that collects the cards that the moons and stars of its zones count: a Splito score is left zone × right zone.

import { pathToFileURL } from "node:url";
import { run } from "./splito.js";

export const info = {
  name: "MY-BOT",
  author: "me",
  version: "1", // the ratings treat a new version as a new bot
  games: ["splito", "splitit", "splitter"],
  batch: 64,
  concurrency: 8,
};

/** Returns one of `ask.moves`, or `{ move, nudge, debug }`, or a promise of either. */
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

/** Returns the sign of the cards that an Objective counts: `r` for `moon-red`, `4` for `star-4`. */
const sign = (objective) => objective.slice(5).replace("black", "k")[0];

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) run(info, choose);
