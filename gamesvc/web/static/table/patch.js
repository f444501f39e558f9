// Nothing reloads: forms are sent by fetch, and the page that comes back is put in place of this one, part by part. What the
// reader has scrolled, opened, focused or typed stays as it is.

import { places, slide } from "./motion.js";

/** @type {{morph: (old: Element, now: Element, options: object) => void}} */
const Idiomorph = /** @type {any} */ (globalThis).Idiomorph;
const PARTS = ["head", "main", "bar"];
const PATIENCE = 30000;

/** @type {WeakSet<HTMLFormElement>} the forms with something that the reader has entered and not sent */
const edited = new WeakSet();
/** @type {AbortController | null} the page that is being loaded */
let loading = null;
/** @type {Promise<unknown>} the form that is being sent, or was sent last */
let sending = Promise.resolve();

/** Keep what a form holds over the next patches, until it is sent or reset. @param {HTMLFormElement | null} form */
export const edit = (form) => void (form?.method === "post" && edited.add(form));
for (const name of ["input", "change"]) document.addEventListener(name, ({ target }) => target instanceof Element && edit(target.closest("form")));
document.addEventListener("reset", ({ target }) => edited.delete(/** @type {HTMLFormElement} */ (target)));

/** Give a control of the new page what the reader has entered in the old one. @param {Element} old @param {Element} now */
function keepsInput(old, now) {
  const [form, next] = [old.closest("form"), now.closest("form")];
  if (!form || !edited.has(form) || next?.id !== form.id) return;
  if (old instanceof HTMLOptionElement && now instanceof HTMLOptionElement) now.selected = old.selected;
  else if (old instanceof HTMLTextAreaElement && now instanceof HTMLTextAreaElement) now.value = old.value;
  else if (old instanceof HTMLInputElement && now instanceof HTMLInputElement && old.name === now.name && old.type !== "hidden")
    if (["radio", "checkbox"].includes(old.type)) now.checked = old.checked;
    else now.setAttribute("value", now.value = old.value);
}

/** @param {Element} old @param {Element} now */
function keepsOwnState(old, now) {
  keepsInput(old, now);
  if (old instanceof HTMLDetailsElement) now.toggleAttribute("open", old.open || now.hasAttribute("data-opens"));
  if (old.id === "rest" || old.id === "choices") return false;
  if (old.matches('[role="tab"]')) for (const name of ["aria-selected", "tabindex"]) now.setAttribute(name, old.getAttribute(name) ?? "");
  if (old.matches(".pane")) now.className = old.className;
  if (old.id === "side") now.className = old.className;
  return true;
}

/** Why a form was not taken, in the words of a page that is not the one of this match. */
export class Refused extends Error {}

/** @param {string} html */
const parse = (html) => new DOMParser().parseFromString(html, "text/html");

/** Tell whether a page is this one at another moment. Somebody else may have signed in with another tab. @param {Document} page */
function isThis(page) {
  const now = page.getElementById("main"), old = document.getElementById("main");
  return now !== null && old !== null && now.dataset.match === old.dataset.match && now.dataset.viewer === old.dataset.viewer;
}

/** Put another version of the page in place of this one. @param {Document} page @param {string} address where it came from */
function show(page, address) {
  if (!isThis(page)) return location.assign(address);
  document.title = page.title;
  const before = places();
  // What is being typed stays. Of any other element that has the focus, a button that was pressed, Idiomorph would keep the old words.
  const ignoreActiveValue = document.activeElement?.matches("input, textarea, select") ?? false;
  for (const part of PARTS) {
    const [before, after] = [document.getElementById(part), page.getElementById(part)];
    if (!before || !after) continue;
    const scrolled = [...before.querySelectorAll(".pane, .bd")].map((element) => /** @type {const} */ ([element.id, element.scrollTop]));
    Idiomorph.morph(before, after, { ignoreActiveValue, callbacks: { beforeNodeMorphed: (/** @type {Node} */ a, /** @type {Node} */ b) =>
      a instanceof Element && b instanceof Element ? keepsOwnState(a, b) : true } });
    for (const [id, top] of scrolled) if (id) /** @type {Element} */ (document.getElementById(id) ?? before).scrollTop = top;
  }
  document.dispatchEvent(new CustomEvent("table:shown"));
  slide(before);
}

/** The last message that was read on this page. */
const heard = () => document.getElementById("main")?.dataset.read ?? "";

/** The address of this page, with the version known at its first load: "since your last visit" stays while it is open. */
export function here(search = location.search) {
  const query = new URLSearchParams(search), seen = document.getElementById("main")?.dataset.since ?? "";
  if (seen) query.set("since", seen);
  if (heard()) query.set("heard", heard());
  return `${location.pathname}?${query}`;
}

/** Wait until no form is on its way. */
export async function idle() {
  for (let form; form !== sending; ) await (form = sending).catch(() => undefined);
}

/** Fetch something. Who is asked to come again in a moment does so, once. @param {string} address @param {RequestInit} options */
export async function fetched(address, options) {
  const answer = await fetch(address, options), wait = answer.status === 429 ? Number(answer.headers.get("Retry-After")) : 0;
  if (!wait || wait > 5) return answer;
  await new Promise((resolve) => setTimeout(resolve, wait * 1000));
  return fetch(address, options);
}

/** Load the page again, or another moment of it. Never crosses a form: it waits for one that is being sent, and a later one
 * ends it. So no answer takes the place of a newer one.
 * @param {string} [search] @returns {Promise<boolean>} */
export async function reload(search) {
  await idle();
  loading?.abort();
  const mine = (loading = new AbortController());
  const answer = await fetched(here(search), { headers: { Accept: "text/html" }, signal: AbortSignal.any([mine.signal, AbortSignal.timeout(PATIENCE)]) });
  const html = await answer.text();
  if (!answer.ok) return false;
  show(parse(html), answer.url);
  return true;
}

/** Return where a form goes. Its property `action` is a field if one has that name.
 * @param {HTMLFormElement} form */
export const addressOf = (form) => form.getAttribute("action") ?? location.pathname;

/** Send a form and show the page that answers it, with the reason beside its cause if it was refused.
 * @param {HTMLFormElement} form @param {HTMLElement | null} button @returns {Promise<boolean>} true if it was accepted
 * @throws {Refused} if a page of its own says why it was not */
export function send(form, button) {
  loading?.abort();
  const sent = post(form, button);
  sending = sent;
  return sent;
}

/** @param {HTMLFormElement} form @param {HTMLElement | null} button */
async function post(form, button) {
  const body = new FormData(form);
  if (button instanceof HTMLButtonElement && button.name) body.set(button.name, button.value);
  // The answer leads to the page without its query: what was read goes with it as a header.
  const headers = { Accept: "text/html", Heard: heard() };
  const answer = await fetched(addressOf(form), { method: "POST", body, headers, signal: AbortSignal.timeout(PATIENCE) });
  const page = parse(await answer.text());
  if (!(answer.headers.get("Content-Type") ?? "").startsWith("text/html")) throw new Error(answer.statusText);
  // What was written stays until it is taken.
  if (!answer.ok && !isThis(page)) throw new Refused(page.querySelector(".messages .error, [role=alert], p")?.textContent?.trim() ?? answer.statusText);
  const taken = answer.ok && !page.querySelector("#says .error");
  if (taken) edited.delete(form);
  show(page, answer.url);
  return taken;
}
