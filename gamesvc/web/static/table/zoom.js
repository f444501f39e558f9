// A narrow screen shows the board tab by tab, as large as the reader wants: two fingers or the buttons set the size. A board
// that is larger than its frame scrolls in it, so that one finger moves it and goes on to move the page.

import { isWide, limit } from "./fold.js";
import { hide } from "./help.js";
import { boxOf, hits } from "./marks.js";

const MOST = 4, STEP = 1.5;

/** The id of the mark of the tab that is shown. */
let shown = "";
let size = 1;
/** How far the board is scrolled in its frame. */
let corner = [0, 0];
/** What could be chosen when the tab was last set for it. */
let known = "";
/** The reader has chosen the tab. It stays while it shows anything that can be chosen. */
let wanted = false;
/** @type {{apart: number, size: number, at: number[]} | null} two fingers on the board, and what was between them at first */
let pinch = null;
/** Two fingers were on the board since the last press. */
let pinched = false;

const frame = () => /** @type {HTMLElement} */ (document.getElementById("chart"));
const tabs = () => /** @type {HTMLAnchorElement[]} */ ([...document.querySelectorAll(".tabs a")]);
/** @param {HTMLAnchorElement} tab */
const markOf = (tab) => tab.hash.slice(1);

/** @param {HTMLAnchorElement} tab @param {SVGGraphicsElement} hit @returns {boolean} true if the tab shows it */
function shows(tab, hit) {
  const part = /** @type {SVGGraphicsElement | null} */ (/** @type {unknown} */ (document.getElementById(markOf(tab))));
  if (!part) return false;
  const [outer, inner] = [boxOf(part), boxOf(hit)], middle = inner.y + inner.height / 2;
  return middle >= outer.y && middle <= outer.y + outer.height;
}

/** Show the chosen tab at the chosen size, on a page that may have been patched. Call it after `fold`. */
export function fit() {
  const board = /** @type {SVGSVGElement | null} */ (document.querySelector("#chart svg.board"));
  if (!board) return;
  const narrow = !isWide(), all = tabs(), now = all.find((tab) => markOf(tab) === shown) ?? all[0];
  const part = now && document.getElementById(markOf(now));
  shown = now ? markOf(now) : "";
  for (const tab of all) tab.ariaCurrent = tab === now ? "true" : null;
  if (narrow && part) {
    const box = ["x", "y", "width", "height"].map((name) => part.getAttribute(name) ?? "");
    board.setAttribute("viewBox", box.join(" "));
    board.setAttribute("height", box[3]);
  }
  limit();
  resize();
}

function resize() {
  const board = /** @type {SVGSVGElement} */ (document.querySelector("#chart svg.board")), large = size > 1 && !isWide();
  const { width, height } = board.viewBox.baseVal;
  frame().classList.toggle("large", large);
  frame().style.aspectRatio = large ? `${width} / ${height}` : "";
  board.style.width = large ? `${100 * size}%` : "";
  if (large) [frame().scrollLeft, frame().scrollTop] = corner;
  for (const button of document.querySelectorAll("[data-zoom]")) /** @type {HTMLButtonElement} */ (button).disabled = Number(/** @type {HTMLElement} */ (button).dataset.zoom) > 0 ? size >= MOST : size <= 1;
}

/** Show the board in another size. @param {number} wanted
 * @param {number[]} at a point of the board, in parts of its width @param {number[]} place where in the frame that point shall be */
function zoom(wanted, at, place) {
  size = Math.min(MOST, Math.max(1, wanted));
  const width = frame().clientWidth * size;
  corner = [at[0] * width - place[0], at[1] * width - place[1]];
  resize();
}

/** @param {number[]} place in the frame @returns {number[]} the point of the board there, in parts of its width */
function under([x, y]) {
  const width = frame().clientWidth * size;
  return [(frame().scrollLeft + x) / width, (frame().scrollTop + y) / width];
}

/** @param {HTMLAnchorElement} tab */
function show(tab) {
  if (markOf(tab) === shown) return;
  [shown, size, corner] = [markOf(tab), 1, [0, 0]];
  fit();
}

/** Tell in the name of each tab how much can be chosen there, and show the one with the most, once for each choice.
 * @param {Set<string>} can */
export function count(can) {
  const all = tabs();
  if (!all.length) return;
  const choices = hits().filter((hit) => can.has(hit.dataset.t ?? "")), key = choices.map((hit) => hit.dataset.t).join(" ");
  const numbers = all.map((tab) => choices.filter((hit) => shows(tab, hit)).length);
  all.forEach((tab, at) => {
    const dot = tab.querySelector(".dot");
    if (dot) dot.textContent = numbers[at] ? String(numbers[at]) : "";
  });
  if (key === known || !key || isWide()) return;
  known = key;
  const now = all.findIndex((tab) => markOf(tab) === shown);
  if (wanted && numbers[now]) return;
  wanted = false;
  show(all[numbers.indexOf(Math.max(...numbers))]);
}

/** @param {Touch} one @param {Touch} two @returns {{apart: number, place: number[]}} their distance, and their middle in the frame */
function between(one, two) {
  const { left, top } = frame().getBoundingClientRect();
  return {
    apart: Math.max(1, Math.hypot(one.clientX - two.clientX, one.clientY - two.clientY)),
    place: [(one.clientX + two.clientX) / 2 - left, (one.clientY + two.clientY) / 2 - top],
  };
}

export function listen() {
  document.addEventListener("touchstart", (event) => {
    const [one, two] = event.touches;
    pinch = null;
    pinched = Boolean(two);
    if (!two || isWide() || ![one, two].every((touch) => frame()?.contains(/** @type {Node} */ (touch.target)))) return;
    event.preventDefault();
    hide();
    const { apart, place } = between(one, two);
    pinch = { apart, size, at: under(place) };
  }, { passive: false });
  document.addEventListener("touchmove", (event) => {
    const [one, two] = event.touches;
    if (!pinch || !two) return;
    event.preventDefault();
    const { apart, place } = between(one, two);
    zoom((pinch.size * apart) / pinch.apart, pinch.at, place);
  }, { passive: false });
  // Two fingers choose nothing.
  document.addEventListener("click", (event) => {
    if (!pinched || !event.detail || !(event.target instanceof Node && frame()?.contains(event.target))) return;
    event.preventDefault();
    event.stopPropagation();
  }, { capture: true });
  document.addEventListener("scroll", ({ target }) => {
    if (target === frame()) corner = [frame().scrollLeft, frame().scrollTop];
  }, { capture: true, passive: true });
  document.addEventListener("click", (event) => {
    const at = event.target instanceof Element ? event.target : null;
    const tab = /** @type {HTMLAnchorElement | null} */ (at?.closest(".tabs a") ?? null), button = /** @type {HTMLElement | null} */ (at?.closest("[data-zoom]") ?? null);
    if (tab) {
      event.preventDefault();
      wanted = true;
      show(tab);
    } else if (button) {
      const middle = [frame().clientWidth / 2, frame().clientHeight / 2];
      zoom(size * STEP ** Number(button.dataset.zoom), under(middle), middle);
    }
  });
  // What has the focus is shown, whichever tab it is on.
  document.addEventListener("focusin", (event) => {
    const hit = event.target instanceof Element ? /** @type {SVGGraphicsElement | null} */ (event.target.closest("#chart .hits [data-t]")) : null, all = tabs();
    const now = all.find((tab) => markOf(tab) === shown), other = hit && all.find((tab) => shows(tab, hit));
    if (hit && other && !isWide() && !(now && shows(now, hit))) show(other);
  });
}
