// The legal moves as a list: grouped, with inputs for numbers, and a dialog where a place has several.

import { button, confirm, el, fillIfChanged } from "./dom.js";
import { t } from "./words.js";

const OPEN_UP_TO = 12; // a larger group is folded
const SEARCH_ABOVE = 24; // a longer list can be searched

/**
 * Returns the moves as entries `{seat, command, text, range}`. Moves of the
 * types in `folds` that differ in one number only are one entry with a `range` (`{name, min, max}`);
 * for all others `range` is null.
 */
export function listEntries(moves, folds) {
  const single = moves.moves.filter((move) => !folds.has(move.command.type)).map((move) => ({ ...move, range: null }));
  const folded = moves.ranges.filter((move) => folds.has(move.command.type)).map((move) => ({ ...move, range: findRange(move.command) }));
  const order = [];
  for (const { command } of moves.moves) if (!order.includes(command.type)) order.push(command.type);
  return [...single, ...folded].sort((one, other) => order.indexOf(one.command.type) - order.indexOf(other.command.type));
}

function findRange(command) {
  const found = Object.entries(command).find(([, value]) => value !== null && typeof value === "object" && "min" in value && "max" in value);
  return found ? { name: found[0], ...found[1] } : null;
}

/** Asks whether to make a move that can't be taken back; resolves to whether the answer was yes. */
export function confirmMove(move) {
  return confirm(`${move.text}?`, t("yes"), t("no"));
}

/** Returns the panel of moves: `{node, show(entries, moves, shown)}`. `aim(entry)` highlights an entry's place. */
export function panel({ ruleset, names, send, aim }) {
  const list = el("div", { class: "groups" });
  const heading = el("h2", { tabindex: "-1", text: t("moves") });
  const node = el("section", { class: "card moves", id: "moves", "aria-label": t("moves") }, heading, list);
  const opened = new Set();

  function show(entries, moves, shown) {
    const focused = node.contains(document.activeElement) && document.activeElement !== heading;
    const seats = [...new Set(entries.map((entry) => entry.seat))];
    fillIfChanged(list, [entries, seats.map(names), moves.reason, shown], () => rows(entries, moves.reason, shown, seats.length > 1));
    if (focused && !node.contains(document.activeElement)) heading.focus({ preventScroll: true });
  }

  function rows(entries, reason, shown, several) {
    const groups = new Map();
    for (const entry of entries) {
      const key = `${entry.seat} ${entry.command.type}`;
      groups.set(key, [...(groups.get(key) ?? []), entry]);
    }
    const why = () => el("p", { class: "soft", text: shown === null ? t(`reason.${reason ?? "none"}`) : t("reason.past") });
    return [entries.length > SEARCH_ABOVE ? search() : null, ...[...groups].map(([key, members]) => group(key, members, several)),
      entries.length ? null : why()];
  }

  function group(key, members, several) {
    const [first] = members;
    const rows = el("ul", {}, members.map((entry) => el("li", { on: aimListeners(entry) }, moveControl(entry, send))));
    const title = ruleset.words("commands", first.command.type) + (several ? ` (${names(first.seat)})` : "");
    if (members.length === 1) return el("div", { class: "group", data: { type: first.command.type } }, rows);
    const node = el("details", {
      class: "group", open: members.length <= OPEN_UP_TO || opened.has(key), data: { type: first.command.type },
      on: { toggle: () => (node.open ? opened.add(key) : opened.delete(key)) },
    }, el("summary", {}, title, el("span", { class: "count", text: members.length })), rows);
    return node;
  }

  function aimListeners(entry) {
    const [on, off] = [() => aim(entry), () => aim(null)];
    return { pointerenter: on, focusin: on, pointerleave: off, focusout: off };
  }

  function search() {
    const input = el("input", { type: "search", placeholder: t("search_moves"), "aria-label": t("search_moves"), on: { input: () => {
      const wanted = input.value.trim().toLowerCase();
      for (const item of list.querySelectorAll("li")) item.hidden = wanted !== "" && !item.textContent.toLowerCase().includes(wanted);
      if (wanted) for (const each of list.querySelectorAll("details")) each.open = true;
    } } });
    return input;
  }

  return { node, show };
}

/** Returns the control that makes a move: a button, or a number with a button. */
function moveControl(entry, send) {
  if (!entry.range) {
    return button(entry.text, () => send(entry), { class: "move", data: { command: JSON.stringify(entry.command) } });
  }
  const { name, min, max } = entry.range;
  const input = el("input", { type: "number", min, max, step: 1, value: min, required: true, inputmode: "numeric", "aria-label": entry.text });
  const submit = (event) => {
    event.preventDefault();
    send({ ...entry, command: { ...entry.command, [name]: input.valueAsNumber } });
  };
  return el("form", { class: "ranged", on: { submit } }, el("span", { text: entry.text }), input,
    el("button", { type: "submit", class: "move", data: { command: JSON.stringify(entry.command) }, text: t("make_move") }));
}

/** Opens a dialog to choose one of several moves at a place. `preview` draws a move where it can. */
export function openChoice(entries, { send, thumbnail, preview }) {
  const dialog = el("dialog", { class: "choose", id: "choose", "aria-label": t("choose"), on: {
    close: () => dialog.remove(),
    click: (event) => { if (event.target === dialog) dialog.close(); },
  } });
  const sendAndClose = (entry) => { dialog.close(); send(entry); };
  const items = entries.map((entry) => {
    const picture = thumbnail((whole) => preview(entry, whole));
    const control = moveControl(entry, sendAndClose);
    if (picture) control.prepend(picture);
    return el("li", { class: picture ? "drawn" : "" }, control);
  });
  dialog.append(el("div", { class: "row" }, el("h2", { text: t("choose") }), button("×", () => dialog.close(), { class: "quiet close", "aria-label": t("close") })),
    el("ul", {}, items));
  document.body.append(dialog);
  dialog.showModal();
}
