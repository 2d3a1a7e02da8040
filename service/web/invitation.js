// Joining a game by invitation. The claim code is in the address after #, which browsers never send.

import * as api from "./api.js";
import { disc, el, field, fill } from "./dom.js";
import * as problems from "./problems.js";
import * as rulesets from "./rulesets.js";
import { t, textOf } from "./words.js";

const NAME = "bailli.name";
let joined = () => {};

/** Sets what is called with the game's address once a seat is joined. */
export function onJoined(go) {
  joined = go;
}

/** Returns the link that invites to a seat. */
export function seatLink(game, seat, code) {
  return `${location.origin}/#/g/${game}/claim/${seat}/${code}`;
}

/** Returns the link with which a private game can be watched. */
export function watchLink(game, code) {
  return `${location.origin}/#/g/${game}/watch/${code}`;
}

/** Shows the invitation to a seat. */
export async function open(main, game, seat, code) {
  const view = await api.get(`/v1/games/${game}`).catch((error) => {
    if (error.status === 404) return null; // private: only its players may see it
    throw error;
  });
  if (view && !view.seats[seat]?.open) {
    joined(`g/${game}`);
    return;
  }
  const name = el("input", { type: "text", required: true, maxlength: 40, id: "name", autocomplete: "nickname", value: localStorage.getItem(NAME) ?? "" });
  const join = async (event) => {
    event.preventDefault();
    problems.clear();
    try {
      await api.request("POST", `/v1/games/${game}/seats/${seat}`, {
        body: { claim_code: code, name: name.value.trim() || t("player", { seat }), entropy: api.randomKey() }, key: api.randomKey(),
      });
      localStorage.setItem(NAME, name.value.trim());
      api.storeWatchCode(game, null);
      joined(`g/${game}`);
    } catch (error) {
      problems.show(error);
    }
  };
  const title = view ? (await rulesets.load(view.ruleset.id)).title : t("private_game");
  fill(main, el("section", { class: "card invitation" },
    el("h1", { text: t("invited_to", { game: title }) }),
    view ? el("ul", { class: "people" }, view.seats.map((each) => el("li", {}, disc(each.seat), " ", each.name ?? (each.seat === seat ? t("you") : textOf("kind", each.open ? "open" : each.kind))))) : null,
    el("form", { on: { submit: join } }, field(t("your_name"), name),
      el("div", { class: "row end" }, el("a", { href: `#/g/${game}`, text: t("watch") }),
        el("button", { type: "submit", class: "main", id: "join", text: t("join", { seat }) })))));
  name.focus();
}
