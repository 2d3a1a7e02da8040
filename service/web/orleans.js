// Orléans: where its commands are in the picture.

export const folds = new Set(["draw"]);

const space = ({ place, space: number }, seat) => [`.board[data-seat="${seat}"] .place[data-place="${place}"] .space[data-space="${number}"]`];
const PLACES = {
  take_back: space,
  place_follower: space,
  withdraw_follower: space,
  place_technology: space,
  use_place: ({ place, link }, seat) => [`.board[data-seat="${seat}"] .place[data-place="${place}"]`, ...(link ? [`.link[data-link="${link}"]`] : [])],
  pay_harvest: ({ good }, seat) => [`.board[data-seat="${seat}"] .goods[data-good="${good}"]`],
};

/** Returns `[selector, entries]` for all entries that have a place. */
export function targets(entries) {
  return entries.filter(({ command }) => PLACES[command.type]).flatMap((entry) =>
    PLACES[entry.command.type](entry.command, entry.seat).map((selector) => [selector, [entry]]));
}

/** Returns the command that somebody may have meant who clicked what isn't legal, or null. */
export function wonder(element, board) {
  const { place } = element.closest(".place")?.dataset ?? {};
  if (!place) return null;
  const number = Number(element.closest(".space")?.dataset.space ?? 0);
  if (board.phase === "planning") return { type: "place_follower", follower: "farmer", starting: false, place, space: number };
  return { type: "use_place", place };
}
