// The forms of the page as lists of targets. A form says which of its inputs stands for which thing on the board (data-t);
// nothing here knows a rule of a game.

/** @typedef {HTMLInputElement | HTMLOptionElement | HTMLElement} Choice an element with data-t: a radio, box, option, number or fixed value */

/** @param {ParentNode} root @returns {HTMLFormElement[]} the forms of commands, in the order of the page */
export const commands = (root = document) => [...root.querySelectorAll("form[data-command]")].map((form) => /** @type {HTMLFormElement} */ (form));

/** @param {Element} element */
export const targetOf = (element) => /** @type {HTMLElement} */ (element).dataset.t ?? "";

/** @param {string} target @returns {string} the kind of thing that a target is: `card`, `cell` */
const sortOf = (target) => target.split(":")[0];

/** @param {ParentNode} form a form, or a part of one @returns {Choice[]} */
export const choices = (form) => /** @type {Choice[]} */ ([...form.querySelectorAll("[data-t]")]);

/** @param {Choice} choice @returns {HTMLInputElement | HTMLSelectElement | null} the control of a choice; null if it is fixed */
export function controlOf(choice) {
  if (choice instanceof HTMLOptionElement) return choice.closest("select");
  return choice instanceof HTMLInputElement ? choice : null;
}

/** @param {Choice} choice @returns {"radio" | "box" | "option" | "count" | "fixed"} */
export function kindOf(choice) {
  if (choice instanceof HTMLOptionElement) return "option";
  if (!(choice instanceof HTMLInputElement)) return "fixed";
  return choice.type === "radio" ? "radio" : choice.type === "checkbox" ? "box" : "count";
}

/** The branches of alternatives that an element lies in, the outermost last. @param {Element} element @returns {HTMLElement[]} */
function branches(element) {
  const found = [];
  for (let at = element.closest("[data-branch]"); at; at = at.parentElement?.closest("[data-branch]") ?? null) found.push(at);
  return /** @type {HTMLElement[]} */ (found);
}

/** The radio that chooses a branch. @param {HTMLElement} branch @returns {HTMLInputElement | null} */
const switchOf = (branch) =>
  /** @type {HTMLFormElement} */ (branch.closest("form")).querySelector(
    `input[name="${CSS.escape(branch.dataset.branch ?? "")}"][value="${CSS.escape(branch.dataset.value ?? "")}"]`,
  );

/** @param {Element} element @returns {boolean} true if the alternatives around it are chosen */
const active = (element) => branches(element).every((branch) => switchOf(branch)?.checked);

/** @param {Choice} choice @returns {boolean} true if it is chosen, in whichever alternative it lies */
function marked(choice) {
  if (choice instanceof HTMLOptionElement) return choice.selected;
  if (!(choice instanceof HTMLInputElement)) return true;
  return choice.type === "number" ? Number(choice.value) > 0 : choice.checked;
}

/** The radio of a question that must be answered. Inside an alternative no browser asks for it. */
const NEEDED = 'input[type="radio"]:is(:required, [data-needed])';

/** The list that an element is a row of, if that list names nothing twice. @param {Element} element */
const listOf = (element) => element.closest("[data-unique]");

/** @param {Element} choice */
const valueOf = (choice) => /** @type {HTMLInputElement | HTMLOptionElement} */ (choice).value;

// Where the order of boxes matters, they are sent as they were ticked; each label shows its place.
let ticks = 0;
/** When each box was ticked. @type {WeakMap<Element, number>} */
const ticked = new WeakMap();

/** @param {Element} form @returns {HTMLElement[]} */
const orderedLists = (form) => /** @type {HTMLElement[]} */ ([...form.querySelectorAll("[data-ordered]")]);

/** The ticked boxes of a list, the one ticked first in front. @param {HTMLElement} list @returns {HTMLInputElement[]} */
function inOrder(list) {
  const boxes = /** @type {HTMLInputElement[]} */ ([...list.querySelectorAll('input[type="checkbox"]')]);
  for (const box of boxes)
    if (!box.checked) ticked.delete(box);
    else if (!ticked.has(box)) ticked.set(box, (ticks += 1));
  const when = (/** @type {Element} */ box) => ticked.get(box) ?? 0;
  return boxes.filter((box) => box.checked).sort((one, other) => when(one) - when(other));
}

/** Number the labels of the boxes whose order matters. Call it after each tick. @param {HTMLFormElement} form */
export function number(form) {
  for (const list of orderedLists(form)) {
    const chosen = inOrder(list);
    for (const box of list.querySelectorAll("input")) {
      const label = box.closest("label"), at = chosen.indexOf(box);
      if (label && at >= 0) label.dataset.place = String(at + 1);
      else if (label) delete label.dataset.place;
    }
  }
}

document.addEventListener("formdata", ({ target, formData }) => {
  for (const list of orderedLists(/** @type {HTMLFormElement} */ (target))) {
    const chosen = inOrder(list);
    if (chosen.length) formData.delete(chosen[0].name);
    for (const box of chosen) formData.append(box.name, box.value);
  }
});

/** One form while it is filled in: what the player has chosen in it by themselves, and what it lacks. */
export class Filling {
  /** @param {HTMLFormElement} form */
  constructor(form) {
    this.form = form;
    /** @type {Set<string>} the names of the controls that the player has set */
    this.touched = new Set();
    /** The number of taps on the board, the one that began the form included. */
    this.taps = 0;
    /** What was tapped last of each kind of target. @type {Map<string, string>} */
    this.meant = new Map();
  }

  /** @param {Element} element @returns {boolean} true if nothing chosen so far rules the element out */
  open(element) {
    return branches(element).every((branch) => !this.touched.has(branch.dataset.branch ?? "") || switchOf(branch)?.checked);
  }

  /** @param {Choice} choice @returns {boolean} true if what was tapped goes together with the alternatives that the choice belongs to */
  fits(choice) {
    const control = controlOf(choice), around = branches(choice);
    const own = control?.type === "radio" ? this.form.querySelector(`[data-branch="${CSS.escape(control.name)}"][data-value="${CSS.escape(control.value)}"]`) : null;
    return [...around, ...(own ? [/** @type {HTMLElement} */ (own)] : [])].every((branch) => this._means(branch));
  }

  /** @param {HTMLElement} branch @returns {boolean} true if it holds all of what was tapped that lies in it or in another one beside it */
  _means(branch) {
    const beside = [...this.form.querySelectorAll(`[data-branch="${CSS.escape(branch.dataset.branch ?? "")}"]`)];
    const holds = (/** @type {Element} */ one, /** @type {string} */ target) => choices(one).some((choice) => targetOf(choice) === target);
    return [...this.meant.values()].every((target) => holds(branch, target) || !beside.some((one) => holds(one, target)));
  }

  /** @param {Choice} choice @returns {boolean} true if the choice is part of what would be sent */
  chosen(choice) {
    return active(choice) && marked(choice);
  }

  /** @param {string} target @returns {Choice[]} the open choices that stand for a target */
  standing(target) {
    return choices(this.form).filter((choice) => targetOf(choice) === target && kindOf(choice) !== "fixed" && this.open(choice) && !this._elsewhere(choice));
  }

  /** @param {Choice} choice @returns {boolean} true if it is chosen in another row of a list that names nothing twice */
  _elsewhere(choice) {
    const rows = listOf(choice), mine = controlOf(choice);
    const others = rows && mine ? [...rows.querySelectorAll("input, option")].map((other) => /** @type {Choice} */ (other)) : [];
    return others.some((other) => controlOf(other)?.name !== mine?.name && valueOf(other) === valueOf(choice) && this.chosen(other));
  }

  /** @param {Choice} choice */
  _filled(choice) {
    const control = controlOf(choice);
    if (!control) return true;
    if (control instanceof HTMLSelectElement) return control.value !== "";
    if (control.type !== "radio" || this.touched.has(control.name)) return control.type === "radio" || this.chosen(choice);
    // What is chosen by default needs no tap; which of several alternatives is meant does.
    const alternatives = this.form.querySelector(`[data-branch="${CSS.escape(control.name)}"]`);
    return alternatives ? this._free(control.name) : this.form.querySelector(`input[name="${CSS.escape(control.name)}"]:checked`) !== null;
  }

  /** Of alternatives that the board does not show, the one that costs nothing is meant unless another is chosen.
   * @param {string} name the control that chooses among them @returns {boolean} true if it is chosen, and all others are paid for */
  _free(name) {
    const all = /** @type {HTMLElement[]} */ ([...this.form.querySelectorAll(`[data-branch="${CSS.escape(name)}"]`)].filter((branch) => this.open(branch)));
    const free = all.filter((branch) => !branch.querySelector("[data-payment]")), radio = free.length === 1 ? switchOf(free[0]) : null;
    return radio !== null && radio.checked && !radio.dataset.t;
  }

  /** Choose of alternatives that the board does not show the one that costs nothing, where none is chosen yet. */
  mean() {
    for (const name of new Set([...this.form.querySelectorAll("[data-branch]")].map((branch) => /** @type {HTMLElement} */ (branch).dataset.branch ?? ""))) {
      const all = /** @type {HTMLElement[]} */ ([...this.form.querySelectorAll(`[data-branch="${CSS.escape(name)}"]`)]).filter((branch) => this.open(branch));
      const free = all.filter((branch) => !branch.querySelector("[data-payment]")), radio = free.length === 1 ? switchOf(free[0]) : null;
      if (radio && !radio.dataset.t && !all.some((branch) => switchOf(branch)?.checked)) radio.checked = true;
    }
  }

  /** Choose what stands for a target: in the first control that lacks a value, else in the last. @param {string} target @returns {boolean} */
  take(target) {
    this.taps += 1;
    this.meant.set(sortOf(target), target);
    const found = this.standing(target);
    if (!found.length) return this._given(target);
    const again = found.find((choice) => this.chosen(choice) && (kindOf(choice) === "box" || this._filled(choice)));
    if (again && this.taps > 1 && this._round(again, found)) return true;
    // A tap that begins the form means what is chosen by default, too.
    if (again && this.taps > 1 && this._release(again)) return this.meant.delete(sortOf(target));
    const fresh = found.filter((choice) => !this._filled(choice));
    const paid = again && this.taps === 1 && again.closest("[data-payment]");
    const more = again && (kindOf(again) !== "count" || paid) ? undefined : (again ?? fresh[0] ?? found[found.length - 1]);
    const choice = fresh.find(active) ?? more;
    if (choice) this._set(choice, found);
    return true;
  }

  /** Choose the alternatives to which a target belongs that leaves nothing else to choose. @param {string} target @returns {boolean} */
  _given(target) {
    const fixed = choices(this.form).filter((choice) => targetOf(choice) === target && branches(choice).length && this.open(choice));
    if (fixed.length) this._around(fixed[0], fixed);
    return fixed.length > 0;
  }

  /** Of several alike in one place each tap takes one more; when all are chosen, none is.
   * @param {Choice} choice @param {Choice[]} found @returns {boolean} true if the place stands for several things of one list */
  _round(choice, found) {
    const list = (/** @type {Choice} */ one) => (kindOf(one) === "box" ? controlOf(one)?.name : listOf(one));
    const alike = list(choice) ? found.filter((one) => list(one) === list(choice) && active(one)) : [];
    if (alike.length < 2) return false;
    const more = alike.find((one) => !this._filled(one));
    if (more) this._set(more, found);
    else for (const one of alike) this._release(one);
    return true;
  }

  /** Undo a choice that was made before, where the control can be empty. @param {Choice} choice @returns {boolean} */
  _release(choice) {
    const control = controlOf(choice);
    if (!control || !this.chosen(choice)) return false;
    if (control instanceof HTMLSelectElement) {
      if (![...control.options].some((option) => option.value === "")) return false;
      control.value = "";
    } else if (control.type === "checkbox") {
      control.checked = false;
      number(this.form);
    } else if (control.type === "radio") {
      const none = /** @type {HTMLInputElement | null} */ (this.form.querySelector(`input[name="${CSS.escape(control.name)}"][value=""]`));
      if (none) none.checked = true;
      else if (listOf(control)) control.checked = false;
      else return false;
      this.touched.delete(control.name);
    } else return false;
    return true;
  }

  /** Choose, and with it the alternatives around it. Those are settled unless others offer the same target.
   * @param {Choice} choice @param {Choice[]} alike */
  _set(choice, alike) {
    this._around(choice, alike);
    this._check(choice);
    this.carry();
  }

  /** @param {Choice} choice @param {Choice[]} alike */
  _around(choice, alike) {
    for (const branch of branches(choice)) {
      const radio = switchOf(branch);
      if (!radio) continue;
      radio.checked = true;
      if (alike.every((other) => branch.contains(other))) this.touched.add(radio.name);
    }
  }

  /** @param {string} target @returns {boolean} true if the target is chosen, and a further tap on it chooses nothing */
  stays(target) {
    const found = this.standing(target);
    return !found.length || (found.every((choice) => kindOf(choice) === "radio" && this._filled(choice)) && found.some((choice) => this.chosen(choice)));
  }

  /** Choose in the alternatives that are chosen now what was chosen in others before. */
  carry() {
    const before = choices(this.form).filter((choice) => !active(choice) && marked(choice) && this.touched.has(controlOf(choice)?.name ?? ""));
    for (const target of new Set(before.map(targetOf))) {
      const same = choices(this.form).filter((choice) => targetOf(choice) === target && kindOf(choice) !== "fixed" && active(choice));
      const lacking = same.find((choice) => !this._filled(choice));
      if (lacking && !same.some((choice) => this.chosen(choice) && this._filled(choice))) this._check(lacking);
    }
  }

  /** @param {Choice} choice */
  _check(choice) {
    const control = controlOf(choice);
    if (!control) return;
    this._mark(control, () => {
      if (choice instanceof HTMLOptionElement) choice.selected = true;
      else if (control instanceof HTMLInputElement && control.type === "number") control.value = String(next(control));
      else /** @type {HTMLInputElement} */ (control).checked = true;
    });
  }

  /** @param {HTMLInputElement | HTMLSelectElement} control @param {() => void} change */
  _mark(control, change) {
    change();
    number(this.form);
    this.touched.add(control.name);
  }

  /** The targets that can be tapped next: those of controls that lack a value; if none does, all that could be chosen instead.
   * @returns {Set<string>} */
  next() {
    const open = choices(this.form).filter((choice) => kindOf(choice) !== "fixed" && this.open(choice) && this.fits(choice) && !this._elsewhere(choice));
    const several = (/** @type {Choice} */ choice) => kindOf(choice) === "box" || kindOf(choice) === "count";
    const lacking = open.filter((choice) => !several(choice) && !this._filled(choice));
    return new Set((lacking.length ? open.filter((choice) => several(choice) || lacking.includes(choice)) : open).map(targetOf));
  }

  /** The radios of the first question that the board does not show and that has no answer yet, for the action bar.
   * @returns {HTMLInputElement[]} */
  question() {
    const radios = [...this.form.querySelectorAll(NEEDED)].map((input) => /** @type {HTMLInputElement} */ (input));
    const lacking = radios.find((radio) => !radio.dataset.t && this.open(radio) && !radio.closest("[data-steps]") && !this._filled(radio));
    if (lacking && this._short(lacking)) return [];
    return lacking ? radios.filter((radio) => radio.name === lacking.name && !this._elsewhere(radio)) : [];
  }

  /** @param {HTMLInputElement} radio @returns {boolean} true if a list on the board before it lacks something: the bar does not grow meanwhile */
  _short(radio) {
    const lists = /** @type {HTMLElement[]} */ ([...this.form.querySelectorAll("[data-least]")]).filter((list) => active(list) && list.querySelector("[data-t]"));
    const before = lists.filter((list) => list.compareDocumentPosition(radio) & Node.DOCUMENT_POSITION_FOLLOWING);
    return before.some((list) => list.querySelectorAll(":checked").length < Number(list.dataset.least));
  }

  /** What nobody is asked and no target stands for: boxes, answers beside the usual one, numbers after the first.
   * @returns {(HTMLInputElement | HTMLSelectElement)[]} */
  extras() {
    const shown = [this.number(), ...this.steps(), ...this.question()];
    const all = /** @type {(HTMLInputElement | HTMLSelectElement)[]} */ ([...this.form.querySelectorAll('input:not([type="hidden"], [data-t]), select')]);
    return all.filter((control) => this.open(control) && active(control) && !shown.includes(/** @type {HTMLInputElement} */ (control)) && this._beside(control));
  }

  /** @param {HTMLInputElement | HTMLSelectElement} control @returns {boolean} true if it offers something that the board and questions do not */
  _beside(control) {
    if (control instanceof HTMLSelectElement) return [...control.options].some((option) => option.value !== "" && !option.dataset.t);
    if (control.type !== "radio") return true;
    const group = this._group(control), usual = !control.matches(NEEDED) || group.some((radio) => radio.defaultChecked);
    // Of yes and no, yes is the switch, also where it is usual.
    const spare = control.value === "true" || (!control.defaultChecked && control.value !== "" && control.value !== "false");
    return usual && spare && !control.closest("[data-steps]");
  }

  /** @param {HTMLInputElement} control @returns {HTMLInputElement[]} the radios of its question */
  _group(control) {
    return /** @type {HTMLInputElement[]} */ ([...this.form.querySelectorAll(`input[name="${CSS.escape(control.name)}"]`)]);
  }

  /** Choose, or go back to what is usual; where that is yes, to no. @param {HTMLInputElement} control a box or a radio */
  toggle(control) {
    const group = this._group(control), usual = (/** @type {HTMLInputElement} */ radio) => (radio.defaultChecked || radio.value === "");
    const back = control.type === "radio" && control.checked
      ? group.find((radio) => (control.defaultChecked ? radio.value === "false" : usual(radio))) : null;
    (back ?? control).click();
  }

  /** @returns {boolean} true if nothing that can be tapped lacks a value, and nothing can be chosen several times. A number has its
   * default, but the first tap alone leaves time to change it. A payment has its default, too. */
  settled() {
    const meant = (/** @type {Choice} */ choice) => branches(choice).every((branch) => switchOf(branch)?.checked || !this._free(branch.dataset.branch ?? ""));
    const open = choices(this.form).filter((choice) => kindOf(choice) !== "fixed" && !choice.closest("[data-payment]") && this.open(choice) && meant(choice));
    const plain = this.taps > 1 || (!this.number() && this.steps().length < 2);
    return plain && !this.question().length && open.every((choice) => ["radio", "option"].includes(kindOf(choice)) && this._filled(choice));
  }

  /** @returns {Set<string>} the targets that are chosen */
  taken() {
    return new Set(
      choices(this.form)
        .filter((choice) => this.chosen(choice) && (kindOf(choice) !== "radio" || this.touched.has(controlOf(choice)?.name ?? "")))
        .map(targetOf),
    );
  }

  /** The places of chosen targets in a list whose order matters. @returns {Map<string, number>} */
  places() {
    const chosen = orderedLists(this.form).filter(active).flatMap((list) => inOrder(list).map((box, at) => /** @type {const} */ ([targetOf(box), at + 1])));
    return new Map(chosen.filter(([target]) => target));
  }

  /** @returns {string[]} the words of what the player has chosen, as the form has them */
  words() {
    const chosen = [...this.form.querySelectorAll("input:checked")].map((input) => /** @type {HTMLInputElement} */ (input));
    return chosen.filter((input) => this.touched.has(input.name) && active(input)).map((input) => input.closest("label")?.textContent?.trim() ?? input.value);
  }

  /** The control for a number that the action bar shows as a stepper. @returns {HTMLInputElement | null} */
  number() {
    const found = [...this.form.querySelectorAll('input[type="number"]:not([data-t])')].map((input) => /** @type {HTMLInputElement} */ (input));
    return found.find((input) => this.open(input) && input.min !== "" && input.max !== "" && !input.closest("[data-payment]")) ?? null;
  }

  /** The numbers shown as chips, for the stepper. @returns {HTMLInputElement[]} */
  steps() {
    const group = [...this.form.querySelectorAll("fieldset[data-steps]")].find((fieldset) => this.open(fieldset));
    const found = group ? [...group.querySelectorAll('input[type="radio"]')].map((input) => /** @type {HTMLInputElement} */ (input)) : [];
    return found.filter((input) => input.value !== "");
  }
}

/** The value after this one of a number that is tapped: round and round. @param {HTMLInputElement} input */
const next = (input) => {
  const value = Number(input.value || 0) + 1;
  return input.max !== "" && value > Number(input.max) ? Number(input.min || 0) : value;
};

/** The targets with which a form can begin: the fixed ones that come before its first question, else those of that question. Where
 * that lies in alternatives, each of them can begin. A control with targets that has a default asks nothing.
 * @param {HTMLElement} form a form, or an alternative in it @returns {Set<string>} */
export function begins(form) {
  const all = choices(form), outer = branches(form).length;
  if (!all.length) return new Set();
  // The same field of several rows differs in a number; one that is counted, in the name of what is counted.
  const field = (/** @type {Choice} */ choice) =>
    (controlOf(choice)?.name ?? "").replace(/\.\d+(?=\.)/g, "").replace(choice.closest(".numbers") ? /\.[^.]+$/ : /^$/, "");
  const given = (/** @type {Choice} */ choice) =>
    controlOf(choice)?.type === "radio" && form.querySelector(`input[name="${CSS.escape(controlOf(choice)?.name ?? "")}"]:checked`) !== null;
  const settled = (/** @type {Choice} */ choice) => kindOf(choice) === "fixed" && branches(choice).length === outer;
  const question = all.find((choice) => kindOf(choice) !== "fixed" && !given(choice));
  const fixed = (question ? all.slice(0, all.indexOf(question)) : all).filter(settled);
  if (fixed.length) return new Set(fixed.map(targetOf));
  const first = question ?? all[0], around = branches(first).at(-1 - outer)?.dataset.branch ?? controlOf(first)?.name ?? "";
  const alternatives = /** @type {HTMLElement[]} */ ([...form.querySelectorAll(`[data-branch="${CSS.escape(around)}"]`)]);
  if (alternatives.length) {
    // One in which nothing is left to choose has no part of its own in the form.
    const told = all.filter((choice) => controlOf(choice)?.name === around).map(targetOf);
    return new Set([...told, ...alternatives.flatMap((one) => (switchOf(one)?.dataset.t ? [] : [...begins(one)]))]);
  }
  return new Set(all.filter((choice) => field(choice) === field(first)).map(targetOf));
}
