// The mails of the outbox, as they were read last.

import { read } from "./stack.js";

// mails have the outbox's entry of each, and its summary: people, files, troubles and warnings.
export let mails = null; // newest first; null until they are read

const nothing = { people: {}, files: 0, troubles: [], warnings: [] };

// readMails reads them, and returns those that there were before.
export async function readMails() {
  const now = await read("/_local/outbox");
  const summaries = await read("/_local/summaries"); // after it: those of mails that have come since are left out
  const before = mails;
  mails = now.map((mail) => ({ ...mail, summary: summaries[mail.id] ?? nothing }));
  return before;
}

// mailsOf are the mails that were sent for a request.
export const mailsOf = (requestId) => (mails ?? []).filter((mail) => mail.request_id === requestId);

// person is an address of a mail's envelope, with the name that the mail gives: "Ada <ada@example.org>".
export const person = (mail, address) => (mail.summary ?? nothing).people[address.toLowerCase()] ?? address;
