// Gabelle: the places of its commands in the picture.

export const folds = new Set(["name_workshop", "raise", "buy"]);

const PLACES = {
  name_workshop: ({ workshop }) => [`.card[data-workshop="${workshop}"]`],
  raise: (_, __, board) => [`.card[data-workshop="${board.auction.workshop}"]`],
  keep_stock: (_, seat) => [`.guild[data-seat="${seat}"] .stock`],
  discard_workshop: ({ workshop }, seat) => [`.guild[data-seat="${seat}"] .card[data-workshop="${workshop}"]`],
  buy: ({ material }) => [`.shelf[data-material="${material}"]`],
  build: ({ city }) => [`.city[data-city="${city}"]`],
  produce: ({ runs }, seat) => runs.map((run) => `.guild[data-seat="${seat}"] .card[data-workshop="${run.workshop}"]`),
};

/** Returns `[selector, entries]` for each entry that has a place in the picture. */
export function findTargets(entries, board) {
  return entries.filter(({ command }) => PLACES[command.type]).flatMap((entry) =>
    PLACES[entry.command.type](entry.command, entry.seat, board).map((selector) => [selector, [entry]]));
}

/** Returns the command that a click on an element without legal moves probably meant, or null. */
export function guessCommand(element) {
  const { city } = element.closest(".city")?.dataset ?? {};
  if (city) return { type: "build", city };
  const { material } = element.closest(".shelf")?.dataset ?? {};
  if (material) return { type: "buy", material, units: 1 };
  const { workshop } = element.closest(".card")?.dataset ?? {};
  if (workshop) return { type: "name_workshop", workshop: Number(workshop), bid: Number(workshop) };
  return null;
}
