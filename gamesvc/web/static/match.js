// The match page, a little quicker to use; without it everything works all the same.
"use strict";

// A click on the board chooses the control whose value this part of the picture stands for.
document.querySelector("svg.board")?.addEventListener("click", (event) => {
  const part = event.target.closest("[data-at]")?.dataset.at;
  if (!part) return;
  const inputs = [...document.querySelectorAll(".act [data-part]")].filter((input) => input.dataset.part === part);
  const shown = inputs.filter((input) => input.closest("details:not([open])") === null);
  const found = shown[0] ?? inputs[0];
  if (!found) return;
  const hidden = found.closest("details");
  if (hidden) hidden.open = true;
  if (found.tagName === "OPTION") {
    found.selected = true;
    found.parentElement.focus();
  } else {
    found.checked = found.type === "radio" || !found.checked;
    found.focus();
  }
  const form = found.closest("form");
  form.scrollIntoView({ block: "nearest" });
  preview(form).catch(() => undefined);
});

// Beside the controls: the same as an order text, which can be learnt and sent by mail.
async function preview(form) {
  const shown = form.querySelector("output");
  if (!form.dataset.preview || !shown) return;
  const answer = await fetch(form.dataset.preview, { method: "POST", body: new FormData(form) });
  if (!answer.ok) return;
  const { order, why } = await answer.json();
  shown.hidden = false;
  shown.replaceChildren(order ? "As an order: " : why);
  if (order) shown.append(Object.assign(document.createElement("code"), { textContent: order }));
}
document.addEventListener("change", (event) => {
  const form = event.target.closest("form[data-preview]");
  if (form) preview(form).catch(() => undefined);
});

// Say once that something has happened; nothing moves by itself.
const page = document.querySelector("main.match");
const news = document.getElementById("news");
async function ask() {
  if (document.hidden) return;
  const answer = await fetch(page.dataset.news, { headers: { Accept: "application/json" } });
  if (!answer.ok) return;
  const { version } = await answer.json();
  if (version > Number(page.dataset.version)) {
    news.className = "past";
    news.textContent = "Something has happened. ";
    const link = document.createElement("a");
    link.href = location.pathname + location.search;
    link.textContent = "Show it";
    news.append(link);
    clearInterval(timer);
  }
}
const timer = page ? setInterval(() => ask().catch(() => undefined), 20000) : 0;

// A page in view holds a mail about this match back for some minutes; a page that is hidden or closed does not.
async function present(method) {
  const token = document.querySelector("input[name=csrfmiddlewaretoken]")?.value;
  if (!token) return;
  await fetch(page.dataset.presence, { method, headers: { "X-CSRFToken": token }, keepalive: true });
}
const isPresent = () => present(document.hidden ? "DELETE" : "POST").catch(() => undefined);
if (page?.dataset.presence) {
  if (!document.hidden) isPresent();
  document.addEventListener("visibilitychange", isPresent);
  setInterval(() => document.hidden || isPresent(), 60000);
}
