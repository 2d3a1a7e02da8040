// A bot's advice on what to do now: asked for at a level, told as a list, marked in the picture.

import * as api from "./api.js";
import { announce, button, el, fill, select } from "./dom.js";
import * as problems from "./problems.js";
import { choice, now, t } from "./words.js";

const POLL = 400; // ms
const TOP = 3;
const LEVEL = "bailli.advice";

/**
 * Returns the panel of advice: `{node, show(game, moves, entries)}`, hidden where none can be asked for.
 * `aim(entry)` lights up what is looked at, `mark([[entry, rank], …])` what is advised; `signal`
 * ends all waiting.
 */
export function panel({ ruleset, names, send, aim, mark, signal }) {
  const levels = ruleset.levels.filter((level) => level.method === "search").map(({ name }) => name);
  const level = select(levels.map((name) => [name, choice("level", name)]), localStorage.getItem(LEVEL) ?? levels[0], { "aria-label": t("advice_level") });
  const asking = button(t("advice_ask"), ask, { id: "ask-advice" });
  const told = el("div", { class: "told" });
  const node = el("section", { class: "card advice", id: "advice", hidden: true, "aria-label": t("advice") },
    el("h2", { text: t("advice") }), el("div", { class: "row" }, level, asking), told);
  let game = null;
  let moves = null;
  let may = null; // all that may be sent: advice is as good as long as this is the same
  let entries = [];
  let ranked = [];
  node.dataset.state = "none";

  function show(table, listed, found) {
    const before = may;
    [game, moves, entries, may] = [table, listed, found, JSON.stringify(listed.moves)];
    node.hidden = !game.advice || !levels.length || !entries.length;
    if (may !== before) settle("none");
    else mark(placed());
  }

  /** What stands below the button: nothing yet, that a bot is thinking, or what it found. */
  function settle(state, found = [], ...parts) {
    node.dataset.state = state;
    ranked = found;
    asking.setAttribute("aria-disabled", String(state === "waiting")); // and yet it keeps the focus
    fill(told, parts);
    mark(placed());
  }

  async function ask() {
    if (node.dataset.state === "waiting") return;
    const about = may;
    const path = `/v1/games/${game.id}/analyses`;
    localStorage.setItem(LEVEL, level.value);
    settle("waiting", [], el("p", { class: "soft", text: t("advice_waiting") }));
    try {
      const body = { level: level.value, top: TOP };
      let { body: found } = await api.ask("POST", path, { body, key: api.fresh(), signal });
      while (found.status === "waiting" && about === may) {
        await api.pause(POLL);
        found = await api.get(found.links.self, { signal });
      }
      if (about === may) tell(found);
    } catch (fault) {
      if (signal.aborted) return;
      if (about === may) settle("none");
      problems.show(fault);
    }
  }

  function tell(found) {
    if (found.status === "failed" || !found.ranked.length) {
      settle("failed", [], el("p", { class: "soft", text: t("advice_failed") }));
      return;
    }
    const whose = moves.seats.length > 1 ? el("p", { class: "soft", text: names(found.seat) }) : null;
    const rest = found.line.slice(1).map((move) => move.text).join(" · ");
    settle("done", found.ranked, whose, el("ol", {}, found.ranked.map(row)), rest ? el("p", { class: "soft", text: t("advice_line", { moves: rest }) }) : null);
    announce(`${t("advice")}: ${found.ranked[0].text}`);
  }

  function row(each) {
    const number = (value, digits) => value.toLocaleString(now(), { minimumFractionDigits: digits, maximumFractionDigits: digits });
    const points = t("advice_points", { points: number(each.expected_scores[each.seat], 1) });
    const chance = t("advice_chance", { chance: number(100 * each.win_chance, 0) });
    const on = () => aim(entryOf(each));
    const off = () => aim(null);
    return el("li", { on: { pointerenter: on, focusin: on, pointerleave: off, focusout: off } },
      button(el("span", { text: each.text }), () => send({ seat: each.seat, command: each.command, text: each.text }),
        { class: "move", data: { rank: each.rank, command: JSON.stringify(each.command) } }),
      el("small", { class: "soft", text: `${points} · ${chance}` }));
  }

  function placed() {
    return ranked.map((each) => [entryOf(each), each.rank]).filter(([entry]) => entry);
  }

  /** The entry of the list of moves that a command is, or that folds it. */
  function entryOf({ seat, command }) {
    return entries.find((entry) => {
      if (entry.seat !== seat || entry.command.type !== command.type) return false;
      return Object.entries(command).every(([name, value]) => (entry.range?.name === name
        ? value !== null && entry.range.min <= value && value <= entry.range.max
        : JSON.stringify(entry.command[name]) === JSON.stringify(value)));
    });
  }

  return { node, show };
}
