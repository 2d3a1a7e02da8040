// The current score; at the end the result, as a chart and line by line.

import { disc, el, fill, svg } from "./dom.js";
import { t } from "./words.js";

const COLOURS = 8;
const WIDE = 300;
const HIGH = 26;
const LABEL = 26;

/** Returns the score panel: `{node, show(score, game)}`. */
export function panel({ ruleset, names }) {
  const heading = el("h2");
  const body = el("div");
  const node = el("section", { class: "card", id: "score", "aria-label": t("score") }, heading, body);

  function show(score, game) {
    heading.textContent = score.final ? t("result") : t("score_now");
    node.classList.toggle("final", score.final);
    node.hidden = score.seats.length === 0;
    const items = [...new Set(score.seats.flatMap((seat) => seat.items.map((item) => item.name)))];
    fill(body, standings(score, game), score.final ? [chart(score, items), breakdown(score, items)] : details(score));
  }

  function standings(score, game) {
    const ranked = score.final ? [...score.seats].sort((one, other) => one.rank - other.rank) : score.seats;
    return el("table", { class: "standings" },
      el("thead", { class: "hidden" }, el("tr", {}, el("th", { text: t("seat_title") }), el("th", { text: t("points") }))),
      el("tbody", {}, ranked.map((seat) => el("tr", { class: game.to_act.includes(seat.seat) ? "acts" : "" },
        el("th", { scope: "row" }, disc(seat.seat), " ", names(seat.seat),
          score.resigned.includes(seat.seat) ? el("span", { class: "soft", text: ` (${t("resigned")})` }) : null,
          score.final && seat.rank === 1 ? el("span", { class: "winner", text: ` ${t("wins")}` }) : null),
        el("td", { text: seat.total })))));
  }

  function details(score) {
    return el("details", {}, el("summary", { text: t("line_by_line") }),
      score.seats.map((seat) => el("div", {}, el("h3", {}, disc(seat.seat), " ", names(seat.seat)),
        el("ul", { class: "items" }, seat.items.filter((item) => item.points).map((item) =>
          el("li", {}, el("span", { text: describeItem(item) }), el("span", { text: item.points })))))));
  }

  function describeItem(item) {
    const facts = Object.entries(item).filter(([name, value]) =>
      !["name", "points"].includes(name) && (typeof value === "number" || value === true));
    return `${ruleset.words("items", item.name)}${facts.length ? ` (${facts.map(([name, value]) => (value === true ? ruleset.words("facts", name) : `${ruleset.words("facts", name)} ${value}`)).join(", ")})` : ""}`;
  }

  function sumOf(seat, name) {
    return seat.items.reduce((sum, item) => (item.name === name ? sum + item.points : sum), 0);
  }

  /** Returns a bar for each seat, with a part for each line of the score; the table below has the same numbers. */
  function chart(score, items) {
    const highest = Math.max(1, ...score.seats.map((seat) => items.reduce((sum, name) => sum + Math.max(0, sumOf(seat, name)), 0)));
    const rows = score.seats.map((seat, place) => {
      let x = LABEL;
      const bars = items.map((name, number) => {
        const wide = Math.max(0, sumOf(seat, name)) * (WIDE - LABEL - 34) / highest;
        const bar = svg("rect", { x, y: 4, width: wide, height: HIGH - 8, class: `part part-${number % COLOURS}` }, svg("title", { text: `${ruleset.words("items", name)}: ${sumOf(seat, name)}` }));
        x += wide;
        return wide ? bar : null;
      });
      return svg("g", { transform: `translate(0 ${place * HIGH})` },
        svg("circle", { cx: 11, cy: HIGH / 2, r: 9, class: `dot seat-${seat.seat}` }),
        svg("text", { x: 11, y: HIGH / 2 + 4, class: `on on-${seat.seat}`, text: seat.seat }),
        bars, svg("text", { x: x + 6, y: HIGH / 2 + 5, class: "sum", text: seat.total }));
    });
    return el("figure", { class: "chart" },
      svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH * score.seats.length}`, role: "img", "aria-label": t("chart") }, rows),
      el("figcaption", {}, items.map((name, number) => el("span", {}, el("span", { class: `key part-${number % COLOURS}` }), ruleset.words("items", name)))));
  }

  function breakdown(score, items) {
    return el("div", { class: "scrolls", tabindex: "0", role: "group", "aria-label": t("breakdown") }, el("table", { class: "breakdown" },
      el("thead", {}, el("tr", {}, el("th", { text: t("points") }), score.seats.map((seat) => el("th", { scope: "col" }, disc(seat.seat), el("span", { class: "hidden", text: names(seat.seat) }))))),
      el("tbody", {}, items.map((name) => el("tr", {}, el("th", { scope: "row", text: ruleset.words("items", name) }), score.seats.map((seat) => el("td", { text: sumOf(seat, name) }))))),
      el("tfoot", {}, el("tr", {}, el("th", { scope: "row", text: t("total") }), score.seats.map((seat) => el("td", { text: seat.total }))))));
  }

  return { node, show };
}
