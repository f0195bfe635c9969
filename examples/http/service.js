"use strict";
// The requests to the service. Tokens go into a header, never into a URL, because URLs end up in logs.

/** A refusal of the service; `code` is stable, the message is for people. */
class Refused extends Error {
  constructor(problem) {
    super(problem.detail);
    this.code = problem.code;
  }
}

class Service {
  constructor(url) {
    this.url = url.replace(/\/+$/, "");
  }

  async ask(method, path, { token, body } = {}) {
    const headers = {};
    if (token) headers["Authorization"] = `Bearer ${token}`;
    if (body) headers["Content-Type"] = "application/json";
    const answer = await fetch(this.url + path, { method, headers, body: body && JSON.stringify(body) });
    const said = await answer.json();
    if (!answer.ok) throw new Refused(said);
    return said;
  }

  house = async () => (await this.ask("GET", "/v1/house")).bots;
  cards = async (lang) => (await this.ask("GET", `/v1/splito/cards?lang=${lang}`)).cards;
  create = (seats) => this.ask("POST", "/v1/splito/matches", { body: { seats } });
  match = (id, token) => this.ask("GET", `/v1/splito/matches/${id}`, { token });
  explain = (id, lang) => this.ask("GET", `/v1/splito/matches/${id}/explanation?lang=${lang}`);
  record = (id) => `${this.url}/v1/splito/matches/${id}/record`;

  /** Seals a move. The same move may be sent twice, so a client that lost the answer may repeat the request. */
  seal = (id, turn, seat, move, token) =>
    this.ask("PUT", `/v1/splito/matches/${id}/turns/${turn}/seats/${seat}`, { token, body: { move } });

  /** Streams the turns after this one. If the connection breaks, the browser reconnects and misses no event. */
  watch(id, after, { turn, seats, over, lost, found }) {
    const source = new EventSource(`${this.url}/v1/splito/matches/${id}/events?after=${after}`);
    source.addEventListener("turn", (event) => turn(JSON.parse(event.data)));
    source.addEventListener("seats", (event) => seats(JSON.parse(event.data)));
    source.addEventListener("over", (event) => {
      source.close();
      over(JSON.parse(event.data));
    });
    source.onerror = lost;
    source.onopen = found;
    return source;
  }
}
