// Help on anything: hold, hover, right click or "?" shows the text of a card, piece or place beside it.

import { hitOf, nameOf } from "./marks.js";

/** @type {Map<string, Promise<{name: string, text: string}>>} */
const known = new Map();
/** @type {HTMLElement | null} */
let card = null;
let timer = 0;

/** @param {HTMLElement} pop @param {Element} beside */
export function place(pop, beside) {
  const at = beside.getBoundingClientRect(), size = pop.getBoundingClientRect(), bar = document.getElementById("bar")?.getBoundingClientRect().top ?? innerHeight;
  let x = at.right + 8, y = at.top + at.height / 2 - size.height / 2;
  if (x + size.width > innerWidth - 8) x = at.left - size.width - 8;
  if (x < 8) {
    x = Math.min(Math.max(8, at.left), innerWidth - size.width - 8);
    y = at.top - size.height - 8 > 60 ? at.top - size.height - 8 : at.bottom + 8;
  }
  pop.style.left = `${x}px`;
  pop.style.top = `${Math.min(Math.max(60, y), bar - size.height - 8)}px`;
}

export function hide() {
  clearTimeout(timer);
  card?.remove();
  card = null;
}

/** Return the text at an address, or none without a connection; then it is asked for again the next time.
 * @param {string} address @returns {Promise<{name: string, text: string}>} */
async function ask(address) {
  try {
    const answer = await fetch(address);
    if (answer.ok) return await answer.json();
  } catch {
    // The page says itself that there is no connection.
  }
  known.delete(address);
  return { name: "", text: "" };
}

/** What there is to tell about a target: its name and its text. @param {string} target @returns {Promise<HTMLElement[]>} */
export async function wordsOf(target) {
  const hit = hitOf(target), page = document.getElementById("main");
  if (!hit || !page?.dataset.help) return [];
  const address = `${page.dataset.help}${page.dataset.help.includes("?") ? "&" : "?"}of=${encodeURIComponent(target)}&version=${page.dataset.version}`;
  if (!known.has(address)) known.set(address, ask(address));
  const { name, text } = await /** @type {Promise<{name: string, text: string}>} */ (known.get(address));
  const [title, words] = [document.createElement("h3"), document.createElement("p")];
  title.textContent = name || nameOf(hit);
  words.textContent = text;
  return [title, ...(text ? [words] : [])];
}

/** @param {string} target @returns {Promise<boolean>} true if there was something to tell */
export async function explain(target) {
  hide();
  const told = await wordsOf(target), hit = hitOf(target);
  hide();
  if (!hit || !told.length) return false;
  card = document.createElement("div");
  card.className = "pop help";
  card.setAttribute("role", "tooltip");
  card.append(...told);
  document.body.append(card);
  place(card, hit);
  return true;
}

/** Listen for hovering, holding and right clicks on the board. @returns {() => boolean} true if the last press was a hold */
export function listen() {
  let held = false;
  /** @param {Event} event */
  const under = (event) => /** @type {HTMLElement | null} */ (event.target instanceof Element ? event.target.closest(".hits [data-t]") : null);
  document.addEventListener("pointerdown", (event) => {
    held = false;
    clearTimeout(timer);
    const hit = event.isPrimary ? under(event) : null;
    if (hit && event.pointerType !== "mouse") timer = setTimeout(() => { held = true; void explain(hit.dataset.t ?? ""); }, 500);
  });
  document.addEventListener("pointerup", () => clearTimeout(timer));
  document.addEventListener("pointercancel", () => clearTimeout(timer));
  document.addEventListener("pointerover", (event) => {
    if (event.pointerType !== "mouse") return;
    const hit = under(event);
    hide();
    if (hit && !document.querySelector(".menu")) timer = setTimeout(() => void explain(hit.dataset.t ?? ""), 650);
  });
  // Any press puts it away, one on itself too; that of a hold has just opened it.
  document.addEventListener("click", (event) => held && under(event) ? undefined : hide(), true);
  document.addEventListener("contextmenu", (event) => {
    const hit = under(event);
    if (!hit) return;
    event.preventDefault();
    void explain(hit.dataset.t ?? "");
  });
  return () => held;
}
