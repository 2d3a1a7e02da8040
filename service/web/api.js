// Requests: the token, idempotency, problems. Nothing here that any other client could not do.

const TOKEN = "bailli.token";
const WATCHED = "bailli.watch.";
const CODES = "bailli.codes.";
const TRIES = 3;

/** What the service answered with a problem: `status`, and the members of the problem. */
export class Problem extends Error {
  constructor(status, told) {
    super(told.detail ?? told.title ?? `HTTP ${status}`);
    this.status = status;
    this.code = told.code;
    this.title = told.title;
    this.detail = told.detail;
    this.rule = told.rule;
    this.type = told.type;
  }
}

/** The service can't be reached. */
export class Unreachable extends Error {}

let language = () => "en";

/** Says where the language for texts comes from. */
export function speaking(source) {
  language = source;
}

function random(bytes) {
  const drawn = crypto.getRandomValues(new Uint8Array(bytes));
  return btoa(String.fromCharCode(...drawn)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Returns the client's own token, made once and kept in this browser. */
export function token() {
  let kept = localStorage.getItem(TOKEN);
  if (!kept) {
    kept = `bl_${random(32)}`;
    localStorage.setItem(TOKEN, kept);
  }
  return kept;
}

/** Returns a fresh name for a request, or a pinch of chance. */
export function fresh() {
  return random(18);
}

/** Keeps the code with which a private game is watched; null forgets it. */
export function watch(game, code) {
  if (code) localStorage.setItem(WATCHED + game, code);
  else localStorage.removeItem(WATCHED + game);
}

/** Returns what a game is read with: its watch code, or the token. */
export function reader(game) {
  return localStorage.getItem(WATCHED + game) ?? token();
}

/** Returns the codes that this browser was given for a game: `{seat: code}`, `watch`. */
export function codes(game) {
  return JSON.parse(localStorage.getItem(CODES + game) ?? "{}");
}

/** Keeps claim codes (as the service lists them) and a watch code. */
export function keepCodes(game, listed, watchCode) {
  const kept = codes(game);
  for (const each of listed) kept[each.seat] = each.claim_code;
  if (watchCode) kept.watch = watchCode;
  localStorage.setItem(CODES + game, JSON.stringify(kept));
}

/**
 * Sends a request and returns `{status, body, headers}`. `options`: `body` (JSON), `bearer` (else the
 * token), `headers`, `key` (an Idempotency-Key: the request is repeated until there is an answer),
 * `as` ("text" for what is no JSON). Throws `Problem` or `Unreachable`.
 */
export async function ask(method, path, options = {}) {
  const headers = {
    Authorization: `Bearer ${options.bearer ?? token()}`,
    "Accept-Language": language(),
    ...options.headers,
  };
  if (options.body !== undefined) headers["Content-Type"] = "application/json";
  if (options.key) headers["Idempotency-Key"] = options.key;
  const safe = method === "GET" || options.key;
  for (let attempt = 1; ; attempt += 1) {
    let answer;
    try {
      answer = await fetch(path, {
        method, headers, body: options.body === undefined ? undefined : JSON.stringify(options.body),
        signal: options.signal,
      });
    } catch (fault) {
      if (fault.name === "AbortError") throw fault;
      if (!safe || attempt === TRIES) throw new Unreachable(String(fault));
      await pause(300 * attempt);
      continue;
    }
    if (answer.status === 503 && safe && attempt < TRIES) {
      await pause(1000 * Number(answer.headers.get("Retry-After") ?? 1));
      continue;
    }
    if (answer.ok) return { status: answer.status, headers: answer.headers, body: await read(answer, options.as) };
    throw new Problem(answer.status, await answer.json().catch(() => ({})));
  }
}

async function read(answer, as) {
  if (answer.status === 204) return null;
  return as === "text" ? answer.text() : answer.json();
}

/** Returns the body of a GET. */
export async function get(path, options) {
  return (await ask("GET", path, options)).body;
}

/** Resolves after so many ms. */
export function pause(ms) {
  return new Promise((resolve) => { setTimeout(resolve, ms); });
}
