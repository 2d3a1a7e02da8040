// The games that can be played: their descriptions, their texts, and the modules for their pictures.

import * as api from "./api.js";
import { currentLanguage, fetchDictionary, idAsWords, localText } from "./words.js";

/** For a game without a module for its picture: it is played from the list of moves. */
const NO_PICTURE = { folds: new Set(), findTargets: () => [], guessCommand: () => null };

const descriptions = new Map();
const parts = new Map();
let tableTexts = null;

/** Returns a summary of each game that can be played. */
export async function list() {
  return (await api.get("/v1/rulesets")).rulesets;
}

/**
 * Returns a game's description with three more members: `words(kind, id)`, the text for an id;
 * `value(thing, kind)`, the text for a value, where ids become the names of their components
 * (components of different kinds may share an id); `places`, the module for its picture.
 */
export async function load(id) {
  const key = `${id} ${currentLanguage()}`;
  if (!descriptions.has(key)) descriptions.set(key, await describe(id));
  return descriptions.get(key);
}

async function describe(id) {
  if (!parts.has(id)) parts.set(id, await Promise.all([fetchDictionary(id), import(`./${id}.js`).catch(() => NO_PICTURE)]));
  const [texts, places] = parts.get(id);
  tableTexts ??= await fetchDictionary("table");
  const description = await api.get(`/v1/rulesets/${id}`);
  const words = (kind, word) => localText(texts[kind]?.[word] ?? tableTexts[kind]?.[word]) ?? idAsWords(word);
  const value = (thing, kind) => {
    if (thing === null || thing === undefined) return "–";
    if (typeof thing === "number") return String(thing);
    const named = description.components.filter((component) => component.id === thing);
    const best = named.find((component) => component.kind === kind) ?? named[0];
    return localText(best?.names) ?? localText(texts.values?.[thing]) ?? idAsWords(thing);
  };
  return { ...description, places, words, value };
}
