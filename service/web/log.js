// What happened, told in words.

import { button, disc, el, fill, released } from "./dom.js";
import { moment, t } from "./words.js";

const SHOWN = 120; // entries shown before one asks for all

/** Returns the log: `{node, add(event), last()}`. A click on an entry is `jump(version)`. */
export function panel({ ruleset, names, jump }) {
  const list = el("ol", { class: "log", reversed: true });
  const all = el("div");
  const node = el("section", { class: "card", id: "log", "aria-label": t("log") }, el("h2", { text: t("log") }), list, all);
  const told = [];
  let drawn = 0; // how many of these are in the list, or were
  let most = SHOWN;

  function add(event) {
    if (told.length && event.version <= told.at(-1).event.version) return; // told before
    if (event.type === "undone") {
      for (const each of told) if (each.event.version > event.data.to_version) each.node.classList.add("undone");
    }
    const entry = el("li", { data: { version: event.version, type: event.type } },
      button("", () => jump(event.version), { class: "entry", title: `${t("version", { version: event.version })}, ${moment(event.at)}` }));
    const seat = event.data.seat;
    entry.firstChild.append(typeof seat === "number" ? disc(seat) : el("span", { class: "disc none", "aria-hidden": "true" }),
      el("span", { text: narrated(event, ruleset, names) }));
    told.push({ event, node: entry });
    released().then(draw); // a longer list moves what is below it
  }

  function draw() {
    const fresh = told.slice(drawn).slice(-most);
    drawn = told.length;
    list.prepend(...fresh.map((each) => each.node).reverse());
    while (list.childElementCount > most) list.lastChild.remove();
    if (told.length > most && !all.childElementCount) all.append(button(t("show_all"), everything, { class: "quiet" }));
  }

  function everything() {
    most = Infinity;
    drawn = told.length;
    fill(all);
    fill(list, told.map((each) => each.node).reverse());
  }

  return { node, add, last: () => told.at(-1)?.event.version ?? 0 };
}

/**
 * Returns an event as a sentence: the ruleset's (or the table's) template for its type. `{name}` is
 * a field's value, `{@name}` a field that holds a seat or seats (or things that name one); a part in square brackets is left
 * out where a field in it is null, false, zero or empty.
 */
export function narrated(event, ruleset, names) {
  const template = ruleset.words("events", event.type);
  const holds = (name, seat) => {
    const value = event.data[name];
    return !(value === null || value === undefined || value === false || (value === 0 && !seat) || value.length === 0);
  };
  const kept = template.replace(/\[([^\]]*)\]/g, (_, part) =>
    ([...part.matchAll(/\{(@?)(\w+)\}/g)].every(([, seat, name]) => holds(name, seat)) ? part : ""));
  return kept.replace(/\{(@?)(\w+)\}/g, (_, seats, name) => shown(event.data[name], name, seats, ruleset, names));
}

function shown(value, field, seats, ruleset, names) {
  if (Array.isArray(value)) return value.map((each) => shown(each, field, seats, ruleset, names)).join(", ") || "–";
  if (seats) return names(value?.seat ?? value);
  if (value !== null && typeof value === "object") {
    return Object.entries(value).filter(([, count]) => count).map(([id, count]) => `${count} × ${ruleset.value(id)}`).join(", ") || "–";
  }
  return ruleset.value(value, field);
}
