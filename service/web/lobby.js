// The lobby: create a game, go on with your own games, watch others.

import * as api from "./api.js";
import { button, disc, el, field, fill, select, whenReleased } from "./dom.js";
import { follow } from "./event_stream.js";
import * as optionsForm from "./options_form.js";
import * as problems from "./problems.js";
import * as rulesets from "./rulesets.js";
import { formatTime, localAddress, t, textOf } from "./words.js";

const LISTED = 12; // games a list shows
const NAME = "bailli.name";
const HERE = "here";
const OPEN = "open";
const DEFAULT_LEVEL = "easy"; // moves at once and is no fool

/** Shows the lobby. Returns the function that closes it. */
export async function open(main) {
  const summaries = await rulesets.list();
  const lists = el("div", { class: "lists" });
  fill(main, el("div", { class: "lobby" }, el("p", { class: "introduction", text: t("introduction") }), creationForm(summaries), lists));
  const ending = new AbortController();
  await showGames(lists, summaries);
  follow("/v1/turns", {
    readToken: api.clientToken, after: null, signal: ending.signal, onConnection: () => {},
    onMessage: () => showGames(lists, summaries).catch(problems.show),
  }).catch(problems.show);
  return () => ending.abort();
}

async function showGames(lists, summaries) {
  const [own, playing, inbox] = await Promise.all([
    api.get(`/v1/games?mine=true&limit=${LISTED}`),
    api.get(`/v1/games?status=playing&limit=${LISTED}`),
    api.get("/v1/turns"),
  ]);
  await whenReleased();
  const ownIds = new Set(own.games.map((game) => game.id));
  const due = new Set(inbox.turns.map((turn) => turn.game));
  fill(lists,
    gameList(t("your_games"), own.games, summaries, due, t("no_games_of_yours")),
    gameList(t("other_games"), playing.games.filter((game) => !ownIds.has(game.id)), summaries, due, t("no_other_games")));
}

function gameList(title, games, summaries, due, none) {
  return el("section", { class: "card" }, el("h2", { text: title }),
    games.length ? el("ul", { class: "games" }, games.map((game) => gameRow(game, summaries, due.has(game.id)))) : el("p", { class: "soft", text: none }));
}

function gameRow(game, summaries, due) {
  const title = summaries.find((each) => each.id === game.ruleset.id)?.title ?? game.ruleset.id;
  return el("li", {}, el("a", { href: `#/g/${game.id}`, class: due ? "due" : "" },
    el("strong", { text: title }),
    el("span", { class: "people" }, game.seats.map((seat) => el("span", {}, disc(seat.seat), " ", seat.name ?? textOf("kind", seat.open ? OPEN : seat.kind)))),
    el("span", { class: "soft", text: due ? t("your_turn") : `${textOf("status", game.status)} · ${formatTime(game.changed_at)}` })));
}

/** Returns the form that creates a game. */
function creationForm(summaries) {
  const place = el("div", { class: "chosen" });
  const picks = summaries.map((each, number) => el("label", { class: "pick" },
    el("input", { type: "radio", name: "ruleset", value: each.id, checked: number === 0, on: { change: () => pick(each.id) } }),
    el("span", { class: "face" }, el("strong", { text: each.title }), el("span", { class: "soft", text: t("player_counts", { from: Math.min(...each.seats), to: Math.max(...each.seats) }) }))));
  let picked = null;
  const pick = async (id) => {
    picked = id;
    try {
      const ruleset = await rulesets.load(id);
      if (picked === id) fill(place, rulesetForm(ruleset)); // else another was picked meanwhile
    } catch (error) {
      problems.show(error);
    }
  };
  pick(summaries[0].id);
  return el("section", { class: "card creation" }, el("h2", { text: t("new_game") }),
    el("div", { class: "picks", role: "radiogroup", "aria-label": t("game") }, picks), place);
}

/** Returns the part of the form that depends on the game: seats, options, the button. */
function rulesetForm(ruleset) {
  const options = optionsForm.form(ruleset.options, (name) => ruleset.words("options", name), (value) => ruleset.value(value));
  const rows = el("div", { class: "seats" });
  const [fewest, most] = [Math.min(...ruleset.seats), Math.max(...ruleset.seats)];
  const seats = [];
  const update = () => fill(rows, seats.map((seat) => seat.node), changeCount());
  const changeCount = () => el("div", { class: "row" },
    seats.length < most ? button(t("add_seat"), () => { seats.push(seatRow(seats.length, ruleset, DEFAULT_LEVEL)); update(); }, { class: "quiet" }) : null,
    seats.length > fewest ? button(t("remove_seat"), () => { seats.pop(); update(); }, { class: "quiet" }) : null);
  for (let number = 0; number < fewest; number += 1) seats.push(seatRow(number, ruleset, number ? DEFAULT_LEVEL : HERE));
  update();
  const isPrivate = el("input", { type: "checkbox", id: "private" });
  const advice = el("input", { type: "checkbox", id: "allow-advice", checked: true });
  const clock = select([["", t("no_time_limit")], ["60", t("minutes", { n: 1 })], ["300", t("minutes", { n: 5 })], ["86400", t("one_day")], ["259200", t("three_days")]], "");
  const submit = async (event) => {
    event.preventDefault();
    const create = event.submitter;
    create.disabled = true;
    problems.clear();
    try {
      location.hash = `#/g/${await createGame(ruleset, options.values(), seats, isPrivate.checked, clock.value, advice.checked)}`;
    } catch (error) {
      problems.show(error);
    } finally {
      create.disabled = false;
    }
  };
  return el("form", { on: { submit } },
    el("h3", { text: t("players") }), rows,
    el("details", {}, el("summary", { text: t("options") }), options.node,
      el("div", { class: "options" }, field(t("time_per_move"), clock, t("time_per_move_hint")), field(t("advice_allowed"), advice, t("advice_hint")), field(t("private"), isPrivate, t("private_hint")))),
    el("div", { class: "row end" }, el("a", { href: localAddress(ruleset.links.rules), target: "_blank", rel: "noopener", text: t("rule_book") }),
      el("button", { type: "submit", class: "main", id: "create", text: t("create_game") })));
}

/** Returns a seat of the form, `{node, player(), name()}`. `chosen` is HERE, OPEN or a bot's level. */
function seatRow(number, ruleset, chosen) {
  const name = el("input", { type: "text", maxlength: 40, "aria-label": t("name_of", { seat: number }), placeholder: t("name"), value: number === 0 ? (localStorage.getItem(NAME) ?? "") : "" });
  const levels = ruleset.levels.map(({ name: level }) => [level, t("bot_of", { level: textOf("level", level) })]);
  const player = select([[HERE, t("plays_here")], [OPEN, t("by_invitation")], ...levels], chosen,
    { "aria-label": t("who_plays", { seat: number }), on: { change: () => { name.hidden = player.value !== HERE; } } });
  name.hidden = player.value !== HERE;
  return { node: el("div", { class: "seat" }, disc(number), player, name), player: () => player.value, name: () => name.value.trim() };
}

/** Creates a game, joins the seats that are played in this browser, and returns the game's id. */
async function createGame(ruleset, options, seats, isPrivate, seconds, advice) {
  const body = {
    ruleset: ruleset.id,
    options,
    seats: seats.map((seat) => ([HERE, OPEN].includes(seat.player()) ? { kind: "human" } : { kind: "bot", level: seat.player() })),
    advice,
    visibility: isPrivate ? "private" : "public",
  };
  if (seconds) body.deadline = { per_move_seconds: Number(seconds), on_expiry: "bot" };
  const { body: created } = await api.request("POST", "/v1/games", { body, key: api.randomKey() });
  const id = created.game.id;
  const here = new Set(seats.flatMap((seat, number) => (seat.player() === HERE ? [number] : [])));
  api.storeCodes(id, created.claim_codes.filter((each) => !here.has(each.seat)), created.watch_code);
  for (const each of created.claim_codes.filter((code) => here.has(code.seat))) {
    const name = seats[each.seat].name() || t("player", { seat: each.seat });
    if (each.seat === 0 && seats[0].name()) localStorage.setItem(NAME, name);
    await api.request("POST", `/v1/games/${id}/seats/${each.seat}`, {
      body: { claim_code: each.claim_code, name, entropy: api.randomKey() }, key: api.randomKey(),
    });
  }
  return id;
}
