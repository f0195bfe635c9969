// Tests of the bot: run `node --test`. They need no service: `asks.json` has asks of an arena.

import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { choose, info } from "./bot.js";
import { createBot, meetChallenge } from "./splito.js";

const { asks } = JSON.parse(readFileSync(new URL("asks.json", import.meta.url)));
const secret = `whsec_${randomBytes(32).toString("base64")}`;
const server = createBot(info, choose, { secrets: [secret] });
let url;

before(() => new Promise((ready) => server.listen(0, "127.0.0.1", ready)).then(() => {
  url = `http://127.0.0.1:${server.address().port}`;
}));
after(() => {
  server.close();
  server.closeAllConnections();
});

/** As the arena signs. */
function signed(body, id = randomBytes(12).toString("hex"), time = Math.floor(Date.now() / 1000)) {
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${time}.${body}`).digest("base64");
  const headers = { "webhook-id": id, "webhook-timestamp": String(time), "webhook-signature": `v1,${signature}` };
  return { headers: { ...headers, "Content-Type": "application/json" }, body: body || undefined };
}

const post = (path, message, ...when) => fetch(url + path, { method: "POST", ...signed(JSON.stringify(message), ...when) });

test("there is an ask of every game that the bot claims", () => {
  for (const game of info.games) assert.ok(asks.some((ask) => ask.game === game), game);
});

test("every ask gets one of its moves", () => {
  for (const ask of asks) assert.ok(ask.moves.includes(choose(ask)), ask.id);
});

test("it answers the arena over HTTP, and a repetition as before", async () => {
  for (const ask of asks) {
    const first = await (await post("/ask", ask)).json();
    const again = await (await post("/ask", ask)).json();
    assert.deepEqual(first, { ask: ask.id, move: choose(ask) });
    assert.deepEqual(again, first);
  }
});

test("it answers several at once", async () => {
  const { answers } = await (await post("/batch", { asks })).json();
  assert.deepEqual(answers.map((answer) => answer.ask), asks.map((ask) => ask.id));
});

test("it says who it is, and proves that it knows its secret", async () => {
  assert.equal((await (await fetch(`${url}/info`, signed(""))).json()).name, info.name);
  const { answer } = await (await post("/challenge", { challenge: "who?" })).json();
  assert.equal(answer, meetChallenge(secret, "who?"));
});

test("it refuses whoever is not the arena, is late, or comes twice", async () => {
  const code = async (response) => [response.status, (await response.json()).code];
  const unsigned = { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" };
  assert.deepEqual(await code(await fetch(`${url}/ask`, unsigned)), [401, "missing-header"]);
  const forged = signed("{}");
  assert.deepEqual(await code(await fetch(`${url}/ask`, { method: "POST", ...forged, body: '{"a":1}' })), [401, "wrong-signature"]);
  assert.deepEqual(await code(await post("/ask", asks[0], "old", Math.floor(Date.now() / 1000) - 301)), [401, "stale-message"]);
  assert.equal((await post("/ask", asks[0], "twice")).status, 200);
  assert.deepEqual(await code(await post("/ask", asks[0], "twice")), [401, "replayed"]);
});
