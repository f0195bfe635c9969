// The HTTP server and client of a bot, with no dependency but Node.js: the arena calls the bot, or the bot polls the arena.
//
// The arena signs its requests by Standard Webhooks (https://www.standardwebhooks.com). If `SPLITO_BOT_SECRET` is set, the
// server refuses requests that the arena has not signed, that are too old, or that have come before.

import { createHmac, createPublicKey, timingSafeEqual, verify as verifySignature } from "node:crypto";
import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

const TOLERANCE = 300; // seconds by which the clocks of the arena and of the bot may differ
const MAX_BODY = 16 * 1024 * 1024;
const MAX_DEBUG = 1024; // bytes
const REMEMBERED = 1024; // number of answers that are kept for repeated asks
const MAX_SEEN = 1_000_000; // number of request ids that are kept to refuse replays
const WAIT = 25; // seconds of one long poll
const PAUSES = [500, 1000, 2000, 4000, 8000, 16000, 30000]; // milliseconds before each next try
const MOST_CORRECTIONS = 8;
const FINAL = ["already-answered", "out-of-time"]; // codes after which no other answer can be accepted
const SHAPES = {
  "webhook-id": /^[A-Za-z0-9_-]{1,128}$/,
  "webhook-timestamp": /^[0-9]{1,12}$/,
  "webhook-signature": /^[!-~]+( [!-~]+){0,15}$/,
};
const ED25519 = Buffer.from("302a300506032b6570032100", "hex"); // DER prefix of the 32 bytes of a public key

/** The refusal of a request. */
export class Refusal extends Error {
  constructor(status, code, detail, headers = {}) {
    super(detail);
    Object.assign(this, { status, code, headers });
  }
}

const unauthorised = (code, detail) => new Refusal(401, code, detail);

/** Returns the bytes of a secret (`whsec_` and base64) or of a public key (`whpk_` and base64). */
export function readKey(text, prefix = "whsec_", shortest = 24, longest = 64) {
  const base64 = text.startsWith(prefix) ? text.slice(prefix.length) : "";
  const bytes = Buffer.from(base64, "base64");
  if (bytes.toString("base64") !== base64 || bytes.length < shortest || bytes.length > longest)
    throw new Error(`write it as ${prefix} and ${shortest} to ${longest} bytes in base64`);
  return bytes;
}

const hmac = (secret, content) => createHmac("sha256", readKey(secret)).update(content).digest("base64");

/** Returns the answer to a challenge, which proves that the bot knows the secret without showing it. */
export const meetChallenge = (secret, challenge) => hmac(secret, `splito-challenge.${challenge}`);

function same(ours, theirs) {
  const [a, b] = [Buffer.from(ours), Buffer.from(theirs)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function isByKey(publicKey, content, signature) {
  const der = Buffer.concat([ED25519, readKey(publicKey, "whpk_", 32, 32)]);
  const key = createPublicKey({ key: der, format: "der", type: "spki" });
  return verifySignature(null, content, key, Buffer.from(signature, "base64"));
}

/**
 * Returns the id of a request that the arena has signed; throws a `Refusal` otherwise. `now` is in seconds. The id of the
 * request begins with the id of its bot. A public key is the same for all bots, so it needs `botId`.
 */
export function verify({ secrets = [], publicKey, botId }, headers, body, now) {
  for (const [name, shape] of Object.entries(SHAPES))
    if (!shape.test(headers[name] ?? ""))
      throw unauthorised("missing-header", `the header ${name} is missing or malformed: the sender must sign the request`);
  const [id, timestamp] = [headers["webhook-id"], headers["webhook-timestamp"]];
  if (Math.abs(now - Number(timestamp)) > TOLERANCE)
    throw unauthorised("stale-message", "the message is too old, or from the future: compare the clocks");
  const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
  const given = headers["webhook-signature"].split(" ");
  const right = publicKey
    ? given.some((one) => one.startsWith("v1a,") && isByKey(publicKey, content, one.slice(4)))
    : secrets.some((secret) => given.some((one) => same(`v1,${hmac(secret, content)}`, one)));
  if (!right) throw unauthorised("wrong-signature", "no signature was made with the secret of this bot");
  if ((publicKey || botId) && !(botId && id.startsWith(`${botId}_`)))
    throw unauthorised("wrong-recipient", "this request was signed for another bot: compare the id of this bot");
  return id;
}

/** The ids of received requests, kept as long as their signatures are valid. */
export class Seen {
  #came = new Map();

  admit(id, now) {
    for (const [old, when] of this.#came) {
      if (now - when <= 2 * TOLERANCE) break;
      this.#came.delete(old);
    }
    if (this.#came.has(id)) throw unauthorised("replayed", `${id} has come before`);
    if (this.#came.size >= MAX_SEEN) throw unauthorised("replayed", "too many requests to remember them all");
    this.#came.set(id, now);
  }
}

/** Calls `choose`. A repeated ask gets the same answer, unless that answer was rejected. */
class Answers {
  #choose;
  #kept = new Map();

  constructor(choose) {
    this.#choose = choose;
  }

  to(ask) {
    const content = JSON.stringify([ask.seed, ask.moves, ask.view]);
    const before = this.#kept.get(ask.id);
    if (before?.content === content && !ask.rejected) return before.answer;
    const answer = this.#think(ask);
    this.#kept.delete(ask.id);
    this.#kept.set(ask.id, { content, answer });
    if (this.#kept.size > REMEMBERED) this.#kept.delete(this.#kept.keys().next().value);
    answer.catch(() => this.#kept.delete(ask.id)); // so that the next try calls `choose` again
    return answer;
  }

  async #think(ask) {
    const said = await this.#choose(ask);
    const answer = said?.move === undefined && said?.index === undefined ? { move: said } : { ...said };
    if (answer.debug) answer.debug = Buffer.from(answer.debug).subarray(0, MAX_DEBUG).toString().replace(/\uFFFD+$/, "");
    const texts = ask.moves.map((move) => JSON.stringify(move));
    if (answer.index === undefined && !texts.includes(JSON.stringify(answer.move)))
      console.error(`illegal answer to ${ask.id}: ${JSON.stringify(answer.move)} is not one of ${texts.join(", ")}`);
    return { ask: ask.id, ...answer };
  }
}

/** Returns a server that does not listen yet. Without secrets and public key, it answers every client. */
export function createBot(
  info,
  choose,
  { secrets = [], publicKey, botId, clock = () => Date.now() / 1000, onStart, onEnd } = {},
) {
  secrets.forEach((secret) => readKey(secret));
  if (publicKey) readKey(publicKey, "whpk_", 32, 32);
  if (publicKey && !botId) throw new Error("a public key needs the id of the bot too: set SPLITO_BOT_ID");
  const [answers, seen] = [new Answers(choose), new Seen()];
  const told = { notices: Boolean(onStart || onEnd), ed25519: Boolean(publicKey), contract: 1, ...info };

  const routes = {
    info: ["GET", () => told],
    ask: ["POST", ({ message }) => answers.to(known(message))],
    batch: ["POST", ({ message }) => batch(message)],
    start: ["POST", async ({ message }) => (await onStart?.(message), {})],
    end: ["POST", async ({ message }) => (await onEnd?.(message), {})],
    challenge: ["POST", (request) => challenge(request)],
  };

  function known(ask) {
    if (typeof ask?.id !== "string" || !Array.isArray(ask.moves)) throw new Refusal(400, "bad-request", "the body is not an ask");
    if (!told.games.includes(ask.game)) throw new Refusal(400, "unknown-game", `this bot does not play ${ask.game}`);
    return ask;
  }

  async function batch({ asks }) {
    if (!Array.isArray(asks) || asks.length > (told.batch ?? 0))
      throw new Refusal(400, "too-many", `this bot takes at most ${told.batch ?? 0} asks in one request`);
    const settled = await Promise.allSettled(asks.map((ask) => answers.to(known(ask))));
    settled.filter(({ reason }) => reason).forEach(({ reason }) => console.error(reason));
    return { answers: settled.filter(({ value }) => value).map(({ value }) => value) };
  }

  function challenge({ headers, body, message }) {
    if (!secrets.length) throw new Refusal(409, "no-secret", "this bot has no secret: set SPLITO_BOT_SECRET");
    const signer = secrets.find((secret) => {
      try {
        return verify({ secrets: [secret] }, headers, body, clock());
      } catch {
        return false;
      }
    });
    return { answer: meetChallenge(signer ?? secrets[0], message.challenge) };
  }

  function admit(headers, body) {
    if (secrets.length || publicKey) seen.admit(verify({ secrets, publicKey, botId }, headers, body, clock()), clock());
  }

  async function answer(request) {
    const name = new URL(request.url, "http://bot").pathname.split("/").at(-1);
    if (!Object.hasOwn(routes, name)) throw new Refusal(404, "not-found", `there is nothing at ${request.url}`);
    const [method, handle] = routes[name];
    if (request.method !== method) throw new Refusal(405, "not-allowed", `use ${method}`, { Allow: method });
    const { headers } = request;
    const body = await read(request);
    admit(headers, body);
    if (method === "GET") return handle();
    if (!/^application\/json\s*(;|$)/i.test(headers["content-type"] ?? "") || headers["content-encoding"])
      throw new Refusal(415, "bad-type", "send application/json, without any Content-Encoding");
    return handle({ headers, body, message: parse(body) });
  }

  return createServer({ keepAliveTimeout: 75_000 }, async (request, response) => {
    try {
      send(response, 200, "application/json", await answer(request));
    } catch (error) {
      if (!(error instanceof Refusal)) console.error(error);
      const { status = 500, code = "crashed", message, headers } = error instanceof Refusal ? error : { message: String(error) };
      const problem = { type: "about:blank", title: code, status, detail: message, code };
      send(response, status, "application/problem+json", problem, headers);
    }
  });
}

async function read(request) {
  const parts = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size <= MAX_BODY) parts.push(part); // read the rest without keeping it, so that the client gets the refusal
  }
  if (size > MAX_BODY) throw new Refusal(413, "too-large", `a body has at most ${MAX_BODY} bytes`);
  return Buffer.concat(parts);
}

function parse(body) {
  try {
    const message = JSON.parse(body);
    if (message === null || typeof message !== "object") throw new SyntaxError("an object was expected");
    return message;
  } catch (error) {
    throw new Refusal(400, "bad-request", `the body does not follow the contract: ${error.message}`);
  }
}

function send(response, status, kind, message, headers = {}) {
  const body = Buffer.from(JSON.stringify(message));
  response.writeHead(status, { "Content-Type": kind, "Content-Length": body.length, ...headers }).end(body);
}

/**
 * Serves the bot until Ctrl-C or SIGTERM. Environment variables: HOST, PORT, SPLITO_BOT_SECRET, SPLITO_PUBLIC_KEY and
 * SPLITO_BOT_ID.
 */
export function serve(info, choose, options = {}) {
  const { HOST = "127.0.0.1", PORT = "8001", SPLITO_BOT_SECRET = "", SPLITO_BOT_ID, SPLITO_PUBLIC_KEY } = process.env;
  const secrets = SPLITO_BOT_SECRET.split(",").map((secret) => secret.trim()).filter(Boolean);
  const server = createBot(info, choose, { secrets, publicKey: SPLITO_PUBLIC_KEY, botId: SPLITO_BOT_ID, ...options });
  server.listen(Number(PORT), HOST, () => {
    console.error(`${info.name} ${info.version} listens at http://${HOST}:${server.address().port}; Ctrl-C stops it`);
    if (!secrets.length && !SPLITO_PUBLIC_KEY)
      console.error("WARNING: without SPLITO_BOT_SECRET the bot answers every client that reaches this address");
  });
  const stop = () => {
    server.close();
    server.closeIdleConnections();
  };
  process.once("SIGINT", stop).once("SIGTERM", stop);
  return server;
}

/** Polls the arena for asks, also from behind a router, until it is stopped or the arena refuses the bot. */
export async function connect(info, choose, { url, bot, key, stop }) {
  const [answers, { signal }] = [new Answers(choose), stop];

  async function call(method, path, body) {
    const headers = { Authorization: `Bearer ${key}`, ...(body && { "Content-Type": "application/json" }) };
    const response = await fetch(url.replace(/\/+$/, "") + path, { method, headers, body, signal: body ? undefined : signal });
    const said = await response.json().catch(() => ({}));
    if (response.ok) return said;
    const { code = "unreadable", detail = `${path} answered ${response.status}`, ...more } = said;
    const after = Number(response.headers.get("retry-after") ?? NaN) * 1000;
    throw Object.assign(new Refusal(response.status, code, detail), { more, after });
  }

  /** Repeats an attempt until it succeeds, or fails with an error that a repetition cannot correct. */
  async function persist(attempt, until = Infinity) {
    for (let tries = 0; ; tries++) {
      try {
        return await attempt();
      } catch (error) {
        const passes = !(error instanceof Refusal) || error.status >= 500 || error.status === 429;
        if (!passes || signal.aborted || Date.now() > until) throw error;
        const wait = error.after >= 0 ? error.after : PAUSES[Math.min(tries, PAUSES.length - 1)];
        console.error(`${error.cause?.message ?? error.message}; trying again in ${wait / 1000} s`);
        await pause(wait, undefined, { signal });
      }
    }
  }

  /** Sends an answer. Returns undefined if it was accepted, or the ask with the reason of its rejection. */
  async function handIn(ask, answer) {
    try {
      await call("PUT", `/v1/bot/${ask.game}/asks/${ask.id}`, answer);
    } catch (error) {
      const left = error.more?.milliseconds_left;
      if (error.status !== 409 || !left || FINAL.includes(error.code)) throw error;
      const rejected = { code: error.code, detail: error.message };
      return { ...ask, rejected, moves: error.more.legal_moves ?? ask.moves, time: { ...ask.time, allowed_ms: left } };
    }
  }

  async function persuade(ask) {
    const [said, until] = [new Set(), Date.now() + ask.time.allowed_ms];
    for (let again = ask; again; ) {
      const answer = JSON.stringify(await answers.to(again));
      if (said.has(answer) || said.size === MOST_CORRECTIONS) throw new Error("every answer was rejected");
      said.add(answer);
      const asked = again;
      again = await persist(() => handIn(asked, answer), until);
    }
  }

  async function work() {
    const path = `/v1/bot/asks?bot=${encodeURIComponent(bot)}&wait=${WAIT}&limit=1`;
    while (!signal.aborted) {
      const { asks } = await persist(() => call("GET", path));
      for (const ask of asks) await persuade(ask).catch((error) => console.error(`${ask.id}: ${error.stack}`));
    }
  }

  console.error(`${info.name} ${info.version} polls ${url} for asks; Ctrl-C stops it`);
  const working = Array.from({ length: info.concurrency ?? 1 }, work);
  await Promise.all(working).catch((error) => {
    if (signal.aborted) return;
    stop.abort(); // stops the other polls too
    throw error;
  });
}

/** The command line: `node bot.js` serves the bot; `node bot.js connect URL ID` connects, with the key in SPLITO_BOT_KEY. */
export async function run(info, choose) {
  const [command, url, bot] = process.argv.slice(2);
  if (command === undefined) return serve(info, choose);
  const { SPLITO_BOT_KEY: key } = process.env;
  if (command !== "connect" || !url || !bot || !key) {
    console.error("usage: node bot.js, or SPLITO_BOT_KEY=... node bot.js connect URL ID");
    process.exitCode = 2;
    return;
  }
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort()).once("SIGTERM", () => stop.abort());
  await connect(info, choose, { url, bot, key, stop }).catch((error) => {
    console.error(`the service refuses this bot: ${error.message}. Next: check the address, the id and the key.`);
    process.exitCode = 2;
  });
}
