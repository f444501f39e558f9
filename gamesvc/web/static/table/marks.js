// What lies over the board in overprint: corner ticks on what can be chosen, frames around what is chosen, the focus ring.

const NS = "http://www.w3.org/2000/svg";

/** @typedef {{x: number, y: number, width: number, height: number}} Box */

/** @returns {SVGGraphicsElement[]} the hit shapes of the board, in its order */
export const hits = () => /** @type {SVGGraphicsElement[]} */ ([...document.querySelectorAll(".hits [data-t]")]);

/** @param {string} target @returns {SVGGraphicsElement | undefined} */
export const hitOf = (target) => hits().find((hit) => hit.dataset.t === target);

/** @param {SVGGraphicsElement} hit */
function seen(hit) {
  const box = hit.getBoundingClientRect();
  return document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)?.closest(".hits, .pop");
}

/** Scroll to what can be chosen where none of it is in sight: a long list of ships hides the slots that they go to.
 * @param {Set<string>} can */
export function bring(can) {
  const marked = hits().filter((hit) => can.has(hit.dataset.t ?? "") && hit.getBoundingClientRect().width > 0);
  if (marked.length && !marked.some(seen)) marked[0].scrollIntoView({ block: "center", inline: "nearest" });
}

/** @param {SVGGraphicsElement} hit @returns {Box} */
export const boxOf = (hit) => hit.getBBox();

/** What a screen reader says of a hit shape: its own name, else the label of a choice that it stands for.
 * @param {SVGGraphicsElement} hit @returns {string} */
export function nameOf(hit) {
  const own = hit.getAttribute("aria-label") || hit.querySelector("title")?.textContent;
  if (own) return own;
  const choice = document.querySelector(`form [data-t="${CSS.escape(hit.dataset.t ?? "")}"]:not(fieldset)`);
  return (choice?.closest("label") ?? choice)?.textContent?.trim() || hit.dataset.t || "";
}

/** Flat things, most of them words, have their ticks outside; those of narrow things in a row stay apart. @param {Box} box */
function ticks({ x, y, width, height }) {
  const l = Math.min(15, width / 5, height / 5), inset = height < 40 ? -4 : width < 80 ? 5 : 2;
  const [a, b, c, d] = [x + inset, y + inset, x + width - inset, y + height - inset];
  return `M${a} ${b + l}V${b}H${a + l}M${c - l} ${b}H${c}V${b + l}M${c} ${d - l}V${d}H${c - l}M${a + l} ${d}H${a}V${d - l}`;
}
/** @param {Box} box @param {number} inset */
const frame = ({ x, y, width, height }, inset) => `M${x + inset} ${y + inset}H${x + width - inset}V${y + height - inset}H${x + inset}Z`;

/** A numbered disc in the upper right corner of a thing. @param {Box} box @param {number | undefined} place */
function numbered({ x, y, width }, place) {
  if (place === undefined) return [];
  const disc = document.createElementNS(NS, "circle"), text = document.createElementNS(NS, "text"), at = { cx: x + width - 16, cy: y + 16, r: 14 };
  for (const [name, value] of Object.entries(at)) disc.setAttribute(name, String(value));
  disc.setAttribute("class", "f-over");
  for (const [name, value] of Object.entries({ x: at.cx, y: at.cy + 7, "text-anchor": "middle", "font-size": 20, "font-weight": 700, class: "f-panel" })) text.setAttribute(name, String(value));
  text.textContent = String(place);
  return [disc, text];
}

/** Draw all marks anew.
 * @param {{can: Set<string>, taken: Set<string>, places?: Map<string, number>, told?: Set<string>, focused?: string}} marks
 * `places`: the numbers of chosen things whose order matters */
export function draw({ can, taken, places = new Map(), told = new Set(), focused = "" }) {
  for (const board of document.querySelectorAll("svg.board")) {
    const shapes = /** @type {SVGGraphicsElement[]} */ ([...board.querySelectorAll(".hits [data-t]")]);
    if (!shapes.length) continue;
    let layer = board.querySelector(".ov");
    if (!layer) {
      layer = document.createElementNS(NS, "g");
      layer.setAttribute("class", "ov");
      board.querySelector(".hits")?.before(layer);
    }
    const paths = [];
    for (const hit of shapes) {
      const target = hit.dataset.t ?? "", box = boxOf(hit);
      hit.classList.toggle("can", can.has(target));
      hit.setAttribute("aria-pressed", String(taken.has(target)));
      if (taken.has(target)) paths.push(["pick", frame(box, 2)]);
      else if (can.has(target)) paths.push(["tick", ticks(box)]);
      if (told.has(target)) paths.push(["halo", frame(box, 4)], ["ref", frame(box, 4)]);
      if (focused === target) paths.push(["halo", frame(box, -1)], ["ring", frame(box, -1)]);
    }
    layer.replaceChildren(
      ...paths.map(([name, d]) => {
        const path = document.createElementNS(NS, "path");
        path.setAttribute("class", name);
        path.setAttribute("d", d);
        return path;
      }),
      ...shapes.flatMap((hit) => numbered(boxOf(hit), places.get(hit.dataset.t ?? ""))),
    );
  }
}
