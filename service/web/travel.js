// Back in time: any version of the game, and a branch from there.

import { button, el } from "./dom.js";
import { t } from "./words.js";

const SETTLE = 120; // ms without moving before a version is fetched

/** Returns `{node, reach(version), go(version)}`. `looked(version)` is what is looked at, null: now. */
export function slider({ looked, branch }) {
  let newest = 1;
  let at = null;
  let timer = null;
  const range = el("input", { type: "range", min: 1, max: 1, value: 1, id: "travel", "aria-label": t("history"), on: { input: () => go(Number(range.value)) } });
  const label = el("output", { for: "travel" });
  const back = button("‹", () => go((at ?? newest) - 1), { class: "quiet", "aria-label": t("step_back") });
  const forth = button("›", () => go((at ?? newest) + 1), { class: "quiet", "aria-label": t("step_forth") });
  const now = button(t("now"), () => go(newest), { class: "quiet", id: "now" });
  const fork = button(t("branch"), () => branch(at ?? newest), { class: "quiet", id: "branch", title: t("branch_hint") });
  const node = el("div", { class: "travel" }, back, range, forth, label, now, fork);

  function go(version) {
    at = version >= newest ? null : Math.max(1, version);
    drawn();
    clearTimeout(timer);
    timer = setTimeout(() => looked(at), SETTLE);
  }

  function reach(version) {
    newest = version;
    drawn();
  }

  function drawn() {
    range.max = newest;
    range.value = at ?? newest;
    label.textContent = `${at ?? newest}/${newest}`;
    node.classList.toggle("past", at !== null);
    now.hidden = at === null;
    fork.hidden = at === null;
    back.disabled = (at ?? newest) <= 1;
    forth.disabled = at === null;
  }

  drawn();
  return { node, reach, go };
}
