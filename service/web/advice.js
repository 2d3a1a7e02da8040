// A bot's advice on the current move: requested at a level, shown as a list, marked in the picture.

import * as api from "./api.js";
import { announce, button, el, fill, select } from "./dom.js";
import * as problems from "./problems.js";
import { currentLanguage, t, textOf } from "./words.js";

const POLL = 400; // ms
const TOP = 3;
const LEVEL = "bailli.advice";

/**
 * Returns the advice panel: `{node, show(game, moves, entries)}`, hidden if no advice can be had.
 * `aim(entry)` highlights the entry that is looked at, `mark([[entry, rank], …])` those that are
 * advised; `signal` ends all waiting.
 */
export function panel({ ruleset, names, send, aim, mark, signal }) {
  const levels = ruleset.levels.filter((level) => level.method === "search").map(({ name }) => name);
  const level = select(levels.map((name) => [name, textOf("level", name)]), localStorage.getItem(LEVEL) ?? levels[0], { "aria-label": t("advice_level") });
  const ask = button(t("advice_ask"), requestAdvice, { id: "ask-advice" });
  const result = el("div", { class: "result" });
  const node = el("section", { class: "card advice", id: "advice", hidden: true, "aria-label": t("advice") },
    el("h2", { text: t("advice") }), el("div", { class: "row" }, level, ask), result);
  let game = null;
  let moves = null;
  let legal = null; // all legal moves as text: advice holds as long as this is the same
  let entries = [];
  let ranked = [];
  node.dataset.state = "none";

  function show(currentGame, currentMoves, currentEntries) {
    const before = legal;
    [game, moves, entries, legal] = [currentGame, currentMoves, currentEntries, JSON.stringify(currentMoves.moves)];
    node.hidden = !game.advice || !levels.length || !entries.length;
    if (legal !== before) setState("none");
    else mark(rankedEntries());
  }

  /** Sets what is below the button: nothing yet, that a bot is thinking, or what it advises. */
  function setState(state, advised = [], ...children) {
    node.dataset.state = state;
    ranked = advised;
    ask.setAttribute("aria-disabled", String(state === "waiting")); // unlike disabled, this keeps the focus
    fill(result, children);
    mark(rankedEntries());
  }

  async function requestAdvice() {
    if (node.dataset.state === "waiting") return;
    const about = legal;
    const path = `/v1/games/${game.id}/analyses`;
    localStorage.setItem(LEVEL, level.value);
    setState("waiting", [], el("p", { class: "soft", text: t("advice_waiting") }));
    try {
      const body = { level: level.value, top: TOP };
      let { body: analysis } = await api.request("POST", path, { body, key: api.randomKey(), signal });
      while (analysis.status === "waiting" && about === legal) {
        await api.pause(POLL);
        analysis = await api.get(analysis.links.self, { signal });
      }
      if (about === legal) showResult(analysis);
    } catch (error) {
      if (signal.aborted) return;
      if (about === legal) setState("none");
      problems.show(error);
    }
  }

  function showResult(analysis) {
    if (analysis.status === "failed" || !analysis.ranked.length) {
      setState("failed", [], el("p", { class: "soft", text: t("advice_failed") }));
      return;
    }
    const whose = moves.seats.length > 1 ? el("p", { class: "soft", text: names(analysis.seat) }) : null;
    const rest = analysis.line.slice(1).map((move) => move.text).join(" · ");
    setState("done", analysis.ranked, whose, el("ol", {}, analysis.ranked.map(row)), rest ? el("p", { class: "soft", text: t("advice_line", { moves: rest }) }) : null);
    announce(`${t("advice")}: ${analysis.ranked[0].text}`);
  }

  function row(each) {
    const number = (value, digits) => value.toLocaleString(currentLanguage(), { minimumFractionDigits: digits, maximumFractionDigits: digits });
    const points = t("advice_points", { points: number(each.expected_scores[each.seat], 1) });
    const chance = t("advice_chance", { chance: number(100 * each.win_chance, 0) });
    const on = () => aim(findEntry(each));
    const off = () => aim(null);
    return el("li", { on: { pointerenter: on, focusin: on, pointerleave: off, focusout: off } },
      button(el("span", { text: each.text }), () => send({ seat: each.seat, command: each.command, text: each.text }),
        { class: "move", data: { rank: each.rank, command: JSON.stringify(each.command) } }),
      el("small", { class: "soft", text: `${points} · ${chance}` }));
  }

  function rankedEntries() {
    return ranked.map((each) => [findEntry(each), each.rank]).filter(([entry]) => entry);
  }

  /** Returns the entry for a command: its own, or the one whose range holds it. */
  function findEntry({ seat, command }) {
    return entries.find((entry) => {
      if (entry.seat !== seat || entry.command.type !== command.type) return false;
      return Object.entries(command).every(([name, value]) => (entry.range?.name === name
        ? value !== null && entry.range.min <= value && value <= entry.range.max
        : JSON.stringify(entry.command[name]) === JSON.stringify(value)));
    });
  }

  return { node, show };
}
