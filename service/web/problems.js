// Shows what went wrong, with the rule if one was broken.

import { Unreachable } from "./api.js";
import { button, el, fill } from "./dom.js";
import { localAddress, t } from "./words.js";

let ruleTexts = new Map();

/** Sets the rules (as a ruleset's description lists them) whose texts are shown with problems. */
export function setRules(rules) {
  ruleTexts = new Map(rules.map((rule) => [rule.id, rule.text]));
}

/** Removes what is shown. */
export function clear() {
  fill(document.getElementById("problem"));
}

/** Shows a problem or any other error; errors of the page itself go to the console too. */
export function show(error, heading = null) {
  if (error?.name === "AbortError") return;
  if (error?.status === undefined && !(error instanceof Unreachable)) console.error(error);
  const parts = [el("strong", { text: heading ?? titleOf(error) })];
  if (error.detail && error.status !== 412) parts.push(el("p", { class: "detail", text: error.detail }));
  if (error.rule) {
    parts.push(el("p", { class: "rule" },
      el("a", { href: localAddress(error.type), target: "_blank", rel: "noopener", text: t("rule", { rule: error.rule }) }),
      ruleTexts.has(error.rule) ? `: ${ruleTexts.get(error.rule)}` : null));
  }
  fill(document.getElementById("problem"),
    el("div", { class: "problem", data: { code: error.code ?? "", rule: error.rule ?? "" } },
      el("div", {}, parts), button("×", clear, { class: "quiet close", "aria-label": t("close") })));
}

function titleOf(error) {
  if (error instanceof Unreachable) return t("unreachable");
  if (error.status === undefined) return t("failed");
  if (error.status === 412) return t("stale");
  return error.title ?? t("failed");
}
