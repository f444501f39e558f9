// The match page, quicker to use: taps on the board, tabs, a page that is always of now. Without scripts all works as plain forms.

import { follow } from "../live.js";
import { listen as listenForFold } from "./fold.js";
import { listen as listenForHelp } from "./help.js";
import { addressOf, idle, reload } from "./patch.js";
import { listen as listenForReplay } from "./replay.js";
import { listen, prepare, refer, submit } from "./taps.js";
import { listen as listenForZoom } from "./zoom.js";
import { tr } from "../words.js";

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
main.dataset.since = main.dataset.seen;
let heard = main.dataset.heard || "none";

/** @param {string} name @param {boolean} [focus] */
function tab(name, focus = false) {
  for (const one of document.querySelectorAll('[role="tab"]')) {
    const chosen = one.id === `tab-${name}`;
    one.setAttribute("aria-selected", String(chosen));
    one.setAttribute("tabindex", chosen ? "0" : "-1");
    document.getElementById(one.getAttribute("aria-controls") ?? "")?.classList.toggle("on", chosen);
    if (chosen && focus) /** @type {HTMLElement} */ (one).focus();
  }
}
let over = false, replaying = false;
/** Show the result once: on a phone it would lie folded under its tab. */
function showResult() {
  const now = document.querySelector("main:not(.replay) #result") !== null;
  if (now && !over) {
    tab("turn");
    document.getElementById("side")?.classList.add("up");
  }
  over ||= now;
  // Beside a replay stands what happened, not how it ended.
  const replay = document.querySelector("main.replay") !== null;
  if (replay && !replaying && document.querySelector('#tab-turn[aria-selected="true"]')) tab("log");
  replaying = replay;
}
document.addEventListener("table:shown", showResult);
showResult();
document.addEventListener("click", (event) => {
  const one = event.target instanceof Element ? event.target.closest('[role="tab"]') : null;
  if (!one) return;
  const side = /** @type {HTMLElement} */ (document.getElementById("side")), was = one.getAttribute("aria-selected") === "true";
  tab(one.id.slice(4));
  side.classList.toggle("up", was ? !side.classList.contains("up") : true);
});
document.addEventListener("keydown", (event) => {
  const at = event.target instanceof Element ? event.target.closest('[role="tab"]') : null, by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!at || by === undefined) return;
  const all = [...document.querySelectorAll('[role="tab"]')];
  tab(all[(all.indexOf(at) + by + all.length) % all.length].id.slice(4), true);
  event.preventDefault();
});

document.addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (form.method !== "post" || !addressOf(form).includes(`/matches/${main.dataset.match}/`)) return;
  event.preventDefault();
  void submit(form, event.submitter);
});

const state = /** @type {HTMLElement} */ (document.getElementById("state"));
const AGAIN = 1000;
/** @type {Record<string, string>} */
const WORDS = { offline: tr("No connection. The page goes on when it is back."), ended: tr("You may no longer follow this match. Load the page again.") };
let newest = 0;
let catching = false;
/** The newest message that was told of, and what has followed the end. */
let said = "", ended = "";
const shown = () => `${main.dataset.version} ${main.dataset.messages} ${main.dataset.end}`;
const behind = () => newest > Number(main.dataset.version) || (said && said !== main.dataset.messages) || ended !== main.dataset.end;
/** Show the newest of all that was told of; what fails is tried again. */
async function catchUp() {
  if (catching) return;
  catching = true;
  try {
    // The answer to a form that is on its way may show it already.
    await idle();
    while (behind() && !document.querySelector("main.replay")) {
      const before = shown();
      if (!(await reload()) || shown() === before) break;
    }
  } catch {
    setTimeout(() => void catchUp(), AGAIN);
  } finally {
    catching = false;
  }
}
let following = false;
/** Follow the match from the moment it runs: who takes the last seat stays on the page of the open match. */
function keepUp() {
  if (following || !main.dataset.stream) return;
  following = true;
  follow(main.dataset.stream, {
    poll: main.dataset.news,
    onChange: ({ version, messages, after_end }) => {
      newest = version;
      said = messages ?? "";
      ended = after_end ?? "";
      void catchUp();
    },
    onState: (now) => {
      state.hidden = !WORDS[now];
      state.textContent = WORDS[now] ?? "";
    },
  });
}
document.addEventListener("table:shown", keepUp);
keepUp();
document.addEventListener("table:shown", () => prepare());

// Messages count as read when their tab is shown. Until then the page asks for itself with the last one that was read.
function read() {
  if (document.getElementById("p-press")?.classList.contains("on")) {
    heard = main.dataset.messages ?? "";
    document.querySelector("#tab-press .dot")?.remove();
    document.title = document.title.replace(/^\(\d+\) /, "");
  }
  main.dataset.read = heard;
}
document.addEventListener("table:shown", read);
document.addEventListener("click", read);
document.addEventListener("keydown", () => setTimeout(read));
read();

// The icon of the tab tells whether the match waits for the reader.
const icon = /** @type {HTMLLinkElement | null} */ (document.querySelector('link[rel="icon"]'));
function badge() {
  if (icon?.dataset.mine && icon.dataset.plain) icon.href = document.querySelector("#head .flag") ? icon.dataset.mine : icon.dataset.plain;
}
document.addEventListener("table:shown", badge);
badge();

// A page in view holds a mail about this match back for some minutes; a page that is hidden or closed does not.
async function present() {
  const token = /** @type {HTMLInputElement | null} */ (document.querySelector("input[name=csrfmiddlewaretoken]"))?.value;
  if (!token || !main.dataset.presence) return;
  const method = document.hidden ? "DELETE" : "POST";
  await fetch(main.dataset.presence, { method, headers: { "X-CSRFToken": token }, keepalive: true });
}
const tell = () => void present().catch(() => undefined);
if (!document.hidden) tell();
document.addEventListener("visibilitychange", tell);
setInterval(() => document.hidden || tell(), 60000);

for (const name of ["pointerover", "focusin"])
  document.addEventListener(name, (event) => {
    const line = event.target instanceof Element ? /** @type {HTMLElement | null} */ (event.target.closest(".log [data-places]")) : null;
    if (line || document.querySelector(".ov .ref")) refer(line?.dataset.places?.split(" ") ?? []);
  });

listen(listenForHelp());
listenForReplay();
listenForFold(prepare);
listenForZoom();
prepare();
