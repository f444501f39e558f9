// Nothing reloads: forms are sent by fetch, and the page that comes back is put in place of this one, part by part. What the
// reader has scrolled, opened, focused or typed stays as it is.

/** @type {{morph: (old: Element, now: Element, options: object) => void}} */
const Idiomorph = /** @type {any} */ (globalThis).Idiomorph;
const PARTS = ["head", "main", "bar"];

/** @param {Element} old @param {Element} now */
function keepsOwnState(old, now) {
  if (old instanceof HTMLDetailsElement) now.toggleAttribute("open", old.open || now.hasAttribute("data-opens"));
  if (old.id === "rest" || old.id === "choices") return false;
  if (old.matches('[role="tab"]')) for (const name of ["aria-selected", "tabindex"]) now.setAttribute(name, old.getAttribute(name) ?? "");
  if (old.matches(".pane")) now.className = old.className;
  if (old.id === "side") now.className = old.className;
  return true;
}

/** Put another version of the page in place of this one. @param {string} html @param {string} address where it came from */
export function show(html, address) {
  const page = new DOMParser().parseFromString(html, "text/html");
  const now = page.getElementById("main"), old = document.getElementById("main");
  if (!now || !old || now.dataset.match !== old.dataset.match) return location.assign(address);
  document.title = page.title;
  for (const part of PARTS) {
    const [before, after] = [document.getElementById(part), page.getElementById(part)];
    if (!before || !after) continue;
    const scrolled = [...before.querySelectorAll(".pane, .bd")].map((element) => /** @type {const} */ ([element.id, element.scrollTop]));
    Idiomorph.morph(before, after, { ignoreActiveValue: true, callbacks: { beforeNodeMorphed: (/** @type {Node} */ a, /** @type {Node} */ b) =>
      a instanceof Element && b instanceof Element ? keepsOwnState(a, b) : true } });
    for (const [id, top] of scrolled) if (id) /** @type {Element} */ (document.getElementById(id) ?? before).scrollTop = top;
  }
  document.dispatchEvent(new CustomEvent("table:shown"));
}

/** The address of this page, with the version known at its first load: "since your last visit" stays while it is open. */
export function here(search = location.search) {
  const query = new URLSearchParams(search), seen = document.getElementById("main")?.dataset.since ?? "";
  if (seen) query.set("since", seen);
  return `${location.pathname}?${query}`;
}

/** Load the page again, or another moment of it. @param {string} [search] @returns {Promise<boolean>} */
export async function reload(search) {
  const answer = await fetch(here(search), { headers: { Accept: "text/html" } });
  if (!answer.ok) return false;
  show(await answer.text(), answer.url);
  return true;
}

/** Send a form and show the page that answers it, with the reason beside its cause if it was refused.
 * @param {HTMLFormElement} form @param {HTMLElement | null} button @returns {Promise<boolean>} true if it was accepted */
export async function send(form, button) {
  const body = new FormData(form);
  if (button instanceof HTMLButtonElement && button.name) body.set(button.name, button.value);
  const answer = await fetch(form.action, { method: "POST", body, headers: { Accept: "text/html" } });
  const html = await answer.text();
  if (!(answer.headers.get("Content-Type") ?? "").startsWith("text/html")) throw new Error(answer.statusText);
  show(html, answer.url);
  return answer.ok;
}
