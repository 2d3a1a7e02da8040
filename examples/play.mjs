// Plays a whole game against bots over HTTP, without packages, in browsers and Node 18+.
//
//     node examples/play.mjs [http://127.0.0.1:8000 [RULESET [FILE]]]
//
// FILE stores the client's token, which the client generates itself. Started again with the same FILE,
// it resumes the same game. In a page, store the token in localStorage:
//
//     import { Client, newToken, play, joinGame } from "./play.mjs";
//     const client = new Client("https://bailli.example", (localStorage.token ??= newToken()));
//     const game = await joinGame(client);
//     for await (const text of play(client, game)) console.log(text);

const TRIES = 8;
const WAIT = 20; // seconds that a request may be held until there is something to return
const { webcrypto } = globalThis.crypto ? { webcrypto: globalThis.crypto } : await import("node:crypto");

function random(bytes) {
  const values = webcrypto.getRandomValues(new Uint8Array(bytes));
  return btoa(String.fromCharCode(...values)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
}

/** Returns a new token: whoever has it is the client. */
export function newToken() {
  return "bl_" + random(32);
}

/** A refused request; `problem` has `code`, `detail` and perhaps `rule`. */
export class Refused extends Error {
  constructor(problem) {
    super(`${problem.code}: ${problem.detail}`);
    this.problem = problem;
  }
}

export class Client {
  constructor(service, token) {
    this.service = service.replace(/\/$/, "");
    this.token = token;
  }

  /**
   * Returns {status, etag, body} of the response, including 409 and 412. Repeats the request until
   * there is one: with an Idempotency-Key that is safe, because it takes effect once.
   */
  async call(path, body, headers = {}) {
    const options = {
      method: body === undefined ? "GET" : "POST",
      headers: {
        Authorization: `Bearer ${this.token}`,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      cache: "no-store",
    };
    for (let attempt = 0; attempt < TRIES; attempt++) {
      let pause = 0.1 * 2 ** attempt;
      try {
        const signal = AbortSignal.timeout((WAIT + 10) * 1000);
        const response = await fetch(this.service + path, { ...options, signal });
        const data = await response.json();
        if (response.ok || response.status === 409 || response.status === 412) {
          return { status: response.status, etag: response.headers.get("ETag"), body: data };
        }
        if (response.status !== 429 && response.status !== 503) throw new Refused(data);
        pause = Number(response.headers.get("Retry-After") ?? 2 ** attempt);
      } catch (error) {
        if (error instanceof Refused) throw error;
        // No response, or half of one: repeat.
      }
      await new Promise((done) => setTimeout(done, pause * 1000));
    }
    throw new Error(`${this.service} does not respond`);
  }
}

/** Creates a game with bots and claims its first seat; returns the game's path. */
export async function joinGame(client, ruleset) {
  const { rulesets } = (await client.call("/v1/rulesets")).body;
  const chosen = rulesets.find((each) => each.id === (ruleset ?? rulesets[0].id));
  if (!chosen) throw new Error(`no such ruleset: ${ruleset}`);
  const bots = Array(chosen.seats[0] - 1).fill({ kind: "bot", level: "easy" });
  const table = { ruleset: chosen.id, seats: [{ kind: "human" }, ...bots] };
  const created = (await client.call("/v1/games", table, { "Idempotency-Key": "create" })).body;
  const game = created.game.links.self;
  const { seat, claim_code } = created.claim_codes[0];
  const claim = { claim_code, name: "example" };
  await client.call(`${game}/seats/${seat}`, claim, { "Idempotency-Key": "claim" });
  return game;
}

/** Picks the move to play: any. Make it better. */
export function anyMove(moves) {
  return moves[Math.floor(Math.random() * moves.length)];
}

/** Plays the client's seats until the game is over; yields the text of each move made. */
export async function* play(client, game, choose = anyMove) {
  for (;;) {
    const { etag, body: now } = await client.call(`${game}/moves`);
    if (now.moves.length) {
      const { seat, command, text } = choose(now.moves);
      // One key per move: if the response is lost, the repeated request has no second effect.
      const headers = { "If-Match": etag, "Idempotency-Key": random(12) };
      const { status } = await client.call(`${game}/commands`, { seat, command }, headers);
      if (status === 201) yield text; // else the game has moved on: look again
    } else if (now.reason === "game_over") {
      return;
    } else {
      // Somebody else's turn: wait until something happens.
      const headers = { Prefer: `wait=${WAIT}` };
      await client.call(`${game}/events?after=${now.version}`, undefined, headers);
    }
  }
}

async function main(service = "http://127.0.0.1:8000", ruleset, file) {
  const { existsSync, readFileSync, writeFileSync } = await import("node:fs");
  const known = file !== undefined && existsSync(file);
  const token = known ? readFileSync(file, "utf8").trim() : newToken();
  if (file !== undefined && !known) writeFileSync(file, token + "\n", { mode: 0o600 });
  const client = new Client(service, token);
  const game = await joinGame(client, ruleset);
  console.log(client.service + game);
  for await (const text of play(client, game)) console.log(text);
  for (const { seat, total, rank } of (await client.call(`${game}/score`)).body.seats) {
    console.log(`seat ${seat}: ${total} points, rank ${rank}`);
  }
}

if (globalThis.process?.argv[1]?.endsWith("play.mjs")) await main(...process.argv.slice(2));
