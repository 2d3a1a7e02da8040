// The picture of a position, in which moves can be clicked.

import { el, fill, svg } from "./dom.js";
import { t } from "./words.js";

const STYLE = `
svg.bailli{display:block;width:100%;height:auto}
p{margin:1rem}
.target{cursor:pointer}
.target:hover{filter:brightness(1.12) saturate(1.2)}
.target:focus{outline:none}
.target:focus-visible{outline:3px solid var(--mark);outline-offset:2px}
.target.link .way,.target.link .bed{stroke-width:9}
.advised{filter:drop-shadow(0 0 3px var(--mark))}
.advice-rank{pointer-events:none}
.advice-rank circle{fill:var(--mark);stroke:#fff;stroke-width:1.5}
.advice-rank text{fill:#fff;font-family:ui-sans-serif,system-ui,sans-serif;font-weight:700;text-anchor:middle;dominant-baseline:central}
.aimed{filter:drop-shadow(0 0 2px var(--mark)) drop-shadow(0 0 5px var(--mark)) brightness(1.1)}
`;

/**
 * Returns `{node, show(document, targets), aim(entry), advise(ranked)}`. `targets` are pairs
 * `[selector, entries]`; a click on such a place calls `onChoose(entries, thumbnail)`, one on anything
 * else `onMiss(element)`. The picture lives in a shadow tree with its own style sheet, so that the
 * content security policy needs no exception.
 */
export function panel({ onChoose, onMiss }) {
  const node = el("div", { class: "picture", id: "picture" });
  const root = node.attachShadow({ mode: "open" });
  const ownStyle = styleSheet(STYLE);
  let drawn = null;
  let styles = [];
  root.adoptedStyleSheets = [ownStyle];

  root.addEventListener("click", (event) => {
    const target = event.target.closest(".target");
    if (target) onChoose(target.entries, thumbnail);
    else onMiss(event.target);
  });
  root.addEventListener("keydown", (event) => {
    const target = event.target.closest?.(".target");
    if (target && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      onChoose(target.entries, thumbnail);
    }
  });

  function show(text, targets) {
    if (text === null) {
      fill(root, el("p", { text: t("not_started") }));
      drawn = null;
      return;
    }
    const focused = root.activeElement ? labelOf(root.activeElement) : null;
    if (text !== drawn) {
      styles = []; // removed before parsing, as the content security policy objects even there
      const bare = text.replace(/<style>([^<]*)<\/style>/g, (_, style) => {
        styles.push(styleSheet(style));
        return "";
      });
      const parsed = new DOMParser().parseFromString(bare, "image/svg+xml").documentElement;
      root.adoptedStyleSheets = [...styles, ownStyle];
      parsed.setAttribute("role", "group"); // role=img would hide the contents from screen readers
      fill(root, document.importNode(parsed, true));
      drawn = text;
    }
    mark(targets);
    if (focused) [...root.querySelectorAll(".target")].find((each) => labelOf(each) === focused)?.focus();
  }

  function mark(targets) {
    for (const old of root.querySelectorAll(".target")) {
      old.classList.remove("target", "aimed");
      for (const name of ["role", "tabindex", "aria-label"]) old.removeAttribute(name);
      old.entries = [];
    }
    for (const [selector, entries] of targets) {
      for (const place of root.querySelectorAll(selector)) {
        place.classList.add("target");
        place.entries = [...(place.entries ?? []), ...entries];
        const title = place.querySelector("title")?.textContent;
        const does = place.entries.length === 1 ? place.entries[0].text : t("choices", { n: place.entries.length });
        place.setAttribute("role", "button");
        place.setAttribute("tabindex", "0");
        place.setAttribute("aria-label", title ? `${title}. ${does}` : does);
      }
    }
  }

  /** Highlights the places of an entry and no others; null highlights nothing. */
  function aim(entry) {
    for (const place of root.querySelectorAll(".target")) place.classList.toggle("aimed", place.entries.includes(entry));
  }

  /** Numbers the places of the advised entries, `[[entry, rank], …]`, best first, and no others. */
  function advise(ranked) {
    for (const old of root.querySelectorAll(".advice-rank")) old.remove();
    for (const old of root.querySelectorAll(".advised")) old.classList.remove("advised");
    for (const [entry, rank] of ranked) {
      const places = [...root.querySelectorAll(".target:not(.advised)")].filter((place) => place.entries.includes(entry));
      for (const place of places) {
        place.classList.add("advised");
        place.after(badge(place, rank));
      }
    }
  }

  function thumbnail(draw) {
    const whole = root.querySelector("svg");
    const small = whole && draw(whole);
    if (!small) return null;
    const holder = el("span", { class: "thumbnail", "aria-hidden": "true" });
    const inner = holder.attachShadow({ mode: "open" });
    inner.adoptedStyleSheets = [...styles, ownStyle];
    inner.append(small);
    return holder;
  }

  return { node, show, aim, advise };
}

/** Returns the rank of an advised move as a badge on its place. */
function badge(place, rank) {
  const { x, y, width, height } = place.getBBox();
  const size = Math.max(9, Math.min(22, 0.2 * Math.min(width, height)));
  const [left, top] = [x + width - size, y + size];
  return svg("g", { class: "advice-rank", "aria-hidden": "true", transform: place.getAttribute("transform") },
    svg("circle", { cx: left, cy: top, r: size }), svg("text", { x: left, y: top, "font-size": 1.3 * size, text: rank }));
}

function labelOf(element) {
  return element.getAttribute("aria-label");
}

function styleSheet(text) {
  const made = new CSSStyleSheet();
  made.replaceSync(text);
  return made;
}
