// Event streams read with fetch, because EventSource can't send the token. A stream resumes where it broke off.

import { pause } from "./api.js";

const FIRST_WAIT = 500; // ms before the first reconnection
const LONGEST_WAIT = 15000; // ms
const SILENCE = 40000; // ms; the service sends something at least every 15 seconds
const CLOSED = new Set([204, 401, 403, 404, 410]); // ended, or not for this token: no reconnection helps

/**
 * Follows a stream until it ends or `signal` aborts, reconnecting after growing pauses.
 * `onMessage({id, event, data})` gets each message with data, `onStart(id)` the id where a
 * connection starts, `onConnection(up)` whether the connection is up. `readToken()` is called
 * for each connection; `after` is the last id already known, or null.
 */
export async function follow(path, { readToken, after, signal, onMessage, onConnection, onStart = () => {} }) {
  let last = after;
  let wait = FIRST_WAIT;
  while (!signal.aborted) {
    const guard = new AbortController();
    const stop = () => guard.abort();
    signal.addEventListener("abort", stop, { once: true });
    window.addEventListener("pagehide", stop, { once: true }); // the browser may keep the page, and with it the connection
    try {
      const headers = { Authorization: `Bearer ${readToken()}`, Accept: "text/event-stream" };
      if (last !== null && last !== undefined) headers["Last-Event-ID"] = String(last);
      const response = await fetch(path, { headers, signal: guard.signal, cache: "no-store" });
      if (CLOSED.has(response.status)) return;
      if (response.ok) {
        onConnection(true);
        let ended = false;
        await readMessages(response.body, stop, (message) => {
          wait = FIRST_WAIT;
          if (message.id !== undefined && message.id !== "") last = message.id;
          if (message.event === "end") ended = true;
          if (message.data !== undefined) onMessage({ ...message, data: JSON.parse(message.data) });
          else if (message.id !== undefined) onStart(message.id);
        });
        if (ended) return;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof TypeError) && error.name !== "AbortError") throw error;
    } finally {
      signal.removeEventListener("abort", stop);
      window.removeEventListener("pagehide", stop);
    }
    onConnection(false);
    await pause(wait * (0.75 + Math.random() / 2));
    wait = Math.min(LONGEST_WAIT, wait * 2);
  }
}

/** Reads a body as server-sent events; calls `stop` when nothing arrives for too long. */
async function readMessages(body, stop, onMessage) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const silent = setTimeout(stop, SILENCE);
    const { done, value } = await reader.read().finally(() => clearTimeout(silent));
    if (done) return;
    rest += value;
    let end;
    while ((end = rest.indexOf("\n\n")) >= 0) {
      const message = parseMessage(rest.slice(0, end));
      rest = rest.slice(end + 2);
      if (message) onMessage(message);
    }
  }
}

/** Returns a block of lines as a message, or null if it holds only comments. */
export function parseMessage(block) {
  const message = {};
  for (const line of block.split("\n")) {
    if (line.startsWith(":")) continue;
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") message.data = message.data === undefined ? value : `${message.data}\n${value}`;
    else if (name === "id" || name === "event") message[name] = value;
  }
  return Object.keys(message).length ? message : null;
}
