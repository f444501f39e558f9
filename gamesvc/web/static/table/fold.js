// On a wide screen the facts and the hand below the board stand beside it, so that the board fills the height. On a narrow one
// that is too low for all, they are a strip at its foot. The picture stays one: the part below is shown a second time, and its
// hit shapes move there.

import { boxOf } from "./marks.js";
import { tr } from "../words.js";

const NS = "http://www.w3.org/2000/svg";
const wide = matchMedia("(min-width: 1000px)"), middle = matchMedia("(min-width: 560px) and (max-width: 999px)");
/** What a board and its strip are not made narrower than on a screen of middle size, in pixels. */
const NARROWEST = 440;

/** @param {string} name @param {Record<string, string>} attributes */
function element(name, attributes) {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/** @returns {boolean} true if the parts of the picture stand side by side */
export const isWide = () => wide.matches;

/** The strip is at least so high, and so much lies between the board, the strip and the tabs, in pixels. */
const STRIP = 180, GAPS = 20;

/** The header, the tabs and the action bar of a narrow screen, in pixels. */
const AROUND = 210;

/** @param {number} width @param {number} height of the whole picture @returns {boolean} true if a narrow screen shows the hand as a strip */
function needsStrip(width, height) {
  const shown = /** @type {HTMLElement} */ (document.getElementById("chart")).clientWidth;
  return !wide.matches && !document.querySelector(".tabs a") && (height * Math.min(shown, width)) / width > document.documentElement.clientHeight - AROUND;
}

/** The part of a picture that a group with its upper edge as data-top holds. @param {SVGElement} group @param {number} foot */
const rangeOf = (group, foot) => [Number(group.dataset.top), Number(group.dataset.bottom ?? foot)];

/** Part the picture at its fold, or show it whole again. */
export function fold() {
  const board = /** @type {SVGSVGElement | null} */ (document.querySelector("#chart svg.board")), rest = document.getElementById("rest");
  const below = /** @type {SVGElement | null} */ (board?.querySelector(".below")), hits = board?.querySelector(".hits");
  if (!board || !rest || !below || !hits) return;
  const [x, y, width, height] = (board.dataset.whole ?? board.getAttribute("viewBox") ?? "").split(" ").map(Number), foot = y + height;
  // A picture that has just come has all its shapes; one that is folded already gets back those that had moved.
  if (board.dataset.whole) hits.append(...rest.querySelectorAll(".hits > *"));
  rest.replaceChildren();
  board.dataset.whole ??= board.getAttribute("viewBox") ?? "";
  const strip = needsStrip(width, height), apart = wide.matches || strip;
  rest.classList.toggle("strip", strip);
  const bands = wide.matches ? /** @type {SVGElement[]} */ ([...board.querySelectorAll(".beside")]) : [];
  const parts = apart ? [...bands, below] : [], fold = Number(below.dataset.top), middle = (y + fold) / 2;
  // What is left is the board itself.
  const ranges = parts.map((part) => rangeOf(part, foot));
  const from = Math.max(y, ...ranges.filter(([top]) => top < middle).map(([, bottom]) => bottom));
  const to = Math.min(foot, ...ranges.filter(([top]) => top >= middle).map(([top]) => top));
  board.setAttribute("viewBox", `${x} ${from} ${width} ${to - from}`);
  board.setAttribute("height", String(to - from));
  parts.forEach((part, at) => {
    const [top, bottom] = ranges[at];
    const second = element("svg", { class: "board", viewBox: `${x} ${top} ${width} ${bottom - top}`, width: String(width), height: String(bottom - top), preserveAspectRatio: "xMinYMin", role: "group", "aria-label": part === below ? tr("Facts and hand") : tr("Players") });
    const shapes = element("g", { class: "hits" });
    shapes.append(...[.../** @type {NodeListOf<SVGGraphicsElement>} */ (hits.querySelectorAll("[data-t]"))].filter((hit) => isIn(boxOf(hit), top, bottom)));
    second.append(element("use", { href: `#${part.id}` }), shapes);
    rest.append(second);
  });
}

/** On a screen of middle size, make the board and the strip as narrow as it takes to see both whole, within a limit. */
export function limit() {
  const root = document.documentElement, board = /** @type {SVGSVGElement | null} */ (document.querySelector("#chart svg.board"));
  const strip = /** @type {SVGSVGElement | null} */ (document.querySelector(".rest.strip svg")), frame = board?.parentElement;
  for (const name of ["--fit", "--strip"]) root.style.removeProperty(name);
  if (!middle.matches || !board || !frame) return;
  const foot = (document.querySelector('[role="tablist"]')?.clientHeight ?? 0) + (document.getElementById("bar")?.offsetHeight ?? 0);
  const { width, height } = board.viewBox.baseVal, room = root.clientHeight - frame.getBoundingClientRect().top - scrollY - foot - GAPS;
  const whole = (room * width) / (height + (strip?.viewBox.baseVal.height ?? 0));
  if (!strip && whole < NARROWEST) return;
  const fit = Math.max(NARROWEST, whole);
  root.style.setProperty("--fit", `${Math.floor(fit)}px`);
  if (strip) root.style.setProperty("--strip", `${Math.max(STRIP, Math.floor(room - (height * Math.min(fit, frame.clientWidth)) / width))}px`);
}

/** @param {import("./marks.js").Box} box @param {number} top @param {number} bottom @returns {boolean} true if its middle lies between them */
function isIn({ y, height }, top, bottom) {
  const middle = y + height / 2;
  return middle >= top && middle <= bottom;
}

/** @param {() => void} then what follows when the width of the window has passed the limit */
export function listen(then) {
  wide.addEventListener("change", then);
  middle.addEventListener("change", then);
  addEventListener("resize", limit);
}
