// What can be played: descriptions, the words of each game, and where its commands are in the picture.

import * as api from "./api.js";
import { dictionary, now, plain, said } from "./words.js";

/** How a game is played that has no module for its picture: from the list of moves. */
const LISTED = { folds: new Set(), targets: () => [], wonder: () => null };

const described = new Map();
const own = new Map();
let table = null;

/** Returns what can be played, in short. */
export async function list() {
  return (await api.get("/v1/rulesets")).rulesets;
}

/**
 * Returns a game's description with its words: `words(kind, id)`, `value(any, kind)` (ids by the
 * names of what they stand for; things of different kinds may share an id), `places` (the module
 * for its picture).
 */
export async function load(id) {
  const key = `${id} ${now()}`;
  if (!described.has(key)) described.set(key, await complete(id));
  return described.get(key);
}

async function complete(id) {
  if (!own.has(id)) own.set(id, await Promise.all([dictionary(id), import(`./${id}.js`).catch(() => LISTED)]));
  const [told, places] = own.get(id);
  table ??= await dictionary("table");
  const found = await api.get(`/v1/rulesets/${id}`);
  const words = (kind, word) => said(told[kind]?.[word] ?? table[kind]?.[word]) ?? plain(word);
  const value = (thing, kind) => {
    if (thing === null || thing === undefined) return "–";
    if (typeof thing === "number") return String(thing);
    const named = found.components.filter((component) => component.id === thing);
    const best = named.find((component) => component.kind === kind) ?? named[0];
    return said(best?.names) ?? said(told.values?.[thing]) ?? plain(thing);
  };
  return { ...found, places, words, value };
}
