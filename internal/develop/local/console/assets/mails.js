// The mails of the outbox, as they were read last.

import { read } from "./stack.js";

// mails are the outbox's entries, each with its summary: people, files, troubles and warnings.
export let mails = null; // newest first; null until they are read

// nothing is the summary of a mail whose own one is not there yet.
const nothing = { people: {}, files: 0, troubles: [], warnings: [] };

// readMails reads the mails again, and returns the previous ones.
export async function readMails() {
  const now = await read("/_local/outbox");
  const summaries = await read("/_local/summaries"); // second, so that every mail of the list has a summary
  const before = mails;
  mails = now.map((mail) => ({ ...mail, summary: summaries[mail.id] ?? nothing }));
  return before;
}

// mailsOf returns the mails that a request sent.
export const mailsOf = (requestId) => (mails ?? []).filter((mail) => mail.request_id === requestId);

// person returns an address of a mail's envelope with the name that the mail gives it: "Ada <ada@example.org>".
export const person = (mail, address) => (mail.summary ?? nothing).people[address.toLowerCase()] ?? address;
