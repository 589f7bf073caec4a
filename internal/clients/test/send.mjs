// Sends the mails of check.mjs by Nodemailer, and prints a line of JSON for each.

import { json } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { createTransport } from 'nodemailer';
import { FrontdeskError, FrontdeskTransport } from '../nodemailer/frontdesk-transport.mjs';

const { MAIL_KEY } = process.env;
const addresses = boxes => boxes?.map(({ email, name }) => ({ address: email, name: name ?? '' }));
const file = ({ filename, type, content, inline }) => ({
  filename, contentType: type, content: Buffer.from(content, 'base64'), ...inline && { contentDisposition: 'inline' },
});
const picture = given => ({ ...file(given), cid: given.filename });

const calendar = ({ method, content, alternative }) => alternative
  ? { alternatives: [{ contentType: `text/calendar; charset=utf-8; METHOD=${method}`, content }] }
  : { icalEvent: { method, content } };

const build = ({ from, to, cc, bcc, replyTo, ...given }) => ({
  from: addresses(from), to: addresses(to), cc: addresses(cc), bcc: addresses(bcc), replyTo: addresses(replyTo),
  subject: given.subject, text: given.text, html: given.html, headers: given.headers, tags: given.tags,
  attachments: [...given.attachments?.map(file) ?? [], ...given.inline?.map(picture) ?? []],
  ...given.calendar && calendar(given.calendar),
  ...given.alternative && { amp: given.alternative },
  ...given.signed && { raw: 'Content-Type: multipart/signed; boundary=x\r\n\r\n' },
  ...given.returnPath && { headers: { 'Return-Path': given.returnPath } }, ...given.sender && { sender: given.sender },
  ...given.envelope && { envelope: { from: from[0].email, to: given.envelope } },
  ...structuredClone(given.nodemailer), // to which Nodemailer adds files
});

for (const { name, mail, url, timeout } of await json(process.stdin)) {
  const logger = { warn: line => { result.log += line; } };
  const options = { url, key: MAIL_KEY, logger, ...timeout && { timeout: timeout * 1000 } };
  const transporter = createTransport(new FrontdeskTransport(options));
  const result = { case: name, ids: [], log: '', dump: inspect(transporter, { depth: 9, showHidden: true }) };
  try {
    for (let i = 0; i < (mail.times ?? 1); i++) {
      const info = await transporter.sendMail(build(mail));
      result.ids.push(info.messageId);
      result.dump += inspect(info);
    }
  } catch (error) {
    if (!(error instanceof FrontdeskError)) throw error;
    const { message, status, originalCode, code, retryAfter } = error;
    Object.assign(result, { error: message, status, code: originalCode, nodemailer: code, retryAfter });
    if ('responseCode' in error) throw error;
    result.dump += inspect(error);
  }
  console.log(JSON.stringify(result));
}
