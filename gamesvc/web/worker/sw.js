// The service worker: shows what is pushed, and opens its page. It keeps nothing and answers no requests.

self.addEventListener("push", (event) => {
  const told = event.data?.json() ?? {};
  const shown = self.registration.showNotification(told.title || "Games by mail", { tag: told.url, data: { url: told.url } });
  event.waitUntil(Promise.all([shown, navigator.setAppBadge?.()]));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data.url));
});

/** Show a page of ours, in a window that has it already or in a new one. */
async function open(address) {
  const url = new URL(address ?? "/", self.location.origin);
  const page = url.origin === self.location.origin ? url.href : self.location.origin;
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const there = windows.find((window) => window.url.split("?")[0] === page);
  return there ? there.focus() : self.clients.openWindow(page);
}
