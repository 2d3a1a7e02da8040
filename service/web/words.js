// The page's texts in three languages: one dictionary for the page, one for each ruleset.

export const LANGUAGES = { en: "English", pt: "Português", fr: "Français" };
const STORED = "bailli.language";

let words = {};
let language = "en";

/** Loads the page's dictionary and sets the language: the one chosen before, or the browser's. */
export async function load() {
  words = await fetchDictionary("words");
  const preferred = [storedLanguage(), ...navigator.languages.map((name) => name.slice(0, 2).toLowerCase())];
  setLanguage(preferred.find((name) => name in LANGUAGES) ?? "en");
}

function storedLanguage() {
  try {
    return localStorage.getItem(STORED);
  } catch {
    return null; // storage is blocked: use the browser's language
  }
}

/** Sets the language and remembers it in this browser. */
export function setLanguage(name) {
  language = name;
  document.documentElement.lang = name;
  try {
    localStorage.setItem(STORED, name);
  } catch {
    // storage is blocked: the choice lasts as long as the page
  }
}

/** Returns the current language: en, pt or fr. */
export function currentLanguage() {
  return language;
}

/** Returns a dictionary file: keys to texts by language. Empty if there is no such file. */
export async function fetchDictionary(name) {
  const response = await fetch(`/web/${name}.json`);
  return response.ok ? response.json() : {};
}

/** Returns a text of the page, its placeholders filled in (see `fillIn`). */
export function t(key, values = {}) {
  const texts = words[key];
  if (!texts) throw new Error(`no such text: ${key}`);
  return fillIn(texts[language], (name) => String(values[name]));
}

/**
 * Returns a template with its placeholders filled in. `{name}` becomes `format(name, mark)`, where
 * `mark` is "@" for `{@name}` and else empty; `{name|form|forms}` is a number followed by the
 * form that agrees with it.
 */
export function fillIn(template, format) {
  return template.replace(/\{(@?)(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g, (_, mark, name, singular, plural) => {
    const text = format(name, mark);
    if (singular === undefined) return text;
    return `${text} ${isSingular(Number(text)) ? singular : plural}`;
  });
}

/** French counts none in the singular, English and Portuguese only one. */
function isSingular(count) {
  return language === "fr" ? count < 2 : count === 1;
}

/** Returns the text for one value of a kind, such as a status or a level; without one, its id as words. */
export function textOf(kind, id) {
  const texts = words[`${kind}.${id}`];
  return texts ? texts[language] : idAsWords(id);
}

/** Returns an id as words. */
export function idAsWords(id) {
  return String(id).replaceAll("_", " ");
}

/** Returns the text of `{en, pt, fr}` in the current language. */
export function localText(texts) {
  return texts?.[language] ?? texts?.en;
}

/** Returns the address of a page of this service in the current language. */
export function localAddress(address) {
  const [page, anchor] = address.split("#");
  return `${page}?lang=${language}${anchor ? `#${anchor}` : ""}`;
}

/** Returns a moment (ms since 1970) as a time of day, or as a date if it is not today. */
export function formatTime(at) {
  const when = new Date(at);
  const today = when.toDateString() === new Date().toDateString();
  return today
    ? when.toLocaleTimeString(language, { hour: "2-digit", minute: "2-digit" })
    : when.toLocaleDateString(language, { day: "numeric", month: "short", year: "numeric" });
}
