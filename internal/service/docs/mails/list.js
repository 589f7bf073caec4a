// The list of mails.

import { announce, byId, keep, make } from "./dom.js";
import { address, go } from "./address.js";
import { read } from "./api.js";
import { fail } from "./failure.js";
import { plural, short } from "./format.js";
import { command, mailRow } from "./parts.js";

let asked = null; // the filter of what is shown, as JSON; null for nothing
let filter = {};
let mails = null; // newest first; null until they are read
let cursor = ""; // leads to older ones; "" where there are none
let open = ""; // id of the open mail
let turn = 0; // rises with each filter and each key: an answer to the one before is dropped
let reading = -1; // the turn in which the API is asked

// forgetMails empties the list.
export function forgetMails() {
  turn++;
  asked = mails = null;
  cursor = open = "";
  byId("filter").reset();
  byId("mails-problem").replaceChildren();
  showTools(true);
  show();
}

// showMails shows the mails of a filter, and marks the open one. It reads them only where the filter is another one.
export async function showMails(wanted, id) {
  const before = open;
  open = id;
  byId("mails-page").classList.toggle("reading", id !== "");
  if (JSON.stringify(wanted) === asked) {
    show();
    if (before && !id) link(before)?.focus(); // whoever closes a mail goes on from its row
    return;
  }
  turn++;
  asked = JSON.stringify(wanted);
  filter = wanted;
  mails = null;
  cursor = "";
  for (const [name, value] of Object.entries(filter)) byId("filter").elements[name].value = value;
  if (Object.values(filter).some(Boolean)) byId("filters").open = true;
  byId("mails-problem").replaceChildren();
  await readMails();
}

// readMails reads the newest mails, and puts them before those that are shown. Where more are new than a page has, it
// begins anew, so that none is missing between the two.
export const readMails = () => ask("", readMails, (page) => {
  const [ids, old, first] = [new Set(page.payload.map(({ id }) => id)), mails ?? [], mails === null];
  const fresh = page.payload.filter(({ id }) => !old.some((mail) => mail.id === id)).length;
  const meets = old.some(({ id }) => ids.has(id));
  mails = meets ? [...page.payload, ...old.filter(({ id }) => !ids.has(id))] : page.payload;
  if (!meets) cursor = page.meta.next_cursor ?? "";
  if (!first) announce(fresh ? plural(fresh, "new mail") : "No new mail");
});

// readMore reads the mails that follow those that are shown.
const readMore = () => ask(cursor, readMore, (page) => {
  const known = new Set(mails.map(({ id }) => id));
  const more = page.payload.filter(({ id }) => !known.has(id));
  mails = [...mails, ...more];
  cursor = page.meta.next_cursor ?? "";
  announce(plural(more.length, "more mail"));
});

// ask reads the page at a cursor, once at a time, and adds it to what is shown.
async function ask(place, retry, add) {
  const mine = turn;
  if (reading === mine) return;
  reading = mine;
  show();
  try {
    const page = await read("mails", { ...filter, cursor: place });
    if (mine !== turn) return;
    add(page);
    byId("mails-problem").replaceChildren();
    showTools(true);
  } catch (error) {
    if (mine !== turn) return;
    fail(byId("mails-problem"), error, retry);
    showTools(error.kind !== "log");
  }
  reading = -1;
  show();
}

// showTools shows what looks for mails, where there is a log of them.
function showTools(log) {
  byId("look").hidden = byId("filters").hidden = !log;
}

const isCostly = () => Boolean(filter.status || filter.recipient);

const link = (id) => byId("mails").querySelector(`li[data-key="${CSS.escape(id)}"] > a`);

function show() {
  const shown = mails ?? [];
  keep(byId("mails"), shown, ({ id }) => id, (mail) => make("li", {}, mailRow({
    href: address("mails", filter, mail.id), subject: mail.subject, to: mail.recipients.map(({ email }) => email),
    at: mail.sent_at, format: short, became: mail.status,
  })));
  for (const row of byId("mails").querySelectorAll("a[aria-current]")) row.removeAttribute("aria-current");
  if (open) link(open)?.setAttribute("aria-current", "true");
  byId("more-mails").hidden = !cursor;
  byId("more-mails").textContent = isCostly() ? "Look further" : "Older mails";
  const state = said(shown);
  byId("mails-state").textContent = state;
  byId("mails-state").hidden = !state;
  showFirst(mails !== null && shown.length === 0 && !cursor && !Object.values(filter).some(Boolean) && !open);
}

// said is what stands where no mail does.
function said(shown) {
  if (shown.length > 0 || byId("mails-problem").hasChildNodes()) return "";
  if (mails === null) return reading === turn ? "The mails are being loaded." : "";
  if (cursor) return "None among the mails that were looked at so far.";
  return Object.values(filter).some(Boolean) ? "No mail matches." : "No mail yet.";
}

// showFirst shows how to send a mail, to whoever has sent none.
function showFirst(none) {
  byId("mails-page").classList.toggle("empty", none);
  if (byId("first-mail").hidden === !none) return;
  byId("first-mail").hidden = !none;
  byId("first-mail").replaceChildren(
    make("h2", {}, "No mail yet"),
    make("p", {}, "Send one. It is listed here within seconds, once SES has told of it."),
    command(`curl -s ${new URL("../sender.php", location.href)} -d '{
  "key": "'"$MAIL_KEY"'",
  "recipients": [{"email": "ada@example.org"}],
  "subject": "Hello", "text": "Hello"
}'`),
    make("button", { type: "button", class: "main", click: readMails }, "Look again"));
}

byId("look").addEventListener("click", readMails);
byId("more-mails").addEventListener("click", readMore);
byId("filter").addEventListener("submit", (event) => {
  event.preventDefault();
  go(address("mails", Object.fromEntries([...new FormData(event.target)].map(([name, value]) => [name, value.trim()]))), readMails);
});
