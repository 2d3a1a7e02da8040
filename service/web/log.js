// The log: what has happened, in words.

import { button, disc, el, fill, whenReleased } from "./dom.js";
import { fillIn, formatTime, t } from "./words.js";

const SHOWN = 120; // entries in the list until all are asked for

/** Returns the log: `{node, add(event), last()}`. A click on an entry calls `jump(version)`. */
export function panel({ ruleset, names, jump }) {
  const list = el("ol", { class: "log", reversed: true });
  const all = el("div");
  const node = el("section", { class: "card", id: "log", "aria-label": t("log") }, el("h2", { text: t("log") }), list, all);
  const entries = [];
  let drawn = 0; // how many of the entries are in the list, or were
  let limit = SHOWN;

  function add(event) {
    if (entries.length && event.version <= entries.at(-1).event.version) return; // a repetition
    if (event.type === "undone") {
      for (const each of entries) if (each.event.version > event.data.to_version) each.node.classList.add("undone");
    }
    const entry = el("li", { data: { version: event.version, type: event.type } },
      button("", () => jump(event.version), { class: "entry", title: `${t("version", { version: event.version })}, ${formatTime(event.at)}` }));
    const seat = event.data.seat;
    entry.firstChild.append(typeof seat === "number" ? disc(seat) : el("span", { class: "disc none", "aria-hidden": "true" }),
      el("span", { text: describeEvent(event, ruleset, names) }));
    entries.push({ event, node: entry });
    whenReleased().then(draw); // a longer list moves what is below it
  }

  function draw() {
    const fresh = entries.slice(drawn).slice(-limit);
    drawn = entries.length;
    list.prepend(...fresh.map((each) => each.node).reverse());
    while (list.childElementCount > limit) list.lastChild.remove();
    if (entries.length > limit && !all.childElementCount) all.append(button(t("show_all"), showAll, { class: "quiet" }));
  }

  function showAll() {
    limit = Infinity;
    drawn = entries.length;
    fill(all);
    fill(list, entries.map((each) => each.node).reverse());
  }

  return { node, add, last: () => entries.at(-1)?.event.version ?? 0 };
}

/**
 * Returns an event as a sentence: the template for its type, from the ruleset or the table.
 * `{name}` is a field's value, `{@name}` a field that holds a seat or seats (or things that name
 * one), `{name|form|forms}` a number with the form that agrees with it. A part in square brackets is
 * left out if a field in it is null, false, zero or empty.
 */
export function describeEvent(event, ruleset, names) {
  const template = ruleset.words("events", event.type);
  const holds = (name, seat) => {
    const value = event.data[name];
    return !(value === null || value === undefined || value === false || (value === 0 && !seat) || value.length === 0);
  };
  const shortened = template.replace(/\[([^\]]*)\]/g, (_, part) =>
    ([...part.matchAll(/\{(@?)(\w+)/g)].every(([, seat, name]) => holds(name, seat)) ? part : ""));
  return fillIn(shortened, (name, mark) => formatField(event.data[name], name, mark, ruleset, names));
}

function formatField(value, field, isSeat, ruleset, names) {
  if (Array.isArray(value)) return value.map((each) => formatField(each, field, isSeat, ruleset, names)).join(", ") || "–";
  if (isSeat) return names(value?.seat ?? value);
  if (value !== null && typeof value === "object") {
    return Object.entries(value).filter(([, count]) => count).map(([id, count]) => `${count} × ${ruleset.value(id)}`).join(", ") || "–";
  }
  return ruleset.value(value, field);
}
