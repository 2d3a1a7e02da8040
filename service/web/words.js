// Words in three languages: one dictionary for the page, one for each ruleset's own words.

export const LANGUAGES = { en: "English", pt: "Português", fr: "Français" };
const KEPT = "bailli.language";

let words = {};
let language = "en";

/** Loads the page's dictionary and settles the language: the one chosen before, or the browser's. */
export async function begin() {
  words = await dictionary("words");
  const wished = [stored(), ...navigator.languages.map((name) => name.slice(0, 2).toLowerCase())];
  choose(wished.find((name) => name in LANGUAGES) ?? "en");
}

function stored() {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null; // storage is forbidden: the browser's language it is
  }
}

/** Settles the language and keeps it. */
export function choose(name) {
  language = name;
  document.documentElement.lang = name;
  try {
    localStorage.setItem(KEPT, name);
  } catch {
    // it is not kept
  }
}

/** Returns the language now: en, pt or fr. */
export function now() {
  return language;
}

/** Returns a dictionary's file: keys to texts by language. */
export async function dictionary(name) {
  const answer = await fetch(`/web/${name}.json`);
  return answer.ok ? answer.json() : {};
}

/** Returns a text of the page with its names in braces filled in. */
export function t(key, values = {}) {
  const found = words[key];
  if (!found) throw new Error(`no such word: ${key}`);
  return found[language].replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}

/** Returns the text of a choice of the page such as a status or a level: its word, or its id plainly. */
export function choice(kind, id) {
  const found = words[`${kind}.${id}`];
  return found ? found[language] : plain(id);
}

/** Returns an id as words. */
export function plain(id) {
  return String(id).replaceAll("_", " ");
}

/** Returns the text of `{en, pt, fr}` in the language now. */
export function said(names) {
  return names?.[language] ?? names?.en;
}

/** Returns the address of a page of this service in the language now. */
export function localized(address) {
  const [page, anchor] = address.split("#");
  return `${page}?lang=${language}${anchor ? `#${anchor}` : ""}`;
}

/** Returns a moment (ms since 1970) as a time of day, or a date if it is not today's. */
export function moment(at) {
  const when = new Date(at);
  const today = when.toDateString() === new Date().toDateString();
  return today
    ? when.toLocaleTimeString(language, { hour: "2-digit", minute: "2-digit" })
    : when.toLocaleDateString(language, { day: "numeric", month: "short", year: "numeric" });
}
