// The entry point: sets the language and shows the view that the address after # names.

import * as api from "./api.js";
import { announce, fill, select, trackPresses } from "./dom.js";
import * as invitation from "./invitation.js";
import * as lobby from "./lobby.js";
import * as problems from "./problems.js";
import * as table from "./table.js";
import * as words from "./words.js";

const { t } = words;
const GAME = "g/([a-z2-7]{26})";
const ROUTES = [
  [new RegExp(`^${GAME}$`), (main, game) => table.open(main, game)],
  [new RegExp(`^${GAME}/claim/([0-7])/(bc_[\\w-]{43})$`), (main, game, seat, code) => invitation.open(main, game, Number(seat), code)],
  [new RegExp(`^${GAME}/watch/(bw_[\\w-]{43})$`), (main, game, code) => watchGame(game, code)],
  [/^$/, (main) => lobby.open(main)],
];

let close = () => {};
let opened = 0;

function watchGame(game, code) {
  api.storeWatchCode(game, code);
  replaceAddress(`g/${game}`);
}

/** Goes to an address in place of the current one, so that codes don't stay in the browser's history. */
function replaceAddress(where) {
  history.replaceState(null, "", `#/${where}`);
  return showView();
}

async function showView() {
  const turn = ++opened;
  close();
  close = () => {};
  problems.clear();
  const main = document.getElementById("main");
  const where = location.hash.replace(/^#\/?/, "");
  const [match, open] = ROUTES.map(([form, view]) => [form.exec(where), view]).find(([found]) => found) ?? [[], lobby.open];
  try {
    const closeView = await open(main, ...match.slice(1));
    if (turn === opened) close = closeView ?? close;
    else closeView?.(); // another view was opened meanwhile
  } catch (error) {
    fill(main);
    problems.show(error);
  }
}

/** Writes the texts of the page's frame: title, links, labels. */
function showFrame() {
  document.title = "Bailli";
  document.getElementById("language-label").textContent = t("language");
  document.getElementById("skip").textContent = t("skip");
  const links = [["#", t("games")], [words.localAddress("/docs/rules/table"), t("table_rules")], ["/docs", t("api")]];
  fill(document.getElementById("links"), links.map(([href, text]) => {
    const link = document.createElement("a");
    link.href = href;
    link.textContent = text;
    return link;
  }));
}

function changeLanguage(event) {
  words.setLanguage(event.target.value);
  showFrame();
  announce(words.LANGUAGES[words.currentLanguage()]);
  showView();
}

async function start() {
  await words.load();
  api.setLanguageSource(words.currentLanguage);
  const chooser = document.getElementById("language");
  chooser.replaceWith(select(Object.entries(words.LANGUAGES), words.currentLanguage(), { id: "language", on: { change: changeLanguage } }));
  document.getElementById("skip").addEventListener("click", (event) => {
    event.preventDefault();
    document.getElementById("main").focus();
  });
  showFrame();
  window.addEventListener("hashchange", showView);
  window.addEventListener("unhandledrejection", (event) => {
    if (event.reason instanceof api.Problem || event.reason instanceof api.Unreachable) {
      event.preventDefault();
      problems.show(event.reason);
    }
  });
  trackPresses();
  invitation.onJoined(replaceAddress);
  await showView();
}

start();
