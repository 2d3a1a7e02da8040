// Taking a seat by invitation: the claim code comes in the address after #, which no server is sent.

import * as api from "./api.js";
import { disc, el, field, fill } from "./dom.js";
import * as problems from "./problems.js";
import * as rulesets from "./rulesets.js";
import { choice, t } from "./words.js";

const NAME = "bailli.name";
let taken = () => {};

/** Says where to go when a seat was taken. */
export function onTaken(go) {
  taken = go;
}

/** Returns the link that invites to a seat. */
export function link(game, seat, code) {
  return `${location.origin}/#/g/${game}/claim/${seat}/${code}`;
}

/** Returns the link for those who may only watch a private game. */
export function watching(game, code) {
  return `${location.origin}/#/g/${game}/watch/${code}`;
}

/** Shows the invitation to a seat. */
export async function open(main, game, seat, code) {
  const view = await api.get(`/v1/games/${game}`).catch((fault) => {
    if (fault.status === 404) return null; // private: only its seats may look
    throw fault;
  });
  if (view && !view.seats[seat]?.open) {
    taken(`g/${game}`);
    return;
  }
  const name = el("input", { type: "text", required: true, maxlength: 40, id: "name", autocomplete: "nickname", value: localStorage.getItem(NAME) ?? "" });
  const take = async (event) => {
    event.preventDefault();
    problems.clear();
    try {
      await api.ask("POST", `/v1/games/${game}/seats/${seat}`, {
        body: { claim_code: code, name: name.value.trim() || t("player", { seat }), entropy: api.fresh() }, key: api.fresh(),
      });
      localStorage.setItem(NAME, name.value.trim());
      api.watch(game, null);
      taken(`g/${game}`);
    } catch (fault) {
      problems.show(fault);
    }
  };
  fill(main, el("section", { class: "card invite" },
    el("h1", { text: t("invited_to", { game: view ? (await rulesets.load(view.ruleset.id)).title : t("private_table") }) }),
    view ? el("ul", { class: "people" }, view.seats.map((each) => el("li", {}, disc(each.seat), " ", each.name ?? (each.seat === seat ? t("you") : choice("kind", each.open ? "open" : each.kind))))) : null,
    el("form", { on: { submit: take } }, field(t("your_name"), name),
      el("div", { class: "row end" }, el("a", { href: `#/g/${game}`, text: t("only_watch") }),
        el("button", { type: "submit", class: "main", id: "take", text: t("take_seat", { seat }) })))));
  name.focus();
}
