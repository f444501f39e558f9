// Replay: the page of an earlier version, put in place without a reload. The address names the version, so it can be shared.

import { reload } from "./patch.js";

const STEP = 900;
const FAR = 10;
let playing = 0;
let wanted = -1;
let busy = false;

const range = () => /** @type {HTMLInputElement | null} */ (document.querySelector(".scrub input[type=range]"));

function stop() {
  clearInterval(playing);
  playing = 0;
  document.getElementById("play")?.setAttribute("aria-pressed", "false");
}

/** Show a version; of several that are asked for while one loads, the last. @param {number} version */
async function go(version) {
  const input = range();
  if (!input) return;
  wanted = Math.max(Number(input.min), Math.min(Number(input.max), version));
  input.value = String(wanted);
  if (busy) return;
  busy = true;
  try {
    while (wanted !== -1) {
      const next = wanted, query = new URLSearchParams(location.search);
      wanted = -1;
      query.set("at", String(next));
      history.replaceState(null, "", `?${query}`);
      await reload();
    }
  } catch {
    stop();
  } finally {
    busy = false;
  }
}

function play() {
  if (playing) return stop();
  document.getElementById("play")?.setAttribute("aria-pressed", "true");
  const input = range();
  if (input && input.value === input.max) void go(Number(input.min));
  playing = setInterval(() => {
    const now = range();
    if (!now || Number(now.value) >= Number(now.max)) return stop();
    void go(Number(now.value) + 1);
  }, STEP);
}

/** @param {KeyboardEvent} event */
function keys(event) {
  const input = range(), at = /** @type {HTMLElement} */ (event.target);
  if (!input || event.ctrlKey || event.metaKey || event.altKey || at.matches("textarea, select, input:not([type=range])")) return;
  const now = Number(input.value);
  const to = {
    ArrowRight: now + 1, ArrowLeft: now - 1, Home: Number(input.min), End: Number(input.max),
    PageDown: now + FAR, PageUp: now - FAR,
  }[event.key];
  if (to !== undefined) { stop(); void go(to); }
  else if (event.key === " " && !at.matches("button, a, summary")) play();
  else if (event.key === "Escape") document.querySelector('[data-step="close"]')?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
  else return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

export function listen() {
  document.addEventListener("keydown", keys, { capture: true });
  document.addEventListener("input", (event) => {
    if (event.target === range()) { stop(); void go(Number(range()?.value)); }
  });
  document.addEventListener("click", (event) => {
    const at = event.target instanceof Element ? event.target.closest("a[data-step], #play, a[href^='?']") : null;
    if (!at) return;
    event.preventDefault();
    if (at.id === "play") return play();
    stop();
    const address = new URL(/** @type {HTMLAnchorElement} */ (at).href);
    history.replaceState(null, "", address.search || location.pathname);
    void reload(address.search).catch(() => location.assign(address));
  });
  document.addEventListener("change", (event) => {
    const seat = /** @type {HTMLSelectElement} */ (event.target), query = new URLSearchParams(location.search);
    if (!seat.matches(".scrub select")) return;
    query.set("as", seat.value);
    history.replaceState(null, "", `?${query}`);
    void reload().catch(() => undefined);
  });
  document.addEventListener("submit", (event) => {
    if (/** @type {HTMLElement} */ (event.target).matches(".scrub")) { event.preventDefault(); void go(Number(range()?.value)); }
  });
}
