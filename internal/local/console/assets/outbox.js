// The list of mails.

import { announce, byId, confirmed, keep, make, problem, reveal } from "./dom.js";
import { plural, short, long } from "./format.js";
import { hasOpened, isNew, seen } from "./lastlook.js";
import { mails, mailsOf, person, readMails } from "./mails.js";
import { read, request } from "./stack.js";
import { closeMessage, openMessage, status, updateMessage, worst } from "./message.js";
import { command } from "./credentials.js";

let openId = "";
let seenId = ""; // the open mail whose row was scrolled to
let firstMail = "";
let testMail = null; // the request that sends one
let awaited = ""; // the request whose mail is to be opened when it comes
let found = { text: "", ids: new Set(), error: null }; // the mails that a search finds, or why it cannot be
const unfolded = new Set(); // the requests whose mails are shown one by one

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

// tell says which mails are new.
function tell(before) {
  const known = new Set(before.map((mail) => mail.id));
  const fresh = mails.filter((mail) => !known.has(mail.id));
  if (fresh.length === 1) announce(`New mail: ${fresh[0].subject || "no subject"}`);
  else if (fresh.length > 1) announce(plural(fresh.length, "new mail"));
}

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
    if (before) row(before)?.focus();
  }
}

function show() {
  if (!mails) return;
  byId("loading-mails").hidden = true;
  byId("mail-count").textContent = mails.length ? mails.length.toLocaleString("en") : "";
  byId("outbox").classList.toggle("empty", mails.length === 0 && !openId);
  byId("filter").hidden = mails.length < 2;
  byId("delete-all").hidden = mails.length === 0;
  byId("send-test").hidden = !testMail;
  const text = byId("filter").value.trim().toLowerCase();
  const words = text.split(/\s+/);
  const shown = mails.filter((mail) => {
    const tags = Object.entries(mail.tags).map(([name, value]) => `${name}:${value}`);
    const told = [mail.subject, mail.from, ...mail.to.map((to) => person(mail, to)), mail.status, ...tags].join(" ").toLowerCase();
    return words.every((word) => told.includes(word)) || found.text === text && found.ids.has(mail.id);
  });
  byId("no-match").textContent = found.error && found.text === text ? found.error.message : "No mail matches.";
  byId("no-match").hidden = shown.length > 0 || mails.length === 0 || found.text !== text;
  keep(byId("mails"), grouped(shown.map((mail) => ({ ...mail, fresh: isNew(mail) })), text !== ""), (group) => group.key, (group, before) =>
    group.mails.length === 1 ? mailRow(group.mails[0]) : groupRow(group, before));
  mark();
  showEmpty();
}

// grouped puts mails together that were sent for one request: SES takes 50 recipients at a time.
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

// search asks which mails have what is searched for, in their bodies too, and by operators: "is:bounced".
async function search() {
  const text = byId("filter").value.trim().toLowerCase();
  let error = null;
  const ids = text ? await read(`/_local/search?text=${encodeURIComponent(text)}`).catch((e) => {
    error = e;
    return [];
  }) : [];
  if (text !== byId("filter").value.trim().toLowerCase()) return;
  found = { text, ids: new Set(ids), error };
  show();
}

const address = (mail) => `#/outbox/${encodeURIComponent(mail.id)}`;

function mailRow(mail) {
  const [first, ...more] = mail.to;
  return make("li", { class: mail.fresh ? "fresh" : null },
    make("a", { href: address(mail) },
      mail.fresh ? isFresh() : null,
      make("span", { class: mail.subject ? "subject" : "subject absent", dir: "auto" }, mail.subject || "No subject"),
      make("span", { class: "to" }, make("span", { class: "unseen" }, "to "), make("bdi", {}, person(mail, first)), more.length ? ` +${more.length}` : ""),
      make("time", { datetime: mail.received_at, title: long(mail.received_at) }, short(mail.received_at)),
      status(mail.status),
      signs([mail]),
      mail.reason ? make("span", { class: `why ${mail.status}`, dir: "auto", title: mail.reason }, mail.reason) : null));
}

const isFresh = () => make("span", { class: "unseen" }, "New: ");

// signs say how many files and warnings mails have, those of their one request once; null where there is none.
function signs(mails) {
  const [{ summary }] = mails;
  const files = mails.reduce((most, mail) => Math.max(most, mail.summary.files), 0);
  const told = [...new Set([...summary.warnings, ...mails.flatMap((mail) => mail.summary.troubles)])];
  if (files + told.length === 0) return null;
  return make("span", { class: "signs" },
    files ? make("span", { class: "files" }, plural(files, "file")) : null,
    told.length ? make("span", { class: "warnings", title: told.join("\n") }, plural(told.length, "warning")) : null);
}

function groupRow({ key, mails, open }, before) {
  const [newest] = mails;
  const recipients = mails.reduce((sum, mail) => sum + mail.to.length, 0);
  const li = before ?? make("li", { class: "group" }, make("button", { type: "button", click: () => fold(key) }), make("ol", {}));
  const [head, list] = li.children;
  head.setAttribute("aria-expanded", String(open));
  li.classList.toggle("fresh", mails.some((mail) => mail.fresh));
  head.replaceChildren(
    ...(li.classList.contains("fresh") ? [isFresh()] : []),
    make("span", { class: newest.subject ? "subject" : "subject absent", dir: "auto" }, newest.subject || "No subject"),
    make("span", { class: "to" }, `${plural(mails.length, "mail")} to ${plural(recipients, "recipient")}`),
    make("time", { datetime: newest.received_at, title: long(newest.received_at) }, short(newest.received_at)),
    status(worst(mails.map((mail) => mail.status))),
    ...[signs(mails)].filter(Boolean));
  keep(list, open ? mails : [], (mail) => mail.id, mailRow);
  return li;
}

function fold(key) {
  if (!unfolded.delete(key)) unfolded.add(key);
  show();
}

const row = (id) => byId("mails").querySelector(`li[data-key="${CSS.escape(id)}"] > a`);

const stops = () => [...byId("mails").querySelectorAll("a, button")];

// mark marks the mail that is open, and leads to it once. One row, that one or the first, is in the order of Tab; the
// arrow keys lead to the others.
function mark() {
  const all = stops();
  const focused = all.includes(document.activeElement) ? document.activeElement : null;
  const open = openId ? row(openId) : null;
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

// stepMail opens the next mail or the one before when one is open, and leads to its row else.
export function stepMail(step) {
  const all = stops().filter((stop) => stop.getAttribute("aria-expanded") !== "true");
  const at = all.indexOf(openId ? row(openId) : document.activeElement);
  let to = all[at < 0 ? 0 : at + step];
  if (!to) return;
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
  const shown = JSON.stringify([firstMail, testMail]);
  if (place.hidden || place.dataset.shown === shown) return;
  place.dataset.shown = shown;
  place.replaceChildren(
    make("h2", {}, "Send your first mail"),
    make("p", {}, "Mails that the functions send through SES end here. None leaves this machine."),
    ...(firstMail ? [command(firstMail)] : []),
    ...(testMail ? [make("button", { type: "button", class: "main", click: sendTest }, "Send it")] : []));
}

// sendTest sends the test mail, which is opened when it is there, or says why it is not.
async function sendTest() {
  try {
    const response = await fetch(testMail.path, { method: testMail.method, body: testMail.body });
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

// deleteMail deletes a mail and opens the one that is in its place then.
async function deleteMail(id) {
  const all = [...byId("mails").querySelectorAll("a")];
  const at = all.indexOf(row(id));
  const next = at < 0 ? null : all[at + 1] ?? all[at - 1];
  await remove(`/_local/outbox/${encodeURIComponent(id)}`, "Deleted the mail");
  location.hash = next?.hash ?? "#/outbox";
}

async function remove(path, done) {
  try {
    await request(path, { method: "DELETE" });
    announce(done);
  } catch (error) {
    problem(byId("outbox-problem"), error);
  }
  await refreshOutbox();
}

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
  else row(openId)?.focus();
});
