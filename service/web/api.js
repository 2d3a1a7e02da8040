// Requests to the API: the client's token, idempotency keys, problems. Any other client could do the same.

const TOKEN = "bailli.token";
const WATCH_CODE = "bailli.watch.";
const CODES = "bailli.codes.";
const ATTEMPTS = 3;

/** A problem that the service returned: `status`, and the members of the problem. */
export class Problem extends Error {
  constructor(status, members) {
    super(members.detail ?? members.title ?? `HTTP ${status}`);
    this.status = status;
    this.code = members.code;
    this.title = members.title;
    this.detail = members.detail;
    this.rule = members.rule;
    this.type = members.type;
  }
}

/** The service can't be reached. */
export class Unreachable extends Error {}

let language = () => "en";

/** Sets the function that returns the language in which texts are requested. */
export function setLanguageSource(source) {
  language = source;
}

/** Returns random bytes in base64url. */
function random(bytes) {
  const drawn = crypto.getRandomValues(new Uint8Array(bytes));
  return btoa(String.fromCharCode(...drawn)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Returns this client's token, created once and stored in this browser. */
export function clientToken() {
  let token = localStorage.getItem(TOKEN);
  if (!token) {
    token = `bl_${random(32)}`;
    localStorage.setItem(TOKEN, token);
  }
  return token;
}

/** Returns a fresh random text: an idempotency key, or a seat's entropy. */
export function randomKey() {
  return random(18);
}

/** Stores the code with which a private game is watched; null removes it. */
export function storeWatchCode(game, code) {
  if (code) localStorage.setItem(WATCH_CODE + game, code);
  else localStorage.removeItem(WATCH_CODE + game);
}

/** Returns what a game is read with: its watch code, or the token. */
export function readToken(game) {
  return localStorage.getItem(WATCH_CODE + game) ?? clientToken();
}

/** Returns the codes that this browser got for a game: `{seat: code}`, and `watch`. */
export function storedCodes(game) {
  return JSON.parse(localStorage.getItem(CODES + game) ?? "{}");
}

/** Stores claim codes (as the service lists them) and a watch code. */
export function storeCodes(game, claimCodes, watchCode) {
  const codes = storedCodes(game);
  for (const each of claimCodes) codes[each.seat] = each.claim_code;
  if (watchCode) codes.watch = watchCode;
  localStorage.setItem(CODES + game, JSON.stringify(codes));
}

/**
 * Sends a request and returns `{status, body, headers}`. `options`: `body` (sent as JSON), `bearer`
 * (the token by default), `headers`, `key` (an Idempotency-Key: the request is then sent again
 * until there is a response), `as` ("text" if the response is not JSON), `signal`. Throws
 * `Problem` or `Unreachable`.
 */
export async function request(method, path, options = {}) {
  const headers = {
    Authorization: `Bearer ${options.bearer ?? clientToken()}`,
    "Accept-Language": language(),
    ...options.headers,
  };
  if (options.body !== undefined) headers["Content-Type"] = "application/json";
  if (options.key) headers["Idempotency-Key"] = options.key;
  const repeatable = method === "GET" || options.key;
  for (let attempt = 1; ; attempt += 1) {
    let response;
    try {
      response = await fetch(path, {
        method, headers, body: options.body === undefined ? undefined : JSON.stringify(options.body),
        signal: options.signal,
      });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      if (!repeatable || attempt === ATTEMPTS) throw new Unreachable(String(error));
      await pause(300 * attempt);
      continue;
    }
    if (response.status === 503 && repeatable && attempt < ATTEMPTS) {
      await pause(1000 * Number(response.headers.get("Retry-After") ?? 1));
      continue;
    }
    if (response.ok) return { status: response.status, headers: response.headers, body: await readBody(response, options.as) };
    throw new Problem(response.status, await response.json().catch(() => ({})));
  }
}

async function readBody(response, as) {
  if (response.status === 204) return null;
  return as === "text" ? response.text() : response.json();
}

/** Returns the body of a GET. */
export async function get(path, options) {
  return (await request("GET", path, options)).body;
}

/** Resolves after so many ms. */
export function pause(ms) {
  return new Promise((resolve) => { setTimeout(resolve, ms); });
}
