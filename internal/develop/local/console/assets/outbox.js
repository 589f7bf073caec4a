// The list of mails.

import { announce, byId, confirmed, keep, make, problem, reveal } from "./dom.js";
import { plural, short } from "./format.js";
import { hasOpened, isNew, seen } from "./lastlook.js";
import { mails, mailsOf, person, readMails } from "./mails.js";
import { read, request } from "./stack.js";
import { closeMessage, openMessage, updateMessage } from "./message.js";
import { bySeverity, command, mailRow, status, subject, when } from "./parts.js";

let openId = "";
let seenId = ""; // the open mail whose row was scrolled to
let firstMail = "";
let testMail = null; // the request that sends a test mail; null for none
let awaited = ""; // id of the request whose mail opens as soon as it arrives
let found = { text: "", ids: new Set(), error: null }; // the mails that the last search found, or its error
const unfolded = new Set(); // the requests whose mails are shown one by one

// refreshOutbox reads the mails again. After the first success an error changes nothing: the page says elsewhere that
// the connection is lost.
export async function refreshOutbox() {
  let before;
  try {
    before = await readMails();
  } catch (error) {
    byId("loading-mails").hidden = true;
    if (!mails) problem(byId("outbox-problem"), error, refreshOutbox);
    return;
  }
  byId("outbox-problem").replaceChildren();
  if (before) tell(before);
  seen(mails);
  updateMessage();
  show();
  search();
  const [mail] = awaited ? mailsOf(awaited) : [];
  if (mail) {
    awaited = "";
    location.hash = address(mail);
  }
}

// tell announces new mails.
function tell(before) {
  const known = new Set(before.map((mail) => mail.id));
  const fresh = mails.filter((mail) => !known.has(mail.id));
  if (fresh.length === 1) announce(`New mail: ${fresh[0].subject || "no subject"}`);
  else if (fresh.length > 1) announce(plural(fresh.length, "new mail"));
}

// showFirstMail keeps what an empty outbox offers: a command, and a request that sends a mail.
export function showFirstMail(stack) {
  firstMail = stack.first_mail;
  testMail = stack.test_mail;
  show();
}

// showOutbox shows the list, and one mail beside it, or in its place where the screen is narrow.
export function showOutbox(id = "", view = "") {
  const before = openId;
  openId = id;
  if (id) hasOpened(id);
  byId("outbox").classList.toggle("reading", id !== "");
  show();
  if (id) {
    openMessage(id, { view, focus: id !== before, remove: deleteMail });
  } else {
    closeMessage();
    seenId = "";
    // Whoever closes a mail goes on from its row.
    if (before) linkTo(before)?.focus();
  }
}

// show draws the list from what was read. Text that the list itself shows is searched at once; bodies are searched by
// the server, whose answer comes later.
function show() {
  if (!mails) return;
  byId("loading-mails").hidden = true;
  byId("mail-count").textContent = mails.length ? mails.length.toLocaleString("en") : "";
  byId("outbox").classList.toggle("empty", mails.length === 0 && !openId);
  byId("filter").hidden = mails.length < 2;
  byId("delete-all").hidden = mails.length === 0;
  byId("send-test").hidden = !testMail;
  const text = byId("filter").value.trim().toLowerCase();
  // A minus excludes what is behind it, which the server judges.
  const words = /(^|\s)-/.test(text) ? null : text.split(/\s+/);
  const shown = mails.filter((mail) => {
    const tags = Object.entries(mail.tags).map(([name, value]) => `${name}:${value}`);
    const told = [mail.subject, mail.from, ...mail.to.map((to) => person(mail, to)), mail.status, ...tags].join(" ").toLowerCase();
    return words?.every((word) => told.includes(word)) || found.text === text && found.ids.has(mail.id);
  });
  byId("no-match").textContent = found.error && found.text === text ? found.error.message : "No mail matches.";
  byId("no-match").hidden = shown.length > 0 || mails.length === 0 || found.text !== text;
  keep(byId("mails"), grouped(shown.map((mail) => ({ ...mail, fresh: isNew(mail) })), text !== ""), (group) => group.key, (group, before) =>
    group.mails.length === 1 ? row(group.mails[0]) : groupRow(group, before));
  mark();
  showEmpty();
}

// grouped groups the mails of one request: SES takes 50 recipients at a time, so a request may send several mails.
function grouped(shown, all) {
  const groups = new Map();
  for (const mail of shown) {
    const key = mail.request_id ? `request ${mail.request_id}` : mail.id;
    if (groups.has(key)) groups.get(key).push(mail);
    else groups.set(key, [mail]);
  }
  return [...groups].map(([key, mails]) => mails.length === 1 ? { key: mails[0].id, mails } :
    { key, mails, open: all || unfolded.has(key) || mails.some((mail) => mail.id === openId) });
}

// zone is the reader's time zone, in which a search names days.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

// search has the server search all mails, with their bodies, and with operators such as "is:bounced".
async function search() {
  const text = byId("filter").value.trim().toLowerCase();
  let error = null;
  const ids = text ? await read(`/_local/search?${new URLSearchParams({ text, zone })}`).catch((e) => {
    error = e;
    return [];
  }) : [];
  // Answers may come in another order than their questions. Only the one to the present text counts.
  if (text !== byId("filter").value.trim().toLowerCase()) return;
  found = { text, ids: new Set(ids), error };
  show();
}

const address = (mail) => `#/outbox/${encodeURIComponent(mail.id)}`;

// row returns the row of one mail.
function row(mail) {
  const shown = {
    href: address(mail), subject: mail.subject, to: mail.to.map((to) => person(mail, to)), at: mail.received_at, format: short,
    became: mail.status,
  };
  return make("li", { class: mail.fresh ? "fresh" : null },
    mailRow(shown,
      mail.fresh ? isFresh() : null,
      signs([mail]),
      mail.reason ? make("span", { class: `why ${mail.status}`, dir: "auto", title: mail.reason }, mail.reason) : null));
}

// isFresh is for screen readers, which do not see that the row is bold.
const isFresh = () => make("span", { class: "unseen" }, "new");

// signs shows how many files and warnings mails have, or null for none. Warnings of their common request count once.
function signs(mails) {
  const [{ summary }] = mails;
  const files = mails.reduce((most, mail) => Math.max(most, mail.summary.files), 0);
  const told = [...new Set([...summary.warnings, ...mails.flatMap((mail) => mail.summary.troubles)])];
  if (files + told.length === 0) return null;
  return make("span", { class: "signs" },
    files ? make("span", { class: "files" }, plural(files, "file")) : null,
    told.length ? make("span", { class: "warnings", title: told.join("\n") }, plural(told.length, "warning")) : null);
}

// groupRow returns the row of a request's mails, or changes the one before, so that the focus and the fold stay.
function groupRow({ key, mails, open }, before) {
  const [newest] = mails;
  const recipients = mails.reduce((sum, mail) => sum + mail.to.length, 0);
  const li = before ?? make("li", { class: "group" }, make("button", { type: "button", click: () => fold(key) }), make("ol", {}));
  const [head, list] = li.children;
  head.setAttribute("aria-expanded", String(open));
  li.classList.toggle("fresh", mails.some((mail) => mail.fresh));
  head.replaceChildren(
    ...(li.classList.contains("fresh") ? [isFresh()] : []),
    subject(newest.subject),
    make("span", { class: "to" }, `${plural(mails.length, "mail")} to ${plural(recipients, "recipient")}`),
    when(newest.received_at, short),
    status(mails.map((mail) => mail.status).sort(bySeverity).at(-1)),
    ...[signs(mails)].filter(Boolean));
  keep(list, open ? mails : [], (mail) => mail.id, row);
  return li;
}

// fold folds or unfolds the mails of a request.
function fold(key) {
  if (!unfolded.delete(key)) unfolded.add(key);
  show();
}

// linkTo returns the link of a mail's row, or null if the mail is not shown.
const linkTo = (id) => byId("mails").querySelector(`li[data-key="${CSS.escape(id)}"] > a`);

// stops are all places of the list where the focus can be.
const stops = () => [...byId("mails").querySelectorAll("a, button")];

// mark marks the open mail, and scrolls to it once. Only one row is in the order of Tab: the one with the focus, or
// else the open one, or else the first. The arrow keys lead to the others.
function mark() {
  const all = stops();
  const focused = all.includes(document.activeElement) ? document.activeElement : null;
  const open = openId ? linkTo(openId) : null;
  for (const stop of all) {
    if (stop === open) stop.setAttribute("aria-current", "true");
    else stop.removeAttribute("aria-current");
    stop.tabIndex = stop === (focused ?? open ?? all[0]) ? 0 : -1;
  }
  if (open && seenId !== openId) {
    seenId = openId;
    reveal(open, "nearest");
  }
}

// stepMail goes to the next mail, or to the previous one. If a mail is open, it opens the other one; otherwise it only
// moves the focus.
export function stepMail(step) {
  const all = stops().filter((stop) => stop.getAttribute("aria-expanded") !== "true");
  const at = all.indexOf(openId ? linkTo(openId) : document.activeElement);
  let to = all[at < 0 ? 0 : at + step];
  if (!to) return;
  // The next stop is a folded group: unfold it, and open its first mail, or on the way up its last one.
  if (openId && to.matches("button")) {
    const group = to.parentElement;
    to.click();
    to = [...group.querySelectorAll("a")].at(step > 0 ? 0 : -1);
  }
  if (openId) location.hash = to.hash;
  else to.focus();
}

function showEmpty() {
  const place = byId("first-mail");
  place.hidden = mails.length > 0 || openId !== "";
  // Drawn only if it differs: a button that is replaced loses the focus.
  const shown = JSON.stringify([firstMail, testMail]);
  if (place.hidden || place.dataset.shown === shown) return;
  place.dataset.shown = shown;
  place.replaceChildren(
    make("h2", {}, "Send your first mail"),
    make("p", {}, "Mails that the functions send through SES end here. None leaves this machine."),
    ...(firstMail ? [command(firstMail)] : []),
    ...(testMail ? [make("button", { type: "button", class: "main", click: sendTest }, "Send it")] : []));
}

// sendTest sends the test mail. The mail opens when it arrives. If the API refuses it, the page says why.
async function sendTest() {
  try {
    const response = await fetch(testMail.path, { method: testMail.method, body: testMail.body });
    // The list of requests knows the request by this id, and so does the mail that comes of it.
    const id = response.headers.get("apigw-requestid");
    const { status, error } = await response.json().catch(() => ({}));
    if (!response.ok || status === "error") {
      throw Object.assign(new Error(`The test mail was refused with ${response.status}: ${error ?? "see the request"}.`), { id });
    }
    byId("outbox-problem").replaceChildren();
    awaited = id;
    await refreshOutbox();
  } catch (error) {
    problem(byId("outbox-problem"), error, sendTest);
    if (error.id) byId("outbox-problem").append(make("a", { href: `#/requests/${encodeURIComponent(error.id)}` }, "The request"));
  }
}

// deleteMail deletes a mail, and opens the one that takes its place in the list.
async function deleteMail(id) {
  const all = [...byId("mails").querySelectorAll("a")];
  const at = all.indexOf(linkTo(id));
  const next = at < 0 ? null : all[at + 1] ?? all[at - 1];
  await remove(`/_local/outbox/${encodeURIComponent(id)}`, "Deleted the mail");
  location.hash = next?.hash ?? "#/outbox";
}

// remove deletes what is at a path of the outbox, and says so.
async function remove(path, done) {
  try {
    await request(path, { method: "DELETE" });
    announce(done);
  } catch (error) {
    problem(byId("outbox-problem"), error);
  }
  await refreshOutbox();
}

// The server searches every message, so it is asked only when nobody has typed for 150 ms.
let searching;
byId("filter").addEventListener("input", () => {
  show();
  clearTimeout(searching);
  searching = setTimeout(search, 150);
});
byId("send-test").addEventListener("click", sendTest);
confirmed(byId("delete-all"), () => `Delete ${plural(mails.length, "mail")}?`, async () => {
  await remove("/_local/outbox", "Deleted all mails");
  location.hash = "#/outbox";
  byId("main").focus();
});

byId("mails").addEventListener("keydown", (event) => {
  const all = stops();
  const at = all.indexOf(document.activeElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
  if (at < 0 || to === undefined || !all[to]) return;
  event.preventDefault();
  all[at].tabIndex = -1;
  all[to].tabIndex = 0;
  all[to].focus();
});

// Escape leads from the message back to its row.
byId("message").addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  if (getComputedStyle(byId("mailbox")).display === "none") location.hash = "#/outbox";
  else linkTo(openId)?.focus();
});
