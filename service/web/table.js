// A table: the picture, what may be done, the score, what happened; live, or as it was earlier.

import * as advising from "./advice.js";
import * as api from "./api.js";
import { announce, button, disc, el, fill, refill, released } from "./dom.js";
import * as invite from "./invite.js";
import * as logs from "./log.js";
import * as moving from "./moves.js";
import * as pictures from "./picture.js";
import * as problems from "./problems.js";
import * as rulesets from "./rulesets.js";
import * as scores from "./score.js";
import { follow } from "./stream.js";
import * as travel from "./travel.js";
import { localized, t } from "./words.js";

const SETTLE = 60; // ms: what happens together is fetched once
const AGAIN = 2000; // ms until what could not be fetched is asked for again
const ASKED_FIRST = new Set(["start", "undo", "accept_undo", "refuse_undo"]);
const GRAVE = new Set(["resign", "abandon", "give_to_bot", "hand_over", "leave"]);

/** Shows a game's table. Returns what closes it. */
export async function open(main, id) {
  const path = `/v1/games/${id}`;
  const bearer = () => api.reader(id);
  const look = (suffix, options = {}) => api.ask("GET", path + suffix, { bearer: bearer(), ...options });
  const ending = new AbortController();

  let game = (await look("")).body;
  const ruleset = await rulesets.load(game.ruleset.id);
  problems.knowRules([...ruleset.rules, ...ruleset.table_rules]);
  let moves = null;
  let entries = []; // the moves as they are shown
  let shown = null; // the version looked at; null: the newest
  let sending = false;
  let reached = 0; // the version of what was sent last: until that is shown nothing else is sent

  const names = (seat) => game.seats[seat]?.name ?? (game.seats[seat]?.kind === "bot" ? t("bot", { seat }) : t("seat", { seat }));
  const picture = pictures.frame({ chosen, wondered });
  const log = logs.panel({ ruleset, names, jump: (version) => timeline.go(version) });
  const score = scores.panel({ ruleset, names });
  const panel = moving.panel({ ruleset, names, send, aim: picture.aim });
  const advice = advising.panel({ ruleset, names, send, aim: picture.aim, mark: picture.advise, signal: ending.signal });
  const timeline = travel.slider({ looked: (version) => { shown = version; schedule(0); }, branch });
  const turn = el("div", { class: "turn", id: "turn", role: "status" });
  const invitations = el("div", { class: "invitations" });
  const more = el("div", { class: "row wrap" });
  const root = el("div", { class: "table", id: "table", data: { live: "false" } },
    el("div", { class: "bar" }, el("h1", { text: ruleset.title }),
      el("a", { href: localized(ruleset.links.rules), target: "_blank", rel: "noopener", text: t("rule_book") })),
    turn, invitations,
    el("div", { class: "columns" },
      el("section", { class: "boards", "aria-label": t("board") }, timeline.node, picture.node),
      el("div", { class: "side" }, panel.node, advice.node, score.node, log.node,
        el("details", { class: "card more" }, el("summary", { text: t("at_the_table") }), more))));
  fill(main, root);

  // --- what is known, fetched anew after anything happened

  let timer = null;
  let busy = false;
  function schedule(delay = SETTLE) {
    timer ??= setTimeout(() => { timer = null; refresh(); }, delay);
  }

  async function refresh() {
    if (ending.signal.aborted) return;
    if (busy) {
      schedule();
      return;
    }
    busy = true;
    try {
      await fetched();
    } catch (fault) {
      if (ending.signal.aborted) return;
      problems.show(fault);
      if (fault instanceof api.Unreachable || fault.status >= 429) schedule(AGAIN);
    } finally {
      busy = false;
    }
  }

  async function fetched() {
    const then = shown === null ? "" : `version=${shown}`;
    const asked = [look(then && `?${then}`), look(`/moves?ranges=true${then && `&${then}`}`), look(`/score${then && `?${then}`}`)];
    const [found, may, points] = await Promise.all(asked);
    const marking = shown === null && may.body.moves.length > 0;
    const query = [then, marking ? "moves=true" : ""].filter(Boolean).join("&");
    const drawn = found.body.board === null ? null : (await look(`/board.svg${query && `?${query}`}`, { as: "text" })).body;
    await released();
    if (ending.signal.aborted) return;
    game = found.body;
    moves = { ...may.body, tag: may.headers.get("ETag") };
    if (shown === null) timeline.reach(game.version);
    else moves.version = reached; // nothing is sent from the past
    entries = kept(entries, shown === null ? moving.entries(moves, ruleset.places.folds) : []);
    picture.show(drawn, ruleset.places.targets(entries, game.board));
    panel.show(entries, moves, shown);
    advice.show(game, moves, entries);
    score.show(points.body, game);
    tell();
    busily();
    Object.assign(root.dataset, { version: game.version, status: game.status, shown: shown ?? "", moves: entries.length });
  }

  /** Returns the entries of before where they are the same: rows and places know them. */
  function kept(before, now) {
    return JSON.stringify(before) === JSON.stringify(now) ? before : now;
  }

  // --- what is due, and the table's own commands

  let told = "";
  function tell() {
    const own = game.to_act.filter((seat) => moves.seats.includes(seat));
    const others = game.to_act.filter((seat) => !moves.seats.includes(seat));
    const text = whose(own, others);
    const offered = moves.table.map((move) => [move.seat, move.command, move.text]);
    const facts = [text, game.to_act, game.clocks, game.status, game.seats, offered, moves.seats, moves.moves.length, shown];
    refill(turn, facts, () => [el("span", { class: "what", text }), game.to_act.map(disc), clock(), toMoves(), buttons(ASKED_FIRST), rematch()]);
    turn.classList.toggle("own", own.length > 0 && game.status === "playing" && shown === null);
    document.title = `${own.length && game.status === "playing" ? "● " : ""}${ruleset.title} · Bailli`;
    if (text !== told) announce(text);
    told = text;
    refill(invitations, [game.seats, api.codes(id)], invited);
    refill(more, [offered, game.seats, moves.seats, shown, api.codes(id).watch], () => [buttons(GRAVE), shared()]);
    more.parentElement.hidden = more.childElementCount === 0;
  }

  function whose(own, others) {
    if (shown !== null) return t("looking_back", { version: shown });
    if (game.undo) return t("undo_asked", { name: names(game.undo.seat) });
    if (game.status !== "playing") return t(`told.${game.status}`);
    const several = moves.seats.length > 1;
    if (own.length) return several ? t("turn_of", { names: own.map(names).join(", ") }) : t("your_turn");
    return t("waiting_for", { names: others.map(names).join(", ") });
  }

  function clock() {
    const due = game.clocks.filter((each) => each.deadline !== null).map((each) => each.deadline);
    if (!due.length || shown !== null || game.status !== "playing") return null;
    const node = el("span", { class: "clock" });
    const tick = () => {
      const left = Math.max(0, Math.round((Math.min(...due) - Date.now()) / 1000));
      node.textContent = t("time_left", { time: `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}` });
      if (node.isConnected) setTimeout(tick, 1000);
    };
    setTimeout(tick);
    return node;
  }

  /** On a phone the moves are far below. */
  function toMoves() {
    if (!moves.moves.length || shown !== null) return null;
    return button(t("to_moves", { n: moves.moves.length }), () => panel.node.scrollIntoView({ block: "start" }), { class: "jump" });
  }

  function buttons(types) {
    if (shown !== null) return [];
    return moves.table.filter((move) => types.has(move.command.type)).map((move) => {
      const short = types === GRAVE ? move.text : ruleset.words("commands", move.command.type);
      const text = moves.seats.length > 1 && move.seat !== null ? `${short} (${names(move.seat)})` : short;
      return button(text, () => send(move), { class: types === GRAVE ? "quiet" : "", title: move.text, data: { type: move.command.type } });
    });
  }

  function rematch() {
    const over = ["scoring", "finished", "abandoned"].includes(game.status);
    if (!over || !moves.seats.length || game.tournament) return null;
    return button(t("rematch"), async () => {
      try {
        const { body } = await api.ask("POST", `${path}/rematch`, { body: {}, key: api.fresh() });
        api.keepCodes(body.game.id, body.claim_codes, body.watch_code);
        location.hash = `#/g/${body.game.id}`;
      } catch (fault) {
        problems.show(fault);
      }
    }, { data: { type: "rematch" } });
  }

  function invited() {
    const codes = api.codes(id);
    return game.seats.filter((seat) => seat.open && codes[seat.seat]).map((seat) =>
      shareable(t("invite_to", { seat: seat.seat }), invite.link(id, seat.seat, codes[seat.seat]), seat.seat));
  }

  function shared() {
    const code = api.codes(id).watch;
    return code ? shareable(t("watch_link"), invite.watching(id, code)) : null;
  }

  function shareable(label, address, seat = null) {
    const text = el("input", { type: "text", readonly: true, value: address, "aria-label": label, on: { focus: () => text.select() } });
    const copy = button(t("copy"), async () => {
      text.select();
      await navigator.clipboard.writeText(address).then(() => announce(t("copied")), () => {});
    });
    return el("div", { class: "share" }, seat === null ? null : disc(seat), el("span", { text: label }), text, copy);
  }

  // --- doing something

  /** Sends a move as it was listed; one that another client made stale is sent again if it is still legal. */
  async function send(move) {
    if (sending || moves.version < reached) return;
    const grave = GRAVE.has(move.command.type);
    if (grave && !(await moving.agreed(move))) return;
    sending = true;
    busily();
    const body = { seat: move.seat, command: move.command };
    try {
      const { body: done } = await post(body, moves.tag);
      problems.clear();
      reached = done.version;
      if (done.claim_codes.length) api.keepCodes(id, done.claim_codes);
      schedule(0);
    } catch (fault) {
      problems.show(fault);
      schedule(0);
    } finally {
      sending = false;
      busily();
    }
  }

  function busily() {
    root.classList.toggle("sending", sending || moves.version < reached);
  }

  async function post(body, tag) {
    const key = api.fresh();
    try {
      return await api.ask("POST", `${path}/commands`, { body, key, headers: { "If-Match": tag } });
    } catch (fault) {
      if (fault.status !== 412) throw fault;
      const now = await look("/moves");
      const same = JSON.stringify(body);
      const still = [...now.body.moves, ...now.body.table].some((move) => JSON.stringify({ seat: move.seat, command: move.command }) === same);
      if (!still) throw fault;
      return post(body, now.headers.get("ETag"));
    }
  }

  function chosen(entries, thumbnail) {
    if (entries.length === 1 && !entries[0].range) send(entries[0]);
    else moving.choose(entries, { send, thumbnail, preview: (entry, sheet) => ruleset.places.preview?.(entry.command, game.board, sheet) });
  }

  /** Something was clicked that isn't legal now: the rules say why not. Nothing can come of it. */
  async function wondered(element) {
    const seat = moves?.seats.find((each) => game.to_act.includes(each)) ?? moves?.seats[0];
    if (seat === undefined || shown !== null || game.status !== "playing") return;
    const command = ruleset.places.wonder(element, game.board);
    if (!command) return;
    try {
      await api.ask("POST", `${path}/commands?dry_run=true`, { body: { seat, command } });
    } catch (fault) {
      problems.show(fault);
    }
  }

  async function branch(version) {
    try {
      const { body } = await api.ask("POST", `${path}/forks`, { body: { version }, key: api.fresh() });
      api.keepCodes(body.game.id, body.claim_codes, body.watch_code);
      location.hash = `#/g/${body.game.id}`;
    } catch (fault) {
      problems.show(fault);
    }
  }

  // --- live

  follow(`${path}/events`, {
    bearer, after: 0, signal: ending.signal,
    live: (on) => {
      root.dataset.live = String(on);
      root.classList.toggle("offline", !on);
      if (on) schedule();
    },
    began: (id) => {
      if (Number(id) < log.last()) location.reload(); // the service has lost what was told: begin anew
    },
    told: (message) => {
      if (message.event === "end") {
        if (message.data.status === "gone") location.hash = "";
      } else {
        log.add(message.data);
      }
      schedule();
    },
  }).catch(problems.show);
  await refresh();
  return () => {
    ending.abort();
    clearTimeout(timer);
    document.title = "Bailli";
  };
}
