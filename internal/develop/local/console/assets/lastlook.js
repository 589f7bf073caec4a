// Which mails have come since the last look at the outbox. The browser keeps the time of the newest mail of that look.

import { remembered, remember } from "./storage.js";

const key = "frontdesk.last-look";
const opened = new Set(); // since that look

let since = remembered(key); // null at the very first look
let newest = null; // the time of the newest mail of the list

// isNew reports whether a mail has come since the last look, and has not been opened.
export const isNew = (mail) => since !== null && !opened.has(mail.id) && Date.parse(mail.received_at) > Number(since);

export const hasOpened = (id) => opened.add(id);

// seen notes the time of the newest mail in the list.
export function seen(mails) {
  newest = Math.max(0, ...mails.map((mail) => Date.parse(mail.received_at)));
  // At the very first look nothing is new.
  if (since === null) since = String(newest);
}

// look keeps the time of the newest mail. A look ends when the page is no longer visible.
function look() {
  if (newest !== null) remember(key, String(newest));
}

addEventListener("pagehide", look);
document.addEventListener("visibilitychange", () => {
  if (document.hidden) look();
  else since = remembered(key);
});
