// What has come since the outbox was looked at last: the browser keeps the time of the newest mail that was there.

import { remembered, remember } from "./storage.js";

const key = "frontdesk.last-look";
const opened = new Set(); // since that look

let since = remembered(key); // null at the very first look, to which nothing is new
let newest = null; // the time of the newest mail of the list

// isNew tells whether a mail has come since the last look, and has not been opened.
export const isNew = (mail) => since !== null && !opened.has(mail.id) && Date.parse(mail.received_at) > Number(since);

export const hasOpened = (id) => opened.add(id);

// seen is called with the mails that are in the list.
export function seen(mails) {
  newest = Math.max(0, ...mails.map((mail) => Date.parse(mail.received_at)));
  if (since === null) since = String(newest);
}

// A look ends when the page is no longer seen.
function look() {
  if (newest !== null) remember(key, String(newest));
}

addEventListener("pagehide", look);
document.addEventListener("visibilitychange", () => {
  if (document.hidden) look();
  else since = remembered(key);
});
