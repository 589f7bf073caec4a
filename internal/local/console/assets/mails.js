// The mails of the outbox, as they were read last.

import { read } from "./stack.js";

export let mails = null; // newest first; null until they are read

// readMails reads them, and returns those that there were before.
export async function readMails() {
  const now = await read("/_local/outbox");
  const before = mails;
  mails = now;
  return before;
}

// mailsOf are the mails that were sent for a request.
export const mailsOf = (requestId) => (mails ?? []).filter((mail) => mail.request_id === requestId);
