// Where everything begins: the language, the address after #, one view at a time.

import * as api from "./api.js";
import { announce, fill, select, watchPresses } from "./dom.js";
import * as invite from "./invite.js";
import * as lobby from "./lobby.js";
import * as problems from "./problems.js";
import * as table from "./table.js";
import * as words from "./words.js";

const { t } = words;
const GAME = "g/([a-z2-7]{26})";
const ROUTES = [
  [new RegExp(`^${GAME}$`), (main, game) => table.open(main, game)],
  [new RegExp(`^${GAME}/claim/([0-7])/(bc_[\\w-]{43})$`), (main, game, seat, code) => invite.open(main, game, Number(seat), code)],
  [new RegExp(`^${GAME}/watch/(bw_[\\w-]{43})$`), (main, game, code) => watched(game, code)],
  [/^$/, (main) => lobby.open(main)],
];

let close = () => {};
let opened = 0;

function watched(game, code) {
  api.watch(game, code);
  go(`g/${game}`);
}

/** Goes to an address in place of this one: codes don't stay in the history. */
function go(where) {
  history.replaceState(null, "", `#/${where}`);
  return route();
}

async function route() {
  const turn = ++opened;
  close();
  close = () => {};
  problems.clear();
  const main = document.getElementById("main");
  const where = location.hash.replace(/^#\/?/, "");
  const [match, view] = ROUTES.map(([form, open]) => [form.exec(where), open]).find(([found]) => found) ?? [[], lobby.open];
  try {
    const shown = await view(main, ...match.slice(1));
    if (turn === opened) close = shown ?? close;
    else shown?.();
  } catch (fault) {
    fill(main);
    problems.show(fault);
  }
}

function frame() {
  document.title = "Bailli";
  document.getElementById("language-label").textContent = t("language");
  document.getElementById("skip").textContent = t("skip");
  const links = [["#", t("tables")], [words.localized("/docs/rules/table"), t("rules")], ["/docs", t("api")]];
  fill(document.getElementById("links"), links.map(([href, text]) => {
    const link = document.createElement("a");
    link.href = href;
    link.textContent = text;
    return link;
  }));
}

function chooseLanguage(event) {
  words.choose(event.target.value);
  frame();
  announce(words.LANGUAGES[words.now()]);
  route();
}

async function begin() {
  await words.begin();
  api.speaking(words.now);
  const chooser = document.getElementById("language");
  chooser.replaceWith(select(Object.entries(words.LANGUAGES), words.now(), { id: "language", on: { change: chooseLanguage } }));
  document.getElementById("skip").addEventListener("click", (event) => {
    event.preventDefault();
    document.getElementById("main").focus();
  });
  frame();
  window.addEventListener("hashchange", route);
  window.addEventListener("unhandledrejection", (event) => {
    if (event.reason instanceof api.Problem || event.reason instanceof api.Unreachable) {
      event.preventDefault();
      problems.show(event.reason);
    }
  });
  watchPresses();
  invite.onTaken(go);
  await route();
}

begin();
