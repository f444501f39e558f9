// Tap, then tap: what is tapped on the board fills the real forms of the page, and the action bar says what they would do.

import { Filling, begins, choices, commands, number, targetOf } from "./forms.js";
import { fold } from "./fold.js";
import { bring, draw, hitOf, hits, nameOf } from "./marks.js";
import { explain, hide, place, wordsOf } from "./help.js";
import { edit, fetched, Refused, send } from "./patch.js";
import { count, fit } from "./zoom.js";
import { tr } from "../words.js";

/** @type {Filling | null} */
let filling = null;
/** @typedef {{order: string, why: string, told: string[], final: boolean, open: boolean}} Words */
/** @type {Words | null} */
let preview = null;
/** What the preview said before the board changed, until it is known again. @type {Words | null} */
let said = null;
let asked = 0;
let answered = 0;
let first = "";
let focused = "";
/** @type {Set<string>} */
let told = new Set();
/** @type {HTMLElement | null} */
let menu = null;
const MOST_ANSWERS = 4;
/** An answer of more letters, such as a card with its text, is read in its form. */
const LONGEST_ANSWER = 40;
let busy = false;
let tapped = false;
/** The version of the match that the board shows. */
const version = () => document.getElementById("main")?.dataset.version ?? "";
let drawn = version();
/** Confirm was pressed before the words of the server came. */
let pressed = false;
/** What was tapped while an act was on its way. */
let later = "";
/** Why what is chosen was refused, until it is changed. */
let refusal = "";
/** A button of the bar has brought up the forms: they go down again with the act. */
let raised = false;

const AT_ONCE = "send at once";
/** @returns {boolean} true if the player wants acts that they can undo to be sent without Confirm */
const sendsAtOnce = () => localStorage.getItem(AT_ONCE) === "1";

/** @param {string} id */
const $ = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
const live = () => !document.querySelector("main.replay");

/** @param {HTMLFormElement} form */
const isMain = (form) => form.dataset.weight === "main" || form.dataset.weight === "end";

/** @returns {Set<string>} */
function canBegin() {
  return new Set(live() ? commands().filter(isMain).flatMap((form) => [...begins(form)]) : []);
}

/** Tap a target. @param {string} target @returns {void} */
export function tap(target) {
  hide();
  closeMenu();
  if (!live()) return void explain(target);
  if (busy) return wait(target);
  tapped = true;
  if (filling && target === first && filling.stays(target)) return cancel();
  if (filling?.take(target)) return changed();
  const all = commands(), fitting = formsFor(target, all.filter(isMain));
  if (fitting.length === 1) return begin(fitting[0], target);
  if (fitting.length) {
    ask(target, fitting);
    return void tell(target, false);
  }
  if (filling) reset();
  render();
  // No act of the turn: what stands there is told, and settings that could name it are offered beside.
  const beside = formsFor(target, all);
  if (!beside.length) return void explain(target);
  ask(target, beside);
  void tell(target);
}

/** The forms that a target begins; if there are none, those that it is part of. @param {string} target @param {HTMLFormElement[]} list */
function formsFor(target, list) {
  const begun = list.filter((form) => begins(form).has(target));
  return begun.length ? begun : list.filter((form) => choices(form).some((choice) => targetOf(choice) === target));
}

/** @param {HTMLFormElement} form @param {string} target */
function begin(form, target) {
  if (busy) return wait(target);
  if (filling && filling.form !== form) reset();
  if (filling?.form !== form) filling = new Filling(form);
  first = target;
  if (target && !filling.take(target)) filling.mean();
  for (let fold = form.closest("details"); fold; fold = fold.parentElement?.closest("details") ?? null) fold.open = true;
  start(filling);
  changed();
}

/** Numbers start at their default, else at the most that is allowed; one that may be left out, at the least: what is given away is
 * named by whoever gives it. @param {Filling} form */
function start(form) {
  const number = form.number(), steps = form.steps(), needed = (/** @type {HTMLInputElement} */ input) => input.required || "needed" in input.dataset;
  if (number && number.value === "") number.value = needed(number) ? number.max : number.min;
  if (steps.length && !steps.some((step) => step.checked)) steps[needed(steps[0]) ? steps.length - 1 : 0].checked = true;
}

function reset() {
  if (filling) forget(filling.form);
  filling?.form.reset();
  filling = preview = said = null;
  first = refusal = "";
  pressed = false;
}

export function cancel() {
  closeMenu();
  hide();
  reset();
  render();
}

/** Take the result of each change: marks at once, the words of the server when they come. */
function changed() {
  preview = said = null;
  pressed = false;
  refusal = "";
  if (filling) {
    start(filling);
    number(filling.form);
    edit(filling.form);
    branchesShown(filling);
    keep(filling);
    void look(filling.form);
  }
  render();
  if (filling && tapped && !filling.settled()) bring(filling.next());
}

/** Show only the branch that is chosen. @param {Filling} form */
function branchesShown(form) {
  for (const branch of form.form.querySelectorAll("[data-branch]")) /** @type {HTMLElement} */ (branch).hidden = !form.open(branch);
}

/** @param {HTMLFormElement} form */
async function look(form) {
  const mine = ++asked;
  showBusy();
  try {
    const answer = await fetched(form.dataset.preview ?? "", { method: "POST", body: new FormData(form) });
    const words = answer.ok ? await answer.json() : null;
    if (mine !== asked || filling?.form !== form) return;
    preview = words;
  } catch {
    if (mine !== asked || filling?.form !== form) return;
  }
  answered = asked;
  showBusy();
  // Without the words the form can be sent all the same.
  if (pressed && !preview) return submit(form);
  const wanted = pressed || (tapped && filling.settled() && sendsAtOnce());
  const safe = !preview?.final || (pressed && JSON.stringify(said) === JSON.stringify(preview));
  pressed = false;
  said = null;
  render();
  if (preview?.order && safe && wanted) await submit(form);
}

/** Send what is chosen; if the words of the server are still on their way, when they say that it is complete and can be undone,
 * or the same as before. */
function confirm() {
  if (busy) wait();
  else if (filling && (preview || asked === answered)) void submit(filling.form);
  else pressed = filling !== null;
}

/** Send what is chosen. @param {HTMLFormElement} form @param {HTMLElement | null} [button] */
export async function submit(form, button = null) {
  if (busy) return wait();
  busy = true;
  later = "";
  const [was, near, byTap] = [filling, focused, tapped || Boolean(button?.closest("#bar"))];
  showBusy();
  try {
    // What the page shows next is for after this act.
    if (form.matches("[data-command]")) [filling, preview, pressed, tapped] = [null, null, false, false];
    if (await send(form, button)) {
      forget(form);
      if (form.matches("[data-command]")) lower();
    } else if (was?.form === form && form.isConnected) filling = was;
  } catch (fault) {
    if (was?.form.isConnected) filling = was;
    answered = asked;
    refusal = fault instanceof Refused ? fault.message : tr("The connection is lost. Try again: nothing happens twice");
    render();
    if (!filling) say(refusal, "", true);
    return;
  } finally {
    busy = false;
    showBusy();
  }
  const error = document.querySelector('#main [role="alert"]');
  refusal = error?.textContent?.trim() ?? "";
  render();
  if (filling) void look(form);
  else if (byTap && live()) bring(canBegin());
  if (refusal && !filling) say(refusal, "", true);
  if (near) hitOf(near)?.focus();
  if (later && !refusal && hitOf(later)) {
    tap(later);
    // It was meant for the board before: nothing is sent at once for it.
    tapped = false;
  }
}

/** Something is on its way: a tap on the board is kept for the one after it; any other press waits, lest it be sent twice.
 * @param {string} [target] */
function wait(target = "") {
  later = target || later;
  const hit = hitOf(later);
  say(tr("Still sending"), hit ? nameOf(hit) : "");
}

/** Tell whether a form is on its way, or the words about what is chosen. */
function showBusy() {
  $("bar").ariaBusy = busy || (filling && asked !== answered) ? "true" : null;
}

/** @param {string} text @param {string} more @param {boolean} [error] @param {string} [lead] what comes before the text, set apart */
function say(text, more, error = false, lead = "") {
  const [strong, small, before] = [document.createElement("b"), document.createElement("span"), document.createElement("i")];
  before.textContent = lead;
  strong.append(...(lead ? [before, " "] : []), text);
  small.textContent = more;
  strong.classList.toggle("error", error);
  $("says").replaceChildren(strong, small);
}

/** @param {string} label @param {string} name @param {() => void} act */
function button(label, name, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = `btn ${name}`;
  made.textContent = label;
  made.addEventListener("click", act);
  return made;
}

function render() {
  const can = filling ? filling.next() : canBegin(), taken = filling?.taken() ?? new Set();
  draw({ can, taken, places: filling?.places(), told, focused });
  count(can);
  const bar = $("bar");
  showBusy();
  bar.classList.toggle("filling", filling !== null);
  for (const form of commands()) form.classList.toggle("filling", form === filling?.form);
  if (!filling) {
    if (bar.dataset.idle !== undefined) $("says").innerHTML = bar.dataset.idle;
    delete bar.dataset.idle;
    $("choices")?.replaceChildren(...beginners());
    return;
  }
  bar.dataset.idle ??= $("says").innerHTML;
  const form = filling.form, words = preview ?? said, ready = words ? words.order !== "" : form.checkValidity();
  // Where chance decides at once, nothing but what is chosen can be told.
  const bare = words?.open && words.told.length < 2, chosen = bare ? filling.words().join(", ") : "", name = form.dataset.verb || form.dataset.label || "";
  const what = chosen ? `${name}: ${chosen}` : words?.told.length && !bare ? words.told.join(" ") : (!bare && words?.order) || form.dataset.label || "";
  const how = !words ? "" : words.order === "" ? words.why : words.final ? tr("Cannot be undone alone: chance or a reveal") : tr("You can undo it until someone acts");
  if (refusal) say(refusal, "", true);
  else say(what, how, false, !bare && words?.told.length ? tr("If you confirm:") : "");
  if (words?.final && !refusal) $("says").querySelector("span")?.classList.add("warn");
  // Who takes none of what could be taken does not do what the button is called after: no die is rerolled.
  const none = !taken.size && words?.order && form.querySelector('input[type="checkbox"]') && !form.querySelector('input[type="checkbox"]:checked');
  go.textContent = none ? tr("Confirm") : form.dataset.verb || tr("Confirm");
  go.disabled = !ready;
  const had = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset.k;
  for (const old of document.querySelectorAll("#choices .stepper, #choices [data-k]")) old.remove();
  if (!go.isConnected) $("choices").append(go, stop);
  $("choices").prepend(...answers(filling), ...stepper(filling), ...extras(filling));
  if (had) /** @type {HTMLElement | null} */ ($("choices").querySelector(`[data-k="${CSS.escape(had)}"]`))?.focus();
}

// These two stay the same elements while the words of the server come: a press is never lost.
const go = button("", "btn-go go", confirm);
go.id = "confirm";
const stop = button(tr("Cancel"), "stop", cancel);

/** Buttons for the commands that nothing on the board begins, and that have none in the bar yet. @returns {HTMLElement[]} */
function beginners() {
  if (!live()) return [];
  const lost = commands().filter((form) => isMain(form) && !document.querySelector(`#bar [form="${form.id}"]`) && ![...begins(form)].some(hitOf));
  if (lost.length > MOST_ANSWERS) return [button(tr("Choose"), "begin", showForms)];
  return lost.map((form) => button(form.dataset.label ?? "", "begin", () => begin(form, "")));
}

/** Show the forms of the turn: beside the board, or on a phone above it. */
function showForms() {
  const tab = $("tab-turn");
  if (tab.ariaSelected !== "true") tab.click();
  raised ||= !$("side").classList.contains("up");
  $("side").classList.add("up");
}

/** Show the board again, and the forms from their beginning. @param {boolean} [always] even if the reader has brought them up */
function lower(always = false) {
  if (always || raised) $("side").classList.remove("up");
  raised = false;
  $("p-turn").scrollTop = 0;
}

/** @param {Filling} form @returns {HTMLElement[]} */
function stepper(form) {
  const number = form.number(), steps = form.steps();
  const at = steps.findIndex((step) => step.checked);
  if (!number && steps.length < 2) return [];
  const [low, high, value] = number ? [Number(number.min), Number(number.max), Number(number.value)] : [0, steps.length - 1, at];
  if (low === high) return [];
  const made = document.createElement("div"), shown = document.createElement("output");
  made.className = "stepper";
  made.setAttribute("role", "group");
  const words = (number?.closest("label")?.firstChild ?? steps[0]?.closest("fieldset")?.querySelector("legend"))?.textContent?.trim();
  made.setAttribute("aria-label", words || tr("How many"));
  shown.textContent = number ? number.value : steps[at]?.value ?? "";
  const [less, more] = [-1, 1].map((by) => {
    const key = button(by < 0 ? "−" : "+", "", () => step(by));
    key.className = "";
    key.dataset.k = by < 0 ? "less" : "more";
    key.setAttribute("aria-label", by < 0 ? tr("One less") : tr("One more"));
    key.disabled = by < 0 ? value <= low : value >= high;
    return key;
  });
  made.append(less, shown, more);
  return [made];
}

/** A question that the board does not show is answered in the bar; one with many answers in its form, to which a button leads.
 * @param {Filling} form @returns {HTMLElement[]} */
function answers(form) {
  const radios = form.question(), words = (/** @type {HTMLInputElement} */ radio) => radio.closest("label")?.textContent?.trim() ?? radio.value;
  if (radios.length > MOST_ANSWERS || radios.some((radio) => words(radio).length > LONGEST_ANSWER)) {
    const made = button(tr("Choose"), "answer more", () => { showForms(); radios[0].focus(); });
    made.dataset.k = radios[0].name;
    return [made];
  }
  return radios.map((radio) => {
    // The usual answer is chosen at first: a press on it says that it is meant.
    const mean = () => (radio.checked ? radio.dispatchEvent(new Event("change", { bubbles: true })) : radio.click());
    const made = button(words(radio), "answer", mean);
    made.dataset.k = `${radio.name} ${radio.value}`;
    made.ariaPressed = String(radio.checked);
    return made;
  });
}

/** What can be chosen besides: as switches in the bar; where there are many, in the form, to which a button leads.
 * @param {Filling} form @returns {HTMLElement[]} */
function extras(form) {
  const found = form.question().length || form.form.dataset.weight === "end" ? [] : form.extras();
  const switches = /** @type {HTMLInputElement[]} */ (found.filter((one) => one instanceof HTMLInputElement && one.type !== "number"));
  if (found.length > MOST_ANSWERS || switches.length < found.length) {
    const made = button(choices(form.form).length ? tr("More choices") : tr("Choose"), "answer more", () => { showForms(); found[0].focus(); });
    made.dataset.k = "extras";
    return [made];
  }
  return switches.map((one) => {
    const legend = one.value === "true" && one.type === "radio" ? one.closest("fieldset")?.querySelector("legend") : one.closest("label");
    const made = button(legend?.textContent?.trim() ?? one.value, "extra", () => form.toggle(one));
    made.dataset.k = `${one.name} ${one.value}`;
    made.ariaPressed = String(one.checked);
    return made;
  });
}

/** Change the number by one, within its limits. @param {number} by */
function step(by) {
  const number = filling?.number(), steps = filling?.steps() ?? [];
  if (number) number.value = String(Math.min(Number(number.max), Math.max(Number(number.min), Number(number.value) + by)));
  else if (steps.length) steps[Math.min(steps.length - 1, Math.max(0, steps.findIndex((one) => one.checked) + by))].checked = true;
  changed();
}

/** @param {string} target @param {HTMLFormElement[]} forms */
function ask(target, forms) {
  const hit = hitOf(target);
  if (!hit) return begin(forms[0], target);
  menu = document.createElement("div");
  menu.className = "pop menu";
  const items = document.createElement("div");
  items.setAttribute("role", "menu");
  items.setAttribute("aria-label", nameOf(hit));
  for (const form of forms) {
    const item = button(form.dataset.label ?? "", "", () => { closeMenu(); begin(form, target); });
    item.className = "";
    item.setAttribute("role", "menuitem");
    items.append(item);
  }
  items.addEventListener("keydown", (event) => {
    const all = /** @type {HTMLElement[]} */ ([...items.children]), at = all.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    all[(at + by + all.length) % all.length].focus();
  });
  menu.append(items);
  document.body.append(menu);
  place(menu, hit);
  /** @type {HTMLElement} */ (items.firstElementChild).focus({ preventScroll: true });
  draw({ can: new Set(), taken: new Set([target]), focused });
}

/** Put what stands at a target into the menu that is open there. The items stay where they are: a finger may be on its way.
 * @param {string} target @param {boolean} [titled] with its name */
async function tell(target, titled = true) {
  const mine = menu, words = await wordsOf(target), hit = hitOf(target), items = mine?.querySelector('[role="menu"]');
  if (!hit || !mine?.isConnected || !items) return;
  const was = items.getBoundingClientRect().top, above = mine.getBoundingClientRect().bottom <= hit.getBoundingClientRect().top;
  mine[titled || above ? "prepend" : "append"](...words.slice(titled ? 0 : 1));
  if (titled) return place(mine, hit);
  const top = parseFloat(mine.style.top) + was - items.getBoundingClientRect().top;
  mine.style.top = `${Math.max(60, Math.min(top, $("bar").getBoundingClientRect().top - mine.offsetHeight - 8))}px`;
}

function closeMenu() {
  if (!menu) return;
  const had = menu.contains(document.activeElement);
  menu.remove();
  menu = null;
  if (had && focused) hitOf(focused)?.focus({ preventScroll: true });
}

/** What the drafts of this reader begin with: another one may sign in at the same tab, and be the opponent. */
const ours = () => `draft ${document.getElementById("main")?.dataset.viewer} `;
/** @param {HTMLFormElement} form */
const draftKey = (form) => `${ours()}${location.pathname} ${form.id}`;

/** @param {Filling} form */
function keep(form) {
  const fields = [...new FormData(form.form)].filter(([name, value]) => typeof value === "string" && !name.startsWith("_") && name !== "csrfmiddlewaretoken");
  sessionStorage.setItem(draftKey(form.form), JSON.stringify({ fields, touched: [...form.touched], first }));
}

/** @param {HTMLFormElement} form */
const forget = (form) => sessionStorage.removeItem(draftKey(form));

/** Fill in again what was begun before a reload, if its form is still offered. What others have begun here is forgotten. */
function recall() {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith("draft ") && !key.startsWith(ours())) sessionStorage.removeItem(key);
  for (const form of commands()) {
    const kept = sessionStorage.getItem(draftKey(form));
    if (!kept) continue;
    const draft = /** @type {{fields: [string, string][], touched: string[], first: string}} */ (JSON.parse(kept));
    for (const input of form.querySelectorAll('input[type="checkbox"]')) /** @type {HTMLInputElement} */ (input).checked = false;
    for (const [name, value] of draft.fields)
      for (const input of form.querySelectorAll(`[name="${CSS.escape(name)}"]`)) {
        const control = /** @type {HTMLInputElement} */ (input);
        if (control.type === "radio" || control.type === "checkbox") control.checked ||= control.value === value;
        else control.value = value;
        number(form);
      }
    filling = new Filling(form);
    filling.touched = new Set(draft.touched);
    first = draft.first;
    return changed();
  }
}

/** The nearest target in a direction. @param {SVGGraphicsElement} from @param {number[]} direction */
function neighbour(from, [dx, dy]) {
  const middle = (/** @type {SVGGraphicsElement} */ hit) => { const box = hit.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; };
  const [x, y] = middle(from);
  let best = null, least = Infinity;
  for (const hit of hits()) {
    const [a, b] = middle(hit), along = (a - x) * dx + (b - y) * dy, off = Math.abs((a - x) * dy) + Math.abs((b - y) * dx);
    if (along > 2 && along + 3 * off < least) [best, least] = [hit, along + 3 * off];
  }
  return /** @type {SVGGraphicsElement | null} */ (best);
}

/** The next target that can be chosen, or the one before, round and round. @param {SVGGraphicsElement} from @param {number} by */
function nextThat(from, by) {
  const all = hits(), at = all.indexOf(from);
  const turned = [...all.slice(at + 1), ...all.slice(0, at)];
  return (by > 0 ? turned : turned.reverse()).find((hit) => hit.matches('.can:not([aria-pressed="true"])'));
}

/** The target that a tap means: on small boards the nearest one that can be chosen. @param {MouseEvent} event @param {SVGGraphicsElement} hit */
function meant(event, hit) {
  const can = filling ? filling.next() : canBegin(), own = hit.getBoundingClientRect();
  if (can.has(hit.dataset.t ?? "") || own.width >= 44 || !event.detail) return hit.dataset.t ?? "";
  let best = hit.dataset.t ?? "", least = 10;
  for (const other of hits().filter((one) => can.has(one.dataset.t ?? ""))) {
    const box = other.getBoundingClientRect();
    const off = Math.hypot(Math.max(box.left - event.clientX, 0, event.clientX - box.right), Math.max(box.top - event.clientY, 0, event.clientY - box.bottom));
    if (off < least) [best, least] = [other.dataset.t ?? "", off];
  }
  return best;
}

/** Give each hit shape its role and name, and the board one tab stop. */
export function prepare() {
  fold();
  fit();
  const all = hits();
  // What can be tapped is a group of buttons. Without scripts it is one picture with a description.
  if (all.length) document.querySelector("#chart svg.board")?.setAttribute("role", "group");
  const lost = filling !== null && !filling.form.isConnected;
  if (lost) reset();
  all.forEach((hit) => {
    hit.setAttribute("role", "button");
    if (!hit.hasAttribute("aria-label")) hit.setAttribute("aria-label", nameOf(hit));
    hit.setAttribute("tabindex", "-1");
  });
  (all.find((hit) => hit.dataset.t === focused) ?? all.find((hit) => canBegin().has(hit.dataset.t ?? "")) ?? all[0])?.setAttribute("tabindex", "0");
  if (filling) {
    // The same choice, on a board that may have changed: the words are asked for again.
    branchesShown(filling);
    said = preview ?? said;
    preview = null;
    tapped &&= drawn === version();
    void look(filling.form);
  }
  // A menu is for the board that it was opened on.
  if (drawn !== version()) closeMenu();
  drawn = version();
  const atOnce = /** @type {HTMLInputElement | null} */ (document.getElementById("at-once"));
  if (atOnce) atOnce.checked = sendsAtOnce();
  render();
  if (lost) say(tr("The board has changed. Choose again"), "");
}

/** Show places in ink: a line of the log names them. @param {Iterable<string>} targets */
export function refer(targets) {
  told = new Set(targets);
  render();
}

/** @param {() => boolean} held true if the last press was a hold */
export function listen(held) {
  document.addEventListener("click", (event) => {
    const at = event.target instanceof Element ? event.target : null;
    const hit = /** @type {SVGGraphicsElement | null} */ (at?.closest(".hits [data-t]"));
    if (held() && hit) return;
    if (hit) return tap(meant(event, hit));
    if (menu && !menu.contains(at)) { closeMenu(); render(); }
    // An act that is complete as it stands: the words of the server come first, then Confirm.
    const whole = /** @type {HTMLButtonElement | null} */ (at?.closest("[data-begin]"));
    if (!whole?.form) return;
    event.preventDefault();
    begin(whole.form, "");
    go.focus({ preventScroll: true });
    // A button that chooses nothing is meant as it is called.
    if (whole.dataset.begin === "now") confirm();
  });
  document.addEventListener("change", (event) => {
    const control = /** @type {HTMLInputElement} */ (event.target), form = control.form;
    if (control.id === "at-once") return localStorage.setItem(AT_ONCE, control.checked ? "1" : "0");
    if (!form?.matches("[data-command]")) return;
    tapped = false;
    if (filling?.form !== form) { reset(); filling = new Filling(form); first = control.dataset.t ?? ""; }
    filling.touched.add(control.name);
    filling.carry();
    changed();
  });
  document.addEventListener("focusin", (event) => {
    const hit = event.target instanceof Element ? /** @type {SVGGraphicsElement | null} */ (event.target.closest(".hits [data-t]")) : null;
    const now = hit?.matches(":focus-visible") ? hit.dataset.t ?? "" : "";
    if (hit) for (const other of hits()) other.setAttribute("tabindex", other === hit ? "0" : "-1");
    if (now !== focused) { focused = now; render(); }
  });
  document.addEventListener("keydown", keys);
  // While a form is filled in, the bar may grow: what lies above it makes way.
  new ResizeObserver(() => document.documentElement.style.setProperty("--foot", `${$("bar").offsetHeight}px`)).observe($("bar"));
  recall();
}

/** @param {KeyboardEvent} event */
function keys(event) {
  const at = /** @type {HTMLElement} */ (event.target);
  if (event.ctrlKey || event.metaKey || event.altKey || at.matches("textarea, select, input:not([type=radio], [type=checkbox])")) return;
  const hit = /** @type {SVGGraphicsElement | null} */ (at.closest(".hits [data-t]"));
  const direction = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key];
  const idle = at === document.body || hit !== null;
  if (hit && direction && live()) neighbour(hit, direction)?.focus();
  else if (hit && (event.key === "PageDown" || event.key === "PageUp") && live()) nextThat(hit, event.key === "PageDown" ? 1 : -1)?.focus();
  else if (hit && (event.key === "Enter" || event.key === " ")) enter(hit.dataset.t ?? "");
  else if (hit && event.key === "?") void explain(hit.dataset.t ?? "");
  else if (event.key === "Escape") stepBack();
  else if (filling && (event.key === "+" || event.key === "-")) step(event.key === "+" ? 1 : -1);
  else if (idle && event.key === "Enter" && filling) confirm();
  else if (event.key === "u" && !filling) $("undo-button")?.click();
  else if (event.key === "n") /** @type {HTMLElement | null} */ (document.querySelector(".next"))?.click();
  else return;
  event.preventDefault();
}

/** Close what lies on top: a menu, else what is chosen with the sheet of a phone. */
function stepBack() {
  if (!menu) {
    cancel();
    return lower(true);
  }
  closeMenu();
  hide();
  render();
}

/** Enter chooses; on what was chosen last, and is complete, it sends. @param {string} target */
function enter(target) {
  if (filling?.taken().has(target) && (preview ? preview.order : filling.form.checkValidity())) confirm();
  else tap(target);
}
