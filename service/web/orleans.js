// Orléans: the places of its commands in the picture.

export const folds = new Set(["draw"]);

const board = (seat) => `.board[data-seat="${seat}"]`;
const placed = (place, seat) => `${board(seat)} .place[data-place="${place}"]`;
const space = ({ place, space: number }, seat) => [`${placed(place, seat)} .space[data-space="${number}"]`];
const GIVEN = {
  trading_station: ({ from }, seat) => (from === "reserve" ? `${board(seat)} > .station` : `.town[data-town="${from}"] .station[data-seat="${seat}"]`),
  follower: (_, seat) => `${board(seat)} .market`,
  development: (_, seat) => `${board(seat)} .status`,
  good: ({ good }, seat) => `${board(seat)} .goods[data-good="${good}"]`,
  place_tile: ({ tile }, seat) => placed(tile, seat),
  technology: ({ place }, seat) => (place === null ? `${board(seat)} .technology` : placed(place, seat)),
};
const PLACES = {
  take_back: space,
  draw: (_, seat) => [`${board(seat)} .bag`],
  place_follower: (command, seat, view) => [...space(command, seat), heldFollower(command, seat, view)],
  withdraw_follower: space,
  place_technology: space,
  use_place: placesOfUse,
  use_sacristy: (_, seat) => [placed("sacristy", seat)],
  pay_harvest: ({ good }, seat) => [`${board(seat)} .goods[data-good="${good}"]`],
  give: (command, seat) => [GIVEN[command.item](command, seat)],
};

/** Returns the selector for a follower that is in the market, or among those just drawn. */
function heldFollower({ follower, starting }, seat, view) {
  return `${board(seat)} ${view.bathhouse ? "> .held" : ".market .held"}[data-follower="${starting ? "starting_" : ""}${follower}"]`;
}

/** Returns the selectors for the use of a place: its own, and those of the track, tile, way, good, deeds or town that it affects. */
function placesOfUse({ place, recruit, tile, link, good, deliveries }, seat, view) {
  const found = [placed(place, seat)];
  if (recruit !== null) found.push(`.track[data-track="${recruit}"]`);
  if (tile !== null) found.push(`.supply .place[data-place="${tile}"]`);
  if (link !== null) found.push(`.link[data-link="${link}"]`);
  if (good !== null) found.push(`.good[data-link="${link}"][data-good="${good}"]`);
  for (const { deed } of deliveries ?? []) found.push(`.deed[data-deed="${deed}"]`);
  if (place === "guildhall") found.push(`.town[data-town="${view.seats[seat].merchant}"]`);
  return found;
}

/** Returns `[selector, entries]` for each entry that has a place in the picture. */
export function findTargets(entries, view) {
  return entries.filter(({ command }) => PLACES[command.type]).flatMap((entry) =>
    PLACES[entry.command.type](entry.command, entry.seat, view).map((selector) => [selector, [entry]]));
}

/** Returns the command that a click on an element without legal moves probably meant, or null. */
export function guessCommand(element, board) {
  const { place } = element.closest(".place")?.dataset ?? {};
  if (!place) return null;
  const number = Number(element.closest(".space")?.dataset.space ?? 0);
  if (board.phase === "planning") return { type: "place_follower", follower: "farmer", starting: false, place, space: number };
  return { type: "use_place", place };
}
