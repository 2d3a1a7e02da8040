// Going back in time: to any version of the game, and branching off there.

import { button, el } from "./dom.js";
import { t } from "./words.js";

const SETTLE = 120; // ms without moving before a version is fetched

/**
 * Returns `{node, setNewest(version), go(version)}`. `onLook(version)` is called with the version
 * to look at, null for the newest; `branch(version)` branches off.
 */
export function slider({ onLook, branch }) {
  let newest = 1;
  let at = null;
  let timer = null;
  const range = el("input", { type: "range", min: 1, max: 1, value: 1, id: "timeline", "aria-label": t("history"), on: { input: () => go(Number(range.value)) } });
  const label = el("output", { for: "timeline" });
  const back = button("‹", () => go((at ?? newest) - 1), { class: "quiet", "aria-label": t("step_back") });
  const forward = button("›", () => go((at ?? newest) + 1), { class: "quiet", "aria-label": t("step_forward") });
  const now = button(t("back_to_now"), () => go(newest), { class: "quiet", id: "now" });
  const fork = button(t("branch"), () => branch(at ?? newest), { class: "quiet", id: "branch", title: t("branch_hint") });
  const node = el("div", { class: "timeline" }, back, range, forward, label, now, fork);

  function go(version) {
    at = version >= newest ? null : Math.max(1, version);
    update();
    clearTimeout(timer);
    timer = setTimeout(() => onLook(at), SETTLE);
  }

  function setNewest(version) {
    newest = version;
    update();
  }

  function update() {
    range.max = newest;
    range.value = at ?? newest;
    label.textContent = `${at ?? newest}/${newest}`;
    node.classList.toggle("past", at !== null);
    now.hidden = at === null;
    fork.hidden = at === null;
    back.disabled = (at ?? newest) <= 1;
    forward.disabled = at === null;
  }

  update();
  return { node, setNewest, go };
}
