// The browser's time zone: sent along at sign-up, and offered in the profile.
import { tr } from "./words.js";

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

for (const field of document.querySelectorAll("input[type=hidden][name=timezone]")) {
  /** @type {HTMLInputElement} */ (field).value = zone;
}

/** @type {HTMLInputElement | null} */
const shown = document.querySelector("input[name=timezone][list]");
if (shown && zone && shown.value !== zone) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "btn";
  button.textContent = tr("Use {zone}, the zone of this browser", { zone });
  button.addEventListener("click", () => {
    shown.value = zone;
    button.remove();
    shown.focus();
  });
  shown.closest("label")?.after(button);
}
