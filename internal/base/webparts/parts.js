// What pages show of mails: a time, a status, addresses, a row of the list, an event. What others wrote is text in an
// element of its own direction, so that it turns nothing around it.

import { copyButton, make } from "./dom.js";
import { long, utc } from "./format.js";

// when is a time as format shows it, in the reader's zone; the exact one in UTC takes its place where the page says so.
export const when = (iso, format = long) => make("time", { datetime: iso, title: long(iso) },
  make("span", { class: "here" }, format(iso)), make("span", { class: "utc" }, utc(iso)));

// status shows what became of a mail. It is empty where nothing is known of that.
export const status = (became) => make("span", { class: `became ${became}` }, became);

// severities are the statuses from the best to the worst, as the API and SES's stand-in order them.
const severities = ["", "delivered", "sent", "delayed", "suppressed", "rejected", "bounced", "complained"];

// bySeverity compares two statuses; the worse one is greater.
export const bySeverity = (a, b) => severities.indexOf(a) - severities.indexOf(b);

// plain returns what others wrote as one line: what ends a line is a space, and a sign that turns the direction of text
// or is none stands as U+FFFD.
export const plain = (text) => text.replace(/\s/g, " ").replace(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, "\uFFFD");

// subject is the subject of a mail, in any element.
export const subject = (text, tag = "span", attributes = {}) =>
  make(tag, { ...attributes, class: text ? "subject" : "subject absent", dir: "auto" }, plain(text) || "No subject");

// names lists addresses, each in its own direction.
const names = (list) => list.flatMap((name, i) => [i ? ", " : "", make("bdi", {}, plain(name))]);

// addresses shows the first few addresses, and the others on demand.
export function addresses(list) {
  const few = 4;
  if (list.length <= few) return make("span", {}, ...names(list));
  return make("details", {},
    make("summary", {}, ...names(list.slice(0, few - 1)), ` and ${list.length - few + 1} more`),
    ...names(list.slice(few - 1)));
}

// pair is a term of a list with its description.
export const pair = (name, value, dir) => make("div", {}, make("dt", {}, name), make("dd", { dir }, value));

// mailRow returns the link of a mail in a list: its subject, its first recipient and how many more, its time and its
// status; and what else is given.
export const mailRow = ({ href, subject: text, to: [first, ...more], at, format, became }, ...rest) =>
  make("a", { href },
    subject(text),
    make("span", { class: "to" }, make("span", { class: "unseen" }, "to "), make("bdi", {}, plain(first ?? "nobody")), more.length ? ` +${more.length}` : ""),
    when(at, format),
    status(became),
    ...rest);

// eventRow returns an event of a mail: its time, its type, and what it says.
export const eventRow = ({ at, format, type }, says, ...rest) => make("li", {},
  when(at, format),
  make("strong", {}, type),
  make("div", {}, says),
  ...rest);

// command shows a shell command with a button to copy it.
export function command(text) {
  return make("div", { class: "command" },
    make("pre", { tabindex: "0", "aria-label": "Command" }, text),
    copyButton(text, "the command"));
}
