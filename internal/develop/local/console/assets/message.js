// One mail: what it says, what came with it, and how it was written.

import { byId, confirmed, keep, make, problem } from "./dom.js";
import { plural, second, size } from "./format.js";
import { mails, mailsOf, person } from "./mails.js";
import { addresses, eventRow, pair, plain, status, subject, when } from "./parts.js";
import { preview } from "./preview.js";
import { read, request } from "./stack.js";

const views = { html: "HTML", text: "Text", headers: "Headers", source: "Source", events: "Events" };

// maxSource is how much of the source is shown, in bytes.
const maxSource = 256 * 1024;

let mail = null; // the outbox's entry
let message = null; // taken apart
let opening = null; // an AbortController

// closeMessage shows that no mail is open. An answer that is still on its way is dropped.
export function closeMessage() {
  opening?.abort();
  mail = message = null;
  byId("message").replaceChildren(make("p", { class: "none" }, "Choose a mail to read it."));
}

// openMessage shows a mail in a view: by default in the HTML, or in the text if it has no HTML. With focus, the mail's
// title gets the focus. It calls remove with the id to delete the mail.
export async function openMessage(id, { view, focus, remove }) {
  if (mail?.id !== id) {
    opening?.abort();
    opening = new AbortController();
    const { signal } = opening;
    const path = `/_local/outbox/${encodeURIComponent(id)}`;
    mail = message = null;
    byId("message").replaceChildren();
    try {
      const [entry, parts] = await Promise.all([read(path, { signal }), read(`${path}/message`, { signal })]);
      if (signal.aborted) return;
      message = parts;
      mail = { ...entry, summary: parts.summary };
    } catch (error) {
      if (signal.aborted) return;
      if (error.status === 404) error = new Error("There is no such mail. It may have gone with the stack's data.");
      problem(byId("message"), error, error.status === 404 ? null : () => openMessage(id, { view, focus, remove }));
      byId("message").prepend(back());
      return;
    }
  }
  show(view in views ? view : message.html ? "html" : "text", focus, remove);
}

// updateMessage shows the latest status and events of the open mail.
export function updateMessage() {
  const entry = mails.find(({ id }) => id === mail?.id);
  if (!entry) return;
  mail = entry;
  byId("message").querySelector(".envelope .became")?.replaceWith(status(mail.status));
  byId("message").querySelector(".failure")?.replaceWith(failure());
  const view = byId("message").querySelector(".events");
  if (view) showEvents(view);
}

// back leads to the list where the screen is too narrow for both.
const back = () => make("a", { class: "back", href: "#/outbox" }, "All mails");

// show draws the whole mail. The envelope, unlike the headers, has the hidden recipients too.
function show(view, focus, remove) {
  const title = subject(mail.subject, "h2", { id: "message-title", tabindex: "-1" });
  const { id } = mail;
  // The outbox lists the recipients of To first, then those of Cc and Bcc.
  const to = mail.to.slice(0, mail.to.length - mail.cc.length - mail.bcc.length);
  const tags = Object.entries(mail.tags);
  byId("message").replaceChildren(
    back(),
    make("header", {},
      make("div", { class: "title" },
        title, confirmed(make("button", { type: "button", class: "delete" }, "Delete"), () => "Delete it?", () => remove(id))),
      failure(),
      make("dl", { class: "envelope" },
        pair("From", make("bdi", {}, person(mail, mail.from))),
        to.length ? pair("To", addresses(people(to))) : null,
        mail.cc.length ? pair("Cc", addresses(people(mail.cc))) : null,
        mail.bcc.length ? pair("Bcc", addresses(people(mail.bcc))) : null,
        pair("Sent", make("span", {},
          when(mail.received_at), ` · ${size(mail.size)} `, status(mail.status))),
        message.invitation ? pair("Invitation", invitation()) : null,
        tags.length ? pair("Tags", make("span", { class: "tags" },
          ...tags.map(([name, value]) => make("code", {}, `${name}: ${value}`)))) : null,
        mail.request_id ? pair("Request", origin()) : null,
        oneClick() ? pair("Unsubscribe", unsubscribing(oneClick())) : null),
      message.problem ? make("p", { class: "problem" }, `Not all of this mail could be read: ${message.problem}.`) : null,
      told("warnings", "Warnings of the API", mail.summary.warnings),
      told("troubles", "What would trouble a reader", message.troubles),
      attachments()),
    make("nav", { class: "views", "aria-label": "Views of the message" },
      ...Object.entries(views).map(([name, label]) =>
        make("a", { href: `#/outbox/${encodeURIComponent(mail.id)}/${name}`, "aria-current": name === view ? "page" : null }, label))),
    ...[{ html: htmlView, text: textView, headers: headersView, source: sourceView, events: eventsView }[view]()].flat());
  if (focus) title.focus();
  else byId("message").querySelector(".views [aria-current]").focus({ preventScroll: true });
}

// failure shows why the mail did not get through.
const failure = () => make("p", { class: `failure ${mail.status}`, dir: "auto", hidden: !mail.reason }, mail.reason);

// told shows sentences under a title, or null for none.
const told = (kind, title, sentences) => sentences.length === 0 ? null :
  make("section", { class: kind },
    make("h3", { id: kind }, title),
    make("ul", { "aria-labelledby": kind }, ...sentences.map((sentence) => make("li", { dir: "auto" }, sentence))));

// origin leads to the request that sent the mail.
function origin() {
  const others = mailsOf(mail.request_id).length - 1;
  return make("span", {},
    make("a", { href: `#/requests/${encodeURIComponent(mail.request_id)}` }, mail.request_id),
    others > 0 ? ` · with ${plural(others, "other mail")}` : "");
}

// invitation is the calendar for download. Mail readers show it with buttons.
function invitation() {
  const { number, method } = message.invitation;
  return make("a", { href: path(`/parts/${number}`), download: true }, method);
}

// oneClick returns the address at which a recipient unsubscribes with one click (RFC 8058), if it is an address of this
// stack; otherwise undefined.
function oneClick() {
  const value = (name) => message.headers.find((header) => header.name.toLowerCase() === name)?.value ?? "";
  const address = value("list-unsubscribe").match(/<([^<>]*)>/)?.[1];
  const offered = value("list-unsubscribe-post") === "List-Unsubscribe=One-Click";
  return offered && URL.canParse(address) && new URL(address).origin === location.origin ? address : undefined;
}

// unsubscribing sends what a mailbox sends for one click, and then links to that request.
function unsubscribing(address) {
  const did = make("span", { role: "status" });
  const button = make("button", { type: "button" }, "Click as a mailbox");
  button.addEventListener("click", async () => {
    const body = new URLSearchParams({ "List-Unsubscribe": "One-Click" });
    try {
      // As a mailbox sends it: a form, and no cookies.
      const response = await fetch(address, { method: "POST", body, credentials: "omit" });
      const id = response.headers.get("apigw-requestid");
      did.replaceChildren(response.ok ? "Unsubscribed, by the request " : `Answered with ${response.status}, to the request `,
        make("a", { href: `#/requests/${encodeURIComponent(id)}` }, id));
    } catch {
      did.replaceChildren("The stack does not answer.");
    }
  });
  return make("span", { class: "unsubscribe" }, make("a", { href: address, target: "_blank", rel: "noreferrer" }, address), button, did);
}

// people are addresses with the names that the mail gives them.
const people = (list) => list.map((name) => person(mail, name));

function attachments() {
  const files = message.attachments;
  if (files.length === 0) return null;
  const total = files.reduce((sum, file) => sum + file.size, 0);
  const shown = files.filter((file) => file.in_html).length; // which the list does not count
  const counts = [files.length - shown && plural(files.length - shown, "file"), shown && `${plural(shown, "file")} in the HTML`];
  return make("div", { class: "attachments" },
    make("h3", {}, `${counts.filter(Boolean).join(", ")} · ${size(total)}`),
    make("ul", {}, ...files.map((file) =>
      make("li", {},
        make("a", { href: `/_local/outbox/${encodeURIComponent(mail.id)}/parts/${file.number}`, download: file.name, title: `${file.name}, ${file.type}` },
          make("span", { class: "file" }, file.name),
          make("span", { class: "kind" }, `${size(file.size)}${file.in_html ? " · in the HTML" : ""}`))))));
}

// path is the path of a part of the open mail.
const path = (part) => `/_local/outbox/${encodeURIComponent(mail.id)}${part}`;

function htmlView() {
  if (!message.html) return make("p", { class: "none" }, "This mail has no HTML. Its text is all there is.");
  return preview(path("/html"), message.remote);
}

function textView() {
  if (message.text === null) return make("p", { class: "none" }, "This mail has no plain text. Mail clients that show no HTML show nothing.");
  if (message.text.trim() === "") return make("p", { class: "none" }, "The text of this mail is empty.");
  return make("div", { class: "text", tabindex: "0", role: "region", "aria-label": "Text of the message" },
    make("pre", { dir: "auto" }, message.text),
    message.text_cut ? make("p", { class: "none" }, "The text is longer than what is shown. The source has all of it.") : null);
}

function headersView() {
  if (message.headers.length === 0) return make("p", { class: "none" }, "This mail has no headers.");
  return make("div", { class: "headers", tabindex: "0", role: "region", "aria-label": "Headers of the message" },
    make("dl", {}, ...message.headers.map((header) => pair(header.name, header.value, "auto"))));
}

function eventsView() {
  const view = make("div", { class: "events", tabindex: "0", role: "region", "aria-label": "Events of the message" },
    make("p", { class: "none" }, "SES has published no events of this mail. It publishes those of mails with a configuration set that has a destination for them."),
    make("ul", { class: "outcomes", "aria-label": "What became of each recipient" }),
    make("ol", {}));
  showEvents(view);
  return view;
}

// showEvents brings the outcomes and the events up to date, in the place where they are read.
function showEvents(view) {
  view.firstElementChild.hidden = mail.events.length > 0;
  keep(view.children[1], Object.entries(mail.outcomes), ([to]) => to, ([to, became]) => make("li", {}, make("bdi", {}, to), status(became)));
  keep(view.lastElementChild, mail.events, (event) => event.id, (event) => eventRow(
    { at: event.at, format: second, type: event.type }, addresses(people(event.recipients)),
    event.detail ? make("p", { dir: "auto" }, plain(event.detail)) : null,
    event.webhook ? make("p", {}, `Webhook: ${event.webhook}`) : null));
}

function sourceView() {
  const view = make("div", { class: "source", tabindex: "0", role: "region", "aria-label": "Source of the message" }, make("p", { class: "none" }, "Reading…"));
  const file = path(".eml");
  sourceText(file).then(({ text, all }) => view.replaceChildren(
    make("p", { class: "aside" }, all ? "As SES got it. " : `The first ${size(maxSource)} of ${size(mail.size)}. `,
      make("a", { href: file, download: `${mail.id}.eml` }, "Download the source")),
    make("pre", {}, text))).catch((error) => problem(view, error, null));
  return view;
}

// sourceText reads no more of the source than it shows.
async function sourceText(file) {
  const reader = (await request(file)).body.getReader();
  const chunks = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    length += value.length;
    if (length > maxSource) {
      reader.cancel();
      break;
    }
  }
  const text = await new Blob(chunks).slice(0, maxSource).text();
  return { text, all: length <= maxSource };
}
