// Gabelle: where its commands are in the picture.

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

/** Returns `[selector, entries]` for all entries that have a place. */
export function targets(entries, board) {
  return entries.filter(({ command }) => PLACES[command.type]).flatMap((entry) =>
    PLACES[entry.command.type](entry.command, entry.seat, board).map((selector) => [selector, [entry]]));
}

/** Returns the command that somebody may have meant who clicked what isn't legal, or null. */
export function wonder(element) {
  const { city } = element.closest(".city")?.dataset ?? {};
  if (city) return { type: "build", city };
  const { material } = element.closest(".shelf")?.dataset ?? {};
  if (material) return { type: "buy", material, units: 1 };
  const { workshop } = element.closest(".card")?.dataset ?? {};
  if (workshop) return { type: "name_workshop", workshop: Number(workshop), bid: Number(workshop) };
  return null;
}
