// The list of mails.

import { announce, byId, keep, make, problem } from "./dom.js";
import { plural, short, long } from "./format.js";
import { read } from "./stack.js";
import { closeMessage, openMessage, status, updateMessage } from "./message.js";
import { command } from "./credentials.js";

let mails = null; // newest first; null until they are read
let openId = "";
let firstMail = "";

export async function refreshOutbox() {
  let now;
  try {
    now = await read("/_local/outbox");
  } catch (error) {
    if (!mails) problem(byId("outbox-problem"), error, refreshOutbox);
    return;
  }
  byId("outbox-problem").replaceChildren();
  if (mails) tell(now);
  mails = now;
  updateMessage(mails);
  show();
}

// tell says which mails are new.
function tell(now) {
  const known = new Set(mails.map((mail) => mail.id));
  const fresh = now.filter((mail) => !known.has(mail.id));
  if (fresh.length === 1) announce(`New mail: ${fresh[0].subject || "no subject"}`);
  else if (fresh.length > 1) announce(plural(fresh.length, "new mail"));
}

export function showFirstMail(text) {
  firstMail = text;
  show();
}

// showOutbox shows the list, and one mail beside it, or in its place where the screen is narrow.
export function showOutbox(id = "", view = "") {
  const before = openId;
  openId = id;
  byId("outbox").classList.toggle("reading", id !== "");
  show();
  if (id) {
    openMessage(id, view, id !== before);
  } else {
    closeMessage();
    if (before) row(before)?.focus();
  }
}

function show() {
  if (!mails) return;
  byId("mail-count").textContent = mails.length ? mails.length.toLocaleString("en") : "";
  byId("outbox").classList.toggle("empty", mails.length === 0 && !openId);
  byId("filter").hidden = mails.length < 2;
  const words = byId("filter").value.toLowerCase().split(/\s+/);
  const shown = mails.filter((mail) => {
    const text = `${mail.subject} ${mail.from} ${mail.to.join(" ")} ${mail.status}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  byId("no-match").hidden = shown.length > 0 || mails.length === 0;
  keep(byId("mails"), shown, (mail) => mail.id, mailRow);
  mark();
  showEmpty();
}

function mailRow(mail) {
  const [first, ...more] = mail.to;
  return make("li", {},
    make("a", { href: `#/outbox/${encodeURIComponent(mail.id)}` },
      make("span", { class: mail.subject ? "subject" : "subject absent" }, mail.subject || "No subject"),
      make("span", { class: "to" }, make("span", { class: "unseen" }, "to "), first, more.length ? ` +${more.length}` : ""),
      make("time", { datetime: mail.received_at, title: long(mail.received_at) }, short(mail.received_at)),
      status(mail)));
}

const row = (id) => byId("mails").querySelector(`li[data-key="${CSS.escape(id)}"] a`);

// mark marks the mail that is open. One row, that one or the first, is in the order of Tab; the arrow
// keys lead to the others.
function mark() {
  const links = [...byId("mails").querySelectorAll("a")];
  const focused = links.includes(document.activeElement) ? document.activeElement : null;
  const open = openId ? row(openId) : null;
  for (const link of links) {
    if (link === open) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
    link.tabIndex = link === (focused ?? open ?? links[0]) ? 0 : -1;
  }
}

function showEmpty() {
  const place = byId("first-mail");
  place.hidden = mails.length > 0 || openId !== "";
  if (place.hidden || place.dataset.command === firstMail) return;
  place.dataset.command = firstMail;
  place.replaceChildren(
    make("h2", {}, "Send your first mail"),
    make("p", {}, "Mails that the functions send through SES end here. None leaves this machine."),
    ...(firstMail ? [command(firstMail)] : []));
}

byId("filter").addEventListener("input", show);

byId("mails").addEventListener("keydown", (event) => {
  const links = [...byId("mails").querySelectorAll("a")];
  const at = links.indexOf(document.activeElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: links.length - 1 }[event.key];
  if (at < 0 || to === undefined || !links[to]) return;
  event.preventDefault();
  links[at].tabIndex = -1;
  links[to].tabIndex = 0;
  links[to].focus();
});

// Escape leads from the message back to its row.
byId("message").addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  if (getComputedStyle(byId("mailbox")).display === "none") location.hash = "#/outbox";
  else row(openId)?.focus();
});
