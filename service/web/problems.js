// What went wrong, with the rule where there is one.

import { Unreachable } from "./api.js";
import { button, el, fill } from "./dom.js";
import { localized, t } from "./words.js";

let texts = new Map();

/** Says which rules there are (as a ruleset's description lists them), to show their texts. */
export function knowRules(rules) {
  texts = new Map(rules.map((rule) => [rule.id, rule.text]));
}

/** Takes away what was shown. */
export function clear() {
  fill(document.getElementById("problem"));
}

/** Shows a problem or any other failure; the page's own mistakes go to the console as well. */
export function show(fault, heading = null) {
  if (fault?.name === "AbortError") return;
  if (fault?.status === undefined && !(fault instanceof Unreachable)) console.error(fault);
  const parts = [el("strong", { text: heading ?? title(fault) })];
  if (fault.detail && fault.status !== 412) parts.push(el("p", { class: "detail", text: fault.detail }));
  if (fault.rule) {
    parts.push(el("p", { class: "rule" },
      el("a", { href: localized(fault.type), target: "_blank", rel: "noopener", text: t("rule", { rule: fault.rule }) }),
      texts.has(fault.rule) ? `: ${texts.get(fault.rule)}` : null));
  }
  fill(document.getElementById("problem"),
    el("div", { class: "problem", data: { code: fault.code ?? "", rule: fault.rule ?? "" } },
      el("div", {}, parts), button("×", clear, { class: "quiet close", "aria-label": t("close") })));
}

function title(fault) {
  if (fault instanceof Unreachable) return t("unreachable");
  if (fault.status === undefined) return t("broken");
  if (fault.status === 412) return t("moved_on");
  return fault.title ?? t("broken");
}
