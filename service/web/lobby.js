// The lobby: lay a table, go on at one's own, watch others.

import * as api from "./api.js";
import { button, disc, el, field, fill, released, select } from "./dom.js";
import * as options from "./options.js";
import * as problems from "./problems.js";
import * as rulesets from "./rulesets.js";
import { follow } from "./stream.js";
import { choice, localized, moment, t } from "./words.js";

const LISTED = 12;
const NAME = "bailli.name";
const HERE = "here";
const OPEN = "open";
const USUAL = "easy"; // the level that answers at once and is no fool

/** Shows the lobby. Returns what closes it. */
export async function open(main) {
  const known = await rulesets.list();
  const lists = el("div", { class: "lists" });
  fill(main, el("div", { class: "lobby" }, el("p", { class: "lead", text: t("lead") }), laying(known), lists));
  const ending = new AbortController();
  await show(lists, known);
  follow("/v1/turns", {
    bearer: api.token, after: null, signal: ending.signal, live: () => {},
    told: () => show(lists, known).catch(problems.show),
  }).catch(problems.show);
  return () => ending.abort();
}

async function show(lists, known) {
  const [own, running, waiting] = await Promise.all([
    api.get(`/v1/games?mine=true&limit=${LISTED}`),
    api.get(`/v1/games?status=playing&limit=${LISTED}`),
    api.get("/v1/turns"),
  ]);
  await released();
  const mine = new Set(own.games.map((game) => game.id));
  const due = new Set(waiting.turns.map((turn) => turn.game));
  fill(lists,
    listed(t("own_tables"), own.games, known, due, t("no_own_tables")),
    listed(t("other_tables"), running.games.filter((game) => !mine.has(game.id)), known, due, t("no_other_tables")));
}

function listed(title, games, known, due, none) {
  return el("section", { class: "card" }, el("h2", { text: title }),
    games.length ? el("ul", { class: "games" }, games.map((game) => row(game, known, due.has(game.id)))) : el("p", { class: "soft", text: none }));
}

function row(game, known, due) {
  const title = known.find((each) => each.id === game.ruleset.id)?.title ?? game.ruleset.id;
  return el("li", {}, el("a", { href: `#/g/${game.id}`, class: due ? "due" : "" },
    el("strong", { text: title }),
    el("span", { class: "people" }, game.seats.map((seat) => el("span", {}, disc(seat.seat), " ", seat.name ?? choice("kind", seat.open ? OPEN : seat.kind)))),
    el("span", { class: "soft", text: due ? t("your_turn") : `${choice("status", game.status)} · ${moment(game.changed_at)}` })));
}

/** The form that lays a table. */
function laying(known) {
  const place = el("div", { class: "chosen" });
  const picks = known.map((each, number) => el("label", { class: "pick" },
    el("input", { type: "radio", name: "ruleset", value: each.id, checked: number === 0, on: { change: () => pick(each.id) } }),
    el("span", { class: "face" }, el("strong", { text: each.title }), el("span", { class: "soft", text: t("seats_from_to", { from: Math.min(...each.seats), to: Math.max(...each.seats) }) }))));
  let picked = null;
  const pick = async (id) => {
    picked = id;
    try {
      const ruleset = await rulesets.load(id);
      if (picked === id) fill(place, details(ruleset)); // else another was picked meanwhile
    } catch (fault) {
      problems.show(fault);
    }
  };
  pick(known[0].id);
  return el("section", { class: "card laying" }, el("h2", { text: t("new_table") }),
    el("div", { class: "picks", role: "radiogroup", "aria-label": t("game") }, picks), place);
}

function details(ruleset) {
  const chosen = options.form(ruleset.options, (name) => ruleset.words("options", name), (value) => ruleset.value(value));
  const rows = el("div", { class: "seats" });
  let seats = [];
  const draw = () => fill(rows, seats.map((seat) => seat.node), more());
  const more = () => el("div", { class: "row" },
    seats.length < Math.max(...ruleset.seats) ? button(t("add_seat"), () => { seats.push(planned(seats.length, ruleset, "bot")); draw(); }, { class: "quiet" }) : null,
    seats.length > Math.min(...ruleset.seats) ? button(t("remove_seat"), () => { seats.pop(); draw(); }, { class: "quiet" }) : null);
  for (let number = 0; number < Math.min(...ruleset.seats); number += 1) seats.push(planned(number, ruleset, number ? "bot" : HERE));
  draw();
  const secret = el("input", { type: "checkbox", id: "private" });
  const advised = el("input", { type: "checkbox", id: "advised", checked: true });
  const clock = select([["", t("no_deadline")], ["60", t("minutes", { n: 1 })], ["300", t("minutes", { n: 5 })], ["86400", t("one_day")], ["259200", t("three_days")]], "");
  const lay = async (event) => {
    event.preventDefault();
    const go = event.submitter;
    go.disabled = true;
    problems.clear();
    try {
      location.hash = `#/g/${await created(ruleset, chosen.values(), seats, secret.checked, clock.value, advised.checked)}`;
    } catch (fault) {
      problems.show(fault);
    } finally {
      go.disabled = false;
    }
  };
  return el("form", { on: { submit: lay } },
    el("h3", { text: t("seats") }), rows,
    el("details", {}, el("summary", { text: t("options") }), chosen.node,
      el("div", { class: "options" }, field(t("deadline"), clock, t("deadline_hint")), field(t("advice_allowed"), advised, t("advice_hint")), field(t("private"), secret, t("private_hint")))),
    el("div", { class: "row end" }, el("a", { href: localized(ruleset.links.rules), target: "_blank", rel: "noopener", text: t("rule_book") }),
      el("button", { type: "submit", class: "main", id: "lay", text: t("lay") })));
}

function planned(number, ruleset, kind) {
  const name = el("input", { type: "text", maxlength: 40, "aria-label": t("name_of", { seat: number }), placeholder: t("name"), value: number === 0 ? (localStorage.getItem(NAME) ?? "") : "" });
  const levels = ruleset.levels.map(({ name: level }) => [level, t("bot_of", { level: choice("level", level) })]);
  const who = select([[HERE, t("plays_here")], [OPEN, t("invited")], ...levels], kind === "bot" ? USUAL : kind,
    { "aria-label": t("who_plays", { seat: number }), on: { change: () => { name.hidden = who.value !== HERE; } } });
  name.hidden = who.value !== HERE;
  return { node: el("div", { class: "seat" }, disc(number), who, name), who: () => who.value, name: () => name.value.trim() };
}

async function created(ruleset, chosen, seats, secret, seconds, advice) {
  const body = {
    ruleset: ruleset.id,
    options: chosen,
    seats: seats.map((seat) => ([HERE, OPEN].includes(seat.who()) ? { kind: "human" } : { kind: "bot", level: seat.who() })),
    advice,
    visibility: secret ? "private" : "public",
  };
  if (seconds) body.deadline = { per_move_seconds: Number(seconds), on_expiry: "bot" };
  const { body: made } = await api.ask("POST", "/v1/games", { body, key: api.fresh() });
  const id = made.game.id;
  const here = new Set(seats.flatMap((seat, number) => (seat.who() === HERE ? [number] : [])));
  api.keepCodes(id, made.claim_codes.filter((each) => !here.has(each.seat)), made.watch_code);
  for (const each of made.claim_codes.filter((code) => here.has(code.seat))) {
    const name = seats[each.seat].name() || t("player", { seat: each.seat });
    if (each.seat === 0 && seats[0].name()) localStorage.setItem(NAME, name);
    await api.ask("POST", `/v1/games/${id}/seats/${each.seat}`, {
      body: { claim_code: each.claim_code, name, entropy: api.fresh() }, key: api.fresh(),
    });
  }
  return id;
}
