// A game's table: the picture, the moves, the score, the log; live, or at an earlier version.

import * as adviceModule from "./advice.js";
import * as api from "./api.js";
import { announce, button, disc, el, fill, fillIfChanged, whenReleased } from "./dom.js";
import { follow } from "./event_stream.js";
import * as invitation from "./invitation.js";
import * as logs from "./log.js";
import * as moveLists from "./moves.js";
import * as pictures from "./picture.js";
import * as problems from "./problems.js";
import * as rulesets from "./rulesets.js";
import * as scores from "./score.js";
import * as timelines from "./timeline.js";
import { localAddress, t } from "./words.js";

const SETTLE = 60; // ms: events that arrive together cause one fetch
const RETRY = 2000; // ms until a failed fetch is tried again
const PROMINENT = new Set(["start", "undo", "accept_undo", "refuse_undo"]);
const IRREVERSIBLE = new Set(["resign", "abandon", "give_to_bot", "hand_over", "leave"]);

/** Shows a game's table. Returns the function that closes it. */
export async function open(main, id) {
  const path = `/v1/games/${id}`;
  const readToken = () => api.readToken(id);
  const fetchPart = (suffix, options = {}) => api.request("GET", path + suffix, { bearer: readToken(), ...options });
  const ending = new AbortController();

  let game = (await fetchPart("")).body;
  const ruleset = await rulesets.load(game.ruleset.id);
  problems.setRules([...ruleset.rules, ...ruleset.table_rules]);
  let moves = null;
  let entries = []; // the moves as they are listed
  let shown = null; // the version that is looked at; null for the newest
  let sending = false;
  let reached = 0; // the version that the last command led to: until it is shown nothing else is sent

  const names = (seat) => game.seats[seat]?.name ?? (game.seats[seat]?.kind === "bot" ? t("bot", { seat }) : t("seat", { seat }));
  const picture = pictures.panel({ onChoose, onMiss });
  const log = logs.panel({ ruleset, names, jump: (version) => timeline.go(version) });
  const score = scores.panel({ ruleset, names });
  const panel = moveLists.panel({ ruleset, names, send, aim: picture.aim });
  const advice = adviceModule.panel({ ruleset, names, send, aim: picture.aim, mark: picture.advise, signal: ending.signal });
  const timeline = timelines.slider({ onLook: (version) => { shown = version; schedule(0); }, branch });
  const turn = el("div", { class: "turn", id: "turn", role: "status" });
  const invitations = el("div", { class: "invitations" });
  const more = el("div", { class: "row wrap" });
  const root = el("div", { class: "table", id: "table", data: { live: "false" } },
    el("div", { class: "bar" }, el("h1", { text: ruleset.title }),
      el("a", { href: localAddress(ruleset.links.rules), target: "_blank", rel: "noopener", text: t("rule_book") })),
    turn, invitations,
    el("div", { class: "columns" },
      el("section", { class: "boards", "aria-label": t("board") }, timeline.node, picture.node),
      el("div", { class: "side" }, panel.node, advice.node, score.node, log.node,
        el("details", { class: "card more" }, el("summary", { text: t("more") }), more))));
  fill(main, root);

  // --- what is shown, fetched again after each event

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
      await fetchAndShow();
    } catch (error) {
      if (ending.signal.aborted) return;
      problems.show(error);
      if (error instanceof api.Unreachable || error.status >= 429) schedule(RETRY);
    } finally {
      busy = false;
    }
  }

  async function fetchAndShow() {
    const version = shown === null ? "" : `version=${shown}`;
    const [gameResponse, movesResponse, scoreResponse] = await Promise.all([
      fetchPart(version && `?${version}`), fetchPart(`/moves?ranges=true${version && `&${version}`}`), fetchPart(`/score${version && `?${version}`}`),
    ]);
    const marking = shown === null && movesResponse.body.moves.length > 0;
    const query = [version, marking ? "moves=true" : ""].filter(Boolean).join("&");
    const drawing = gameResponse.body.board === null ? null : (await fetchPart(`/board.svg${query && `?${query}`}`, { as: "text" })).body;
    await whenReleased();
    if (ending.signal.aborted) return;
    game = gameResponse.body;
    moves = { ...movesResponse.body, tag: movesResponse.headers.get("ETag") };
    if (shown === null) timeline.setNewest(game.version);
    else moves.version = reached; // nothing is sent from the past
    entries = keepIfSame(entries, shown === null ? moveLists.listEntries(moves, ruleset.places.folds) : []);
    picture.show(drawing, ruleset.places.findTargets(entries, game.board));
    panel.show(entries, moves, shown);
    advice.show(game, moves, entries);
    score.show(scoreResponse.body, game);
    showStatus();
    markSending();
    Object.assign(root.dataset, { version: game.version, status: game.status, shown: shown ?? "", moves: entries.length });
  }

  /** Returns the old entries if the new ones are equal: rows and places refer to them. */
  function keepIfSame(before, now) {
    return JSON.stringify(before) === JSON.stringify(now) ? before : now;
  }

  // --- whose turn it is, and the table's own commands

  let announced = "";
  function showStatus() {
    const own = game.to_act.filter((seat) => moves.seats.includes(seat));
    const others = game.to_act.filter((seat) => !moves.seats.includes(seat));
    const text = statusText(own, others);
    const offered = moves.table.map((move) => [move.seat, move.command, move.text]);
    const facts = [text, game.to_act, game.clocks, game.status, game.seats, offered, moves.seats, moves.moves.length, shown];
    fillIfChanged(turn, facts, () => [el("span", { class: "what", text }), game.to_act.map(disc), clock(), jumpToMoves(), buttons(PROMINENT), rematchButton()]);
    turn.classList.toggle("own", own.length > 0 && game.status === "playing" && shown === null);
    document.title = `${own.length && game.status === "playing" ? "● " : ""}${ruleset.title} · Bailli`;
    if (text !== announced) announce(text);
    announced = text;
    fillIfChanged(invitations, [game.seats, api.storedCodes(id)], seatLinks);
    fillIfChanged(more, [offered, game.seats, moves.seats, shown, api.storedCodes(id).watch], () => [buttons(IRREVERSIBLE), watchLink()]);
    more.parentElement.hidden = more.childElementCount === 0;
  }

  function statusText(own, others) {
    if (shown !== null) return t("past_version", { version: shown });
    if (game.undo) return t("take_back_requested", { name: names(game.undo.seat) });
    if (game.status !== "playing") return t(`headline.${game.status}`);
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

  /** On a phone the moves are far below the picture. */
  function jumpToMoves() {
    if (!moves.moves.length || shown !== null) return null;
    return button(t("jump_to_moves", { n: moves.moves.length }), () => panel.node.scrollIntoView({ block: "start" }), { class: "jump" });
  }

  function buttons(types) {
    if (shown !== null) return [];
    return moves.table.filter((move) => types.has(move.command.type)).map((move) => {
      const short = types === IRREVERSIBLE ? move.text : ruleset.words("commands", move.command.type);
      const text = moves.seats.length > 1 && move.seat !== null ? `${short} (${names(move.seat)})` : short;
      return button(text, () => send(move), { class: types === IRREVERSIBLE ? "quiet" : "", title: move.text, data: { type: move.command.type } });
    });
  }

  function rematchButton() {
    const over = ["scoring", "finished", "abandoned"].includes(game.status);
    if (!over || !moves.seats.length || game.tournament) return null;
    return button(t("rematch"), async () => {
      try {
        const { body } = await api.request("POST", `${path}/rematch`, { body: {}, key: api.randomKey() });
        api.storeCodes(body.game.id, body.claim_codes, body.watch_code);
        location.hash = `#/g/${body.game.id}`;
      } catch (error) {
        problems.show(error);
      }
    }, { data: { type: "rematch" } });
  }

  function seatLinks() {
    const codes = api.storedCodes(id);
    return game.seats.filter((seat) => seat.open && codes[seat.seat]).map((seat) =>
      shareRow(t("invite_to", { seat: seat.seat }), invitation.seatLink(id, seat.seat, codes[seat.seat]), seat.seat));
  }

  function watchLink() {
    const code = api.storedCodes(id).watch;
    return code ? shareRow(t("watch_link"), invitation.watchLink(id, code)) : null;
  }

  function shareRow(label, address, seat = null) {
    const text = el("input", { type: "text", readonly: true, value: address, "aria-label": label, on: { focus: () => text.select() } });
    const copy = button(t("copy"), async () => {
      text.select();
      await navigator.clipboard.writeText(address).then(() => announce(t("copied")), () => {});
    });
    return el("div", { class: "share" }, seat === null ? null : disc(seat), el("span", { text: label }), text, copy);
  }

  // --- sending commands

  /** Sends a move as it was listed; a stale one is sent again if it is still legal. */
  async function send(move) {
    if (sending || moves.version < reached) return;
    if (IRREVERSIBLE.has(move.command.type) && !(await moveLists.confirmMove(move))) return;
    sending = true;
    markSending();
    const body = { seat: move.seat, command: move.command };
    try {
      const { body: result } = await post(body, moves.tag);
      problems.clear();
      reached = result.version;
      if (result.claim_codes.length) api.storeCodes(id, result.claim_codes);
      schedule(0);
    } catch (error) {
      problems.show(error);
      schedule(0);
    } finally {
      sending = false;
      markSending();
    }
  }

  function markSending() {
    root.classList.toggle("sending", sending || moves.version < reached);
  }

  async function post(body, tag) {
    const key = api.randomKey();
    try {
      return await api.request("POST", `${path}/commands`, { body, key, headers: { "If-Match": tag } });
    } catch (error) {
      if (error.status !== 412) throw error;
      const current = await fetchPart("/moves");
      const sent = JSON.stringify(body);
      const isLegal = [...current.body.moves, ...current.body.table].some((move) => JSON.stringify({ seat: move.seat, command: move.command }) === sent);
      if (!isLegal) throw error;
      return post(body, current.headers.get("ETag"));
    }
  }

  function onChoose(entries, thumbnail) {
    if (entries.length === 1 && !entries[0].range) send(entries[0]);
    else moveLists.openChoice(entries, { send, thumbnail, preview: (entry, sheet) => ruleset.places.drawPreview?.(entry.command, game.board, sheet) });
  }

  /** Shows why a click on a place without legal moves is illegal: a dry run returns the rule and changes nothing. */
  async function onMiss(element) {
    const seat = moves?.seats.find((each) => game.to_act.includes(each)) ?? moves?.seats[0];
    if (seat === undefined || shown !== null || game.status !== "playing") return;
    const command = ruleset.places.guessCommand(element, game.board);
    if (!command) return;
    try {
      await api.request("POST", `${path}/commands?dry_run=true`, { body: { seat, command } });
    } catch (error) {
      problems.show(error);
    }
  }

  async function branch(version) {
    try {
      const { body } = await api.request("POST", `${path}/forks`, { body: { version }, key: api.randomKey() });
      api.storeCodes(body.game.id, body.claim_codes, body.watch_code);
      location.hash = `#/g/${body.game.id}`;
    } catch (error) {
      problems.show(error);
    }
  }

  // --- the event stream

  follow(`${path}/events`, {
    readToken, after: 0, signal: ending.signal,
    onConnection: (up) => {
      root.dataset.live = String(up);
      root.classList.toggle("offline", !up);
      if (up) schedule();
    },
    onStart: (start) => {
      if (Number(start) < log.last()) location.reload(); // the service has lost events that are shown here
    },
    onMessage: (message) => {
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
