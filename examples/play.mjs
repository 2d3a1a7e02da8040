// Plays a whole game against bots over HTTP: a client without packages, for browsers and Node 18+.
//
//     node examples/play.mjs [http://127.0.0.1:8000 [RULESET [FILE]]]
//
// FILE keeps the client's token, which the client makes itself. Started again with the same FILE, it
// goes on with the same game. In a page, keep the token in localStorage:
//
//     import { Client, newToken, play, sitDown } from "./play.mjs";
//     const client = new Client("https://bailli.example", (localStorage.token ??= newToken()));
//     const game = await sitDown(client);
//     for await (const text of play(client, game)) console.log(text);

const TRIES = 8;
const WAIT = 20; // seconds that a request may be held until there is something to tell
const { webcrypto } = globalThis.crypto ? { webcrypto: globalThis.crypto } : await import("node:crypto");

function random(bytes) {
  const found = webcrypto.getRandomValues(new Uint8Array(bytes));
  return btoa(String.fromCharCode(...found)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
}

/** A token of one's own: whoever has it is the client. */
export function newToken() {
  return "bl_" + random(32);
}

/** What the service refuses; `told` is the problem, with `code`, `detail` and perhaps `rule`. */
export class Refused extends Error {
  constructor(told) {
    super(`${told.code}: ${told.detail}`);
    this.told = told;
  }
}

export class Client {
  constructor(service, token) {
    this.service = service.replace(/\/$/, "");
    this.token = token;
  }

  /**
   * Returns {status, etag, body} of an answer; 409 and 412 are answers too. Repeats the request
   * until one comes: with an Idempotency-Key that is safe, for it has one effect.
   */
  async ask(path, body, headers = {}) {
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
        const answer = await fetch(this.service + path, { ...options, signal });
        const told = await answer.json();
        if (answer.ok || answer.status === 409 || answer.status === 412) {
          return { status: answer.status, etag: answer.headers.get("ETag"), body: told };
        }
        if (answer.status !== 429 && answer.status !== 503) throw new Refused(told);
        pause = Number(answer.headers.get("Retry-After") ?? 2 ** attempt);
      } catch (fault) {
        if (fault instanceof Refused) throw fault;
        // No answer, or half of one: ask again.
      }
      await new Promise((done) => setTimeout(done, pause * 1000));
    }
    throw new Error(`${this.service} does not answer`);
  }
}

/** Lays a table with bots and takes its first seat; returns the game's path. */
export async function sitDown(client, ruleset) {
  const { rulesets } = (await client.ask("/v1/rulesets")).body;
  const law = rulesets.find((each) => each.id === (ruleset ?? rulesets[0].id));
  if (!law) throw new Error(`no such ruleset: ${ruleset}`);
  const bots = Array(law.seats[0] - 1).fill({ kind: "bot", level: "easy" });
  const table = { ruleset: law.id, seats: [{ kind: "human" }, ...bots] };
  const made = (await client.ask("/v1/games", table, { "Idempotency-Key": "lay" })).body;
  const game = made.game.links.self;
  const { seat, claim_code } = made.claim_codes[0];
  const claim = { claim_code, name: "example" };
  await client.ask(`${game}/seats/${seat}`, claim, { "Idempotency-Key": "sit" });
  return game;
}

/** What plays: any move. Make it better. */
export function anyMove(moves) {
  return moves[Math.floor(Math.random() * moves.length)];
}

/** Plays the client's seats until the game is over; yields the text of each move made. */
export async function* play(client, game, choose = anyMove) {
  for (;;) {
    const { etag, body: now } = await client.ask(`${game}/moves`);
    if (now.moves.length) {
      const { seat, command, text } = choose(now.moves);
      // One key a move: if the answer is lost, the request is repeated and has one effect.
      const headers = { "If-Match": etag, "Idempotency-Key": random(12) };
      const { status } = await client.ask(`${game}/commands`, { seat, command }, headers);
      if (status === 201) yield text; // else the game has moved on: look again
    } else if (now.reason === "game_over") {
      return;
    } else {
      // Somebody else's turn: be told when something happens.
      const headers = { Prefer: `wait=${WAIT}` };
      await client.ask(`${game}/events?after=${now.version}`, undefined, headers);
    }
  }
}

async function main(service = "http://127.0.0.1:8000", ruleset, file) {
  const { existsSync, readFileSync, writeFileSync } = await import("node:fs");
  const known = file !== undefined && existsSync(file);
  const token = known ? readFileSync(file, "utf8").trim() : newToken();
  if (file !== undefined && !known) writeFileSync(file, token + "\n", { mode: 0o600 });
  const client = new Client(service, token);
  const game = await sitDown(client, ruleset);
  console.log(client.service + game);
  for await (const text of play(client, game)) console.log(text);
  for (const { seat, total, rank } of (await client.ask(`${game}/score`)).body.seats) {
    console.log(`seat ${seat}: ${total} points, rank ${rank}`);
  }
}

if (globalThis.process?.argv[1]?.endsWith("play.mjs")) await main(...process.argv.slice(2));
