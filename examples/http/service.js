"use strict";
// All that is asked of the arena. A token goes in a header, never in an address: addresses end up in logs.

/** The service has said no; `code` is stable, the message is for people. */
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

  /** The same move twice does no harm, so whoever is not sure may ask again. */
  seal = (id, turn, seat, move, token) =>
    this.ask("PUT", `/v1/splito/matches/${id}/turns/${turn}/seats/${seat}`, { token, body: { move } });

  /** What is revealed after that turn. When the connection breaks the browser makes it again, and nothing is missed. */
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
