// Carcassonne: the places of its commands in the picture.

import { svg } from "./dom.js";

export const folds = new Set();

const PLACES = {
  place_tile: ({ x, y }) => `.cell[data-x="${x}"][data-y="${y}"]`,
  place_follower: ({ feature, slot }) => `.choice[data-feature="${feature}"]${slot === null ? ":not([data-slot])" : `[data-slot="${slot}"]`}`,
};

/** Returns `[selector, entries]` for each entry that has a place in the picture. */
export function findTargets(entries) {
  return entries.filter(({ command }) => PLACES[command.type]).map((entry) => [PLACES[entry.command.type](entry.command), [entry]]);
}

/** Returns the command that a click on an element without legal moves probably meant, or null. */
export function guessCommand(element, board) {
  const cell = element.closest(".cell");
  if (cell) return { type: "place_tile", x: Number(cell.dataset.x), y: Number(cell.dataset.y), rotation: 0 };
  const tile = element.closest(".tile");
  if (tile && board.step === "place_tile") return { type: "place_tile", x: Number(tile.dataset.x), y: Number(tile.dataset.y), rotation: 0 };
  return null;
}

/** Returns a picture of the drawn tile as the command would place it, or null. */
export function drawPreview(command, board, whole) {
  const face = command.type === "place_tile" && whole.querySelector(".drawn");
  if (!face) return null;
  const shapes = whole.querySelector("defs").cloneNode(true);
  const turned = svg("g", { transform: `rotate(${90 * command.rotation})` }, face.querySelector(`use[href="#tile-${board.drawn}"]`).cloneNode());
  const upright = [...face.querySelectorAll('use:not([href^="#tile-"])')].map((use) => use.cloneNode());
  return svg("svg", { viewBox: "-52 -52 104 104", width: 64, height: 64, class: "bailli" }, shapes, turned, svg("g", { transform: `rotate(${90 * command.rotation})` }, upright));
}
