// Event streams by fetch: EventSource can't send the token. Resumed where they were left.

import { pause } from "./api.js";

const FIRST_WAIT = 500;
const LONGEST_WAIT = 15000;
const SILENCE = 40000; // the service says something at least every 15 seconds

/**
 * Follows a stream until it ends for good or `signal` aborts. `told({id, event, data})` gets each
 * message that tells something, `began(id)` where a connection begins; `live(on)` whether it
 * stands. `bearer()` is asked anew for each connection, `after` is the last id known. Reconnects
 * with growing pauses.
 */
export async function follow(path, { bearer, after, signal, told, live, began = () => {} }) {
  let last = after;
  let wait = FIRST_WAIT;
  while (!signal.aborted) {
    try {
      const headers = { Authorization: `Bearer ${bearer()}`, Accept: "text/event-stream" };
      if (last !== null && last !== undefined) headers["Last-Event-ID"] = String(last);
      const guard = new AbortController();
      const stop = () => guard.abort();
      signal.addEventListener("abort", stop, { once: true });
      const answer = await fetch(path, { headers, signal: guard.signal, cache: "no-store" });
      if (answer.status === 204) return; // over, and all was told
      if (answer.status === 401 || answer.status === 403 || answer.status === 404 || answer.status === 410) return;
      if (answer.ok) {
        live(true);
        let ended = false;
        await messages(answer.body, stop, (message) => {
          wait = FIRST_WAIT;
          if (message.id !== undefined && message.id !== "") last = message.id;
          if (message.event === "end") ended = true;
          if (message.data !== undefined) told({ ...message, data: JSON.parse(message.data) });
          else if (message.id !== undefined) began(message.id);
        });
        if (ended) return;
      }
      signal.removeEventListener("abort", stop);
    } catch (fault) {
      if (signal.aborted) return;
      if (!(fault instanceof TypeError) && fault.name !== "AbortError") throw fault;
    }
    live(false);
    await pause(wait * (0.75 + Math.random() / 2));
    wait = Math.min(LONGEST_WAIT, wait * 2);
  }
}

/** Reads a body as server-sent events; gives up (`stop`) when nothing at all comes for too long. */
async function messages(body, stop, told) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const silent = setTimeout(stop, SILENCE);
    const { done, value } = await reader.read().finally(() => clearTimeout(silent));
    if (done) return;
    rest += value;
    let end;
    while ((end = rest.indexOf("\n\n")) >= 0) {
      const message = parsed(rest.slice(0, end));
      rest = rest.slice(end + 2);
      if (message) told(message);
    }
  }
}

/** Returns a block of lines as a message, null for a mere comment. */
export function parsed(block) {
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
