// What an event of SES means, and what to do. Of a bounce its enhanced status code says that: RFC 3463, and the registry
// https://www.iana.org/assignments/smtp-enhanced-status-codes.

const correct = "Correct the address, or stop sending to it.";
const later = "Send again in some days, if it still matters.";
const smaller = "Send a smaller mail: a link in place of the attachment.";
const operator = "Show this to who runs the stack: the sender's domain needs a record in the DNS.";

// meanings are by the second and the third number of a code. The first says whether it is for good (5) or not (4).
const meanings = {
  "1.1": ["There is no such mailbox.", correct],
  "1.2": ["The domain of the address takes no mail, or does not exist.", correct],
  "1.3": ["The recipient's server does not understand the address.", correct],
  "1.4": ["The address stands for several mailboxes.", correct],
  "1.6": ["The mailbox has moved, and left no new address.", correct],
  "1.7": ["The recipient's server does not understand the sender's address.", "Send from another address."],
  "1.8": ["The domain of the sender's address is not found.", operator],
  "1.10": ["The domain of the address takes no mail at all.", correct],
  "2.1": ["The mailbox is switched off.", correct],
  "2.2": ["The mailbox is full.", later],
  "2.3": ["The mail is too large for the mailbox.", smaller],
  "2.4": ["A mailing list there could not be resolved.", correct],
  "3.1": ["The recipient's server has no room left.", later],
  "3.2": ["The recipient's server takes no mails at the moment.", later],
  "3.4": ["The mail is too large for the recipient's server.", smaller],
  "4.1": ["The recipient's server does not answer.", later],
  "4.2": ["The connection to the recipient's server broke.", later],
  "4.3": ["A directory that the recipient's server needs does not answer.", later],
  "4.4": ["No way leads to the recipient's server.", correct],
  "4.5": ["The recipient's server has too much to do.", later],
  "4.6": ["The recipient's servers send the mail in a circle.", later],
  "4.7": ["SES has tried until the time was over.", later],
  "5.3": ["The mail has too many recipients for that server.", "Send it to fewer at a time."],
  "7.0": ["The recipient's server refuses the mail by its rules.", "Look at what it says."],
  "7.1": ["The recipient's server refuses the mail by its rules: often it takes it for spam.", "Look at what it says."],
  "7.2": ["The recipient's mailing list takes no mail from this sender.", "Ask the owner of the list."],
  "7.20": ["The mail has no signature of DKIM that is good.", operator],
  "7.21": ["The signature of DKIM is of a domain that is not accepted.", operator],
  "7.22": ["The signature of DKIM is not of the sender's domain.", operator],
  "7.23": ["SPF does not allow this server to send for the domain.", operator],
  "7.24": ["SPF of the sender's domain cannot be checked.", operator],
  "7.25": ["The address of the sending server has no name.", operator],
  "7.26": ["The mail passes neither SPF nor DKIM for the sender's domain.", operator],
  "7.27": ["The sender's domain takes no mail, so the server takes none from it.", operator],
  "7.28": ["Too many mails came at once, and the server takes it for an attack.", "Send more slowly."],
};

// subjects are by the second number, for codes that are not above.
const subjects = {
  1: ["Something is wrong with the address.", correct],
  2: ["Something is wrong with the mailbox.", later],
  3: ["The recipient's server has a fault.", later],
  4: ["The way to the recipient's server is disturbed.", later],
  5: ["The two servers do not understand each other.", "Look at what it says."],
  6: ["The recipient's server cannot take what the mail holds.", "Look at what it says."],
  7: ["The recipient's server refuses the mail by its rules.", "Look at what it says."],
};

// code matches an enhanced status code (RFC 3463 section 2), and no part of an IP address.
const code = /(?<![\d.])[45]\.(\d{1,3})\.(\d{1,3})(?!\.?\d)/;

// ofCode returns what the code in a text means, or nothing where it has none.
function ofCode(text) {
  const [, subject, detail] = code.exec(text) ?? [];
  return meanings[`${subject}.${detail}`] ?? subjects[subject] ?? [];
}

const words = {
  sent: () => ["SES has taken the mail."],
  delivered: () => ["The recipient's server has taken the mail. A filter of the recipient may still keep it from the inbox."],
  delayed: (detail) => [ofCode(detail)[0] ?? "The recipient's server has not taken the mail yet.", "SES tries again for some hours. There is nothing to do."],
  bounced: ofCode,
  complained: () => ["The recipient has called the mail spam.", "Stop sending to this address."],
  suppressed: (detail) => ["SES did not try: the address has bounced before, or its owner has called a mail spam.",
    detail.startsWith("OnAccountSuppressionList") ? "If the address is good again, who runs the stack can take it off the account's list." : "It is on a list of SES's own. Use another address."],
  rejected: () => ["SES has found a virus in the mail, and sent it to nobody.", "Look at the attachments."],
};

// meaning returns what an event of a type with a detail means, in sentences. It is "" for a bounce without a code: then
// SES's own text is all there is.
export const meaning = (type, detail = "") => (words[type]?.(detail) ?? []).filter(Boolean).join(" ");
