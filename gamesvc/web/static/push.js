// Push on this device: turned on and off in the profile, offered on the page of one's matches after the first move. And the
// badge of the installed page: how many matches wait. Who signs out leaves no drafts on this device, and gets no more push there.
import { tr } from "./words.js";

const waiting = Number(document.querySelector("nav .count")?.firstChild?.textContent ?? 0);
if ("setAppBadge" in navigator) void navigator.setAppBadge(waiting).catch(() => {});

const able = "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;
const LATER = "push-later";
const LONGEST_FAREWELL = 2000;

/** @returns {Promise<PushSubscription | null | undefined>} */
async function subscribed() {
  const worker = await navigator.serviceWorker.getRegistration("/");
  return worker?.pushManager.getSubscription();
}

for (const found of document.querySelectorAll('form[action$="/logout/"]')) {
  const form = /** @type {HTMLFormElement} */ (found);
  form.addEventListener("submit", (event) => {
    sessionStorage.clear();
    if (!able) return;
    event.preventDefault();
    // The push service tells ours with the next notice.
    const ended = subscribed().then((subscription) => subscription?.unsubscribe());
    const waited = new Promise((resolve) => setTimeout(resolve, LONGEST_FAREWELL));
    void Promise.race([ended.catch(() => {}), waited]).then(() => form.submit());
  });
}

/** @param {string} text base64url @returns {Uint8Array<ArrayBuffer>} */
function bytes(text) {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
}

/** @param {ArrayBuffer | null} buffer */
function letters(buffer) {
  const plain = String.fromCharCode(...new Uint8Array(buffer ?? new ArrayBuffer(0)));
  return btoa(plain).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Ask the browser, and hand its subscription to the form. @param {HTMLFormElement} form */
async function turnOn(form) {
  if ((await Notification.requestPermission()) !== "granted") throw new Error(tr("The browser does not allow notifications from this page."));
  const worker = await navigator.serviceWorker.register("/sw.js");
  await navigator.serviceWorker.ready;
  const key = bytes(form.dataset.key ?? "");
  const subscription = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  /** @param {string} name @param {string} value */
  const fill = (name, value) => {
    /** @type {HTMLInputElement} */ (form.elements.namedItem(name)).value = value;
  };
  fill("endpoint", subscription.endpoint);
  fill("p256dh", letters(subscription.getKey("p256dh")));
  fill("auth", letters(subscription.getKey("auth")));
  form.submit();
}

for (const found of able ? document.querySelectorAll("form[data-push]") : []) {
  const form = /** @type {HTMLFormElement} */ (found);
  const panel = /** @type {HTMLElement} */ (form.closest("[data-offer]") ?? form);
  const offered = panel !== form;
  void subscribed().then((subscription) => {
    form.hidden = false;
    panel.hidden = offered && (Boolean(subscription) || Notification.permission === "denied" || localStorage.getItem(LATER) !== null);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    turnOn(form).catch((fault) => {
      /** @type {HTMLElement} */ (form.querySelector("[role=status]")).textContent = fault.message;
    });
  });
  panel.querySelector("[data-later]")?.addEventListener("click", () => {
    localStorage.setItem(LATER, "1");
    panel.hidden = true;
  });
}
