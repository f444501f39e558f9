// What has moved slides from its old place to the new one when the page is patched. It is short, takes no input away, and is off for
// readers who want less motion. Pictures name the pieces (data-piece); one that they tell apart by its place alone says where it
// comes from (data-from, a target).

import { boxOf, hitOf } from "./marks.js";

const SPAN = 320;
const EASE = "cubic-bezier(.3, 0, .2, 1)";
const still = matchMedia("(prefers-reduced-motion: reduce)");

/** @typedef {{x: number, y: number}} Point */
/** @typedef {Map<string, {at: Point, shows: string}>} Places where the pieces are, and what they show */

/** @param {SVGGraphicsElement} shape @returns {Point} */
function middle(shape) {
  const { x, y, width, height } = boxOf(shape);
  return { x: x + width / 2, y: y + height / 2 };
}

const pieces = () => /** @type {NodeListOf<SVGGraphicsElement>} */ (document.querySelectorAll("#chart [data-piece]"));

/** @returns {Places} */
export const places = () => new Map([...pieces()].map((piece) => [piece.dataset.piece ?? "", { at: middle(piece), shows: piece.textContent ?? "" }]));

/** Let what has moved slide to where it is now. @param {Places} before */
export function slide(before) {
  if (still.matches || !before.size) return;
  for (const piece of pieces()) {
    for (const old of piece.getAnimations()) old.cancel();
    const known = before.get(piece.dataset.piece ?? ""), now = middle(piece), start = hitOf(piece.dataset.from ?? "");
    const from = known && (known.shows === piece.textContent || !start) ? known.at : start && middle(start);
    if (from && Math.hypot(from.x - now.x, from.y - now.y) > 2)
      piece.animate([{ transform: `translate(${from.x - now.x}px, ${from.y - now.y}px)` }, { transform: "none" }], { duration: SPAN, easing: EASE });
  }
}
