// Push on this device: turned on and off in the profile, offered on the page of one's matches after the first move. And the
// badge of the installed page: how many matches wait. Who signs out leaves no drafts on this device.
import { tr } from "./words.js";

const waiting = Number(document.querySelector("nav .count")?.firstChild?.textContent ?? 0);
if ("setAppBadge" in navigator) void navigator.setAppBadge(waiting).catch(() => {});

for (const form of document.querySelectorAll('form[action$="/logout/"]')) form.addEventListener("submit", () => sessionStorage.clear());

const able = "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;
const LATER = "push-later";

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

async function known() {
  const worker = await navigator.serviceWorker.getRegistration("/");
  return (await worker?.pushManager.getSubscription())?.endpoint;
}

for (const found of able ? document.querySelectorAll("form[data-push]") : []) {
  const form = /** @type {HTMLFormElement} */ (found);
  const panel = /** @type {HTMLElement} */ (form.closest("[data-offer]") ?? form);
  const offered = panel !== form;
  void known().then((endpoint) => {
    form.hidden = false;
    panel.hidden = offered && (endpoint !== undefined || Notification.permission === "denied" || localStorage.getItem(LATER) !== null);
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
