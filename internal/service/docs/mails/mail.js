// One mail: what was sent, to whom, and what became of it for each recipient.

import { byId, make } from "./dom.js";
import { address } from "./address.js";
import { read } from "./api.js";
import { fail } from "./failure.js";
import { second } from "./format.js";
import { meaning } from "./meaning.js";
import { addresses, bySeverity, eventRow, pair, plain, status, subject, when } from "./parts.js";

let shown = ""; // the id of the mail that is shown

// closeMail shows that no mail is open.
export function closeMail() {
  shown = "";
  byId("mail").replaceChildren(make("p", { class: "none" }, "Choose a mail to see what became of it."));
}

// showMail shows a mail. Back is where its list is. It is read anew each time, because more may have happened.
export async function showMail(id, filter) {
  const back = make("a", { class: "back", href: address("mails", filter) }, "All mails");
  const another = shown !== id;
  shown = id;
  if (another) byId("mail").replaceChildren(back, make("p", { class: "none" }, "The mail is being loaded."));
  try {
    const { payload: mail } = await read(`mails/${encodeURIComponent(id)}`);
    if (shown !== id) return;
    const unfolded = new Set([...byId("mail").querySelectorAll("details[open]")].map((one) => one.dataset.email));
    byId("mail").replaceChildren(back, ...drawn(mail, (email) => (another ? mail.recipients.length <= 3 : unfolded.has(email))));
    if (another) byId("mail").querySelector("h2").focus();
  } catch (error) {
    if (shown !== id) return;
    const place = make("div", {});
    fail(place, error, () => showMail(id, filter));
    if (another) shown = "";
    if (another) byId("mail").replaceChildren(back, place);
    else byId("mail").querySelector(".back").after(place);
  }
}

// drawn returns the parts of a mail. IsOpen says which recipients are unfolded.
function drawn(mail, isOpen) {
  const nobody = mail.events.filter(({ recipients }) => recipients.length === 0);
  return [
    make("header", {},
      subject(mail.subject, "h2", { tabindex: "-1" }),
      mail.redirected ? make("p", { class: "notice" }, "This mail was redirected: these recipients got it in place of those whom it was for. Of those the log has only the first, in the subject.") : null,
      make("dl", { class: "envelope" },
        pair("From", make("bdi", {}, plain(mail.from))),
        pair("To", addresses(mail.recipients.map(({ email }) => email))),
        pair("Sent", make("span", {}, when(mail.sent_at), " ", status(mail.status))))),
    make("ol", { class: "recipients", "aria-label": "What became of it for each recipient" },
      ...mail.recipients.toSorted((a, b) => bySeverity(b.status, a.status)).map((one) => recipient(one, mail, isOpen(one.email))),
      nobody.length ? make("li", {}, make("p", { class: "aside" }, "Events that name no recipient of the mail"), timeline(nobody)) : null,
      mail.more_events ? make("li", {}, make("p", { class: "aside" }, "There are earlier events, which are not shown.")) : null),
  ];
}

// recipient shows one recipient, with all that happened to the mail on the way there.
function recipient({ email, status: became, at, detail }, { events }, open) {
  const own = events.filter(({ recipients }) => recipients.some((one) => one.toLowerCase() === email.toLowerCase()));
  return make("li", {}, make("details", { open, "data-email": email },
    make("summary", {}, make("bdi", {}, plain(email)), " ", status(became)),
    timeline(own.length ? own : [{ type: became, at, detail }])));
}

// timeline shows events in the order of time, each with what it means and what SES said.
const timeline = (events) => make("ol", { class: "events" }, ...events.map(({ type, at, detail }) => eventRow(
  { at, format: second, type }, make("span", {}, meaning(type, detail)),
  detail ? make("p", { class: "detail", dir: "auto" }, plain(detail)) : null)));

// Escape leads back to the list.
byId("mail").addEventListener("keydown", (event) => {
  if (event.key === "Escape") byId("mail").querySelector(".back")?.click();
});
